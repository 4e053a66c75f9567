"""The vector environment of Battleship: the single one, many times, in every autoreset mode."""

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme import TriremeError
from trireme.battleship.board import ship_names
from trireme.battleship.fleets import check_fleet
from trireme.envs import BattleshipEnv, BattleshipVectorEnv, ResetNeeded
from trireme.envs.battleship_vector import CHOSEN, HIT, INVALID, MINE, MISS, NOTHING, SUNK, WON

ID = "trireme/Battleship-v0"
SMALL = {"board_size": (5, 5), "ship_placement": "A1-A3 C1-C2"}
"""A cruiser on cells 0 1 2, a destroyer on cells 10 11."""
WINNING = (0, 1, 2, 10, 11)
RESULTS = {
    MISS: "miss",
    MINE: "mine",
    HIT: "hit",
    SUNK: "hit",
    WON: "win",
    INVALID: "invalid",
    NOTHING: None,
    CHOSEN: "chosen",
}


def vector(num: int = 3, **options: Any) -> BattleshipVectorEnv:
    env = gymnasium.make_vec(ID, num_envs=num, **options)
    assert isinstance(env, BattleshipVectorEnv)
    return env


def fire(env: VectorEnv[Any, Any, Any], *cells: int) -> Any:
    """The same cells on every board, one step each; the last step's answer."""
    answer = None
    for cell in cells:
        answer = env.step(np.full(env.num_envs, cell))
    return answer


def test_make_vec_gives_the_batched_environment() -> None:
    env = vector(1024)
    observations, infos = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    assert infos["action_mask"].shape == (1024, 100)
    assert infos["action_mask"].dtype == np.int8
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert env.single_action_space == gymnasium.spaces.Discrete(100)


