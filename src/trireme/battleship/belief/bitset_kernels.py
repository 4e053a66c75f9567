"""Bitsets: population count (popcount), set-bit iteration, and masks of a board's cells."""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from trireme.core.jit import njit

U = np.uint64
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
"""How many bits of a uint64 are set (the population count)."""
lowest: Any = intrinsic(_lowest)
"""The index of the lowest set bit of a uint64 that is not 0 (count trailing zeros)."""


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
def list_bits(bits: Any, out: Any) -> Any:
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


@njit(inline="always")
def mask_has(m0: Any, m1: Any, m2: Any, cell: Any) -> Any:
    """Whether `cell` is set in the mask of cells whose three words are m0, m1 and m2."""
    word = m0 if cell < U(64) else m1 if cell < U(128) else m2
    return word >> (cell & _LOW6) & ONE


@njit(inline="always")
def mask_with(m0: Any, m1: Any, m2: Any, cell: Any) -> Any:
    """The three words of a mask of cells with `cell` set as well."""
    if cell < U(64):
        m0 |= ONE << cell
    elif cell < U(128):
        m1 |= ONE << (cell - U(64))
    else:
        m2 |= ONE << (cell - U(128))
    return m0, m1, m2


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
