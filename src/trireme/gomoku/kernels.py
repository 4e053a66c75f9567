"""Gomoku's rules on arrays: one board in place for search, thousands at once for learning.

Boards are `int8[n, n]`, 0 empty, 1 black, -1 white; batches are `int8[B, n, n]`. A batch's
`counts: int32[B]` holds the stones on each board, so its parity is the colour to move. Actions are
flat points, `row * n + col`. `exact` is true under the standard rule, where only five win. Arrays
are C-contiguous.

Indices into boards are unsigned: numba would otherwise test each of them for a negative one, which
costs a third of the speed.
"""

import numpy as np
from numpy.typing import NDArray

from trireme.core.jit import njit

Boards = NDArray[np.int8]
Counts = NDArray[np.int32]
Points = NDArray[np.int64]
Index = np.uint64

GOING_ON, WON, DRAWN, ILLEGAL = 0, 1, 2, 3
"""What a step led to; WON: the side that moved has won."""


@njit
def _run(flat: Boards, at: Index, step: Index, reach: Index, own: np.int8) -> Index:
    """How many `own` stones follow point `at` without a gap, looking `reach` points far."""
    run = np.uint64(0)
    at += step
    while run < reach and flat[at] == own:
        run += np.uint64(1)
        at += step
    return run


@njit
def _makes_five(flat: Boards, first: Index, row: Index, col: Index, n: Index, exact: bool) -> bool:
    """Whether the stone at (row, col) wins, on the board that begins at `first` in `flat`.

    Counts both ways along each of the four directions and looks at no other line, so the cost
    does not grow with the board.
    """
    one = np.uint64(1)
    down, right = n - one - row, n - one - col
    at = first + row * n + col
    own = flat[at]
    along = _run(flat, at, one, right, own) + _run(flat, at, -one, col, own)
    across = _run(flat, at, n, down, own) + _run(flat, at, -n, row, own)
    falling = _run(flat, at, n + one, min(down, right), own)
    falling += _run(flat, at, -n - one, min(row, col), own)
    rising = _run(flat, at, n - one, min(down, col), own)
    rising += _run(flat, at, one - n, min(row, right), own)
    if exact:
        return bool(along == 4 or across == 4 or falling == 4 or rising == 4)
    return bool(along >= 4 or across >= 4 or falling >= 4 or rising >= 4)


@njit
def wins(board: Boards, row: int, col: int, exact: bool) -> bool:
    """Whether the stone at (row, col) of `board: int8[n, n]` stands in a line that wins."""
    flat = board.reshape(board.size)
    n = np.uint64(board.shape[0])
    return bool(_makes_five(flat, np.uint64(0), np.uint64(row), np.uint64(col), n, exact))


@njit
def place(board: Boards, row: int, col: int, colour: int, exact: bool) -> bool:
    """Put a stone of `colour` on an empty point of `board: int8[n, n]`; true when it wins."""
    board[row, col] = colour
    return bool(wins(board, row, col, exact))


@njit
def take_back(board: Boards, row: int, col: int) -> None:
    """Take the stone at (row, col) off `board: int8[n, n]` again."""
    board[row, col] = 0


@njit
def _place_next(
    flat: Boards, first: Index, row: Index, col: Index, n: Index, count: int, exact: bool
) -> int:
    """Put the next stone of the game that begins at `first`; the result."""
    flat[first + row * n + col] = 1 - 2 * (count & 1)
    if _makes_five(flat, first, row, col, n, exact):
        return WON
    if count + 1 == n * n:
        return DRAWN
    return GOING_ON


@njit
def _empty(flat: Boards, first: Index, area: Index) -> None:
    for i in range(area):
        flat[first + np.uint64(i)] = 0


