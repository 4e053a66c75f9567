"""What the answers to shots imply for each ship alone: where it may lie, and which cells it had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trireme.battleship.board import Board, Cell, ShipPlacement, cells_between
from trireme.battleship.fleets import Fleet
from trireme.battleship.shots import Shot


@dataclass(frozen=True)
class Constraints:
    """The domain of every ship, its possible placements, and the hits that they must explain."""

    board: Board
    options: tuple[tuple[ShipPlacement, ...], ...]
    """For each ship its placements that agree with the answers about this ship alone."""
    hits: int
    """The mask of all cells hit."""
    known: int
    """The mask of all cells shot at."""


def constraints(board: Board, shots: Sequence[Shot]) -> Constraints:
    """Read the answers.

    A ship that sank lies on its last hit, wholly within the hits up to then, whatever else was hit
    there; a ship afloat lies on no miss and is not wholly hit.
    """
    hits, water, sank = _answers(board, shots)
    options: list[tuple[ShipPlacement, ...]] = []
    for name, size in zip(board.names, board.sizes, strict=True):
        if name in sank:
            options.append(_sunk_placements(board, size, *sank[name], hits))
        else:
            options.append(
                tuple(
                    p
                    for p in board.placements(size)
                    if not p.mask & water
                    and p.mask & ~hits
                    and not board.closed(p) & hits & ~p.mask
                )
            )
    return Constraints(board, tuple(options), hits, hits | water)


def explains(board: Board, fleet: Fleet, shots: Sequence[Shot]) -> bool:
    """Whether the fleet, legal on this board, would have given these answers; mines count as
    misses."""
    hits, water, sank = _answers(board, shots)
    ships = 0
    for name, ends in zip(board.names, fleet.ships, strict=True):
        mask = sum(map(board.bit, cells_between(ends)))
        ships |= mask
        if name in sank:
            last, then = sank[name]
            if not mask & last or mask & ~then:
                return False
        elif not mask & ~hits:
            return False
    return not ships & water and not hits & ~ships


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


def _sunk_placements(
    board: Board, size: int, last: int, then: int, hits: int
) -> tuple[ShipPlacement, ...]:
    return tuple(
        p
        for p in board.placements(size)
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
        size = board.sizes[board.names.index(name)]
        for placement in _sunk_placements(board, size, last, then, hits):
            common &= placement.mask
        sure |= common
    return {shot.cell for shot in shots if board.bit(shot.cell) & sure}
