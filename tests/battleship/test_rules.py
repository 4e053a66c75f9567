"""What the rulebook of Battleship says, alone on the water."""

import pytest

from trireme import CHANCE, BadSettings, BadText, IllegalAction, make_game, play
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Salvo, Shot

from .positions import FLEET, fired


def test_the_fleet_goes_by_the_smaller_side() -> None:
    fleets = {(5, 5): (3, 2), (7, 12): (3, 2), (8, 8): (3, 3, 2), (9, 11): (3, 3, 2)}
    fleets |= {(10, 10): (5, 4, 3, 3, 2), (12, 12): (5, 4, 3, 3, 2)}
    for (rows, cols), sizes in fleets.items():
        assert Battleship(rows, cols).boards[0].sizes == sizes


def test_ships_have_names_and_never_the_same_twice() -> None:
    names = Battleship().boards[0].names
    assert names == ("carrier", "battleship", "cruiser", "submarine", "destroyer")
    many = Battleship(12, 12, fleet=(2, 6, 2, 2, 1)).boards[0]
    assert many.sizes == (6, 2, 2, 2, 1)
    assert many.names == ("ship of 6", "destroyer", "destroyer 2", "destroyer 3", "boat")


def test_nature_places_first_and_then_the_seat_fires() -> None:
    game = Battleship()
    assert game.to_move(game.start()) == (CHANCE,)
    assert game.to_move(fired(game, FLEET, "")) == (0,)


def test_shots_are_answered_miss_hit_and_sunk_by_name() -> None:
    state = fired(Battleship(), FLEET, "J10 I1 I2 E1 E3 E2")
    assert state.seas[0].shots == (
        Shot((9, 9), "miss"),
        Shot((8, 0), "hit"),
        Shot((8, 1), "sunk", "destroyer"),
        Shot((4, 0), "hit"),
        Shot((4, 2), "hit"),
        Shot((4, 1), "sunk", "cruiser"),
    )
    assert state.seas[0].afloat == ("carrier", "battleship", "submarine")


def test_the_game_ends_with_the_last_ship_and_the_score_is_minus_the_shots() -> None:
    game = Battleship(5, 5)
    state = fired(game, "A1-A3 C1-C2", "A1 A2 A3 E5 C1")
    assert game.to_move(state) == (0,)
    state = game.apply(state, {0: game.read("C2")})
    assert game.to_move(state) == ()
    assert game.stage(state) == "over"
    assert game.returns(state) == (-6.0,)


def test_a_forfeit_is_no_better_than_any_played_game() -> None:
    game = Battleship(5, 5)
    worst = fired(game, "A1-A3 E4-E5", " ".join(f"{r}{c}" for r in "ABCDE" for c in range(1, 6)))
    assert game.forfeit(game.start(), {0}) <= game.returns(worst)
    mined = Battleship(5, 5, mines=4)  # each costs a shot
    assert mined.forfeit(mined.start(), {0}) == (-29.0,)


@pytest.mark.parametrize(
    ("shot", "said"),
    [("A1", "already"), ("K1", "not on the board"), ("A11", "not on the board")],
)
def test_a_shot_off_the_board_or_at_a_cell_shot_before_is_illegal(shot: str, said: str) -> None:
    game = Battleship()
    state = fired(game, FLEET, "A1")
    with pytest.raises(IllegalAction, match=said):
        game.check(state, 0, game.read(shot))


def test_one_shot_a_turn_and_no_fleet_while_firing() -> None:
    game = Battleship()
    state = fired(game, FLEET, "A1")
    with pytest.raises(IllegalAction, match="one cell"):
        game.check(state, 0, game.read("B1+B2"))
    with pytest.raises(IllegalAction, match="not a fleet"):
        game.check(state, 0, game.read(FLEET))
    with pytest.raises(IllegalAction, match="expected a fleet"):
        game.check(game.start(), CHANCE, game.read("A1"))


def test_the_legal_shots_are_the_cells_not_yet_shot_at() -> None:
    game = Battleship(5, 5)
    legal = game.legal(fired(game, "A1-A3 C1-C2", "A1 E5"), 0)
    texts = {game.write(action) for action in legal}
    assert len(texts) == 23
    assert not texts & {"A1", "E5"}


def test_the_seat_never_sees_the_fleet_before_the_end() -> None:
    game = Battleship(5, 5)
    state = fired(game, "A1-A3 C1-C2", "A1 A2 A3 C1")
    for seat in (0, None):
        assert game.view(state, seat).seas[0].fleet is None
    over = game.apply(state, {0: game.read("C2")})
    assert game.view(over, 0).seas[0].fleet == game.read("A1-A3 C1-C2")
    assert game.hides(CHANCE, game.read("A1-A3 C1-C2"), 0)
    assert not game.hides(0, game.read("A1"), None)


