"""Threat search: wins by fours alone, then by threes and fours; what it finds is proven.

*Continuous fours* (`fours`): every move of the attacker threatens five, so the defender has one
answer, or none. The search is a walk over single lines.

*Continuous threats* (`threats`): a move of the attacker counts as a threat when the attacker would
win by fours if the defender passed. The defender may then try anything, but only a few moves can
matter: those that take a point of that winning line, and those with which the defender itself would
come to a four on the way. `defences` collects all of them, so that a win proven against each is a
win against every move. Nothing here trusts a pattern that it has not played out: fours and fives
come from tables that are exact for the rule in force.

Arrays are those of `position_kernels`, and `memo: int64[2**k]`, which remembers lost causes.
"""

from typing import Any

from trireme.core.jit import njit

from .board_kernels import count_of, first_of, five_near, kind_of, number, put, take
from .memory_kernels import (
    BOARD,
    CELLS,
    CUT,
    DEEPEST,
    EMPTY,
    FORCING,
    FORCINGS,
    FOUR_AND_THREE,
    HASH,
    KILLERS,
    LINE,
    LINE_LENGTH,
    LONGEST,
    MAKES_FOUR,
    MOST,
    MOVES,
    NODES,
    ROOM,
    SEEN,
    STAMP,
    STOP,
    THREAT_LIMIT,
    WIDTH,
    WINS,
    WINS_NEXT,
    WORTH,
)


@njit
def extend_line(state: Any, ply: int, length: int) -> None:
    """Continue the line at `ply`, of which `length` moves are set, with the line after them."""
    base, tail = LINE + ply * LONGEST, LINE + (ply + length) * LONGEST
    more = min(state[LINE_LENGTH + ply + length], LONGEST - length)
    for i in range(more):
        state[base + length + i] = state[tail + i]
    state[LINE_LENGTH + ply] = length + more


@njit
def _set_line(state: Any, ply: int, cell: int) -> None:
    state[LINE + ply * LONGEST] = cell
    state[LINE_LENGTH + ply] = 1


@njit
def _spent(control: Any) -> Any:
    """Whether threat search must end without a result: its nodes are used up, or all must stop."""
    if control[NODES] >= control[THREAT_LIMIT] or control[STOP] != 0:
        control[CUT] = 1
    return control[CUT] != 0


@njit
def insert(state: Any, base: int, size: int, cell: int, score: int) -> int:
    """Add a move to the list at `base`, best score first, up to ROOM; the new size."""
    if size == ROOM:
        if state[base + ROOM + size - 1] >= score:
            return size
        size -= 1
    i = size
    while i > 0 and (
        state[base + ROOM + i - 1] < score
        or (state[base + ROOM + i - 1] == score and state[base + i - 1] > cell)
    ):
        state[base + i] = state[base + i - 1]
        state[base + ROOM + i] = state[base + ROOM + i - 1]
        i -= 1
    state[base + i] = cell
    state[base + ROOM + i] = score
    return size + 1


