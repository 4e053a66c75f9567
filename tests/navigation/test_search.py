"""Search on arrays does what plain code does: values, best responses and equilibria."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.navigation.arrays import pack_plan, pack_ships, unpack_plan
from trireme.navigation.geometry import FACINGS
from trireme.navigation.plans import Order, Plan
from trireme.navigation.rules import Navigation, NavigationState, act
from trireme.navigation.search.double_oracle import (
    UNBIASED,
    DoubleOracle,
    SearchBias,
    SolvedLeaves,
    TurnSolver,
    opening_moves,
)
from trireme.navigation.search.evaluation_kernels import LIMIT, RACE, REACH, SHARE
from trireme.navigation.search.matrix_game import optimal_mixtures
from trireme.navigation.search.pose_bonus import pose_values
from trireme.navigation.search.scoring_kernels import contact_probabilities
from trireme.navigation.search.simplex_kernels import solve_matrix_game
from trireme.navigation.search.value_network import load_network

from .positions import OPEN, games, open_water, with_ships


def table_of(seed: int) -> np.ndarray:
    size = 2 * REACH + 1
    return np.random.default_rng(seed).uniform(-0.5, 0.5, (size, size, 4)).astype(np.float32)


def plain_value(solver: TurnSolver, table: np.ndarray, state: NavigationState, limit: int) -> float:
    """The value to seat 0 of a state, in plain words."""
    if state.verdict is not None:
        return 0.0 if state.verdict.winner is None else 1.0 - 2.0 * state.verdict.winner
    first, second = state.ships
    kinds = solver.game.types
    share = first.hp / first.max_hp - second.hp / second.max_hp
    lasts = first.hp / (kinds[1].shots * kinds[1].damage)
    other_lasts = second.hp / (kinds[0].shots * kinds[0].damage)
    race = (lasts - other_lasts) / (lasts + other_lasts)
    urgency = (state.turn / limit) ** 6
    fight = math.tanh(RACE * race + SHARE * share)
    base = (1 - urgency) * fight + urgency * math.tanh(LIMIT * share)
    dx, dy = second.x - first.x, second.y - first.y
    for _ in range(FACINGS.index(first.facing)):
        dx, dy = dy, -dx
    rotated = (FACINGS.index(second.facing) - FACINGS.index(first.facing)) % 4
    tiles = pack_ships(state.ships, solver.game.chart.width)[:, 0]
    costs = [
        float(solver.mobility[tiles[s], FACINGS.index(ship.facing)])
        for s, ship in enumerate(state.ships)
    ]
    poses = float(table[dx + REACH, dy + REACH, rotated]) + costs[1] - costs[0]
    return base + poses * ((1 - base) if poses > 0 else (1 + base))


def packed(game: Navigation, seat: int, plans: Iterable[Plan]) -> np.ndarray:
    return np.stack([pack_plan(plan, game.types[seat]) for plan in plans])


def oracle_of(game: Navigation, table: np.ndarray) -> DoubleOracle:
    oracle = TurnSolver(game).double_oracle(game.start(), 0)
    oracle.turn = oracle.turn._replace(poses=table)
    return oracle


@settings(max_examples=settings().max_examples * 3 // 5)
@given(games(), st.integers(0, 2**32))
def test_a_plan_is_worth_what_the_rules_make_of_it(game: Navigation, seed: int) -> None:
    rng, table, state = np.random.default_rng(seed), table_of(seed), game.start()
    oracle = oracle_of(game, table)
    plans = [[game.plans[s].sample(rng) for _ in range(4)] for s in (0, 1)]
    values = oracle.payoffs(packed(game, 0, plans[0]), packed(game, 1, plans[1]))
    for i, first in enumerate(plans[0]):
        for j, second in enumerate(plans[1]):
            after = game.apply(state, {0: first, 1: second})
            assert values[i, j] == pytest.approx(
                plain_value(oracle.solver, table, after, game.turn_limit), abs=1e-6
            )


@settings(max_examples=settings().max_examples // 4)
@given(games(phases=2, ammo_per_turn=None), st.integers(0, 1), st.integers(0, 2**32))
def test_a_best_response_is_the_best_of_all_plans(game: Navigation, own: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    oracle = oracle_of(game, table_of(seed))
    answers = packed(game, 1 - own, (game.plans[1 - own].sample(rng) for _ in range(3)))
    weights = rng.dirichlet(np.ones(3))
    best, values = oracle.responses(own, answers, weights)
    every = packed(game, own, game.plans[own])
    if own == 0:
        brute = oracle.payoffs(every, answers) @ weights
        found = oracle.payoffs(best, answers) @ weights
    else:
        brute = -(weights @ oracle.payoffs(answers, every))
        found = -(weights @ oracle.payoffs(answers, best))
    np.testing.assert_allclose(values, found, atol=1e-9)
    assert values.max() == pytest.approx(brute.max(), abs=1e-9)


@settings(max_examples=settings().max_examples // 4)
@given(games(phases=2), st.integers(0, 1), st.integers(0, 2**32))
def test_best_responses_keep_to_the_ammunition(game: Navigation, own: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    answers = packed(game, 1 - own, [game.plans[1 - own].sample(rng)])
    best, _ = oracle_of(game, table_of(seed)).responses(own, answers, np.ones(1))
    for orders in best:
        assert unpack_plan(orders, game.types[own]) in game.plans[own]


@pytest.mark.parametrize("seat", [0, 1])
def test_confidence_favours_undecided_positions_for_the_seat_that_searches(seat: int) -> None:
    game = Navigation()
    solver, start = TurnSolver(game), game.start()
    plain, confident = (
        solver.double_oracle(start, seat, bias) for bias in (UNBIASED, SearchBias(confidence=0.4))
    )
    stay = opening_moves(game.phases)[:1]
    change = (confident.payoffs(stay, stay) - plain.payoffs(stay, stay))[0, 0]
    own = change if seat == 0 else -change
    assert 0.1 < own < 0.8


def test_a_trembling_hand_finds_the_equilibrium_that_punishes_mistakes() -> None:
    """Its guarantee stays, and against plans drawn at random it is worth more."""
    game = Navigation(ships=("war_brig", "cutter"))
    state = with_ships(game, "i9 E", "n14 W", turn=5)
    solver, rng = TurnSolver(game), np.random.default_rng(0)
    mistakes = packed(game, 1, (game.plans[1].sample(rng) for _ in range(300)))
    worth, guaranteed = [], []
    for tremble in (0.0, 0.1):
        oracle = solver.double_oracle(state, 0, SearchBias(tremble=tremble))
        oracle.improve(30)
        weights = oracle.weights[0]
        plans = oracle.plans[0][: len(weights)]
        worth.append(float((weights @ oracle.payoffs(plans, mistakes)).mean()))
        guaranteed.append(oracle.guarantee(oracle.mixture(oracle.seat)))
    assert worth[1] > worth[0]
    assert guaranteed[1] > guaranteed[0] - 0.02


@pytest.mark.parametrize("learned", [True, False])
def test_confidence_fades_to_nothing_at_the_turn_limit(learned: bool) -> None:
    bonus = partial(pose_values, learned=learned)
    table = {s: bonus(0, s, 0.5) - bonus(0, s, 0.0) for s in (0.0, 0.5, 1.0)}
    for spent, added in table.items():
        np.testing.assert_allclose(added, 0.5 * (1 - spent), atol=1e-6)
    np.testing.assert_array_equal(bonus(1, 0.3, 0.5), -bonus(0, 0.3, 0.5))


def test_distance_costs_the_seat_that_searches() -> None:
    """By the formula the more the later it is."""
    early, late = (pose_values(0, spent, 0.0, learned=False) for spent in (0.0, 1.0))
    assert early[REACH, REACH, 0] == 0
    assert late[REACH, 0, 0] < late[REACH, REACH - 1, 0] < late[REACH, REACH, 0] == 0
    assert late[REACH, 0, 0] < early[REACH, 0, 0] < 0


def test_with_the_network_far_ships_are_sought_and_near_ones_hardly() -> None:
    by_distance = -pose_values(0, 0.5, 0.0, learned=True)[REACH, REACH:, 0]
    assert by_distance[0] == 0
    steps = np.diff(by_distance)
    assert (steps > 0).all()
    assert by_distance[8] < 0.005 < by_distance[20]
    assert steps[20] > 5 * steps[0]


def test_the_bonus_for_closeness_gives_next_to_nothing_away() -> None:
    """What a mixed strategy is guaranteed without the bonus is about what it expects."""
    game = Navigation(ships=("cutter", "cutter"))
    solver, lost = TurnSolver(game, load_network()), []
    for places in (("i9 E", "m10 W"), ("i9 E", "p9 W"), ("i9 S", "r13 N")):
        oracle = solver.double_oracle(with_ships(game, *places, turn=25), 0)
        oracle.improve(60, 0.0005)
        neutral, own = oracle.with_bonus(None), oracle.mixture(0)
        lost.append(neutral.expected(own, oracle.mixture(1)) - neutral.guarantee(own))
    assert max(lost) < 0.006


@settings(max_examples=settings().max_examples // 10)
@given(games(phases=2, ammo_per_turn=None), st.integers(0, 2**32))
def test_either_seat_searches_alike(game: Navigation, seed: int) -> None:
    """Seats swapped, the biased search of the other seat values all plans the opposite way."""
    chart = replace(game.chart, spawns=game.chart.spawns[::-1])
    swapped = replace(game, ships=game.ships[::-1], map=chart)
    bias = SearchBias(confidence=0.3, naive=0.4)
    first = TurnSolver(game).double_oracle(game.start(), 0, bias)
    second = TurnSolver(swapped).double_oracle(swapped.start(), 1, bias)
    rng = np.random.default_rng(seed)
    plans = [packed(game, s, (game.plans[s].sample(rng) for _ in range(3))) for s in (0, 1)]
    np.testing.assert_allclose(first.payoffs(*plans), -second.payoffs(*plans[::-1]).T, atol=1e-6)
    for oracle in (first, second):
        oracle.improve(6)
    assert first.value == pytest.approx(second.value, abs=0.03)
    assert first.gap == pytest.approx(second.gap, abs=0.03)
    assert first.gap >= -1e-6


@pytest.mark.parametrize("seat", [0, 1])
def test_the_naive_model_plays_best_responses_to_a_ship_at_rest(seat: int) -> None:
    game = Navigation(phases=2)
    oracle = TurnSolver(game).double_oracle(game.start(), seat, SearchBias(naive=0.5))
    plans, values = oracle.responses(1 - seat, opening_moves(2)[:1], np.ones(1))
    best = np.argsort(-values, kind="stable")[:4]
    assert values[best[0]] > values.min()
    np.testing.assert_array_equal(oracle.arrays.model[:4], plans[best])


def solved(values: list[list[float]]) -> tuple[float, list[float], list[float]]:
    matrix = np.array(values, float)
    n, m = matrix.shape
    padded = np.full((n + 2, m + 3), 9.0)
    padded[:n, :m] = matrix
    first, second = np.ones(n + 2), np.ones(m + 3)
    value = solve_matrix_game(padded, n, m, first, second)
    return value, first[:n].round(6).tolist(), second[:m].round(6).tolist()


def test_known_games_have_their_known_solutions() -> None:
    """Whatever lies outside the n × m corner."""
    third = pytest.approx(1 / 3, abs=1e-6)
    rock_paper_scissors = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    value, first, second = solved(rock_paper_scissors)
    assert (value, first, second) == (pytest.approx(0), [third] * 3, [third] * 3)
    value, first, second = solved([[3, -1], [-1, 1]])
    assert (value, first[0], second[0]) == (third, third, third)
    value, first, second = solved([[1, 2], [0, 5]])
    assert (value, first, second) == (pytest.approx(1), [1, 0], [1, 0])


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 2**32), st.booleans(), st.booleans())
def test_the_simplex_kernel_solves_what_plain_code_solves(
    n: int, m: int, seed: int, coarse: bool, warm: bool
) -> None:
    """Whatever strategies it begins with."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-1, 2, (n, m)).astype(float) if coarse else rng.uniform(-1, 1, (n, m))
    first, second = rng.random(n) * warm, rng.random(m) * (rng.random(m) < 0.3) * warm
    value = solve_matrix_game(matrix, n, m, first, second)
    plain_first, plain_second = optimal_mixtures(matrix)
    assert value == pytest.approx(plain_first @ matrix @ plain_second, abs=1e-6)
    assert first.sum() == pytest.approx(1)
    assert second.sum() == pytest.approx(1)
    assert (matrix @ second).max() - (first @ matrix).min() < 1e-6


