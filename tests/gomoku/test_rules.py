"""The rules of Gomoku, stated as examples and as properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.core.errors import BadSettings, BadText, IllegalAction, TriremeError
from trireme.core.registry import make_game
from trireme.gomoku.encode import board_array
from trireme.gomoku.rules import DIRECTIONS, Gomoku, GomokuState, makes_five, winning_line

from .positions import judged, played, with_black

STANDARD, FREESTYLE, SWAP2 = Gomoku(), Gomoku(rule="freestyle"), Gomoku(opening="swap2")
ROW_OF_FIVE = ("a1", "a3", "b1", "b3", "c1", "c3", "d1", "d3", "e1")


def test_black_begins_and_the_colours_alternate() -> None:
    assert Gomoku().seats == 2
    state = played(STANDARD, "h8", "h9", "i8")
    assert state.board() == {(7, 7): 1, (8, 7): -1, (7, 8): 1}
    assert STANDARD.to_move(state) == (1,)


def test_five_in_a_row_win_and_end_the_game() -> None:
    state = played(STANDARD, *ROW_OF_FIVE)
    assert state.winner == 1
    assert STANDARD.to_move(state) == ()
    assert STANDARD.returns(state) == (1.0, -1.0)
    assert winning_line(STANDARD, state) == [(0, col) for col in range(5)]
    with pytest.raises(IllegalAction, match="the game is over"):
        STANDARD.check(state, 1, (14, 14))


def test_white_can_win_too() -> None:
    state = played(STANDARD, "o15", *ROW_OF_FIVE)
    assert state.winner == -1
    assert STANDARD.returns(state) == (-1.0, 1.0)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("length", range(1, 10))
def test_exactly_five_win_at_every_place_of_the_board(
    direction: tuple[int, int], length: int
) -> None:
    down, right = direction
    tried = 0
    for row, col in STANDARD.points:
        line = [(row + i * down, col + i * right) for i in range(length)]
        if any(not 0 <= i < 15 for point in line for i in point):
            continue
        for last in line:
            tried += 1
            assert makes_five(set(line), last, "standard") == (length == 5)
            assert makes_five(set(line), last, "freestyle") == (length >= 5)
    assert tried > 0


def test_six_do_not_win_and_the_game_goes_on() -> None:
    six = [(7, col) for col in range(4, 10)]
    state = with_black(STANDARD, six, last=(7, 7))
    assert state.winner == 0
    assert STANDARD.to_move(state) == (1,)
    assert with_black(FREESTYLE, six, last=(7, 7)).winner == 1


@pytest.mark.parametrize("across", DIRECTIONS)
@pytest.mark.parametrize("along", DIRECTIONS)
def test_a_five_wins_even_when_the_same_stone_makes_an_overline(
    across: tuple[int, int], along: tuple[int, int]
) -> None:
    if across == along:
        return
    six = {(7 + i * across[0], 7 + i * across[1]) for i in range(-2, 4)}
    five = {(7 + i * along[0], 7 + i * along[1]) for i in range(-2, 3)}
    assert makes_five(six | five, (7, 7), "standard")
    won = with_black(STANDARD, six | five, last=(7, 7))
    assert set(winning_line(STANDARD, won)) == five
    assert not makes_five(six, (7, 7), "standard")


def test_a_full_board_without_a_five_is_drawn() -> None:
    game = Gomoku(size=5)
    black = [(r, c) for r, c in game.points if (r + c // 2) % 2 == 0]
    white = [p for p in game.points if p not in black]
    black, white = (black, white) if len(black) > len(white) else (white, black)
    order = [p for pair in zip(black, white, strict=False) for p in pair] + black[len(white) :]
    state = played(game, *order)
    assert len(state.stones) == 25
    assert game.to_move(state) == ()
    assert game.returns(state) == (0.0, 0.0)


def test_a_point_can_be_used_once() -> None:
    state = played(STANDARD, "h8")
    with pytest.raises(IllegalAction, match="h8 has a stone already"):
        STANDARD.check(state, 1, (7, 7))
    with pytest.raises(IllegalAction, match="not on the 15×15 board"):
        STANDARD.check(state, 1, (15, 0))
    with pytest.raises(IllegalAction, match="turn of seat 1"):
        STANDARD.check(state, 0, (0, 0))
    with pytest.raises(IllegalAction, match="nothing to choose"):
        STANDARD.check(state, 1, "black")


def test_the_text_of_a_point_counts_rows_from_the_bottom() -> None:
    assert STANDARD.read("a1") == (0, 0)
    assert STANDARD.read("o1") == (0, 14)
    assert STANDARD.read("a15") == (14, 0)
    assert STANDARD.write((7, 7)) == "h8"


@pytest.mark.parametrize("text", ["h8", "H8", " h 8 ", "7 7", "7,7", "7, 7", "h08"])
def test_a_point_is_read_in_every_usual_form(text: str) -> None:
    assert STANDARD.read(text) == (7, 7)


@pytest.mark.parametrize(
    "text", ["", "h", "8", "hh8", "h8 h9", "p1", "a0", "a16", "-1 3", "15 0", "é5", "h8\x00", "½½"]
)
def test_what_is_no_point_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(BadText) as caught:
        STANDARD.read(text)
    assert repr(text) in str(caught.value)


@given(st.text(max_size=12))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        action = STANDARD.read(text)
    except BadText:
        return
    assert STANDARD.read(STANDARD.write(action)) == action


@given(st.integers(5, 26).flatmap(lambda n: st.tuples(st.just(n), *[st.integers(0, n - 1)] * 2)))
def test_every_point_of_every_board_is_read_as_it_is_written(place: tuple[int, int, int]) -> None:
    size, row, col = place
    game = Gomoku(size=size)
    assert game.read(game.write((row, col))) == (row, col)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"size": 4}, "from 5 to 26, not 4"),
        ({"size": 27}, "from 5 to 26, not 27"),
        ({"size": True}, "size must be int, not True"),
        ({"size": "big"}, "size must be int"),
        ({"rule": "standart"}, "standart"),
        ({"opening": "swap3"}, "swap3"),
        ({"position": "h8h8"}, "two stones on one point"),
        ({"position": "h8 z99"}, "not on the board"),
        ({"position": "h8 ?"}, "expected points such as h8i9"),
        ({"position": "".join(ROW_OF_FIVE)}, "already won"),
        ({"position": "".join(ROW_OF_FIVE) + "o15"}, "goes on after a win"),
        ({"position": "h8", "opening": "swap2"}, "needs no opening rule"),
        ({"colour": "black"}, "unknown option of gomoku 'colour'"),
    ],
)
def test_wrong_settings_are_refused_with_a_reason(
    settings: dict[str, object], message: str
) -> None:
    with pytest.raises(TriremeError, match=message):
        make_game("gomoku", **settings)


def test_a_mistyped_rule_gets_a_suggestion() -> None:
    with pytest.raises(BadSettings, match="Did you mean 'freestyle'"):
        Gomoku(rule="freestile")  # type: ignore[arg-type]


def test_a_game_can_begin_from_a_position() -> None:
    game = Gomoku(position="h8 i9, h9")
    assert game.start().stones == ((7, 7), (8, 8), (8, 7))
    assert game.to_move(game.start()) == (1,)


class TestSwap2:
    def test_seat_0_puts_three_stones_and_seat_1_chooses(self) -> None:
        state = SWAP2.start()
        for text in ("h8", "h9", "j10"):
            assert SWAP2.to_move(state) == (0,)
            state = SWAP2.apply(state, {0: SWAP2.read(text)})
        assert SWAP2.to_move(state) == (1,)
        assert tuple(SWAP2.legal(state, 1)) == ("black", "white", "more")
        with pytest.raises(IllegalAction, match="expected one of black, white, more, not a1"):
            SWAP2.check(state, 1, (0, 0))

    def test_choosing_white_leaves_the_seats_and_white_moves(self) -> None:
        state = played(SWAP2, "h8", "h9", "j10", "white")
        assert state.black_seat() == 0
        assert SWAP2.to_move(state) == (1,)

    def test_choosing_black_swaps_the_colours_and_seat_0_moves_as_white(self) -> None:
        state = played(SWAP2, "h8", "h9", "j10", "black")
        assert state.black_seat() == 1
        assert SWAP2.to_move(state) == (0,)
        assert SWAP2.details(state, 0, (0, 0)) == {"player": "white", "row": 0, "col": 0}

    def test_more_lets_seat_1_put_two_and_seat_0_choose(self) -> None:
        state = played(SWAP2, "h8", "h9", "j10", "more")
        assert SWAP2.to_move(state) == (1,)
        state = SWAP2.apply(state, {1: (0, 0)})
        assert SWAP2.to_move(state) == (1,)
        state = SWAP2.apply(state, {1: (0, 1)})
        assert SWAP2.to_move(state) == (0,)
        assert tuple(SWAP2.legal(state, 0)) == ("black", "white")
        as_white = SWAP2.apply(state, {0: "white"})
        assert (as_white.black_seat(), SWAP2.to_move(as_white)) == (1, (0,))
        as_black = SWAP2.apply(state, {0: "black"})
        assert (as_black.black_seat(), SWAP2.to_move(as_black)) == (0, (1,))

    def test_the_seat_that_swapped_wins_with_blacks_five(self) -> None:
        rest = ("e3", "c1", "e5", "d1", "e7", "e1")
        state = played(SWAP2, "a1", "a3", "b1", "black", *rest)
        assert state.winner == 1
        assert SWAP2.returns(state) == (-1.0, 1.0)

    @pytest.mark.parametrize("text", ["Black", "take black", " PLAY  black "])
    def test_a_choice_is_read_by_words(self, text: str) -> None:
        assert SWAP2.read(text) == "black"
        assert SWAP2.read("two more") == "more"


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.sampled_from([STANDARD, FREESTYLE, Gomoku(size=7)]))
def test_random_games_end_exactly_when_the_judge_says_so(seed: int, game: Gomoku) -> None:
    rng = np.random.default_rng(seed)
    state = game.start()
    while to_move := game.to_move(state):
        assert judged(board_array(game, state), game.rule == "standard") == 0
        state = game.apply(state, {to_move[0]: game.legal(state, to_move[0]).sample(rng)})
    winner = judged(board_array(game, state), game.rule == "standard")
    assert winner == state.winner
    assert winner or len(state.stones) == game.size**2


def test_a_state_is_a_value() -> None:
    assert played(STANDARD, "h8", "i9") == GomokuState(stones=((7, 7), (8, 8)))
    assert len({played(STANDARD, "h8"), GomokuState(stones=((7, 7),))}) == 1


def test_a_record_says_who_put_a_stone_in_which_row_and_column() -> None:
    after = played(STANDARD, "h8")
    assert STANDARD.details(after, 1, (3, 5)) == {"player": "white", "row": 3, "col": 5}


def test_a_point_off_the_board_hears_how_far_the_board_goes() -> None:
    with pytest.raises(BadText, match="'k3' is not on the board, which goes from a1 to i9"):
        Gomoku(size=9).read("k3")
