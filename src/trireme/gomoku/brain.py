"""A Gomocup brain: the engine behind the protocol that Piskvork and tournament managers speak.

Lines come in, lines go out. Coordinates are `x,y` from 0, x to the right and y downward. `START n`
and `RECTSTART w,h` begin a game; `BEGIN`, `TURN x,y`, `BOARD` and `SWAP2BOARD` ask for a move;
`PLAY x,y` puts a given one, `TAKEBACK x,y` takes one off, `RESTART` empties the board; `INFO key
value` sets time, memory and rule; `ABOUT` gives name and version; `END` quits. A command that can't
be carried out is answered with ERROR, an unknown one with UNKNOWN; only END and the end of the
input end the brain.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from queue import Queue

import numpy as np

from trireme import __version__
from trireme.gomoku.engine.analysis import EngineAnalysis, SearchLimits
from trireme.gomoku.engine.engine import TABLE_ROWS, Engine
from trireme.gomoku.engine.table_network import shipped_network

from .openings import balanced, first_stone
from .rules import LARGEST, SMALLEST, Point

OWN, THEIRS, BLOCKED = 1, 2, 3
UNLIMITED = 2147483647
OVERHEAD = 0.02
"""Seconds of a turn kept back for pipes and scheduling."""
MOVES_AHEAD = 20
"""The time left for the match is shared out over this many moves."""
QUICKEST = 0.05
PROGRAM_BYTES = 200 << 20
"""What the program itself takes of the memory allowed."""


class Refused(Exception):
    """The command can't be carried out; the text says why."""