@njit
def _in_reach(cell: int, stone: int) -> bool:
    """Whether two points lie in one line, close enough to be part of one five."""
    rows, cols = abs(cell // WIDTH - stone // WIDTH), abs(cell % WIDTH - stone % WIDTH)
    return max(rows, cols) <= 4 and (rows == cols or rows == 0 or cols == 0)


@njit
def _attacks(state: Any, attacker: int, ply: int, only_fours: bool, last: int, before: int) -> int:
    """List the attacker's forcing moves for `ply`, most promising first; how many.

    Where `last` is a cell, only those in reach of it or of `before`, the last two of its stones.
    """
    base, size = MOVES + ply * 2 * ROOM, 0
    forcing = FORCING + (attacker - 1) * MOST
    for i in range(state[FORCINGS + attacker - 1]):
        cell = state[forcing + i]
        worth = state[WORTH + (attacker - 1) * CELLS + cell]
        kind = worth & 15
        fits = kind == MAKES_FOUR or kind >= FOUR_AND_THREE
        if last >= 0 and not (_in_reach(cell, last) or (before >= 0 and _in_reach(cell, before))):
            continue
        if fits or not only_fours:
            against = state[WORTH + (2 - attacker) * CELLS + cell] >> 4
            size = insert(state, base, size, cell, 2 * (worth >> 4) + against)
    return size


@njit(nogil=True)
def fours(
    state: Any, control: Any, shapes: Any, worth: Any, memo: Any, attacker: int, ply: int
) -> int:
    """Whether `attacker`, to move, wins by fours: plies to the five, 0 when it does not.

    The winning line is left at `ply`; it ends with the five or with a move that makes two.
    """
    other = 3 - attacker
    if count_of(state, attacker, WINS) > 0:
        _set_line(state, ply, first_of(state, attacker, WINS))
        return 1
    pressing = count_of(state, other, WINS)
    if pressing > 1 or ply + 4 > DEEPEST:
        return 0
    if pressing == 0 and count_of(state, attacker, WINS_NEXT) > 0:
        _set_line(state, ply, first_of(state, attacker, WINS_NEXT))
        return 3
    total = count_of(state, attacker, MAKES_FOUR) + count_of(state, attacker, FOUR_AND_THREE)
    if total + count_of(state, attacker, WINS_NEXT) == 0:
        return 0
    key = control[HASH] ^ number(attacker, 1)
    slot = key & (memo.size - 1)
    if memo[slot] == key or _spent(control):
        return 0
    base = MOVES + ply * 2 * ROOM
    if pressing == 1:
        forced = first_of(state, other, WINS)
        kind = kind_of(state, attacker, forced)
        if kind == WINS_NEXT:
            _set_line(state, ply, forced)
            return 3
        size = 1 if kind in (MAKES_FOUR, FOUR_AND_THREE) else 0
        state[base] = forced
    else:
        size = _attacks(state, attacker, ply, True, -1, -1)
    for i in range(size):
        move = state[base + i]
        put(state, control, shapes, worth, move, attacker)
        answer = five_near(state, attacker, move)
        put(state, control, shapes, worth, answer, other)
        found = fours(state, control, shapes, worth, memo, attacker, ply + 2)
        take(state, control, shapes, worth, answer)
        take(state, control, shapes, worth, move)
        if found > 0:
            state[LINE + ply * LONGEST] = move
            state[LINE + ply * LONGEST + 1] = answer
            extend_line(state, ply, 2)
            return found + 2
        if control[CUT] != 0:
            return 0
    memo[slot] = key
    return 0


@njit
def _note(state: Any, base: int, size: int, cell: int) -> int:
    """Add a point to the set at `base` unless it is in; -1 when there is no room for it."""
    if size < 0 or state[SEEN + cell] == state[STAMP]:
        return size
    if size == ROOM:
        return -1
    state[SEEN + cell] = state[STAMP]
    state[base + size] = cell
    return size + 1


@njit
def _note_in_line(state: Any, base: int, size: int, cell: int, colour: int, least: int) -> int:
    """Add the empty points in line with `cell` where `colour` makes a four or, for `least` WINS,
    a five."""
    for d in range(4):
        step = 1 if d == 0 else WIDTH - 2 + d
        for side in range(2):
            at = cell
            for _ in range(4):
                at = at + step if side == 0 else at - step
                here = state[BOARD + at]
                if here != EMPTY and here != colour:
                    break
                if here == EMPTY:
                    kind = kind_of(state, colour, at)
                    if kind >= least and (kind == MAKES_FOUR or kind >= FOUR_AND_THREE):
                        size = _note(state, base, size, at)
    return size


@njit(nogil=True)
def defences(
    state: Any, control: Any, shapes: Any, worth: Any, attacker: int, line: int, ply: int
) -> int:
    """List, for `ply`, every move that could spoil the attacker's win by fours in the line `line`.

    These are the points of the line, all points where one of its fours could become five, and the
    defender's own fours, now or with the stones that the line makes it put. With any other stone on
    the board the same line still wins. Gives how many, or -1 when there are too many to list.
    """
    other = 3 - attacker
    base, size = MOVES + ply * 2 * ROOM, 0
    first, length = LINE + line * LONGEST, state[LINE_LENGTH + line]
    state[STAMP] += 1
    for i in range(length):
        cell = state[first + i]
        size = _note(state, base, size, cell)
        put(state, control, shapes, worth, cell, attacker if i % 2 == 0 else other)
        if i % 2 == 0:
            size = _note_in_line(state, base, size, cell, attacker, WINS)
        else:
            size = _note_in_line(state, base, size, cell, other, MAKES_FOUR)
    for i in range(length - 1, -1, -1):
        take(state, control, shapes, worth, state[first + i])
    for i in range(state[FORCINGS + other - 1]):
        cell = state[FORCING + (other - 1) * MOST + i]
        kind = kind_of(state, other, cell)
        if kind == MAKES_FOUR or kind >= FOUR_AND_THREE:
            size = _note(state, base, size, cell)
    return size


@njit
def _favour(state: Any, base: int, size: int, cell: int) -> None:
    """Move `cell` to the front of a list if it is in it."""
    for i in range(1, size):
        if state[base + i] == cell:
            state[base + i] = state[base]
            state[base] = cell
            return


@njit(nogil=True)
def threats(
    state: Any,
    control: Any,
    shapes: Any,
    worth: Any,
    memo: Any,
    attacker: int,
    depth: int,
    ply: int,
    narrow: bool,
    last: int,
    before: int,
) -> int:
    """Whether `attacker`, to move, wins with at most `depth` threats before the last fours.

    A `narrow` search looks only at threats that build on the attacker's last two stones, `last` and
    `before` (-1 at the root): it misses wins that jump about, and reaches deeper. Gives the plies
    to the five against the longest defence found, 0 when there is no such win. The line against
    that defence is left at `ply`.
    """
    won = fours(state, control, shapes, worth, memo, attacker, ply)
    other = 3 - attacker
    pressing = count_of(state, other, WINS)
    if won > 0 or depth == 0 or pressing > 1 or control[CUT] != 0 or ply + 6 > DEEPEST:
        return won
    key = control[HASH] ^ number(attacker * 64 + depth, 2)
    if narrow:
        key ^= number(last + 2, 3) ^ number(before + 2, 4)
    slot = key & (memo.size - 1)
    if memo[slot] == key or _spent(control):
        return 0
    base = MOVES + ply * 2 * ROOM
    if pressing == 1:
        state[base], size, left = first_of(state, other, WINS), 1, depth
    else:
        size, left = _attacks(state, attacker, ply, False, last, before), depth - 1
    for i in range(size):
        move = state[base + i]
        put(state, control, shapes, worth, move, attacker)
        replies, many = MOVES + (ply + 1) * 2 * ROOM, 0
        if count_of(state, attacker, WINS) > 0:
            state[replies], many = five_near(state, attacker, move), 1
        elif fours(state, control, shapes, worth, memo, attacker, ply + 1) > 0:
            many = defences(state, control, shapes, worth, attacker, ply + 1, ply + 1)
            _favour(state, replies, many, state[KILLERS + ply])
        longest = 0
        for j in range(many):
            reply = state[replies + j]
            put(state, control, shapes, worth, reply, other)
            found = threats(
                state,
                control,
                shapes,
                worth,
                memo,
                attacker,
                left,
                ply + 2,
                narrow,
                move if narrow else last,
                last,
            )
            take(state, control, shapes, worth, reply)
            if found == 0:
                state[KILLERS + ply] = reply
                longest = 0
                break
            if found >= longest:
                longest = found
                state[LINE + ply * LONGEST] = move
                state[LINE + ply * LONGEST + 1] = reply
                extend_line(state, ply, 2)
        take(state, control, shapes, worth, move)
        if longest > 0:
            return longest + 2
        if control[CUT] != 0:
            return 0
    memo[slot] = key
    return 0
