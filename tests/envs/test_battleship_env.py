"""The Gymnasium environment of Battleship: every reward, every refusal, every promise."""

import pickle
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.seeding import np_random
from hypothesis import given, settings
from hypothesis import strategies as st

import trireme.envs
from trireme import CHANCE, TriremeError
from trireme.battleship.encode import BattleshipEncoder
from trireme.battleship.fleets import Fleet
from trireme.battleship.shots import Salvo
from trireme.core.errors import BadSettings
from trireme.envs import BattleshipEnv, ResetNeeded, Rewards

SMALL = {"board_size": (5, 5), "ship_placement": "A1-A3 C1-C2"}
"""A cruiser on cells 0 1 2, a destroyer on cells 10 11."""


def started(**changes: Any) -> BattleshipEnv:
    env = BattleshipEnv(**{**SMALL, **changes})
    env.reset(seed=0)
    return env


def test_the_environment_is_registered() -> None:
    env = gymnasium.make("trireme/Battleship-v0", board_size=(6, 8))
    observation, _ = env.reset(seed=1)
    assert isinstance(env.unwrapped, BattleshipEnv)
    assert observation["attack_board"].shape == (6, 8)


def test_an_id_with_its_module_needs_no_import() -> None:
    env = gymnasium.make("trireme.envs:trireme/Battleship-v0")
    assert env.unwrapped.spec is not None


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"board_size": (5, 12)},
        {"touching": True, "placement": "uniform"},
        {"render_mode": "ansi"},
        {"render_mode": "html", "flat": True},
        {"render_mode": "rgb_array", "mines": 3},
        {"render_mode": "human", "fleet": (2, 2, 2, 2, 2, 2)},
        {"observation": "planes"},
        {"observation": "planes", "flat": True, "salvo": True},
    ],
)
def test_gymnasium_finds_no_fault(options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("trireme/Battleship-v0", **options).unwrapped)


def test_spaces_have_real_bounds_and_exact_types() -> None:
    env = BattleshipEnv()
    space = env.observation_space
    assert space["attack_board"] == gymnasium.spaces.Box(0, 2, (10, 10), np.int8)
    assert space["remaining_ships"] == gymnasium.spaces.Box(0, 5, (5,), np.int8)
    assert space["move_count"] == gymnasium.spaces.Box(0, 100, (1,), np.int32)
    assert env.action_space == gymnasium.spaces.Discrete(100)


def test_the_first_observation_shows_nothing_but_the_fleets_sizes() -> None:
    observation, info = BattleshipEnv().reset(seed=3)
    assert not observation["attack_board"].any()
    assert observation["remaining_ships"].tolist() == [5, 4, 3, 3, 2]
    assert observation["move_count"].tolist() == [0]
    assert info["ships_remaining"] == info["total_ships"] == 5
    assert info["move_count"] == 0
    assert info["action_mask"].dtype == np.int8
    assert info["action_mask"].all()


@pytest.mark.parametrize(
    ("before", "action", "reward", "result", "sunk"),
    [
        ([], 24, -1.0, "miss", None),
        ([], 0, 5.0, "hit", None),
        ([10], 11, 10.0, "hit", "destroyer"),
        ([0, 1], 2, 10.0, "hit", "cruiser"),
        ([0, 1, 2, 10], 11, 100.0, "win", "destroyer"),
    ],
)
def test_every_shot_has_its_reward(
    before: list[int], action: int, reward: float, result: str, sunk: str | None
) -> None:
    env = started()
    for cell in before:
        env.step(cell)
    observation, earned, terminated, truncated, info = env.step(action)
    assert earned == reward
    assert isinstance(earned, float)
    assert (terminated, truncated) == (result == "win", False)
    assert (info["result"], info["ship_sunk"]) == (result, sunk)
    assert info["move_count"] == observation["move_count"][0] == len(before) + 1
    assert observation["attack_board"].reshape(-1)[action] == (1 if result == "miss" else 2)
    assert info["action_mask"][action] == 0
    assert "error" not in info


@pytest.mark.parametrize("action", [-1, 25, 10**9, 7])
def test_an_invalid_action_costs_and_changes_nothing(action: int) -> None:
    env = started()
    seen, *_ = env.step(7)
    again, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-50.0, False, False)
    assert info["result"] == "invalid"
    assert ("already attacked" if action == 7 else "out of bounds") in info["error"]
    for key, array in seen.items():
        np.testing.assert_array_equal(array, again[key])
    assert info["move_count"] == 1


