"""`python -m trireme.core.isolated_process`: the process in which an isolated agent lives.

It reads one JSON message a line from its standard input and answers each with one line. What the
agent prints goes to the standard error output, of which the referee keeps the end.
"""

from __future__ import annotations

import base64
import ctypes
import os
import pickle
import sys
from contextlib import suppress
from typing import IO, Any

import msgspec

from .errors import AgentNotReady, BadText, IllegalAction, TriremeError
from .forfeit import Forfeit, bounded, fault_of, shown, why_illegal
from .game import AnyAgent, AnyGame, Turn, close
from .isolation import NOT_READY
from .move_report import read_report
from .play import prepare_agent, turn_action
from .registry import make_agent, make_game
from .seeding import seed_global_generators
from .stop_signals import ignore_interrupts

_CAP_SYS_PTRACE = 19
_CAPABILITY_VERSION_3 = 0x20080522


class _Host:
    """Holds the agent of the present game."""

    def __init__(self) -> None:
        self._agent: AnyAgent | None = None
        self._game: AnyGame | None = None
        self._rng: Any = None

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        try:
            if message["type"] == "turn":
                action = self._act(message)
                report = read_report(self._agent, 0.0)
                return {"action": action, "value": report.value, "note": report.note}
            sys.path[:] = message["path"]
            limit_memory(message["memory"])
            if message["type"] == "check":
                return _check(message)
            self._begin(message)
            return {"ready": True}
        except BaseException as error:  # even what an agent raises to end the program
            return _fault(error)

    def _begin(self, message: dict[str, Any]) -> None:
        seed_global_generators(message["global_seed"])
        if self._agent is not None:
            with suppress(Exception):
                close([self._agent])
        self._agent = None
        self._game = make_game(message["game"], **message["settings"])
        try:
            self._agent = make_agent(self._game, message["spec"])
        except TriremeError as error:
            raise AgentNotReady(f"{message['name']} can't be made: {error}") from error
        prepare_agent(self._agent, self._game, message["name"])

    def _act(self, message: dict[str, Any]) -> str:
        assert self._agent is not None
        assert self._game is not None
        seat, view, legal, rng, seconds, clock = pickle.loads(base64.b64decode(message["turn"]))
        if rng is not None:
            self._rng = rng
        turn = Turn(self._game, seat, view, legal, self._rng, seconds, clock)
        return _written(turn, turn_action(turn, self._agent.act(turn)))


def _written(turn: Turn[Any, Any], action: Any) -> str:
    """The action as text; what only looks like an action as text is illegal here as in-process."""
    try:
        text = turn.game.write(action)
        if turn.game.read(text) == action:
            return text
        raise BadText
    except BadText:
        error: BaseException = IllegalAction(f"{shown(action)} is no action of {turn.game.name}")
        raise Forfeit(turn.seat, "illegal", why_illegal(turn, action, error)) from None
    except BaseException as error:
        raise Forfeit(turn.seat, "illegal", why_illegal(turn, action, error)) from None


def _check(message: dict[str, Any]) -> dict[str, Any]:
    try:
        make_agent(make_game(message["game"], **message["settings"]), message["spec"])
    except TriremeError as error:
        return {"refused": bounded(str(error))}
    return {"ready": True}


def _fault(error: BaseException) -> dict[str, Any]:
    if isinstance(error, AgentNotReady):
        return {"reason": NOT_READY, "detail": bounded(str(error))}
    fault = fault_of(0, error)
    return {"reason": fault.reason, "detail": fault.detail, "traceback": fault.traceback}


def limit_memory(mebibytes: int) -> None:
    """Let the process take no more memory than this (where the system can limit it)."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = mebibytes << 20
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def drop_ptrace() -> None:
    """Give up the right of root to read other processes' memory (Linux; elsewhere nothing)."""
    if sys.platform != "linux":
        return
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable: low words, then high
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capget(header, sets) == 0:
        for at in range(3):
            sets[at] &= ~(1 << _CAP_SYS_PTRACE) & 0xFFFFFFFF
        libc.capset(header, sets)


def main() -> None:
    drop_ptrace()
    ignore_interrupts()
    replies: IO[bytes] = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    host = _Host()
    for line in sys.stdin.buffer:
        message = msgspec.json.decode(line)
        if message["type"] == "bye":
            break
        answer = host.answer(message)
        with suppress(BaseException):  # what it printed must be there before its answer is
            sys.stdout.flush()
            sys.stderr.flush()
        replies.write(msgspec.json.encode(answer) + b"\n")
        replies.flush()


if __name__ == "__main__":
    main()
