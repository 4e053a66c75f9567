"""Keys of positions: equal where one analysis would serve both."""

from dataclasses import replace
from typing import Any

import pytest

from trireme.core import positions
from trireme.core.positions import position_key
from trireme.core.registry import make_game
from trireme.core.session import Session


def key(*moves: str, size: int = 9) -> bytes | None:
    session = Session(make_game("gomoku", size=size), ["a", "b"], seed=1)
    for move in moves:
        session.play(move)
    return position_key(session.game, session.state)


def test_positions_that_are_equal_but_for_order_symmetry_or_place_have_one_key() -> None:
    played = key("e5", "e6", "d5", "f6", "c4")
    assert played is not None
    assert len(played) == 16
    assert key("d5", "e6", "c4", "f6", "e5") == played
    assert key("e5", "f5", "e4", "f6", "d3") == played, "mirrored"
    assert key("h9", "h10", "g9", "i10", "f8", size=15) == played, "elsewhere on a larger board"
    assert key("e5", "e6", "d5", "f6", "c3") != played
    assert key("e6", "e5", "f6", "d5", "a1") != played, "colours count"


def test_the_start_and_what_many_games_share_have_no_key() -> None:
    assert key() is None
    assert key("e5", "e6") is None


def test_a_game_that_says_nothing_of_positions_has_a_key_for_each_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    silent = replace(positions.find("gomoku"), positions=None)
    monkeypatch.setattr(positions, "find", lambda _: silent)
    one, other = key("e5", "e6"), key("e6", "e5")
    assert one is not None
    assert one != other
    assert one == key("e5", "e6")


def test_what_is_hidden_does_not_change_a_key() -> None:
    game = make_game("battleship", duel=True, rows=5, cols=5, fleet=(2,))

    def after(*fleets: str) -> Any:
        opening = [dict(enumerate(fleets))]
        session = Session(game, ["a", "b"], seed=0, opening=opening)
        for number, cell in enumerate(["B1", "B1", "C3", "C3", "D2", "D2"]):
            session.move({number % 2: game.read(cell)})
        return position_key(game, session.state)

    assert after("A1-A2", "E4-E5") == after("A4-A5", "E1-E2") is not None
