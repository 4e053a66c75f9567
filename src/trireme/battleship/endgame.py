"""Exact endgames of Battleship: the fewest expected shots, by dynamic programming over fleets.

A position is the set of fleets that agree with all answers, each equally likely. A cell in which
all of them have a ship must be fired at in any case, and sooner tells no less: so such cells are
fired at first. What remains depends on the set of fleets alone, by which values are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import inf, prod

from .belief.constraints import constraints
from .board import Board, Cell, ShipPlacement
from .shots import Shot

MOST_FLEETS = 400
"""More fleets than this are not enumerated."""
MOST_COMBINATIONS = 20_000
"""More combinations of the ships' placements than this are not looked at."""
MOST_SETS = 20_000
"""More sets of fleets than this are not valued."""
ROUNDING = 1e-9
"""Regrets below this are rounding."""


class TooManyFleets(ValueError):
    """The position is no endgame: there are too many fleets to solve it exactly."""


class Endgame:
    """The exact solution of one position, given by its answered shots, fleets equally likely.

    Every ship cell takes one shot in any case, so what is minimised is the expected misses. A
    group of fleets is a mask with a bit for each.
    """

    def __init__(self, board: Board, shots: Sequence[Shot], most_sets: int = MOST_SETS) -> None:
        self.board = board
        self.most_sets = most_sets
        """How many groups of fleets may be valued before `TooManyFleets` is raised."""
        self.fleets = consistent_fleets(board, shots)
        """Every fleet that agrees with the answers: the masks of its ships, in their order."""
        self.fired = sum(board.bit(shot.cell) for shot in shots)
        self.group = (1 << len(self.fleets)) - 1
        """All fleets."""
        self._having: dict[int, int] = {}
        """By cell that may hit: the fleets that have a ship there."""
        self._ships: dict[int, dict[int, tuple[int, int]]] = {}
        """By cell and fleet: the number of the ship there and its mask."""
        for number, fleet in enumerate(self.fleets):
            for ship, mask in enumerate(fleet):
                for bit in _bits(mask & ~self.fired):
                    self._having[bit] = self._having.get(bit, 0) | 1 << number
                    self._ships.setdefault(bit, {})[1 << number] = ship, mask
        self._misses: dict[tuple[int, int], float] = {}
        self._solved = 0

    def best(self) -> float:
        """Expected shots to the end with the best shots."""
        left = sum((sum(fleet) & ~self.fired).bit_count() for fleet in self.fleets)
        return left / len(self.fleets) + self._expected_misses(self.group, self.fired)

    def cells(self) -> list[Cell]:
        """The cells that may hit, row by row."""
        return [cell for cell in self.board.cells() if self.board.bit(cell) in self._having]

    def regret(self, cell: Cell, most: float = inf) -> float:
        """Expected shots that firing at `cell` now costs against the best shot; 0 for those.

        Where it is not below `most`, any number that is not.
        """
        best = self._expected_misses(self.group, self.fired)
        bit = self.board.bit(cell)
        return max(0.0, self._misses_after(self.group, self.fired, bit, best + most) - best)

    def best_cells(self) -> list[Cell]:
        """The cells of the best shots, row by row."""
        return [cell for cell in self.cells() if self.regret(cell, 2 * ROUNDING) < ROUNDING]

    def hit_chance(self, cell: Cell) -> float:
        """The probability that a shot at `cell` hits."""
        having = self._having.get(self.board.bit(cell), 0)
        return having.bit_count() / len(self.fleets)

    def _parts(self, hit: int, fired: int, bit: int) -> list[int]:
        """The fleets of `hit`, which have a ship at `bit`, by the answer to a shot there."""
        ships, parts = self._ships[bit], dict[int, int]()
        for fleet in _bits(hit):
            ship, mask = ships[fleet]
            answer = -1 if mask & ~fired & ~bit else ship
            parts[answer] = parts.get(answer, 0) | fleet
        return list(parts.values())

    def _misses_after(self, group: int, fired: int, bit: int, limit: float = inf) -> float:
        """Expected misses from a shot at `bit` on; anything not below `limit` where it is not."""
        hit = group & self._having.get(bit, 0)
        missed, total = group & ~hit, group.bit_count()
        misses = missed.bit_count() / total
        for part in [*(self._parts(hit, fired, bit) if hit else ()), *([missed] if missed else ())]:
            if misses >= limit:
                break
            misses += part.bit_count() / total * self._expected_misses(part, fired | bit)
        return misses

    def _expected_misses(self, group: int, fired: int) -> float:
        """Expected misses to the end with the best shots."""
        if group & (group - 1) == 0:
            return 0.0
        key = group, fired
        found = self._misses.get(key)
        if found is None:
            known = sum(b for b, having in self._having.items() if fired & b and having & group)
            found = self._misses.get((group, known))
            if found is None:
                found = self._misses[group, known] = self._solve(group, fired)
            self._misses[key] = found
        return found

    def _solve(self, group: int, fired: int) -> float:
        """The same, computed from the groups that a shot may lead to."""
        self._solved += 1
        if self._solved > self.most_sets:
            raise TooManyFleets(f"more than {self.most_sets} groups of fleets")
        hits = [(group & having, bit) for bit, having in self._having.items() if not fired & bit]
        sure = next((bit for hit, bit in hits if hit == group), None)
        if sure is not None:
            return self._misses_after(group, fired, sure)
        best = inf
        hits.sort(key=lambda pair: (-pair[0].bit_count(), pair[1]))
        for hit, bit in hits:
            if not hit or 1 - hit.bit_count() / group.bit_count() >= best:
                break  # the shots that follow miss more often than the best one does in all
            best = min(best, self._misses_after(group, fired, bit, best))
        return 0.0 if best == inf else best


@lru_cache(maxsize=256)
def endgame(board: Board, shots: tuple[Shot, ...]) -> Endgame:
    """The exact solution after these shots, kept for a while."""
    return Endgame(board, shots)


def consistent_fleets(board: Board, shots: Sequence[Shot]) -> list[tuple[int, ...]]:
    """Every fleet that agrees with the answers, as masks of its ships; in a fixed order."""
    found: list[tuple[int, ...]] = []
    known = constraints(board, shots)
    if prod(map(len, known.options)) > MOST_COMBINATIONS:
        raise TooManyFleets(f"more than {MOST_COMBINATIONS} combinations of ships")
    order = sorted(range(len(board.sizes)), key=lambda ship: len(known.options[ship]))

    def lay(depth: int, closed: int, taken: int, chosen: dict[int, ShipPlacement]) -> None:
        if depth == len(order):
            if not known.hits & ~taken:
                if len(found) == MOST_FLEETS:
                    raise TooManyFleets(f"more than {MOST_FLEETS} fleets agree with the answers")
                found.append(tuple(chosen[ship].mask for ship in range(len(order))))
            return
        ship = order[depth]
        for place in known.options[ship]:
            if not place.mask & closed:
                chosen[ship] = place
                lay(depth + 1, closed | board.closed(place), taken | place.mask, chosen)

    lay(0, 0, 0, {})
    return found


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1
