"""An independent checker of forced wins: plain Python on the rules, none of the engine's tables.

A claim is a strategy, which names the attacker's move in a position, and a number of plies within
which it makes five. The checker plays the strategy against every legal reply. A reply that leaves a
five open loses at once; one that leaves a victory by continuous fours (VCF) loses to that, which
the checker finds for itself; against all others the strategy is asked again. Positions that were
confirmed are remembered, so that transpositions are checked once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, cast

from .rules import DIRECTIONS, Point, Rule, makes_five

Stones = dict[Point, int]
"""A position: 1 black or -1 white by point."""
Strategy = Callable[[Mapping[Point, int], int], Point | None]
"""The move of a colour in a position, None when it knows none."""
VCF_PLIES = 7
"""How long a VCF the checker looks for itself."""


class CheckTooLong(Exception):
    """The checker's limit was reached before the claim was confirmed or refuted."""


class ProofChecker:
    """Checks claims about positions of one board size and rule."""

    def __init__(
        self, size: int = 15, rule: Rule = "standard", *, limit: int | None = None
    ) -> None:
        """`limit`: how many positions a check may look at before it raises `CheckTooLong`."""
        self.size, self.rule, self.limit = size, rule, limit
        self.points = [(row, col) for row in range(size) for col in range(size)]
        self._lines, self._near = _geometry(size)
        self.positions = 0
        """How many positions with the attacker to move the last check looked at."""
        self._confirmed: dict[frozenset[tuple[Point, int]], int] = {}
        """Positions in which the strategy wins, and within how many plies."""

    def escapes(
        self, stones: Stones, attacker: int, strategy: Strategy, plies: int
    ) -> list[Point] | None:
        """A line in which `attacker`, to move, does not make five within `plies`; None if none.

        An illegal move of the strategy counts as such a line, and so does a five of the defender.
        """
        self._confirmed.clear()
        self.positions = 0
        return self._escape(stones, attacker, strategy, plies)

    def _escape(
        self, stones: Stones, attacker: int, strategy: Strategy, plies: int
    ) -> list[Point] | None:
        key = frozenset(stones.items())
        if self._confirmed.get(key, plies + 1) <= plies:
            return None
        escape = self._escape_anew(stones, attacker, strategy, plies)
        if escape is None:
            self._confirmed[key] = plies
        return escape

    def _escape_anew(
        self, stones: Stones, attacker: int, strategy: Strategy, plies: int
    ) -> list[Point] | None:
        self.positions += 1
        if self.limit is not None and self.positions > self.limit:
            raise CheckTooLong(f"more than {self.limit} positions")
        if self.fives(stones, attacker):
            return None if plies >= 1 else []
        move = strategy(stones, attacker)
        if move is None or move in stones or move not in self.points or plies < 3:
            return [] if move is None else [move]
        stones[move] = attacker
        rest = self.reply_that_escapes(stones, attacker, strategy, plies - 1)
        del stones[move]
        return None if rest is None else [move, *rest]

    def reply_that_escapes(
        self, stones: Stones, attacker: int, strategy: Strategy, plies: int
    ) -> list[Point] | None:
        """The same with the defender to move."""
        winning = self.fives(stones, -attacker)
        if winning:
            return [winning[0]]
        threats = self.fives(stones, attacker)
        if len(threats) > 1:
            return None
        line, replies = ([], threats) if threats else self._replies(stones, attacker, plies - 1)
        for reply in replies:
            stones[reply] = -attacker
            rest, forced = None, self._fives_through(stones, -attacker, reply)
            if threats or not self._still_wins(stones, attacker, forced, line, plies - 1):
                line = self.vcf(stones, attacker, min(VCF_PLIES, plies - 1), forced) or line
                if not self._still_wins(stones, attacker, forced, line, plies - 1):
                    rest = self._escape(stones, attacker, strategy, plies - 1)
            del stones[reply]
            if rest is not None:
                return [reply, *rest]
        return None

    def _replies(
        self, stones: Stones, attacker: int, plies: int
    ) -> tuple[list[Point], list[Point]]:
        """The attacker's win by fours if the defender passed, and the replies that may stop it.

        The win is played out on a board that notes which points are looked at. A reply at any other
        point changes nothing of that, unless it makes a four; [] and all replies: there is no win.
        """
        empty = [point for point in self.points if point not in stones]
        line = self.vcf(stones, attacker, min(VCF_PLIES, plies), [])
        if line is None:
            return [], empty
        noted = _NotedStones(stones)
        assert self._still_wins(noted, attacker, [], line, plies)
        may_stop = noted.seen.union(self.line_points(stones, -attacker, 3))
        return line, [point for point in empty if point in may_stop]

    def _still_wins(
        self, stones: Stones, attacker: int, forced: list[Point], line: list[Point], plies: int
    ) -> bool:
        """Whether the attacker's fours of `line` win. Nobody has a five at hand but the defender,
        at the points `forced`."""
        placed, won = [], False
        for number, move in enumerate(line):
            if move in stones or (forced and forced != [move]) or 2 * number + 3 > plies:
                break
            stones[move] = attacker
            placed.append(move)
            threats = self._fives_through(stones, attacker, move)
            if len(threats) != 1:
                won = len(threats) > 1
                break
            answer = threats[0]
            stones[answer] = -attacker
            placed.append(answer)
            forced = self._fives_through(stones, -attacker, answer)
        for point in placed:
            del stones[point]
        return won

    def vcf(
        self, stones: Stones, attacker: int, plies: int, forced: list[Point]
    ) -> list[Point] | None:
        """The attacker's moves of a win by fours alone within `plies`, up to one that makes two.

        Nobody has a five at hand but the defender, at the points `forced`.
        """
        if plies < 3 or len(forced) > 1:
            return None
        for move in forced or self.line_points(stones, attacker, 3):
            stones[move] = attacker
            threats = self._fives_through(stones, attacker, move)
            rest: list[Point] | None = [] if len(threats) > 1 else None
            if len(threats) == 1:
                answer = threats[0]
                stones[answer] = -attacker
                then = self._fives_through(stones, -attacker, answer)
                rest = self.vcf(stones, attacker, plies - 2, then)
                del stones[answer]
            del stones[move]
            if rest is not None:
                return [move, *rest]
        return None

    def fives(self, stones: Stones, colour: int) -> list[Point]:
        """The empty points where `colour` wins at once."""
        return [p for p in self.line_points(stones, colour, 4) if self._wins(stones, colour, p)]

    def _fives_through(self, stones: Stones, colour: int, stone: Point) -> list[Point]:
        """Those that complete a line through `stone`."""
        points = self._windows(stones, colour, 4, stone)
        return [p for p in dict.fromkeys(points) if self._wins(stones, colour, p)]

    def _wins(self, stones: Stones, colour: int, point: Point) -> bool:
        own = {p for p in self._near[point] if stones.get(p) == colour}
        return makes_five(own | {point}, point, self.rule)

    def line_points(self, stones: Stones, colour: int, own: int) -> list[Point]:
        """The empty points of all windows of five with `own` stones of `colour`, no other's."""
        found: dict[Point, None] = {}
        for stone, mark in stones.items():
            if mark == colour:
                found |= dict.fromkeys(self._windows(stones, colour, own, stone))
        return list(found)

    def _windows(self, stones: Stones, colour: int, own: int, stone: Point) -> Iterator[Point]:
        """The same for the windows through one stone."""
        for line in self._lines[stone]:
            marks = [stones.get(p, 0) for p in line]
            if marks.count(colour) < own:
                continue
            for start in range(len(line) - 4):
                window = marks[start : start + 5]
                if window.count(colour) >= own and -colour not in window:
                    yield from (line[i] for i in range(start, start + 5) if marks[i] == 0)


