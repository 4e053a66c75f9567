"""SplitMix64, the random numbers of all kernels: a counter, and a function that mixes its bits.

A stream is one uint64. To draw, add `GOLDEN_GAMMA` to it and take `mix64` of the sum. The plain
twin is `core/splitmix.py`.
"""

from typing import Any

import numpy as np

from .jit import njit

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
"""The odd number nearest 2⁶⁴ / φ: a counter that steps by it visits every state."""
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_HALF = np.uint64(32)


@njit(inline="always")
def mix64(state: Any) -> Any:
    """The 64 random bits of the counter value `state: uint64`."""
    z = (state ^ (state >> np.uint64(30))) * _MIX1
    z = (z ^ (z >> np.uint64(27))) * _MIX2
    return z ^ (z >> np.uint64(31))


@njit(inline="always")
def next_bits(streams: Any, i: Any) -> Any:
    """The next 64 random bits of stream `i` of `streams: uint64[B]`."""
    state = streams[i] + GOLDEN_GAMMA
    streams[i] = state
    return mix64(state)


@njit(inline="always")
def next_below(streams: Any, i: Any, n: Any) -> Any:
    """A random int64 from 0 to n - 1, n < 2³², out of the upper half of the next bits."""
    return np.int64(((next_bits(streams, i) >> _HALF) * np.uint64(n)) >> _HALF)
