"""Stable-Baselines3 on Battleship: its checker, its algorithms, and the native VecEnv."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from trireme import TriremeError
from trireme.envs import BattleshipVectorEnv
from trireme.envs.sb3 import BattleshipVecEnv, BoardsVecEnv

SMALL = {"board_size": (5, 5), "ship_placement": "A1-A3 C1-C2"}
WINNING = (0, 1, 2, 10, 11)
TINY_NET = {"net_arch": [16]}


def fire(env: VecEnv, *cells: int) -> Any:
    answer = None
    for cell in cells:
        answer = env.step(np.full(env.num_envs, cell))
    return answer


@pytest.mark.parametrize(
    "options",
    [{}, {"board_size": (5, 12)}, {"render_mode": "ansi"}, {"observation": "planes"}],
)
def test_the_checker_finds_no_fault(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(
            gymnasium.make("trireme/Battleship-v0", flat=True, **options), skip_render_check=False
        )


def test_the_checker_only_dislikes_boards_that_are_not_flat() -> None:
    with pytest.warns(UserWarning, match="attack_board has an unconventional shape") as warned:
        check_env(gymnasium.make("trireme/Battleship-v0"))
    assert len(warned) == 1


def test_masks_come_board_by_board() -> None:
    env = BattleshipVecEnv(3)
    env.seed(4)
    env.reset()
    env.step(np.array([1, 2, 3]))
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (3, 100)
    assert [np.flatnonzero(~mask).tolist() for mask in masks] == [[1], [2], [3]]
    assert np.flatnonzero(~env.env_method("action_masks", indices=1)[0]).tolist() == [2]


def test_a_board_that_ends_tells_how_and_goes_on() -> None:
    env = BattleshipVecEnv(2, **SMALL)
    observations = env.reset()
    assert env.observation_space.contains({k: v[0] for k, v in observations.items()})
    env.step(np.array([0, 24]))
    observations, rewards, ended, infos = fire(env, *WINNING[1:])
    assert rewards.dtype == np.float32
    assert rewards.tolist() == [100, 10]
    assert ended.tolist() == [True, False]
    assert infos[0]["terminal_observation"]["move_count"].tolist() == [5]
    assert infos[0]["TimeLimit.truncated"] is False
    assert "terminal_observation" not in infos[1]
    assert observations["move_count"].tolist() == [[0], [5]]


def test_a_truncated_episode_says_so() -> None:
    env = BattleshipVecEnv(2, max_steps=2)
    env.reset()
    *_, ended, infos = fire(env, 1, 1)
    assert ended.all()
    assert all(info["TimeLimit.truncated"] for info in infos)


def test_seeds_hold_for_one_reset() -> None:
    env = BattleshipVecEnv(2)
    env.seed(1)
    env.reset()
    first = env.boards.fleets()  # type: ignore[attr-defined]
    env.reset()
    second = env.boards.fleets()  # type: ignore[attr-defined]
    env.seed(1)
    env.reset()
    assert env.boards.fleets() == first != second  # type: ignore[attr-defined]


def test_monitors_see_episodes() -> None:
    env = VecMonitor(BattleshipVecEnv(2, **SMALL))
    env.reset()
    *_, infos = fire(env, *WINNING)
    assert infos[0]["episode"]["l"] == 5
    assert infos[0]["episode"]["r"] == 125
    assert is_masking_supported(env)


def test_other_ways_into_the_boards_are_closed() -> None:
    env = BattleshipVecEnv(2)
    with pytest.raises(AttributeError, match="no fly"):
        env.env_method("fly")
    with pytest.raises(AttributeError, match="share their settings"):
        env.set_attr("max_steps", 3)
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False, False]
    assert not env.has_attr("nonsense")
    env.close()


def test_boards_that_reset_otherwise_are_refused() -> None:
    with pytest.raises(TriremeError, match="SameStep"):
        BoardsVecEnv(BattleshipVectorEnv(2))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "native"),
    [(PPO, False), (A2C, False), (DQN, False), (MaskablePPO, False), (MaskablePPO, True)],
)
def test_algorithms_train(algorithm: Any, native: bool) -> None:
    env: Any = (
        BattleshipVecEnv(4, (5, 5))
        if native
        else gymnasium.make("trireme/Battleship-v0", board_size=(5, 5))
    )
    options = {
        PPO: {"n_steps": 32, "batch_size": 32},
        A2C: {"n_steps": 8},
        DQN: {"learning_starts": 50, "buffer_size": 500},
        MaskablePPO: {"n_steps": 32, "batch_size": 32},
    }[algorithm]
    model = algorithm(
        "MultiInputPolicy", env, seed=0, device="cpu", policy_kwargs=TINY_NET, **options
    )
    before = [weights.clone() for weights in model.policy.parameters()]
    model.learn(128)
    after = list(model.policy.parameters())
    assert any(not b.equal(a) for b, a in zip(before, after, strict=True))
    assert model.num_timesteps >= 128


@pytest.mark.slow
def test_a_masked_learner_never_fires_twice_at_a_cell() -> None:
    env = BattleshipVecEnv(4, (5, 5))
    model = MaskablePPO(
        "MultiInputPolicy", env, seed=0, n_steps=32, batch_size=32, policy_kwargs=TINY_NET
    )
    observations = env.reset()
    for _ in range(60):
        actions, _ = model.predict(observations, action_masks=get_action_masks(env))
        observations, rewards, _, _ = env.step(actions)
        assert (rewards > -50).all()
