"""Alpha-beta over the engine's position, with the threat search at its nodes.

Values are for the side to move: the difference of the pattern scores, or, from PROVEN on, WIN less
the plies to the five. A value beyond PROVEN is a proof: where not every answer was tried, a loss
counts as LIKELY only. Arrays are those of `threat_kernels` and `table_kernels`.
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .board_kernels import count_of, first_of, number, put, take
from .memory_kernels import (
    AREA,
    BREADTH,
    CUT,
    DEEPEST,
    FOUR_AND_THREE,
    HASH,
    INNER_FOURS,
    JITTER,
    LEAF_FOURS,
    LIKELY,
    LIMIT,
    LINE,
    LINE_LENGTH,
    LONGEST,
    MAKES_FOUR,
    MOVES,
    NODES,
    PLACED,
    PROVEN,
    QUIESCENCE,
    ROOM,
    STOP,
    THREAT_LIMIT,
    TOTAL,
    TWO_THREES,
    WIDENING,
    WIN,
    WINS,
    WINS_NEXT,
)
from .move_ordering_kernels import defend_line, defend_open_four, generate, pick, praise, reduction
from .threat_search_kernels import extend_line, fours
from .transposition_kernels import EXACT, LOWER, UNKNOWN, UPPER, hint_of, recall, remember, settled

TEMPO = 250
"""What the move is worth in a quiet position."""


@njit
def evaluate(state: Any, me: int) -> Any:
    """The static value for `me`, to move, in a position without fives at hand."""
    other = 3 - me
    value = state[TOTAL + me - 1] - state[TOTAL + other - 1] + TEMPO
    quiet = count_of(state, other, MAKES_FOUR) + count_of(state, other, FOUR_AND_THREE) == 0
    if quiet and count_of(state, me, TWO_THREES) > 0:
        value += 200
    return max(min(value, LIKELY - 1), 1 - LIKELY)


@njit
def _verdict(state: Any, me: int, ply: int) -> Any:
    """The value of a position that needs no search, else UNKNOWN."""
    if state[PLACED] == state[AREA]:
        return 0
    if count_of(state, me, WINS) > 0:
        return WIN - ply - 1
    pressing = count_of(state, 3 - me, WINS)
    if pressing > 1:
        return ply + 2 - WIN
    if pressing == 0 and count_of(state, me, WINS_NEXT) > 0:
        return WIN - ply - 3
    if ply + 8 > DEEPEST // 2:
        return evaluate(state, me)
    return UNKNOWN


@njit
def _by_fours(
    state: Any,
    control: Any,
    shapes: Any,
    worth: Any,
    memo: Any,
    attacker: int,
    depth: int,
    ply: int,
) -> Any:
    """Plies to a win by fours that a short search finds, its line left at `ply`; else 0."""
    made = count_of(state, attacker, MAKES_FOUR) + count_of(state, attacker, FOUR_AND_THREE)
    if made == 0:
        return 0
    allowed = control[INNER_FOURS] if depth > 0 else control[LEAF_FOURS]
    control[THREAT_LIMIT], control[CUT] = control[NODES] + allowed, 0
    return fours(state, control, shapes, worth, memo, attacker, ply)


@njit
def _list_moves(
    state: Any,
    control: Any,
    shapes: Any,
    worth: Any,
    memo: Any,
    me: int,
    depth: int,
    hint: int,
    ply: int,
) -> Any:
    """List the moves of a node. How many, and whether all others are known to lose."""
    other = 3 - me
    if count_of(state, other, WINS) > 0:
        state[MOVES + ply * 2 * ROOM] = first_of(state, other, WINS)
        return 1, True
    size = 0
    if count_of(state, other, WINS_NEXT) > 0:
        size = defend_open_four(state, control, shapes, worth, me, hint, ply)
    elif depth >= 2 and _by_fours(state, control, shapes, worth, memo, other, depth, ply + 1) > 0:
        size = defend_line(state, control, shapes, worth, me, hint, ply)
    if size > 0:
        return size, True
    return generate(state, me, hint, ply), False


@njit
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
    if control[STOP] != 0:
        return 0
    value = _verdict(state, me, ply)
    if value != UNKNOWN:
        return value
    key, entry, pressed = control[HASH] ^ number(me, 1), -1, count_of(state, other, WINS) > 0
    if depth > 0:
        entry = recall(control, table, key)
        value = settled(entry, depth, alpha, beta, ply)
        if value != UNKNOWN:
            return value
    if not pressed:
        plies = _by_fours(state, control, shapes, worth, memo, me, depth, ply)
        if plies > 0:
            return WIN - ply - plies
        state[LINE_LENGTH + ply] = 0
        if depth <= 0 and (count_of(state, other, WINS_NEXT) == 0 or depth <= -control[QUIESCENCE]):
            return evaluate(state, me)
    size, complete = _list_moves(
        state, control, shapes, worth, memo, me, depth, hint_of(entry), ply
    )
    left = depth if pressed else depth - 1
    best, chosen, floor = -WIN, -1, alpha
    tried = size if complete else min(size, control[BREADTH] + control[WIDENING] * max(depth, 0))
    for i in range(tried):
        move = pick(state, ply, i, size)
        less = 0 if complete else reduction(state, me, move, depth, i)
        put(state, control, shapes, worth, move, me)
        low = -beta if i == 0 else -alpha - 1
        value = -search(
            state, control, shapes, worth, memo, table, left - less, low, -alpha, other, ply + 1
        )
        if i > 0 and value > alpha and (less > 0 or value < beta):
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
                    praise(state, me, move, max(depth, 1), ply)
                    break
    if best <= -PROVEN and not complete:
        best = -LIKELY
    if depth > 0:
        flag = LOWER if best >= beta else (EXACT if best > floor else UPPER)
        remember(control, table, key, depth, flag, best, chosen, ply)
    return best


@njit(nogil=True)
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


@njit
def root_moves(state: Any, me: int, out: Any) -> Any:
    """Write the moves worth a look into `out: int32[ROOM]`, most promising first; how many."""
    size = generate(state, me, -1, 0)
    for i in range(size):
        out[i] = pick(state, 0, i, size)
    return size
