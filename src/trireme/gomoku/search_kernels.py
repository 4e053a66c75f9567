"""Alpha-beta over the engine's position, with the threat search at its leaves.

Values are for the side to move: the difference of the pattern scores, or, from PROVEN on, WIN less
the plies to the five. A value beyond PROVEN is a proof: where not every answer was tried, a loss
counts as LIKELY only. Arrays are those of `threat_kernels`, and `table: int64[2**k, 2]`, the
transposition table, a key and its packed entry a row.
"""

from typing import Any

import numpy as np
from numba import njit

from .layout import (
    AGE,
    AREA,
    BOARD,
    CELLS,
    CUT,
    DEEPEST,
    EMPTY,
    FOUR_AND_THREE,
    HASH,
    HISTORY,
    JITTER,
    KILLERS,
    LIKELY,
    LIMIT,
    LINE,
    LINE_LENGTH,
    LONGEST,
    MAKES_FOUR,
    MAKES_THREE,
    MOVES,
    NODES,
    PLACED,
    POINTS,
    PROVEN,
    QUIET,
    ROOM,
    STOP,
    THREAT_LIMIT,
    TOTAL,
    TWO_THREES,
    WIN,
    WINS,
    WINS_NEXT,
    WORTH,
)
from .position_kernels import count_of, first_of, kind_of, number, put, take
from .threat_kernels import defences, extend_line, fours

EXACT, LOWER, UPPER = 0, 1, 2
TEMPO = 250
LEAF_NODES = 100
QUIESCENT = -6
"""How far below depth 0 forced defences are still followed."""


@njit(cache=True)
def evaluate(state: Any, me: int) -> Any:
    """The static value for `me`, to move, in a position without fives at hand."""
    other = 3 - me
    value = state[TOTAL + me - 1] - state[TOTAL + other - 1] + TEMPO
    quiet = count_of(state, other, MAKES_FOUR) + count_of(state, other, FOUR_AND_THREE) == 0
    if quiet and count_of(state, me, TWO_THREES) > 0:
        value += 200
    return max(min(value, LIKELY - 1), 1 - LIKELY)


@njit(cache=True)
def _remember(
    control: Any, table: Any, key: int, depth: int, flag: int, value: int, move: int, ply: int
) -> None:
    """Store a result; of two entries the shallower or older one gives way."""
    if value >= PROVEN:
        value += ply
    elif value <= -PROVEN:
        value -= ply
    slot = key & (table.shape[0] - 2)
    kept = table[slot, 1]
    fresh = (kept >> 44) & 255 == control[AGE]
    if fresh and table[slot, 0] != key and (kept & 255) > depth:
        slot += 1
    entry = depth | (flag << 8) | (move << 10) | ((value + 65536) << 24) | (control[AGE] << 44)
    table[slot, 0] = key
    table[slot, 1] = entry


@njit(cache=True)
def _recall(control: Any, table: Any, key: int) -> Any:
    """The entry of a position, -1 when there is none from this search."""
    slot = key & (table.shape[0] - 2)
    for i in range(2):
        if table[slot + i, 0] == key and (table[slot + i, 1] >> 44) & 255 == control[AGE]:
            return table[slot + i, 1]
    return -1


@njit(cache=True)
def _value_of(entry: int, ply: int) -> int:
    value = ((entry >> 24) & 0xFFFFF) - 65536
    if value >= PROVEN:
        return value - ply
    if value <= -PROVEN:
        return value + ply
    return value


@njit(cache=True)
def _promise(state: Any, me: int, cell: int, hint: int, ply: int) -> Any:
    """How early a move should be tried."""
    own = state[WORTH + (me - 1) * CELLS + cell] >> 4
    against = state[WORTH + (2 - me) * CELLS + cell] >> 4
    score = 2 * own + against + state[HISTORY + (me - 1) * CELLS + cell]
    if cell == hint:
        score += 1_000_000
    elif cell == state[KILLERS + 2 * ply] or cell == state[KILLERS + 2 * ply + 1]:
        score += 200
    return score


@njit(cache=True)
def _append(state: Any, me: int, cell: int, hint: int, ply: int, size: int) -> Any:
    base = MOVES + ply * 2 * ROOM
    state[base + size] = cell
    state[base + ROOM + size] = _promise(state, me, cell, hint, ply)
    return size + 1


