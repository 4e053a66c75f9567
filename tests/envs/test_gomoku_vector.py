"""The vector environment of Gomoku: self-play that the plain rules agree with, ply by ply."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme import TriremeError
from trireme.envs import GomokuVectorEnv, ResetNeeded
from trireme.envs.gomoku_vector import DRAWN, GOING_ON, ILLEGAL, NOTHING, WON
from trireme.gomoku.encode import GomokuEncoder, board_array
from trireme.gomoku.rules import Gomoku, GomokuState

ID = "trireme/Gomoku-v0"


def vector(num: int = 3, **options: Any) -> GomokuVectorEnv:
    env = gymnasium.make_vec(ID, num_envs=num, **options)
    assert isinstance(env, GomokuVectorEnv)
    return env


def put(env: GomokuVectorEnv, *points: int) -> Any:
    """The same points on every board, one ply each; the last ply's answer."""
    answer = None
    for point in points:
        answer = env.step(np.full(env.num_envs, point))
    return answer


BLACK_WINS = (0, 15, 1, 16, 2, 17, 3, 18, 4)
WHITE_WINS = (100, 0, 102, 1, 104, 2, 106, 3, 108, 4)


def test_make_vec_gives_the_batched_environment() -> None:
    env = vector(64)
    observations, infos = env.reset()
    assert env.observation_space.contains(observations)
    assert infos["action_mask"].shape == (64, 225)
    assert infos["action_mask"].dtype == np.int8
    assert env.single_action_space == gymnasium.spaces.Discrete(225)


