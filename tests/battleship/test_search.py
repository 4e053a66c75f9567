"""The trees of lookahead and mcts, against plain Python; sampled beliefs, against exact ones."""

from functools import cache

import numpy as np
import pytest

from trireme.battleship.agents.lookahead import fleet_arrays
from trireme.battleship.agents.lookahead_kernels import rollout_misses, two_shot_misses
from trireme.battleship.agents.mcts import Mcts
from trireme.battleship.agents.mcts_kernels import open_node, simulate
from trireme.battleship.agents.opening_book import book_cell, opening_book
from trireme.battleship.agents.shooting_agent import TargetView
from trireme.battleship.batch import fleet_of
from trireme.battleship.belief.posterior import FleetInference
from trireme.battleship.board import Board, Cell
from trireme.battleship.fleets import Fleet, ship_at
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Shot

from .positions import FLEET, fired


def plain_answer(board: Board, fleet: Fleet, cell: Cell, shot: frozenset[Cell]) -> int:
    """0 miss, 1 hit, 2 + size when the ship sinks; `shot` includes the cell."""
    at = ship_at(fleet)
    if cell not in at:
        return 0
    ship = [c for c, s in at.items() if s == at[cell]]
    return 2 + len(ship) if set(ship) <= shot else 1


def plain_misses(
    board: Board, fleets: list[tuple[Fleet, float]], shot: frozenset[Cell], cell: Cell | None
) -> float:
    """What the kernel computes, by recursion over parts."""
    if cell is None:
        if len(fleets) == 1:
            return 0.0
        weights = dict.fromkeys((c for c in board.cells() if c not in shot), 0.0)
        for fleet, weight in fleets:
            for c in ship_at(fleet):
                if c in weights:
                    weights[c] += weight
        cell = max(weights, key=lambda c: weights[c], default=None)
        if cell is None or weights[cell] == 0:
            return 0.0
    shot |= {cell}
    parts: dict[int, list[tuple[Fleet, float]]] = {}
    for fleet, weight in fleets:
        parts.setdefault(plain_answer(board, fleet, cell, shot), []).append((fleet, weight))
    missed = sum(weight for _, weight in parts.get(0, []))
    return missed + sum(plain_misses(board, part, shot, None) for part in parts.values())


@pytest.mark.parametrize("game", [Battleship(5, 5), Battleship(5, 6, fleet=(3, 3, 2))], ids=str)
def test_the_tree_counts_misses_as_plain_recursion_does(game: Battleship) -> None:
    board, rng = game.boards[0], np.random.default_rng(1)
    inference = FleetInference(board)
    shots = (Shot((2, 2), "miss"), Shot((0, 1), "miss"))
    belief = inference.exact_posterior(shots)
    assert belief is not None
    found = inference.fleets(shots, belief, 60, rng)
    weights = rng.random(len(found.weights))
    shot = TargetView(board, shots).fired_bits
    listed = fleet_arrays(board, found.layouts, weights, shot)
    cells = np.array([0, 7, 11], np.int64)
    misses = rollout_misses(cells, shot, listed, len(weights))
    fleets = [
        (fleet_of(board, layout), float(w))
        for layout, w in zip(found.layouts, weights, strict=True)
    ]
    seen = frozenset(shot.cell for shot in shots)
    plain = [plain_misses(board, fleets, seen, divmod(int(c), board.cols)) for c in cells]
    assert misses == pytest.approx(plain)


def test_the_deep_tree_chooses_the_second_shot_as_plain_search_does() -> None:
    game = Battleship(5, 5)
    board, rng = game.boards[0], np.random.default_rng(4)
    inference = FleetInference(board)
    shots = (Shot((2, 2), "miss"), Shot((0, 1), "miss"), Shot((3, 1), "miss"))
    belief = inference.exact_posterior(shots)
    assert belief is not None
    found = inference.fleets(shots, belief, 50, rng)
    shot = TargetView(board, shots).fired_bits
    listed = fleet_arrays(board, found.layouts, found.weights, shot)
    cells = np.array([7, 18], np.int64)
    seen = frozenset(shot.cell for shot in shots)
    misses = two_shot_misses(cells, shot, listed, 25)
    laid = [fleet_of(board, layout) for layout in found.layouts]
    fleets = list(zip(laid, map(float, found.weights), strict=True))
    for cell, got in zip(cells, misses, strict=True):
        first = divmod(int(cell), 5)
        parts: dict[int, list[tuple[Fleet, float]]] = {}
        for fleet, weight in fleets:
            said = plain_answer(board, fleet, first, seen | {first})
            parts.setdefault(said, []).append((fleet, weight))
        expected = sum(weight for _, weight in parts.get(0, []))
        for part in parts.values():
            covered = {c for fleet, _ in part for c in ship_at(fleet)} - seen - {first}
            if len(part) > 1 and covered:
                expected += min(plain_misses(board, part, seen | {first}, c) for c in covered)
        assert got == pytest.approx(expected)