@njit
def step(
    boards: Boards, counts: Counts, actions: Points, results: Boards, exact: bool, reset: bool
) -> None:
    """Play `actions: int64[B]`, one on each of `boards: int8[B, n, n]`, in place.

    Writes what each led to into `results: int8[B]`. An action on a taken point or off the board
    changes nothing and gives ILLEGAL. With `reset`, boards whose game has ended are emptied.
    """
    n = np.uint64(boards.shape[1])
    area = n * n
    flat = boards.reshape(boards.size)
    for b in range(boards.shape[0]):
        first = np.uint64(b) * area
        action = np.uint64(actions[b])  # a negative one becomes huge
        if action >= area or flat[first + action] != 0:
            results[b] = ILLEGAL
            continue
        result = _place_next(flat, first, action // n, action % n, n, counts[b], exact)
        results[b] = result
        counts[b] += 1
        if reset and result != GOING_ON:
            _empty(flat, first, area)
            counts[b] = 0


@njit
def random_step(
    boards: Boards,
    counts: Counts,
    streams: NDArray[np.uint64],
    actions: Points,
    results: Boards,
    exact: bool,
) -> None:
    """Play one random legal move on each of `boards: int8[B, n, n]`, emptying ended ones.

    `streams: uint64[B]` are the games' random states (xorshift64*), none of them 0; the moves made
    are written to `actions: int64[B]` and what they led to into `results: int8[B]`. Every empty
    point is equally likely: points are drawn until one is empty.
    """
    n = np.uint64(boards.shape[1])
    half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
    flat = boards.reshape(boards.size)
    for b in range(boards.shape[0]):
        first = np.uint64(b) * n * n
        x = streams[b]
        while True:
            x ^= x << np.uint64(13)
            x ^= x >> np.uint64(7)
            x ^= x << np.uint64(17)
            mixed = x * np.uint64(0x2545F4914F6CDD1D)
            row = ((mixed >> half) * n) >> half
            col = ((mixed & low) * n) >> half
            if flat[first + row * n + col] == 0:
                break
        streams[b] = x
        actions[b] = np.int64(row * n + col)
        result = _place_next(flat, first, row, col, n, counts[b], exact)
        results[b] = result
        counts[b] += 1
        if result != GOING_ON:
            _empty(flat, first, n * n)
            counts[b] = 0


@njit
def masks(boards: Boards, out: NDArray[np.bool_]) -> None:
    """Write the legal actions of `boards: int8[B, n, n]` into `out: bool[B, n * n]`."""
    area = boards.shape[1] * boards.shape[2]
    flat = boards.reshape(boards.shape[0], area)
    for b in range(boards.shape[0]):
        for a in range(area):
            out[b, a] = flat[b, a] == 0


@njit
def perft(board: Boards, count: int, depth: int, exact: bool, tally: Points) -> None:
    """Walk every game of `depth` more moves from `board: int8[n, n]` with `count` stones.

    Adds to `tally: int64[3]`: games still going on after `depth` moves, games won, games drawn by
    then. The board is given back as it came.
    """
    if depth == 0:
        tally[GOING_ON] += 1
        return
    n = board.shape[0]
    for row in range(n):
        for col in range(n):
            if board[row, col] != 0:
                continue
            if place(board, row, col, 1 - 2 * (count & 1), exact):
                tally[WON] += 1
            elif count + 1 == n * n:
                tally[DRAWN] += 1
            else:
                perft(board, count + 1, depth - 1, exact, tally)
            take_back(board, row, col)


@njit
def planes(boards: Boards, counts: Counts, lasts: Points, out: Boards) -> None:
    """Write `boards: int8[B, n, n]` as the side to move sees them into `out: int8[B, 4, n, n]`.

    The planes: own stones, the opponent's, all 1 when black is to move, the last stone. `lasts:
    int64[B]` are the flat points of the last stones, negative where there is none.
    """
    area = boards.shape[1] * boards.shape[2]
    flat = boards.reshape(boards.shape[0], area)
    seen = out.reshape(boards.shape[0], 4, area)
    for b in range(boards.shape[0]):
        board, mine, theirs = flat[b], seen[b, 0], seen[b, 1]
        own = np.int8(1 - 2 * (counts[b] & 1))
        other = np.int8(-own)
        for a in range(area):
            mine[a] = np.int8(board[a] == own)
        for a in range(area):
            theirs[a] = np.int8(board[a] == other)
        seen[b, 2] = 1 - (counts[b] & 1)
        seen[b, 3] = 0
        if lasts[b] >= 0:
            seen[b, 3, lasts[b]] = 1
