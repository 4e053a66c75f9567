"""Determinization: a hidden fleet sampled so that it agrees with the answers to all shots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from numpy.random import Generator

from trireme.battleship.board import Board, ShipPlacement
from trireme.battleship.fleets import Fleet, draw_mines
from trireme.battleship.shots import Shot
from trireme.core.errors import IllegalAction

from .constraints import Constraints, constraints

RANDOM_NODES = 3_000
"""Nodes of one search in random order; crowded boards are then searched in fixed order."""


def determinize_fleet(board: Board, shots: Sequence[Shot], mines: int, rng: Generator) -> Fleet:
    """A fleet that would have given these answers; fails only when there is none.

    Every such fleet can come up, but not in proportion to its posterior probability.
    """
    found = constraints(board, shots)
    layout: tuple[ShipPlacement, ...] | None = None
    for _ in range(4):
        layout = _Backtracking(found, rng, RANDOM_NODES).run()
        if layout is not None:
            break
    else:
        layout = _Backtracking(found, None, None).run()
    if layout is None:
        raise IllegalAction("no fleet agrees with these answers")
    struck = tuple(shot.cell for shot in shots if shot.result == "mine")
    rest = draw_mines(board, layout, found.known, mines - len(struck), rng)
    return Fleet(tuple(p.ends for p in layout), struck + rest)


@dataclass
class _Backtracking:
    """Backtracking: explain an open hit if there is one, else place the most constrained ship."""

    constraints: Constraints
    rng: Generator | None
    """None: placements in fixed order."""
    nodes: int | None
    """Nodes allowed; None: no limit, so that failure proves that no fleet exists."""
    layout: dict[int, ShipPlacement] = field(default_factory=dict)

    def run(self) -> tuple[ShipPlacement, ...] | None:
        if not self._lay(0, self.constraints.hits):
            return None
        return tuple(self.layout[i] for i in range(len(self.constraints.options)))

    def _lay(self, closed: int, open_hits: int) -> bool:
        if len(self.layout) == len(self.constraints.options):
            return not open_hits
        if self.nodes is not None:
            self.nodes -= 1
            if self.nodes < 0:
                return False
        board = self.constraints.board
        for ship, place in self._branches(closed, open_hits):
            self.layout[ship] = place
            if self._lay(closed | board.closed(place), open_hits & ~place.mask):
                return True
            del self.layout[ship]
        return False

    def _branches(self, closed: int, open_hits: int) -> list[tuple[int, ShipPlacement]]:
        """The choices at one step: one of them holds in every fleet that agrees."""
        free = {
            ship: [p for p in options if not p.mask & closed]
            for ship, options in enumerate(self.constraints.options)
            if ship not in self.layout
        }
        if open_hits:
            hit = open_hits & -open_hits
            branches = [(ship, p) for ship, ps in free.items() for p in ps if p.mask & hit]
        else:
            ship = min(free, key=lambda s: len(free[s]))
            branches = [(ship, p) for p in free[ship]]
        if self.rng is None:
            return branches
        return [branches[i] for i in self.rng.permutation(len(branches))]
