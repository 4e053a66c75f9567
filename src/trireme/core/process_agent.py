"""An agent in any language: a process that reads and writes JSON lines (docs/arena.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec

from .errors import BadText
from .external_agent import ExternalAgent
from .game import AnyGame, Turn
from .line_process import LineProcess, ProcessFailed
from .options import option, settings
from .play import Forfeit, answer_limit

PROTOCOL = 1
LISTABLE = 5000
"""Legal moves are listed up to this number; where there are more, an example is sent."""


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

    def _handshake(self, process: LineProcess, game: AnyGame) -> None:
        hello = {"type": "hello", "protocol": PROTOCOL, "game": game.name, "seats": game.seats}
        process.send(msgspec.json.encode({**hello, "settings": settings(game)}))
        answer = _answer(process.receive(self.startup))
        if answer.get("ready") is not True:
            raise ProcessFailed(f'expected {{"ready": true}} after hello, not {_short(answer)}')

    def act(self, turn: Turn[Any, Any]) -> Any:
        process = self._running(turn.game)
        process.send(msgspec.json.encode(_message(turn)))
        return _action(turn, _answer(process.receive(answer_limit(turn, self.limit))))


def _message(turn: Turn[Any, Any]) -> dict[str, Any]:
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
    except msgspec.DecodeError:
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


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 120 else shown[:117] + "…"
