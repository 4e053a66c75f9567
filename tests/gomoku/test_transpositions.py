"""The transposition table: an entry says no more than what was found out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme.gomoku.engine.memory_kernels import PROVEN_WIN, WIN, Int64s
from trireme.gomoku.engine.transposition_kernels import (
    EXACT,
    LOWER_BOUND,
    UNKNOWN,
    UPPER_BOUND,
    cutoff_value,
    hash_move,
    probe,
    store,
)

KEY, OTHER_KEY, GENERATION, MOVE, PLY = 0b1000, 0b11000, 7, 300, 4
VALUES = st.integers(-9_999, 9_999)


def table_with(depth: int, bound: int, value: int, ply: int = PLY) -> Int64s:
    table = np.zeros((8, 2), np.int64)
    store(table, GENERATION, KEY, depth, bound, value, MOVE, ply)
    return table


def entry_of(table: Int64s, key: int = KEY, generation: int = GENERATION, kept: int = 1) -> int:
    return int(probe(table, generation, kept, key))


@given(VALUES, st.integers(0, 60), st.sampled_from([EXACT, LOWER_BOUND, UPPER_BOUND]))
def test_what_is_stored_is_found_again(value: int, depth: int, bound: int) -> None:
    entry = entry_of(table_with(depth, bound, value))
    assert hash_move(entry) == MOVE
    alpha = value if bound == UPPER_BOUND else value - 1
    assert cutoff_value(entry, depth, alpha, alpha + 1, PLY) == value
    assert cutoff_value(entry, depth - 1, alpha, alpha + 1, PLY) == value


def test_an_unknown_position_has_no_move_and_no_value() -> None:
    entry = entry_of(table_with(3, EXACT, 5), OTHER_KEY)
    assert hash_move(entry) == -1
    assert cutoff_value(entry, 0, -10, 10, PLY) == UNKNOWN


@given(st.integers(1, 80), st.integers(0, 60), st.integers(0, 60), st.sampled_from([1, -1]))
def test_distances_count_from_the_position_wherever_it_is_met(
    plies: int, stored: int, met: int, sign: int
) -> None:
    """A forced result in `plies` from the position is one in `ply + plies` from the root."""
    table = table_with(2, EXACT, sign * (WIN - stored - plies), ply=stored)
    assert cutoff_value(entry_of(table), 2, -WIN, WIN, met) == sign * (WIN - met - plies)


@given(VALUES, st.sampled_from([EXACT, LOWER_BOUND, UPPER_BOUND]))
def test_a_shallower_result_is_not_used(value: int, bound: int) -> None:
    entry = entry_of(table_with(4, bound, value))
    for alpha in (value - 1, value, value + 1):
        assert cutoff_value(entry, 5, alpha, alpha + 1, PLY) == UNKNOWN


@pytest.mark.parametrize("sign", [1, -1])
def test_a_proof_holds_at_every_depth(sign: int) -> None:
    value = sign * (WIN - PLY - 9)
    assert abs(value) >= PROVEN_WIN
    assert cutoff_value(entry_of(table_with(1, EXACT, value)), 50, -WIN, WIN, PLY) == value


@pytest.mark.parametrize(
    ("bound", "below", "inside", "above"),
    [
        (EXACT, True, True, True),
        (LOWER_BOUND, False, False, True),
        (UPPER_BOUND, True, False, False),
    ],
)
def test_a_bound_is_used_only_where_it_decides(
    bound: int, below: bool, inside: bool, above: bool
) -> None:
    """The window lies so that the value is at or below alpha, inside, at or above beta."""
    entry = entry_of(table_with(3, bound, 100))
    windows = {(100, 200): below, (50, 150): inside, (0, 100): above}
    for (alpha, beta), used in windows.items():
        assert (cutoff_value(entry, 3, alpha, beta, PLY) == 100) == used


@pytest.mark.parametrize(
    ("generation", "kept", "counts"),
    [(7, 1, True), (8, 1, False), (8, 2, True), (10, 3, False), (10, 4, True), (6, 200, False)],
)
def test_only_entries_of_the_kept_generations_count(
    generation: int, kept: int, counts: bool
) -> None:
    table = table_with(3, EXACT, 5)
    assert (entry_of(table, generation=generation, kept=kept) >= 0) == counts


def test_no_entry_counts_where_no_generation_is_kept() -> None:
    assert entry_of(table_with(3, EXACT, 5), kept=0) == -1


def test_of_two_entries_in_a_bucket_the_deeper_one_stays() -> None:
    table = table_with(5, EXACT, 5)
    store(table, GENERATION, OTHER_KEY, 3, EXACT, 6, MOVE, PLY)
    store(table, GENERATION, KEY + (1 << 10), 4, EXACT, 7, MOVE, PLY)
    found = [entry_of(table, key) >= 0 for key in (KEY, OTHER_KEY, KEY + (1 << 10))]
    assert found == [True, False, True]


def test_an_older_entry_gives_way_however_deep_it_is() -> None:
    table = table_with(9, EXACT, 5)
    store(table, GENERATION + 1, OTHER_KEY, 1, EXACT, 6, MOVE, PLY)
    assert entry_of(table, KEY, GENERATION + 1, 2) == -1
    assert entry_of(table, OTHER_KEY, GENERATION + 1, 1) >= 0
