"""Simulation on request: the rules for programs without them, without what a seat may not know."""

import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from trireme import make_game, play
from trireme.core import simulation
from trireme.core.game import AnyGame
from trireme.core.line_process import ProcessFailed, ProcessTimeout
from trireme.core.registry import GAMES, find
from trireme.core.simulation import Simulator, describe, read_state
from trireme.gomoku.rules import Gomoku

NEVER = float("inf")
VARIANTS = [(name, variant) for name in GAMES for variant in (None, *find(name).variants)]


def positions(name: str, variant: str | None) -> tuple[AnyGame, list[Any]]:
    game = make_game(name, variant)
    states = list(play(game, ["random"] * game.seats, seed=5).record.states())
    return game, states[:: max(1, len(states) // 6)] + states[-1:]


def simulator(game: AnyGame, view: Any, *, seed: int = 0, deadline: float = NEVER) -> Simulator:
    return Simulator(game, view, default_rng(seed), deadline)


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_a_state_that_was_sent_can_be_sent_back(name: str, variant: str | None) -> None:
    game, states = positions(name, variant)
    for state in states:
        told = msgspec.json.decode(msgspec.json.encode(describe(game, state)))
        assert read_state(game, told["state"]) == state


@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_an_outcome_is_what_the_rules_say(name: str, variant: str | None) -> None:
    game, states = positions(name, variant)
    rng = default_rng(3)
    for state in states:
        if not game.to_move(state):
            continue
        actions = {seat: game.legal(state, seat).sample(rng) for seat in game.to_move(state)}
        texts = {"chance" if seat < 0 else str(seat): game.write(a) for seat, a in actions.items()}
        request = {"state": msgspec.to_builtins(state), "actions": texts}
        (outcome,) = simulator(game, None).answer([request])
        assert outcome == describe(game, game.apply(state, actions))


def test_a_finished_game_names_nobody_to_move_and_its_returns() -> None:
    game = make_game("gomoku", size=5, position="a1a2b1b2c1c2d1d2")
    (outcome,) = simulator(game, game.start()).answer([{"actions": {"0": "e1"}}])
    assert (outcome["to_move"], outcome["returns"]) == ([], [1.0, -1.0])
    again = {"state": outcome["state"], "actions": {"1": "e2"}}
    assert simulator(game, None).answer([again]) == [{"error": "the game is over"}]


def test_without_actions_the_answer_is_the_position_itself() -> None:
    game = make_game("navigation")
    assert simulator(game, game.start()).answer([{}]) == [describe(game, game.start())]


@pytest.mark.parametrize("seat", [0, 1])
def test_what_a_seat_may_not_know_changes_no_outcome(seat: int) -> None:
    game = make_game("battleship", duel=True)
    rng = default_rng(1)
    own, first, second = (game.legal(game.start(), 0).sample(rng) for _ in range(3))
    states = [game.apply(game.start(), {seat: own, 1 - seat: other}) for other in (first, second)]
    assert states[0] != states[1]
    requests: list[dict[str, Any]] = [{}, {"actions": {"0": "A1"}}, {"actions": {"1": "A1"}}]
    told = [simulator(game, game.view(s, seat)).answer(requests) for s in states]
    assert told[0] == told[1]
    seas = told[0][0]["state"]["seas"]
    assert seas[seat] == msgspec.to_builtins(states[0].seas[seat])
    assert seas[1 - seat] != msgspec.to_builtins(states[0].seas[1 - seat])


def test_hidden_parts_are_drawn_anew_for_every_simulation_and_repeat_with_the_seed() -> None:
    game = make_game("battleship")
    states = list(play(game, ["random"], seed=1).record.states())
    view = game.view(states[10], 0)
    first, second = simulator(game, view).answer([{}, {}])
    assert first != second
    assert simulator(game, view).answer([{}, {}]) == [first, second]
    assert first["state"]["seas"][0]["shots"] == msgspec.to_builtins(view.seas[0].shots)


def test_a_made_up_fleet_is_shot_at() -> None:
    game = make_game("battleship", rows=5, cols=5)
    state = {
        "seas": [
            {
                "fleet": {"ships": [[[0, 0], [0, 2]], [[4, 0], [4, 1]]]},
                "shots": [],
                "afloat": ["cruiser", "destroyer"],
            }
        ]
    }
    hit, missed = simulator(game, None).answer(
        [{"state": state, "actions": {"0": cell}} for cell in ("A1", "B1")]
    )
    assert hit["state"]["seas"][0]["shots"][0] == {"cell": (0, 0), "result": "hit", "ship": ""}
    assert missed["state"]["seas"][0]["shots"][0]["result"] == "miss"


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({"actions": {"0": "h8", "1": "h9"}}, "expected the actions of 0, not of 0, 1"),
        ({"actions": {"1": "h8"}}, "expected the actions of 0, not of 1"),
        ({"actions": {"0": "zz"}}, "expected a point"),
        ({"state": {"stones": [[7, 7]]}, "actions": {"1": "h8"}}, "h8 has a stone already"),
        ({"state": {"stones": "no"}}, "not a state of gomoku: Expected `array`, got `str`"),
        ({"state": 5}, "not a state of gomoku"),
        ({"state": {"stones": [[10**30, 2]]}, "actions": {"1": "h8"}}, None),
    ],
)
def test_a_wrong_simulation_is_answered_with_its_error(request_: Any, error: str | None) -> None:
    game = Gomoku()
    (outcome,) = simulator(game, game.start()).answer([request_])
    assert error is None or error in outcome["error"]


