"""Views and shots as arrays."""

import numpy as np
import pytest

from trireme import make_game
from trireme.battleship.encode import encoder
from trireme.battleship.rules import Battleship

from .positions import FLEET, dueling, fired


def test_planes_show_what_the_seat_knows() -> None:
    game = Battleship()
    state = fired(game, FLEET, "I1 I2 A1 J10")
    planes = encoder(game).planes(game.view(state, 0))
    assert planes.shape == encoder(game).shape == (9, 10, 10)
    assert planes.dtype == np.int8
    misses, hits, sunk, unknown = planes[:4]
    assert np.argwhere(misses).tolist() == [[9, 9]]
    assert np.argwhere(hits).tolist() == [[0, 0], [8, 0], [8, 1]]
    assert np.argwhere(sunk).tolist() == [[8, 0], [8, 1]]
    assert unknown.sum() == 96
    assert planes[4:].max(axis=(1, 2)).tolist() == [1, 1, 1, 1, 0]


def test_an_index_is_a_cell_row_by_row() -> None:
    game = Battleship(8, 12)
    code = encoder(game)
    assert code.num_actions == 96
    for index in range(96):
        assert code.index(code.action(index)) == index
    assert game.write(code.action(18)) == "B7"
    with pytest.raises(IndexError, match="0 to 95, not 96"):
        code.action(96)
    with pytest.raises(ValueError, match="single shot"):
        code.index(game.read("A1-A3"))


def test_the_mask_is_the_legal_shots() -> None:
    game = Battleship(5, 5)
    code = encoder(game)
    state = fired(game, "A1-A3 C1-C2", "A1 E5")
    mask = code.mask(game.view(state, 0))
    assert set(np.flatnonzero(mask)) == {code.index(a) for a in game.legal(state, 0)}
    assert not code.mask(game.view(game.start(), 0)).any()


def test_boards_of_different_size_share_one_frame() -> None:
    game = Battleship(5, 6, duel=True, rival_rows=7, rival_cols=5)
    code = encoder(game)
    assert code.shape == (4 + 2 + 2, 7, 6)
    state = dueling(game, ("A1-A3 C1-C2", "A1-A3 C1-C2"), "G5", "A1")
    first, second = (code.mask(game.view(state, seat)).reshape(7, 6) for seat in (0, 1))
    assert (first.sum(), second.sum()) == (34, 29)
    own = code.planes(game.view(state, 0))[-2:]
    assert (own[0].sum(), np.argwhere(own[1]).tolist()) == (5, [[0, 0]])
    assert not code.planes(game.view(state, 1))[0, :, 5].any()


def test_a_salvo_is_several_indices() -> None:
    game = Battleship(5, 5, salvo=True)
    code = encoder(game)
    view = game.view(fired(game, "A1-A3 C1-C2", ""), 0)
    assert code.picks(view) == 2
    assert game.write(code.action(7, 3)) == "A4+B3"
    assert code.indices(code.action(7, 3)) == [3, 7]


def test_only_battleship_is_encoded() -> None:
    with pytest.raises(TypeError, match="Battleship"):
        encoder(make_game("gomoku"))
