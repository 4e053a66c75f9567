"""The posterior equals brute force over all fleets, weighed by the letter of the rules."""

from collections import defaultdict
from functools import cache
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme import CHANCE
from trireme.battleship.belief.constraints import explains
from trireme.battleship.belief.posterior import FleetInference
from trireme.battleship.board import Board
from trireme.battleship.fleets import Fleet, all_layouts, ship_at
from trireme.battleship.rules import Battleship, BattleshipState
from trireme.battleship.shots import Shot

SMALL = [
    Battleship(5, 5),
    Battleship(5, 7),
    Battleship(5, 5, placement="uniform"),
    Battleship(5, 5, touching=True),
    Battleship(6, 5, touching=True, placement="uniform"),
    Battleship(5, 5, fleet=(3, 3, 2)),
    Battleship(5, 6, fleet=(3, 3), touching=True),
    Battleship(5, 5, fleet=(5, 1, 1), touching=True),
    Battleship(5, 5, fleet=(5, 4, 3)),
    Battleship(5, 5, fleet=(4,)),
    Battleship(5, 8, fleet=(6, 2, 2)),
    Battleship(5, 5, fleet=(2, 2, 2)),
]


Cells = dict[tuple[int, int], int]


@cache
def weighed(board: Board, uniform: bool) -> list[tuple[Fleet, Cells, float]]:
    """Every fleet, the ship at each of its cells, and its probability of being drawn."""

    @cache
    def free(size: int, closed: int) -> float:
        """The sum of the chances of the placements that are left."""
        return sum(p.chance for p in board.placements(size) if not p.mask & closed)

    fleets = []
    for layout in all_layouts(board):
        weight, closed = 1.0, 0
        for size, place in zip(board.sizes, layout, strict=True):
            weight *= 1.0 if uniform else place.chance / free(size, closed)
            closed |= board.closed(place)
        fleet = Fleet(tuple(p.ends for p in layout))
        fleets.append((fleet, dict(ship_at(fleet)), weight))
    return fleets


def gives(board: Board, at: Cells, shots: tuple[Shot, ...]) -> bool:
    """Whether a fleet with these ships answers the shots as they were answered."""
    left = list(board.sizes)
    for shot in shots:
        result, name = "miss", ""
        if (ship := at.get(shot.cell)) is not None:
            left[ship] -= 1
            result, name = ("hit", "") if left[ship] else ("sunk", board.names[ship])
        if (shot.result, shot.ship) != (result, name):
            return False
    return True


def hunted(game: Battleship, seed: int, turns: int) -> BattleshipState:
    """A solo game after some random shots, hits being followed up so that ships sink."""
    rng = np.random.default_rng(seed)
    state = game.apply(game.start(), {CHANCE: game.draw(game.start(), rng)})
    for _ in range(turns):
        if not game.to_move(state):
            break
        fleet = state.seas[0].fleet
        assert fleet is not None
        fired = {shot.cell for shot in state.seas[0].shots}
        ships = [cell for cell in ship_at(fleet) if cell not in fired]
        cell = ships[rng.integers(len(ships))]
        lucky = rng.random() < 0.5
        action = game.read(f"{cell[0]} {cell[1]}") if lucky else game.legal(state, 0).sample(rng)
        state = game.apply(state, {0: action})
    return state


@settings(max_examples=25)
@given(st.sampled_from(SMALL), st.integers(0, 2**32), st.integers(0, 14))
def test_the_posterior_equals_brute_force(game: Battleship, seed: int, turns: int) -> None:
    board, uniform = game.boards[0], game.placement == "uniform"
    shots = hunted(game, seed, turns).seas[0].shots
    cells = [shot.cell for shot in shots]
    agreeing = [f for f in weighed(board, uniform) if gives(board, f[1], shots)]
    total = sum(weight for *_, weight in agreeing)
    expected = np.zeros((board.rows, board.cols))
    distinct: dict[frozenset[object], float] = defaultdict(float)
    for fleet, at, weight in agreeing:
        distinct[frozenset(fleet.ships)] += weight
        for cell in at:
            if cell not in cells:
                expected[cell] += weight / total
    inference = FleetInference(board, uniform=uniform)
    belief = inference.exact_posterior(shots, entropy=True)
    assert belief is not None
    assert belief.exact
    assert belief.cells == pytest.approx(expected.reshape(-1), abs=1e-9)
    assert belief.weight == pytest.approx(total)
    if len(set(board.sizes)) == len(board.sizes):
        entropy = -sum(w / total * log2(w / total) for w in distinct.values())
        assert belief.fleets == len(distinct)
        assert belief.entropy == pytest.approx(entropy, abs=1e-9)


@settings(max_examples=60)
@given(st.sampled_from(SMALL), st.integers(0, 2**32), st.integers(0, 14))
def test_a_fleet_explains_the_answers_that_it_gives(
    game: Battleship, seed: int, turns: int
) -> None:
    board = game.boards[0]
    shots = hunted(game, seed, turns).seas[0].shots
    for fleet, at, _ in weighed(board, game.placement == "uniform")[seed % 7 :: 7]:
        assert explains(board, fleet, shots) == gives(board, at, shots)


@pytest.mark.slow
def test_the_full_board_at_the_opening() -> None:
    belief = FleetInference(Battleship().boards[0]).exact_posterior((), entropy=True)
    assert belief is not None
    assert belief.fleets == 1_925_751_392
    assert belief.weight == pytest.approx(1)
    assert belief.cells.sum() == pytest.approx(17)
    grid = belief.cells.reshape(10, 10)
    for other in (grid.T, grid[::-1], grid[:, ::-1]):
        assert other == pytest.approx(grid)
    assert belief.entropy == pytest.approx(30.68, abs=0.01)