@njit(cache=True)
def _generate(state: Any, me: int, hint: int, ply: int) -> Any:
    """List the moves worth a try for `ply`, in no order; how many."""
    size = 0
    for i in range(state[AREA]):
        cell = state[POINTS + i]
        if state[BOARD + cell] != EMPTY or size == ROOM:
            continue
        if kind_of(state, me, cell) != QUIET or kind_of(state, 3 - me, cell) != QUIET:
            size = _append(state, me, cell, hint, ply, size)
    if size > 0:
        return size
    for i in range(state[AREA]):
        if state[BOARD + state[POINTS + i]] == EMPTY:
            return _append(state, me, state[POINTS + i], hint, ply, 0)
    return 0


@njit(cache=True)
def _defend(state: Any, control: Any, shapes: Any, worth: Any, me: int, hint: int, ply: int) -> Any:
    """List every move that may stop the other side's open or double four; how many."""
    state[LINE + ply * LONGEST] = first_of(state, 3 - me, WINS_NEXT)
    state[LINE_LENGTH + ply] = 1
    many = defences(state, control, shapes, worth, 3 - me, ply, ply + 1)
    state[LINE_LENGTH + ply] = 0
    found, size = MOVES + (ply + 1) * 2 * ROOM, 0
    for i in range(many):
        size = _append(state, me, state[found + i], hint, ply, size)
    return size


@njit(cache=True)
def _pick(state: Any, ply: int, i: int, size: int) -> Any:
    """The most promising of the moves from place `i` on, swapped to place `i`.

    Sorting as one goes: most nodes are cut after a move or two.
    """
    base = MOVES + ply * 2 * ROOM
    scores = base + ROOM
    best = i
    for j in range(i + 1, size):
        if state[scores + j] > state[scores + best]:
            best = j
    state[base + i], state[base + best] = state[base + best], state[base + i]
    state[scores + i], state[scores + best] = state[scores + best], state[scores + i]
    return state[base + i]


@njit(cache=True)
def _at_leaf(
    state: Any, control: Any, shapes: Any, worth: Any, memo: Any, me: int, ply: int
) -> Any:
    """The value of a leaf: a win by fours where a short search finds one, else the static value."""
    if count_of(state, me, MAKES_FOUR) + count_of(state, me, FOUR_AND_THREE) > 0:
        control[THREAT_LIMIT], control[CUT] = control[NODES] + LEAF_NODES, 0
        plies = fours(state, control, shapes, worth, memo, me, ply)
        if plies > 0:
            return WIN - ply - plies
        state[LINE_LENGTH + ply] = 0
    return evaluate(state, me)


@njit(cache=True)
def _praise(state: Any, me: int, cell: int, depth: int, ply: int) -> None:
    """A move cut the search: try it early elsewhere."""
    if state[KILLERS + 2 * ply] != cell:
        state[KILLERS + 2 * ply + 1] = state[KILLERS + 2 * ply]
        state[KILLERS + 2 * ply] = cell
    at = HISTORY + (me - 1) * CELLS + cell
    state[at] += depth * depth
    if state[at] > 400:
        for i in range(2 * CELLS):
            state[HISTORY + i] >>= 1


@njit(cache=True)
def _reduction(state: Any, me: int, cell: int, depth: int, index: int) -> int:
    """How much shallower a late, quiet move is tried at first."""
    if index < 3 or depth < 3:
        return 0
    if kind_of(state, me, cell) >= MAKES_THREE or kind_of(state, 3 - me, cell) >= MAKES_THREE:
        return 0
    return 1 + (index >= 8) + (depth >= 6 and index >= 14)


