"""PettingZoo over every game of the registry: its own tests, and what the adapters promise."""

import copy
import warnings
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

pytest.importorskip("pettingzoo")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PettingZoo's test package imports its own old games
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from trireme import TriremeError, make_game, parse_record
from trireme.core.registry import GAMES, find
from trireme.envs import AECGameEnv, ParallelGameEnv, ResetNeeded, aec, parallel

VARIANTS = [(name, variant) for name in GAMES for variant in (None, *find(name).variants)]
every_game = pytest.mark.parametrize(
    ("name", "variant"), VARIANTS, ids=[f"{n}-{v or 'default'}" for n, v in VARIANTS]
)
TOGETHER = [
    ("navigation", None),
    ("navigation", "advance"),
    ("navigation", "scarce"),
    ("navigation", "ramming"),
    ("battleship", "simultaneous"),
]
games_together = pytest.mark.parametrize(("name", "variant"), TOGETHER)
either_way = pytest.mark.parametrize("stepwise", [False, True])


def play_on(env: AECGameEnv, seed: int, most: int = 10**6) -> dict[str, float]:
    """Random allowed choices until the end; what every agent has gained in all."""
    rng = np.random.default_rng(seed)
    gained = dict.fromkeys(env.possible_agents, 0.0)
    for step, agent in enumerate(env.agent_iter()):
        _, reward, terminated, truncated, info = env.last()
        gained[agent] += reward
        done = terminated or truncated
        env.step(None if done else rng.choice(np.flatnonzero(info["action_mask"])))
        if step == most:
            break
    return gained