@pytest.mark.parametrize(("action", "name"), [(0, "A1"), (24, "E5")])
def test_a_cell_that_was_attacked_is_named(action: int, name: str) -> None:
    env = started()
    env.step(action)
    assert env.step(action)[-1]["error"] == f"already attacked: {name} (cell {action})"


def test_sunk_ships_leave_the_list_of_those_remaining() -> None:
    env = started()
    assert env.step(10)[0]["remaining_ships"].tolist() == [3, 2, 0, 0, 0]
    observation, *_, info = env.step(11)
    assert observation["remaining_ships"].tolist() == [3, 0, 0, 0, 0]
    assert (info["ships_remaining"], info["total_ships"]) == (1, 2)


def test_invalid_steps_count_toward_the_limit() -> None:
    env = started(max_steps=3)
    assert env.step(24)[3] is False
    assert env.step(24)[3] is False
    assert env.step(24)[2:4] == (False, True)
    with pytest.raises(ResetNeeded, match="over"):
        env.step(1)


def test_a_win_at_the_limit_is_a_win() -> None:
    env = started(max_steps=5)
    for cell in (0, 1, 2, 10):
        env.step(cell)
    assert env.step(11)[2:4] == (True, False)


def test_a_limit_is_there_by_default() -> None:
    env = started()
    for _ in range(49):
        assert env.step(99)[3] is False
    assert env.step(99)[3] is True


def test_rewards_are_settings() -> None:
    env = started(rewards={"miss": 0.5, "invalid": -7})
    assert env.step(24)[1] == 0.5
    assert env.step(24)[1] == -7.0
    assert env.step(0)[1] == 5.0
    assert started(rewards=Rewards(hit=2.0)).step(0)[1] == 2.0


def test_observations_are_copies() -> None:
    env = started()
    observation, *_, info = env.step(0)
    observation["attack_board"][:] = 1
    observation["remaining_ships"][:] = 0
    info["action_mask"][:] = 0
    again, *_, told = env.step(24)
    assert again["attack_board"].sum() == 3
    assert again["remaining_ships"].tolist() == [3, 2, 0, 0, 0]
    assert told["action_mask"].sum() == 23
    assert env.action_masks().sum() == 23


def test_masks_show_what_may_be_attacked() -> None:
    env = started()
    env.step(4)
    assert env.action_masks().dtype == np.bool_
    assert np.flatnonzero(~env.action_masks()).tolist() == [4]


def test_the_same_seed_gives_the_same_fleet_and_another_seed_another() -> None:
    env = BattleshipEnv()
    fleets = []
    for seed in (5, 5, 6):
        env.reset(seed=seed)
        fleets.append(tuple(env.step(cell)[1] for cell in range(40)))
    assert fleets[0] == fleets[1] != fleets[2]


def test_step_and_render_need_a_reset() -> None:
    env = BattleshipEnv(render_mode="ansi")
    with pytest.raises(ResetNeeded, match="before the first step"):
        env.step(0)
    with pytest.raises(gymnasium.error.ResetNeeded, match="before render"):
        env.render()


def test_a_finished_episode_takes_no_more_steps() -> None:
    env = started()
    for cell in (0, 1, 2, 10, 11):
        env.step(cell)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(12)
    env.reset()
    assert env.step(12)[1] == -1.0


@pytest.mark.parametrize(
    "action", ["0", 1.0, None, True, [1], np.array([1, 2]), np.array(1.0), b"1", {}, np.nan]
)
def test_what_is_no_whole_number_is_no_action(action: Any) -> None:
    env = started()
    with pytest.raises(TriremeError, match="whole number"):
        env.step(action)
    assert env.step(0)[1] == 5.0


@pytest.mark.parametrize("action", [3, np.int8(3), np.int64(3), np.uint8(3), np.array(3)])
def test_whole_numbers_of_any_make_are_actions(action: Any) -> None:
    assert started().step(action)[4]["move_count"] == 1


