"""Objects that show themselves: short texts, and pictures that hide what is hidden."""

from xml.etree import ElementTree

import pytest

from trireme import Session, draw, make_game, play
from trireme.core.registry import GAMES
from trireme.gomoku.rules import Gomoku


@pytest.mark.parametrize("name", list(GAMES))
def test_everything_shows_itself(name: str) -> None:
    game = make_game(name)
    session = Session(game, ["a"] * game.seats, seed=1)
    result = play(game, ["random"] * game.seats, seed=1)
    for shown in (game, session, result, result.record):
        assert len(repr(shown)) < 400
        picture = shown._repr_html_()
        if picture.startswith("<svg"):
            assert ElementTree.fromstring(picture).attrib["width"]
        assert picture.startswith(("<svg", "<div", "<pre"))
    assert result._repr_html_() == result.record._repr_html_() != session._repr_html_()


def test_texts_say_who_how_long_and_how_it_ended() -> None:
    session = Session(make_game("gomoku", size=9), ["me", "you"], seed=1).play("e5")
    assert repr(session) == "<Session of gomoku: me – you, 1 move, seat 1 to move>"
    assert repr(session.record) == "<Record of gomoku: me – you, 1 move, not finished>"
    both = Session(make_game("navigation"), ["me", "you"], seed=1)
    assert repr(both) == "<Session of navigation: me – you, 0 moves, seats 0 and 1 to move>"
    result = play("gomoku:size=9", ["heuristic", "random"], seed=1)
    said = f"heuristic – random, {len(result.record.moves)} moves, returns 1, -1>"
    assert repr(result) == f"<Result of gomoku: {said}"
    assert repr(result.record) == f"<Record of gomoku: {said}"


def test_a_forfeit_is_shown_with_its_reason() -> None:
    class Wrong:
        def act(self, turn: object) -> str:
            return "a1000"

    result = play("gomoku", [Wrong(), "random"], seed=1)
    assert "returns -1, 1, Wrong forfeits (illegal): " in repr(result)


def test_the_picture_of_a_running_game_hides_the_fleet() -> None:
    game = make_game("battleship")
    fleets = {Session(game, ["a"], seed=seed)._repr_html_() for seed in range(5)}
    assert len(fleets) == 1


def test_a_position_is_drawn_for_its_viewer() -> None:
    game = make_game("battleship", "duel", placement="uniform")
    state = play(game, ["random", "random"], seed=3).record
    placed = list(state.states())[1]
    pictures = {draw(game, placed, seat)._repr_html_() for seat in (0, 1, None)}
    assert len(pictures) == 3
    assert str(draw(game, placed, 0)) == repr(draw(game, placed, 0)) != str(draw(game, placed, 1))


def test_the_stones_of_gomoku_lie_where_the_text_has_them() -> None:
    game = Gomoku(size=9)
    session = Session(game, ["a", "b"], seed=1).play("a1").play("i9")
    root = ElementTree.fromstring(session._repr_html_())
    stones = [
        c.attrib for c in root.iter("{http://www.w3.org/2000/svg}circle") if c.get("r") == "11"
    ]
    left, right = stones
    assert int(left["cx"]) < int(right["cx"])
    assert int(left["cy"]) > int(right["cy"])  # row 1 is at the bottom
    assert (left["fill"], right["fill"]) == ("#1b1b1b", "#fafafa")


def test_the_winning_five_is_marked() -> None:
    won = play("gomoku:size=9", ["heuristic", "random"], seed=1)
    assert won._repr_html_().count('stroke="#d33"') >= 5


def test_a_game_that_is_not_registered_shows_its_view() -> None:
    class Unlisted(Gomoku):
        name = "unlisted"

    assert "GomokuState" in Unlisted()._repr_html_()
