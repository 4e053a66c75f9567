"""The table network in the engine, an efficiently updatable neural network (NNUE).

The accumulators, the features of all points, depend on a line only through its window, so they
change only where lines changed. Nothing is done when moves are made and undone. An evaluation
compares the board with the one that was evaluated last and updates the lines through the stones
that differ: between two leaves of a search these are a few, and inner nodes cost nothing.
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .board_kernels import as_int, count_of, kind_of
from .memory_kernels import (
    CELLS,
    LIKELY_WIN,
    MAKES_THREE,
    WALL,
    WIDTH,
    EngineBoard,
)
from .network_memory_kernels import (
    DISTANCES,
    FEATURES,
    HALF,
    HALVES,
    HIDDEN,
    POOL_SCALE,
    REGION_ROWS,
    REGIONS,
    THREAT_KINDS,
    THREAT_LEVELS,
    NetworkMemory,
)

ZERO, ONE = np.float32(0.0), np.float32(1.0)
POLICY_UNIT = 100
"""`policy_score` is in hundredths of a logit."""


@njit
def _window(board: EngineBoard, network: NetworkMemory, d: Any, cell: Any) -> Any:
    """The line window around a cell in direction `d`: its row of the table."""
    key = np.uint64(board.line_keys[d, cell])
    before = network.half_index[np.uint64(0), key & np.uint64(1023)]
    after = network.half_index[np.uint64(1), key >> np.uint64(10)]
    return (before * HALVES + after) * 3 + board.stones[cell]


@njit
def _replace_window(board: EngineBoard, network: NetworkMemory, d: Any, cell: Any) -> None:
    """Bring a cell's features up to date with its window in direction `d`."""
    new, old = _window(board, network, d, cell), network.windows[cell, d]
    if new == old:
        return
    network.windows[cell, d] = new
    top, r = network.clamp, np.uint64(network.region_of[cell])
    network.pooled_changed[r] = 3
    u, v = np.uint64(new), np.uint64(old)
    for i in range(FEATURES):
        c = np.uint64(i)
        before = network.sums[cell, c]
        after = before + np.float32(network.table[u, c]) - np.float32(network.table[v, c])
        network.sums[cell, c] = after
        network.pooled[r, c] += min(max(after, ZERO), top) - min(max(before, ZERO), top)


