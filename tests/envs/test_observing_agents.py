"""Every agent of Battleship plays whole episodes from what `gymnasium.make` shows."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trireme.envs  # noqa: F401 - registers the environments
from trireme import TriremeError, make_agent
from trireme.battleship.agents.heatmap import available
from trireme.battleship.agents.hunt import Hunt
from trireme.battleship.agents.observation_history import ObservationHistory
from trireme.battleship.agents.posterior import Posterior
from trireme.battleship.belief.determinization import determinize_fleet
from trireme.battleship.rules import Battleship
from trireme.core.errors import IllegalAction
from trireme.core.registry import agents_of
from trireme.envs import BattleshipEnv
from trireme.testing.conformance import needs_options

QUICK = {
    "hybrid": "hybrid:samples=5,network=false",
    "montecarlo": "montecarlo:playouts=4,depth=3",
    "posterior": "posterior:limit=5000,samples=100",
    "mcts": "mcts:simulations=16,fleets=20,limit=2000,samples=100",
    "lookahead": "lookahead:fleets=50,limit=5000,search=2000,samples=100",
}
NETWORKS = ("rl", "heatmap")
AGENTS = [
    name
    for name in agents_of("battleship")
    if not needs_options("battleship", name)
    and name != "careless"  # it weakens what sits at a table, of whatever game
]
BOARDS: list[dict[str, Any]] = [
    {"board_size": (5, 5)},
    {"board_size": (8, 8)},
    {"board_size": (10, 10)},
    {"board_size": (6, 11), "fleet": (4, 3, 2, 2)},
    {"board_size": (12, 12)},
    {"board_size": (7, 7), "fleet": (3, 3, 3)},
    {"board_size": (9, 6), "fleet": (1, 1, 2, 3)},
    {"board_size": (10, 10), "touching": True},
    {"board_size": (8, 8), "fleet": (2, 2, 2, 2, 2, 2), "touching": True},
    {"board_size": (11, 9), "placement": "uniform"},
    {"board_size": (5, 12), "fleet": (5, 2)},
    {"board_size": (6, 6), "fleet": (2, 2, 1), "salvo": True},
]


def agent_named(name: str) -> Any:
    if name in NETWORKS and not available():
        pytest.skip("needs onnxruntime")
    return make_agent("battleship", QUICK.get(name, name))


def episode(agent: Any, env: gymnasium.Env[Any, Any], seed: int) -> int:
    """Play the loop of the manual to its end; every shot must be at an open cell."""
    observation, info = env.reset(seed=seed)
    agent.reset(seed)
    over = False
    while not over:
        action = agent.select_action(observation)
        assert info["action_mask"][action], f"fired again at {action}"
        observation, _, over, truncated, info = env.step(action)
        assert not truncated
    return int(info["move_count"])


COSTLY = ("lookahead", "mcts", "posterior", "heatmap", "hybrid", "rl")


@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_plays_every_board(name: str) -> None:
    """One agent object for all boards in turn: each episode brings its own rules.

    Agents that search or ask a network play four boards here, and all of them among the slow tests.
    """
    agent = agent_named(name)
    boards = [BOARDS[i] for i in (0, 5, 6, 8)] if name in COSTLY else BOARDS
    for seed, options in enumerate(boards):
        assert episode(agent, gymnasium.make("trireme/Battleship-v0", **options), seed) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_plays_many_episodes(name: str) -> None:
    agent = agent_named(name)
    for options in BOARDS:
        env = gymnasium.make("trireme/Battleship-v0", **options)
        for seed in range(10 if name in ("random", "hunt", "density", "density+") else 1):
            episode(agent, env, seed)


@pytest.mark.parametrize("name", AGENTS)
def test_flat_boards_lead_to_the_same_shots(name: str) -> None:
    counts = []
    for flat in (False, True):
        env = gymnasium.make("trireme/Battleship-v0", board_size=(6, 6), flat=flat)
        counts.append(episode(agent_named(name), env, 3))
    assert counts[0] == counts[1]


def test_flat_boards_that_are_no_squares_need_the_game() -> None:
    env = gymnasium.make("trireme/Battleship-v0", board_size=(6, 9), flat=True)
    agent = Hunt()
    with pytest.raises(TriremeError, match=r"54 cells.*prepare"):
        episode(agent, env, 0)
    agent.prepare(env.unwrapped.game)  # type: ignore[attr-defined]
    assert episode(agent, env, 0) <= 54


def test_agents_say_that_they_read_no_planes() -> None:
    env = BattleshipEnv(observation="planes")
    with pytest.raises(TriremeError, match="no planes"):
        Hunt().select_action(env.reset(seed=0)[0])


def test_the_episode_that_once_failed() -> None:
    """A 3 sinks before the 2, so that the sizes afloat move to the front: [5, 4, 3, 2, 0]."""
    env = gymnasium.make("trireme/Battleship-v0")
    assert episode(Posterior(limit=5000, samples=100), env, 31) < 80


@settings(max_examples=settings().max_examples * 3 // 5)
@given(
    rows=st.integers(5, 12),
    cols=st.integers(5, 12),
    fleet=st.none() | st.lists(st.integers(1, 4), min_size=1, max_size=4),
    touching=st.booleans(),
    flat=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_the_history_is_that_of_the_game(
    rows: int, cols: int, fleet: list[int] | None, touching: bool, flat: bool, seed: int
) -> None:
    """Shots, answers and sinkings read from observations are those that the rules gave; equal
    ships may be swapped."""
    env = BattleshipEnv((rows, cols), fleet=fleet, touching=touching, flat=flat)
    history = ObservationHistory(env.game, np.random.default_rng(0))
    observation, _ = env.reset(seed=seed)
    history.update(observation)
    order = np.random.default_rng(seed).permutation(rows * cols)
    sizes = dict(zip(env.setup.board.names, env.setup.board.sizes, strict=True))
    for cell in order:
        observation, _, over, _, info = env.step(int(cell))
        shot = history.update(observation)[-1]
        assert shot.cell == divmod(int(cell), cols)
        assert (shot.result == "miss") == (info["result"] == "miss")
        assert sizes.get(shot.ship) == sizes.get(info["ship_sunk"])
        if over:
            break
    names = [shot.ship for shot in history.update(observation) if shot.ship]
    assert sorted(names) == sorted(sizes)


def observation(board: Any, *sizes: int) -> dict[str, Any]:
    return {"attack_board": np.array(board), "remaining_ships": np.array(sizes)}


def test_a_new_episode_is_noticed_without_a_reset() -> None:
    history = ObservationHistory(None, np.random.default_rng(0))
    board = np.zeros((8, 8), np.int8)
    history.update(observation(board, 3, 3, 2))
    board[0, 0] = 1
    assert len(history.update(observation(board, 3, 3, 2))) == 1
    board[0, 0] = 2  # a cell can't turn from a miss into a hit
    assert [shot.result for shot in history.update(observation(board, 3, 3, 2))] == ["hit"]
    assert history.update(observation(np.zeros((6, 6), np.int8), 4, 2)) == ()
    assert (history.game.rows, history.game.fleet) == (6, (4, 2))


def test_prepared_rules_hold_only_where_they_fit() -> None:
    game = Battleship(8, 8, touching=True, placement="uniform")
    history = ObservationHistory(game, np.random.default_rng(0))
    history.update(observation(np.zeros((8, 8), np.int8), 3, 3, 2, 0, 0))
    assert history.game == Battleship(8, 8, fleet=(3, 3, 2), touching=True, placement="uniform")
    history.update(observation(np.zeros((9, 5), np.int8), 4, 0, 0, 0, 0))
    assert history.game == Battleship(9, 5, fleet=(4,), touching=True, placement="uniform")


def test_misses_around_a_hit_show_that_ships_touch() -> None:
    """A hit and a neighbour, four misses at their sides: two ships of 2 lie across each other."""
    history = ObservationHistory(None, np.random.default_rng(0))
    board = np.zeros((5, 5), np.int8)
    board[2, 2] = board[2, 3] = 2
    history.update(observation(board, 3, 2))
    board[2, 1] = board[2, 4] = 1
    history.update(observation(board, 3, 2))
    assert history.game.touching, "nothing of 2 or 3 cells fits in this row and stays afloat"


def test_hits_show_whether_ships_touch() -> None:
    history = ObservationHistory(None, np.random.default_rng(0))
    board = np.zeros((8, 8), np.int8)
    board[0, 0] = 2
    history.update(observation(board, 3, 3, 2))
    assert not history.game.touching
    board[1, 1] = 2
    history.update(observation(board, 3, 3, 2))
    assert history.game.touching


@settings(max_examples=settings().max_examples * 2 // 5)
@given(
    side=st.integers(5, 8),
    fleet=st.lists(st.integers(1, 3), min_size=1, max_size=4),
    touching=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_ships_may_touch_as_soon_as_no_other_fleet_explains_the_answers(
    side: int, fleet: list[int], touching: bool, seed: int
) -> None:
    env = BattleshipEnv((side, side), fleet=fleet, touching=touching)
    history = ObservationHistory(None, np.random.default_rng(0))
    observation, _ = env.reset(seed=seed)
    history.update(observation)
    apart = history.game
    for cell in np.random.default_rng(seed).permutation(side * side):
        observation, _, over, _, _ = env.step(int(cell))
        shots = history.update(observation)
        assert history.game.touching == (not separable(apart, shots))
        if over:
            break


def separable(game: Battleship, shots: Any) -> bool:
    """Whether a fleet whose ships keep apart gives these answers: searched anew."""
    try:
        determinize_fleet(game.boards[0], shots, 0, np.random.default_rng(1))
    except IllegalAction:
        return False
    return True


def test_a_fleet_is_searched_only_when_a_shot_contradicts_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched = []

    def counted(*given: Any) -> Any:
        searched.append(given)
        return determinize_fleet(*given)

    monkeypatch.setattr("trireme.battleship.agents.observation_history.determinize_fleet", counted)
    env = gymnasium.make("trireme/Battleship-v0")
    shots = episode(Hunt(), env, 5)
    assert 0 < len(searched) < shots // 2
