"""The trees of lookahead and mcts, against plain Python; sampled beliefs, against exact ones."""

from functools import cache

import numpy as np
import pytest

from trireme.battleship.agents.lookahead import fleet_arrays
from trireme.battleship.agents.lookahead_kernels import (
    FleetArrays,
    misses_by_fleet,
    rollout_misses,
    two_shot_misses,
)
from trireme.battleship.agents.mcts import Mcts, better
from trireme.battleship.agents.mcts_kernels import SearchTree, simulate
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


@cache
def plain_optimum(
    board: Board, fleets: tuple[tuple[Fleet, float], ...], shot: frozenset[Cell]
) -> float:
    """The least expected misses that any policy can reach, by recursion over all shots."""
    if len(fleets) == 1:
        return 0.0
    covered = {c for fleet, _ in fleets for c in ship_at(fleet)} - shot
    return min((plain_cost(board, fleets, shot, c) for c in covered), default=0.0)


def plain_cost(
    board: Board, fleets: tuple[tuple[Fleet, float], ...], shot: frozenset[Cell], cell: Cell
) -> float:
    """The expected misses of one shot and the best ones after it."""
    shot |= {cell}
    parts: dict[int, list[tuple[Fleet, float]]] = {}
    for fleet, weight in fleets:
        parts.setdefault(plain_answer(board, fleet, cell, shot), []).append((fleet, weight))
    missed = sum(weight for _, weight in parts.get(0, []))
    return missed + sum(plain_optimum(board, tuple(part), shot) for part in parts.values())


LONE = Battleship(5, 5, fleet=(3,)).boards[0]
MISSES = ((1, 2), (1, 4), (0, 3), (3, 3), (4, 0), (0, 1), (4, 4))
"""After these, the most probable cell is not the best one."""
LONE_SHOTS = tuple(Shot(cell, "miss") for cell in MISSES)


def lone_fleets() -> tuple[TargetView, FleetArrays, tuple[tuple[Fleet, float], ...]]:
    """A lone ship that seven misses have left few places: the target, and all of its fleets."""
    target = TargetView(LONE, LONE_SHOTS)
    inference = FleetInference(LONE)
    belief = inference.exact_posterior(LONE_SHOTS)
    assert belief is not None
    found = inference.fleets(LONE_SHOTS, belief, 200, np.random.default_rng(0))
    assert found.exact
    arrays = fleet_arrays(LONE, found.layouts, found.weights, target.fired_bits)
    laid = [fleet_of(LONE, layout) for layout in found.layouts]
    return target, arrays, tuple(zip(laid, map(float, found.weights), strict=True))


@pytest.mark.slow
def test_a_tree_searched_to_the_end_finds_the_optimum() -> None:
    target, arrays, fleets = lone_fleets()
    agent = Mcts(width=25, ratio=0.0)
    tree = agent.root(target, arrays)
    assert simulate(10_000, agent.explore, agent.ratio, tree, arrays) < 10_000
    seen = frozenset(shot.cell for shot in target.shots)
    best = plain_optimum(LONE, fleets, seen)
    costs = tree.cost[0, : tree.width[0]]
    assert costs.min() == pytest.approx(best)
    assert best < tree_of(0).cost[0, 0] - 0.01  # else greedy play would pass this test too
    shot = divmod(Mcts(simulations=10_000, width=25, ratio=0.0).aim(target, RNG)[0], LONE.cols)
    assert plain_cost(LONE, fleets, seen, shot) == pytest.approx(best)


RNG = np.random.default_rng(0)


def tree_of(rounds: int, explore: float = 0.3) -> SearchTree:
    """The tree over the fleets of a lone ship after so many simulations."""
    target, arrays, _ = lone_fleets()
    tree = Mcts(width=5).root(target, arrays)
    simulate(rounds, explore, 0.5, tree, arrays)
    return tree


def test_the_tree_begins_with_rollouts_of_the_greedy_policy() -> None:
    target, arrays, _ = lone_fleets()
    tree = tree_of(0)
    width = int(tree.width[0])
    cells = tree.actions[0, :width].astype(np.int64)
    wanted = rollout_misses(cells, target.fired_bits, arrays, len(arrays.weights))
    assert tree.cost[0, :width] == pytest.approx(wanted)