@pytest.mark.parametrize(
    "placement",
    [
        "A1-A3 C1-C2",
        Fleet((((0, 0), (0, 2)), ((2, 0), (2, 1)))),
        [[(0, 0), (0, 1), (0, 2)], [(2, 0), (2, 1)]],
        [((2, 1), (2, 0)), ((0, 2), (0, 0))],
        np.array([[[0, 0], [0, 2]], [[2, 0], [2, 1]]]),
        {"destroyer": [(2, 0), (2, 1)], "cruiser": [(0, 0), (0, 1), (0, 2)]},
        {"my big one": ((0, 0), (0, 2)), "my small one": ((2, 1), (2, 0))},
    ],
)
def test_a_fleet_by_hand_may_be_written_in_many_ways(placement: Any) -> None:
    env = BattleshipEnv((5, 5), ship_placement=placement)
    env.reset()
    assert [env.step(cell)[1] for cell in (0, 1, 2, 10, 11)] == [5.0, 5.0, 10.0, 5.0, 100.0]


def test_a_fleet_by_hand_may_hold_for_one_episode() -> None:
    env = BattleshipEnv((5, 5))
    env.reset(seed=0, options={"ship_placement": "E1-E3 A1-A2"})
    assert [env.step(cell)[1] for cell in (20, 0)] == [5.0, 5.0]


@pytest.mark.parametrize(
    ("placement", "fault"),
    [
        ("A1-B2 E1-E3", "not straight"),
        ([[(0, 0), (0, 1), (1, 1)], [(3, 0), (3, 1)]], "one line"),
        ([[(0, 0), (0, 1), (0, 3)], [(3, 0), (3, 1)]], "gaps"),
        ("A4-A6 C1-C2", "leaves the board"),
        ("A1-A3", "sizes"),
        ("A1-A4 C1-C2", "sizes"),
        ("A1-A3 A3-B3", "overlap"),
        ("A1-A3 B1-B2", "touch"),
        ("A1-A3 B4-C4", "touch"),
        ("B7", "expected a fleet"),
        ("nonsense", "expected"),
        ([], "sizes"),
        ([[]], "needs cells"),
        ([[(0,)], [(1, 2)]], "expected a cell"),
        ([["a", "b"], [(1, 2)]], "expected a cell"),
        (7, "must list ships"),
        ([7], "must list ships"),
        ({"a": 1}, "must list ships"),
        ({"cruiser": [(0, 0), (0, 1)], "destroyer": [(2, 0), (2, 2)]}, "cruiser has 3 cells"),
        ({"cruiser": [(0, 0), (0, 1), (0, 2)]}, "sizes"),
    ],
)
def test_a_wrong_fleet_is_refused_with_its_fault(placement: Any, fault: str) -> None:
    with pytest.raises(TriremeError, match=fault):
        BattleshipEnv((5, 5), ship_placement=placement)


@pytest.mark.parametrize(
    "wrong",
    [
        {"board_size": 10},
        {"board_size": (10,)},
        {"board_size": (4, 10)},
        {"board_size": (10, 13)},
        {"board_size": ("10", 10)},
        {"board_size": (10.5, 10)},
        {"board_size": None},
        {"render_mode": "rgb"},
        {"fleet": (9,) * 6},
        {"fleet": ()},
        {"fleet": "no"},
        {"placement": "manual"},
        {"placement": "somehow"},
        {"touching": "maybe"},
        {"max_steps": 0},
        {"max_steps": 2.5},
        {"rewards": {"hti": 1}},
        {"rewards": {"hit": "much"}},
        {"rewards": {"hit": float("nan")}},
        {"rewards": [1, 2]},
        {"flat": 3},
        {"bord_size": (5, 5)},
    ],
)
def test_wrong_settings_are_refused_clearly(wrong: dict[str, Any]) -> None:
    with pytest.raises(TriremeError) as caught:
        BattleshipEnv(**wrong)
    assert str(caught.value)


def test_a_mistyped_setting_is_suggested() -> None:
    with pytest.raises(TriremeError, match="Did you mean 'max_steps'"):
        BattleshipEnv(max_step=3)


