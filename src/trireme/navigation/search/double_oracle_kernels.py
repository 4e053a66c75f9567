"""The double oracle on arrays: restricted matrix games, best responses, and their growth."""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit

from .best_response_kernels import best_responses
from .evaluation_kernels import TurnArrays
from .response_kernels import payoffs, simulate_new_movements
from .simplex_kernels import solve_matrix_game

LEAST = 1e-4
"""Plans of a lower probability are left out when the other seat responds."""


class OracleArrays(NamedTuple):
    """The state of a double oracle; L plans a seat at most."""

    plans: Any
    """uint8[2, L, phases]: both seats' plans of the restricted game."""
    counts: Any
    """int64[2]: how many there are."""
    filled: Any
    """int64[2]: how many of them have their payoffs in the matrix."""
    matrix: Any
    """float64[L, L]: payoffs to seat 0."""
    weights: Any
    """float64[2, L]: the mixed strategies."""
    solved: Any
    """int64[2]: over how many plans these are: those of the restricted game solved last."""
    first: Any
    """Simulations of seat 0."""
    second: Any
    """Simulations of seat 1."""
    model: Any
    """uint8[N, phases]: plans of the searching seat's model of the other; none without a model."""
    model_weights: Any
    """float64[N]: their probabilities."""
    model_payoffs: Any
    """float64[L]: the payoff to seat 0 of each plan of the searching seat against the model."""


@njit
def begin(oracle: OracleArrays, first: Any, second: Any) -> None:
    """Start again with the plans `first: uint8[K, phases]` of seat 0 and `second` of seat 1."""
    for seat in range(2):
        openings = first if seat == 0 else second
        for k in range(openings.shape[0]):
            oracle.plans[seat, k] = openings[k]
        oracle.counts[seat] = openings.shape[0]
        oracle.filled[seat] = 0
        oracle.solved[seat] = 0
    oracle.weights[:] = 0.0
    oracle.first.done[:] = 0
    oracle.second.done[:] = 0


@njit(nogil=True)
def iterate(
    turn: TurnArrays, oracle: OracleArrays, own: Any, trust: Any, tolerance: Any, new: Any
) -> Any:
    """One iteration for the searching seat `own`: (value to it, gap, whether plans were added).

    The restricted game is solved, each seat responds to the other's mixed strategy with the best
    of all its plans, and up to `new` best responses join unless the gap is below `tolerance`.
    With `trust` above 0 this is a restricted Nash response: the other is assumed to play the model
    with that probability.
    """
    value = solve_restricted(turn, oracle, own, trust)
    phases = oracle.plans.shape[2]
    total = 4**phases
    best, values = np.zeros((2, total, phases), np.uint8), np.zeros((2, total))
    other = 1 - own
    theirs = -_expected(oracle, own)
    for seat in range(2):
        answers, weights = assumed(oracle, seat, own, trust)
        floor = value if seat == own else theirs
        _respond(turn, oracle, seat, answers, weights, floor, best[seat], values[seat])
    gap = max(0.0, values[own].max() - value) + (1.0 - trust) * max(
        0.0, values[other].max() - theirs
    )
    grown = False
    if gap >= tolerance:
        for seat in range(2):
            floor = value if seat == own else theirs
            grown |= _add(oracle, seat, best[seat], values[seat], floor + 0.1 * tolerance, new)
    return value, gap, grown


@njit(nogil=True)
def solve_restricted(turn: TurnArrays, oracle: OracleArrays, own: Any, trust: Any) -> Any:
    """Solve the matrix game among the plans so far; its value to `own`."""
    _extend(turn, oracle, own, trust)
    n, m = oracle.counts[0], oracle.counts[1]
    if trust == 0.0:
        value = solve_matrix_game(oracle.matrix, n, m, oracle.weights[0], oracle.weights[1])
    else:
        expected = np.empty((n, m))
        for i in range(n):
            for j in range(m):
                known = oracle.model_payoffs[i if own == 0 else j]
                expected[i, j] = (1.0 - trust) * oracle.matrix[i, j] + trust * known
        value = solve_matrix_game(expected, n, m, oracle.weights[0], oracle.weights[1])
    oracle.solved[0], oracle.solved[1] = n, m
    return value if own == 0 else -value


