"""Agents fire legally on every board, and each does what it is for."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from trireme import CHANCE, Turn, make_agent, play
from trireme.battleship.agents import heatmap
from trireme.battleship.agents.density import hit_weighted_density, placement_density
from trireme.battleship.agents.hunt import Hunt
from trireme.battleship.agents.hybrid import Hybrid, hunt_target_state, monte_carlo
from trireme.battleship.agents.lookahead import Lookahead
from trireme.battleship.agents.mcts import Mcts
from trireme.battleship.agents.posterior import Posterior
from trireme.battleship.agents.shooting_agent import ShootingAgent, TargetView, top_cells
from trireme.battleship.batch import fleet_of, layouts
from trireme.battleship.belief.constraints import sunk_cells
from trireme.battleship.belief.posterior import FleetInference
from trireme.battleship.fleets import ship_at
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Shot

from .positions import FLEET, fired

AGENTS = {
    "hunt": "hunt",
    "density": "density",
    "density+": "density+",
    "hybrid": "hybrid:samples=5,network=false",
    "posterior": "posterior:limit=20000,samples=500",
    "mcts": "mcts:simulations=64,fleets=50,limit=5000",
    "lookahead": "lookahead:fleets=100,limit=20000",
}
SIZES = [(5, 5), (5, 12), (6, 9), (8, 8), (10, 10), (11, 7), (12, 12)]


@pytest.mark.parametrize(
    "sizes", [[SIZES[1], SIZES[2]], pytest.param(SIZES, marks=pytest.mark.slow)], ids=["two", "all"]
)
@pytest.mark.parametrize("agent", AGENTS)
def test_no_agent_repeats_a_shot_on_any_board(agent: str, sizes: list[tuple[int, int]]) -> None:
    """An illegal shot would forfeit."""
    for number, (rows, cols) in enumerate(sizes):
        game = Battleship(rows, cols, touching=number % 2 == 1)
        result = play(game, [AGENTS[agent]], seed=number)
        assert not result.forfeits
        assert result.returns[0] >= -rows * cols


@pytest.mark.parametrize("agent", AGENTS)
def test_the_same_seed_gives_the_same_game(agent: str) -> None:
    spec = AGENTS[agent] + (",seconds=1000" if agent == "mcts" else "")
    games = [play(Battleship(6, 6), [spec], seed=3).record.fingerprint() for _ in range(2)]
    assert games[0] == games[1]


@pytest.mark.parametrize("name", ["posterior", "mcts", "lookahead"])
def test_the_option_samples_is_how_many_fleets_are_sampled(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def sampled(self: FleetInference, shots: Any, rng: Any, samples: int) -> Any:
        asked.append(samples)
        return original(self, shots, rng, samples)

    original = FleetInference.sampled_posterior
    monkeypatch.setattr(FleetInference, "sampled_posterior", sampled)
    agent: Any = make_agent("battleship", f"{name}:limit=1,samples=37")
    agent.aim(TargetView(Battleship(6, 6).boards[0], ()), np.random.default_rng(0))
    assert asked == [37]


def shots_needed(spec: str, boards: int) -> float:
    """The mean over some boards of the default game."""
    game = Battleship()
    agent = make_agent(game, spec)
    total = 0
    for number, layout in enumerate(layouts(game, boards, seed=5)):
        state = game.apply(game.start(), {CHANCE: fleet_of(game.boards[0], layout)})
        rng = np.random.default_rng(number)
        while game.to_move(state):
            turn = Turn(game, 0, game.view(state, 0), game.legal(state, 0), rng)
            state = game.apply(state, {0: agent.act(turn)})
        total -= int(game.returns(state)[0])
    return total / boards


@pytest.mark.slow
def test_stronger_agents_need_fewer_shots() -> None:
    hunt, density, plus, posterior = (
        shots_needed(spec, 60) for spec in ("hunt", "density", "density+", "posterior")
    )
    assert hunt < 60
    assert density < 48
    assert plus < 41
    assert posterior < 41


def observed(game: Battleship, fleet: str) -> Iterator[tuple[dict[str, Any], list[int]]]:
    """An environment's observations of one episode; the caller appends the cells it fires at."""
    board = game.boards[0]
    at = ship_at(game.read(fleet))  # type: ignore[arg-type]
    attacks = np.zeros((board.rows, board.cols), np.int8)
    left = list(board.sizes)
    actions: list[int] = []
    while any(left):
        sizes = [s for s, n in zip(board.sizes, left, strict=True) if n] + [0] * left.count(0)
        yield {"attack_board": attacks.copy(), "remaining_ships": np.array(sizes)}, actions
        cell = divmod(actions[-1], board.cols)
        assert attacks[cell] == 0
        ship = at.get(cell)
        attacks[cell] = 1 if ship is None else 2
        if ship is not None:
            left[ship] -= 1