def test_ships_of_one_size_keep_the_names_that_a_dict_gives_them() -> None:
    ships = {"submarine": [(0, 0), (0, 2)], "cruiser": [(4, 0), (4, 2)], "destroyer": "H7-H8"}
    with pytest.raises(TriremeError, match="must list ships"):
        BattleshipEnv((8, 8), ship_placement=ships)  # type: ignore[arg-type]
    ships["destroyer"] = [(7, 6), (7, 7)]
    env = BattleshipEnv((8, 8), ship_placement=ships)  # type: ignore[arg-type]
    env.reset()
    assert [env.step(cell)[4]["ship_sunk"] for cell in (0, 1, 2)] == [None, None, "submarine"]


def test_an_unknown_keyword_is_a_type_error_too() -> None:
    """Callers that offer a keyword, such as TorchRL's `frameskip`, look for exactly this."""
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'") as caught:
            make("trireme/Battleship-v0", frameskip=1)
        assert isinstance(caught.value, TriremeError)


def test_a_mistyped_keyword_gets_the_nearest_one() -> None:
    with pytest.raises(TypeError, match="Did you mean 'board_size'"):
        gymnasium.make("trireme/Battleship-v0", bord_size=(5, 5))


def test_flat_boards_hold_the_same_cells() -> None:
    env, flat = started(), started(flat=True)
    for cell in (0, 24, 10):
        one, other = env.step(cell)[0], flat.step(cell)[0]
        np.testing.assert_array_equal(one["attack_board"].reshape(-1), other["attack_board"])


def test_drawings_show_the_board_and_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    env = started(render_mode="ansi")
    env.step(0)
    drawn = env.render()
    assert drawn is not None
    assert "✕" in drawn
    assert "cruiser" in drawn
    sea = started(render_mode="html")
    sea.step(0)
    page = sea.render()
    assert page is not None
    assert page.count("<td") == 25
    assert page.count("✕") == 1  # the hit
    started(render_mode="human").step(24)
    assert capsys.readouterr().out.count("○") == 3  # the miss, and the legend of two drawings


def test_pixels_show_water_misses_hits_and_sunk_ships() -> None:
    env = started(render_mode="rgb_array")
    pictures = [env.render()]
    for cell in (24, 0, 10, 11):  # a miss, a hit, a ship sunk
        env.step(cell)
        pictures.append(env.render())
    last = pictures[-1]
    assert last.dtype == np.uint8
    assert last.shape == (5 * 32 + 1, 5 * 32 + 1, 3)

    def middle(cell: int) -> tuple[int, ...]:
        row, col = divmod(cell, 5)
        return tuple(int(part) for part in last[row * 32 + 16, col * 32 + 16])

    def corner(cell: int) -> tuple[int, ...]:
        row, col = divmod(cell, 5)
        return tuple(int(part) for part in last[row * 32 + 2, col * 32 + 2])

    assert len({middle(4), middle(24), middle(0)}) == 3
    assert middle(10) == middle(11) == middle(0)
    assert corner(10) == corner(11) != corner(0) == corner(24) == corner(4) == middle(4)
    assert middle(1) == middle(4), "the rest of the cruiser stays hidden"
    assert len({picture.tobytes() for picture in pictures}) == 5


def test_frames_can_be_collected_for_a_video() -> None:
    env = gymnasium.make("trireme/Battleship-v0", render_mode="rgb_array_list", board_size=(5, 5))
    env.reset(seed=0)
    for cell in range(3):
        env.step(cell)
    frames = env.render()
    assert isinstance(frames, list)
    assert [frame.shape for frame in frames] == [(161, 161, 3)] * 4


def test_a_mine_is_a_miss_that_counts_twice() -> None:
    env = started(ship_placement="A1-A3 C1-C2 *E5", mines=1)
    observation, reward, *_, info = env.step(24)
    assert (reward, info["result"], info["move_count"]) == (-2.0, "mine", 2)
    assert observation["attack_board"][4, 4] == 1
    assert observation["move_count"].tolist() == [2]
    assert (
        started(ship_placement="A1-A3 C1-C2 *E5", mines=1, rewards={"mine": -9}).step(24)[1] == -9
    )


