"""A scripted endpoint: a language model played by a function, served on this machine.

It speaks the wire formats of both families of providers and can misbehave on purpose, so agents,
prompts and benchmarks can be tried without a key and without a network:

    with ScriptedEndpoint(lambda asked: '{"action": "h8"}') as endpoint:
        trireme.play("gomoku", [f"llm:model=script,url={endpoint.url}", "random"])
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .providers import estimated_tokens


@dataclass(frozen=True)
class Asked:
    """A request, as the script sees it."""

    system: str
    messages: tuple[tuple[str, str], ...]
    """Roles and texts, in order."""
    model: str
    number: int
    """How many requests came before."""
    stream: bool

    @property
    def prompt(self) -> str:
        """The last message."""
        return self.messages[-1][1]


@dataclass(frozen=True)
class Misbehaviour:
    """An answer that no good endpoint gives; the fields can be combined."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    cut: bool = False
    """Promise more bytes than come."""
    hang: bool = False
    """After the body send nothing more, and keep the connection open."""
    drip: bool = False
    """Send headers without end, a byte at a time."""


@dataclass(frozen=True)
class Truncated:
    """A text that ended at the limit of tokens."""

    text: str


Script = Callable[[Asked], "str | Truncated | Misbehaviour"]


class ScriptedEndpoint:
    """A server on the loopback address; use it in a `with` block."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self.sent: list[bytes] = []
        """Every request's first line, headers and body, byte by byte, in the order of arrival."""
        endpoint = self

        class Handler(_Handler):
            owner = endpoint

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """The base address for the option `url`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedEndpoint:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def closed_within(self, seconds: float) -> bool:
        """Wait so long; whether the endpoint closes."""
        return self._closing.wait(seconds)

    def wait_for_end(self) -> None:
        """Return when the endpoint closes."""
        self._closing.wait()

    def answer(self, raw: bytes, body: dict[str, Any]) -> str | Truncated | Misbehaviour:
        """What the script says to a request."""
        texts = [(m["role"], m["content"]) for m in body["messages"]]
        system = str(body.get("system", ""))
        if texts[0][0] == "system":
            system = texts.pop(0)[1]
        with self._lock:
            self.sent.append(raw)
            number = len(self.sent) - 1
        stream = bool(body.get("stream"))
        return self._script(Asked(system, tuple(texts), body["model"], number, stream))


class _Handler(BaseHTTPRequestHandler):
    owner: ScriptedEndpoint

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        raw = f"{self.requestline}\n{self.headers}".encode() + content
        body = json.loads(content)
        answer = self.owner.answer(raw, body)
        if isinstance(answer, Misbehaviour):
            self._misbehave(answer)
            return
        text = answer.text if isinstance(answer, Truncated) else answer
        anthropic = self.path.endswith("/messages")
        make = _anthropic if anthropic else _openai
        kind, data = make(text, isinstance(answer, Truncated), body)
        self._send(200, {"Content-Type": kind, "Content-Length": str(len(data))}, data)

    def _misbehave(self, answer: Misbehaviour) -> None:
        if answer.drip:
            self._drip()
            return
        length = len(answer.body) + (1000 if answer.cut or answer.hang else 0)
        headers = {"Content-Type": "application/json", "Content-Length": str(length)}
        self._send(answer.status, headers | dict(answer.headers), answer.body)
        if answer.hang:
            self.owner.wait_for_end()

    def _drip(self) -> None:
        self.close_connection = True
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Endless: ")
            while not self.owner.closed_within(0.01):
                self.wfile.write(b"x")
                self.wfile.flush()
        except OSError:
            return

    def _send(self, status: int, headers: Mapping[str, str], data: bytes) -> None:
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:  # the client has gone, as a client may
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def _openai(text: str, truncated: bool, body: dict[str, Any]) -> tuple[str, bytes]:
    finish = "length" if truncated else "stop"
    usage = {
        "prompt_tokens": estimated_tokens([m["content"] for m in body["messages"]]),
        "completion_tokens": estimated_tokens([text]),
    }
    if not body.get("stream"):
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
        return "application/json", json.dumps({"choices": [choice], "usage": usage}).encode()
    events: list[Any] = [{"choices": [{"delta": {"content": part}}]} for part in _parts(text)]
    events += [{"choices": [{"delta": {}, "finish_reason": finish}]}]
    events += [{"choices": [], "usage": usage}]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode()


def _anthropic(text: str, truncated: bool, body: dict[str, Any]) -> tuple[str, bytes]:
    stop = "max_tokens" if truncated else "end_turn"
    sent = estimated_tokens([body.get("system", ""), *(m["content"] for m in body["messages"])])
    usage = {"input_tokens": sent, "output_tokens": estimated_tokens([text])}
    if not body.get("stream"):
        content = [{"type": "text", "text": text}]
        made = {"content": content, "stop_reason": stop, "usage": usage}
        return "application/json", json.dumps(made).encode()
    events: list[Any] = [{"type": "message_start", "message": {"usage": usage}}]
    events += [
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": part}}
        for part in _parts(text)
    ]
    events.append({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage})
    events.append({"type": "message_stop"})
    lines = [f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events]
    return "text/event-stream", "".join(lines).encode()


def _parts(text: str) -> list[str]:
    """The text in pieces, as tokens come."""
    size = max(7, len(text) // 50)
    return [text[at : at + size] for at in range(0, len(text), size)]
