"""Named opponents: six a game, weakest first, each with a measured strength."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from trireme.core.careless import Careless
from trireme.core.errors import AgentNotReady, BadSpec
from trireme.core.game import Turn
from trireme.core.jit import expected_compilations
from trireme.core.opponents import beginners_opponent, opponent_file, opponents_of
from trireme.core.play import check_fit, play, prepare_agent
from trireme.core.registry import BUILT_IN, find, make_agent, make_game
from trireme.core.spec import parse_spec


@pytest.mark.parametrize("game", BUILT_IN)
def test_six_opponents_with_names_and_characters_stand_in_the_order_of_their_ratings(
    game: str,
) -> None:
    named = opponents_of(game)
    assert len(named) == 6
    for what in ("name", "spec", "character", "emblem"):
        assert len({getattr(o, what) for o in named} - {""}) == 6, f"each has its own {what}"
    assert all(o.character.endswith(".") for o in named), "a sentence"
    ratings = [o.elo for o in named]
    assert None not in ratings
    assert ratings == sorted(ratings, key=lambda elo: elo or 0)
    assert ratings[0] == 0
    assert named[0].score is None


@pytest.mark.parametrize("game", BUILT_IN)
def test_every_step_of_a_ladder_is_150_to_300_elo_and_65_to_85_percent_as_measured(
    game: str,
) -> None:
    for low, high in itertools.pairwise(opponents_of(game)):
        step = f"{low.name} < {high.name}"
        assert 150 <= (high.elo or 0) - (low.elo or 0) <= 300, step
        assert 0.65 <= (high.score or 0) <= 0.85, step


@pytest.mark.parametrize("game", BUILT_IN)
def test_every_rating_has_an_interval_that_rests_on_enough_games(game: str) -> None:
    named = opponents_of(game)
    for rung, o in enumerate(named):
        low, high = o.low or 0, o.high or 0
        assert low < (o.elo or 0) < high
        assert high - low < 400, f"{o.name} is told from the next but one"
        assert o.games >= (48 if rung in (0, 5) else 96), "24 pairs a step"


@pytest.mark.parametrize("game", BUILT_IN)
def test_the_last_opponent_is_the_full_strength_and_beginners_meet_the_second(game: str) -> None:
    named = opponents_of(game)
    assert parse_spec(named[-1].spec).name == parse_spec(find(game).opponent).name
    assert beginners_opponent(game) == named[1].spec
    found = opponent_file(game)
    assert found is not None
    assert found.measured.startswith("python benchmarks/opponents.py")


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_beginners_meet_the_usual_opponent_where_few_are_named(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = opponents_of("gomoku")
    monkeypatch.setattr("trireme.core.opponents.opponents_of", lambda _: named[:count])
    usual = find("gomoku").opponent
    assert beginners_opponent("gomoku") == (named[1].spec if count > 1 else usual)


@pytest.mark.parametrize("game", BUILT_IN)
def test_every_named_opponent_can_be_made_for_its_game(game: str) -> None:
    found = opponent_file(game)
    assert found is not None
    made = make_game(game, found.variant)
    for opponent in found.opponents:
        check_fit(make_agent(made, opponent.spec), made, opponent.spec)


def turn(seed: int) -> Turn[Any, Any]:
    game = make_game("gomoku", size=9, position="a1a2a3a4")
    state = game.start()
    rng = np.random.default_rng(seed)
    return Turn(game, 0, game.view(state, 0), game.legal(state, 0), rng)


def test_a_careless_agent_slips_as_often_as_it_says() -> None:
    inner = make_agent("gomoku", "heuristic").act(turn(0))
    never, always = Careless("heuristic", 0.0), Careless("heuristic", 1.0)
    assert {never.act(turn(seed)) for seed in range(5)} == {inner}
    assert len({always.act(turn(seed)) for seed in range(20)}) > 10
    half = Careless("heuristic", 0.5)
    same = sum(half.act(turn(seed)) == inner for seed in range(200))
    assert 70 < same < 130


def test_the_slips_of_a_careless_agent_are_those_of_the_agent_that_it_names() -> None:
    strong = make_agent("gomoku", "heuristic").act(turn(0))
    always = Careless("random", 1.0, instead="heuristic")
    assert {always.act(turn(seed)) for seed in range(5)} == {strong}


def test_without_a_name_the_slips_are_random_and_as_they_always_were() -> None:
    other = turn(3)
    other.rng.random()
    assert Careless("heuristic", 1.0).act(turn(3)) == other.legal.sample(other.rng)


@pytest.mark.parametrize("place", ["agent", "instead"])
def test_a_careless_agent_needs_what_the_others_need(place: str) -> None:
    game = make_game("gomoku")
    broken = Careless(**{"agent": "random", place: 'dqn:model="nothing.onnx"'})
    for check in (check_fit, prepare_agent):
        with pytest.raises(AgentNotReady, match=r"nothing\.onnx|onnxruntime"):
            check(broken, game, "careless")


@pytest.mark.parametrize("slip", [-0.1, 1.1])
def test_a_slip_is_a_probability(slip: float) -> None:
    with pytest.raises(BadSpec, match="slip must be 0 to 1"):
        Careless("random", slip)


def test_a_careless_agent_plays_a_whole_game_and_lets_go_of_the_other() -> None:
    assert not play(
        "gomoku:size=7", ["careless:agent=heuristic,slip=0.5", "random"], seed=2
    ).forfeits
    closed: list[bool] = []
    agent = Careless("random")
    agent._inner["random", "gomoku"] = type("Held", (), {"close": lambda _: closed.append(True)})()
    agent.close()
    assert closed == [True]


def test_kernels_are_counted_without_being_compiled() -> None:
    assert 100 < expected_compilations("gomoku") < 500
    assert expected_compilations("no_such_package") == 1, "never 0: a bar's end"
