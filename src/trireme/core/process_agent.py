"""An agent in any language: a process that reads and writes JSON lines (docs/agents.md)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec
from numpy.random import default_rng

from .errors import BadText
from .external_agent import ExternalAgent
from .forfeit import AgentFault, Forfeit
from .game import AnyGame, Turn
from .line_process import MAX_LINE, LineProcess, ProcessFailed
from .move_report import MOST_NOTE
from .options import option, settings
from .play import answer_limit
from .scene import scene
from .simulation import MOST_AT_ONCE, MOST_PER_TURN, Simulator

PROTOCOLS = (1, 2)
"""The versions that can be spoken. The first is spoken unless a program asks for another."""
LISTABLE = 5000
"""Legal moves are listed up to this number; where there are more, an example is sent."""
LIMITS = {
    "simulations": MOST_AT_ONCE,
    "simulations_per_turn": MOST_PER_TURN,
    "line": MAX_LINE,
    "note": MOST_NOTE,
}


@dataclass
class ProcessAgent(ExternalAgent):
    """Any program that speaks JSON lines on its standard input and output."""

    cmd: str = field(metadata={"help": "the command line to run, such as python my_bot.py"})
    limit: float = option(
        60.0, "seconds to wait for a move before it forfeits, where the game has no time budget"
    )

    name: ClassVar[str] = "process"
    example: ClassVar[str] = "python my_bot.py"
    goodbye: ClassVar[bytes] = b'{"type":"bye"}'

    _protocol: int = field(default=1, init=False, repr=False, compare=False)
    _in_step: bool = field(default=False, init=False, repr=False, compare=False)
    """Whether the program has answered all that it was asked, and nothing else."""
    note: str = field(default="", init=False, repr=False, compare=False)
    """What the program said about its last action."""

    @property
    def reusable(self) -> bool:
        """Whether the program waits for another game: it speaks protocol 2 and has not failed."""
        return self._process is not None and self._protocol >= 2 and self._in_step

    def prepare(self, game: AnyGame) -> None:
        """Announce the game to a program that waits for one, or start the program."""
        if self.reusable and self._process is not None:
            with suppress(AgentFault):
                self._announce(self._process, "game", game)
                self._game = game
                return
        super().prepare(game)

    def _handshake(self, process: LineProcess, game: AnyGame) -> None:
        answer = self._announce(process, "hello", game)
        self._protocol = answer.get("protocol", PROTOCOLS[0])

    def _announce(self, process: LineProcess, kind: str, game: AnyGame) -> dict[str, Any]:
        """Tell the program the game and wait until it is ready; its checked answer."""
        self._in_step = False
        process.send(msgspec.json.encode(announcement(kind, game)))
        answer = _answer(process.receive(self.startup))
        if answer.get("ready") is not True:
            raise ProcessFailed(f'expected {{"ready": true}} after {kind}, not {_short(answer)}')
        asked = answer.get("protocol", PROTOCOLS[0])
        if type(asked) is not int or asked not in PROTOCOLS:
            raise ProcessFailed(f"expected protocol 1 or 2 after {kind}, not {_short(asked)}")
        self._in_step = True
        return answer

    def act(self, turn: Turn[Any, Any]) -> Any:
        process = self._running(turn.game)
        self.note = ""
        # An interrupted program may still answer, and that must not pass for its next action.
        self._in_step = False
        action = self._decide(process, turn)
        self._in_step = True
        return action

    def _decide(self, process: LineProcess, turn: Turn[Any, Any]) -> Any:
        budget = answer_limit(turn, self.limit)
        deadline = time.monotonic() + budget
        message = _turn_message(turn)
        process.send(msgspec.json.encode(message), budget)
        simulator = Simulator(turn.game, turn.view, default_rng(message["random"]), deadline)
        while True:
            answer = _answer(process.receive(max(0.0, deadline - time.monotonic())))
            if self._protocol < 2 or "simulate" not in answer:
                break
            outcomes = {"type": "outcomes", "outcomes": simulator.answer(answer["simulate"])}
            process.send(msgspec.json.encode(outcomes), max(0.0, deadline - time.monotonic()))
        if self._protocol >= 2:
            self.note = _note_in(answer)
        return _action(turn, answer)


def announcement(kind: str, game: AnyGame) -> dict[str, Any]:
    """The message that opens a game: `hello` for a program just started, `game` for a later one."""
    return {
        "type": kind,
        "protocol": PROTOCOLS[0],
        "protocols": PROTOCOLS,
        "game": game.name,
        "seats": game.seats,
        "settings": settings(game),
        "scene": scene(game),
        "limits": LIMITS,
    }


def _turn_message(turn: Turn[Any, Any]) -> dict[str, Any]:
    write = turn.game.write
    count = len(turn.legal) if isinstance(turn.legal, Sized) else LISTABLE + 1
    return {
        "type": "turn",
        "seat": turn.seat,
        "view": msgspec.to_builtins(turn.view),
        "legal": [write(a) for a in turn.legal] if count <= LISTABLE else None,
        "example": write(turn.legal.sample(turn.rng)),
        "seconds": turn.seconds,
        "clock": turn.clock,
        "random": int(turn.rng.integers(1 << 32)),
    }


def _answer(line: bytes) -> dict[str, Any]:
    try:
        answer = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise ProcessFailed(f"expected one JSON object on one line, not {_short(line)}")
    return answer


def _action(turn: Turn[Any, Any], answer: Mapping[str, Any]) -> Any:
    text = answer.get("action")
    if not isinstance(text, str):
        raise ProcessFailed(f'expected {{"action": "…"}} for a turn, not {_short(answer)}')
    try:
        return turn.game.read(text)
    except BadText as error:
        raise Forfeit(turn.seat, "illegal", str(error)) from error


def _note_in(answer: Mapping[str, Any]) -> str:
    note = answer.get("note", "")
    if not isinstance(note, str):
        raise ProcessFailed(f"expected a text as the note, not {_short(note)}")
    return note


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 120 else shown[:117] + "…"
