"""The table network in the engine, an efficiently updatable neural network (NNUE).

The accumulators, the features of all points, depend on a line only through its window, so they
change only where lines changed. Nothing is done when moves are made and undone. An evaluation
compares the board with the one that was evaluated last and updates the lines through the stones
that differ: between two leaves of a search these are a few, and inner nodes cost nothing.
"""

from typing import Any

import numpy as np

from trireme.core.jit import linked_njit as njit

from .board_kernels import as_int, count_of, kind_of, zobrist
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
    FIRST_REGION,
    HALF,
    HALVES,
    HIDDEN,
    POLICY_LAYER,
    POOL_SCALE,
    REGION_ROWS,
    REGIONS,
    THREAT_KINDS,
    THREAT_LEVELS,
    NetworkMemory,
)

ZERO = np.float32(0.0)
PREPARE_POLICY = 2
"""Added to the side to move in requests to `run_network`."""
POLICY_UNIT = 100
"""`policy_score` is in hundredths of a logit."""


@njit
def _window(board: EngineBoard, network: NetworkMemory, d: Any, cell: Any) -> Any:
    """The line window around a cell in direction `d`: its row of the table."""
    key = np.uint64(board.line_keys[d, cell])
    before = network.half_index[np.uint64(0), key & np.uint64(1023)]
    after = network.half_index[np.uint64(1), key >> np.uint64(10)]
    return (before * HALVES + after) * 3 + board.stones[cell]