@settings(max_examples=settings().max_examples * 3 // 5)
@given(
    rows=st.integers(5, 12),
    cols=st.integers(5, 12),
    mines=st.integers(0, 5),
    touching=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_environment_keeps_the_rules_of_the_game(
    rows: int, cols: int, mines: int, touching: bool, seed: int
) -> None:
    """The environment's own books agree with the rulebook, shot by shot."""
    env = BattleshipEnv((rows, cols), mines=mines, touching=touching)
    env.reset(seed=seed)
    game, board = env.game, env.setup.board
    state = game.apply(game.start(), {CHANCE: game.draw(game.start(), np_random(seed)[0])})
    assert env.state == state
    sizes = dict(zip(board.names, board.sizes, strict=True))
    for cell in np.random.default_rng(seed).permutation(rows * cols):
        observation, _, over, _, info = env.step(int(cell))
        state = game.apply(state, {0: Salvo((divmod(int(cell), cols),))})
        sea = state.seas[0]
        shot = sea.shots[-1]
        answer = {"sunk": "hit"}.get(shot.result, shot.result) if sea.afloat else "win"
        assert (info["result"], info["ship_sunk"]) == (answer, shot.ship or None)
        assert over == (not game.to_move(state))
        assert observation["move_count"][0] == info["move_count"] == -game.returns(state)[0]
        remaining = [size for size in observation["remaining_ships"] if size]
        assert remaining == [sizes[name] for name in sea.afloat]
        expected = np.zeros((rows, cols), np.int8)
        for fired in sea.shots:
            expected[fired.cell] = 2 if fired.result in ("hit", "sunk") else 1
        np.testing.assert_array_equal(observation["attack_board"], expected)
        np.testing.assert_array_equal(info["action_mask"], (expected == 0).reshape(-1))
        if over:
            break
    assert env.state == state


def test_render_without_a_mode_warns() -> None:
    env = started()
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


@settings(max_examples=settings().max_examples * 3 // 5)
@given(data=st.data(), rows=st.integers(5, 12), cols=st.integers(5, 12))
def test_any_game_keeps_its_books(data: st.DataObject, rows: int, cols: int) -> None:
    """Masks, counts, boards and rewards tell the same story, whatever is fired at."""
    env = BattleshipEnv((rows, cols), max_steps=400)
    env.reset(seed=data.draw(st.integers(0, 1000)))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    fired: set[int] = set()
    over = False
    while not over:
        action = int(rng.integers(-2, rows * cols + 2))
        valid = 0 <= action < rows * cols and action not in fired
        observation, reward, terminated, truncated, info = env.step(action)
        fired |= {action} if valid else set()
        over = terminated or truncated
        assert env.observation_space.contains(observation)
        assert ("error" in info) == (not valid) == (reward == -50)
        assert info["move_count"] == observation["move_count"][0] == len(fired)
        assert set(np.flatnonzero(info["action_mask"] == 0)) == fired
        assert np.count_nonzero(observation["attack_board"]) == len(fired)
        assert np.count_nonzero(observation["remaining_ships"]) == info["ships_remaining"]
        assert terminated == (info["ships_remaining"] == 0)


def test_importing_the_package_is_light() -> None:
    code = "import sys, trireme.envs; print(' '.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(out.stdout.split())
    assert "gymnasium" in loaded
    assert not loaded & {"numba", "torch", "pettingzoo", "stable_baselines3"}


def test_a_pickled_environment_goes_on_where_it_was() -> None:
    env = BattleshipEnv()
    env.reset(seed=4)
    env.step(3)
    twin = pickle.loads(pickle.dumps(env))
    for cell in range(10, 20):
        one, other = env.step(cell), twin.step(cell)
        assert one[1:4] == other[1:4]
        np.testing.assert_array_equal(one[0]["attack_board"], other[0]["attack_board"])


def test_the_package_names_what_it_offers() -> None:
    for name in trireme.envs.__all__:
        assert getattr(trireme.envs, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        trireme.envs.nothing  # noqa: B018


def test_the_last_salvo_is_as_large_as_the_open_cells() -> None:
    """24 of 25 cells are fired at, two ships are afloat: one shot is left."""
    env = started(salvo=True, ship_placement="A1-A3 E4-E5")
    order = [*range(3, 23), 0, 1, 23, 2]
    for cell in order:
        _, _, terminated, _, info = env.step(cell)
        assert not terminated
    assert (info["result"], info["ships_remaining"]) == ("hit", 1)
    _, reward, terminated, _, info = env.step(24)
    assert (reward, terminated, info["result"]) == (100, True, "win")
    assert info["move_count"] == 25


@settings(max_examples=settings().max_examples * 2 // 5)
@given(
    fleet=st.sampled_from([None, (2, 2, 2), (1, 1, 1, 1), (3, 1)]),
    mines=st.integers(0, 6),
    seed=st.integers(0, 2**32 - 1),
)
def test_salvos_are_those_of_the_rules(fleet: Any, mines: int, seed: int) -> None:
    env = BattleshipEnv((5, 6), fleet=fleet, mines=mines, salvo=True)
    env.reset(seed=seed)
    game, state = env.game, env.state
    rng = np.random.default_rng(seed)
    while game.to_move(state):
        salvo = game.legal(state, 0).sample(rng)
        for number, (row, col) in enumerate(rng.permutation(salvo.cells)):
            assert env.state == state, "nothing is fired before the salvo is complete"
            observation, _, over, _, info = env.step(int(row * 6 + col))
            assert (info["result"] == "chosen") == (number < len(salvo.cells) - 1)
        state = game.apply(state, {0: salvo})
        assert env.state == state
        assert over == (not game.to_move(state))
        assert info["move_count"] == -game.returns(state)[0]
        assert not (observation["attack_board"] == 3).any()
    assert not state.seas[0].afloat


@pytest.mark.parametrize(
    ("cells", "result", "reward"),
    [((3, 4), "miss", -2), ((3, 0), "hit", 4), ((24, 3), "mine", -3), ((24, 0), "hit", 3)],
)
def test_the_best_answer_stands_for_a_salvo(
    cells: tuple[int, int], result: str, reward: float
) -> None:
    env = BattleshipEnv((5, 5), salvo=True, mines=1, ship_placement="A1-A3 C1-C2 *E5")
    env.reset()
    env.step(cells[0])
    _, earned, _, _, info = env.step(cells[1])
    assert (info["result"], earned) == (result, reward)


def test_a_chosen_cell_can_not_be_chosen_again() -> None:
    env = started(salvo=True)
    env.step(7)
    _, reward, _, _, info = env.step(7)
    assert (reward, info["error"]) == (-50, "already chosen: B3 (cell 7)")


@settings(max_examples=settings().max_examples // 4)
@given(
    fleet=st.sampled_from([None, (3, 3, 2), (2, 2, 1)]),
    touching=st.booleans(),
    salvo=st.booleans(),
    mines=st.integers(0, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_planes_are_those_of_the_encoder(
    fleet: Any, touching: bool, salvo: bool, mines: int, seed: int
) -> None:
    """Sunk cells too: where ships touch, those that are sure from the answers, and no more."""
    env = BattleshipEnv(
        (5, 6), fleet=fleet, touching=touching, salvo=salvo, mines=mines, observation="planes"
    )
    planes, _ = env.reset(seed=seed)
    encoder = BattleshipEncoder(env.game)
    rng = np.random.default_rng(seed)
    over = False
    chosen: list[int] = []
    while not over:
        np.testing.assert_array_equal(
            planes, encoder.observe(env.game.view(env.state, 0), 0, chosen)
        )
        assert env.observation_space.contains(planes)
        ships = [cell for cell in np.flatnonzero(env.action_masks()) if env._owner[cell] >= 0]
        open_cells = ships if rng.random() < 0.7 else np.flatnonzero(env.action_masks())
        chosen.append(int(rng.choice(open_cells if len(open_cells) else ships)))
        planes, _, over, _, info = env.step(chosen[-1])
        if info["result"] != "chosen":
            chosen = []


def test_flat_planes_hold_the_same_numbers() -> None:
    whole, flat = (BattleshipEnv(observation="planes", flat=flat) for flat in (False, True))
    seen, same = whole.reset(seed=1)[0], flat.reset(seed=1)[0]
    assert (seen.shape, same.shape) == ((9, 10, 10), (900,))
    assert (seen.reshape(-1) == same).all()


def test_another_observation_is_refused() -> None:
    with pytest.raises(BadSettings, match="observation must be board or planes, not 'pixels'"):
        BattleshipEnv(observation="pixels")


def test_nothing_of_an_episode_is_seen_in_the_next() -> None:
    env = BattleshipEnv((5, 5), ship_placement="A1-A3 C1-C2", observation="planes")
    first = env.reset()[0].copy()
    for cell in (0, 1, 2, 24, 10, 11):
        env.step(cell)
    np.testing.assert_array_equal(env.reset()[0], first)