class _NotedStones(Stones):
    """A position that notes which points were looked at."""

    def __init__(self, stones: Stones) -> None:
        super().__init__(stones)
        self.seen: set[Point] = set()

    def get(self, point: Point, default: Any = None) -> Any:
        self.seen.add(point)
        return super().get(point, default)

    def __contains__(self, point: object) -> bool:
        self.seen.add(cast(Point, point))
        return super().__contains__(point)


LinesByPoint = dict[Point, list[list[Point]]]


@cache
def _geometry(size: int) -> tuple[LinesByPoint, dict[Point, list[Point]]]:
    """By point: the lines that hold all windows of five through it, and the other points that
    decide whether a stone there makes exactly five."""
    points = [(row, col) for row in range(size) for col in range(size)]
    windows = {point: _lines_through(point, size, 4) for point in points}
    wider = {point: _lines_through(point, size, 5) for point in points}
    near = {point: [p for line in wider[point] for p in line if p != point] for point in points}
    return windows, near


def _lines_through(point: Point, size: int, reach: int) -> list[list[Point]]:
    """The points on the board within `reach` of `point`, itself too, in each direction."""
    row, col = point
    steps = range(-reach, reach + 1)
    lines = [[(row + i * down, col + i * right) for i in steps] for down, right in DIRECTIONS]
    return [[p for p in line if 0 <= p[0] < size and 0 <= p[1] < size] for line in lines]