@njit(apart=True)
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
    return as_int(place >= size // 3) + as_int(place >= size - size // 3)


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


@njit(apart=True)
def _add(network: NetworkMemory, layer: int, weights: Any) -> None:
    """Add float32[HIDDEN] to a row of `hidden`."""
    for i in range(network.hidden_units):
        j = np.uint64(i)
        network.hidden[np.uint64(layer), j] += weights[j]


@njit(apart=True)
def _add_product(network: NetworkMemory, layer: int, weights: Any) -> None:
    """Add the product of `inputs` and weights, float32[HIDDEN, HIDDEN], to a row of `hidden`.

    Four inputs at a time: the row is read and written eight times, not thirty-two.
    """
    row = np.uint64(layer)
    for k in range(0, HIDDEN, 4):
        a = np.uint64(k)
        b, c, d = a + np.uint64(1), a + np.uint64(2), a + np.uint64(3)
        xa, xb, xc, xd = network.inputs[a], network.inputs[b], network.inputs[c], network.inputs[d]
        for i in range(network.hidden_units):
            j = np.uint64(i)
            left, right = xa * weights[a, j] + xb * weights[b, j], xc * weights[c, j]
            network.hidden[row, j] += left + (right + xd * weights[d, j])


@njit(apart=True)
def _set(network: NetworkMemory, layer: int, values: Any) -> None:
    """Make float32[HIDDEN] a row of `hidden`."""
    for i in range(network.hidden_units):
        network.hidden[np.uint64(layer), np.uint64(i)] = values[np.uint64(i)]


@njit
def _set_sum(network: NetworkMemory, layer: int, rows: Any, first: int) -> None:
    """Make the sum of one row for each region, from `first` on, a row of `hidden`."""
    a = np.uint64(first)
    b, c = a + np.uint64(3), a + np.uint64(6)
    for i in range(network.hidden_units):
        j = np.uint64(i)
        top = rows[a, j] + rows[a + np.uint64(1), j] + rows[a + np.uint64(2), j]
        middle = rows[b, j] + rows[b + np.uint64(1), j] + rows[b + np.uint64(2), j]
        bottom = rows[c, j] + rows[c + np.uint64(1), j] + rows[c + np.uint64(2), j]
        network.hidden[np.uint64(layer), j] = top + middle + bottom


@njit(apart=True)
def _own_first(network: NetworkMemory, features: Any, me: int, scale: Any) -> None:
    """Make pooled features, float32[FEATURES], the inputs: those of `me` first, scaled."""
    half = network.hidden_units // 2
    turn = 0 if me == 1 else half
    for i in range(half):
        network.inputs[np.uint64(i)] = features[np.uint64(i + turn)] * scale
        network.inputs[np.uint64(i + half)] = features[np.uint64(i + half - turn)] * scale


@njit(apart=True)
def _rectified(network: NetworkMemory, layer: int) -> None:
    """Make a row of `hidden`, after a ReLU, the inputs."""
    for i in range(network.hidden_units):
        j = np.uint64(i)
        network.inputs[j] = max(network.hidden[np.uint64(layer), j], ZERO)


@njit
def _region_kind(region: int) -> int:
    """0 in a corner, 1 at a side, 2 in the middle."""
    return as_int(region // REGION_ROWS == 1) + as_int(region % REGION_ROWS == 1)


@njit
def _update_regions(network: NetworkMemory, me: int) -> None:
    """Bring the layers of regions that changed up to date."""
    scale = network.pool * np.float32(REGIONS)
    for r in range(REGIONS):
        if network.pooled_changed[r] & me:
            network.pooled_changed[r] &= ~me
            row = FIRST_REGION + (me - 1) * REGIONS + r
            _set(network, row, network.region_bias[_region_kind(r)])
            _own_first(network, network.pooled[r], me, scale)
            _add_product(network, row, network.region)
            _rectified(network, row)
            _set(network, row, network.inputs)


@njit
def _first_layer(board: EngineBoard, network: NetworkMemory, me: int) -> None:
    """The value head's first layer, from pooled features and counts of threats.

    Nothing is done where it is that of this board and side to move already.
    """
    key = board.hash ^ zobrist(me, 1)
    if network.current != 0 and network.first_layer_key == key:
        return
    update_network(board, network)
    network.first_layer_key = key
    _update_regions(network, me)
    _set(network, 0, network.value1_bias)
    _set_sum(network, 1, network.pooled, 0)
    _set_sum(network, 2, network.hidden, FIRST_REGION + (me - 1) * REGIONS)
    _own_first(network, network.hidden[1], me, network.pool)
    _add_product(network, 0, network.value1)
    _rectified(network, 2)  # sums of what is not negative: unchanged
    _add_product(network, 0, network.value_regions)
    for side in range(2):
        colour = me if side == 0 else 3 - me
        for i in range(THREAT_KINDS):
            level = min(count_of(board, colour, MAKES_THREE + i), THREAT_LEVELS - 1)
            _add(network, 0, network.threats[side, i, level])


@njit
def network_logit(board: EngineBoard, network: NetworkMemory, me: int) -> Any:
    """The logit of the result that the network expects for `me`, to move."""
    _first_layer(board, network, me)
    _set(network, 1, network.value2_bias)
    _rectified(network, 0)
    _add_product(network, 1, network.value2)
    logit = network.value3_bias
    for j in range(HIDDEN):
        logit += max(network.hidden[1, j], ZERO) * network.value3[j]
    return logit


@njit
def network_value(board: EngineBoard, network: NetworkMemory, me: int) -> int:
    """The network's static evaluation for `me`, to move, in pattern points."""
    points = network_logit(board, network, me) * network.points_per_logit
    most = np.float32(LIKELY_WIN - 1)
    return as_int(min(max(points, -most), most))


@njit
def prepare_policy(board: EngineBoard, network: NetworkMemory, me: int) -> int:
    """Make `policy_score` see the board as it is; once for all moves of a node. The result is 0."""
    _first_layer(board, network, me)
    _set(network, POLICY_LAYER, network.policy)
    _rectified(network, 0)
    _add_product(network, POLICY_LAYER, network.policy_context)
    return 0


@njit
def run_network(board: EngineBoard, network: NetworkMemory, request: int) -> int:
    """`network_value` for the requests 1 and 2, the side to move; `prepare_policy` for 3 and 4.

    One kernel for both, since they share most of their code: it is compiled once.
    """
    if request > PREPARE_POLICY:
        return prepare_policy(board, network, request - PREPARE_POLICY)
    return network_value(board, network, request)


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
    u, layer = np.uint64(cell), np.uint64(POLICY_LAYER)
    own, other = (0, HALF) if me == 1 else (HALF, 0)
    top, logit = network.clamp, ZERO
    for i in range(HALF):
        x = min(max(network.sums[u, np.uint64(own + i)], ZERO), top)
        y = min(max(network.sums[u, np.uint64(other + i)], ZERO), top)
        logit += x * network.hidden[layer, np.uint64(i)]
        logit += y * network.hidden[layer, np.uint64(HALF + i)]
    logit += network.policy_kinds[kind_of(board, me, cell), kind_of(board, 3 - me, cell)]
    logit += _near_recent(network, 0, cell, last) + _near_recent(network, 1, cell, before)
    return as_int(logit * np.float32(POLICY_UNIT))
