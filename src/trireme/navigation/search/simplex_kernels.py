"""Matrix games solved exactly on arrays: the simplex method, with rows and columns as needed.

Few strategies are in the support of a solution. The program begins with those that were in the
last one, and strategies that would improve on its solution join it, rows by the dual simplex
method and columns by the primal one (row and column generation), until there is none. So the
tableau stays small, however many strategies there are, and each solution begins where the last one
ended.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit

TINY = 1e-10
"""Entries of the tableau below this count as zero."""
JITTER = 1e-9
"""Right-hand sides and costs grow by so much from one to the next: no two tie, so that the method
can't cycle."""
LEAST_GAIN = 1e-9
"""What a strategy has to improve at least to join."""
JOINING = 8
"""How many rows, or columns, join at once."""


class Program(NamedTuple):
    """A linear program with some rows and columns of a matrix game, all payoffs being positive.

    Maximise the sum of y where values @ y <= 1 and y >= 0: y is the columns' strategy, the dual
    solution the rows'; `matrix_game.optimal_mixtures` explains it. The tableau is condensed: a
    basic variable's unit column is not stored, so that a pivot exchanges the label of a row with
    that of a column. Labels are j for column j, and -1 - i for the slack of row i.
    """

    values: Any
    """float64[K, L]: the payoffs to the rows, of which the corner that is solved counts."""
    shift: Any
    """float64[1]: added to them so that they are positive."""
    tableau: Any
    """float64[K + 1, L + 1]: the last row in use are the reduced costs, the last column the
    right-hand sides."""
    basic: Any
    """int64[K]: the labels of the tableau's rows."""
    free: Any
    """int64[L]: the labels of its columns."""
    size: Any
    """int64[2]: rows and columns in use, without the last ones."""
    joined: Any
    """uint8[K + L]: 1 for the rows, then the columns of the game that have joined."""


@njit(nogil=True)
def solve_matrix_game(values: Any, n: Any, m: Any, first: Any, second: Any) -> Any:
    """Optimal mixed strategies for the n × m corner of a payoff matrix; the value to the rows.

    `values: float64[K, L]` are payoffs to the rows; `first: float64[K]` and `second: float64[L]`
    get the strategies. What is above 0 in them before is where the search begins.
    """
    least = values[0, 0]
    for i in range(n):
        for j in range(m):
            least = min(least, values[i, j])
    program = Program(
        values, np.full(1, 1.0 - least), np.empty((n + 1, m + 1)), np.empty(n, np.int64),
        np.empty(m, np.int64), np.zeros(2, np.int64), np.zeros(n + m, np.uint8),
    )  # fmt: skip
    program.tableau[0, 0] = 0.0
    for j in range(m):
        if second[j] > 0.0:
            _add_column(program, j, n)
    for i in range(n):
        if first[i] > 0.0:
            _add_row(program, i)
    if program.size[1] == 0:
        _add_column(program, 0, n)
    if program.size[0] == 0:
        _add_row(program, 0)
    _primal(program)
    gains, grown = np.empty(max(n, m)), True
    while grown:
        _read(program, n, m, first, second)
        grown = _join_rows(program, n, second, gains)
        if grown:
            _dual(program)
            _read(program, n, m, first, second)
        if _join_columns(program, n, m, first, gains):
            _primal(program)
            grown = True
    first[:n] /= first[:n].sum()
    second[:m] /= second[:m].sum()
    value = 0.0
    for i in range(n):
        if first[i] > 0.0:
            for j in range(m):
                value += first[i] * values[i, j] * second[j]
    return value


@njit(makes_arrays=False)
def _read(program: Program, n: Any, m: Any, first: Any, second: Any) -> None:
    """Write the strategies of the current basis, not yet scaled."""
    first[:n] = 0.0
    second[:m] = 0.0
    rows, columns = program.size
    for r in range(rows):
        if program.basic[r] >= 0:
            second[program.basic[r]] = max(0.0, program.tableau[r, columns])
    for c in range(columns):
        if program.free[c] < 0:
            first[-1 - program.free[c]] = max(0.0, program.tableau[rows, c])


@njit(makes_arrays=False)
def _join_rows(program: Program, n: Any, second: Any, gains: Any) -> Any:
    """Add the rows that are worth most against the columns' strategy; whether there are any."""
    shift, values, found = program.shift[0], program.values, False
    for i in range(n):
        gains[i] = 0.0
        if not program.joined[i]:
            gains[i] = -1.0 - JITTER * i
            for r in range(program.size[0]):
                j = program.basic[r]
                if j >= 0:
                    gains[i] += second[j] * (values[i, j] + shift)
    for _ in range(JOINING):
        i = int(np.argmax(gains[:n]))
        if gains[i] <= LEAST_GAIN:
            break
        _add_row(program, i)
        gains[i], found = 0.0, True
    return found


