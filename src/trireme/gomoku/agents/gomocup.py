"""Any engine that speaks the Gomocup protocol, as an agent by its command line."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import ClassVar

from trireme.core.external_agent import ExternalAgent
from trireme.core.forfeit import Forfeit
from trireme.core.game import Turn
from trireme.core.line_process import LineProcess, ProcessFailed, ProcessTimeout
from trireme.core.options import option
from trireme.core.play import answer_limit
from trireme.gomoku.rules import Action, Gomoku, GomokuState, Point

_MOVE = re.compile(r"(-?\d+)\s*,\s*(-?\d+)")
_SHARE_OF_TIME = 0.95
"""The part of a time budget that the engine is given: pipes and slow clocks take the rest."""


@dataclass
class Gomocup(ExternalAgent):
    """A foreign engine that speaks the Gomocup protocol, run as a program."""

    cmd: str = field(metadata={"help": "the command line to run, such as ./pbrain-embryo"})
    seconds: float = option(5.0, "seconds a move, where the game has no time budget")
    memory: int = option(0, "bytes of memory the engine may use; 0: no limit")

    name: ClassVar[str] = "gomocup"
    timed: ClassVar[bool] = True
    example: ClassVar[str] = "./pbrain-embryo"
    goodbye: ClassVar[bytes] = b"END"

    _planned: tuple[Point, ...] = field(default=(), init=False, repr=False, compare=False)

    def _handshake(self, process: LineProcess, game: Gomoku) -> None:
        self._send(f"START {game.size}")
        answer = self._receive(self.startup)
        if answer.upper() != "OK":
            raise ProcessFailed(
                f"the engine answered START {game.size} with {answer[:120]!r}, not OK"
            )
        rule = 1 if game.rule == "standard" else 0
        for key, value in (("rule", rule), ("game_type", 1), ("max_memory", self.memory)):
            self._send(f"INFO {key} {value}")
        self._send("INFO timeout_match 0")
        self._send("INFO time_left 2147483647")

    def act(self, turn: Turn[Action, GomokuState]) -> Action:
        game, view = turn.game, turn.view
        assert isinstance(game, Gomoku)
        self._running(game)
        seconds = self.seconds if turn.seconds is None else turn.seconds
        self._send(f"INFO timeout_turn {max(1, int(seconds * _SHARE_OF_TIME * 1000))}")
        if turn.clock is not None:
            self._send(f"INFO time_left {max(1, int(turn.clock * 1000))}")
        # Where no clock runs, a slow machine is no reason to forfeit.
        deadline = time.monotonic() + answer_limit(turn, seconds + self.startup)
        if game.opening == "swap2" and view.black_seat() is None:
            return self._swap2(game, view, turn.seat, deadline)
        self._send_position(game, view)
        (point,) = self._points(game, self._receive(deadline - time.monotonic()), turn.seat, (1,))
        return point

    def _send_position(self, game: Gomoku, view: GomokuState) -> None:
        """Tell the whole position: no engine can be out of step with it."""
        if not view.stones:
            self._send("BEGIN")
            return
        self._send("BOARD")
        for point, colour in view.board().items():
            x, y = _to_protocol(game, point)
            self._send(f"{x},{y},{1 if colour == view.colour else 2}")
        self._send("DONE")

    def _swap2(self, game: Gomoku, view: GomokuState, seat: int, deadline: float) -> Action:
        done = len(view.stones)
        if self._planned[:done] == view.stones and len(self._planned) > done:
            return self._planned[done]
        self._send("SWAP2BOARD")
        for point in view.stones:
            self._send("{},{}".format(*_to_protocol(game, point)))
        self._send("DONE")
        answer = self._receive(deadline - time.monotonic())
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
            raise ProcessFailed(
                f"expected a move such as 7,7 from the engine, not {answer[:120]!r}"
            )
        points = tuple(_from_protocol(game, int(x), int(y)) for x, y in found)
        for row, col in points:
            if not (0 <= row < game.size and 0 <= col < game.size):
                raise Forfeit(seat, "illegal", f"the engine played {answer[:40]!r}, off the board")
        return points

    def _send(self, line: str) -> None:
        assert self._process is not None
        self._process.send(line.encode())

    def _receive(self, seconds: float) -> str:
        """The engine's next answer; its messages and what it does not know are passed over."""
        assert self._process is not None
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._process.receive(left).decode(errors="replace").strip()
            except ProcessTimeout:
                break
            word = line.partition(" ")[0].upper()
            if word == "ERROR":
                raise ProcessFailed(f"the engine says {line[:200]!r}")
            if line and word not in ("MESSAGE", "DEBUG", "UNKNOWN", "SUGGEST"):
                return line
        raise ProcessTimeout(f"the engine gave no answer within {seconds:.3g} s")


def _to_protocol(game: Gomoku, point: Point) -> tuple[int, int]:
    """Gomocup counts rows from the top."""
    return point[1], game.size - 1 - point[0]


def _from_protocol(game: Gomoku, x: int, y: int) -> Point:
    return game.size - 1 - y, x
