"""Fleets: how many there are, how they are drawn, and what is wrong with bad ones."""

from collections import Counter
from math import comb
from typing import Any, Literal
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme import CHANCE, IllegalAction
from trireme.battleship.batch import fleet_of, layouts
from trireme.battleship.board import Board, placements
from trireme.battleship.fleets import (
    Fleet,
    _pick,
    all_layouts,
    check_fleet,
    draw_layout,
    first_layout,
)
from trireme.battleship.rules import Battleship

from .positions import FLEET, naive_fleets

COUNTS = {
    (5, 5, (3, 2), False): 524,
    (5, 5, (3, 2), True): 956,
    (6, 6, (3, 2), False): 1656,
    (5, 6, (3, 3, 2), False): 6638,
    (5, 5, (5, 5, 5), False): 12,
    (5, 5, (2, 2, 1), True): 28812,
    (5, 5, (2, 1, 1), False): 6888,
}
"""Fleets of small boards, ships of equal size told apart."""


@pytest.mark.parametrize("case", COUNTS)
def test_fleets_of_small_boards_are_counted_exactly(
    case: tuple[int, int, tuple[int, ...], bool],
) -> None:
    board = Board(*case)
    fleets = [frozenset(p.mask for p in layout) for layout in all_layouts(board)]
    naive = sum(1 for _ in naive_fleets(board))
    assert len(fleets) == naive == COUNTS[case]


def test_the_places_of_one_ship() -> None:
    counts = {5: 120, 4: 140, 3: 160, 2: 180, 1: 100}
    assert {size: len(placements(10, 10, size)) for size in counts} == counts
    assert len(placements(5, 12, 8)) == 25
    for size in (1, 3, 8):
        assert sum(p.chance for p in placements(7, 9, size)) == pytest.approx(1)


@given(
    st.integers(5, 12),
    st.integers(5, 12),
    st.booleans(),
    st.sampled_from(["sequential", "uniform"]),
    st.integers(0, 5),
    st.integers(0, 2**32),
)
def test_drawn_fleets_obey_the_rules(
    rows: int, cols: int, touching: bool, placement: str, mines: int, seed: int
) -> None:
    game = Battleship(rows, cols, touching=touching, placement=placement, mines=mines)  # type: ignore[arg-type]
    fleet = game.draw(game.start(), np.random.default_rng(seed))
    game.check(game.start(), CHANCE, fleet)
    for layout in layouts(Battleship(rows, cols, touching=touching), 3, seed):
        check_fleet(game.boards[0], fleet_of(game.boards[0], layout), 0)


def expected(game: Battleship) -> dict[Fleet, float]:
    """The probability of every fleet, by the letter of the rules."""
    board = game.boards[0]
    chances: dict[Fleet, float] = {}
    for layout in all_layouts(board):
        chance, closed = 1.0, 0
        for size, place in zip(board.sizes, layout, strict=True):
            free = [p for p in board.placements(size) if not p.mask & closed]
            chance *= place.chance / sum(p.chance for p in free)
            closed |= board.closed(place)
        chances[Fleet(tuple(p.ends for p in layout))] = (
            1.0 if game.placement == "uniform" else chance
        )
    total = sum(chances.values())
    return {fleet: chance / total for fleet, chance in chances.items()}


def chi_square_deviation(counts: Counter[Fleet], chances: dict[Fleet, float]) -> float:
    """How many standard deviations the chi-square statistic lies from its mean."""
    assert set(counts) <= set(chances)
    drawn = counts.total()
    statistic = sum((counts[f] - drawn * p) ** 2 / (drawn * p) for f, p in chances.items())
    freedom = len(chances) - 1
    return abs(statistic - freedom) / (2 * freedom) ** 0.5


GAMES = [
    Battleship(5, 5),
    Battleship(5, 7),
    Battleship(5, 5, placement="uniform"),
    Battleship(5, 5, touching=True),
    Battleship(5, 6, touching=True, placement="uniform"),
    Battleship(5, 5, fleet=(5, 4)),
]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_kernels_draw_every_fleet_with_its_probability(game: Battleship) -> None:
    board = game.boards[0]
    drawn, times = np.unique(layouts(game, 150_000, seed=7), axis=0, return_counts=True)
    counts: Counter[Fleet] = Counter()
    for layout, count in zip(drawn, times, strict=True):
        counts[fleet_of(board, layout)] += int(count)
    assert chi_square_deviation(counts, expected(game)) < 4


@pytest.mark.parametrize("placement", ["sequential", "uniform"])
def test_the_plain_rules_draw_every_fleet_with_its_probability(placement: str) -> None:
    game = Battleship(5, 5, fleet=(5, 4), placement=placement)  # type: ignore[arg-type]
    rng, start = np.random.default_rng(5), game.start()
    counts = Counter(game.draw(start, rng) for _ in range(8_000))
    assert chi_square_deviation(counts, expected(game)) < 4  # type: ignore[arg-type]


def test_mines_lie_anywhere_in_the_water_with_the_same_probability() -> None:
    game = Battleship(5, 5, fleet=(5, 5, 5), mines=2)
    rng, start = np.random.default_rng(3), game.start()
    lone = Counter(cell for _ in range(3_000) for cell in game.draw(start, rng).mines)  # type: ignore[union-attr]
    assert set(lone) == {(r, c) for r in range(5) for c in range(5) if r % 2 or c % 2}
    odd = {lone[r, c] for r in (1, 3) for c in (1, 3)}
    assert max(odd) - min(odd) < 5 * 600**0.5