@settings(max_examples=settings().max_examples // 5)
@given(
    rows=st.integers(5, 12),
    cols=st.integers(5, 12),
    touching=st.booleans(),
    uniform=st.booleans(),
    flat=st.booleans(),
    observation=st.sampled_from(["board", "planes"]),
    mines=st.integers(0, 5),
    salvo=st.booleans(),
    max_steps=st.integers(1, 200),
    mode=st.sampled_from(list(AutoresetMode)),
    seed=st.integers(0, 2**32),
)
def test_every_board_is_the_single_environment(
    rows: int,
    cols: int,
    touching: bool,
    uniform: bool,
    flat: bool,
    observation: str,
    mines: int,
    salvo: bool,
    max_steps: int,
    mode: AutoresetMode,
    seed: int,
) -> None:
    """Same fleets, same actions, valid or not: same observations, rewards, ends and infos."""
    options = {
        "board_size": (rows, cols),
        "touching": touching,
        "placement": "uniform" if uniform else "sequential",
        "flat": flat,
        "observation": observation,
        "mines": mines,
        "salvo": salvo,
        "max_steps": max_steps,
        "rewards": {"miss": -0.25, "sunk": 11, "mine": -3},
    }
    env = vector(4, autoreset_mode=mode, **options)
    twins = [BattleshipEnv(**options) for _ in range(4)]  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    observations, infos = env.reset(seed=seed)
    for i, (twin, fleet) in enumerate(zip(twins, env.fleets(), strict=True)):
        seen, info = twin.reset(options={"ship_placement": fleet})
        same(observations, infos, i, seen, info)
    ended = [False] * 4
    for _ in range(80):
        actions = rng.integers(-1, rows * cols + 1, 4)
        for i, fleet in enumerate(env.fleets()):
            if rng.random() < 0.3:  # so that ships sink
                (row, col), _ = fleet.ships[rng.integers(len(fleet.ships))]
                actions[i] = row * cols + col + int(rng.integers(3))
        observations, rewards, terminated, truncated, infos = env.step(actions)
        for i, twin in enumerate(twins):
            if mode is AutoresetMode.NEXT_STEP and ended[i]:
                seen, info = twin.reset(options={"ship_placement": env.fleets()[i]})
                assert (rewards[i], terminated[i], truncated[i]) == (0, False, False)
                ended[i] = False
            else:
                seen, reward, over, late, info = twin.step(int(actions[i]))
                assert (rewards[i], terminated[i], truncated[i]) == (reward, over, late)
                ended[i] = over or late
            if ended[i] and mode is AutoresetMode.SAME_STEP:
                same(final_observations(infos), infos["final_info"], i, seen, info)
                assert infos["_final_obs"][i]
                seen, info = twin.reset(options={"ship_placement": env.fleets()[i]})
            same(observations, infos, i, seen, info)
        if mode is AutoresetMode.DISABLED and any(ended):
            observations, infos = env.reset(options={"reset_mask": np.array(ended)})
            for i, twin in enumerate(twins):
                if ended[i]:
                    seen, info = twin.reset(options={"ship_placement": env.fleets()[i]})
                    same(observations, infos, i, seen, info)
            ended = [False] * 4


def final_observations(infos: dict[str, Any]) -> Any:
    if any(isinstance(o, np.ndarray) for o in infos["final_obs"]):
        return infos["final_obs"]
    keys = ("attack_board", "remaining_ships", "move_count")
    return {key: [None if o is None else o[key] for o in infos["final_obs"]] for key in keys}


def same(observations: Any, infos: Any, i: int, seen: Any, info: Any) -> None:
    """Board `i` of the batch tells what the single environment tells."""
    if isinstance(seen, np.ndarray):
        seen, observations = {"planes": seen}, {"planes": observations}
    for key, array in seen.items():
        np.testing.assert_array_equal(observations[key][i], array)
        assert observations[key][i].dtype == array.dtype
    np.testing.assert_array_equal(infos["action_mask"][i], info["action_mask"])
    for key in ("ships_remaining", "total_ships", "move_count"):
        assert infos[key][i] == info[key]
    assert RESULTS[int(infos["outcome"][i])] == info["result"]
    sizes = {2: (3, 2), 3: (3, 3, 2), 5: (5, 4, 3, 3, 2)}[info["total_ships"]]
    assert (None, *ship_names(sizes))[infos["ship_sunk"][i] + 1] == info["ship_sunk"]


def test_a_salvo_is_answered_once_it_is_complete() -> None:
    env = vector(2, salvo=True, **SMALL)
    env.reset(seed=0)
    observations, rewards, *_, infos = env.step(np.array([11, 0]))
    assert rewards.tolist() == [0, 0]
    assert infos["outcome"].tolist() == [CHOSEN, CHOSEN]
    assert observations["attack_board"][0, 2].tolist() == [0, 3, 0, 0, 0]
    assert infos["action_mask"].sum(1).tolist() == [24, 24]
    assert observations["move_count"].tolist() == [[0], [0]]
    observations, rewards, *_, infos = env.step(np.array([10, 0]))
    assert rewards.tolist() == [15, -50], "a hit, a ship sunk; chosen already"
    assert infos["outcome"].tolist() == [SUNK, INVALID]
    assert infos["ship_sunk"].tolist() == [1, -1]
    assert observations["move_count"].tolist() == [[2], [0]]
    _, rewards, *_, infos = env.step(np.array([0, 24]))
    assert rewards.tolist() == [5, 4], "one ship afloat: a salvo of one shot; a hit and a miss"
    assert infos["outcome"].tolist() == [HIT, HIT]


def test_a_salvo_may_sink_the_whole_fleet() -> None:
    env = vector(1, salvo=True, autoreset_mode="Disabled", **SMALL)
    env.reset(seed=0)
    fire(env, 0, 10)
    fire(env, 1, 24)
    observations, rewards, terminated, _, infos = fire(env, 11, 2)
    assert rewards.tolist() == [110]
    assert terminated.tolist() == [True]
    assert infos["outcome"].tolist() == [WON]
    assert infos["ship_sunk"].tolist() == [0], "the larger of the two"
    assert observations["remaining_ships"].tolist() == [[0] * 5]
    assert infos["ships_remaining"].tolist() == [0]


def test_a_reset_forgets_a_salvo_that_was_begun() -> None:
    env = vector(2, salvo=True, **SMALL)
    env.reset(seed=0)
    fire(env, 5)
    observations, _ = env.reset(options={"reset_mask": np.array([True, False])})
    assert observations["attack_board"].reshape(2, -1).max(1).tolist() == [0, 3]
    *_, infos = fire(env, 6)
    assert infos["outcome"].tolist() == [CHOSEN, MISS]


def test_next_step_resets_a_board_in_the_step_after_its_end() -> None:
    env = vector(2, **SMALL)
    env.reset(seed=0)
    *_, rewards, terminated, _, infos = fire(env, *WINNING)
    assert rewards.tolist() == [100, 100]
    assert terminated.all()
    observations, rewards, terminated, truncated, infos = env.step(np.array([24, 24]))
    assert rewards.tolist() == [0, 0]
    assert not terminated.any()
    assert not truncated.any()
    assert not observations["attack_board"].any()
    assert infos["action_mask"].all()
    assert infos["outcome"].tolist() == [NOTHING, NOTHING]
    assert fire(env, 24)[1].tolist() == [-1, -1]


def test_same_step_hands_over_how_the_board_ended() -> None:
    env = vector(2, autoreset_mode="SameStep", **SMALL)
    env.reset(seed=0)
    env.step(np.array([0, 24]))
    observations, rewards, terminated, _, infos = fire(env, *WINNING[1:])
    assert rewards.tolist() == [100, 10]
    assert terminated.tolist() == [True, False]
    assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == [True, False]
    assert infos["final_obs"][0]["move_count"].tolist() == [5]
    assert infos["final_obs"][1] is None
    assert infos["final_info"]["outcome"][0] == WON
    assert infos["final_info"]["ship_sunk"][0] == 1
    assert not observations["attack_board"][0].any()
    assert observations["move_count"].tolist() == [[0], [5]]
    assert "final_obs" not in fire(env, 13)[4]


def test_disabled_waits_for_the_user() -> None:
    env = vector(3, autoreset_mode=AutoresetMode.DISABLED, **SMALL)
    env.reset(seed=0)
    env.step(np.array([0, 0, 24]))
    _, _, terminated, truncated, _ = fire(env, *WINNING[1:])
    assert terminated.tolist() == [True, True, False]
    with pytest.raises(ResetNeeded, match="2 boards have ended"):
        fire(env, 3)
    observations, infos = env.reset(options={"reset_mask": terminated | truncated})
    assert observations["move_count"].tolist() == [[0], [0], [5]]
    assert infos["action_mask"].sum(1).tolist() == [25, 25, 20]
    assert fire(env, 3)[1].tolist() == [-1, -1, -1]


def test_a_partial_reset_leaves_other_ended_boards_waiting() -> None:
    env = vector(2, autoreset_mode="Disabled", **SMALL)
    env.reset(seed=0)
    fire(env, *WINNING)
    env.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ResetNeeded, match="1 boards have ended"):
        fire(env, 3)