@every_game
def test_pettingzoos_api_test_finds_no_fault(name: str, variant: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        api_test(aec(name, variant), num_cycles=15)


@every_game
def test_pettingzoos_seed_test_finds_no_fault(name: str, variant: str | None) -> None:
    seed_test(lambda: aec(name, variant), num_cycles=15)


@games_together
@either_way
def test_pettingzoos_parallel_tests_find_no_fault(name: str, variant: str, stepwise: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel(name, variant, stepwise=stepwise), num_cycles=30)
        parallel_seed_test(lambda: parallel(name, variant, stepwise=stepwise), num_cycles=15)


@every_game
def test_gains_add_up_to_the_games_returns(name: str, variant: str | None) -> None:
    env = aec(name, variant)
    env.reset(seed=3)
    gained = play_on(env, seed=4)
    record = env.record
    assert record.end is not None
    assert tuple(gained.values()) == pytest.approx(record.returns)
    assert parse_record(record.text).verify() == env.episode.session.state


def test_a_shot_alone_costs_one() -> None:
    env = aec("battleship")
    env.reset(seed=1)
    env.step(0)
    assert env.last()[1] == -1.0


def test_the_winner_gains_and_the_loser_loses() -> None:
    env = aec("gomoku")
    env.reset()
    for point in (0, 15, 1, 16, 2, 17, 3, 18, 4):
        assert env.agent_selection == f"player_{env.episode.moves % 2}"
        env.step(point)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert all(env.terminations.values())


def test_seats_that_move_together_choose_in_secret() -> None:
    env = aec("navigation")
    env.reset(seed=0)
    before = env.observe("player_1")
    for order in (1, 2, 3, 0):
        assert env.agent_selection == "player_0"
        env.step(order)
    assert env.agent_selection == "player_1"
    np.testing.assert_array_equal(env.observe("player_1"), before)
    assert env.infos["player_1"]["chosen"] == ()
    for order in (0, 0, 0, 0):
        env.step(order)
    assert env.episode.session.state.turn == 1
    assert env.record.moves[0][0] == "F-L-R---"


def test_a_salvo_is_chosen_shot_by_shot() -> None:
    env = aec("battleship", "salvo")
    env.reset(seed=0)
    assert env.last()[4]["choices"] == 5
    for cell in range(5):
        assert env.agent_selection == "player_0"
        assert env.infos["player_0"]["action_mask"].sum() == 100 - cell
        env.step(cell)
    assert env.agent_selection == "player_1"


def test_fleets_are_placed_by_seed_or_by_hand() -> None:
    env = aec("battleship", "duel")
    fleets = []
    for seed in (1, 1, 2):
        env.reset(seed=seed)
        fleets.append([sea.fleet for sea in env.episode.session.state.seas])
    assert fleets[0] == fleets[1] != fleets[2]
    by_hand = {0: "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2", 1: "A1-E1 A3-D3 A5-C5 A7-C7 A9-B9"}
    env.reset(seed=1, options={"opening": [by_hand]})
    env.step(0)
    assert env.episode.session.state.seas[1].shots[0].result == "hit"


def test_an_opening_may_hold_for_every_episode() -> None:
    env = aec("gomoku", opening=["h8", "i9"])
    for _ in range(2):
        env.reset()
        assert env.record.moves == ({0: "h8"}, {1: "i9"})
    env.reset(options={"opening": ["a1"]})
    assert env.agent_selection == "player_1"
    fleet = "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2"
    alone = aec("battleship", placement="manual", opening=[fleet])
    alone.reset(seed=1)
    alone.step(0)
    assert alone.episode.session.state.seas[0].shots[0].result == "hit"


@pytest.mark.parametrize("seed", [-1, "x", 1.5])
def test_wrong_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(TriremeError, match="seed"):
        aec("gomoku").reset(seed=seed)


@every_game
def test_a_copied_environment_goes_on_where_it_was(name: str, variant: str | None) -> None:
    env = aec(name, variant)
    env.reset(seed=1)
    env.step(int(env.last()[4]["action_mask"].argmax()))
    twin = copy.deepcopy(env)
    assert play_on(env, seed=2) == play_on(twin, seed=2)
    assert env.record.fingerprint() == twin.record.fingerprint()


def test_masks_are_copies() -> None:
    env = aec("gomoku")
    env.reset()
    env.last()[4]["action_mask"][:] = 0
    env.step(3)
    assert not any(env.terminations.values())


def test_resets_without_a_seed_follow_from_the_seed_before() -> None:
    env = aec("battleship")
    runs = []
    for _ in range(2):
        env.reset(seed=5)
        env.reset()
        runs.append(env.episode.session.state)
    env.reset()
    assert runs[0] == runs[1] != env.episode.session.state


@pytest.mark.parametrize("number", [-1, 225, 7])
def test_what_is_not_allowed_forfeits(number: int) -> None:
    env = aec("gomoku")
    env.reset()
    env.step(7)
    env.step(number)
    assert env.rewards == {"player_0": 1.0, "player_1": -1.0}
    assert all(env.terminations.values())
    assert "not allowed" in env.infos["player_1"]["forfeit"]
    assert env.record.end is not None
    assert env.record.end.forfeits[0].seat == 1


def test_what_is_not_allowed_may_raise_instead() -> None:
    env = aec("gomoku", illegal="raise")
    env.reset()
    env.step(7)
    with pytest.raises(TriremeError, match="not allowed for player_1"):
        env.step(7)
    env.step(8)
    assert env.agent_selection == "player_0"


@pytest.mark.parametrize("action", ["0", 1.5, None, True, [1], np.array([1])])
def test_what_is_no_whole_number_is_refused(action: Any) -> None:
    env = aec("gomoku")
    env.reset()
    with pytest.raises(TriremeError, match="whole number"):
        env.step(action)
    env.step(np.int32(3))
    assert env.agent_selection == "player_1"


@pytest.mark.parametrize(
    ("name", "variant", "steps"), [("gomoku", None, 6), ("navigation", None, 24)]
)
def test_max_cycles_truncate(name: str, variant: str | None, steps: int) -> None:
    env = aec(name, variant, max_cycles=3)
    env.reset(seed=0)
    for _ in range(steps):
        assert not any(env.truncations.values())
        env.step(int(np.flatnonzero(env.last()[4]["action_mask"])[0]))
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    play_on(env, seed=0)
    assert env.agents == []


@either_way
def test_max_cycles_truncate_together(stepwise: bool) -> None:
    env = parallel("navigation", stepwise=stepwise, max_cycles=2)
    env.reset(seed=0)
    steps = 0
    while env.agents:
        still = dict.fromkeys(env.agents, 0 if stepwise else [0, 0, 0, 0])
        *_, terminated, truncated, _ = env.step(still)
        steps += 1
    assert steps == (8 if stepwise else 2)
    assert truncated == {"player_0": True, "player_1": True}
    assert terminated == {"player_0": False, "player_1": False}


def test_whole_plans_are_structured() -> None:
    env = parallel("navigation", ships=("sloop", "cutter"))
    _, infos = env.reset(seed=0)
    assert env.action_space("player_0") == spaces.MultiDiscrete([28] * 4)
    assert infos["player_0"]["action_mask"].shape == (4, 28)
    assert infos["player_0"]["action_mask"].sum() == 4 * 20
    for agent in env.agents:
        plan = env.action_space(agent).sample(tuple(infos[agent]["action_mask"]))
        assert plan.shape == (4,)


@either_way
def test_both_ways_play_the_same_turn(stepwise: bool) -> None:
    env = parallel("navigation", stepwise=stepwise)
    env.reset(seed=0)
    plans = {"player_0": [1, 2, 13, 0], "player_1": [3, 1, 1, 16]}
    if stepwise:
        for phase in range(4):
            env.step({agent: plan[phase] for agent, plan in plans.items()})
    else:
        env.step({agent: np.array(plan) for agent, plan in plans.items()})
    assert env.record.moves == ({0: "F-L-Fp1--", 1: "R-F-F--s1"},)


@either_way
def test_an_illegal_plan_forfeits(stepwise: bool) -> None:
    env = parallel("navigation", ships=("sloop", "cutter"), stepwise=stepwise)
    env.reset(seed=0)
    bad = 27 if stepwise else [27, 0, 0, 0]
    fine = 0 if stepwise else [0, 0, 0, 0]
    _, rewards, terminated, _, infos = env.step({"player_0": bad, "player_1": fine})
    assert rewards == {"player_0": -1.0, "player_1": 1.0}
    assert all(terminated.values())
    assert "forfeit" in infos["player_0"]
    env.reset(seed=0)
    _, rewards, terminated, *_ = env.step(dict.fromkeys(env.agents, 30 if stepwise else [30] * 4))
    assert rewards == {"player_0": 0.0, "player_1": 0.0}
    assert all(terminated.values())


def test_an_illegal_plan_may_raise_instead_and_changes_nothing() -> None:
    env = parallel("navigation", ships=("sloop", "cutter"), illegal="raise")
    env.reset(seed=0)
    with pytest.raises(TriremeError, match="not allowed for player_0"):
        env.step({"player_0": [1, 27, 0, 0], "player_1": [0, 0, 0, 0]})
    env.step({"player_0": [2, 0, 0, 0], "player_1": [0, 0, 0, 0]})
    assert env.record.moves[0][0] == "L-------"


def test_simultaneous_duels_end_for_both() -> None:
    env = parallel("battleship", "simultaneous")
    _, infos = env.reset(seed=2)
    total = dict.fromkeys(env.agents, 0.0)
    rng = np.random.default_rng(0)
    while env.agents:
        shots = {a: rng.choice(np.flatnonzero(infos[a]["action_mask"])) for a in env.agents}
        _, rewards, terminated, _, infos = env.step(shots)
        total = {a: total[a] + rewards[a] for a in total}
    assert all(terminated.values())
    assert tuple(total.values()) == env.record.returns


def test_a_seat_that_sits_out_is_not_asked() -> None:
    env = parallel("battleship", "simultaneous", mines=5)
    fleet = "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2 *J1 *J3 *J5 *J7 *J9"
    env.reset(seed=0, options={"opening": [{0: fleet, 1: fleet}]})
    _, _, _, _, infos = env.step({"player_0": 90, "player_1": 99})
    assert infos["player_0"]["choices"] == 0
    assert not infos["player_0"]["action_mask"].any()
    env.step({"player_0": 0, "player_1": 98})
    assert len(env.episode.session.state.seas[1].shots) == 1
    assert len(env.episode.session.state.seas[0].shots) == 2


@pytest.mark.parametrize(
    "actions",
    [
        {},
        {"player_0": [0, 0, 0, 0]},
        {"player_0": 3, "player_1": 3},
        {"player_0": [0, 0, 0], "player_1": [0, 0, 0, 0]},
        {"player_0": [0.5, 0, 0, 0], "player_1": [0, 0, 0, 0]},
        {"player_0": None, "player_1": None},
        {"player_0": "FFFF", "player_1": [0, 0, 0, 0]},
        {"player_0": [0, 0, 0, 0], "player_1": [0, 0, 0, 0], "player_2": [0, 0, 0, 0]},
        [[0, 0, 0, 0], [0, 0, 0, 0]],
        None,
    ],
)
def test_wrong_joint_actions_are_refused_and_change_nothing(actions: Any) -> None:
    env = parallel("navigation")
    env.reset(seed=0)
    with pytest.raises(TriremeError, match="expected"):
        env.step(actions)
    env.step({"player_0": [0, 0, 0, 0], "player_1": [0, 0, 0, 0]})
    assert env.episode.session.state.turn == 1


@pytest.mark.parametrize(("name", "variant"), [("gomoku", None), ("battleship", "duel")])
def test_games_played_in_turn_are_no_parallel_games(name: str, variant: str | None) -> None:
    with pytest.raises(TriremeError, match=r"use trireme\.envs\.aec"):
        parallel(name, variant)


@pytest.mark.parametrize(
    "wrong",
    [
        {"render_mode": "rgb_array"},
        {"max_cycles": 0},
        {"max_cycles": "few"},
        {"illegal": "ignore"},
        {"opening": ["z99"]},
        {"opening": ["h8", "h8"]},
        {"size": 2},
        {"colour": 1},
    ],
)
def test_wrong_options_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TriremeError):
        aec("gomoku", **wrong)