@settings(max_examples=settings().max_examples * 3 // 20)
@given(games(phases=1, ammo_per_turn=None), st.integers(0, 2**32))
def test_a_solution_of_one_phase_is_an_equilibrium_of_all_plans(
    game: Navigation, seed: int
) -> None:
    oracle = TurnSolver(game).double_oracle(game.start(), 0)
    oracle.improve(40, tolerance=0.005)
    every = [packed(game, seat, game.plans[seat]) for seat in (0, 1)]
    matrix = oracle.payoffs(every[0], every[1])
    mixtures = []
    for seat in (0, 1):
        mixture = np.zeros(len(every[seat]))
        for plan, weight in zip(oracle.plans[seat], oracle.weights[seat], strict=False):
            mixture[(every[seat] == plan).all(axis=1).argmax()] += weight
        mixtures.append(mixture)
    exploitability = (matrix @ mixtures[1]).max() - (mixtures[0] @ matrix).min()
    assert exploitability < 0.02


@settings(max_examples=settings().max_examples * 3 // 20)
@given(games(phases=2), st.integers(0, 1))
def test_chances_are_counted_as_the_rules_see_them(game: Navigation, own: int) -> None:
    """Every movement of one ship against every movement of the other, by the plain rules."""
    start = game.start()
    moves = np.array([[m >> 2, m & 3] for m in range(16)], np.uint8)
    counts, ends = np.zeros((2, 16, 6)), np.zeros(16)
    turn = oracle_of(game, table_of(0)).turn
    contact_probabilities(turn, own, moves, np.ones(16), counts, ends)
    for m in range(16):
        expected = np.zeros((2, 6))
        for answer in range(16):
            plans = {own: sailing(moves[m]), 1 - own: sailing(moves[answer])}
            log = peaceful(game).apply(start, plans).log
            for phase, entry in enumerate(log):
                expected[phase] += strikes(game, own, entry.drifted)
        np.testing.assert_allclose(counts[1, m], expected[1])
        np.testing.assert_allclose(counts[0, m >> 2], expected[0])


def sailing(moves: np.ndarray) -> Plan:
    names = ("none", "forward", "turn_left", "turn_right")
    return tuple(Order(names[int(move)]) for move in moves)


def peaceful(game: Navigation) -> Navigation:
    return Navigation(ships=game.ships, map=game.map, turns=game.turns, phases=2)


def strikes(game: Navigation, own: int, poses: tuple) -> list[float]:
    """Whether each action connects, and whether the other could hit or grapple."""

    def hits(seat: int, action: str) -> bool:
        event = act(game.sea, poses, seat, Order("none", action), game.types[seat])
        return event is not None and event.target is not None

    sides = ("port", "starboard")
    own_hits = [hits(own, f"{what}_{side}") for what in ("grapple", "shoot") for side in sides]
    struck = [any(hits(1 - own, f"{what}_{s}") for s in sides) for what in ("shoot", "grapple")]
    return [float(hit) for hit in (*own_hits, *struck)]


@settings(max_examples=settings().max_examples // 10)
@given(games(phases=2, ammo_per_turn=None), st.integers(0, 1), st.integers(0, 2**32))
def test_a_best_response_in_plans_is_the_one_in_arrays(
    game: Navigation, own: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    answers = [game.plans[1 - own].sample(rng) for _ in range(3)]
    weights = rng.dirichlet(np.ones(3))
    oracle = oracle_of(game, table_of(seed))
    best, values = oracle.responses(own, packed(game, 1 - own, answers), weights)
    found = oracle.best_response(own, answers, list(weights))
    assert found == unpack_plan(best[int(values.argmax())], game.types[own])


@pytest.mark.parametrize("seat", [0, 1])
def test_the_guarantee_is_the_value_less_at_most_the_gap(seat: int) -> None:
    game = Navigation(ships=("war_brig", "cutter"), phases=2)
    state = with_ships(game, "i9 E", "k11 W", turn=5)
    oracle = TurnSolver(game).double_oracle(state, seat)
    oracle.improve(2)
    assert oracle.gap > 1e-3
    guaranteed = oracle.guarantee(oracle.mixture(oracle.seat))
    assert oracle.value - oracle.gap - 1e-6 <= guaranteed <= oracle.value + 1e-6


def test_mistakes_that_are_expected_are_worth_something() -> None:
    game = Navigation(ships=("war_brig", "cutter"), phases=2)
    state = with_ships(game, "i9 E", "k11 W", turn=5)
    values = []
    for share in (0.0, 0.2, 0.4):
        bias = SearchBias(naive=share, tremble=share)
        oracle = TurnSolver(game).double_oracle(state, 0, bias)
        oracle.improve(20)
        values.append(oracle.value)
    assert values[0] + 0.01 < values[1] < values[2] - 0.01


@pytest.mark.parametrize(("seat", "enemy"), [(0, "k11 W"), (1, "k10 N")])
def test_a_leaf_that_was_searched_has_the_value_of_its_own_turn(seat: int, enemy: str) -> None:
    """Between those that were not, which keep their evaluation; and none is searched twice."""
    game = Navigation(ships=("war_brig", "cutter"), phases=1)
    state = with_ships(game, "i9 E", enemy, turn=5)
    solver = TurnSolver(game)
    oracle = solver.double_oracle(state, seat)
    oracle.turn = oracle.turn._replace(poses=solver.no_bonus)
    solver.mobility[:] = 0
    oracle.improve(10)
    every = [packed(game, s, game.plans[s]) for s in (0, 1)]
    before = oracle.payoffs(*every)
    while oracle.search_leaves(lambda: False, 2):
        pass
    assert oracle.leaves == np.count_nonzero(oracle.turn.searched) > 4
    after = oracle.payoffs(*every)
    changed = np.argwhere(np.abs(after - before) > 1e-9)
    assert len(changed) > 0
    for i, j in changed[:: max(len(changed) // 8, 1)]:
        plans = [unpack_plan(every[s][k], game.types[s]) for s, k in enumerate((i, j))]
        reached = game.apply(state, {0: plans[0], 1: plans[1]})
        value = solver.value(pack_ships(reached.ships, game.chart.width), reached.turn)
        assert after[i, j] == pytest.approx(value, abs=1e-9)


def test_evaluations_of_one_turn_are_not_taken_for_each_other() -> None:
    """What a pair of poses is worth is kept for the turn, as long as its evaluation is the same."""
    game = Navigation(ships=("war_brig", "cutter"), phases=2)
    state = with_ships(game, "i9 E", "k11 W", turn=5)
    every = [packed(game, s, game.plans[s]) for s in (0, 1)]

    def values(oracle: DoubleOracle) -> np.ndarray:
        oracle.arrays.first.done[:] = 0
        return oracle.payoffs(*every)

    solver = TurnSolver(game, load_network())
    own, other = solver.double_oracle(state, 0), solver.double_oracle(state, 1)
    before, theirs = values(own), values(other)
    plain = values(own.with_bonus(None))
    assert len({array.tobytes() for array in (before, theirs, plain)}) == 3
    trusting = own.with_model(every[1][:1], np.ones(1), 0.5, confidence=0.5)
    assert not np.array_equal(values(trusting), before)
    own.improve(3)
    assert own.search_leaves(lambda: False, 8)
    searched = values(own)
    assert not np.array_equal(searched, before)
    np.testing.assert_array_equal(values(own), searched)
    fresh = TurnSolver(game, load_network())
    np.testing.assert_array_equal(values(fresh.double_oracle(state, 0)), before)
    np.testing.assert_array_equal(values(fresh.double_oracle(state, 1)), theirs)
    np.testing.assert_array_equal(values(fresh.double_oracle(state, 1).with_bonus(None)), plain)


def test_leaves_are_searched_until_asked_to_stop_and_not_beyond_the_turn_limit() -> None:
    game = Navigation(phases=1, turn_limit=7)
    solver = TurnSolver(game)
    oracle = solver.double_oracle(with_ships(game, "i9 E", "k11 W", turn=5), 0)
    oracle.improve(10)
    assert oracle.search_leaves(lambda: True, 8)
    assert oracle.leaves == 1
    last = solver.double_oracle(with_ships(game, "i9 E", "k11 W", turn=6), 0)
    last.improve(10)
    assert not last.search_leaves(lambda: True, 8)


@pytest.mark.parametrize("seat", [0, 1])
def test_caution_takes_value_off_leaves_that_were_not_searched(seat: int) -> None:
    """As the searching seat sees it; finished games and searched leaves keep their values."""
    game = Navigation(ships=("war_brig", "cutter"), phases=1)
    state = with_ships(game, "i9 E", "k11 W", turn=5)
    solver, sign = TurnSolver(game), 1 if seat == 0 else -1
    every = [packed(game, s, game.plans[s]) for s in (0, 1)]
    plain = solver.double_oracle(state, seat)
    careful = solver.double_oracle(state, seat, SearchBias(caution=0.1))
    lost = sign * (plain.payoffs(*every) - careful.payoffs(*every))
    going_on = np.array(
        [
            [
                game.apply(state, {s: unpack_plan(p, game.types[s]) for s, p in enumerate(pair)})
                for pair in ((first, second) for second in every[1])
            ]
            for first in every[0]
        ]
    )
    on = np.vectorize(lambda reached: reached.verdict is None)(going_on)
    assert (lost[on] > 0.02).all()
    assert (lost[~on] == 0).all()
    neutral = [oracle.with_bonus(None).payoffs(*every) for oracle in (plain, careful)]
    np.testing.assert_array_equal(*neutral)  # the account of gifts knows no caution
    for oracle in (plain, careful):
        oracle.improve(10)
        while oracle.search_leaves(lambda: False, 8):
            pass
    table = set(plain.turn.searched[plain.turn.searched > 0])
    assert table & set(careful.turn.searched)
    lost = sign * (plain.payoffs(*every) - careful.payoffs(*every))
    assert (np.abs(lost[on]) < 1e-6).any()


@pytest.mark.parametrize("seat", [0, 1])
def test_the_leaves_that_two_strategies_reach_are_searched(seat: int) -> None:
    game = Navigation(ships=("war_brig", "cutter"))
    state = with_ships(game, "i9 E", "k11 W", turn=5)
    solver = TurnSolver(game)
    oracle = solver.double_oracle(state, seat).with_bonus(None)
    solver.mobility[:] = 0
    orders = {s: game.read("--------") for s in (0, 1)}
    plans = [pack_plan(orders[s], game.types[s])[None] for s in (0, 1)]
    before = oracle.payoffs(*plans)[0, 0]
    own, theirs = (plans[seat], np.ones(1)), (plans[1 - seat], np.ones(1))
    assert oracle.search_reached(own, theirs, 8)
    assert oracle.leaves == 1
    after = game.apply(state, orders)
    value = solver.value(pack_ships(after.ships, game.chart.width), after.turn)
    assert oracle.payoffs(*plans)[0, 0] == pytest.approx(value, abs=1e-9)
    assert before != pytest.approx(value, abs=1e-4)
    assert not oracle.search_reached(own, theirs, 8), "it was searched already"


def test_leaves_with_near_ships_are_searched_first() -> None:
    """Of leaves that are reached as often: their values are the most doubtful."""
    game = Navigation(ships=("war_brig", "cutter"), phases=1)
    oracle = TurnSolver(game).double_oracle(with_ships(game, "i9 E", "k11 W", turn=5), 0)
    ships = np.zeros((3, 2, 3), np.int32)
    stride = game.chart.width + 2
    ships[:, 0, 0] = 5 * stride + 5
    ships[:, 1, 0] = [5 * stride + 6, 8 * stride + 7, 12 * stride + 14]
    near, middle, far = oracle._doubt(ships)
    assert near > 2 * middle > 4 * far > 0


def test_a_leaf_is_searched_from_the_plans_of_similar_ones() -> None:
    game = Navigation(ships=("war_brig", "cutter"))
    solver = TurnSolver(game, load_network())
    kin = SolvedLeaves(game.chart.width + 2, game.phases)
    leaves = [
        pack_ships(with_ships(game, a, b).ships, game.chart.width)
        for a, b in (("i9 E", "k11 W"), ("a1 N", "c3 S"), ("a9 N", "q11 S"))
    ]
    for ships in leaves:
        solver.value(ships, 6, kin)
    assert kin.count == 3
    moved = pack_ships(with_ships(game, "i9 E", "k12 W").ships, game.chart.width)
    first, second = kin.plans_for(moved)
    for found, own in zip((first, second), kin._plans[0], strict=True):
        assert {bytes(plan) for plan in own} <= {bytes(plan) for plan in found}
        assert bytes(game.phases) in {bytes(plan) for plan in found}
        assert len(np.unique(found, axis=0)) == len(found)
    cold, warm = solver.value(moved, 6), solver.value(moved, 6, kin)
    assert warm == pytest.approx(cold, abs=0.05)


@pytest.mark.parametrize("own", [0, 1])
def test_a_response_with_time_is_the_best_after_two_turns(own: int) -> None:
    game = Navigation(ships=("war_brig", "cutter"), phases=1)
    state = with_ships(game, "i9 E", "k11 W", turn=5)
    answers = [game.plans[1 - own].sample(np.random.default_rng(k)) for k in range(3)]
    weights = [0.5, 0.3, 0.2]
    oracle = TurnSolver(game).double_oracle(state, own)
    found = oracle.best_response(own, answers, weights, lambda: False)
    best, values = oracle.responses(own, packed(game, 1 - own, answers), np.array(weights))
    assert found == unpack_plan(best[int(values.argmax())], game.types[own])
    fresh = TurnSolver(game).double_oracle(state, own)
    guess, worth = fresh.responses(own, packed(game, 1 - own, answers), np.array(weights))
    top = np.argsort(-worth, kind="stable")[:4]
    reached = {
        tuple(pack_ships(game.apply(state, plans).ships, game.chart.width).ravel())
        for k in top
        for answer in answers
        for plans in [{own: unpack_plan(guess[k], game.types[own]), 1 - own: answer}]
        if not game.apply(state, plans).verdict
    }
    assert oracle.leaves >= len(reached)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_analysis_gives_plans_their_values_to_their_own_seat(seat: int) -> None:
    game = Navigation(phases=2)
    oracle = TurnSolver(game).double_oracle(game.start(), seat)
    oracle.improve(3)
    found = oracle.analysis()
    for own, candidates, value in (
        (seat, found.candidates, found.value),
        (1 - seat, found.answers, -found.value),
    ):
        other = 1 - own
        weights = oracle.weights[other]
        answers = oracle.plans[other][: len(weights)]
        assert sum(candidate.weight for candidate in candidates) == pytest.approx(1)
        for candidate in candidates:
            plan = packed(game, own, [candidate.plan])
            sides = (plan, answers) if own == 0 else (answers, plan)
            payoff = float((oracle.payoffs(*sides).reshape(-1) @ weights) * (1 - 2 * own))
            assert candidate.value == pytest.approx(payoff)
            assert candidate.answer is not None
            every = [oracle.plans[0], plan] if own else [plan, oracle.plans[1]]
            foreseen = float((oracle.payoffs(*every) * (1 - 2 * own)).min())
            assert foreseen - 1e-9 <= candidate.foreseen <= candidate.value
            hurt = packed(game, other, [candidate.answer])
            sides = (plan, hurt) if own == 0 else (hurt, plan)
            paid = float(oracle.payoffs(*sides)[0, 0] * (1 - 2 * own))
            assert candidate.foreseen == pytest.approx(paid)
            assert candidate.value == pytest.approx(value, abs=0.1)


def test_the_mobility_of_a_square_sea_is_the_same_across_its_diagonal() -> None:
    """Least in a corner with the bow to the edge, and nothing is lost in the middle."""
    game = Navigation(map=open_water(OPEN))
    lost = TurnSolver(game).mobility.reshape(9, 9, 4)
    north, east, south, west = range(4)
    across = lost.transpose(1, 0, 2)[:, :, [west, south, east, north]]
    np.testing.assert_array_equal(lost, across)
    assert lost[4, 4].max() == 0 < lost[1:8, 1:8].max() == lost[1, 1, north]
