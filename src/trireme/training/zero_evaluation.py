"""Evaluation of gomoku-zero: the search against random moves and the heuristic agent."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from .gumbel_search import GumbelSearch
from .opponents import heuristic_moves, random_moves
from .selfplay import Chooser, Rules, match
from .selfplay_kernels import GameBatch
from .settings import GomokuZero


def chooser(search: GumbelSearch, simulations: int) -> Chooser:
    """The moves of a search without noise, for any number of games."""

    def choose(batch: GameBatch, places: NDArray[np.int64]) -> NDArray[np.int64]:
        moves = [
            _search(search, simulations, batch, places[at : at + search.games])
            for at in range(0, len(places), search.games)
        ]
        return np.concatenate(moves)

    return choose


def _search(
    search: GumbelSearch, simulations: int, batch: GameBatch, places: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The same for at most as many games as the search holds; empty boards fill it up."""
    count = batch.counts[places].astype(np.int64)
    sign = np.where(count % 2 == 0, 1, -1).astype(np.int8)
    board = torch.zeros((search.games, search.area), dtype=torch.int8)
    board[: len(places)] = torch.from_numpy(
        batch.boards[places].reshape(len(places), -1) * sign[:, None]
    )
    newest = batch.moves[places, np.maximum(count - 1, 0)].astype(np.int64)
    last = torch.full((search.games,), search.area)
    last[: len(places)] = torch.from_numpy(np.where(count > 0, newest, search.area))
    found = search.run(board.to(search.device), last.to(search.device), simulations)
    return found.action[: len(places)].cpu().numpy()


def evaluate(search: GumbelSearch, config: GomokuZero, seed: int) -> dict[str, float]:
    """The scores against random and the heuristic, with the simulations of the run's end."""
    ours = chooser(search, config.simulations_end)
    rules = Rules(config.size, config.rule == "standard", 6)

    def heuristic(batch: Any, places: NDArray[np.int64]) -> NDArray[np.int64]:
        return heuristic_moves(batch, places, rules.exact, config.threads)

    return {
        "vs_random": match(ours, random_moves, config.evaluate_games, rules, seed).rate,
        "vs_heuristic": match(ours, heuristic, config.evaluate_games, rules, seed).rate,
    }
