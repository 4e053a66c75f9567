"""The vector environment of Battle Navigation: both plans, as the plain rules play them."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme import TriremeError
from trireme.envs import NavigationVectorEnv
from trireme.envs.navigation_vector import DRAWN, FIRST, GOING_ON, NOTHING, SECOND
from trireme.navigation.encode import NavigationEncoder
from trireme.navigation.geometry import FACINGS
from trireme.navigation.rules import Navigation, NavigationState
from trireme.navigation.ships import SHIPS

ID = "trireme/Navigation-v0"


def vector(num: int = 3, **options: Any) -> NavigationVectorEnv:
    env = gymnasium.make_vec(ID, num_envs=num, **options)
    assert isinstance(env, NavigationVectorEnv)
    return env


def test_make_vec_gives_the_batched_environment() -> None:
    env = vector(16)
    observations, infos = env.reset()
    assert env.observation_space.contains(observations)
    assert env.action_space.shape == (16, 2, 4)
    assert infos["action_mask"].shape == (16, 2, 4, 28)
    observations, *_ = env.step(env.action_space.sample())
    assert env.observation_space.contains(observations)


@settings(max_examples=settings().max_examples * 3 // 20)
@given(
    ships=st.tuples(st.sampled_from(list(SHIPS)), st.sampled_from(list(SHIPS))),
    seed=st.integers(0, 2**32),
    turns=st.sampled_from(["stay", "advance"]),
    ammo=st.none() | st.integers(0, 6),
    ram=st.integers(0, 3),
    limit=st.integers(1, 12),
    phases=st.integers(1, 4),
    mode=st.sampled_from(list(AutoresetMode)),
)
def test_every_game_goes_by_the_rules(
    ships: tuple[str, str],
    seed: int,
    turns: Any,
    ammo: int | None,
    ram: int,
    limit: int,
    phases: int,
    mode: AutoresetMode,
) -> None:
    options: dict[str, Any] = {
        "ships": ships,
        "map": f"procedural:{seed % 5}",
        "turns": turns,
        "ammo_per_turn": ammo,
        "ram_damage": ram,
        "turn_limit": limit,
        "phases": phases,
    }
    game, env = Navigation(**options), vector(3, autoreset_mode=mode, **options)
    encoder, rng = NavigationEncoder(game), np.random.default_rng(seed)
    observations, infos = env.reset()
    states = [game.start()] * 3
    ended = [False] * 3
    for _ in range(15):
        actions = rng.integers(0, env.single_action_space.nvec, (3, 2, phases))  # type: ignore[attr-defined]
        if ammo is not None:
            actions[rng.random((3, 2)) < 0.8] %= 12  # orders below 12 fire nothing
        observations, rewards, terminated, truncated, infos = env.step(actions)
        assert not truncated.any()
        for i in range(3):
            if ended[i] and mode is AutoresetMode.NEXT_STEP:
                states[i], ended[i] = game.start(), False
                assert (rewards[i], terminated[i], infos["outcome"][i]) == (0, False, NOTHING)
                continue
            states[i], worth, over = judged(game, encoder, states[i], actions[i])
            assert (rewards[i], terminated[i]) == (worth, over)
            ended[i] = over
            if over and mode is AutoresetMode.SAME_STEP:
                agrees(states[i], infos["final_obs"][i])
                states[i], ended[i] = game.start(), False
        for i, state in enumerate(states):
            agrees(state, {key: values[i] for key, values in observations.items()})
        for seat in (0, 1):
            expected = [encoder.planes(state, seat) for state in states]
            np.testing.assert_array_almost_equal(env.planes(seat), np.stack(expected))
        if mode is AutoresetMode.DISABLED and any(ended):
            env.reset(options={"reset_mask": np.array(ended)})
            states = [game.start() if e else s for s, e in zip(states, ended, strict=True)]
            ended = [False] * 3


def judged(
    game: Navigation, encoder: NavigationEncoder, state: NavigationState, action: Any
) -> tuple[NavigationState, float, bool]:
    """What the plain rules make of two plans: state, seat 0's return, and whether it is over."""
    plans = {seat: encoder.action(action[seat], seat) for seat in (0, 1)}
    culprits = [seat for seat in (0, 1) if plans[seat] not in game.legal(state, seat)]
    if culprits:
        return state, game.forfeit(state, culprits)[0], True
    state = game.apply(state, plans)
    return state, game.returns(state)[0], not game.to_move(state)


def agrees(state: NavigationState, seen: Any) -> None:
    expected = [(s.x, s.y, FACINGS.index(s.facing), s.hp) for s in state.ships]
    assert seen["ships"].tolist() == [list(ship) for ship in expected]
    assert seen["turn"].tolist() == [state.turn]


def test_a_seat_with_an_illegal_plan_forfeits() -> None:
    env = vector(4, ships=("sloop", "cutter"), autoreset_mode="Disabled")
    env.reset()
    actions = np.zeros((4, 2, 4), np.int64)
    actions[0, 0, 2] = 27  # a sloop has one shot
    actions[1, 1, 0] = -1
    actions[2, :, 1] = 99
    _, rewards, terminated, _, infos = env.step(actions)
    assert rewards.tolist() == [-1, 1, 0, 0]
    assert terminated.tolist() == [True, True, True, False]
    assert infos["outcome"].tolist() == [SECOND, FIRST, DRAWN, GOING_ON]
    assert infos["forfeit"].tolist() == [[1, 0], [0, 1], [1, 1], [0, 0]]


def test_masks_show_the_orders_of_each_ship() -> None:
    env = vector(2, ships=("sloop", "cutter"))
    _, infos = env.reset()
    assert infos["action_mask"][0].sum(-1).tolist() == [[20] * 4, [28] * 4]
    assert env.action_masks().shape == (2, 2, 4, 28)


def test_games_may_be_spread_over_maps() -> None:
    maps = ["procedural:1", "procedural:2"]
    env = vector(4, maps=maps, map=maps[0])
    env.reset()
    planes = env.planes(0)
    np.testing.assert_array_equal(planes[0], planes[2])
    assert (planes[0] != planes[1]).any()


@pytest.mark.parametrize(
    "wrong",
    [
        {"ships": ("raft", "cutter")},
        {"map": "nowhere"},
        {"maps": "default"},
        {"maps": ["nowhere"]},
        {"maps": 5},
        {"num_envs": 0},
        {"render_mode": "ansi"},
        {"speed": 3},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TriremeError):
        NavigationVectorEnv(**wrong)


@pytest.mark.parametrize(
    "actions", [[1, 2], np.zeros((2, 4)), np.zeros((2, 2, 3), int), np.zeros((2, 2, 4)), "plan"]
)
def test_a_wrong_batch_of_plans_is_refused(actions: Any) -> None:
    env = vector(2)
    env.reset()
    with pytest.raises(TriremeError, match="expected"):
        env.step(actions)


def test_planes_are_for_a_seat() -> None:
    env = vector(2)
    env.reset()
    with pytest.raises(TriremeError, match="seat"):
        env.planes(2)


@pytest.mark.parametrize("copy", [True, False])
def test_infos_are_the_environments_own_only_without_copies(copy: bool) -> None:
    env = vector(2, copy=copy)
    infos = [env.reset()[1], env.reset()[1]]
    for name in ("outcome", "forfeit", "action_mask"):
        assert np.shares_memory(infos[0][name], infos[1][name]) is not copy, name
