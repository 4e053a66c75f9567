"""The llm agent: a language model behind an HTTP endpoint plays any game from its seat's view."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from trireme.core.errors import BadSpec
from trireme.core.extras import require
from trireme.core.forfeit import AgentFault
from trireme.core.game import AnyAgent, AnyGame, Turn
from trireme.core.options import option
from trireme.core.registry import make_agent
from trireme.core.transcript import Exchange

from . import client as http
from .answers import Unusable, read_answer
from .client import LlmClient, OutOfTime, Reply, TransportError
from .prompting import Prompts, legal_text, system_values, turn_values
from .providers import Message, Question, estimated_tokens, find_provider

MOST_ECHO = 2000
"""Characters of a refused answer that are sent back with the reason: its end."""
FORFEIT = "forfeit"


class NoUsableAnswer(AgentFault):
    """All retries are used up: the model forfeits by its own answers."""

    reason = "illegal"


class ModelOutOfTime(AgentFault):
    """The model did not answer within the time of the decision."""

    reason = "time"


class EndpointFault(AgentFault):
    """The endpoint gave no answer, or the cost ceiling was reached."""

    reason = "process"


@dataclass
class ModelAgent:
    """What all agents with a language model share: options, conversation, retries, transcript."""

    model: str = field(metadata={"help": "the model's name, as the endpoint knows it"})
    provider: str = option(
        "openai", "openai, anthropic, compatible (with url), or module:Class of a provider"
    )
    url: str = option("", "base address of the endpoint; empty: the provider's own")
    key: str = option("", "environment variable with the API key; empty: the provider's usual one")
    temperature: float | None = option(
        None, "randomness of the answers, higher: more varied; none: the endpoint's default"
    )
    max_tokens: int = option(4000, "tokens of an answer at most; more: longer reasoning and cost")
    timeout: float = option(120.0, "seconds to wait for one request before it is repeated")
    attempts: int = option(4, "requests made for one answer while the endpoint fails")
    backoff: float = option(1.0, "seconds before the first repeat; doubled for each one after it")
    retries: int = option(2, "further answers asked for after one that is unreadable or illegal")
    stream: bool = option(True, "receive answers piece by piece; false: each in one piece")
    price_in: float = option(0.0, "dollars for a million tokens sent, to compute costs")
    price_out: float = option(0.0, "dollars for a million tokens received, to compute costs")
    max_cost: float | None = option(
        None, "dollars for a game, after which no request is made; none: no ceiling"
    )
    cache: str = option("", "folder that keeps answers and reuses them; empty: every turn asks")
    prompts: str = option("", "folder of prompt files that replace those that ship")

    web: ClassVar[bool] = False
    extra: ClassVar[str] = "llm"
    timed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._prompts = Prompts.load(self.prompts)
        self._provider = find_provider(self.provider)
        self._client: LlmClient | None = None
        self._exchanges: list[Exchange] = []
        self._own: list[str] = []
        self._spent = 0.0
        self._system = ""
        limits = (("max_tokens", 1), ("timeout", 0.001), ("attempts", 1), ("retries", 0))
        for name, least in (*limits, ("backoff", 0), ("price_in", 0), ("price_out", 0)):
            if not getattr(self, name) >= least:
                raise BadSpec(f"{name} must be at least {least}, not {getattr(self, name)}")
        if self.max_cost is not None and not (self.price_in or self.price_out):
            raise BadSpec("max_cost needs price_in and price_out, by which costs are computed")

    def prepare(self, game: AnyGame) -> None:
        """Begin a game: an empty history, and no costs yet."""
        self._own, self._spent, self._system = [], 0.0, ""
        self._connected()

    def close(self) -> None:
        """End the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def take_exchanges(self) -> list[Exchange]:
        """The exchanges since the last call (`core/transcript.py`)."""
        taken, self._exchanges = self._exchanges, []
        return taken

    def converse(
        self, turn: Turn[Any, Any], prompt: str, read: Callable[[str], Any | Unusable]
    ) -> Any:
        """The action that the model decides on; raises `AgentFault` when it gives none.

        `read` makes the action of an answer, or says what is wrong with it.
        """
        deadline = None if turn.seconds is None else time.monotonic() + turn.seconds
        system = self._prompts.fill("system", **system_values(turn))
        messages = [Message("user", prompt)]
        problem = Unusable("unreadable", "")
        for _ in range(self.retries + 1):
            question = self._question(system, messages)
            reply = self._answer(question, deadline)
            problem_or_action = self._read(reply, read)
            refused = problem_or_action if isinstance(problem_or_action, Unusable) else None
            action = None if refused else turn.game.write(problem_or_action)
            self._note(question, reply, refused, action)
            if refused is None:
                self._own.append(action or "")
                return problem_or_action
            problem = refused
            messages += [
                Message("assistant", reply.completion.text[-MOST_ECHO:] or "(nothing)"),
                Message("user", self._correction(turn, refused)),
            ]
        raise NoUsableAnswer(f"no usable answer in {self.retries + 1}: {problem.why}")

    def _correction(self, turn: Turn[Any, Any], refused: Unusable) -> str:
        example = turn.game.write(turn.legal.sample(turn.rng))
        return self._prompts.fill("retry", problem=refused.why, example=example)

    def _question(self, system: str, messages: list[Message]) -> Question:
        return Question(
            self.model, system, tuple(messages), self.max_tokens, self.temperature, self.stream
        )

    def _read(self, reply: Reply, read: Callable[[str], Any | Unusable]) -> Any | Unusable:
        if reply.completion.finish == "length":
            return Unusable(
                "truncated",
                f"It was cut off after {self.max_tokens} tokens: reason less, then answer.",
            )
        return read(reply.completion.text)

    def _answer(self, question: Question, deadline: float | None) -> Reply:
        """One completion, repeated while the endpoint fails in ways that may pass."""
        client = self._connected()
        if kept := client.cached(question):
            return kept
        for attempt in range(self.attempts):
            if self.max_cost is not None and self._spent >= self.max_cost:
                raise EndpointFault(f"the cost ceiling of ${self.max_cost:g} a game is reached")
            began = time.monotonic()
            try:
                return client.ask(question, deadline)
            except TransportError as error:
                self._failed(question, str(error), time.monotonic() - began)
                if isinstance(error, OutOfTime):
                    raise ModelOutOfTime(str(error)) from None
                if not error.again or attempt + 1 == self.attempts:
                    raise EndpointFault(str(error)) from None
                wait = http.backoff(attempt, self.backoff, error.wait)
                if deadline is not None and time.monotonic() + wait >= deadline:
                    raise ModelOutOfTime(
                        f"no time is left to repeat the request: {error}"
                    ) from None
                http.sleep(wait)
        raise AssertionError("every attempt returns or raises")

    def _note(
        self, question: Question, reply: Reply, refused: Unusable | None, action: str | None
    ) -> None:
        """Keep an exchange, and count its cost."""
        made = reply.completion
        sent = [question.system, *(m.text for m in question.messages)]
        estimated = made.tokens_in is None or made.tokens_out is None
        tokens_in = estimated_tokens(sent) if made.tokens_in is None else made.tokens_in
        tokens_out = estimated_tokens([made.text]) if made.tokens_out is None else made.tokens_out
        cost = (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6
        cost = 0.0 if reply.cached else cost
        self._spent += cost
        self._exchanges.append(
            Exchange(
                self.model,
                question.messages[-1].text,
                made.text,
                action,
                refused.why if refused else "",
                refused.kind if refused else "ok",
                self._new_system(question),
                tokens_in,
                tokens_out,
                estimated,
                cost,
                reply.seconds,
                reply.cached,
            )
        )

    def _failed(self, question: Question, why: str, seconds: float) -> None:
        prompt, system = question.messages[-1].text, self._new_system(question)
        self._exchanges.append(
            Exchange(
                self.model, prompt, problem=why, kind="transport", system=system, seconds=seconds
            )
        )

    def _new_system(self, question: Question) -> str:
        """The system prompt, where the last exchange had another."""
        new = question.system != self._system
        self._system = question.system
        return question.system if new else ""

    def _connected(self) -> LlmClient:
        if self._client is None:
            require("llm", f"a language model ({self.model})")
            variable = self.key or ("" if self.url else self._provider.key)
            key = os.environ.get(variable, "") if variable else ""
            if variable and not key:
                raise BadSpec(f"set the environment variable {variable} to the API key")
            url = self.url or self._provider.url
            if not url:
                raise BadSpec(
                    f"provider {self.provider} needs url, such as http://localhost:8000/v1"
                )
            if "\n" in key or not key.isascii():
                raise BadSpec(f"the API key in {variable} is no single line of ASCII text")
            cache = Path(self.cache) if self.cache else None
            self._client = LlmClient(self._provider, url, key, self.timeout, cache)
        return self._client


@dataclass
class LanguageModel(ModelAgent):
    """A language model (LLM) that reads its seat's view as text and answers with an action."""

    fallback: str = option(
        FORFEIT, "who plays on when no usable answer comes: forfeit, or an agent such as random"
    )
    listed: int = option(120, "legal actions that a prompt lists at most; more: longer prompts")

    name: ClassVar[str] = "llm"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._stand_in: AnyAgent | None = None

    def prepare(self, game: AnyGame) -> None:
        super().prepare(game)
        if self.fallback != FORFEIT:
            self._stand_in = make_agent(game, self.fallback)
            prepare = getattr(self._stand_in, "prepare", None)
            if callable(prepare):
                prepare(game)

    def act(self, turn: Turn[Any, Any]) -> Any:
        legal = legal_text(turn, self.listed)
        prompt = self._prompts.fill("turn", legal=legal, **turn_values(turn, self._own))
        try:
            return self.converse(turn, prompt, lambda text: read_answer(turn, text))
        except AgentFault:
            if self.fallback == FORFEIT:
                raise
            if self._stand_in is None:
                self._stand_in = make_agent(turn.game, self.fallback)
            action = self._stand_in.act(turn)
            self._own.append(turn.game.write(action))
            return action