@pytest.mark.parametrize("agent", AGENTS)
def test_agents_play_from_the_environments_observation(agent: str) -> None:
    game = Battleship(8, 8)
    shooting_agent = make_agent(game, AGENTS[agent])
    assert isinstance(shooting_agent, ShootingAgent)
    counts = []
    for _ in range(2):
        shooting_agent.reset()
        for observation, actions in observed(game, "A1-A3 C1-C3 H7-H8"):
            actions.append(shooting_agent.select_action(observation))
        counts.append(len(actions))
    assert all(8 <= count <= 64 for count in counts)


def test_observations_tell_the_same_as_the_game() -> None:
    """The posterior sees sinkings in observations, so it plays as it does in the arena.

    Of the two ships of 3, the one named first sinks first: observations do not tell which it was.
    """
    game = Battleship(8, 8)
    agent = Posterior()
    agent.reset()
    for observation, actions in observed(game, "C1-C3 A1-A3 H7-H8"):
        actions.append(agent.select_action(observation))
    result = play(
        Battleship(8, 8, placement="manual"), ["posterior"], opening=[{CHANCE: "C1-C3 A1-A3 H7-H8"}]
    )
    fired = [shot.cell for shot in result.state.seas[0].shots]
    assert [divmod(a, 8) for a in actions] == fired


def test_sizes_moved_to_the_front_are_understood_too() -> None:
    agent = Posterior()
    board = np.zeros((8, 8), np.int8)
    agent.select_action({"attack_board": board, "remaining_ships": np.array([3, 3, 2, 0, 0])})
    board[0, :2] = 2
    agent.select_action({"attack_board": board, "remaining_ships": np.array([3, 3, 2, 0, 0])})
    board[7, 7] = 2
    board[7, 6] = 2
    after = {"attack_board": board, "remaining_ships": np.array([3, 3, 0, 0, 0])}
    assert agent.select_action(after) == 2


def test_hunt_follows_a_line_of_hits() -> None:
    game = Battleship()
    shots = fired(game, FLEET, "C2 C3").seas[0].shots
    cells = {
        Hunt().aim(TargetView(game.boards[0], shots), np.random.default_rng(i))[0] for i in range(9)
    }
    assert cells == {20, 23}


def plain_density(target: TargetView, *, plus: bool) -> dict[tuple[int, int], float]:
    """The densities by the letter: every placement of every ship afloat, cell by cell."""
    board, sunk = target.board, sunk_cells(target.board, target.shots)
    hits = {s.cell for s in target.shots if s.result in ("hit", "sunk")} - sunk
    ruled_out = {s.cell for s in target.shots} - hits
    gone = {s.ship for s in target.shots}
    if plus:
        ruled_out |= {(r + i, c + j) for r, c in sunk for i in (-1, 0, 1) for j in (-1, 0, 1)}
    total = dict.fromkeys(board.cells(), 0.0)
    for name, size in zip(board.names, board.sizes, strict=True):
        for row, col in board.cells():
            for down, right in ((0, 1), (1, 0)):
                cells = [(row + i * down, col + i * right) for i in range(size)]
                if name in gone or not all(map(board.holds, cells)) or ruled_out & set(cells):
                    continue
                near = {(r + i, c + j) for r, c in cells for i in (-1, 0, 1) for j in (-1, 0, 1)}
                n = len(hits & set(cells))
                if plus and (hits & near - set(cells) or n == size):
                    continue
                for cell in cells:
                    total[cell] += 100.0**n if plus else (100.0 * n or 1.0)
    return total


