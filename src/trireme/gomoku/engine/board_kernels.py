"""The engine's position: stones put and taken back, with every pattern kept up to date.

All kernels work on `state: int32[WORDS]` and `control: int64[CONTROLS]` as `layout` maps them, and
read two tables: `shapes: uint8[2**20]` by line key and `worth: int32[2**16]` by four shapes. Points
are cells of the padded grid, colours are 1 (black) and 2 (white).
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit
from trireme.core.splitmix_kernels import GOLDEN_GAMMA, mix64

from .memory_kernels import (
    AREA,
    BOARD,
    CELLS,
    COUNT,
    EMPTY,
    FORCING,
    FORCINGS,
    HASH,
    KEY,
    MAKES_THREE,
    MARGIN,
    MOST,
    NODES,
    PLACE,
    PLACED,
    POINTS,
    SHAPES,
    TOTAL,
    WALL,
    WIDTH,
    WINS,
    WORTH,
)


@njit
def number(cell: int, colour: int) -> Any:
    """A well mixed 64-bit number for a stone, the part it has in a position's hash."""
    return np.int64(mix64(np.uint64(cell * 2 + colour) * GOLDEN_GAMMA))


@njit
def half(bytes_: Any, colour: int) -> Any:
    """The four shapes of one colour, four bits each, out of the four bytes of both colours."""
    x = (bytes_ >> (4 * (colour - 1))) & 0x0F0F0F0F
    x = (x | (x >> 4)) & 0x00FF00FF
    return (x | (x >> 8)) & 0xFFFF


@njit
def _enlist(state: Any, c: int, cell: Any) -> None:
    """Add an empty point to the forcing ones of colour c + 1."""
    size = state[FORCINGS + c]
    state[FORCING + c * MOST + size] = cell
    state[PLACE + c * CELLS + cell] = size
    state[FORCINGS + c] = size + 1


@njit
def _strike(state: Any, c: int, cell: Any) -> None:
    """Drop a point from the forcing ones of colour c + 1; the last one takes its place."""
    size = state[FORCINGS + c] - 1
    place = state[PLACE + c * CELLS + cell]
    last = state[FORCING + c * MOST + size]
    state[FORCING + c * MOST + place] = last
    state[PLACE + c * CELLS + last] = place
    state[FORCINGS + c] = size


@njit
def _revalue(state: Any, worth: Any, cell: Any) -> None:
    """Bring kind and score of an empty point, and the sums over them, up to date."""
    bytes_ = np.int64(state[np.uint64(SHAPES) + cell])
    for c in range(2):
        at = np.uint64(WORTH + c * CELLS) + cell
        new, old = worth[np.uint64(half(bytes_, c + 1))], state[at]
        if new != old:
            state[at] = new
            state[np.uint64(COUNT + 8 * c + (old & 15))] -= 1
            state[np.uint64(COUNT + 8 * c + (new & 15))] += 1
            state[np.uint64(TOTAL + c)] += (new >> 4) - (old >> 4)
            if (new & 15) >= MAKES_THREE:
                if (old & 15) < MAKES_THREE:
                    _enlist(state, c, np.int64(cell))
            elif (old & 15) >= MAKES_THREE:
                _strike(state, c, np.int64(cell))


@njit
def _spread(state: Any, shapes: Any, worth: Any, cell: Any, colour: int) -> None:
    """Tell the five points to either side in every line that a stone came or went."""
    for d in range(4):
        step = np.uint64(1) if d == 0 else np.uint64(WIDTH - 2 + d)  # 1, 31, 32, 33
        keys = np.uint64(KEY + d * CELLS)
        shift = 8 * d
        for side in range(2):
            at = cell
            for o in range(1, 6):
                at = at + step if side == 0 else at - step
                here = state[np.uint64(BOARD) + at]
                if here == WALL:
                    break
                place = 5 - o if side == 0 else 4 + o
                key = state[keys + at] ^ (colour << (2 * place))
                state[keys + at] = key
                new = np.int64(shapes[np.uint64(key)])
                bytes_ = np.int64(state[np.uint64(SHAPES) + at])
                changed = ((bytes_ >> shift) & 255) ^ new
                if changed:
                    state[np.uint64(SHAPES) + at] = bytes_ ^ (changed << shift)
                    if here == EMPTY:
                        _revalue(state, worth, at)


