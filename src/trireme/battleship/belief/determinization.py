"""A hidden fleet guessed from the answers to shots, by exact search in random order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from numpy.random import Generator

from trireme.battleship.board import Board, Cell, Place, cells_between
from trireme.battleship.fleets import Fleet, draw_mines
from trireme.core.errors import IllegalAction

RANDOM_NODES = 3_000
"""Steps of one search in random order; crowded seas are then searched in fixed order."""

Result = Literal["miss", "mine", "hit", "sunk"]


@dataclass(frozen=True)
class Shot:
    """One answered shot; `ship` names the ship that it sank."""

    cell: Cell
    result: Result
    ship: str = ""


@dataclass(frozen=True)
class Clues:
    """What the answers say of every ship: the places where it may lie, and the hits to explain."""

    board: Board
    options: tuple[tuple[Place, ...], ...]
    """For each ship its places that agree with the answers about this ship alone."""
    hits: int
    known: int
    """The mask of all cells shot at."""


def clues(board: Board, shots: Sequence[Shot]) -> Clues:
    """Read the answers.

    A ship that sank lies on its last hit, wholly within the hits up to then, whatever else was hit
    there; a ship afloat lies on no miss and is not wholly hit.
    """
    hits, water, sank = _answers(board, shots)
    options: list[tuple[Place, ...]] = []
    for name, size in zip(board.names, board.sizes, strict=True):
        if name in sank:
            options.append(_sunk_places(board, size, *sank[name], hits))
        else:
            options.append(
                tuple(
                    p
                    for p in board.places(size)
                    if not p.mask & water
                    and p.mask & ~hits
                    and not board.closed(p) & hits & ~p.mask
                )
            )
    return Clues(board, tuple(options), hits, hits | water)


def _answers(board: Board, shots: Sequence[Shot]) -> tuple[int, int, dict[str, tuple[int, int]]]:
    """Masks of hits and of water, and for each ship sunk its last hit and all hits up to then."""
    hits, water = 0, 0
    sank: dict[str, tuple[int, int]] = {}
    for shot in shots:
        bit = board.bit(shot.cell)
        if shot.result in ("hit", "sunk"):
            hits |= bit
        else:
            water |= bit
        if shot.result == "sunk":
            sank[shot.ship] = bit, hits
    return hits, water, sank


def _sunk_places(board: Board, size: int, last: int, then: int, hits: int) -> tuple[Place, ...]:
    return tuple(
        p
        for p in board.places(size)
        if p.mask & last and not p.mask & ~then and not board.closed(p) & hits & ~p.mask
    )


def sunk_cells(board: Board, shots: Sequence[Shot], fleet: Fleet | None = None) -> set[Cell]:
    """The cells that belong to sunk ships: by the fleet where it is known, else in every fleet
    that agrees with the answers."""
    hits, _, sank = _answers(board, shots)
    if fleet is not None:
        ships = (fleet.ships[board.names.index(name)] for name in sank)
        return {cell for ends in ships for cell in cells_between(ends)}
    sure = 0
    for name, (last, then) in sank.items():
        common = -1
        for place in _sunk_places(board, board.sizes[board.names.index(name)], last, then, hits):
            common &= place.mask
        sure |= common
    return {shot.cell for shot in shots if board.bit(shot.cell) & sure}


def guess_fleet(board: Board, shots: Sequence[Shot], mines: int, rng: Generator) -> Fleet:
    """A fleet that would have given these answers; fails only when there is none."""
    found = clues(board, shots)
    layout: tuple[Place, ...] | None = None
    for _ in range(4):
        layout = _Search(found, rng, RANDOM_NODES).run()
        if layout is not None:
            break
    else:
        layout = _Search(found, None, None).run()
    if layout is None:
        raise IllegalAction("no fleet agrees with these answers")
    struck = tuple(shot.cell for shot in shots if shot.result == "mine")
    rest = draw_mines(board, layout, found.known, mines - len(struck), rng)
    return Fleet(tuple(p.ends for p in layout), struck + rest)


@dataclass
class _Search:
    """Depth first: explain an open hit where there is one, else place the most cramped ship."""

    clues: Clues
    rng: Generator | None
    """None: places in fixed order."""
    nodes: int | None
    """Steps allowed; None: no limit, so that failure proves that no fleet exists."""
    layout: dict[int, Place] = field(default_factory=dict)

    def run(self) -> tuple[Place, ...] | None:
        if not self._lay(0, self.clues.hits):
            return None
        return tuple(self.layout[i] for i in range(len(self.clues.options)))

    def _lay(self, closed: int, open_hits: int) -> bool:
        if len(self.layout) == len(self.clues.options):
            return not open_hits
        if self.nodes is not None:
            self.nodes -= 1
            if self.nodes < 0:
                return False
        board = self.clues.board
        for ship, place in self._branches(closed, open_hits):
            self.layout[ship] = place
            if self._lay(closed | board.closed(place), open_hits & ~place.mask):
                return True
            del self.layout[ship]
        return False

    def _branches(self, closed: int, open_hits: int) -> list[tuple[int, Place]]:
        """The choices at one step: one of them holds in every fleet that agrees."""
        free = {
            ship: [p for p in options if not p.mask & closed]
            for ship, options in enumerate(self.clues.options)
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
