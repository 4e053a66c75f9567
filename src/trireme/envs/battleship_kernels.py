"""Kernels of Battleship's vector environment beyond the rules: rewards, time limit, ships afloat.

Shapes: B boards, S ships, F entries of `remaining` (S or more). The environment keeps of every
board `steps: int32[B]`, taken in this episode, invalid ones included; `remaining: int8[B, F]`, the
sizes of the ships afloat, largest first, then zeros; `ships: int8[B]`, how many they are. Other
arrays are those of the rules' kernels.
"""

from typing import Any

import numpy as np

from trireme.battleship.kernels import CHOSEN, CHOSEN_CELL, INVALID, MISS, fire
from trireme.core.jit import njit

from .outcome_kernels import NOTHING

RANK = (0, 2, 3, 4, -1, 1)
"""How high each outcome of a shot ranks: the highest one stands for a salvo."""


@njit
def begin(
    which: Any, sizes: Any, outcome: Any, sunk: Any, steps: Any, remaining: Any, ships: Any
) -> None:
    """New episodes on the boards where `which: bool[B]` is set; `sizes: uint64[S]`."""
    for b in range(which.shape[0]):
        if which[b]:
            outcome[b] = NOTHING
            sunk[b] = -1
            steps[b] = 0
            ships[b] = sizes.shape[0]
            for s in range(sizes.shape[0]):
                remaining[b, s] = sizes[s]


@njit
def score_step(
    resetting: Any,
    outcome: Any,
    sunk: Any,
    afloat: Any,
    reward_table: Any,
    won: int,
    limit: int,
    steps: Any,
    remaining: Any,
    ships: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
) -> bool:
    """Turn the outcomes of one step into rewards, terminations and truncations.

    `reward_table: float64[...]` is the reward of each outcome, `won` the outcome that ends a game,
    `limit` the steps of an episode; where `resetting: bool[B]` is set nothing counts. Out:
    `rewards: float64[B]`, `terminated`, `truncated: bool[B]`. Returns whether any episode ended.
    """
    any_ended = False
    for b in range(outcome.shape[0]):
        counts = not resetting[b]
        steps[b] += 1
        over = counts and outcome[b] == won
        late = counts and not over and steps[b] >= limit
        rewards[b] = reward_table[outcome[b]] if counts else 0.0
        terminated[b] = over
        truncated[b] = late
        any_ended |= over | late
        if sunk[b] >= 0:
            left = 0
            for s in range(afloat.shape[1]):
                if afloat[b, s] > 0:
                    remaining[b, left] = afloat[b, s]
                    left += 1
            for s in range(left, ships[b]):
                remaining[b, s] = np.int8(0)
            ships[b] = left
    return any_ended


@njit
def choose_batch(
    actions: Any, seas: Any, ships: Any, chosen: Any, open_cells: Any, reward_table: Any,
    gains: Any, sizes: Any, cols: int, sunk_cells: Any,
) -> None:  # fmt: skip
    """Choose a cell of a salvo on every board, and fire the salvos that are complete.

    `actions: int64[B]`; `chosen: int16[B]` counts the cells chosen, `open_cells: int16[B]` those
    neither fired at nor chosen. `seas.outcome` becomes CHOSEN, or of a complete salvo its best
    outcome, `seas.sunk` the largest ship that it sank. Out: `gains: float64[B]`, the rewards summed
    over the shots; `sunk_cells: int8[B, N]`, 1 where `mark_sunk` sets it. `sizes: uint64[S]`.
    """
    for b in range(np.uint64(len(actions))):
        cell = np.uint64(actions[b])
        seas.sunk[b] = -1
        gains[b] = 0.0
        if cell >= np.uint64(seas.board.shape[1]) or seas.board[b, cell] != 0:
            seas.outcome[b] = INVALID
            gains[b] = reward_table[INVALID]
            continue
        seas.board[b, cell] = CHOSEN_CELL
        chosen[b] += 1
        open_cells[b] -= 1
        seas.outcome[b] = CHOSEN
        if chosen[b] == ships[b] or open_cells[b] == 0:
            fire_salvo(b, seas, reward_table, gains, sizes, cols, sunk_cells)
            chosen[b] = 0