class Brain:
    """One brain; `answer` takes a line and gives the lines to write."""

    def __init__(self, seed: int | None = None) -> None:
        self._rng = np.random.default_rng(seed)
        self._engine: Engine | None = None
        self._width = self._height = 0
        self._stones: dict[Point, int] = {}
        self._info: dict[str, int] = {"rule": 1}
        self._pending: list[str] | None = None
        self._swap2 = False
        self._leaving = False
        self.over = False

    def stop(self) -> None:
        """End this search and all later ones at once; another thread may call this."""
        self._leaving = True
        if self._engine is not None:
            self._engine.stop()

    def answer(self, line: str) -> Iterable[str]:
        """What to write in answer to one line."""
        text = line.strip()
        if not text:
            return []
        try:
            if self._pending is not None:
                return self._position_line(text)
            word, _, rest = text.partition(" ")
            command = self._commands().get(word.upper())
            if command is None:
                return [f"UNKNOWN {text[:80]}"]
            return command(rest.strip())
        except Refused as error:
            return [f"ERROR {error}"]

    def _commands(self) -> dict[str, Callable[[str], list[str]]]:
        return {
            "START": self._start,
            "RECTSTART": self._rectangle,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": self._board,
            "SWAP2BOARD": self._swap2_board,
            "PLAY": self._play,
            "TAKEBACK": self._take_back,
            "INFO": self._set,
            "ABOUT": self._about,
            "END": self._end,
        }

    def _start(self, rest: str) -> list[str]:
        size = _whole(rest, "a board size")
        return self._open(size, size)

    def _rectangle(self, rest: str) -> list[str]:
        return self._open(*_pair(rest))

    def _open(self, width: int, height: int) -> list[str]:
        if min(width, height) < SMALLEST or max(width, height) > LARGEST:
            raise Refused(f"boards go from {SMALLEST} to {LARGEST}, not {width}x{height}")
        self._width, self._height = width, height
        self._stones = {}
        self._prepare()
        return ["OK"]

    def _restart(self, rest: str) -> list[str]:
        self._need_board()
        self._stones = {}
        return ["OK"]

    def _begin(self, rest: str) -> list[str]:
        self._need_board()
        if self._stones:
            raise Refused("the board is not empty")
        return self._move()

    def _turn(self, rest: str) -> list[str]:
        self._put(_pair(rest), THEIRS)
        return self._move()

    def _play(self, rest: str) -> list[str]:
        x, y = _pair(rest)
        self._put((x, y), OWN)
        return [f"{x},{y}"]

    def _take_back(self, rest: str) -> list[str]:
        x, y = _pair(rest)
        if (y, x) not in self._stones:
            raise Refused(f"there is no stone at {x},{y}")
        del self._stones[y, x]
        return ["OK"]

    def _board(self, rest: str) -> list[str]:
        self._need_board()
        self._pending, self._swap2 = [], False
        return []

    def _swap2_board(self, rest: str) -> list[str]:
        self._need_board()
        self._pending, self._swap2 = [], True
        return []

    def _position_line(self, text: str) -> list[str]:
        """A line of a position after BOARD or SWAP2BOARD; `DONE` ends it."""
        assert self._pending is not None
        if text.upper() == "END":
            return self._end("")
        if text.upper() != "DONE":
            self._pending.append(text)
            return []
        lines, self._pending = self._pending, None
        self._stones = {}
        if self._swap2:
            return self._choose(lines)
        for line in lines:
            x, y, who = _numbers(line, 3)
            if who not in (OWN, THEIRS, BLOCKED):
                raise Refused(f"expected 1, 2 or 3 as the last number, not {line!r}")
            self._put((x, y), who)
        return self._move()

    def _choose(self, lines: list[str]) -> list[str]:
        """Swap2: put three stones, or swap, or stay and put the next stone."""
        if not lines:
            return [" ".join(f"{x},{y}" for x, y in self._three())]
        if len(lines) not in (3, 5):
            raise Refused(f"swap2 asks with 0, 3 or 5 stones, not {len(lines)}")
        for number, line in enumerate(lines):
            x, y, *_ = _numbers(line, 2)
            self._put((x, y), THEIRS if number % 2 == 0 else OWN)  # white is to move
        found = self._search()
        if found.value < 0:
            self._stones = {p: 3 - who for p, who in self._stones.items()}
            return ["SWAP"]
        self._stones[found.best] = OWN
        return [f"{found.best[1]},{found.best[0]}"]

    def _three(self) -> list[tuple[int, int]]:
        book = [o for o in balanced(min(self._width, self._height)) if len(o) >= 3]
        if not book:
            middle = self._width // 2
            return [(middle, self._height // 2), (middle + 1, 0), (middle - 2, self._height // 2)]
        opening = book[int(self._rng.integers(len(book)))][:3]
        return [(col, row) for row, col in opening]

    def _set(self, rest: str) -> list[str]:
        key, _, value = rest.partition(" ")
        try:
            self._info[key.lower()] = int(value)
        except ValueError:
            return []  # a folder or an unknown key: the protocol wants these ignored
        if key.lower() in ("rule", "max_memory") and self._engine is not None:
            self._prepare()
        return []

    def _about(self, rest: str) -> list[str]:
        return [f'name="Trireme", version="{__version__}", author="Trireme", country="--"']

    def _end(self, rest: str) -> list[str]:
        self.over = True
        return []

    def _need_board(self) -> None:
        if self._engine is None:
            raise Refused("there is no board yet: START first")

    def _put(self, place: tuple[int, int], who: int) -> None:
        self._need_board()
        x, y = place
        if not (0 <= x < self._width and 0 <= y < self._height):
            raise Refused(f"{x},{y} is not on the {self._width}x{self._height} board")
        if (y, x) in self._stones:
            raise Refused(f"{x},{y} is taken")
        self._stones[y, x] = who

    def _move(self) -> list[str]:
        if len(self._stones) == self._width * self._height:
            raise Refused("the board is full")
        if len(self._stones) < 2:
            row, col = first_stone(self._height, self._width, self._stones, self._rng)
            self._stones[row, col] = OWN
            return [f"{col},{row}"]
        found = self._search()
        row, col = found.best
        self._stones[row, col] = OWN
        shown = f"depth {found.depth} value {found.value} nodes {found.nodes}"
        return [f"MESSAGE {shown} line {len(found.line)}", f"{col},{row}"]

    def _search(self) -> EngineAnalysis:
        assert self._engine is not None
        stones = [(p, 1 if who == OWN else -1) for p, who in self._stones.items() if who != BLOCKED]
        self._engine.set_position(stones, 1, self._walls())
        variety = 24 if len(stones) < 6 else 0
        jitter = (self._rng, variety) if variety else None
        return self._engine.analyse(
            SearchLimits(seconds=self._budget()), jitter=jitter, report=self._stop_if_leaving
        )

    def _stop_if_leaving(self, _: EngineAnalysis) -> None:
        if self._leaving:
            self.stop()

    def _walls(self) -> list[Point]:
        """Points of the square board that are not to be used."""
        size = max(self._width, self._height)
        outside = [
            (row, col)
            for row in range(size)
            for col in range(size)
            if row >= self._height or col >= self._width
        ]
        return outside + [p for p, who in self._stones.items() if who == BLOCKED]

    def _budget(self) -> float:
        """Seconds for this move, by the manager's clocks."""
        turn = self._info.get("timeout_turn", 5000) / 1000
        left = self._info.get("time_left", UNLIMITED)
        if left < UNLIMITED and self._info.get("timeout_match", 0) != 0:
            turn = min(turn, left / 1000 / MOVES_AHEAD) if turn else left / 1000 / MOVES_AHEAD
        return max(turn * 0.95 - OVERHEAD, min(QUICKEST, turn * 0.5) or QUICKEST)

    def _prepare(self) -> None:
        """An engine for the board, the rule and the memory in force, its kernels loaded."""
        size, exact = max(self._width, self._height), self._info["rule"] & 1 == 1
        rows, memory = TABLE_ROWS, self._info.get("max_memory", 0)
        while rows > 1 << 12 and 0 < memory < PROGRAM_BYTES + rows * 24:
            rows //= 2
        network = shipped_network("standard" if exact else "freestyle")
        self._engine = Engine(size, exact, rows=rows, network=network)
        self._engine.set_position([((2, 2), 1)], -1)
        self._engine.analyse(SearchLimits(nodes=500, depth=3))


def serve(brain: Brain, lines: Iterable[str], write: Callable[[str], object]) -> None:
    """Answer line after line until END; a thread reads ahead, so that END stops a search."""
    waiting: Queue[str | None] = Queue()

    def read() -> None:
        for line in lines:
            waiting.put(line)
            if line.strip().upper() == "END":
                brain.stop()
                break
        waiting.put(None)

    threading.Thread(target=read, daemon=True).start()
    while not brain.over and (line := waiting.get()) is not None:
        for answer in brain.answer(line):
            write(answer + "\n")


def _whole(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Refused(f"expected {what}, not {text[:40]!r}") from None


def _numbers(text: str, least: int) -> list[int]:
    parts = text.replace(" ", "").split(",")
    if len(parts) < least:
        raise Refused(f"expected {least} numbers with commas, not {text[:40]!r}")
    return [_whole(part, "a number") for part in parts]


def _pair(text: str) -> tuple[int, int]:
    x, y, *_ = _numbers(text, 2)
    return x, y
