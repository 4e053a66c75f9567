"""How agents play swap2: the better colour, or two more stones where neither is better."""

import numpy as np
import pytest

from trireme.core.play import play
from trireme.gomoku.agents.search import Search
from trireme.gomoku.openings import balanced
from trireme.gomoku.rules import Choice, Gomoku, read_points
from trireme.gomoku.swap2 import BALANCED, choose, opening_action

GAME = Gomoku(opening="swap2")
THREE: tuple[Choice, ...] = ("black", "white", "more")


@pytest.mark.parametrize(
    ("lead", "choice"),
    [
        (-BALANCED, "black"),
        (-BALANCED + 1, "more"),
        (BALANCED - 1, "more"),
        (BALANCED, "white"),
    ],
)
def test_two_more_stones_are_put_only_where_neither_colour_leads(
    lead: float, choice: Choice
) -> None:
    assert choose(THREE, lead, BALANCED) == choice


def test_after_two_more_stones_a_colour_is_chosen_however_small_the_lead() -> None:
    assert choose(("black", "white"), 1.0, BALANCED) == "white"
    assert choose(("black", "white"), -1.0, BALANCED) == "black"


def test_without_a_measure_of_balance_a_colour_is_chosen() -> None:
    assert choose(THREE, 0.5) == "white"
    assert choose(THREE, 0.0) == "black"


@pytest.mark.parametrize(
    ("stones", "choice"),
    [
        ("h8a1i8", "black"),  # black has two in a row in the middle, white's stone is in a corner
        ("a1h8o15", "white"),  # white has the middle, and the move
    ],
)
def test_search_takes_the_colour_that_leads(stones: str, choice: Choice) -> None:
    opening = [GAME.write(point) for point in read_points(GAME, stones)]
    result = play(GAME, ["random", Search(nodes=2000)], seed=1, opening=opening)
    assert result.state.choices == (choice,)


def test_search_puts_two_more_stones_where_it_sees_no_lead() -> None:
    searcher = Search(nodes=2000)
    plain = Gomoku()
    even = next(
        opening[:3]
        for opening in balanced(15)
        if abs(searcher.analyse(plain, Gomoku(position=_text(opening[:3])).start()).value)
        < BALANCED
    )
    opening = [GAME.write(point) for point in even]
    result = play(GAME, ["random", searcher], seed=1, opening=opening)
    assert result.state.choices[0] == "more"
    assert len(result.state.choices) == 2
    assert not result.forfeits


def _text(points: tuple[tuple[int, int], ...]) -> str:
    return "".join(GAME.write(point) for point in points)


def no_lead() -> float:
    raise AssertionError("nobody asks who leads")


@pytest.mark.parametrize("size", [7, 15])  # on 7×7 all openings that ship have three stones
def test_the_three_stones_begin_a_balanced_opening(size: int) -> None:
    game = Gomoku(size=size, opening="swap2")
    begins = {opening[:3] for opening in balanced(size)}
    for seed in range(20):
        state, rng = game.start(), np.random.default_rng(seed)
        for _ in range(3):
            stone = opening_action(game, state, rng, no_lead)
            state = game.apply(state, {0: stone})  # type: ignore[dict-item]
        assert state.stones in begins
    assert opening_action(game, state, rng, lambda: 1.0) == "white"


def test_the_three_stones_lie_in_the_middle_where_no_opening_is_known() -> None:
    game = Gomoku(size=8, opening="swap2")
    middle = {(row, col) for row in range(2, 6) for col in range(2, 6)}
    state = game.apply(game.apply(game.start(), {0: (0, 0)}), {0: (2, 2)})
    drawn = {
        opening_action(game, state, np.random.default_rng(seed), no_lead) for seed in range(300)
    }
    assert drawn == middle - {(2, 2)}


def test_plain_play_asks_for_no_opening() -> None:
    plain = Gomoku()
    assert opening_action(plain, plain.start(), np.random.default_rng(0), no_lead) is None
    state = GAME.start()
    for action in ("a1", "h8", "o15", "black"):
        state = GAME.apply(state, {GAME.to_move(state)[0]: GAME.read(action)})
    assert opening_action(GAME, state, np.random.default_rng(0), no_lead) is None