@njit
def _extend(turn: TurnArrays, oracle: OracleArrays, own: Any, trust: Any) -> None:
    """Extend the payoffs by the plans added since."""
    n, m = oracle.counts[0], oracle.counts[1]
    old, other_old = oracle.filled[0], oracle.filled[1]
    known = oracle.first
    answers = oracle.plans[1, :m]
    movements = simulate_new_movements(turn, 0, answers, known)
    payoffs(turn, oracle.plans[0, old:n], answers, movements, known, oracle.matrix[old:, :])
    fresh, moved = answers[other_old:], movements[other_old:]
    payoffs(turn, oracle.plans[0, :old], fresh, moved, known, oracle.matrix[:, other_old:])
    if trust > 0.0:
        _extend_model(turn, oracle, own)
    oracle.filled[0], oracle.filled[1] = n, m


@njit
def _extend_model(turn: TurnArrays, oracle: OracleArrays, own: Any) -> None:
    """The payoffs of the plans added since against the model."""
    new = oracle.plans[own, oracle.filled[own] : oracle.counts[own]]
    first, second = (new, oracle.model) if own == 0 else (oracle.model, new)
    movements = simulate_new_movements(turn, 0, second, oracle.first)
    values = np.empty((first.shape[0], second.shape[0]))
    payoffs(turn, first, second, movements, oracle.first, values)
    for k in range(new.shape[0]):
        total = 0.0
        for j in range(oracle.model.shape[0]):
            total += oracle.model_weights[j] * (values[k, j] if own == 0 else values[j, k])
        oracle.model_payoffs[oracle.filled[own] + k] = total


@njit
def assumed(oracle: OracleArrays, seat: Any, own: Any, trust: Any) -> Any:
    """What `seat` assumes the other plays: (plans, their probabilities)."""
    other = 1 - seat
    weights = oracle.weights[other]
    share = trust if seat == own else 0.0
    extra = oracle.model.shape[0] if share > 0.0 else 0
    live = 0
    for k in range(oracle.solved[other]):
        live += weights[k] > LEAST
    plans = np.empty((live + extra, oracle.plans.shape[2]), np.uint8)
    chances = np.empty(live + extra)
    n, total = 0, 0.0
    for k in range(oracle.solved[other]):
        if weights[k] > LEAST:
            plans[n] = oracle.plans[other, k]
            chances[n] = weights[k]
            total += weights[k]
            n += 1
    for k in range(n):
        chances[k] *= (1.0 - share) / total
    for k in range(extra):
        plans[n + k] = oracle.model[k]
        chances[n + k] = share * oracle.model_weights[k]
    return plans, chances


@njit
def _respond(
    turn: TurnArrays, oracle: OracleArrays, seat: Any, answers: Any, weights: Any, floor: Any,
    best: Any, values: Any,
) -> None:  # fmt: skip
    known = oracle.first if seat == 0 else oracle.second
    movements = simulate_new_movements(turn, seat, answers, known)
    best_responses(turn, seat, answers, movements, weights, known, floor, best, values)


@njit(makes_arrays=False)
def _expected(oracle: OracleArrays, own: Any) -> Any:
    """The value to `own` of both mixed strategies, without the model."""
    value = 0.0
    for i in range(oracle.solved[0]):
        if oracle.weights[0, i] > 0.0:
            for j in range(oracle.solved[1]):
                value += oracle.weights[0, i] * oracle.matrix[i, j] * oracle.weights[1, j]
    return value if own == 0 else -value


@njit
def _add(oracle: OracleArrays, seat: Any, best: Any, values: Any, floor: Any, new: Any) -> Any:
    """Add the best `new` of these plans that are above `floor` and not yet there."""
    room = min(new, oracle.plans.shape[1] - oracle.counts[seat])
    order = np.argsort(-values, kind="mergesort")
    added = False
    for k in range(order.shape[0]):
        i = order[k]
        if room == 0 or values[i] <= floor:
            break
        if not _contains(oracle, seat, best[i]):
            oracle.plans[seat, oracle.counts[seat]] = best[i]
            oracle.counts[seat] += 1
            added = True
        room -= 1
    return added


@njit(makes_arrays=False)
def _contains(oracle: OracleArrays, seat: Any, plan: Any) -> Any:
    for k in range(oracle.counts[seat]):
        same = True
        for phase in range(plan.shape[0]):
            same &= oracle.plans[seat, k, phase] == plan[phase]
        if same:
            return True
    return False


@njit(nogil=True)
def solve(
    turn: TurnArrays,
    oracle: OracleArrays,
    first: Any,
    second: Any,
    rounds: Any,
    tolerance: Any,
    new: Any,
) -> Any:
    """Up to `rounds` iterations from these plans, without a model: (value to seat 0, gap)."""
    begin(oracle, first, second)
    value, gap = 0.0, 2.0
    for _ in range(rounds):
        value, gap, grown = iterate(turn, oracle, 0, 0.0, tolerance, new)
        if gap < tolerance or not grown:
            break
    return value, gap
