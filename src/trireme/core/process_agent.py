"""An agent in any language: a process that reads and writes JSON lines (docs/arena.md)."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from typing import Any, ClassVar

import msgspec

from .errors import BadSpec, BadText
from .game import AnyGame, Turn
from .options import option, settings
from .play import GRACE, Forfeit
from .program import Broken, Program

PROTOCOL = 1
LISTABLE = 5000
"""Legal moves are listed up to this number; where there are more, an example is sent."""


@dataclass
class ProcessAgent:
    """Any program that speaks JSON lines on its standard input and output."""

    cmd: str = field(metadata={"help": "the command line, such as python my_bot.py"})
    limit: float = option(60.0, "seconds to wait for an answer where the game sets no budget")
    startup: float = option(30.0, "seconds that the program may take to get ready")

    name: ClassVar[str] = "process"
    web: ClassVar[bool] = False

    _program: Program | None = field(default=None, init=False, repr=False, compare=False)
    _game: AnyGame | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.cmd)
        except ValueError as error:
            raise BadSpec(f"cmd can't be read as a command line ({error}): {self.cmd!r}") from None
        if not words:
            raise BadSpec('process needs a command line, such as process:cmd="python my_bot.py"')

    def prepare(self, game: AnyGame) -> None:
        """Start the program, tell it the game, wait until it is ready: all this off the clock."""
        self.close()
        try:
            self._program = Program(shlex.split(self.cmd))
        except OSError as error:
            raise Broken(f"can't run {self.cmd!r}: {error.strerror}") from error
        self._game = game
        hello = {"type": "hello", "protocol": PROTOCOL, "game": game.name, "seats": game.seats}
        self._program.send(msgspec.json.encode({**hello, "settings": settings(game)}))
        answer = _answer(self._program.receive(self.startup))
        if answer.get("ready") is not True:
            raise Broken(f'expected {{"ready": true}} after hello, not {_short(answer)}')

    def act(self, turn: Turn[Any, Any]) -> Any:
        if self._program is None or self._game != turn.game:
            self.prepare(turn.game)
        assert self._program is not None
        self._program.send(msgspec.json.encode(_message(turn)))
        budget = self.limit if turn.seconds is None else turn.seconds * (1 + GRACE) + GRACE
        return _action(turn, _answer(self._program.receive(budget)))

    def close(self) -> None:
        if self._program is not None:
            self._program.end(b'{"type":"bye"}')
        self._program = None


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
        "random": int(turn.rng.integers(1 << 32)),
    }


def _answer(line: bytes) -> dict[str, Any]:
    try:
        answer = msgspec.json.decode(line)
    except msgspec.DecodeError:
        answer = None
    if not isinstance(answer, dict):
        raise Broken(f"expected one JSON object on one line, not {_short(line)}")
    return answer


def _action(turn: Turn[Any, Any], answer: Mapping[str, Any]) -> Any:
    text = answer.get("action")
    if not isinstance(text, str):
        raise Broken(f'expected {{"action": "…"}} for a turn, not {_short(answer)}')
    try:
        return turn.game.read(text)
    except BadText as error:
        raise Forfeit(turn.seat, "illegal", str(error)) from error


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 120 else shown[:117] + "…"
