"""SplitMix64: the kernel's numbers are those of the plain twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trireme.core.splitmix import SplitMix64
from trireme.core.splitmix_kernels import next_below, next_bits


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**32 - 1))
def test_kernel_and_plain_twin_draw_the_same(seed: int, n: int) -> None:
    plain, streams = SplitMix64(seed), np.array([7, seed], np.uint64)
    assert int(next_bits(streams, 1)) == plain.next()
    assert int(next_below(streams, 1, n)) == plain.below(n)
    assert int(streams[1]) == plain.state
    assert int(streams[0]) == 7


def test_the_published_numbers_of_seed_1234567() -> None:
    draw = SplitMix64(1234567)
    assert [draw.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]
