"""What can be known of a hidden fleet: where it probably lies and how much is still unknown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.agents.heatmap import UNKNOWN, known, odds
from trireme.battleship.belief.determinization import Shot
from trireme.battleship.belief.posterior import Believer
from trireme.battleship.board import Board, write_cell
from trireme.battleship.rules import Battleship, View
from trireme.core.errors import BadSettings, IllegalAction
from trireme.core.game import AnyGame, Seat
from trireme.core.opinions import gather_opinions

STEPS_A_SECOND = 20_000_000
"""Steps of exact counting that a worker takes in about a second."""


def insight(
    game: AnyGame, view: View, seat: Seat, seconds: float, rng: Generator
) -> dict[str, Any]:
    """The chance of a ship in every cell that the seat fires at, as plain JSON values.

    `heat` is rows × cols, 0 or 1 where it is known; `entropy_bits` is what is unknown of the
    fleet; `best` is the likeliest cell; `exact` is false where the fleets were too many to count.
    `opinions` has what others see in the same waters, by name.
    """
    assert isinstance(game, Battleship)
    board, shots = firing_at(game, view, seat)
    believer = _believer(board, game.placement == "uniform")
    limit = max(1, int(STEPS_A_SECOND * seconds))
    belief = believer.believe(shots, rng, entropy=True, limit=limit)
    chances = belief.cells.reshape(board.rows, board.cols)
    return {
        **_picture(board, shots, chances),
        "entropy_bits": belief.entropy,
        "exact": belief.exact,
        **gather_opinions({"heatmap": lambda: by_network(game, view, seat)}),
    }


def by_network(game: Battleship, view: View, seat: Seat) -> dict[str, Any]:
    """The heat and the best cell as the heatmap network sees them.

    An error where the network can't be run, or where it would mislead: it has seen fleets of the
    default rules and nothing else.
    """
    board, shots = firing_at(game, view, seat)
    learnt = Battleship()
    if board != learnt.boards[0] or game.placement != learnt.placement:
        raise BadSettings(
            f"the heatmap network knows {learnt.rows}×{learnt.cols} boards and fleets of the "
            "default rules, not these"
        )
    facts = known(board, shots)
    chances = np.where(facts == UNKNOWN, 1 / (1 + np.exp(-odds(facts))), 0.0)
    return _picture(board, shots, chances)


def firing_at(game: Battleship, view: View, seat: Seat) -> tuple[Board, Sequence[Shot]]:
    """The board that the seat fires at, and the answers so far."""
    if view.stage != "firing":
        raise IllegalAction("there is no hidden fleet to fire at now")
    return game.target(seat), view.target.shots


def _picture(board: Board, shots: Sequence[Shot], chances: NDArray[np.float64]) -> dict[str, Any]:
    """Heat and best cell of `chances: float64[rows, cols]`, which are for cells not shot at."""
    open_cells, heat = chances.copy(), chances.copy()
    for shot in shots:
        open_cells[shot.cell] = -1.0
        heat[shot.cell] = float(shot.result in ("hit", "sunk"))
    best = divmod(int(np.argmax(open_cells)), board.cols)
    return {"heat": heat.round(4).tolist(), "best": write_cell(best)}


@cache
def _believer(board: Board, uniform: bool) -> Believer:
    """One for each kind of board: its tables take longer than most answers."""
    return Believer(board, uniform=uniform)