def test_a_fleet_by_hand_is_natures_opening_move() -> None:
    game = make_game("battleship", placement="manual")
    with pytest.raises(IllegalAction, match="by hand"):
        game.draw(game.start(), None)  # type: ignore[arg-type]
    result = play(game, ["random"], seed=1, opening=[{CHANCE: FLEET}])
    assert result.state.seas[0].fleet == game.read(FLEET)
    assert result.state.seas[0].afloat == ()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rows": 4}, "rows must be 5 to 12, not 4"),
        ({"cols": 13}, "cols must be 5 to 12, not 13"),
        ({"fleet": ()}, "at least 1 cell"),
        ({"fleet": (3, 0)}, "at least 1 cell"),
        ({"rows": 5, "cols": 5, "fleet": (6,)}, "does not fit on 5×5.*it fits on 6×6"),
        ({"rows": 5, "cols": 5, "fleet": (5, 5, 5, 5)}, "it fits on 7×7"),
        ({"rows": 12, "cols": 12, "fleet": (13,)}, r"fleet=5\+4\+3\+3\+2 would fit"),
        ({"rows": 12, "cols": 12, "fleet": (12,) * 7}, r"fleet=12\+12\+12\+12\+12\+12 would fit"),
        ({"rows": 5, "cols": 5, "fleet": (5,) * 6, "touching": True}, "it fits on 6×6"),
        ({"fleet": (1,) * 144, "touching": True}, "does not fit on 10×10"),
        ({"fleet": (1,) * 5000, "touching": True}, "at most 144 ships, a cell each, not 5000"),
        ({"placement": "random"}, "must be sequential, uniform or manual"),
        ({"mines": -1}, "mines must be 0 to 41"),
        ({"mines": 42}, "mines must be 0 to 41"),
        ({"simultaneous": True}, "needs a duel"),
        ({"rival_rows": 8}, "needs a duel"),
    ],
)
def test_settings_that_make_no_game_are_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(BadSettings, match=said):
        Battleship(**settings)  # type: ignore[arg-type]


def test_half_the_water_may_be_mined() -> None:
    assert Battleship(mines=41).mines == 41


def test_a_fleet_as_tight_as_can_be_is_accepted_and_placed() -> None:
    for settings in (
        {"rows": 5, "cols": 5, "fleet": (5, 5, 5)},
        {"rows": 5, "cols": 5, "fleet": (1,) * 9},
        {"rows": 5, "cols": 5, "fleet": (5,) * 5, "touching": True},
        {"rows": 12, "cols": 12, "fleet": (12,) * 6},
    ):
        result = play(make_game("battleship", **settings), ["random"], seed=0)
        assert not result.forfeits
        assert result.state.seas[0].afloat == ()


@pytest.mark.parametrize(
    "text",
    ["", " ", "B", "7", "B0", "B13", "M1", "B7C", "12 12", "-1 3", "B7+", "+", "B7+B", "*", "A1-",
     "A1-A", "A1-A5 B", "A1 A2 x", "é1", "B7 7", "\x00", "A1--A5", "*K"],
)  # fmt: skip
def test_garbage_is_no_action_and_the_error_quotes_it(text: str) -> None:
    with pytest.raises(BadText) as error:
        Battleship().read(text)
    assert str(error.value)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("b7", "B7"),
        (" b 7 ", "B7"),
        ("1 6", "B7"),
        ("1,6", "B7"),
        ("l12", "L12"),
        ("c4+B7", "B7+C4"),
        ("c4, b7", "B7+C4"),
        ("b7 c4", "B7+C4"),
        ("a5-a1 f3 - c3", "A1-A5 C3-F3"),
        ("i1-i2 a1-a5", "A1-A5 I1-I2"),
        ("a1-a2; * j 10", "A1-A2 *J10"),
        ("e5-e5", "E5-E5"),
    ],
)
def test_input_is_forgiving_in_form(text: str, written: str) -> None:
    game = Battleship()
    assert game.write(game.read(text)) == written
    assert game.read(written) == game.read(text)


def test_a_fleet_is_checked_before_it_is_placed() -> None:
    game = Battleship(5, 5)
    for wrong in ("A1-A3", "A1-A3 A1-A2", "A1-A4 C1-C2", "A4-A6 C1-C2"):
        with pytest.raises(IllegalAction):
            game.check(game.start(), CHANCE, game.read(wrong))
    game.check(game.start(), CHANCE, game.read("A1-A3 C1-C2"))


def test_a_shot_is_recorded_with_its_row_and_column() -> None:
    game = Battleship()
    assert game.details(game.start(), 0, game.read("C7")) == {"row": 2, "col": 6}
    assert game.details(game.start(), CHANCE, game.read(FLEET)) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" ", "expected a shot such as B7, a salvo such as B7+C4 or a fleet such as A1-A5"),
        ("A1-A5 B7", "expected a ship such as A1-A5 or a mine such as *J10, not 'B7'"),
        ("B7,", "expected a cell such as B7 (row letter, column number), not 'B7,'"),
    ],
)
def test_text_that_is_no_action_hears_what_would_be_one(text: str, message: str) -> None:
    with pytest.raises(BadText) as caught:
        Battleship().read(text)
    assert str(caught.value) == message


def test_a_shot_may_be_a_cell_or_its_index_and_a_salvo_a_list_of_cells() -> None:
    game = Battleship(5, 6)
    assert game.convert(7, 0) == game.convert((1, 1), 0) == Salvo(((1, 1),))
    assert game.convert([(1, 1), (4, 5)], 0) == Salvo(((1, 1), (4, 5)))
    for other in ([(1, 1), "x"], [], None, "A1"):
        assert game.convert(other, 0) is None
    for off_board in (30, -1):
        with pytest.raises(IllegalAction, match="an index from 0 to 29"):
            game.convert(off_board, 0)
