"""The HTTP client of language models: streaming, timeouts, repeats with backoff, a cache.

No call takes longer than its deadline and no answer grows beyond `MOST_BYTES`, whatever the
endpoint does. The API key is in no message, transcript or cache.
"""

from __future__ import annotations

import hashlib
import os
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from trireme.core.errors import BadSpec
from trireme.core.extras import require
from trireme.core.request_deadline import RequestDeadline

from .providers import Completion, EndpointError, HttpRequest, Json, Provider, Question

if TYPE_CHECKING:
    import httpx

MOST_BYTES = 1 << 20
"""Bytes of an answer, after which no more is read: many times the longest useful one."""
MOST_WAIT = 60.0
"""Seconds that are waited at most before a request is repeated."""
REPEATABLE = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed."""
MOST_DETAIL = 300
"""Characters of an endpoint's own error text in a message."""
_OVER = "[DONE]"
sleep = time.sleep


class TransportError(Exception):
    """No answer came, or none that could be read; `again` says whether a repeat may help."""

    def __init__(self, message: str, again: bool, wait: float | None = None) -> None:
        super().__init__(message)
        self.again, self.wait = again, wait


class OutOfTime(TransportError):
    """The deadline of the decision came before the answer."""

    def __init__(self) -> None:
        super().__init__("the time for this decision ran out before the answer came", again=False)


@dataclass(frozen=True)
class Reply:
    """A completion, and how it was had."""

    completion: Completion
    seconds: float
    cached: bool = False


@dataclass
class LlmClient:
    """Asks one endpoint; `close` ends its connections."""

    provider: Provider
    url: str
    key: str
    timeout: float
    """Seconds for one request."""
    cache: Path | None = None

    def __post_init__(self) -> None:
        require("llm", "a language model")
        if not self.url.startswith(("http://", "https://")):
            raise BadSpec(f"expected the endpoint's address, http(s)://…, not {self.url!r}")
        import httpx

        # Certificates take long to load, and plain HTTP, as of a model on this machine, has none.
        self._http = httpx.Client(follow_redirects=False, verify=self.url.startswith("https://"))

        self._deadline = RequestDeadline()

    def close(self) -> None:
        self._http.close()

    def cached(self, question: Question) -> Reply | None:
        """The answer to the same question, if the cache holds it."""
        if self.cache is None:
            return None
        try:
            kept = msgspec.json.decode(self._place(question).read_bytes(), type=Completion)
        except (OSError, ValueError):  # also what is no UTF-8
            return None
        return Reply(kept, 0.0, cached=True)

    def ask(self, question: Question, deadline: float | None) -> Reply:
        """One request; raises `TransportError`. `deadline` is by the monotonic clock."""
        began = time.monotonic()
        end = began + self.timeout
        last = end if deadline is None else min(end, deadline)
        if last <= began:
            raise OutOfTime
        try:
            completion = self._post(self.provider.request(question, self.key), question, last)
        except TransportError:
            if deadline is not None and time.monotonic() >= deadline:
                raise OutOfTime from None
            raise
        if self.cache is not None:
            self._keep(question, completion)
        return Reply(completion, time.monotonic() - began)

    def _post(self, request: HttpRequest, question: Question, end: float) -> Completion:
        import httpx

        left = max(0.001, end - time.monotonic())
        try:
            with (
                self._deadline.within(left),
                self._http.stream(
                    "POST",
                    self.url.rstrip("/") + request.path,
                    json=request.body,
                    headers=dict(request.headers),
                    timeout=httpx.Timeout(left),
                    extensions={"trace": self._deadline.trace},
                ) as response,
            ):
                if response.status_code != 200:
                    raise self._refused(response, end)
                if "text/event-stream" in response.headers.get("content-type", ""):
                    return self._streamed(response, end)
                return self._decoded(b"".join(_bounded(response, end)))
        except httpx.TimeoutException:
            raise TransportError(f"no answer within {left:.3g} s", again=True) from None
        except httpx.InvalidURL as error:
            raise TransportError(f"{self.url!r} is no address: {error}", again=False) from None
        except httpx.HTTPError as error:
            if time.monotonic() >= end:
                raise TransportError(f"no answer within {left:.3g} s", again=True) from None
            text = self._safe(str(error)) or type(error).__name__
            raise TransportError(f"the connection failed: {text}", again=True) from None

    def _refused(self, response: httpx.Response, end: float) -> TransportError:
        try:
            body = b"".join(_bounded(response, end))
        except TransportError:
            body = b""
        detail = self._safe(body.decode("utf-8", "replace"))
        status = response.status_code
        return TransportError(
            f"the endpoint answered with status {status}: {detail}".rstrip(": "),
            again=status in REPEATABLE,
            wait=_retry_after(response.headers.get("retry-after")),
        )

    def _decoded(self, body: bytes) -> Completion:
        try:
            answer = msgspec.json.decode(body)
            return self.provider.whole(answer)
        except EndpointError as error:
            raise TransportError(self._safe(str(error)), again=error.again) from None
        except (msgspec.DecodeError, RecursionError, *_MALFORMED) as error:
            raise self._strange(body.decode("utf-8", "replace"), error) from None

    def _streamed(self, response: httpx.Response, end: float) -> Completion:
        so_far = Completion()
        for line in _lines(_bounded(response, end)):
            name, _, data = line.partition(":")
            if name != "data" or data.strip() in ("", _OVER):
                continue
            try:
                event: Json = msgspec.json.decode(data.strip())
                so_far = self.provider.event(event, so_far)
            except EndpointError as error:
                raise TransportError(self._safe(str(error)), again=error.again) from None
            except (msgspec.DecodeError, RecursionError, *_MALFORMED) as error:
                raise self._strange(data, error) from None
        if not so_far.finish:
            raise TransportError("the stream ended before the answer was complete", again=True)
        return so_far

    def _strange(self, text: str, error: Exception) -> TransportError:
        why = f"{type(error).__name__}: {error}"
        return TransportError(
            f"an answer in another format ({self._safe(why)}): {self._safe(text)}", again=True
        )

    def _safe(self, text: str) -> str:
        """Text of the endpoint's, bounded and without the key."""
        text = " ".join(text.split())
        if self.key:
            text = text.replace(self.key, "(the key)")
        return text if len(text) <= MOST_DETAIL else f"{text[:MOST_DETAIL]}…"

    def _place(self, question: Question) -> Path:
        assert self.cache is not None
        content = [type(self.provider).__qualname__, self.url, replace(question, stream=False)]
        digest = hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:32]
        return self.cache / f"{digest}.json"

    def _keep(self, question: Question, completion: Completion) -> None:
        """Write the answer whole or not at all: other processes may share the cache."""
        place = self._place(question)
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=place.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(completion))
        Path(fresh).replace(place)


