"""Line windows: the eleven points of a line around a point, numbered up to direction.

A window is a point with the five points to either side of it in one line, each empty, black, white
or off the board: 397,488 cases. A window and its mirror image are one *row* of the table network's
table, which leaves 199,290. Needs only NumPy, because training on a bare GPU machine uses it.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RADIUS = 5
POINTS = 2 * RADIUS + 1
KEY_BITS = 20
"""A line key: the ten points around the middle, two bits each, as the engine's board keeps them."""
ROWS = 199_290
"""Windows up to direction."""
OFF_BOARD = 3
HALF_BITS = 2 * RADIUS
HALF = (1 << HALF_BITS) - 1
LOW_BITS = 0x155555
"""The lower of the two bits of each of the eleven points."""

Numbers = NDArray[np.int64]


class LineWindows(NamedTuple):
    """Every window, and how to find its row; not to be written to."""

    row_of_line: NDArray[np.int32]
    """int32[3 * 2**20], by `middle << 20 | line key`: the row; 0 where no board has such a line."""
    points: NDArray[np.int8]
    """int8[ROWS, 11]: the window of each row, in the direction that has the lower number."""
    swapped: NDArray[np.int32]
    """int32[ROWS]: the row of the same window with black and white exchanged."""


@cache
def line_windows() -> LineWindows:
    """All windows; computed once a process."""
    keys = _keys_of_boards()
    before, after = keys & HALF, keys >> HALF_BITS
    places = np.concatenate([middle << KEY_BITS | keys for middle in range(3)])
    numbers = np.concatenate([_number(before, middle, after) for middle in range(3)])
    numbers, rows = np.unique(numbers, return_inverse=True)
    row_of_line = np.zeros(3 << KEY_BITS, np.int32)
    row_of_line[places] = rows
    points = (numbers[:, None] >> (2 * np.arange(POINTS)) & 3).astype(np.int8)
    swapped = np.searchsorted(numbers, _exchanged(numbers))
    return LineWindows(row_of_line, points, swapped.astype(np.int32))


def _keys_of_boards() -> Numbers:
    """The line keys that boards have: beyond a point off the board, all are off the board."""
    keys = np.arange(1 << KEY_BITS)
    off = [(keys >> (2 * place) & 3) == OFF_BOARD for place in range(2 * RADIUS)]
    good = np.ones(len(keys), bool)
    for place in range(RADIUS - 1):
        good &= ~off[place + 1] | off[place]
        good &= ~off[2 * RADIUS - 2 - place] | off[2 * RADIUS - 1 - place]
    return keys[good]


def _number(before: Numbers, middle: int | Numbers, after: Numbers) -> Numbers:
    """One number for a window and its mirror image: the lower of the two that they spell."""
    halves = np.arange(HALF + 1)
    mirrored = np.zeros(HALF + 1, np.int64)
    for place in range(RADIUS):
        mirrored |= (halves >> (2 * place) & 3) << (2 * (RADIUS - 1 - place))
    here = before | middle << HALF_BITS | after << (HALF_BITS + 2)
    there = mirrored[after] | middle << HALF_BITS | mirrored[before] << (HALF_BITS + 2)
    return np.asarray(np.minimum(here, there))


def _exchanged(numbers: Numbers) -> Numbers:
    """The numbers of windows with black and white exchanged."""
    low = numbers & LOW_BITS
    high = numbers >> 1 & LOW_BITS
    stones = low ^ high
    other = numbers ^ (stones | stones << 1)
    return _number(other & HALF, other >> HALF_BITS & 3, other >> (HALF_BITS + 2))


def one_hot(points: NDArray[np.int8]) -> NDArray[np.float32]:
    """The mapping network's input, float32[N, 33], for windows int8[N, 11].

    For each point in order: is it black, white, off the board?
    """
    hot = points[:, :, None] == np.array([1, 2, OFF_BOARD], np.int8)
    return hot.reshape(len(points), 3 * POINTS).astype(np.float32)