def test_wrong_names_are_refused() -> None:
    with pytest.raises(TriremeError, match="Did you mean 'gomoku'"):
        aec("gomuku")
    with pytest.raises(TriremeError, match="variant"):
        aec("gomoku", "tiny")
    with pytest.raises(TriremeError, match="stepwise"):
        parallel("navigation", stepwise=2)
    with pytest.raises(TriremeError, match="settings already"):
        aec(make_game("gomoku"), size=9)


def test_a_game_may_be_given_whole() -> None:
    env = aec(make_game("gomoku", size=7))
    assert env.action_space("player_0") == spaces.Discrete(49)
    assert isinstance(parallel(make_game("navigation")), ParallelGameEnv)


def test_nothing_goes_before_reset() -> None:
    with pytest.raises(ResetNeeded):
        aec("gomoku").step(0)
    with pytest.raises(ResetNeeded):
        parallel("navigation").step({})
    with pytest.raises(ResetNeeded):
        aec("gomoku", render_mode="ansi").render()


def test_drawings(capsys: pytest.CaptureFixture[str]) -> None:
    env = aec("gomoku", render_mode="ansi", size=7)
    env.reset()
    env.step(3)
    assert len(str(env.render()).splitlines()) > 7
    shown = parallel("navigation", render_mode="human")
    shown.reset(seed=0)
    assert shown.render() is None
    assert capsys.readouterr().out.strip()
    quiet = aec("gomoku")
    quiet.reset()
    with pytest.warns(UserWarning, match="render_mode"):
        assert quiet.render() is None
