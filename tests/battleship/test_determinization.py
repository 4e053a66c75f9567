"""Determinization: hidden fleets that agree with the answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme import CHANCE, IllegalAction
from trireme.battleship.belief.constraints import constraints, sunk_cells
from trireme.battleship.belief.determinization import _Backtracking, determinize_fleet
from trireme.battleship.fleets import Fleet, all_layouts
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Shot

from .positions import FLEET, fired, solo_games

games = solo_games(salvo=st.booleans())


@settings(max_examples=settings().max_examples * 3 // 2)
@given(games, st.integers(0, 2**32), st.integers(0, 120))
def test_a_determinized_state_gives_the_view_it_came_from(
    game: Battleship, seed: int, turns: int
) -> None:
    rng = np.random.default_rng(seed)
    state = game.apply(game.start(), {CHANCE: game.draw(game.start(), rng)})
    for _ in range(turns):
        if game.to_move(state):
            state = game.apply(state, {0: game.legal(state, 0).sample(rng)})
    for seat in (0, None):
        view = game.view(state, seat)
        sampled = game.determinize(view, rng)
        assert game.view(sampled, seat) == view
        fleet = sampled.seas[0].fleet
        assert fleet is not None
        game.check(game.start(), CHANCE, fleet)


def test_backtracking_ends_after_its_nodes() -> None:
    found = constraints(Battleship().boards[0], [])
    ships = len(found.options)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        assert _Backtracking(found, rng, ships).run() is not None, "one for each ship"
        assert _Backtracking(found, rng, ships - 1).run() is None


def test_every_consistent_fleet_can_be_sampled_and_no_other() -> None:
    game = Battleship(5, 5)
    state = fired(game, "A1-A3 C1-C2", "A1 A2 E5 C3")
    view = game.view(state, 0)
    rng = np.random.default_rng(0)
    seen = {game.determinize(view, rng).seas[0].fleet for _ in range(2_000)}
    consistent = set()
    for layout in all_layouts(game.boards[0]):
        fleet = Fleet(tuple(place.ends for place in layout))
        other = fired(game, game.write(fleet), "A1 A2 E5 C3")
        if other.seas[0].shots == state.seas[0].shots:
            consistent.add(fleet)
    assert seen == consistent


def test_answers_that_no_fleet_gives_are_refused() -> None:
    board = Battleship(5, 5).boards[0]
    shots = [Shot((0, 0), "hit"), Shot((0, 2), "hit"), Shot((2, 0), "hit"), Shot((2, 2), "hit")]
    with pytest.raises(IllegalAction, match="no fleet agrees"):
        determinize_fleet(board, shots, 0, np.random.default_rng(0))


def test_a_sunk_ship_lies_on_its_last_hit_within_the_hits_before() -> None:
    game = Battleship()
    shots = fired(game, FLEET, "I1 I2 E1").seas[0].shots
    options = constraints(game.boards[0], shots).options
    destroyer = options[game.boards[0].names.index("destroyer")]
    assert [place.ends for place in destroyer] == [((8, 0), (8, 1))]


def test_where_ships_touch_only_the_sure_cells_of_a_sunk_ship_are_told() -> None:
    game = Battleship(5, 5, fleet=(3, 2), touching=True)
    state = fired(game, "A1-A3 B2-C2", "A1 A2 B2 C2")
    assert state.seas[0].shots[-1].ship == "destroyer"
    assert sunk_cells(game.boards[0], state.seas[0].shots) == {(1, 1), (2, 1)}
    unsure = fired(game, "A1-A3 B2-C2", "A2 C2 A1 A3 B2").seas[0].shots
    cells = sunk_cells(game.boards[0], unsure)
    assert {(0, 0), (0, 1), (0, 2)} <= cells
    either = fired(game, "A2-A4 B1-B2", "B1 A2 A3 B2").seas[0].shots
    assert sunk_cells(game.boards[0], either) == {(1, 1)}
    fleet = game.read("A2-A4 B1-B2")
    assert sunk_cells(game.boards[0], either, fleet) == {(1, 0), (1, 1)}  # type: ignore[arg-type]