@njit
def fire_salvo(
    b: Any, seas: Any, reward_table: Any, gains: Any, sizes: Any, cols: int, sunk_cells: Any
) -> None:
    """Fire at all chosen cells of board `b`, from the top left on."""
    best, sunk = MISS, -1
    for cell in range(np.uint64(seas.board.shape[1])):
        if seas.board[b, cell] == CHOSEN_CELL:
            seas.board[b, cell] = 0
            outcome = fire(b, cell, seas)
            gains[b] += reward_table[outcome]
            if RANK[outcome] > RANK[best]:
                best = outcome
            if seas.sunk[b] >= 0:
                mark_sunk(b, cell, sizes[seas.sunk[b]], seas.board, cols, sunk_cells)
            if seas.sunk[b] >= 0 and (sunk < 0 or seas.sunk[b] < sunk):
                sunk = seas.sunk[b]
    seas.outcome[b] = best
    seas.sunk[b] = sunk


@njit
def reach(b: Any, cell: Any, room: Any, step: Any, size: Any, board: Any) -> Any:
    """How many hits of board `b` lie next to `cell` in a row, `step` apart, within `room` cells."""
    found = np.int64(0)
    while found < room and found < size - 1 and board[b, cell + (found + 1) * step] == 2:
        found += 1
    return found


@njit
def mark_sunk(b: Any, at: Any, size: Any, board: Any, cols: int, sunk_cells: Any) -> None:
    """Mark the cells that are sure to belong to a ship of `size` whose last hit was `at`.

    `board: int8[B, N]` is 2 on hits. It is the kernel of `battleship_planes.sunk_cells_at`.
    """
    cell, length = np.int64(at), np.int64(size)
    row, col, rows = cell // cols, cell % cols, board.shape[1] // cols
    left = reach(b, cell, col, -1, length, board)
    right = reach(b, cell, cols - 1 - col, 1, length, board)
    up = reach(b, cell, row, -cols, length, board)
    down = reach(b, cell, rows - 1 - row, cols, length, board)
    across, along = left + right + 1 - length, up + down + 1 - length
    sunk_cells[b, cell] = 1
    if across >= 0 and along < 0:
        for i in range(min(0, across - left), max(0, right - across) + 1):
            sunk_cells[b, cell + i] = 1
    elif along >= 0 and across < 0:
        for i in range(min(0, along - up), max(0, down - along) + 1):
            sunk_cells[b, cell + i * cols] = 1


@njit
def mark_sunk_batch(
    actions: Any, sunk: Any, sizes: Any, board: Any, cols: int, sunk_cells: Any
) -> None:
    """`mark_sunk` on the boards where the last shot sank a ship, `sunk: int8[B]`."""
    for b in range(len(actions)):
        if sunk[b] >= 0:
            mark_sunk(b, actions[b], sizes[sunk[b]], board, cols, sunk_cells)


@njit
def write_planes(board: Any, sunk_cells: Any, afloat: Any, chosen: bool, out: Any) -> None:
    """Write `out: int8[B, 4 + S (+ 1), N]`, the planes that `battleship_planes` describes.

    `afloat: int8[B, S]` is 0 for a sunk ship; `chosen`: whether there is a plane of chosen cells.
    """
    ships = afloat.shape[1]
    for b in range(board.shape[0]):
        for c in range(board.shape[1]):
            seen = board[b, c]
            out[b, 0, c] = seen == 1
            out[b, 1, c] = seen == 2
            out[b, 2, c] = sunk_cells[b, c]
            out[b, 3, c] = seen == 0 or seen == CHOSEN_CELL
        for s in range(ships):
            out[b, 4 + s, :] = afloat[b, s] > 0
        if chosen:
            for c in range(board.shape[1]):
                out[b, 4 + ships, c] = board[b, c] == CHOSEN_CELL