def test_seeds_give_streams_that_do_not_depend_on_the_number_of_boards() -> None:
    fleets = []
    for num in (8, 3):
        env = vector(num)
        env.reset(seed=9)
        fleets.append(env.fleets())
    assert fleets[0][:3] == fleets[1]
    assert len(set(fleets[0])) == 8


def test_seeds_may_be_given_board_by_board() -> None:
    env = vector(3)
    env.reset(seed=[7, 7, 8])
    first, second, third = env.fleets()
    assert first == second != third
    env.reset(seed=[None, 7, None])
    again = env.fleets()
    assert again[1] == first
    assert again[0] != first


def test_a_board_without_a_seed_goes_on_where_its_stream_was() -> None:
    fleets = []
    for seeds in ([None, 7, None], None):
        env = vector(3)
        env.reset(seed=[1, 2, 3])
        env.reset(seed=seeds)
        fleets.append(env.fleets())
    given, none = fleets
    assert (given[0], given[2]) == (none[0], none[2])
    assert given[1] != none[1]


def test_without_a_seed_the_streams_go_on() -> None:
    env = vector(4)
    env.reset(seed=1)
    first = env.fleets()
    env.reset()
    second = env.fleets()
    env.reset(seed=1)
    assert env.fleets() == first != second
    env.reset()
    assert env.fleets() == second