@pytest.mark.parametrize("shots", ["", "J10 C2", "C2 C3 I1 I2 J10 A9", "I1 I2 A1 E2 E3 G3"])
def test_densities_count_every_placement(shots: str) -> None:
    game = Battleship()
    target = TargetView(game.boards[0], fired(game, FLEET, shots).seas[0].shots)
    plain = np.array(list(plain_density(target, plus=False).values()))
    assert hit_weighted_density(target) == pytest.approx(plain)
    plus = np.array(list(plain_density(target, plus=True).values()))
    weights = 100.0 ** np.arange(6)
    assert placement_density(target, weights, exclude_impossible=True) == pytest.approx(plus)


def test_ties_go_top_left_or_to_any() -> None:
    target = TargetView(Battleship(5, 5).boards[0], (Shot((0, 0), "miss"),))
    assert top_cells(np.zeros(25), target, None) == [1]
    seen = {top_cells(np.zeros(25), target, np.random.default_rng(i))[0] for i in range(200)}
    assert seen == set(range(1, 25))


def test_every_belief_agent_fires_at_a_sure_cell() -> None:
    game = Battleship(8, 8)
    shots = fired(game, "C1-C3 F1-F3 H7-H8", "C2 C3 C4 H8").seas[0].shots
    target = TargetView(game.boards[0], shots)
    for agent in (Posterior(), Lookahead(fleets=50), Mcts(simulations=50)):
        assert agent.aim(target, np.random.default_rng(0)) == [16]


def test_a_salvo_takes_the_best_cells() -> None:
    game = Battleship(6, 6, salvo=True)
    for spec in AGENTS.values():
        result = play(game, [spec], seed=2)
        assert not result.forfeits


def test_the_hybrid_shows_its_inner_state() -> None:
    game = Battleship()
    target = TargetView(game.boards[0], fired(game, FLEET, "I1 I2 C2 C3 C1 J10").seas[0].shots)
    seen = hunt_target_state(target)
    assert seen.mode == "target"
    assert seen.afloat == (5, 4, 3, 3)
    assert seen.line == ((2, 0), (2, 1), (2, 2))
    assert seen.ends == ((2, 3),)
    assert "mode target" in str(seen)
    assert "destroyer (2)" in str(seen)


def test_the_hybrids_samples_cover_all_open_hits() -> None:
    game = Battleship()
    target = TargetView(game.boards[0], fired(game, FLEET, "C2 C3 J10").seas[0].shots)
    chances = monte_carlo(target, hunt_target_state(target), 200, np.random.default_rng(0))
    assert chances[[22, 21, 99]].max() == 0.0
    assert chances[20] + chances[23] >= 1.0


def test_the_hybrid_plays_on_without_a_network() -> None:
    game = Battleship()
    target = TargetView(game.boards[0], fired(game, FLEET, "C2 C3 J10").seas[0].shots)
    assert Hybrid().aim(target, np.random.default_rng(0))[0] in (20, 23)


def test_the_hybrid_takes_a_network_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_probabilities(*given: object) -> np.ndarray:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(heatmap, "available", lambda: True)
    monkeypatch.setattr(heatmap, "probabilities", give_probabilities)
    target = TargetView(Battleship().boards[0], ())
    Hybrid().aim(target, np.random.default_rng(0))
    with pytest.raises(AssertionError, match="asked"):
        Hybrid(network=True).aim(target, np.random.default_rng(0))
