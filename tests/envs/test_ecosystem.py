"""Entries of other libraries, written as their documentation writes them."""

import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

import trireme.envs

IDS = ("trireme/Battleship-v0", "trireme/Gomoku-v0", "trireme/Navigation-v0")
FLAT = {id_: {"flat": True} for id_ in IDS}


@pytest.fixture(autouse=True)
def quiet_about_shapes() -> Iterator[None]:
    """SB3 warns about planes that are no images of 0 to 255; they are no images."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*unconventional shape.*")
        yield


@pytest.mark.parametrize("id_", IDS)
def test_sb3_makes_a_vector_of_environments(id_: str) -> None:
    env_util = pytest.importorskip("stable_baselines3.common.env_util")
    vec_env = env_util.make_vec_env(id_, n_envs=2, seed=0)
    vec_env.reset()
    _, rewards, _, infos = vec_env.step(np.zeros(2, np.int64))
    assert rewards.shape == (2,)
    assert infos[0]["action_mask"].dtype == np.int8
    assert vec_env.render(mode="rgb_array").dtype == np.uint8
    vec_env.close()


@pytest.mark.slow
def test_sb3_makes_the_environment_of_an_id() -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    model = sb3.PPO(
        "MultiInputPolicy",
        "trireme/Battleship-v0",
        n_steps=16,
        batch_size=16,
        n_epochs=1,
        device="cpu",
        policy_kwargs={"net_arch": [8]},
    )
    model.learn(16)
    assert model.num_timesteps == 16


@pytest.mark.parametrize("id_", IDS)
def test_sb3s_checker_finds_no_fault(id_: str) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checker.check_env(gymnasium.make(id_, **FLAT[id_]))


@pytest.mark.slow
def test_a_masked_learner_plays_gomoku_against_an_opponent() -> None:
    contrib = pytest.importorskip("sb3_contrib")
    env = gymnasium.make("trireme/Gomoku-v0", size=7, opponent="random", seat="random")
    options = {"n_steps": 16, "batch_size": 16, "n_epochs": 1, "device": "cpu"}
    model = contrib.MaskablePPO("MlpPolicy", env, policy_kwargs={"net_arch": [8]}, **options)
    model.learn(16)
    observation, _ = env.reset(seed=0)
    masks = env.unwrapped.action_masks()  # type: ignore[attr-defined]
    action, _ = model.predict(observation, action_masks=masks)
    assert masks[int(action)]


@pytest.mark.parametrize("id_", IDS)
@pytest.mark.slow
def test_torchrl_wraps_the_environment_of_an_id(id_: str) -> None:
    pytest.importorskip("torchrl")
    from torchrl.envs import GymEnv  # type: ignore[import-not-found,unused-ignore]

    env = GymEnv(id_)
    assert env.rollout(max_steps=3).batch_size[0] >= 1


@pytest.mark.parametrize("id_", IDS)
def test_what_torchrl_asks_for_is_answered_as_it_expects(id_: str) -> None:
    """Its `GymEnv` offers `frameskip`, and does without where this error says so."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gymnasium.make(id_, frameskip=1)


def cleanrl_thunk(id_: str, **options: Any) -> Any:
    """CleanRL's `make_env`, as all of its single-file scripts have it."""

    def thunk() -> gymnasium.Env[Any, Any]:
        env = gymnasium.make(id_, **options)
        return gymnasium.wrappers.RecordEpisodeStatistics(env)

    return thunk


@pytest.mark.parametrize("id_", IDS)
def test_cleanrl_steps_a_sync_vector_env(id_: str) -> None:
    envs = gymnasium.vector.SyncVectorEnv(
        [cleanrl_thunk(id_, **FLAT[id_]) for _ in range(2)],
        autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP,
    )
    assert isinstance(envs.single_action_space, gymnasium.spaces.Discrete)
    envs.reset(seed=1)
    finished = 0
    for _ in range(600):
        actions = np.array([envs.single_action_space.sample() for _ in range(2)])
        *_, infos = envs.step(actions)
        if "final_info" in infos and "episode" in infos["final_info"]:
            episodes = infos["final_info"]["episode"]
            finished += int((episodes["l"] > 0).sum())
    assert finished > 0
    envs.close()


def test_the_vector_environment_records_its_statistics() -> None:
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        gymnasium.make_vec("trireme/Battleship-v0", num_envs=4, board_size=(5, 5))
    )
    _, infos = envs.reset(seed=0)
    lengths: list[float] = []
    for cell in range(25):
        *_, infos = envs.step(np.full(4, cell))
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert len(lengths) >= 4
    assert all(5 <= length <= 25 for length in lengths[:4])


def test_pettingzoos_tests_pass() -> None:
    test = pytest.importorskip("pettingzoo.test")
    test.api_test(trireme.envs.aec("gomoku", size=7), num_cycles=30)
    test.parallel_api_test(trireme.envs.parallel("navigation"), num_cycles=10)


def test_videos_are_recorded(tmp_path: Any) -> None:
    pytest.importorskip("moviepy")
    env = gymnasium.make("trireme/Battleship-v0", render_mode="rgb_array", board_size=(5, 5))
    env = gymnasium.wrappers.RecordVideo(
        env, str(tmp_path / "videos"), episode_trigger=lambda _: True
    )
    env.reset(seed=0)
    for cell in range(25):
        if env.step(cell)[2]:
            break
    env.close()
    (video,) = tmp_path.glob("videos/*.mp4")
    assert video.stat().st_size > 1_000