def test_costs_never_rise_and_are_the_sums_of_what_is_below() -> None:
    before = tree_of(0).cost[0]
    for rounds in (1, 5, 20):
        tree = tree_of(rounds)
        width = int(tree.width[0])
        assert (tree.cost[0, :width] <= before[:width] + 1e-12).all()
        before = tree.cost[0].copy()
    _, arrays, _ = lone_fleets()
    for node in range(int(tree.used[0])):
        own = tree.pool[tree.first[node] : tree.first[node] + tree.size[node]]
        assert tree.weight[node] == pytest.approx(arrays.weights[own].sum())
        for a in range(int(tree.width[node])):
            children = [int(c) for c in tree.child[node, a] if c]
            gained = sum(
                expected_after(c, 0, tree, arrays) - tree.cost[c, : tree.width[c]].min()
                for c in children
            )
            rollout = expected_after(node, a, tree, arrays)
            assert tree.cost[node, a] == pytest.approx(rollout - gained)


def expected_after(node: int, a: int, tree: SearchTree, arrays: FleetArrays) -> float:
    """The cost of a shot by greedy rollouts, before anything below it was searched."""
    own = tree.pool[tree.first[node] : tree.first[node] + tree.size[node]]
    part = FleetArrays(*(getattr(arrays, f)[own] for f in arrays._fields[:-1]), arrays.kinds)
    cells = tree.actions[node, a : a + 1].astype(np.int64)
    return float(rollout_misses(cells, tree.seen[node], part, len(own))[0])


def test_simulations_are_counted_where_they_went() -> None:
    tree = tree_of(12)
    assert tree.visits[0].sum() == 12
    assert tree.used[0] == 13
    for node in range(13):
        assert (tree.followed[node].sum(1) == tree.visits[node]).all()
        for child in tree.child[node][tree.child[node] > 0]:
            assert tree.size[child] < tree.size[node]


def test_exploration_spreads_the_simulations() -> None:
    narrow, wide = tree_of(15, explore=0.0), tree_of(15, explore=5.0)
    assert (wide.visits[0] > 0).sum() > (narrow.visits[0] > 0).sum()


def test_misses_by_fleet_add_up_to_the_expected_ones() -> None:
    target, arrays, _ = lone_fleets()
    cells = np.array([5, 10], np.int64)
    total = rollout_misses(cells, target.fired_bits, arrays, len(arrays.weights))
    each = [misses_by_fleet(cell, target.fired_bits, arrays) for cell in cells]
    assert [float(arrays.weights @ missed) for missed in each] == pytest.approx(list(total))


def test_a_shot_beats_another_only_by_more_than_the_standard_error() -> None:
    target, arrays, _ = lone_fleets()
    cells = np.flatnonzero(target.open_mask)
    costs = rollout_misses(cells, target.fired_bits, arrays, len(arrays.weights))
    ranked = [int(cell) for cell in cells[costs.argsort(kind="stable")]]
    best, worst = ranked[0], ranked[-1]
    assert better(best, worst, target, arrays)
    assert not better(worst, best, target, arrays)
    assert not better(best, best, target, arrays)
    slightly = [c for c, cost in zip(cells, costs, strict=True) if 0 < cost - costs.min() < 0.15]
    assert slightly
    assert not any(better(best, int(cell), target, arrays) for cell in slightly)


def test_where_fleets_are_sampled_the_greedy_shot_needs_a_reason_to_be_left() -> None:
    game = Battleship()
    shots = fired(game, FLEET, "E5 D4 F7").seas[0].shots
    target = TargetView(game.boards[0], shots)
    chosen = Mcts(simulations=0, fleets=2, limit=10, samples=500).aim(target, RNG)
    greedy = FleetInference(target.board).sampled_posterior(shots, RNG, 500).cells
    assert greedy[chosen[0]] > 0.8 * greedy.max()


def test_without_time_the_greedy_shot_is_played() -> None:
    target, *_ = lone_fleets()
    belief = FleetInference(LONE).exact_posterior(LONE_SHOTS)
    assert belief is not None
    assert Mcts(seconds=0.0).aim(target, RNG) == [int(belief.cells.argmax())]