@njit
def _third(place: int, size: int) -> int:
    """The third of a side that a row or column lies in: the outer two are equally wide."""
    return int(place >= size // 3) + int(place >= size - size // 3)


@njit
def _find_regions(board: EngineBoard, network: NetworkMemory) -> None:
    """Tell each of the board's cells its region."""
    top, left, bottom, right = CELLS, CELLS, 0, 0
    for i in range(board.area):
        row, column = board.points[i] // WIDTH, board.points[i] % WIDTH
        top, bottom = min(top, row), max(bottom, row)
        left, right = min(left, column), max(right, column)
    for i in range(board.area):
        row, column = board.points[i] // WIDTH, board.points[i] % WIDTH
        region = REGION_ROWS * _third(row - top, bottom - top + 1)
        network.region_of[board.points[i]] = region + _third(column - left, right - left + 1)


@njit
def _start(board: EngineBoard, network: NetworkMemory) -> None:
    """Compute all features from scratch: from those of window 0 everywhere."""
    network.first_cell, network.last_cell = CELLS, 0
    for r in range(REGIONS):
        network.pooled_changed[r] = 3
        for i in range(FEATURES):
            network.pooled[r, i] = ZERO
    for i in range(CELLS):
        network.stones[i] = board.stones[i]
    _find_regions(board, network)
    for i in range(board.area):
        cell = np.uint64(board.points[i])
        region = np.uint64(network.region_of[cell])
        network.first_cell = min(network.first_cell, as_int(cell))
        network.last_cell = max(network.last_cell, as_int(cell))
        for c in range(FEATURES):
            x = np.float32(4.0) * np.float32(network.table[0, c])
            network.sums[cell, np.uint64(c)] = x
            network.pooled[region, c] += min(max(x, ZERO), network.clamp)
        for d in range(4):
            network.windows[cell, np.uint64(d)] = 0
            _replace_window(board, network, np.uint64(d), cell)
    network.pool = np.float32(POOL_SCALE) / (np.float32(board.area) * network.unit)
    network.current = 1


@njit
def _update_around(board: EngineBoard, network: NetworkMemory, cell: np.uint64) -> None:
    """Update the windows that a stone at `cell` is part of."""
    for d in range(4):
        u = np.uint64(d)
        step = np.uint64(1) if d == 0 else np.uint64(WIDTH - 2 + d)
        _replace_window(board, network, u, cell)
        for side in range(2):
            at = cell
            for _ in range(5):
                at = at + step if side == 0 else at - step
                if board.stones[at] == WALL:
                    break
                _replace_window(board, network, u, at)


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
def _add(network: NetworkMemory, layer: int, x: Any, weights: Any) -> None:
    """Add `x` times a row of weights, float32[HIDDEN], to a row of `hidden`."""
    for i in range(network.hidden_units):
        j = np.uint64(i)
        network.hidden[np.uint64(layer), j] += x * weights[j]


@njit
def _region_kind(region: int) -> int:
    """0 in a corner, 1 at a side, 2 in the middle."""
    return int(region // REGION_ROWS == 1) + int(region % REGION_ROWS == 1)


@njit
def _sum_regions(network: NetworkMemory, me: int) -> None:
    """Bring the layers of regions that changed up to date, and sum up those of all regions."""
    turn = 0 if me == 1 else HALF
    scale = network.pool * np.float32(REGIONS)
    for j in range(HIDDEN):
        network.hidden[2, j] = ZERO
    for r in range(REGIONS):
        row = 3 + (me - 1) * REGIONS + r
        if network.pooled_changed[r] & me:
            network.pooled_changed[r] &= ~me
            for j in range(HIDDEN):
                network.hidden[row, j] = network.region_bias[_region_kind(r), j]
            for c in range(FEATURES):
                x = network.pooled[np.uint64(r), np.uint64((c + turn) % FEATURES)] * scale
                _add(network, row, x, network.region[c])
            for j in range(HIDDEN):
                network.hidden[row, j] = max(network.hidden[row, j], ZERO)
        _add(network, 2, ONE, network.hidden[row])


@njit
def _first_layer(board: EngineBoard, network: NetworkMemory, me: int) -> None:
    """The value head's first layer, from pooled features and counts of threats."""
    for j in range(HIDDEN):
        network.hidden[0, j] = network.value1_bias[j]
    _sum_regions(network, me)
    turn = 0 if me == 1 else HALF  # own features come first
    for c in range(FEATURES):
        x = ZERO
        for r in range(REGIONS):
            x += network.pooled[np.uint64(r), np.uint64((c + turn) % FEATURES)]
        _add(network, 0, x * network.pool, network.value1[c])
    for i in range(HIDDEN):
        _add(network, 0, network.hidden[2, i], network.value_regions[i])
    for side in range(2):
        colour = me if side == 0 else 3 - me
        for i in range(THREAT_KINDS):
            level = min(count_of(board, colour, MAKES_THREE + i), THREAT_LEVELS - 1)
            _add(network, 0, ONE, network.threats[side, i, level])


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
            _add(network, 1, x, network.value2[i])
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
def prepare_policy(board: EngineBoard, network: NetworkMemory, me: int) -> None:
    """Make `policy_score` see the board as it is; once for all moves of a node."""
    update_network(board, network)
    _first_layer(board, network, me)
    turn = 0 if me == 1 else HALF
    for c in range(FEATURES):
        network.policy_here[np.uint64((c + turn) % FEATURES)] = network.policy[np.uint64(c)]
    for i in range(HIDDEN):
        x = network.hidden[0, i]
        if x > ZERO:
            for c in range(FEATURES):
                weight = network.policy_context[np.uint64(i), np.uint64(c)]
                network.policy_here[np.uint64((c + turn) % FEATURES)] += x * weight


@njit
def _distance(a: int, b: int) -> int:
    return min(abs(a - b), DISTANCES - 1)


@njit
def _near_recent(network: NetworkMemory, place: int, cell: int, recent: int) -> Any:
    """What a recent stone adds to the logit of a move; `recent` -1 where it is not known."""
    if recent < 0:
        return ZERO
    rows = _distance(cell // WIDTH, recent // WIDTH)
    columns = _distance(cell % WIDTH, recent % WIDTH)
    return network.policy_recent[place, min(rows, columns), max(rows, columns)]


@njit
def policy_score(
    board: EngineBoard, network: NetworkMemory, me: int, cell: int, last: int, before: int
) -> int:
    """The policy logit of a move of `me` to an empty cell, in hundredths.

    `last` and `before` are the cells of the last two stones, -1 where they are not known.
    `prepare_policy` has to be called first, once for all moves of a node.
    """
    u = np.uint64(cell)
    top, logit = network.clamp, ZERO
    for i in range(FEATURES):
        c = np.uint64(i)
        logit += min(max(network.sums[u, c], ZERO), top) * network.policy_here[c]
    logit += network.policy_kinds[kind_of(board, me, cell), kind_of(board, 3 - me, cell)]
    logit += _near_recent(network, 0, cell, last) + _near_recent(network, 1, cell, before)
    return int(np.int64(logit * np.float32(POLICY_UNIT)))