@njit
def put(state: Any, control: Any, shapes: Any, worth: Any, cell: int, colour: int) -> None:
    """Put a stone of `colour` on an empty point: one node."""
    control[NODES] += 1
    state[BOARD + cell] = colour
    state[PLACED] += 1
    for c in range(2):
        own = state[WORTH + c * CELLS + cell]
        state[COUNT + 8 * c + (own & 15)] -= 1
        state[TOTAL + c] -= own >> 4
        if (own & 15) >= MAKES_THREE:
            _strike(state, c, cell)
    _spread(state, shapes, worth, np.uint64(cell), colour)
    control[HASH] ^= number(cell, colour)


@njit
def take(state: Any, control: Any, shapes: Any, worth: Any, cell: int) -> None:
    """Take the stone that was put last off again.

    Its point's own kind and score are as they were when it was put: everything since is undone.
    """
    colour = state[BOARD + cell]
    state[BOARD + cell] = EMPTY
    state[PLACED] -= 1
    _spread(state, shapes, worth, np.uint64(cell), colour)
    for c in range(2):
        own = state[WORTH + c * CELLS + cell]
        state[COUNT + 8 * c + (own & 15)] += 1
        state[TOTAL + c] += own >> 4
        if (own & 15) >= MAKES_THREE:
            _enlist(state, c, cell)
    control[HASH] ^= number(cell, colour)


@njit
def clear(state: Any, control: Any, shapes: Any, worth: Any, n: int, walls: Any) -> None:
    """An empty board of n × n points, less the cells `walls: int32[k]`."""
    state[:] = 0
    control[HASH] = n
    state[BOARD : BOARD + CELLS] = WALL
    middle = n - 1
    for distance in range(n + 1):  # rings around the centre, in half points
        for row in range(n):
            for col in range(n):
                if max(abs(2 * row - middle), abs(2 * col - middle)) == distance:
                    cell = (row + MARGIN) * WIDTH + col + MARGIN
                    if np.any(walls == cell):
                        continue
                    state[BOARD + cell] = EMPTY
                    state[POINTS + state[AREA]] = cell
                    state[AREA] += 1
    for i in range(state[AREA]):
        cell = state[POINTS + i]
        _look(state, shapes, cell)
        for c in range(2):
            value = worth[half(np.int64(state[SHAPES + cell]), c + 1)]
            state[WORTH + c * CELLS + cell] = value
            state[COUNT + 8 * c + (value & 15)] += 1
            state[TOTAL + c] += value >> 4


@njit
def _look(state: Any, shapes: Any, cell: int) -> None:
    """Read the keys and shapes of one point off the board."""
    bytes_ = 0
    for d in range(4):
        step = 1 if d == 0 else WIDTH - 2 + d
        key = 0
        before, after = True, True
        for o in range(1, 6):
            before = before and state[BOARD + cell - o * step] != WALL
            after = after and state[BOARD + cell + o * step] != WALL
            key |= (state[BOARD + cell - o * step] if before else WALL) << (2 * (5 - o))
            key |= (state[BOARD + cell + o * step] if after else WALL) << (2 * (4 + o))
        state[KEY + d * CELLS + cell] = key
        bytes_ |= int(shapes[key]) << (8 * d)
    state[SHAPES + cell] = bytes_


@njit
def kind_of(state: Any, colour: int, cell: int) -> Any:
    """What kind of move a stone of `colour` on an empty point would be."""
    return state[WORTH + (colour - 1) * CELLS + cell] & 15


@njit
def count_of(state: Any, colour: int, kind: int) -> Any:
    """How many empty points are of `kind` for `colour`."""
    return state[COUNT + 8 * (colour - 1) + kind]


@njit
def first_of(state: Any, colour: int, kind: int) -> Any:
    """An empty point that is of `kind`, MAKES_THREE or more, for `colour`; -1 if there is none.

    Of several it is the one nearest the top left, whatever the order of the list.
    """
    found = -1
    base = FORCING + (colour - 1) * MOST
    for i in range(state[FORCINGS + colour - 1]):
        cell = state[base + i]
        if kind_of(state, colour, cell) == kind and (found < 0 or cell < found):
            found = cell
    return found


@njit
def five_near(state: Any, colour: int, cell: int) -> int:
    """A point in line with the stone at `cell` where `colour` makes five; -1 if none."""
    for d in range(4):
        step = 1 if d == 0 else WIDTH - 2 + d
        for side in range(2):
            at = cell
            for _ in range(4):
                at = at + step if side == 0 else at - step
                here = state[BOARD + at]
                if here == EMPTY:
                    if kind_of(state, colour, at) == WINS:
                        return at
                elif here != colour:
                    break
    return -1
