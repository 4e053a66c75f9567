"""Duels in the vector environment: the games that `OpponentEnv` plays, many at a time."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme import TriremeError, Turn
from trireme.battleship.fleets import Fleet, ship_at
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Salvo
from trireme.envs import BattleshipDuelVectorEnv, BattleshipVectorEnv, OpponentEnv
from trireme.envs.duel_vector import DEFEAT, DRAW, GOING_ON, ILLEGAL, NOTHING, VICTORY

ID = "trireme/Battleship-v0"
SMALL = {"board_size": (5, 5), "fleet": (2, 1)}


def vector(num: int = 2, **options: Any) -> BattleshipDuelVectorEnv:
    env = gymnasium.make_vec(ID, num_envs=num, **{**SMALL, **options})
    assert isinstance(env, BattleshipDuelVectorEnv)
    return env


class Repeater:
    """An opponent that fires as the one of a batch did in duel `number`."""

    name = "repeater"

    def __init__(self, env: BattleshipDuelVectorEnv, number: int) -> None:
        self.env, self.number = env, number

    def act(self, turn: Turn[Any, Any]) -> Salvo:
        game: Any = turn.game
        done = len(turn.view.target.shots)
        fired = self.env.shots()[self.number][turn.seat]
        cells = fired[done : done + game.salvo_size(turn.view)]
        return Salvo(tuple(divmod(cell, game.cols) for cell in cells))


def twin(env: BattleshipDuelVectorEnv, number: int, seat: int, **options: Any) -> Any:
    """The game of duel `number`, played by the rules: the environment, what it shows, its info."""
    single = OpponentEnv(env.game, seat=seat, **options)
    fleets = env.fleets()[number]
    opening = [{owner: env.game.write(fleet) for owner, fleet in enumerate(fleets)}]
    return (single, *single.reset(options={"opening": opening}))


@settings(max_examples=settings().max_examples // 5)
@given(
    rows=st.integers(5, 7),
    cols=st.integers(5, 7),
    fleet=st.sampled_from([None, (2, 2, 1), (3,), (1, 1, 1, 1)]),
    touching=st.booleans(),
    mines=st.integers(0, 5),
    salvo=st.booleans(),
    simultaneous=st.booleans(),
    self_play=st.booleans(),
    seat=st.sampled_from([0, 1, "random"]),
    flat=st.booleans(),
    max_steps=st.none() | st.integers(1, 30),
    seed=st.integers(0, 2**32),
)
def test_every_duel_is_a_game_by_the_rules(
    rows: int,
    cols: int,
    fleet: tuple[int, ...] | None,
    touching: bool,
    mines: int,
    salvo: bool,
    simultaneous: bool,
    self_play: bool,
    seat: int | str,
    flat: bool,
    max_steps: int | None,
    seed: int,
) -> None:
    """Same fleets, same choices, legal or not: same observations, rewards, ends and infos."""
    num = 2
    env = vector(
        num,
        duel=True,
        opponent=None if self_play else "random",
        board_size=(rows, cols),
        fleet=fleet,
        touching=touching,
        mines=mines,
        salvo=salvo,
        simultaneous=simultaneous and not self_play,
        seat=seat,
        flat=flat,
        max_steps=max_steps,
        autoreset_mode="Disabled",
    )
    observations, infos = env.reset(seed=seed)
    assert env.observation_space.contains(observations)
    twins: list[Any] = [None] * num
    rng = np.random.default_rng(seed)
    ended, fleets = np.ones(num, np.bool_), env.fleets()
    for _ in range(60):
        fleets = env.fleets() if ended.any() else fleets
        for i in np.flatnonzero(ended):
            opponent = None if self_play else Repeater(env, i)
            options = {"max_steps": max_steps, "flat": flat, "opponent": opponent}
            single, seen, info = twin(env, i, int(infos["seat"][i]), **options)
            twins[i] = single
            same(observations, infos, i, seen, info)
            assert infos["outcome"][i] == NOTHING
        masks, hunted = infos["action_mask"], 1 - infos["seat"]
        actions = [choice(masks[i], fleets[i][hunted[i]], cols, rng) for i in range(num)]
        observations, rewards, terminated, truncated, infos = env.step(np.array(actions))
        for i, single in enumerate(twins):
            seen, reward, over, late, info = single.step(actions[i])
            assert (rewards[i], terminated[i], truncated[i]) == (reward, over, late)
            same(observations, infos, i, seen, info)
            assert infos["outcome"][i] == outcome(over, reward, info)
        ended = terminated | truncated
        if ended.any():
            observations, infos = env.reset(options={"reset_mask": ended})


def choice(mask: Any, fleet: Fleet, cols: int, rng: np.random.Generator) -> int:
    """An open cell, often one of a ship, rarely any number."""
    if rng.random() < 0.01:
        return int(rng.integers(-1, len(mask) + 1))
    ships = [row * cols + col for row, col in ship_at(fleet)]
    open_ships = [cell for cell in ships if mask[cell]]
    if open_ships and rng.random() < 0.4:
        return int(rng.choice(open_ships))
    return int(rng.choice(np.flatnonzero(mask)))


def outcome(over: bool, reward: float, info: dict[str, Any]) -> int:
    if "forfeit" in info:
        return ILLEGAL
    return {1.0: VICTORY, -1.0: DEFEAT, 0.0: DRAW}[reward] if over else GOING_ON


def same(observations: Any, infos: Any, i: int, seen: Any, info: Any) -> None:
    """Duel `i` of the batch tells what the game of the rules tells."""
    np.testing.assert_array_equal(observations[i], seen)
    assert observations.dtype == seen.dtype
    np.testing.assert_array_equal(infos["action_mask"][i], info["action_mask"])
    assert infos["seat"][i] == info["seat"]
    assert infos["choices"][i] == info["choices"]
    assert infos["chosen"][i] == len(info["chosen"])


def first_open(infos: dict[str, Any]) -> Any:
    return infos["action_mask"].argmax(1)


@pytest.mark.parametrize("opponent", [None, "random"])
def test_ends_are_the_same_in_every_autoreset_mode(opponent: str | None) -> None:
    """The modes differ in when a duel is reset, not in how it goes."""
    ends = {}
    for mode in ("NextStep", "SameStep"):
        env = vector(4, duel=True, opponent=opponent, autoreset_mode=mode)
        _, infos = env.reset(seed=3)
        found: list[Any] = [None] * 4
        while any(end is None for end in found):
            observations, rewards, terminated, _, infos = env.step(first_open(infos))
            for i in np.flatnonzero(terminated):
                if found[i] is None:
                    last = infos["final_obs"][i] if mode == "SameStep" else observations[i]
                    found[i] = (last.tolist(), rewards[i])
        ends[mode] = found
    assert ends["NextStep"] == ends["SameStep"]


def test_next_step_resets_a_duel_in_the_step_after_its_end() -> None:
    env = vector(2, duel=True)
    env.reset(seed=0)
    _, rewards, terminated, _, infos = env.step(np.array([-1, 0]))
    assert rewards.tolist() == [-1, 0]
    assert terminated.tolist() == [True, False]
    assert not infos["action_mask"][0].any()
    _, rewards, terminated, _, infos = env.step(np.array([7, 0]))
    assert rewards.tolist() == [0, 0]
    assert infos["outcome"].tolist() == [NOTHING, GOING_ON]
    assert infos["action_mask"].sum(1).tolist() == [25, 24]


def test_none_does_not_reseed() -> None:
    found = []
    for seeds in ([None, 7], None):
        env = vector(2, opponent="random")
        env.reset(seed=[1, 2])
        env.reset(seed=seeds)
        env.step(np.array([0, 0]))
        found.append((env.fleets(), env.shots()))
    (seeded, seeded_shots), (plain, plain_shots) = found
    assert seeded[0] == plain[0]
    assert seeded_shots[0] == plain_shots[0]
    assert seeded[1] != plain[1]


def test_seeds_give_streams_that_do_not_depend_on_the_number_of_duels() -> None:
    found = []
    for num in (5, 2):
        env = vector(num, opponent="random", seat="random")
        _, infos = env.reset(seed=11)
        env.step(first_open(infos))
        found.append([*zip(env.fleets(), env.shots(), strict=True)])
    assert found[0][:2] == found[1]
    assert len({fleets for fleets, _ in found[0]}) == 5
    assert all(one != other for (one, other), _ in found[0]), "each seat has its own fleet"


def test_a_random_seat_is_drawn_in_every_episode() -> None:
    env = vector(64, opponent="random", seat="random")
    seats = [env.reset(seed=1)[1]["seat"], env.reset()[1]["seat"]]
    assert all(0 < seat.sum() < 64 for seat in seats)
    assert (seats[0] != seats[1]).any()


def test_the_random_opponent_fires_at_every_cell_alike() -> None:
    """4,000 first shots on 25 cells: 160 a cell, give or take five standard deviations."""
    env = vector(4_000, opponent="random", seat=1)
    env.reset(seed=5)
    first = [fired[0] for fired, _ in env.shots()]
    counts = np.bincount(first, minlength=25)
    assert counts.min() > 98
    assert counts.max() < 222


def test_observations_are_fresh_arrays_unless_copies_are_refused() -> None:
    for copy in (True, False):
        env = vector(2, duel=True, copy=copy)
        first, infos = env.reset(seed=0)
        second, *_ = env.step(first_open(infos))
        assert np.shares_memory(first, second) != copy


@pytest.mark.parametrize("flat", [False, True])
def test_planes_hold_zeros_and_ones(flat: bool) -> None:
    env = vector(2, duel=True, flat=flat)
    space = env.single_observation_space
    assert isinstance(space, gymnasium.spaces.Box)
    assert (space.low.max(), space.high.min(), space.high.max()) == (0, 1, 1)
    assert space.shape == env.reset(seed=0)[0][0].shape
    assert (len(space.shape) == 1) is flat


def test_masks_are_those_of_the_infos() -> None:
    env = vector(3, duel=True, salvo=True)
    _, infos = env.reset(seed=0)
    for _ in range(9):
        np.testing.assert_array_equal(env.action_masks(), infos["action_mask"])
        *_, infos = env.step(first_open(infos))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"opponent": "density+"}, "self-play or against 'random'.*density"),
        ({"opponent": 5}, "self-play or against"),
        ({"duel": 1}, "duel must be True or False"),
        ({"seat": 2}, "seat must be 0, 1 or 'random'"),
        ({"seat": True}, "seat must be 0, 1 or 'random'"),
        ({"flat": 1}, "flat must be"),
        ({"max_steps": 0}, "max_steps must be at least 1"),
        ({"simultaneous": True}, "simultaneous duels need an opponent"),
        ({"placement": "manual"}, "places the fleets"),
        ({"mines": 50}, "mines must be"),
        ({"board_size": 5}, "board_size must be"),
        ({"render_mode": "ansi"}, "draws nothing"),
        ({"num_envs": 0}, "num_envs"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(TriremeError, match=message):
        gymnasium.make_vec(ID, **{"num_envs": 2, "duel": True, **SMALL, **wrong})


@pytest.mark.parametrize("name", ["nonsense", "rewards", "rival_rows", "frameskip"])
def test_unknown_keywords_are_type_errors(name: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        vector(duel=True, **{name: 3})


def test_the_keywords_choose_the_environment() -> None:
    alone = gymnasium.make_vec(ID, num_envs=2, duel=False)
    assert isinstance(alone, BattleshipVectorEnv)
    with pytest.raises(TypeError, match="simultaneous"):
        gymnasium.make_vec(ID, num_envs=2, simultaneous=True)


def test_a_single_duel_without_an_opponent_is_self_play() -> None:
    env = gymnasium.make(ID, duel=True, **SMALL).unwrapped
    assert isinstance(env, OpponentEnv)
    assert env.opponent is None
    assert isinstance(env.game, Battleship)
    _, info = env.reset(seed=0)
    assert info["seat"] == 0
    assert env.step(0)[4]["seat"] == 1
    with pytest.raises(TriremeError, match="duel must be True or False"):
        gymnasium.make(ID, duel="yes")
