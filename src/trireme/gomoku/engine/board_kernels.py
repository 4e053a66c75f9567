"""The engine's board: make and undo moves, with the Zobrist hash and every pattern kept up to date.

Indices in the hot loops are unsigned: numba would otherwise test each of them for a negative one.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from trireme.core.jit import linked_njit as njit
from trireme.core.splitmix_kernels import GOLDEN_GAMMA, mix64

from .memory_kernels import (
    CELLS,
    EMPTY,
    KINDS,
    MAKES_FIVE,
    MAKES_THREE,
    MARGIN,
    WALL,
    WIDTH,
    EngineBoard,
    Int32s,
)

as_int = cast("Callable[[Any], int]", np.int64)
"""A number out of an array as int64, so that what is computed from it is int64, too."""


@njit
def zobrist(cell: int, colour: int) -> int:
    """The Zobrist key of a stone: 64 well mixed bits, its part in the hash of a position."""
    return as_int(mix64(np.uint64(cell * 2 + colour) * GOLDEN_GAMMA))


@njit
def grades_of(both: int, colour: int) -> int:
    """The four grades of one colour, four bits each, out of the four bytes of both colours."""
    x = (both >> (4 * (colour - 1))) & 0x0F0F0F0F
    x = (x | (x >> 4)) & 0x00FF00FF
    return (x | (x >> 8)) & 0xFFFF


@njit
def _add_forcing(board: EngineBoard, c: int, cell: int) -> None:
    """Add an empty point to the forcing ones of colour c + 1."""
    size = board.forcing_counts[c]
    board.forcing[c, size] = cell
    board.forcing_index[c, cell] = size
    board.forcing_counts[c] = size + 1


@njit
def _remove_forcing(board: EngineBoard, c: int, cell: int) -> None:
    """Drop a point from the forcing ones of colour c + 1; the last one takes its place."""
    size = board.forcing_counts[c] - 1
    index = board.forcing_index[c, cell]
    last = board.forcing[c, size]
    board.forcing[c, index] = last
    board.forcing_index[c, last] = index
    board.forcing_counts[c] = size


@njit
def mover_value(rating: int) -> int:
    """What a point of this rating is worth to its colour when that is to move."""
    return as_int((rating << 24) >> 48)


@njit
def waiter_value(rating: int) -> int:
    """The same for when the other side is to move."""
    return as_int(rating >> 40)


@njit
def _update_rating(board: EngineBoard, cell: np.uint64) -> None:
    """Bring the rating of an empty point, and the sums over them, up to date."""
    both = as_int(board.grades[cell])
    for c in range(2):
        u = np.uint64(c)
        new = board.rating_table[np.uint64(grades_of(both, c + 1))]
        old = board.ratings[u, cell]
        if new != old:
            board.ratings[u, cell] = new
            board.mover_sums[u] += mover_value(new) - mover_value(old)
            board.waiter_sums[u] += waiter_value(new) - waiter_value(old)
            if (new ^ old) & 15:
                board.kind_counts[u, np.uint64(old & 15)] -= 1
                board.kind_counts[u, np.uint64(new & 15)] += 1
                if (new & 15) >= MAKES_THREE:
                    if (old & 15) < MAKES_THREE:
                        _add_forcing(board, c, as_int(cell))
                elif (old & 15) >= MAKES_THREE:
                    _remove_forcing(board, c, as_int(cell))


@njit
def _count_point(board: EngineBoard, c: int, cell: int, sign: int) -> None:
    """Count an empty point of colour c + 1 in the sums (`sign` 1) or take it out of them (-1)."""
    rating = as_int(board.ratings[c, cell])
    board.kind_counts[c, rating & 15] += sign
    board.mover_sums[c] += sign * mover_value(rating)
    board.waiter_sums[c] += sign * waiter_value(rating)


@njit
def _update_lines(board: EngineBoard, cell: np.uint64, colour: int) -> None:
    """Update the five points to either side in every line after a stone came or went."""
    for d in range(4):
        u = np.uint64(d)
        step = np.uint64(1) if d == 0 else np.uint64(WIDTH - 2 + d)  # 1, 31, 32, 33
        shift = 8 * d
        for side in range(2):
            at = cell
            for distance in range(1, 6):
                at = at + step if side == 0 else at - step
                here = board.stones[at]
                if here == WALL:
                    break
                place = 5 - distance if side == 0 else 4 + distance
                key = board.line_keys[u, at] ^ (colour << (2 * place))
                board.line_keys[u, at] = key
                new = as_int(board.grade_table[np.uint64(key)])
                both = as_int(board.grades[at])
                changed = ((both >> shift) & 255) ^ new
                if changed:
                    board.grades[at] = both ^ (changed << shift)
                    if here == EMPTY:
                        _update_rating(board, at)


@njit
def make_move(board: EngineBoard, cell: int, colour: int) -> None:
    """Put a stone of `colour` on an empty point: one node."""
    board.nodes += 1
    board.stones[cell] = colour
    board.stone_count += 1
    for c in range(2):
        _count_point(board, c, cell, -1)
        if (board.ratings[c, cell] & 15) >= MAKES_THREE:
            _remove_forcing(board, c, cell)
    _update_lines(board, np.uint64(cell), colour)
    board.hash ^= zobrist(cell, colour)


@njit
def undo_move(board: EngineBoard, cell: int) -> None:
    """Take the stone that was put last off again.

    Its point's own kind and score are as they were when it was put: everything since is undone.
    """
    colour = as_int(board.stones[cell])
    board.stones[cell] = EMPTY
    board.stone_count -= 1
    _update_lines(board, np.uint64(cell), colour)
    for c in range(2):
        _count_point(board, c, cell, 1)
        if (board.ratings[c, cell] & 15) >= MAKES_THREE:
            _add_forcing(board, c, cell)
    board.hash ^= zobrist(cell, colour)


@njit
def clear_board(board: EngineBoard, n: int, walls: Int32s) -> None:
    """Set up an empty board of n × n points, less the cells `walls: int32[k]`."""
    for cell in range(CELLS):
        board.stones[cell] = WALL
    for c in range(2):
        board.mover_sums[c] = board.waiter_sums[c] = board.forcing_counts[c] = 0
        for kind in range(KINDS):
            board.kind_counts[c, kind] = 0
    board.hash, board.nodes, board.stone_count, board.area = n, 0, 0, 0
    middle = n - 1
    for distance in range(n + 1):  # rings around the centre, in half points
        for row in range(n):
            for col in range(n):
                if max(abs(2 * row - middle), abs(2 * col - middle)) == distance:
                    cell = (row + MARGIN) * WIDTH + col + MARGIN
                    wall = False
                    for i in range(walls.size):
                        wall |= walls[i] == cell
                    if wall:
                        continue
                    board.stones[cell] = EMPTY
                    board.points[board.area] = cell
                    board.area += 1
    for i in range(board.area):
        cell = as_int(board.points[i])
        _scan_lines(board, cell)
        for c in range(2):
            grades = grades_of(as_int(board.grades[cell]), c + 1)
            board.ratings[c, cell] = board.rating_table[grades]
            _count_point(board, c, cell, 1)


@njit
def _scan_lines(board: EngineBoard, cell: int) -> None:
    """Read the line keys and grades of one point off the board."""
    both = 0
    for d in range(4):
        step = 1 if d == 0 else WIDTH - 2 + d
        key = 0
        before, after = True, True
        for distance in range(1, 6):
            left, right = board.stones[cell - distance * step], board.stones[cell + distance * step]
            before = before and left != WALL
            after = after and right != WALL
            key |= (left if before else WALL) << (2 * (5 - distance))
            key |= (right if after else WALL) << (2 * (4 + distance))
        board.line_keys[d, cell] = key
        both |= as_int(board.grade_table[key]) << (8 * d)
    board.grades[cell] = both


@njit
def kind_of(board: EngineBoard, colour: int, cell: int) -> int:
    """What kind of move a stone of `colour` on an empty point would be."""
    return as_int(board.ratings[colour - 1, cell]) & 15


@njit
def move_score(board: EngineBoard, colour: int, cell: int) -> int:
    """How likely a good player of `colour` is to choose an empty point, as a log-odds score."""
    own, other = as_int(board.ratings[colour - 1, cell]), as_int(board.ratings[2 - colour, cell])
    return ((own >> 4) & 1023) + ((other >> 14) & 1023)


@njit
def count_of(board: EngineBoard, colour: int, kind: int) -> int:
    """How many empty points are of `kind` for `colour`."""
    return as_int(board.kind_counts[colour - 1, kind])


@njit
def first_of(board: EngineBoard, colour: int, kind: int) -> int:
    """An empty point that is of `kind`, MAKES_THREE or more, for `colour`; -1 if there is none.

    Of several it is the lowest cell, whatever the order of the list.
    """
    found = -1
    for i in range(board.forcing_counts[colour - 1]):
        cell = as_int(board.forcing[colour - 1, i])
        if kind_of(board, colour, cell) == kind and (found < 0 or cell < found):
            found = cell
    return found


@njit
def five_near(board: EngineBoard, colour: int, cell: int) -> int:
    """A point in line with the stone at `cell` where `colour` makes five; -1 if none."""
    for d in range(4):
        step = 1 if d == 0 else WIDTH - 2 + d
        for side in range(2):
            at = cell
            for _ in range(4):
                at = at + step if side == 0 else at - step
                here = board.stones[at]
                if here == EMPTY:
                    if kind_of(board, colour, at) == MAKES_FIVE:
                        return at
                elif here != colour:
                    break
    return -1