def test_a_board_without_a_seed_of_its_own_goes_on_with_its_stream() -> None:
    env, twin = vector(3), vector(3)
    for each in (env, twin):
        each.reset(seed=[7, 8, 9])
    env.reset(seed=[None, 7, None])
    twin.reset()
    assert env.fleets()[::2] == twin.fleets()[::2]
    assert env.fleets()[1] != twin.fleets()[1]


def test_a_partial_reset_seeds_only_the_boards_that_it_resets() -> None:
    env, twin = vector(3), vector(3)
    for each in (env, twin):
        each.reset(seed=1)
    env.reset(seed=5, options={"reset_mask": np.array([True, False, False])})
    env.reset()
    twin.reset()
    assert env.fleets()[1:] == twin.fleets()[1:]
    assert env.fleets()[0] != twin.fleets()[0]


def test_a_first_reset_without_a_seed_is_never_the_same() -> None:
    fleets = []
    for seed in (None, None, [3, None], [3, None]):
        env = vector(2)
        env.reset(seed=seed)
        fleets.append(env.fleets())
    assert len({fleet for pair in fleets for fleet in pair}) == 7  # the seed 3 comes twice


def test_placed_fleets_obey_the_rules() -> None:
    env = vector(200, board_size=(8, 11))
    env.reset(seed=3)
    for fleet in env.fleets():
        check_fleet(env.setup.board, fleet, 0)


def test_observations_are_fresh_arrays() -> None:
    env = vector(2)
    env.reset(seed=0)
    first, *_, infos = fire(env, 5)
    kept = {key: array.copy() for key, array in first.items()}
    masks = infos["action_mask"].copy()
    fire(env, 6, 7, 8)
    for key, array in kept.items():
        np.testing.assert_array_equal(first[key], array)
    np.testing.assert_array_equal(infos["action_mask"], masks)
    first["attack_board"][:] = 2
    assert fire(env, 9)[0]["attack_board"].astype(bool).sum() == 10


def test_without_copies_the_buffers_are_the_environments_own() -> None:
    env = vector(2, copy=False)
    env.reset(seed=0)
    first, *_, infos = fire(env, 5)
    second, *_, later = fire(env, 6)
    assert np.shares_memory(first["attack_board"], second["attack_board"])
    assert np.shares_memory(infos["action_mask"], later["action_mask"])
    assert later["action_mask"].sum() == 2 * 98
    assert env.action_masks().sum() == 2 * 98


def test_same_step_keeps_what_it_handed_over_without_copies() -> None:
    env = vector(1, copy=False, autoreset_mode="SameStep", **SMALL)
    env.reset(seed=0)
    *_, infos = fire(env, *WINNING)
    fire(env, 20)
    assert infos["final_obs"][0]["move_count"].tolist() == [5]
    assert infos["final_info"]["action_mask"].sum() == 20


@pytest.mark.parametrize(
    "actions",
    [
        [1, 2],
        [[1, 2, 3]],
        5,
        None,
        "abc",
        [1.0, 2.0, 3.0],
        [True, False, True],
        [1, None, 3],
        [[1], [2, 3], [4]],
        np.zeros((3, 1), np.int64),
        np.array(["a", "b", "c"]),
    ],
)
def test_a_wrong_batch_of_actions_is_refused(actions: Any) -> None:
    env = vector(3)
    env.reset(seed=0)
    with pytest.raises(TriremeError, match="expected"):
        env.step(actions)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_whole_numbers_of_any_size_are_actions(dtype: type) -> None:
    env = vector(3)
    env.reset(seed=0)
    assert env.step(np.array([3, 4, 5], dtype))[0]["move_count"].tolist() == [[1], [1], [1]]
    assert env.step([6, 7, 8])[0]["move_count"].tolist() == [[2], [2], [2]]


def test_actions_beyond_the_board_are_invalid_and_harmless() -> None:
    env = vector(3)
    env.reset(seed=0)
    far = np.array([-1, 100, np.iinfo(np.int64).max])
    observations, rewards, *_, infos = env.step(far)
    assert rewards.tolist() == [-50, -50, -50]
    assert infos["outcome"].tolist() == [INVALID] * 3
    assert not observations["attack_board"].any()
    assert env.step(np.full(3, np.iinfo(np.int64).min))[1].tolist() == [-50, -50, -50]


