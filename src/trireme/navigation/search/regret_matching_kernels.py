"""Equilibria on arrays: mixtures of a matrix game by regret matching+."""

from typing import Any

import numpy as np

from trireme.core.jit import njit


@njit
def equilibrium(
    values: Any, n: Any, m: Any, rounds: Any, tolerance: Any, first: Any, second: Any
) -> Any:
    """Mixtures for the n × m corner of `values` by regret matching+; (value to the rows, gap).

    `first: float64[K]` and `second: float64[L]` begin as the mixtures to start from, or as zeros,
    and get the average mixtures. The seats learn in turn, and later rounds count more. The gap is
    what both could gain together by deviating.
    """
    regret, other_regret = np.zeros(n), np.zeros(m)
    gains, costs = np.zeros(n), np.zeros(m)
    turned = np.zeros((m, n))
    for i in range(n):
        for j in range(m):
            turned[j, i] = values[i, j]
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
        _mix(turned, y, m, 1.0, gains)
        _learn(regret, gains, x)
        _mix(values, x, n, -1.0, costs)
        _learn(other_regret, costs, y)
        for i in range(n):
            first[i] += t * x[i]
        for j in range(m):
            second[j] += t * y[j]
        if t % 32 == 0 or t == rounds:
            scale = 2.0 / (t * (t + 1.0))
            _mix(turned, second, m, 1.0, gains)
            _mix(values, first, n, -1.0, costs)
            low, high = -costs[_top(costs)] * scale, gains[_top(gains)] * scale
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
def _mix(values: Any, weights: Any, n: Any, sign: Any, mixed: Any) -> None:
    """`mixed[j]` = sign × the sum of weights[i] × values[i, j]; most weights are zero."""
    for j in range(mixed.shape[0]):
        mixed[j] = 0.0
    for i in range(n):
        weight = sign * weights[i]
        if weight != 0.0:
            for j in range(mixed.shape[0]):
                mixed[j] += values[i, j] * weight


@njit
def _learn(regret: Any, gains: Any, mixture: Any) -> None:
    """One step of regret matching+: `mixture` becomes the next one."""
    mean, total = 0.0, 0.0
    for i in range(regret.shape[0]):
        mean += gains[i] * mixture[i]
    for i in range(regret.shape[0]):
        regret[i] = max(0.0, regret[i] + gains[i] - mean)
        total += regret[i]
    for i in range(regret.shape[0]):
        mixture[i] = regret[i] / total if total > 0.0 else 1.0 / regret.shape[0]


@njit
def _top(values: Any) -> Any:
    """The index of the largest value."""
    top = 0
    for i in range(1, values.shape[0]):
        if values[i] > values[top]:
            top = i
    return top


@njit
def _normalise(mixture: Any) -> None:
    """Scale to a sum of 1; an empty mixture becomes uniform."""
    total = 0.0
    for i in range(mixture.shape[0]):
        total += mixture[i]
    for i in range(mixture.shape[0]):
        mixture[i] = mixture[i] / total if total > 0.0 else 1.0 / mixture.shape[0]
