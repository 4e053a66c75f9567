"""Hunt and target with parity, in plain Python: where most people would fire next."""

from __future__ import annotations

from collections.abc import Sequence

from trireme.core.game import Turn

from .belief.constraints import sunk_cells
from .board import Board, Cell
from .rules import Action, Battleship, BattleshipView
from .shots import Salvo, Shot

OPENING_SHOTS = 8
"""Shots that `opening_move` answers for: by then the kernels are compiled, or worth the wait."""


def next_targets(board: Board, shots: Sequence[Shot], fired: set[Cell]) -> list[Cell]:
    """The cells outside `fired` that are equally good for the next shot, after these answers."""
    hits = {shot.cell for shot in shots if shot.result in ("hit", "sunk")}
    open_hits = hits - sunk_cells(board, shots)
    for wanted in (_line_ends(open_hits), _neighbours(open_hits)):
        cells = sorted(cell for cell in wanted if board.holds(cell) and cell not in fired)
        if cells:
            return cells
    free = [cell for cell in board.cells() if cell not in fired]
    sunk = {shot.ship for shot in shots}
    ships = zip(board.names, board.sizes, strict=True)
    smallest = min((size for name, size in ships if name not in sunk), default=1)
    # parity: every ship afloat crosses one diagonal in as many as the smallest has cells
    return [cell for cell in free if sum(cell) % smallest == 0] or free


def opening_move(turn: Turn[Action, BattleshipView]) -> Action | None:
    """A fleet placed at random, or one of the first shots; None: the opening is over."""
    view, game = turn.view, turn.game
    assert isinstance(game, Battleship)
    if view.stage == "placing":
        return turn.legal.sample(turn.rng)
    shots = view.target.shots
    if len(shots) >= OPENING_SHOTS:
        return None
    fired = {shot.cell for shot in shots}
    chosen: list[Cell] = []
    for _ in range(game.salvo_size(view)):
        cells = next_targets(game.target(turn.seat), shots, fired | set(chosen))
        chosen.append(cells[int(turn.rng.integers(len(cells)))])
    return Salvo(tuple(chosen))


def _line_ends(hits: set[Cell]) -> set[Cell]:
    """The cells that continue a line of two hits or more."""
    ends = set()
    for row, col in hits:
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            if (row - down, col - right) in hits:
                ends.add((row + down, col + right))
    return ends - hits


def _neighbours(hits: set[Cell]) -> set[Cell]:
    return {
        (row + down, col + right)
        for row, col in hits
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0))
    }