def test_step_needs_a_reset() -> None:
    with pytest.raises(ResetNeeded):
        vector(2).step(np.array([0, 0]))
    with pytest.raises(ResetNeeded):
        vector(2).reset(options={"reset_mask": np.array([True, False])})


@pytest.mark.parametrize(
    "mask",
    [
        [True, False],
        np.array([1, 0]),
        np.array([True]),
        np.array([[True, False]]),
        np.array([False, False]),
        "all",
    ],
)
def test_a_wrong_reset_mask_is_refused(mask: Any) -> None:
    env = vector(2)
    env.reset(seed=0)
    with pytest.raises(TriremeError, match="reset_mask"):
        env.reset(options={"reset_mask": mask})


@pytest.mark.parametrize(
    "wrong",
    [
        {"num_envs": 0},
        {"num_envs": -3},
        {"num_envs": 2.5},
        {"num_envs": "many"},
        {"render_mode": "ansi"},
        {"autoreset_mode": "sometimes"},
        {"autoreset_mode": None},
        {"board_size": (3, 3)},
        {"nonsense": 1},
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TriremeError):
        BattleshipVectorEnv(**wrong)


@pytest.mark.parametrize("seed", [[1], [1, 2, 3], -1, [1, -1], "12", 1.5, ["a", "b"], {1: 2}])
def test_wrong_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(TriremeError, match="seed"):
        vector(2).reset(seed=seed)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_copied_environment_goes_on_where_it_was(mode: AutoresetMode) -> None:
    """Also when boards have ended and wait for their reset."""
    env = vector(2, autoreset_mode=mode, **SMALL)
    env.reset(seed=0)
    env.step(np.array([24, 0]))
    fire(env, *WINNING[1:])
    twin = copy.deepcopy(env)
    if mode is AutoresetMode.DISABLED:
        for each in (env, twin):
            with pytest.raises(ResetNeeded):
                fire(each, 3)
        return
    one, other = fire(env, 3), fire(twin, 3)
    assert one[1].tolist() == other[1].tolist()
    np.testing.assert_array_equal(one[4]["outcome"], other[4]["outcome"])


def test_gymnasiums_own_wrappers_work() -> None:
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(vector(2, **SMALL))
    listed = gymnasium.wrappers.vector.DictInfoToList(env)
    listed.reset(seed=0)
    *_, infos = fire(listed, *WINNING)
    assert [info["episode"]["l"] for info in infos] == [5, 5]
    assert all(info["action_mask"].shape == (25,) for info in infos)


def test_a_batch_has_mines_or_a_fleet_placed_by_hand() -> None:
    with pytest.raises(TriremeError, match="mines or ship_placement, not both"):
        BattleshipVectorEnv(2, (5, 5), ship_placement="A1-A3 C1-C2 *E5", mines=1)


def test_planes_are_fresh_unless_copies_are_turned_off() -> None:
    for copies in (True, False):
        env = vector(2, observation="planes", copy=copies)
        first, _ = env.reset(seed=0)
        assert first.shape == (2, 9, 10, 10)
        assert env.observation_space.contains(first)
        second, *_ = fire(env, 5)
        assert (first[:, 3, 0, 5] == copies).all()
        assert (second[:, 3, 0, 5] == 0).all()


def test_a_ship_that_sinks_is_marked_and_leaves_the_planes_of_ships_afloat() -> None:
    env = vector(2, observation="planes", **SMALL)
    env.reset(seed=0)
    planes, *_ = fire(env, 0, 2, 1)
    assert planes[:, 2].reshape(2, -1).nonzero()[1].tolist() == [0, 1, 2] * 2
    assert planes[:, 4:].reshape(2, 2, -1).all(2).tolist() == [[False, True]] * 2
    planes, _ = env.reset(seed=0)
    assert not planes[:, :3].any()
    assert planes[:, 3:].all()