_MALFORMED = (KeyError, TypeError, IndexError, ValueError, AttributeError)
"""What a provider raises on an answer of another shape."""


def backoff(attempt: int, base: float, asked: float | None) -> float:
    """Seconds to wait after failed attempt `attempt` (from 0): exponential with jitter, or what
    the endpoint asked for (Retry-After) if that is longer; `MOST_WAIT` at most."""
    own = base * 2.0**attempt * random.uniform(0.5, 1.0)
    return min(MOST_WAIT, own if asked is None else max(own, asked))


def _retry_after(header: str | None) -> float | None:
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return max(0.0, seconds) if seconds == seconds else None


def _bounded(response: httpx.Response, end: float) -> Iterator[bytes]:
    """The body, piece by piece, up to `MOST_BYTES` and until `end` of the monotonic clock: an
    endpoint that sends a byte now and then would never meet a timeout between two reads."""
    read = 0
    for piece in response.iter_bytes():
        read += len(piece)
        if read > MOST_BYTES:
            raise TransportError(f"the answer is longer than {MOST_BYTES} bytes", again=True)
        if time.monotonic() > end:
            raise TransportError("the answer did not end in time", again=True)
        yield piece


def _lines(pieces: Iterator[bytes]) -> Iterator[str]:
    """The lines of a server-sent event stream."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).replace(b"\r\n", b"\n").split(b"\n")
        for line in lines:
            yield line.decode("utf-8", "replace")
    if rest:
        yield rest.decode("utf-8", "replace")
