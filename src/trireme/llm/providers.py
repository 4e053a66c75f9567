"""Providers: how each kind of endpoint is asked, and how its answers are read.

A provider is a class with `request`, `whole` and `event`. One that speaks another's format needs
only a name and an address:

    class Local(Compatible):
        url = "http://localhost:11434/v1"

Then `llm:provider=my_module:Local,model=…` uses it.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from trireme.core.errors import BadSpec, unknown

Json = dict[str, Any]
Finish = Literal["", "stop", "length"]
"""Why the text ended: not yet, the model's choice, or the limit of tokens."""


@dataclass(frozen=True)
class Message:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True)
class Question:
    """A conversation that the model is to continue, and the limits of its answer."""

    model: str
    system: str
    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float | None
    stream: bool


@dataclass(frozen=True)
class HttpRequest:
    """What is posted: a path below the base address, headers and a JSON body."""

    path: str
    headers: Mapping[str, str]
    body: Json


@dataclass(frozen=True)
class Completion:
    """The answer of a model, or the part of it that has arrived."""

    text: str = ""
    tokens_in: int | None = None
    """None where the endpoint does not count."""
    tokens_out: int | None = None
    finish: Finish = ""


class EndpointError(Exception):
    """The endpoint reports an error inside an answer; `again` says whether a repeat may help."""

    def __init__(self, message: str, again: bool = True) -> None:
        super().__init__(message)
        self.again = again


class Provider(ABC):
    """One kind of endpoint. Every method raises `KeyError`, `TypeError`, `IndexError` or
    `ValueError` on an answer of another shape; the client reports it as an answer that can't be
    read."""

    url: ClassVar[str] = ""
    """The base address, unless the option `url` gives another."""
    key: ClassVar[str] = ""
    """The environment variable that holds the API key; empty: none is needed."""

    @abstractmethod
    def request(self, question: Question, key: str) -> HttpRequest:
        """What to post for a question."""

    @abstractmethod
    def whole(self, answer: Json) -> Completion:
        """The completion in the body of an answer that was not streamed."""

    @abstractmethod
    def event(self, data: Json, so_far: Completion) -> Completion:
        """What has arrived after one more event of a streamed answer."""


class Compatible(Provider):
    """Any endpoint that speaks OpenAI's chat completions: most servers of open models do."""

    limit: ClassVar[str] = "max_tokens"
    """The field that limits the answer."""

    def request(self, question: Question, key: str) -> HttpRequest:
        messages = [{"role": "system", "content": question.system}]
        messages += [{"role": m.role, "content": m.text} for m in question.messages]
        body: Json = {"model": question.model, "messages": messages}
        body[self.limit] = question.max_tokens
        if question.temperature is not None:
            body["temperature"] = question.temperature
        if question.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return HttpRequest(
            "/chat/completions", {"Authorization": f"Bearer {key}"} if key else {}, body
        )

    def whole(self, answer: Json) -> Completion:
        _raise_error(answer)
        choice = answer["choices"][0]
        text = choice["message"]["content"] or ""
        return self._counted(answer, Completion(str(text), finish=_finish(choice)))

    def event(self, data: Json, so_far: Completion) -> Completion:
        _raise_error(data)
        for choice in data.get("choices") or ():
            more = (choice.get("delta") or {}).get("content") or ""
            finish = _finish(choice) if choice.get("finish_reason") else so_far.finish
            so_far = replace(so_far, text=so_far.text + str(more), finish=finish)
        return self._counted(data, so_far)

    def _counted(self, data: Json, so_far: Completion) -> Completion:
        usage = data.get("usage") or {}
        if "prompt_tokens" not in usage:
            return so_far
        tokens = int(usage["prompt_tokens"]), int(usage.get("completion_tokens", 0))
        return replace(so_far, tokens_in=tokens[0], tokens_out=tokens[1])


class OpenAI(Compatible):
    """OpenAI's own API."""

    url: ClassVar[str] = "https://api.openai.com/v1"
    key: ClassVar[str] = "OPENAI_API_KEY"
    limit: ClassVar[str] = "max_completion_tokens"


class Anthropic(Provider):
    """Anthropic's messages API."""

    url: ClassVar[str] = "https://api.anthropic.com"
    key: ClassVar[str] = "ANTHROPIC_API_KEY"
    version: ClassVar[str] = "2023-06-01"

    def request(self, question: Question, key: str) -> HttpRequest:
        body: Json = {
            "model": question.model,
            "system": question.system,
            "messages": [{"role": m.role, "content": m.text} for m in question.messages],
            "max_tokens": question.max_tokens,
        }
        if question.temperature is not None:
            body["temperature"] = question.temperature
        if question.stream:
            body["stream"] = True
        return HttpRequest(
            "/v1/messages",
            {"anthropic-version": self.version, **({"x-api-key": key} if key else {})},
            body,
        )

    def whole(self, answer: Json) -> Completion:
        _raise_error(answer)
        text = "".join(str(b["text"]) for b in answer["content"] if b.get("type") == "text")
        made = Completion(text, finish=_stop(answer.get("stop_reason")))
        return self._counted(answer.get("usage"), made)

    def event(self, data: Json, so_far: Completion) -> Completion:
        _raise_error(data)
        match data.get("type"):
            case "message_start":
                return self._counted(data["message"].get("usage"), so_far)
            case "content_block_delta" if data["delta"].get("type") == "text_delta":
                return replace(so_far, text=so_far.text + str(data["delta"]["text"]))
            case "message_delta":
                finish = _stop(data["delta"].get("stop_reason"))
                return self._counted(data.get("usage"), replace(so_far, finish=finish))
        return so_far

    def _counted(self, usage: Any, so_far: Completion) -> Completion:
        usage = usage or {}
        return replace(
            so_far,
            tokens_in=int(usage["input_tokens"]) if "input_tokens" in usage else so_far.tokens_in,
            tokens_out=int(usage["output_tokens"])
            if "output_tokens" in usage
            else so_far.tokens_out,
        )


PROVIDERS: Mapping[str, type[Provider]] = {
    "compatible": Compatible,
    "openai": OpenAI,
    "anthropic": Anthropic,
}


def find_provider(name: str) -> Provider:
    """The provider of this name, or the class at `module:Class`."""
    if name in PROVIDERS:
        return PROVIDERS[name]()
    module, colon, cls = name.partition(":")
    if not colon:
        raise unknown("provider", name, PROVIDERS)
    try:
        found = getattr(importlib.import_module(module), cls)()
    except Exception as error:
        raise BadSpec(f"provider {name!r} can't be made: {type(error).__name__}: {error}") from None
    if not isinstance(found, Provider):
        raise BadSpec(f"provider {name!r} is not a subclass of trireme.llm.providers.Provider")
    return found


def estimated_tokens(texts: Sequence[str]) -> int:
    """A rough count, four bytes a token, where the endpoint gives none."""
    return sum(len(text.encode()) for text in texts) // 4 + 1


def _finish(choice: Json) -> Finish:
    return "length" if choice.get("finish_reason") == "length" else "stop"


def _stop(reason: Any) -> Finish:
    return "length" if reason == "max_tokens" else "stop" if reason else ""


def _raise_error(data: Json) -> None:
    error = data.get("error")
    if error:
        message = error.get("message") if isinstance(error, dict) else error
        raise EndpointError(f"the endpoint reports an error: {message}")
