"""Bitsets of places for the kernels of Battleship: counting, finding and walking their bits."""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from trireme.core.jit import njit

ONE = np.uint64(1)
ZERO = np.uint64(0)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_SIX = np.uint64(6)
_LOW6 = np.uint64(63)
_TRUE = ir.Constant(ir.IntType(1), 1)


def _popcount(typing_context: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), code


def _lowest(typing_context: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], _TRUE)

    return types.uint64(types.uint64), code


popcount: Any = intrinsic(_popcount)
"""How many bits of a uint64 are set."""
lowest: Any = intrinsic(_lowest)
"""The number of the lowest set bit of a uint64 that is not 0."""


@njit(inline="always")
def has(bits: Any, p: Any) -> Any:
    """Whether bit `p` of the bitset uint64[W] is set."""
    return bits[p >> _SIX] >> (p & _LOW6) & ONE


@njit(inline="always")
def add(bits: Any, p: Any) -> None:
    """Set bit `p` of the bitset uint64[W]."""
    bits[p >> _SIX] |= ONE << (p & _LOW6)


@njit(inline="always")
def count(bits: Any) -> Any:
    """How many bits of the bitset uint64[W] are set."""
    total = 0
    for w in range(len(bits)):
        total += popcount(bits[w])
    return total


@njit(inline="always")
def listed(bits: Any, out: Any) -> Any:
    """List the set bits of uint64[W] in `out`, lowest first; returns how many."""
    n = np.uint64(0)
    for w in range(np.uint64(len(bits))):
        word = bits[w]
        base = w << _SIX
        while word:
            out[n] = base + lowest(word)
            n += ONE
            word &= word - ONE
    return n


@njit(inline="always")
def above(p: Any, w: Any) -> Any:
    """Word `w` of the bitset of all numbers greater than `p`."""
    base = w << _SIX
    if p < base:
        return ALL
    if p >= base + _LOW6:
        return ZERO
    return ALL << (p - base + ONE)


@njit
def nth(bits: Any, n: Any) -> Any:
    """The number of the n-th set bit of uint64[W], from 0."""
    for w in range(np.uint64(len(bits))):
        here = popcount(bits[w])
        if n < here:
            word = bits[w]
            for _ in range(n):
                word &= word - ONE
            return (w << _SIX) + lowest(word)
        n -= here
    return ZERO
