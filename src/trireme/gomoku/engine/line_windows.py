"""Line windows: the eleven points of a line around a point, numbered up to direction.

A window is a point with the five points to either side of it in one line, each empty, black, white
or off the board: 397,488 cases. The table network maps a window and its mirror image, one *row*, to
the same numbers, which leaves 199,290. Needs only NumPy: training on a bare GPU machine uses it.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RADIUS = 5
POINTS = 2 * RADIUS + 1
KEY_BITS = 20
"""A line key: the ten points around the middle, two bits each, as the engine's board keeps them."""
WINDOWS = 397_488
ROWS = 199_290
"""Windows up to direction."""
OFF_BOARD = 3
HALF_BITS = 2 * RADIUS
HALF = (1 << HALF_BITS) - 1
LOW_BITS = 0x155555
"""The lower of the two bits of each of the eleven points."""

HALVES = 364
"""Cases of the five points to one side: 0 to 5 of them on the board."""

Numbers = NDArray[np.int64]


class LineWindows(NamedTuple):
    """Every window, and how to find its row; not to be written to."""

    row_of_line: NDArray[np.int32]
    """int32[3 * 2**20], by `middle << 20 | line key`: the row; 0 where no board has such a line."""
    points: NDArray[np.int8]
    """int8[ROWS, 11]: the window of each row, in the direction that has the lower number."""
    swapped: NDArray[np.int32]
    """int32[ROWS]: the row of the same window with black and white exchanged."""
    half_index: NDArray[np.int16]
    """int16[2, 1024], by the five points before and after the middle, as in a line key: a number
    below HALVES, fewest stones first, so that windows often met lie close together."""
    row_of_window: NDArray[np.int32]
    """int32[WINDOWS], by `(before * HALVES + after) * 3 + middle` with these numbers: the row."""


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
    swapped = np.searchsorted(numbers, _exchanged(numbers)).astype(np.int32)
    half_index = _half_index(keys)
    windows = (half_index[0, before].astype(np.int64) * HALVES + half_index[1, after]) * 3
    row_of_window = np.zeros(WINDOWS, np.int32)
    row_of_window[np.concatenate([windows + middle for middle in range(3)])] = rows
    return LineWindows(row_of_line, points, swapped, half_index, row_of_window)


def _half_index(keys: Numbers) -> NDArray[np.int16]:
    index = np.zeros((2, HALF + 1), np.int16)
    for side, halves in enumerate((np.unique(keys & HALF), np.unique(keys >> HALF_BITS))):
        low, high = halves & LOW_BITS, halves >> 1 & LOW_BITS
        stones = sum((low ^ high) >> (2 * place) & 1 for place in range(RADIUS))
        index[side, halves[np.argsort(stones, kind="stable")]] = np.arange(HALVES)
    return index


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
    return np.asarray(hot.reshape(len(points), 3 * POINTS), np.float32)
