"""How agents play swap2: the better colour, or two more stones where neither is better."""

import pytest

from trireme.core.play import play
from trireme.gomoku.agents.search import Search
from trireme.gomoku.openings import balanced
from trireme.gomoku.rules import Choice, Gomoku, read_points
from trireme.gomoku.swap2 import BALANCED, choose

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
