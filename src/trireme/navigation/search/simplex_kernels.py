"""Matrix games solved exactly on arrays: the simplex method on a condensed tableau."""

from typing import Any

import numpy as np

from trireme.core.jit import njit

TINY = 1e-10
"""Entries below this count as zero."""


@njit(nogil=True)
def solve_matrix_game(values: Any, n: Any, m: Any, first: Any, second: Any) -> Any:
    """Optimal mixed strategies for the n × m corner of a payoff matrix; the value to the rows.

    `values: float64[K, L]` are payoffs to the rows; `first: float64[K]` and `second: float64[L]`
    get the strategies. `matrix_game.optimal_mixtures` is the plain version and explains the
    program. The tableau is condensed: a basic variable's unit column is not stored, so that a pivot
    exchanges the label of a row with that of a column.
    """
    least = values[0, 0]
    for i in range(n):
        for j in range(m):
            least = min(least, values[i, j])
    tableau = np.empty((n + 1, m + 1))
    rows, columns = np.empty(n, np.int64), np.empty(m, np.int64)
    for i in range(n):
        rows[i] = m + i
        tableau[i, m] = 1.0 + 1e-9 * i
        for j in range(m):
            tableau[i, j] = values[i, j] - least + 1.0
    for j in range(m):
        columns[j] = j
        tableau[n, j] = -1.0
    tableau[n, m] = 0.0
    for _ in range(50 * (n + m)):
        column = _entering(tableau, n, m)
        if column < 0:
            break
        row = _leaving(tableau, n, m, column)
        _pivot(tableau, n, m, row, column)
        rows[row], columns[column] = columns[column], rows[row]
    first[:n] = 0.0
    second[:m] = 0.0
    for i in range(n):
        if rows[i] < m:
            second[rows[i]] = max(0.0, tableau[i, m])
    for j in range(m):
        if columns[j] >= m:
            first[columns[j] - m] = max(0.0, tableau[n, j])
    first[:n] /= first[:n].sum()
    second[:m] /= second[:m].sum()
    value = 0.0
    for i in range(n):
        if first[i] > 0.0:
            for j in range(m):
                value += first[i] * values[i, j] * second[j]
    return value


@njit(nogil=True)
def _entering(tableau: Any, n: Any, m: Any) -> Any:
    """The column of the most negative reduced cost, -1 where there is none (Dantzig's rule)."""
    best, found = -TINY, -1
    for j in range(m):
        if tableau[n, j] < best:
            best = tableau[n, j]
            found = j
    return found


@njit(nogil=True)
def _leaving(tableau: Any, n: Any, m: Any, column: Any) -> Any:
    """The row that limits the entering variable most (ratio test)."""
    best, found = np.inf, 0
    for i in range(n):
        if tableau[i, column] > TINY:
            ratio = tableau[i, m] / tableau[i, column]
            if ratio < best:
                best = ratio
                found = i
    return found


@njit(nogil=True)
def _pivot(tableau: Any, n: Any, m: Any, row: Any, column: Any) -> None:
    """Exchange the variables of a row and a column."""
    inverse = 1.0 / tableau[row, column]
    for j in range(m + 1):
        tableau[row, j] *= inverse
    tableau[row, column] = inverse
    for i in range(n + 1):
        factor = tableau[i, column]
        if i != row and factor != 0.0:
            for j in range(m + 1):
                tableau[i, j] -= factor * tableau[row, j]
            tableau[i, column] = -factor * inverse