def test_where_rounding_leaves_a_rest_the_last_place_is_drawn() -> None:
    free = placements(3, 3, 2)[:3]
    for drawn, at in ((0.0, 0), (0.999, 2), (1.0, 2)):
        rng: Any = Mock(random=lambda drawn=drawn: drawn)
        assert _pick(free, rng) is free[at]


def test_dead_ends_are_drawn_again() -> None:
    board = Board(5, 5, (5, 5, 5))
    rng = np.random.default_rng(0)
    game = Battleship(5, 5, fleet=(5, 5, 5))
    seen = {game.write(game.draw(game.start(), rng)) for _ in range(200)}
    assert seen == {game.write(Fleet(tuple(p.ends for p in lay))) for lay in all_layouts(board)}


def test_what_can_not_fit_is_known_without_drawing() -> None:
    assert first_layout(Board(5, 5, (5, 5, 5, 5))) is None
    assert first_layout(Board(5, 5, (5,) * 6, touching=True)) is None
    assert first_layout(Board(5, 5, (5,) * 5, touching=True)) is not None


@pytest.mark.parametrize(
    ("fleet", "said"),
    [
        ("A1-B2 C1-C4 E1-E3 G1-G3 I1-I2", "A1-B2 is not straight"),
        ("J7-J11 C1-C4 E1-E3 G1-G3 I1-I2", "J7-J11 leaves the board of 10×10"),
        ("H10-L10 C1-C4 E1-E3 G1-G3 I1-I2", "H10-L10 leaves the board of 10×10"),
        ("A1-A5 C1-C4 E1-E3 G1-G3", "expected ships of sizes 5 4 3 3 2, not 5 4 3 3"),
        ("A1-A5 C1-C4 E1-E3 G1-G4 I1-I2", "expected ships of sizes 5 4 3 3 2, not 5 4 4 3 2"),
        ("A1-A5 A1-D1 E3-E5 G1-G3 I1-I2", "A1-A5 and A1-D1 overlap"),
        ("A1-A5 B1-B4 E1-E3 G1-G3 I1-I2", "A1-A5 and B1-B4 touch"),
        ("A1-A5 B6-B9 E1-E3 G1-G3 I1-I2", "A1-A5 and B6-B9 touch.*diagonally too"),
        (FLEET + " *A1", "expected 0 mines, not 1"),
    ],
)
def test_a_fleet_laid_by_hand_has_its_faults_named_one_by_one(fleet: str, said: str) -> None:
    game = Battleship()
    with pytest.raises(IllegalAction, match=said):
        game.check(game.start(), CHANCE, game.read(fleet))
    assert game.read(fleet) not in game.legal(game.start(), CHANCE)


@pytest.mark.parametrize(
    ("mines", "said"),
    [
        ("*A9", "expected 2 mines, not 1"),
        ("*A9 *L9", "L9 leaves the board"),
        ("*A9 *A1", "A1 lies on a ship"),
        ("*A9 *A9", "A9 lies on a ship or another mine"),
    ],
)
def test_mines_laid_by_hand_have_their_faults_named(mines: str, said: str) -> None:
    game = Battleship(mines=2)
    with pytest.raises(IllegalAction, match=said):
        game.check(game.start(), CHANCE, game.read(f"{FLEET} {mines}"))
    game.check(game.start(), CHANCE, game.read(f"{FLEET} *A9 *A7"))


def test_touching_ships_are_a_setting() -> None:
    touching = "A1-A5 B1-B4 C1-C3 D1-D3 E1-E2"
    game = Battleship(touching=True)
    game.check(game.start(), CHANCE, game.read(touching))
    overlapping = "A1-A5 A1-D1 C3-C5 E3-E5 E1-E2"
    with pytest.raises(IllegalAction, match="overlap"):
        game.check(game.start(), CHANCE, game.read(overlapping))


def test_legal_fleets_can_be_listed_with_their_mines() -> None:
    game = Battleship(5, 5, fleet=(5, 5, 5), mines=1)
    legal = list(game.legal(game.start(), CHANCE))
    assert len(legal) == len(set(legal)) == 12 * comb(10, 1)


@pytest.mark.parametrize("placement", ["sequential", "uniform", "manual"])
def test_a_fleet_drawn_from_the_legal_ones_follows_the_placement(
    placement: Literal["sequential", "uniform", "manual"],
) -> None:
    game = Battleship(6, 6, fleet=(4, 3, 3), placement=placement)
    legal = game.legal(game.start(), CHANCE)
    for seed in range(20):
        drawn = draw_layout(
            game.boards[0], np.random.default_rng(seed), uniform=placement == "uniform"
        )
        fleet = Fleet(tuple(place.ends for place in drawn))
        assert legal.sample(np.random.default_rng(seed)) == fleet


def test_only_legal_fleets_are_among_the_legal_actions() -> None:
    game = Battleship(5, 5, placement="manual")
    legal = game.legal(game.start(), CHANCE)
    assert game.read("A1-A3 C1-C2") in legal
    assert game.read("A1-A3 B1-B2") not in legal
    assert "A1-A3 C1-C2" not in legal