@njit(cache=True)
def search(
    state: Any,
    control: Any,
    shapes: Any,
    worth: Any,
    memo: Any,
    table: Any,
    depth: int,
    alpha: int,
    beta: int,
    me: int,
    ply: Any,
) -> Any:
    """The value for `me`, to move, `depth` plies deep within (alpha, beta); its line at `ply`."""
    other = 3 - me
    state[LINE_LENGTH + ply] = 0
    if control[NODES] >= control[LIMIT]:
        control[STOP] = 1
    if control[STOP] != 0 or state[PLACED] == state[AREA]:
        return 0
    if count_of(state, me, WINS) > 0:
        return WIN - ply - 1
    pressing = count_of(state, other, WINS)
    if pressing > 1:
        return ply + 2 - WIN
    if pressing == 0 and count_of(state, me, WINS_NEXT) > 0:
        return WIN - ply - 3
    threatened = pressing == 0 and count_of(state, other, WINS_NEXT) > 0
    if ply + 8 > DEEPEST // 2:
        return evaluate(state, me)
    if depth <= 0 and pressing == 0:
        value = _at_leaf(state, control, shapes, worth, memo, me, ply)
        if value >= PROVEN or not threatened or depth <= QUIESCENT:
            return value
    key, hint = control[HASH] ^ number(me, 1), -1
    if depth > 0:
        entry = _recall(control, table, key)
        if entry >= 0:
            hint, flag, value = (entry >> 10) & 2047, (entry >> 8) & 3, _value_of(entry, ply)
            deep = (entry & 255) >= depth or abs(value) >= PROVEN
            if deep and (
                flag == EXACT
                or (flag == LOWER and value >= beta)
                or (flag == UPPER and value <= alpha)
            ):
                return value
    base, complete, left = MOVES + ply * 2 * ROOM, True, depth - 1
    if pressing == 1:
        state[base], size, left = first_of(state, other, WINS), 1, depth
    else:
        size = _defend(state, control, shapes, worth, me, hint, ply) if threatened else 0
        if size == 0:
            complete = False
            size = _generate(state, me, hint, ply)
    best, chosen, floor = -WIN, -1, alpha
    for i in range(size if complete else min(size, 10 + 4 * max(depth, 0))):
        move = _pick(state, ply, i, size)
        less = 0 if complete else _reduction(state, me, move, depth, i)
        put(state, control, shapes, worth, move, me)
        if i == 0:
            value = -search(
                state, control, shapes, worth, memo, table, left, -beta, -alpha, other, ply + 1
            )
        else:
            value = -search(
                state,
                control,
                shapes,
                worth,
                memo,
                table,
                left - less,
                -alpha - 1,
                -alpha,
                other,
                ply + 1,
            )
            if value > alpha and less > 0:
                value = -search(
                    state,
                    control,
                    shapes,
                    worth,
                    memo,
                    table,
                    left,
                    -alpha - 1,
                    -alpha,
                    other,
                    ply + 1,
                )
            if alpha < value < beta:
                value = -search(
                    state, control, shapes, worth, memo, table, left, -beta, -alpha, other, ply + 1
                )
        take(state, control, shapes, worth, move)
        if control[STOP] != 0:
            return 0
        if value > best:
            best, chosen = value, move
            if value > alpha:
                alpha = value
                state[LINE + ply * LONGEST] = move
                extend_line(state, ply, 1)
                if alpha >= beta:
                    _praise(state, me, move, max(depth, 1), ply)
                    break
    if best <= -PROVEN and not complete:
        best = -LIKELY
    if depth > 0:
        flag = LOWER if best >= beta else (EXACT if best > floor else UPPER)
        _remember(control, table, key, depth, flag, best, chosen, ply)
    return best


@njit(cache=True, nogil=True)
def search_root(
    state: Any,
    control: Any,
    shapes: Any,
    worth: Any,
    memo: Any,
    table: Any,
    depth: int,
    me: int,
    moves: Any,
    values: Any,
    top: int,
) -> Any:
    """Search `moves: int32[m]` to `depth`, writing `values: int32[m]`; how many were finished.

    The best `top` get exact values, the rest bounds below them. The best move's line is left at
    ply 0. When the search is stopped, the values of moves that were not finished are -WIN.
    """
    values[:] = -WIN
    best, ply = -WIN, np.int64(1)  # a literal 1 would compile the recursion twice, uncacheably
    for i in range(moves.size):
        alpha = -WIN
        if i >= top:  # the worst of the best `top` so far
            worse = 0
            for j in range(i):
                rank = 0
                for k in range(i):
                    rank += values[k] > values[j] or (values[k] == values[j] and k < j)
                if rank == top - 1:
                    worse = values[j]
            alpha = worse
        bonus = state[JITTER + moves[i]]
        put(state, control, shapes, worth, moves[i], me)
        low, high = max(alpha - bonus, -WIN), WIN
        value = -WIN
        if i >= top:
            value = -search(
                state, control, shapes, worth, memo, table, depth - 1, -low - 1, -low, 3 - me, ply
            )
        if i < top or value > low:
            value = -search(
                state, control, shapes, worth, memo, table, depth - 1, -high, -low, 3 - me, ply
            )
        take(state, control, shapes, worth, moves[i])
        if control[STOP] != 0:
            return i
        values[i] = value if abs(value) >= PROVEN else value + bonus
        if values[i] > best:
            best = values[i]
            state[LINE] = moves[i]
            extend_line(state, 0, 1)
    return moves.size


@njit(cache=True)
def root_moves(state: Any, me: int, out: Any) -> Any:
    """Write the moves worth a look into `out: int32[ROOM]`, most promising first; how many."""
    size = _generate(state, me, -1, 0)
    for i in range(size):
        out[i] = _pick(state, 0, i, size)
    return size