@njit(makes_arrays=False)
def _join_columns(program: Program, n: Any, m: Any, first: Any, gains: Any) -> Any:
    """Add the columns that cost the rows' strategy most; whether there are any."""
    shift, values, found = program.shift[0], program.values, False
    for j in range(m):
        gains[j] = 1.0 + JITTER * j
    for c in range(program.size[1]):
        i = -1 - program.free[c]
        if i >= 0 and first[i] > 0.0:
            for j in range(m):
                gains[j] -= first[i] * (values[i, j] + shift)
    for j in range(m):
        if program.joined[n + j]:
            gains[j] = 0.0
    for _ in range(JOINING):
        j = int(np.argmax(gains[:m]))
        if gains[j] <= LEAST_GAIN:
            break
        _add_column(program, j, n)
        gains[j], found = 0.0, True
    return found


@njit(makes_arrays=False)
def _add_row(program: Program, i: Any) -> None:
    """Add row i of the game: its slack is basic, below 0 where the solution violates the row."""
    values, shift, tableau = program.values, program.shift[0], program.tableau
    rows, columns = program.size
    for c in range(columns + 1):
        tableau[rows + 1, c] = tableau[rows, c]
    for c in range(columns):
        j = program.free[c]
        tableau[rows, c] = values[i, j] + shift if j >= 0 else 0.0
    tableau[rows, columns] = 1.0 + JITTER * i
    for r in range(rows):
        j = program.basic[r]
        if j >= 0:
            factor = values[i, j] + shift
            for c in range(columns + 1):
                tableau[rows, c] -= factor * tableau[r, c]
    program.basic[rows] = -1 - i
    program.joined[i] = 1
    program.size[0] += 1


@njit(makes_arrays=False)
def _add_column(program: Program, j: Any, n: Any) -> None:
    """Add column j of a game with n rows, as a variable that is 0."""
    values, shift, tableau = program.values, program.shift[0], program.tableau
    rows, columns = program.size
    for r in range(rows + 1):
        tableau[r, columns + 1] = tableau[r, columns]
        tableau[r, columns] = 0.0
    for r in range(rows):
        i = -1 - program.basic[r]
        if i >= 0:
            tableau[r, columns] = values[i, j] + shift
    tableau[rows, columns] = -1.0 - JITTER * j
    for c in range(columns):
        i = -1 - program.free[c]
        if i >= 0:
            factor = values[i, j] + shift
            for r in range(rows + 1):
                tableau[r, columns] += factor * tableau[r, c]
    program.free[columns] = j
    program.joined[n + j] = 1
    program.size[1] += 1


@njit(makes_arrays=False)
def _primal(program: Program) -> None:
    """The primal simplex method: columns enter by Dantzig's rule until no cost is negative."""
    tableau, (rows, columns) = program.tableau, program.size
    for _ in range(50 * (rows + columns)):
        lowest, column = -TINY, -1
        for c in range(columns):
            if tableau[rows, c] < lowest:
                lowest, column = tableau[rows, c], c
        if column < 0:
            return
        least, row = np.inf, 0
        for r in range(rows):
            if tableau[r, column] > TINY:
                ratio = tableau[r, columns] / tableau[r, column]
                if ratio < least:
                    least, row = ratio, r
        _pivot(program, row, column)


@njit(makes_arrays=False)
def _dual(program: Program) -> None:
    """The dual simplex method: rows leave until no right-hand side is negative."""
    tableau, (rows, columns) = program.tableau, program.size
    for _ in range(50 * (rows + columns)):
        lowest, row = -TINY, -1
        for r in range(rows):
            if tableau[r, columns] < lowest:
                lowest, row = tableau[r, columns], r
        if row < 0:
            return
        least, column = np.inf, -1
        for c in range(columns):
            if tableau[row, c] < -TINY:
                ratio = -tableau[rows, c] / tableau[row, c]
                if ratio < least:
                    least, column = ratio, c
        if column < 0:
            return
        _pivot(program, row, column)


@njit(makes_arrays=False)
def _pivot(program: Program, row: Any, column: Any) -> None:
    """Exchange the variables of a row and a column."""
    tableau, (rows, columns) = program.tableau, program.size
    inverse = 1.0 / tableau[row, column]
    for c in range(columns + 1):
        tableau[row, c] *= inverse
    tableau[row, column] = inverse
    for r in range(rows + 1):
        factor = tableau[r, column]
        if r != row and factor != 0.0:
            for c in range(columns + 1):
                tableau[r, c] -= factor * tableau[row, c]
            tableau[r, column] = -factor * inverse
    program.basic[row], program.free[column] = program.free[column], program.basic[row]
