"""Scripted opponents for batches of Gomoku games: random moves, and those of the heuristic.

Boards are `int8[B, n, n]`, 0 empty, 1 black, -1 white; points are `row * n + col`. The kernels
release the GIL, so that threads can share a batch.
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit
from trireme.core.splitmix_kernels import next_below
from trireme.gomoku.engine.pattern_kernels import score_points


@njit(nogil=True)
def random_moves(boards: Any, streams: Any, places: Any, out: Any) -> None:
    """A random legal move for each of the games `places: int64[K]`, into `out: int64[K]`.

    `streams: uint64[B]` are the games' random states.
    """
    n = boards.shape[1]
    for k in range(len(places)):
        b = places[k]
        while True:
            point = next_below(streams, b, n * n)
            if boards[b, point // n, point % n] == 0:
                break
        out[k] = point


@njit(nogil=True)
def _best(scores: Any, streams: Any, b: int) -> int:
    """The highest score; of equals the nearest to the centre, of those one at random."""
    n = scores.shape[0]
    highest, nearest, chosen, equals = np.int64(-(2**31)), 2 * n, 0, 0
    for point in range(n * n):
        row, col = point // n, point % n
        distance = max(abs(2 * row - n + 1), abs(2 * col - n + 1))
        value = scores[row, col]
        if value > highest or (value == highest and distance < nearest):
            highest, nearest, chosen, equals = value, distance, point, 1
        elif value == highest and distance == nearest:
            equals += 1
            if next_below(streams, b, equals) == 0:
                chosen = point
    return chosen


@njit(nogil=True)
def heuristic_moves(
    boards: Any,
    counts: Any,
    streams: Any,
    places: Any,
    shapes: Any,
    own: Any,
    against: Any,
    out: Any,
) -> None:
    """The heuristic's move for each of the games `places: int64[K]`, into `out: int64[K]`.

    `counts: int32[B]` are the stones on each board; `shapes`, `own` and `against` are those of
    `gomoku.engine.pattern_kernels.score_points`.
    """
    n = boards.shape[1]
    scores = np.empty((n, n), np.int32)
    for k in range(len(places)):
        b = places[k]
        colour = 1 - 2 * (counts[b] & 1)
        score_points(boards[b], colour, shapes, own, against, scores)
        out[k] = _best(scores, streams, b)
