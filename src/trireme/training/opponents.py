"""Scripted opponents for whole batches of Gomoku games: the heuristic agent and random moves."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from trireme.gomoku.agents.heuristic import AGAINST, OWN
from trireme.gomoku.engine.patterns import line_shapes

from . import opponent_kernels as kernels
from .selfplay_kernels import GameBatch


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "opponents")


def heuristic_moves(
    batch: GameBatch, places: NDArray[np.int64], exact: bool, threads: int = 1
) -> NDArray[np.int64]:
    """The moves `int64[K]` of the heuristic agent.

    Games are shared out among threads; the kernel holds no lock, and each game has a random
    stream of its own, so the moves are the same for any number of threads.
    """
    out = np.zeros(len(places), np.int64)
    constants = line_shapes(exact)[0], OWN, AGAINST

    def part(chunk: slice) -> None:
        state = batch.boards, batch.counts, batch.streams
        kernels.heuristic_moves(*state, places[chunk], *constants, out[chunk])

    if threads == 1 or len(places) < 8 * threads:
        part(slice(None))
    else:
        cuts = np.linspace(0, len(places), threads + 1).astype(int)
        chunks = [slice(a, b) for a, b in pairwise(cuts)]
        list(_pool(threads).map(part, chunks))
    return out


def random_moves(batch: GameBatch, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Legal moves `int64[K]`, uniformly at random."""
    out = np.zeros(len(places), np.int64)
    kernels.random_moves(batch.boards, batch.streams, places, out)
    return out
