"""Which moves to try, and in what order: the part of the search that decides its depth.

Arrays are those of `position_kernels`. The moves of a node lie in `state` at the place of its ply,
with a score each.
"""

import math
from typing import Any

from trireme.core.jit import njit

from .board_kernels import first_of, kind_of
from .memory_kernels import (
    AREA,
    BOARD,
    CELLS,
    EMPTY,
    HISTORY,
    KILLERS,
    LINE,
    LINE_LENGTH,
    LONGEST,
    MAKES_THREE,
    MOVES,
    POINTS,
    QUIET,
    ROOM,
    WINS_NEXT,
    WORTH,
)
from .threat_search_kernels import defences


@njit
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


@njit
def _append(state: Any, me: int, cell: int, hint: int, ply: int, size: int) -> Any:
    base = MOVES + ply * 2 * ROOM
    state[base + size] = cell
    state[base + ROOM + size] = _promise(state, me, cell, hint, ply)
    return size + 1


@njit
def generate(state: Any, me: int, hint: int, ply: int) -> Any:
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


@njit
def _score_defences(state: Any, me: int, hint: int, ply: int, many: int) -> Any:
    """Take the defences listed at the next ply's place over to this ply's, scored; how many."""
    found, size = MOVES + (ply + 1) * 2 * ROOM, 0
    for i in range(many):
        size = _append(state, me, state[found + i], hint, ply, size)
    return size


@njit
def defend_open_four(
    state: Any, control: Any, shapes: Any, worth: Any, me: int, hint: int, ply: int
) -> Any:
    """List every move that may stop the other side's open or double four; how many."""
    state[LINE + ply * LONGEST] = first_of(state, 3 - me, WINS_NEXT)
    state[LINE_LENGTH + ply] = 1
    many = defences(state, control, shapes, worth, 3 - me, ply, ply + 1)
    state[LINE_LENGTH + ply] = 0
    return _score_defences(state, me, hint, ply, many)


@njit
def defend_line(
    state: Any, control: Any, shapes: Any, worth: Any, me: int, hint: int, ply: int
) -> Any:
    """List every move that may stop the other side's win by fours, its line left at the next ply.

    How many; 0 or less where there are too many to list.
    """
    many = defences(state, control, shapes, worth, 3 - me, ply + 1, ply + 1)
    return _score_defences(state, me, hint, ply, many)


@njit
def pick(state: Any, ply: int, i: int, size: int) -> Any:
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


@njit
def praise(state: Any, me: int, cell: int, depth: int, ply: int) -> None:
    """A move cut the search: try it early elsewhere."""
    if state[KILLERS + 2 * ply] != cell:
        state[KILLERS + 2 * ply + 1] = state[KILLERS + 2 * ply]
        state[KILLERS + 2 * ply] = cell
    at = HISTORY + (me - 1) * CELLS + cell
    state[at] += depth * depth
    if state[at] > 400:
        for i in range(2 * CELLS):
            state[HISTORY + i] >>= 1


@njit
def reduction(state: Any, me: int, cell: int, depth: int, index: int) -> int:
    """How much shallower a late, quiet move is tried at first."""
    if index < 3 or depth < 2:
        return 0
    if kind_of(state, me, cell) >= MAKES_THREE or kind_of(state, 3 - me, cell) >= MAKES_THREE:
        return 0
    return int(0.5 + math.log(depth) * math.log(index) / 1.8)