@settings(max_examples=settings().max_examples * 3 // 10)
@given(
    size=st.integers(5, 9),
    rule=st.sampled_from(["standard", "freestyle"]),
    form=st.sampled_from(["board", "planes"]),
    mode=st.sampled_from(list(AutoresetMode)),
    max_moves=st.none() | st.integers(1, 60),
    illegal=st.floats(0, 0.05),
    seed=st.integers(0, 2**32),
)
def test_every_board_is_a_game_by_the_rules(
    size: int,
    rule: Any,
    form: str,
    mode: AutoresetMode,
    max_moves: int | None,
    illegal: float,
    seed: int,
) -> None:
    game = Gomoku(size=size, rule=rule)
    env = vector(
        3, size=size, rule=rule, observation=form, autoreset_mode=mode, max_moves=max_moves
    )
    rng = np.random.default_rng(seed)
    observations, infos = env.reset()
    states = [game.start()] * 3
    ended = [False] * 3
    for _ in range(70):
        actions = [play_any(game, state, rng, illegal) for state in states]
        observations, rewards, terminated, truncated, infos = env.step(actions)
        for i, action in enumerate(actions):
            if ended[i] and mode is AutoresetMode.NEXT_STEP:
                states[i], ended[i] = game.start(), False
                assert (rewards[i], terminated[i], truncated[i]) == (0, False, False)
                assert infos["outcome"][i] == NOTHING
                continue
            states[i], outcome = judged(game, states[i], action)
            reward = {WON: 1, ILLEGAL: -1}.get(outcome, 0)
            late = outcome == GOING_ON and len(states[i].stones) == max_moves
            ended[i] = outcome != GOING_ON or late
            assert (rewards[i], terminated[i], truncated[i]) == (reward, outcome != GOING_ON, late)
            if ended[i] and mode is AutoresetMode.SAME_STEP:
                agrees(game, states[i], infos["final_obs"][i], form)
                assert infos["final_info"]["outcome"][i] == outcome
                states[i], ended[i] = game.start(), False
            elif not ended[i]:
                assert infos["outcome"][i] == outcome
        for i, state in enumerate(states):
            agrees(game, state, at(observations, i), form)
            mask = board_array(game, state).reshape(-1) == 0
            np.testing.assert_array_equal(infos["action_mask"][i], mask)
            assert infos["move_count"][i] == len(state.stones)
        np.testing.assert_array_equal(env.action_masks(), infos["action_mask"])
        if mode is AutoresetMode.DISABLED and any(ended):
            env.reset(options={"reset_mask": np.array(ended)})
            states = [game.start() if e else s for s, e in zip(states, ended, strict=True)]
            ended = [False] * 3


def play_any(game: Gomoku, state: GomokuState, rng: np.random.Generator, illegal: float) -> int:
    """A point near the others, so that games are won; now and then one that is taken or off."""
    if rng.random() < illegal:
        return int(rng.choice([-1, game.size**2, *(r * game.size + c for r, c in state.stones)]))
    taken = {r * game.size + c for r, c in state.stones}
    free = [p for p in range(game.size**2) if p not in taken] or [0]
    return free[min(int(rng.integers(0, 4)), len(free) - 1)]


def judged(game: Gomoku, state: GomokuState, action: int) -> tuple[GomokuState, int]:
    """What the plain rules make of an action."""
    point = divmod(action, game.size)
    if not 0 <= action < game.size**2 or point in state.stones:
        return state, ILLEGAL
    state = game.apply(state, {game.to_move(state)[0]: point})
    if state.winner:
        return state, WON
    return state, GOING_ON if game.to_move(state) else DRAWN


def at(observations: Any, i: int) -> Any:
    if isinstance(observations, dict):
        return {key: array[i] for key, array in observations.items()}
    return observations[i]


def agrees(game: Gomoku, state: GomokuState, seen: Any, form: str) -> None:
    """The observation is the state, as the side to move sees it."""
    planes = GomokuEncoder(game).planes(state)
    if form == "planes":
        np.testing.assert_array_equal(seen, planes)
        return
    np.testing.assert_array_equal(seen["board"], planes[0] - planes[1])
    assert seen["black"].tolist() == [state.colour == 1]
    last = -1 if state.last is None else state.last[0] * game.size + state.last[1]
    assert seen["last_move"].tolist() == [last]


@pytest.mark.parametrize("winning", [BLACK_WINS, WHITE_WINS])
def test_who_makes_five_is_rewarded(winning: tuple[int, ...]) -> None:
    env = vector(2)
    env.reset()
    *_, infos = put(env, *winning[:-1])
    assert infos["outcome"].tolist() == [GOING_ON, GOING_ON]
    _, rewards, terminated, _, infos = put(env, winning[-1])
    assert rewards.tolist() == [1, 1]
    assert terminated.all()
    assert infos["outcome"].tolist() == [WON, WON]


def test_six_in_a_row_win_only_in_freestyle() -> None:
    line = (0, 30, 1, 32, 2, 34, 4, 36, 5, 38, 3)
    for rule, reward in (("standard", 0), ("freestyle", 1)):
        env = vector(1, rule=rule)
        env.reset()
        assert put(env, *line)[1].tolist() == [reward]


def test_an_illegal_point_loses_the_game() -> None:
    env = vector(1, autoreset_mode="SameStep")
    env.reset()
    _, rewards, terminated, _, infos = put(env, 7, 7)
    assert rewards.tolist() == [-1]
    assert terminated.all()
    assert infos["final_info"]["outcome"].tolist() == [ILLEGAL]
    assert infos["action_mask"].all()


def test_games_may_begin_from_a_position() -> None:
    env = vector(2, position="h8i9", autoreset_mode="SameStep")
    observations, infos = env.reset()
    assert infos["move_count"].tolist() == [2, 2]
    assert observations["board"][0][7, 7] == 1
    assert observations["board"][0][8, 8] == -1
    assert observations["last_move"].tolist() == [[8 * 15 + 8]] * 2
    observations, *_ = put(env, 0, 0)
    assert np.count_nonzero(observations["board"]) == 4


def test_without_copies_the_buffers_are_the_environments_own() -> None:
    env = vector(2, copy=False)
    env.reset()
    first, second = put(env, 5)[0], put(env, 6)[0]
    assert np.shares_memory(first["board"], second["board"])
    fresh = vector(2)
    fresh.reset()
    first = put(fresh, 5)[0]
    kept = first["board"].copy()
    put(fresh, 6)
    np.testing.assert_array_equal(first["board"], kept)


def test_step_needs_a_reset() -> None:
    with pytest.raises(ResetNeeded):
        vector(2).step(np.array([0, 0]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": 3},
        {"rule": "renju"},
        {"opening": "swap2"},
        {"observation": "picture"},
        {"max_moves": 0},
        {"render_mode": "human"},
        {"num_envs": 0},
        {"colour": 3},
        {"position": "z99"},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TriremeError):
        GomokuVectorEnv(**wrong)


@pytest.mark.parametrize("actions", [[1], [[1, 2]], "ab", [0.5, 1.0], None])
def test_a_wrong_batch_of_actions_is_refused(actions: Any) -> None:
    env = vector(2)
    env.reset()
    with pytest.raises(TriremeError, match="expected"):
        env.step(actions)
