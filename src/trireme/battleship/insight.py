"""What can be known of a hidden fleet: where it probably lies and how much is still unknown."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator

from ..core.errors import IllegalAction
from ..core.game import AnyGame, Seat
from .belief import Believer
from .board import Board, write_cell
from .rules import Battleship, View

STEPS_A_SECOND = 20_000_000
"""Steps of exact counting that a worker takes in about a second."""


def insight(
    game: AnyGame, view: View, seat: Seat, seconds: float, rng: Generator
) -> dict[str, Any]:
    """The chance of a ship in every cell that the seat fires at, as plain JSON values.

    `heat` is rows × cols, 0 or 1 where it is known; `entropy_bits` is what is unknown of the
    fleet; `best` is the likeliest cell; `exact` is false where the fleets were too many to count.
    """
    assert isinstance(game, Battleship)
    if view.stage != "firing":
        raise IllegalAction("there is no hidden fleet to fire at now")
    board, shots = game.target(seat), view.target.shots
    believer = _believer(board, game.placement == "uniform")
    limit = max(1, int(STEPS_A_SECOND * seconds))
    belief = believer.believe(shots, rng, entropy=True, limit=limit)
    open_cells = belief.cells.reshape(board.rows, board.cols).copy()
    heat = open_cells.copy()
    for shot in shots:
        open_cells[shot.cell] = -1.0
        heat[shot.cell] = float(shot.result in ("hit", "sunk"))
    best = divmod(int(np.argmax(open_cells)), board.cols)
    return {
        "heat": heat.round(4).tolist(),
        "entropy_bits": belief.entropy,
        "best": write_cell(best),
        "exact": belief.exact,
    }


@cache
def _believer(board: Board, uniform: bool) -> Believer:
    """One for each kind of board: its tables take longer than most answers."""
    return Believer(board, uniform=uniform)
