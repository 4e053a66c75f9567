"""Encodings: what a network sees is what the side to move sees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme.gomoku.encode import board_array, encoder, symmetric
from trireme.gomoku.rules import Gomoku

from .positions import played

GAME = Gomoku(size=9)


def test_planes_are_own_stones_then_theirs_then_colour_then_last() -> None:
    planes = encoder(GAME).planes(played(GAME, "a1", "b1", "c2"))
    assert planes.shape == (4, 9, 9)
    assert np.argwhere(planes[0]).tolist() == [[0, 1]]
    assert np.argwhere(planes[1]).tolist() == [[0, 0], [1, 2]]
    assert not planes[2].any()
    assert np.argwhere(planes[3]).tolist() == [[1, 2]]


def test_before_the_first_stone_black_is_to_move_and_nothing_was_last() -> None:
    planes = encoder(GAME).planes(GAME.start())
    assert planes[2].all()
    assert not planes[[0, 1, 3]].any()


@given(st.sampled_from([GAME, Gomoku(size=5, opening="swap2")]), st.data())
def test_index_and_action_undo_each_other(game: Gomoku, data: st.DataObject) -> None:
    code = encoder(game)
    index = data.draw(st.integers(0, code.num_actions - 1))
    assert code.index(code.action(index)) == index


def test_the_mask_marks_the_legal_actions_and_nothing_once_the_game_is_over() -> None:
    code = encoder(GAME)
    state = played(GAME, "a1", "b1")
    assert np.flatnonzero(~code.mask(state)).tolist() == [0, 1]
    won = played(GAME, "a1", "a3", "b1", "b3", "c1", "c3", "d1", "d3", "e1")
    assert not code.mask(won).any()


def test_swap2_masks_points_while_a_choice_is_due() -> None:
    game = Gomoku(size=5, opening="swap2")
    code = encoder(game)
    assert not code.mask(game.start())[25:].any()
    choosing = played(game, "a1", "b1", "c1")
    assert np.flatnonzero(code.mask(choosing)).tolist() == [25, 26, 27]


@pytest.mark.parametrize("index", [-1, 81, 1000])
def test_an_index_off_the_board_is_refused(index: int) -> None:
    with pytest.raises(IndexError, match="from 0 to 80"):
        encoder(GAME).action(index)


def test_the_eight_symmetries_are_all_different_and_keep_the_stones() -> None:
    board = board_array(GAME, played(GAME, "a1", "b1", "c2"))
    images = {symmetric(board, s).tobytes() for s in range(8)}
    assert len(images) == 8
    assert all(np.abs(symmetric(board, s)).sum() == 3 for s in range(8))
