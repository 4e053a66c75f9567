"""Kernels of the heatmap's training: what a shooter sees of each board, epsilon-greedy shots."""

from typing import Any

import numpy as np

from trireme.core.jit import njit


@njit(nogil=True)
def known(
    board: Any, owner: Any, afloat: Any, rows: int, cols: int, touching: bool, out: Any
) -> None:
    """Write what the answers say into `out: int8[B, rows * cols]`: 0 unknown, 1 water, 2 ship.

    `board: int8[B, N]` holds the answers (0 unknown, 1 miss, 2 hit), `owner: int8[B, N]` the ship
    in a cell, and `afloat: int8[B, S]` is 0 for a sunk one. Unless ships may touch, the cells
    around a sunk ship are water; owners of other cells are never looked at.
    """
    for b in range(board.shape[0]):
        for cell in range(rows * cols):
            out[b, cell] = board[b, cell]
        if touching:
            continue
        for cell in range(rows * cols):
            if board[b, cell] != 2 or afloat[b, owner[b, cell]] != 0:
                continue
            row, col = cell // cols, cell % cols
            for r in range(max(0, row - 1), min(rows, row + 2)):
                for c in range(max(0, col - 1), min(cols, col + 2)):
                    if out[b, r * cols + c] == 0:
                        out[b, r * cols + c] = 1


@njit(nogil=True)
def planes(board: Any, owner: Any, afloat: Any, out: Any) -> None:
    """Write the planes of `network_planes` into `out: int8[B, 4 + S, N]`, which holds zeros.

    The other arrays are those of `known`; `afloat` has one of S ships in a column.
    """
    for b in range(board.shape[0]):
        for cell in range(board.shape[1]):
            if board[b, cell] == 0:
                out[b, 3, cell] = 1
            elif board[b, cell] == 1:
                out[b, 0, cell] = 1
            else:
                out[b, 1, cell] = 1
                out[b, 2, cell] = afloat[b, owner[b, cell]] == 0
        for ship in range(afloat.shape[1]):
            if afloat[b, ship] != 0:
                out[b, 4 + ship, :] = 1


@njit(nogil=True)
def explore(facts: Any, epsilon: float, states: Any, actions: Any) -> None:
    """Epsilon-greedy: replace some of `actions: int64[B]` by random unknown cells of `facts`.

    `facts: int8[B, N]` is 0 where unknown; `states: uint64[B]` are the states of xorshift64
    generators. Each action is replaced with probability `epsilon`.
    """
    cells = facts.shape[1]
    for b in range(len(actions)):
        x = states[b]
        for turn in range(2):
            x ^= x << np.uint64(13)
            x ^= x >> np.uint64(7)
            x ^= x << np.uint64(17)
            if turn == 0 and (x >> np.uint64(11)) * (1.0 / 9007199254740992.0) >= epsilon:
                break
            if turn == 1:
                left = 0
                for cell in range(cells):
                    left += facts[b, cell] == 0
                wanted = np.int64(((x >> np.uint64(32)) * np.uint64(left)) >> np.uint64(32))
                for cell in range(cells):
                    if facts[b, cell] == 0:
                        if wanted == 0:
                            actions[b] = cell
                            break
                        wanted -= 1
        states[b] = x