def test_few_fleets_are_listed_with_their_probabilities() -> None:
    game = Battleship(5, 7)
    board, rng = game.boards[0], np.random.default_rng(0)
    inference = FleetInference(board)
    shots = fired(game, "A1-A3 C1-C2", "A1 A2 E5").seas[0].shots
    belief = inference.exact_posterior(shots)
    assert belief is not None
    found = inference.fleets(shots, belief, 5_000, rng)
    assert found.exact
    assert len(found.weights) == belief.fleets
    cells = np.zeros(35)
    for layout, weight in zip(found.layouts, found.weights, strict=True):
        for row, col in ship_at(fleet_of(board, layout)):
            cells[row * 7 + col] += weight * ((row, col) not in {s.cell for s in shots})
    assert cells == pytest.approx(belief.cells)


@cache
def exact_and_sampled(rows: int, cols: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    game = Battleship(rows, cols)
    board, rng = game.boards[0], np.random.default_rng(2)
    inference = FleetInference(board)
    shots = fired(game, "A1-A3 C1-C3 E1-E2", "C2 H8 D5 B6").seas[0].shots
    exact = inference.exact_posterior(shots)
    assert exact is not None
    estimated = inference.sampled_posterior(shots, rng, 40_000)
    found = inference.fleets(shots, exact, 20_000, rng)
    drawn = np.zeros(rows * cols)
    for layout, weight in zip(found.layouts, found.weights, strict=True):
        for row, col in ship_at(fleet_of(board, layout)):
            drawn[row * cols + col] += weight
    for shot in shots:
        drawn[shot.cell[0] * cols + shot.cell[1]] = 0.0
    return exact.cells, estimated.cells, drawn


@pytest.mark.parametrize("sides", [(8, 8), (8, 9)])
def test_sampled_beliefs_agree_with_the_exact_one(sides: tuple[int, int]) -> None:
    exact, estimated, drawn = exact_and_sampled(*sides)
    assert estimated == pytest.approx(exact, abs=0.02)
    assert drawn == pytest.approx(exact, abs=0.02)


def test_entropy_is_estimated_too() -> None:
    game = Battleship(8, 8)
    inference = FleetInference(game.boards[0])
    exact = inference.exact_posterior((), entropy=True)
    estimated = inference.sampled_posterior((), np.random.default_rng(0), 20_000)
    assert exact is not None
    assert exact.entropy is not None
    assert estimated.entropy == pytest.approx(exact.entropy, abs=0.05)


def test_the_opening_book_is_small_and_leads_through_itself() -> None:
    book = opening_book()
    assert 50 < len(book) < 2_000
    assert book_cell(TargetView(Battleship().boards[0], ())) == book[""]
    for path in book:
        cells = [book[path[:i]] for i in range(len(path) + 1)]
        assert len(set(cells)) == len(cells)
        assert all(0 <= cell < 100 for cell in cells)


def test_the_book_is_left_where_play_or_rules_differ() -> None:
    board = Battleship().boards[0]
    other = Shot((9, 9), "miss")
    assert book_cell(TargetView(board, (other,))) is None
    assert book_cell(TargetView(board, (), uniform=True)) is None
    assert book_cell(TargetView(Battleship(10, 11).boards[0], ())) is None


@pytest.mark.slow
def test_the_posteriors_book_is_what_it_would_fire_anyway() -> None:
    from trireme.battleship.agents.posterior import Posterior

    game = Battleship()
    agent = Posterior(limit=2**62)
    shots = fired(game, FLEET, "E5").seas[0].shots
    path = TargetView(game.boards[0], shots)
    found = book_cell(path)
    exact = agent.belief(path, np.random.default_rng(0)).cells
    assert found == int(exact.argmax())


def test_mcts_finds_a_shot_about_as_good_as_the_best() -> None:
    game = Battleship(5, 5, fleet=(3,))
    board, rng = game.boards[0], np.random.default_rng(0)
    target = TargetView(board, (Shot((2, 2), "miss"),))
    agent = Mcts(simulations=3_000, fleets=200, seconds=1000)
    chosen = divmod(agent.aim(target, rng)[0], board.cols)
    inference = FleetInference(board)
    belief = inference.exact_posterior(target.shots)
    assert belief is not None
    listed = inference.fleets(target.shots, belief, 200, rng)
    fleets = [
        (fleet_of(board, layout), float(w))
        for layout, w in zip(listed.layouts, listed.weights, strict=True)
    ]
    seen = frozenset({(2, 2)})
    costs = {c: plain_misses(board, fleets, seen, c) for c in board.cells() if c not in seen}
    assert costs[chosen] <= min(costs.values()) + 0.25


def test_simulations_are_counted_where_they_went() -> None:
    game = Battleship(6, 6)
    board, rng = game.boards[0], np.random.default_rng(0)
    agent = Mcts(fleets=100)
    inference = FleetInference(board)
    belief = inference.exact_posterior(())
    assert belief is not None
    found = inference.fleets((), belief, 100, rng)
    listed = fleet_arrays(board, found.layouts, np.ones(100), TargetView(board, ()).fired_bits)
    tree = agent.root(TargetView(board, ()))
    chances, part = np.zeros(36), np.zeros(100, np.uint64)
    open_node(0, tree, listed, chances)
    simulate(500, np.uint64(1), 1.0, tree, listed, chances, part, np.zeros((37, 3), np.int64))
    nodes = int(tree.used[0])
    assert tree.visits[0].sum() == 500
    for node in range(nodes):
        for action in range(agent.width):
            for said in range(tree.child.shape[2]):
                child = int(tree.child[node, action, said])
                if child:
                    assert tree.visits[child].sum() <= tree.visits[node, action]
                    assert tree.size[child] <= tree.size[node]
