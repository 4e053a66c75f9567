"""Isolation: an agent in a process of its own that receives its seat's views and nothing else.

Whatever an agent reads in its own process — stack frames, `gc`, modules, memory — the referee's
state is not there. What comes back is one line of JSON, never a pickle. The process has a memory
limit, may not look into the referee's memory through `/proc`, and ends with the referee, together
with all processes that it has started.
"""

from __future__ import annotations

import base64
import ctypes
import pickle
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec

from .errors import AgentNotReady, BadSpec, BadText
from .fault_trace import MAX_TRACEBACK
from .forfeit import AgentFault, Forfeit, bounded
from .game import AnyGame, Turn
from .line_process import LineProcess, ProcessFailed, ProcessTimeout
from .options import settings
from .output_tail import MAX_OUTPUT
from .play import answer_limit

MEMORY_MIB = 4096
"""MiB that an isolated agent may take by default."""
CHECK_SECONDS = 120.0
"""Seconds for a process to start and make its agent, before any game: imports may be slow."""
NOT_READY = "not-ready"
"""The reason of a reply that says what is wrong with the agent's configuration."""
_PR_SET_DUMPABLE = 4


class _Reply(msgspec.Struct, forbid_unknown_fields=True):
    """What the agent's process answers: it is ready, it acts, it has failed, or its spec is
    refused."""

    ready: bool = False
    refused: str | None = None
    action: str | None = None
    value: float | None = None
    note: str = ""
    reason: str | None = None
    detail: str = ""
    traceback: str = ""


class IsolatedFault(AgentFault):
    """The agent failed in its own process, for the reason that it gives."""

    def __init__(self, reason: str, detail: str, traceback: str = "") -> None:
        super().__init__(bounded(detail))
        self.reason = reason  # type: ignore[misc]
        self.traceback_text = traceback[-MAX_TRACEBACK:]


@dataclass
class IsolatedAgent:
    """The agent of a spec, played in its own process; the process is kept from game to game."""

    name: str
    spec: str
    memory: int = MEMORY_MIB
    """MiB that the process may take."""
    limit: float = 60.0
    """Seconds to wait for an action where the game sets no budget."""
    startup: float = 300.0
    """Seconds for the process to start and the agent to get ready: a first use compiles."""

    COMMAND: ClassVar[list[str]] = [sys.executable, "-m", "trireme.core.isolated_process"]

    _process: LineProcess | None = field(default=None, init=False, repr=False, compare=False)
    _printed: str = field(default="", init=False, repr=False, compare=False)
    value: float | None = field(default=None, init=False, repr=False, compare=False)
    """What the agent reports of its last move (`core/move_report.py`), and beside it its note."""
    note: str = field(default="", init=False, repr=False, compare=False)
    _new_game: bool = field(default=True, init=False, repr=False, compare=False)

    def prepare(self, game: AnyGame, global_seed: int = 0) -> None:
        """Make the agent afresh for a game, in a process that is started where there is none.

        `global_seed` seeds the global generators of `random` and numpy there.
        """
        self._new_game = True
        reply = self._ask(self.startup, **self._game("game", game), global_seed=global_seed)
        if not reply.ready:
            raise self._broken("did not get ready")

    def check(self, game: AnyGame) -> None:
        """Make the agent once, in its process; raise `BadSpec` if that can't be done."""
        try:
            reply = self._ask(CHECK_SECONDS, **self._game("check", game))
        except AgentFault as error:
            raise BadSpec(f"{self.name!r} can't be made: {error}") from error
        if not reply.ready:
            raise BadSpec(reply.refused or f"{self.name!r} can't be made")

    def _game(self, kind: str, game: AnyGame) -> dict[str, Any]:
        return {
            "type": kind,
            "name": self.name,
            "spec": self.spec,
            "game": game.name,
            "settings": settings(game),
            "memory": self.memory,
            "path": sys.path,
        }

    def act(self, turn: Turn[Any, Any]) -> Any:
        if self._process is None:
            self.prepare(turn.game)
        rng = turn.rng if self._new_game else None
        self._new_game = False
        known = pickle.dumps((turn.seat, turn.view, turn.legal, rng, turn.seconds, turn.clock))
        limit = answer_limit(turn, self.limit)
        reply = self._ask(limit, type="turn", turn=base64.b64encode(known).decode())
        if reply.action is None:
            raise self._broken("gave no action")
        self.value, self.note = reply.value, reply.note
        try:
            return turn.game.read(reply.action)
        except BadText as error:
            raise Forfeit(turn.seat, "illegal", bounded(str(error))) from None

    def close(self) -> None:
        """End the process, and all that it has started."""
        if self._process is not None:
            self._process.end(b'{"type":"bye"}')
            self._printed = (self._printed + self._process.take_stderr())[-MAX_OUTPUT:]
        self._process = None

    def take_output(self) -> str:
        """The end of what the agent printed since the last call."""
        printed, self._printed = self._printed, ""
        return printed if self._process is None else printed + self._process.take_stderr()

    def _ask(self, seconds: float, **message: Any) -> _Reply:
        if self._process is None:
            protect_memory()
            try:
                self._process = LineProcess(self.COMMAND)
            except OSError as error:
                raise ProcessFailed(f"can't start a process for {self.name!r}: {error}") from error
        self._process.send(msgspec.json.encode(message))
        try:
            reply = msgspec.json.decode(self._process.receive(seconds), type=_Reply)
        except (msgspec.MsgspecError, RecursionError):
            raise self._broken("wrote what is no answer") from None
        except ProcessTimeout:
            self.close()
            text = f"gave no answer within {seconds:.3g} s and was ended with its process"
            raise ProcessTimeout(text) from None
        except AgentFault:
            self.close()
            raise
        if reply.reason == NOT_READY:
            raise AgentNotReady(bounded(reply.detail))
        if reply.reason is not None:
            raise IsolatedFault(reply.reason, reply.detail, reply.traceback)
        return reply

    def _broken(self, what: str) -> ProcessFailed:
        self.close()
        return ProcessFailed(f"the process of {self.name!r} {what}")


def protect_memory() -> None:
    """Forbid other processes of this user to read this one's memory (Linux; elsewhere nothing)."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
