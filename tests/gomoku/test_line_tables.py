"""Tables over lines: windows are numbered up to direction, the rest equals the kernels'."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.line_windows import (
    HALVES,
    POINTS,
    ROWS,
    _keys_of_boards,
    line_windows,
    one_hot,
)
from trireme.gomoku.engine.patterns import line_shapes, pattern_tables
from trireme.gomoku.engine.shape_tables import grade_table, kind_table, shape_table


@pytest.mark.parametrize("exact", [True, False])
def test_shapes_grades_and_kinds_equal_those_of_the_kernels(exact: bool) -> None:
    tables = pattern_tables(exact)
    assert np.array_equal(shape_table(exact), line_shapes(exact)[0])
    assert np.array_equal(grade_table(exact), tables.grades)
    assert np.array_equal(kind_table(), tables.ratings & 15)


def kind_by_definition(shapes: list[int]) -> int:
    """The kind of a move by the shapes that it makes in the four lines, case by case."""
    fours, threes = shapes.count(mem.FOUR), shapes.count(mem.OPEN_THREE)
    if mem.FIVE in shapes:
        return mem.MAKES_FIVE
    if mem.OPEN_FOUR in shapes or fours > 1:
        return mem.MAKES_OPEN_FOUR
    if fours:
        return mem.FOUR_THREE if threes else mem.MAKES_FOUR
    if threes:
        return mem.DOUBLE_THREE if threes > 1 else mem.MAKES_THREE
    return mem.BUILDING if max(shapes) >= mem.TWO else mem.QUIET


def test_kinds_of_moves_follow_their_definition() -> None:
    """For every combination of shapes, each by its lowest grade."""
    shapes = range(len(mem.FIRST_GRADE))
    for made in itertools.product(shapes, repeat=4):
        grades = sum(int(mem.FIRST_GRADE[shape]) << (4 * d) for d, shape in enumerate(made))
        assert kind_table()[grades] == kind_by_definition(list(made)), made


def row_of(window: str) -> int:
    """The row of a window written with . x o and # (off the board)."""
    digits = [".xo#".index(letter) for letter in window]
    middle = digits.pop(5)
    key = sum(digit << (2 * place) for place, digit in enumerate(digits))
    return int(line_windows().row_of_line[middle << 20 | key])


def test_a_window_and_its_mirror_image_share_a_row_and_no_others_do() -> None:
    windows = line_windows()
    seen: dict[int, set[str]] = {}
    for window in map("".join, itertools.product(".xo", repeat=9)):
        seen.setdefault(row_of(f"#{window}#"), set()).add(window)
    assert all(group == {w, w[::-1]} for group in seen.values() for w in group)
    assert windows.points.shape == (ROWS, POINTS)
    assert windows.row_of_line.max() == ROWS - 1
    assert row_of("###.xox..o#") == row_of("#o..xox.###") != row_of("##..xox..o#")


def test_a_row_knows_its_window() -> None:
    row = row_of("##x..xo...o")
    found = "".join(".xo#"[digit] for digit in line_windows().points[row])
    assert found in ("##x..xo...o", "o...ox..x##")


def test_exchanging_colours_leads_to_the_row_of_the_exchanged_window() -> None:
    swapped = line_windows().swapped
    assert swapped[row_of("##x..xo...o")] == row_of("##o..ox...x")
    assert np.array_equal(swapped[swapped], np.arange(ROWS))


def test_inputs_tell_black_white_and_the_edge_apart() -> None:
    points = np.array([[0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 1]], np.int8)
    assert np.flatnonzero(one_hot(points)[0]).tolist() == [3, 7, 11, 30]


def test_both_tables_give_a_window_the_same_row() -> None:
    windows, keys = line_windows(), _keys_of_boards()[::97]
    before, after = windows.half_index[0, keys & 1023], windows.half_index[1, keys >> 10]
    for middle in range(3):
        places = (before.astype(np.int64) * HALVES + after) * 3 + middle
        rows = windows.row_of_line[middle << 20 | keys]
        assert (windows.row_of_window[places] == rows).all()
