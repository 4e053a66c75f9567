"""SplitMix64 in plain Python: the same numbers from a seed on every machine and in every version.

The algorithm is https://prng.di.unimi.it/splitmix64.c; kernels use `splitmix_kernels.py`.
"""

from __future__ import annotations

_BITS = 0xFFFFFFFFFFFFFFFF


class SplitMix64:
    """A stream of random whole numbers."""

    def __init__(self, seed: int) -> None:
        self.state = seed & _BITS

    def next(self) -> int:
        """The next 64 bits.

        >>> hex(SplitMix64(0).next())
        '0xe220a8397b1dcdaf'
        """
        self.state = (self.state + 0x9E3779B97F4A7C15) & _BITS
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _BITS
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _BITS
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, n < 2³²: the upper half of the next bits, times n, >> 32."""
        return ((self.next() >> 32) * n) >> 32
