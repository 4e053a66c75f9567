"""Zero-sum matrix games solved exactly, by linear programming (the simplex method)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def matrix_value(values: Floats) -> float:
    """The value of the game with payoff matrix `values: float64[K, L]` to the rows."""
    distinct = np.unique(np.unique(values, axis=0), axis=1)
    first, second = optimal_mixtures(distinct)
    low, high = (first @ distinct).min(), (distinct @ second).max()
    if high - low > 1e-6:
        raise ArithmeticError(f"the linear program ended with a gap of {high - low}")
    return float((low + high) / 2)


def optimal_mixtures(values: Floats) -> tuple[Floats, Floats]:
    """Optimal mixed strategies of both seats, by the simplex method on a dense tableau.

    With all values positive the columns' program is: maximise the sum of y where values @ y <= 1
    and y >= 0; the rows' strategy is its dual. Right-hand sides are perturbed slightly, so that
    no two rows tie and the method can't cycle.
    """
    n, m = values.shape
    positive = values - values.min() + 1.0
    tableau = np.zeros((n + 1, m + n + 1))
    tableau[:n, :m] = positive
    tableau[:n, m : m + n] = np.eye(n)
    tableau[:n, -1] = 1.0 + 1e-9 * np.arange(n)
    tableau[n, :m] = -1.0
    basis = list(range(m, m + n))
    while (column := int(tableau[n, :-1].argmin())) >= 0 and tableau[n, column] < -1e-10:
        rising = tableau[:n, column] > 1e-10
        ratios = np.where(rising, tableau[:n, -1], np.inf) / np.where(
            rising, tableau[:n, column], 1
        )
        row = int(ratios.argmin())
        tableau[row] /= tableau[row, column]
        factors = tableau[:, column].copy()
        factors[row] = 0.0
        tableau -= factors[:, None] * tableau[row]
        basis[row] = column
    second = np.zeros(m + n)
    second[basis] = tableau[:n, -1]
    first = np.maximum(tableau[n, m : m + n], 0.0)
    columns = np.maximum(second[:m], 0.0)
    return first / first.sum(), columns / columns.sum()
