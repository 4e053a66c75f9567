"""Regret matching+: approximate Nash equilibria of matrix games on arrays."""

from typing import Any

import numpy as np

from trireme.core.jit import njit


@njit
def regret_matching_plus(
    values: Any, n: Any, m: Any, rounds: Any, tolerance: Any, first: Any, second: Any
) -> Any:
    """Mixed strategies for the n × m corner of the payoff matrix; (value to the rows, gap).

    `values: float64[K, L]` are payoffs to the rows. `first: float64[K]` and `second: float64[L]`
    begin as the strategies to start from, or as zeros, and get the average strategies. The seats
    update in turn, with linear averaging: round t counts t times. The gap is what both could gain
    together by deviating.
    """
    regret, other_regret = np.zeros(n), np.zeros(m)
    gains, costs = np.zeros(n), np.zeros(m)
    rotated = np.zeros((m, n))
    for i in range(n):
        for j in range(m):
            rotated[j, i] = values[i, j]
    x, y = np.zeros(n), np.zeros(m)
    for i in range(n):
        x[i] = first[i]
        first[i] = 0.0
    for j in range(m):
        y[j] = second[j]
        second[j] = 0.0
    _normalise(x)
    _normalise(y)
    low, high = -2.0, 2.0
    for t in range(1, rounds + 1):
        _expected_payoffs(rotated, y, m, 1.0, gains)
        _update_regrets(regret, gains, x)
        _expected_payoffs(values, x, n, -1.0, costs)
        _update_regrets(other_regret, costs, y)
        for i in range(n):
            first[i] += t * x[i]
        for j in range(m):
            second[j] += t * y[j]
        if t % 32 == 0 or t == rounds:
            scale = 2.0 / (t * (t + 1.0))
            _expected_payoffs(rotated, second, m, 1.0, gains)
            _expected_payoffs(values, first, n, -1.0, costs)
            low, high = -costs.max() * scale, gains.max() * scale
            if high - low < tolerance:
                break
    _normalise(first[:n])
    _normalise(second[:m])
    value = 0.0
    for i in range(n):
        for j in range(m):
            value += first[i] * values[i, j] * second[j]
    return value, high - low


@njit
def _expected_payoffs(values: Any, weights: Any, n: Any, sign: Any, mixed: Any) -> None:
    """Expected payoffs, `mixed[j]` = sign × Σ weights[i] × values[i, j]; most weights are zero."""
    for j in range(mixed.shape[0]):
        mixed[j] = 0.0
    for i in range(n):
        weight = sign * weights[i]
        if weight != 0.0:
            for j in range(mixed.shape[0]):
                mixed[j] += values[i, j] * weight


@njit
def _update_regrets(regret: Any, gains: Any, mixture: Any) -> None:
    """One update: regrets are clipped at 0, and `mixture` becomes proportional to them."""
    mean, total = 0.0, 0.0
    for i in range(regret.shape[0]):
        mean += gains[i] * mixture[i]
    for i in range(regret.shape[0]):
        regret[i] = max(0.0, regret[i] + gains[i] - mean)
        total += regret[i]
    for i in range(regret.shape[0]):
        mixture[i] = regret[i] / total if total > 0.0 else 1.0 / regret.shape[0]


@njit
def _normalise(mixture: Any) -> None:
    """Scale to a sum of 1; an empty mixture becomes uniform."""
    total = 0.0
    for i in range(mixture.shape[0]):
        total += mixture[i]
    for i in range(mixture.shape[0]):
        mixture[i] = mixture[i] / total if total > 0.0 else 1.0 / mixture.shape[0]
