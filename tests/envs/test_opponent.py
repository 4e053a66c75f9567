"""Games against an opponent through `gymnasium.make`: seats, masks, rewards, seeds, secrets."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import trireme.envs  # noqa: F401 - registers the environments
from trireme import TriremeError, Turn
from trireme.core.agents import Random
from trireme.envs import OpponentEnv, ResetNeeded

GAMES: dict[str, dict[str, Any]] = {
    "trireme/Gomoku-v0": {"size": 9, "opponent": "random"},
    "trireme/Navigation-v0": {"opponent": "random", "turn_limit": 6},
    "trireme/Battleship-v0": {"opponent": "hunt", "board_size": (6, 6)},
}


class Spy:
    """A random opponent that remembers what it was shown."""

    name = "spy"

    def __init__(self) -> None:
        self.prepared = 0
        self.turns: list[Turn[Any, Any]] = []

    def prepare(self, game: object) -> None:
        self.prepared += 1

    def act(self, turn: Turn[Any, Any]) -> Any:
        self.turns.append(turn)
        return turn.legal.sample(turn.rng)


def made(id_: str, **options: Any) -> OpponentEnv:
    env = gymnasium.make(id_, **{**GAMES[id_], **options}).unwrapped
    assert isinstance(env, OpponentEnv)
    return env


def episode(env: OpponentEnv, seed: int | None) -> tuple[list[int], float, dict[str, Any]]:
    """Random legal play: the actions, the sum of rewards, and the last info."""
    _, info = env.reset(seed=seed)
    rng = np.random.default_rng(0)
    actions, total, over = [], 0.0, False
    while not over:
        np.testing.assert_array_equal(info["action_mask"], env.action_masks())
        actions.append(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        observation, reward, terminated, truncated, info = env.step(actions[-1])
        assert env.observation_space.contains(observation)
        total += reward
        over = terminated or truncated
    return actions, total, info


@pytest.mark.parametrize("id_", GAMES)
@pytest.mark.parametrize("mode", ["ansi", "human", "rgb_array"])
def test_gymnasium_finds_no_fault(id_: str, mode: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made(id_, render_mode=mode))


@pytest.mark.parametrize("id_", GAMES)
@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_an_episode_is_a_game_with_its_returns_as_rewards(id_: str, seat: int | str) -> None:
    env = made(id_, seat=seat)
    _, total, info = episode(env, 5)
    session = env.episode.session
    assert session.over
    assert total == session.returns[env.seat]
    assert info["seat"] == env.seat
    assert seat == "random" or env.seat == seat


@pytest.mark.parametrize("id_", GAMES)
def test_the_same_seed_gives_the_same_game(id_: str) -> None:
    games = []
    for seed in (3, 3, 4):
        env = made(id_, seat="random")
        games.append([(episode(env, s), env.record.fingerprint()) for s in (seed, None)])
    for one, other in zip(games[0], games[1], strict=True):
        assert one[0][0] == other[0][0]
        assert one[1] == other[1]
    assert games[0][0][1] != games[2][0][1]


def test_a_random_seat_is_drawn_anew() -> None:
    env = made("trireme/Gomoku-v0", seat="random")
    env.reset(seed=0)
    assert {env.reset()[1]["seat"] for _ in range(20)} == {0, 1}


def test_the_opponent_is_prepared_once_and_sees_only_its_view() -> None:
    spy = Spy()
    env = made("trireme/Battleship-v0", opponent=spy)
    for seed in range(2):
        episode(env, seed)
    assert spy.prepared == 1
    assert spy.turns[0].view.stage == "placing", "it places its own fleet"
    for turn in spy.turns:
        assert turn.seat == 1
        assert turn.view == env.game.view(env.game.determinize(turn.view, turn.rng), 1)
        assert turn.view.seas[0].fleet is None


def test_black_moves_before_white_is_asked() -> None:
    assert made("trireme/Gomoku-v0", seat=0).reset(seed=0)[1]["action_mask"].sum() == 81
    assert made("trireme/Gomoku-v0", seat=1).reset(seed=0)[1]["action_mask"].sum() == 80


def test_a_plan_is_chosen_order_by_order_and_then_both_seats_move() -> None:
    env = made("trireme/Navigation-v0")
    _, info = env.reset(seed=0)
    assert info["choices"] == 4
    for number in range(4):
        assert env.episode.session.moves == 0
        assert info["chosen"] == (0,) * number
        *_, info = env.step(0)
    assert env.episode.session.moves == 1


@pytest.mark.parametrize("action", [-1, 81, 0])
def test_an_illegal_action_forfeits_or_raises(action: int) -> None:
    env = made("trireme/Gomoku-v0", opening=["a9", "b9"])
    env.reset(seed=0)
    taken = int(np.flatnonzero(~env.action_masks())[0])
    _, reward, terminated, _, info = env.step(action if action else taken)
    assert (reward, terminated) == (-1.0, True)
    assert "not allowed" in info["forfeit"]
    strict = made("trireme/Gomoku-v0", illegal="raise")
    strict.reset(seed=0)
    with pytest.raises(TriremeError, match="not allowed"):
        strict.step(-1)
    assert strict.action_masks().all()


def test_an_opponent_that_fails_is_an_error_and_no_win() -> None:
    class Broken(Random):
        def act(self, turn: Turn[Any, Any]) -> Any:
            raise RuntimeError("out of order")

    env = made("trireme/Gomoku-v0", opponent=Broken())
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="out of order"):
        env.step(0)


def test_turns_are_limited() -> None:
    env = made("trireme/Gomoku-v0", max_steps=2)
    env.reset(seed=0)
    first = np.flatnonzero(env.action_masks())[40]
    assert env.step(first)[3] is False
    assert env.step(int(np.flatnonzero(env.action_masks())[0]))[3] is True
    with pytest.raises(ResetNeeded):
        env.step(3)


def test_self_play_shows_and_rewards_the_seat_that_moves() -> None:
    env = made("trireme/Gomoku-v0", opponent=None)
    _, info = env.reset(seed=0)
    for number, point in enumerate((0, 9, 1, 10, 2, 11, 3, 12)):
        assert info["seat"] == number % 2
        _, reward, terminated, _, info = env.step(point)
        assert (reward, terminated) == (0.0, False)
    _, reward, terminated, _, info = env.step(4)  # black makes five
    assert (reward, terminated, info["seat"]) == (1.0, True, 1)
    with pytest.raises(TriremeError, match="give an opponent"):
        gymnasium.make("trireme/Navigation-v0", opponent=None)


def test_pixels_hide_the_opponents_fleet() -> None:
    """Two games that differ only in the opponent's fleet look the same."""
    pictures = []
    for fleet in ("A1-A3 C1-C2", "D1-D3 F1-F2"):
        env = made("trireme/Battleship-v0", render_mode="rgb_array")
        env.reset(seed=0, options={"opening": [{0: "A1-A3 C1-C2", 1: fleet}]})
        pictures.append(env.render())
    np.testing.assert_array_equal(*pictures)
    assert pictures[0].shape == (6 * 32 + 1, 2 * (6 * 32 + 1) + 32, 3)