def test_a_state_that_breaks_the_rules_is_an_error_and_no_crash() -> None:
    game = make_game("navigation")
    state = msgspec.to_builtins(game.start())
    state["ships"][0]["facing"] = "up"
    request = {"state": state, "actions": {"0": "F-F-F-F-", "1": "--------"}}
    assert "can't be played on" in simulator(game, None).answer([request])[0]["error"]


def test_a_class_that_names_no_states_says_so() -> None:
    class Untyped(Gomoku):
        """A game whose class names no type of states."""

        __orig_bases__ = ()

    plain = msgspec.to_builtins(Untyped().start())
    (outcome,) = simulator(Untyped(), None).answer([{"state": plain}])
    assert "its class names no type" in outcome["error"]


@pytest.mark.parametrize(
    "requests",
    [None, {}, 5, "all", [5], [{"actions": 5}], [{"actions": {"0": 5}}], [{"extra": 1}]],
)
def test_what_is_no_list_of_simulations_ends_the_game(requests: Any) -> None:
    with pytest.raises(ProcessFailed, match="not a list of simulations"):
        simulator(Gomoku(), Gomoku().start()).answer(requests)


def test_simulations_are_limited_at_once_and_in_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "MOST_AT_ONCE", 3)
    monkeypatch.setattr(simulation, "MOST_PER_TURN", 5)
    asked = simulator(Gomoku(), Gomoku().start())
    with pytest.raises(ProcessFailed, match="asked for 4 simulations at once, of 3"):
        asked.answer([{}] * 4)
    assert len(asked.answer([{}] * 3)) == 3
    assert len(asked.answer([{}] * 2)) == 2
    with pytest.raises(ProcessFailed, match="more than 5 simulations in a turn"):
        asked.answer([{}])


def test_simulations_end_with_the_time_of_the_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(100))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(ticks)))
    asked = simulator(Gomoku(), Gomoku().start(), deadline=4.0)
    with pytest.raises(ProcessTimeout, match="took longer"):
        asked.answer([{}] * 20)
    assert next(ticks) == 6


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["stones", "seas", "ships", "turn", "0"]), inner)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("name", list(GAMES))
@settings(deadline=None, max_examples=30, derandomize=True)
@given(state=PLAIN, actions=st.dictionaries(st.sampled_from(["0", "1", "chance"]), st.text()))
def test_garbage_is_always_answered(name: str, state: Any, actions: dict[str, str]) -> None:
    game = make_game(name)
    view = game.view(game.start(), 0)
    (outcome,) = simulator(game, view).answer([{"state": state, "actions": actions}])
    assert "error" in outcome or set(outcome) == {"returns", "to_move", "state"}
