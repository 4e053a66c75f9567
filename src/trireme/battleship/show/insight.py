"""Insight for clients: the posterior of a hidden fleet as a heatmap, and its entropy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.agents.heatmap import probabilities
from trireme.battleship.belief.posterior import FleetInference
from trireme.battleship.board import Board, write_cell
from trireme.battleship.rules import Battleship, BattleshipView
from trireme.battleship.shots import Shot
from trireme.core.errors import BadSettings, IllegalAction
from trireme.core.game import AnyGame, Seat
from trireme.core.opinions import gather_opinions

STEPS_A_SECOND = 20_000_000
"""Steps of exact enumeration that a worker takes in about a second."""


def insight(
    game: AnyGame, view: BattleshipView, seat: Seat, seconds: float, rng: Generator
) -> dict[str, Any]:
    """The probability of a ship in every cell that the seat fires at, as plain JSON values.

    `heat` is rows × cols, 0 or 1 where it is known; `entropy_bits` is the entropy of the posterior;
    `best` is the most probable cell; `exact` is false where the fleets were too many to enumerate.
    `opinions` has other estimates of the same board, by name.
    """
    assert isinstance(game, Battleship)
    board, shots = firing_at(game, view, seat)
    inference = _inference(board, game.placement == "uniform")
    limit = max(1, int(STEPS_A_SECOND * seconds))
    belief = inference.posterior(shots, rng, entropy=True, limit=limit)
    chances = belief.cells.reshape(board.rows, board.cols)
    return {
        **_heat_and_best(board, shots, chances),
        "entropy_bits": belief.entropy,
        "exact": belief.exact,
        **gather_opinions({"heatmap": lambda: network_insight(game, view, seat)}),
    }


def network_insight(game: Battleship, view: BattleshipView, seat: Seat) -> dict[str, Any]:
    """The heat and the best cell as the heatmap network estimates them.

    An error where the network can't be run, or would mislead: it was trained on the default rules.
    """
    board, shots = firing_at(game, view, seat)
    learnt = Battleship()
    if board != learnt.boards[0] or game.placement != learnt.placement:
        raise BadSettings(
            f"the heatmap network knows {learnt.rows}×{learnt.cols} boards and fleets of the "
            "default rules, not these"
        )
    return _heat_and_best(board, shots, probabilities(board, shots))


def firing_at(game: Battleship, view: BattleshipView, seat: Seat) -> tuple[Board, Sequence[Shot]]:
    """The board that the seat fires at, and the answers so far."""
    if view.stage != "firing":
        raise IllegalAction("there is no hidden fleet to fire at now")
    return game.target(seat), view.target.shots


def _heat_and_best(
    board: Board, shots: Sequence[Shot], chances: NDArray[np.float64]
) -> dict[str, Any]:
    """Heat and best cell of `chances: float64[rows, cols]`, which are for cells not shot at."""
    open_cells, heat = chances.copy(), chances.copy()
    for shot in shots:
        open_cells[shot.cell] = -1.0
        heat[shot.cell] = float(shot.result in ("hit", "sunk"))
    best = divmod(int(np.argmax(open_cells)), board.cols)
    return {"heat": heat.round(4).tolist(), "best": write_cell(best)}


@lru_cache(maxsize=32)
def _inference(board: Board, uniform: bool) -> FleetInference:
    """One for each kind of board: making its tables takes longer than most answers."""
    return FleetInference(board, uniform=uniform)
