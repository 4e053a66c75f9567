"""The table network in the engine: features updated where lines changed, value and policy.

Nothing is done when moves are made and undone. An evaluation compares the board with the one that
was evaluated last and updates the lines through the stones that differ: between two leaves of a
search these are a few, and inner nodes cost nothing.
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .board_kernels import as_int, count_of, kind_of
from .memory_kernels import (
    LIKELY_WIN,
    LINE_KEYS,
    MAKES_THREE,
    WALL,
    WIDTH,
    EngineBoard,
)
from .network_memory_kernels import (
    FEATURES,
    HALF,
    HIDDEN,
    POOL_SCALE,
    THREAT_KINDS,
    THREAT_LEVELS,
    NetworkMemory,
)

ZERO = np.float32(0.0)
POLICY_UNIT = 100
"""`policy_score` is in hundredths of a logit."""


@njit
def _row_of(board: EngineBoard, network: NetworkMemory, d: Any, cell: Any) -> Any:
    """The row of the table for the window around a cell in direction `d`."""
    line = as_int(board.stones[cell]) * LINE_KEYS + as_int(board.line_keys[d, cell])
    return network.row_of_line[np.uint64(line)]


@njit
def _replace_row(board: EngineBoard, network: NetworkMemory, d: Any, cell: Any) -> None:
    """Bring a cell's features up to date with its window in direction `d`."""
    new, old = _row_of(board, network, d, cell), network.rows[cell, d]
    if new == old:
        return
    network.rows[cell, d] = new
    top = network.clamp
    u, v = np.uint64(new), np.uint64(old)
    for i in range(FEATURES):
        c = np.uint64(i)
        before = network.sums[cell, c]
        after = before + np.float32(network.table[u, c]) - np.float32(network.table[v, c])
        network.sums[cell, c] = after
        network.pooled[c] += min(max(after, ZERO), top) - min(max(before, ZERO), top)


@njit
def _start(board: EngineBoard, network: NetworkMemory) -> None:
    """Compute all features from scratch."""
    network.stones[:] = board.stones
    network.pooled[:] = ZERO
    network.first_cell, network.last_cell = board.points[0], board.points[0]
    for i in range(board.area):
        cell = np.uint64(board.points[i])
        network.first_cell = min(network.first_cell, as_int(cell))
        network.last_cell = max(network.last_cell, as_int(cell))
        for c in range(FEATURES):
            network.sums[cell, c] = ZERO
        for d in range(4):
            row = _row_of(board, network, np.uint64(d), cell)
            network.rows[cell, d] = row
            for c in range(FEATURES):
                network.sums[cell, c] += np.float32(network.table[row, c])
        for c in range(FEATURES):
            network.pooled[c] += min(max(network.sums[cell, c], ZERO), network.clamp)
    network.pool = np.float32(POOL_SCALE) / (np.float32(board.area) * network.unit)
    network.current = 1


@njit
def _update_around(board: EngineBoard, network: NetworkMemory, cell: np.uint64) -> None:
    """Update the windows that a stone at `cell` is part of."""
    for d in range(4):
        u = np.uint64(d)
        step = np.uint64(1) if d == 0 else np.uint64(WIDTH - 2 + d)
        _replace_row(board, network, u, cell)
        for side in range(2):
            at = cell
            for _ in range(5):
                at = at + step if side == 0 else at - step
                if board.stones[at] == WALL:
                    break
                _replace_row(board, network, u, at)


@njit
def update_network(board: EngineBoard, network: NetworkMemory) -> None:
    """Bring the accumulators up to date with the board."""
    if network.current == 0:
        _start(board, network)
        return
    start = network.first_cell
    while start <= network.last_cell:
        end = min(start + WIDTH, network.last_cell + 1)
        different = 0
        for cell in range(start, end):  # a whole row at a time: most have not changed
            different |= board.stones[np.uint64(cell)] ^ network.stones[np.uint64(cell)]
        if different != 0:
            for cell in range(start, end):
                if board.stones[cell] != network.stones[cell]:
                    network.stones[cell] = board.stones[cell]
                    _update_around(board, network, np.uint64(cell))
        start = end


@njit
def _first_layer(board: EngineBoard, network: NetworkMemory, me: int) -> None:
    """The value head's first layer, from pooled features and counts of threats."""
    for j in range(HIDDEN):
        network.hidden[0, j] = network.value1_bias[j]
    turn = 0 if me == 1 else HALF  # own features come first
    for c in range(FEATURES):
        x = network.pooled[(c + turn) % FEATURES] * network.pool
        for j in range(HIDDEN):
            network.hidden[0, j] += x * network.value1[c, j]
    for side in range(2):
        colour = me if side == 0 else 3 - me
        for i in range(THREAT_KINDS):
            level = min(count_of(board, colour, MAKES_THREE + i), THREAT_LEVELS - 1)
            for j in range(HIDDEN):
                network.hidden[0, j] += network.threats[side, i, level, j]


@njit
def network_logit(board: EngineBoard, network: NetworkMemory, me: int) -> Any:
    """The logit of the result that the network expects for `me`, to move."""
    update_network(board, network)
    _first_layer(board, network, me)
    for j in range(HIDDEN):
        network.hidden[1, j] = network.value2_bias[j]
    for i in range(HIDDEN):
        x = network.hidden[0, i]
        if x > ZERO:
            for j in range(HIDDEN):
                network.hidden[1, j] += x * network.value2[i, j]
    logit = network.value3_bias
    for j in range(HIDDEN):
        logit += max(network.hidden[1, j], ZERO) * network.value3[j]
    return logit


@njit
def network_value(board: EngineBoard, network: NetworkMemory, me: int) -> int:
    """The network's static evaluation for `me`, to move, in pattern points."""
    points = network_logit(board, network, me) * network.points_per_logit
    most = np.float32(LIKELY_WIN - 1)
    return int(np.int64(min(max(points, -most), most)))


@njit
def policy_score(board: EngineBoard, network: NetworkMemory, me: int, cell: int) -> int:
    """The policy logit of a move of `me` to an empty cell, in hundredths.

    The accumulators have to be up to date: `update_network` once for all moves of a node.
    """
    turn = 0 if me == 1 else HALF
    logit = network.policy_kinds[kind_of(board, me, cell), kind_of(board, 3 - me, cell)]
    for c in range(FEATURES):
        x = min(max(network.sums[cell, (c + turn) % FEATURES], ZERO), network.clamp)
        logit += x / network.unit * network.policy[c]
    return int(np.int64(logit * np.float32(POLICY_UNIT)))