def test_people_see_the_board_printed(capsys: pytest.CaptureFixture[str]) -> None:
    text = made("trireme/Gomoku-v0", render_mode="ansi")
    text.reset(seed=0)
    human = made("trireme/Gomoku-v0", render_mode="human")
    human.reset(seed=0)
    assert capsys.readouterr().out == f"{text.render()}\n\n"


def test_an_episode_leaves_a_record() -> None:
    env = made("trireme/Gomoku-v0")
    actions, _, _ = episode(env, 1)
    end = env.record.end
    assert end is not None
    assert end.end == "over"
    assert len(env.record.moves) >= 2 * len(actions) - 1


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"seat": 2}, "seat must be"),
        ({"seat": True}, "seat must be"),
        ({"opponent": "randon"}, "Did you mean 'random'"),
        ({"oponent": "random"}, "Did you mean 'opponent'"),
        ({"flat": 1}, "flat must be"),
        ({"illegal": "ignore"}, "illegal"),
        ({"render_mode": "rgb"}, "render_mode"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")  # gymnasium's, about the render mode
def test_wrong_options_are_refused(options: dict[str, Any], fault: str) -> None:
    with pytest.raises(TriremeError, match=fault):
        made("trireme/Gomoku-v0", **options)


def test_the_best_known_opponents_can_be_named() -> None:
    env = made("trireme/Gomoku-v0", opponent="search:depth=1", seat=1)
    _, info = env.reset(seed=0)
    assert info["action_mask"].sum() == 80
    flat = made("trireme/Gomoku-v0", flat=True)
    assert flat.reset(seed=0)[0].shape == (4 * 81,)


def test_after_a_forfeit_nothing_may_be_chosen() -> None:
    env = made("trireme/Gomoku-v0")
    env.reset(seed=0)
    *_, info = env.step(-1)
    assert "forfeit" in info
    assert not info["action_mask"].any()
