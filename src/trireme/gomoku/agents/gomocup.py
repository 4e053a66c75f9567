"""Any engine that speaks the Gomocup protocol, as an agent by its command line."""

from __future__ import annotations

import re
import shlex
import time
from dataclasses import dataclass, field
from typing import ClassVar

from trireme.core.errors import BadSpec
from trireme.core.game import AnyGame, Turn
from trireme.core.options import option
from trireme.core.play import GRACE, Forfeit
from trireme.core.program import Broken, Program, Silent
from trireme.gomoku.rules import Action, Gomoku, GomokuState, Point

_MOVE = re.compile(r"(-?\d+)\s*,\s*(-?\d+)")
_TOLD = 0.95
"""The share of a budget that the engine is told of: pipes and slow clocks take the rest."""


@dataclass
class Gomocup:
    """A foreign engine that speaks the Gomocup protocol, run as a program."""

    cmd: str = field(metadata={"help": "the command line, such as ./pbrain-embryo"})
    seconds: float = option(5.0, "seconds a move where the game sets no budget")
    startup: float = option(30.0, "seconds that the engine may take to get ready")
    memory: int = option(0, "bytes that the engine may use; 0: as it likes")

    name: ClassVar[str] = "gomocup"
    web: ClassVar[bool] = False

    _program: Program | None = field(default=None, init=False, repr=False, compare=False)
    _game: Gomoku | None = field(default=None, init=False, repr=False, compare=False)
    _planned: tuple[Point, ...] = field(default=(), init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.cmd)
        except ValueError as error:
            raise BadSpec(f"cmd can't be read as a command line ({error}): {self.cmd!r}") from None
        if not words:
            raise BadSpec('gomocup needs a command line, such as gomocup:cmd="./pbrain-embryo"')

    def prepare(self, game: AnyGame) -> None:
        """Start the engine and wait until it has taken the board: all this off the clock."""
        assert isinstance(game, Gomoku)
        self.close()
        try:
            self._program = Program(shlex.split(self.cmd))
        except OSError as error:
            raise Broken(f"can't run {self.cmd!r}: {error.strerror}") from error
        self._game = game
        self._say(f"START {game.size}")
        answer = self._hear(self.startup)
        if answer.upper() != "OK":
            raise Broken(f"the engine answered START {game.size} with {answer[:120]!r}, not OK")
        rule = 1 if game.rule == "standard" else 0
        for key, value in (("rule", rule), ("game_type", 1), ("max_memory", self.memory)):
            self._say(f"INFO {key} {value}")
        self._say("INFO timeout_match 0")
        self._say("INFO time_left 2147483647")

    def act(self, turn: Turn[Action, GomokuState]) -> Action:
        game, view = turn.game, turn.view
        assert isinstance(game, Gomoku)
        if self._program is None or self._game != game:
            self.prepare(game)
        seconds = self.seconds if turn.seconds is None else turn.seconds
        self._say(f"INFO timeout_turn {max(1, int(seconds * _TOLD * 1000))}")
        # Where no clock runs, a slow machine is no reason to forfeit.
        grace = self.startup if turn.seconds is None else seconds * GRACE + GRACE
        deadline = time.monotonic() + seconds + grace
        if game.opening == "swap2" and view.black_seat() is None:
            return self._swap2(game, view, turn.seat, deadline)
        self._ask(game, view)
        (point,) = self._points(game, self._hear(deadline - time.monotonic()), turn.seat, (1,))
        return point

    def close(self) -> None:
        if self._program is not None:
            self._program.end(b"END")
        self._program = None

    def _ask(self, game: Gomoku, view: GomokuState) -> None:
        """Tell the whole position: no engine can be out of step with it."""
        if not view.stones:
            self._say("BEGIN")
            return
        self._say("BOARD")
        for point, colour in view.board().items():
            x, y = _to_protocol(game, point)
            self._say(f"{x},{y},{1 if colour == view.colour else 2}")
        self._say("DONE")

    def _swap2(self, game: Gomoku, view: GomokuState, seat: int, deadline: float) -> Action:
        done = len(view.stones)
        if self._planned[:done] == view.stones and len(self._planned) > done:
            return self._planned[done]
        self._say("SWAP2BOARD")
        for point in view.stones:
            self._say("{},{}".format(*_to_protocol(game, point)))
        self._say("DONE")
        answer = self._hear(deadline - time.monotonic())
        if answer.upper() == "SWAP":
            return "black"
        if not game.choosing(view):
            self._planned = view.stones + self._points(game, answer, seat, (3 - done, 2))
            return self._planned[done]
        points = self._points(game, answer, seat, (1, 2))
        self._planned = view.stones + points
        return "white" if len(points) == 1 else "more"

    def _points(
        self, game: Gomoku, answer: str, seat: int, expected: tuple[int, ...]
    ) -> tuple[Point, ...]:
        found = _MOVE.findall(answer)
        if len(found) not in expected or _MOVE.sub("", answer).strip():
            raise Broken(f"expected a move such as 7,7 from the engine, not {answer[:120]!r}")
        points = tuple(_from_protocol(game, int(x), int(y)) for x, y in found)
        for row, col in points:
            if not (0 <= row < game.size and 0 <= col < game.size):
                raise Forfeit(seat, "illegal", f"the engine played {answer[:40]!r}, off the board")
        return points

    def _say(self, line: str) -> None:
        assert self._program is not None
        self._program.send(line.encode())

    def _hear(self, seconds: float) -> str:
        """The engine's next answer; its messages and what it does not know are passed over."""
        assert self._program is not None
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._program.receive(left).decode(errors="replace").strip()
            except Silent:
                break
            word = line.partition(" ")[0].upper()
            if word == "ERROR":
                raise Broken(f"the engine says {line[:200]!r}")
            if line and word not in ("MESSAGE", "DEBUG", "UNKNOWN", "SUGGEST"):
                return line
        raise Silent(f"the engine gave no answer within {seconds:.3g} s")


def _to_protocol(game: Gomoku, point: Point) -> tuple[int, int]:
    """Gomocup counts rows from the top."""
    return point[1], game.size - 1 - point[0]


def _from_protocol(game: Gomoku, x: int, y: int) -> Point:
    return game.size - 1 - y, x
