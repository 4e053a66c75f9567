"""An independent checker of forced wins: plain Python on the rules, none of the engine's tables.

A claim is a strategy, which names the attacker's move in a position, and a number of plies within
which it makes five. The checker plays the strategy against every legal reply. A reply that leaves a
five open loses at once; one that leaves a victory by continuous fours (VCF) loses to that, which
the checker finds for itself; against all others the strategy is asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from .rules import DIRECTIONS, Point, Rule, makes_five

Stones = dict[Point, int]
"""A position: 1 black or -1 white by point."""
Strategy = Callable[[Mapping[Point, int], int], Point | None]
"""The move of a colour in a position, None when it knows none."""
VCF_PLIES = 7
"""How long a VCF the checker looks for itself."""


class ProofChecker:
    """Checks claims about positions of one board size and rule."""

    def __init__(self, size: int = 15, rule: Rule = "standard") -> None:
        self.size, self.rule = size, rule
        self.points = [(row, col) for row in range(size) for col in range(size)]
        self.positions = 0
        """How many positions with the attacker to move were looked at."""

    def escapes(
        self, stones: Stones, attacker: int, strategy: Strategy, plies: int
    ) -> list[Point] | None:
        """A line in which `attacker`, to move, does not make five within `plies`; None if none.

        An illegal move of the strategy counts as such a line, and so does a five of the defender.
        """
        self.positions += 1
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
        line: list[Point] = []
        for reply in threats or [point for point in self.points if point not in stones]:
            stones[reply] = -attacker
            rest = None
            if threats or not self._still_wins(stones, attacker, reply, line, plies - 1):
                forced = self._fives_through(stones, -attacker, reply)
                line = self.vcf(stones, attacker, min(VCF_PLIES, plies - 1), forced) or line
                if not self._still_wins(stones, attacker, reply, line, plies - 1):
                    rest = self.escapes(stones, attacker, strategy, plies - 1)
            del stones[reply]
            if rest is not None:
                return [reply, *rest]
        return None

    def _still_wins(
        self, stones: Stones, attacker: int, reply: Point, line: list[Point], plies: int
    ) -> bool:
        """Whether the attacker's fours of `line` win after `reply`, before which nobody had one."""
        forced, placed, won = self._fives_through(stones, -attacker, reply), [], False
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
        own = {p for p in _near(point) if stones.get(p) == colour}
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
        row, col = stone
        for down, right in DIRECTIONS:
            line = [(row + i * down, col + i * right) for i in range(-4, 5)]
            marks = [stones.get(p, 0) if self._on_board(p) else -colour for p in line]
            for start in range(5):
                window = marks[start : start + 5]
                if window.count(colour) >= own and -colour not in window:
                    yield from (line[i] for i in range(start, start + 5) if marks[i] == 0)

    def _on_board(self, point: Point) -> bool:
        return 0 <= point[0] < self.size and 0 <= point[1] < self.size


def _near(point: Point) -> list[Point]:
    """The points within five in line with `point`: what decides whether it makes exactly five."""
    row, col = point
    return [
        (row + i * down, col + i * right)
        for down, right in DIRECTIONS
        for i in range(-5, 6)
        if i != 0
    ]
