"""Table networks with random weights, and a plain twin of what the engine computes with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trireme.gomoku.engine.line_windows import line_windows
from trireme.gomoku.engine.shape_tables import grade_table, kind_table
from trireme.gomoku.engine.table_network import SHAPES

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def random_weights(seed: int = 1, width: int = 8) -> dict[str, NDArray[np.float32]]:
    """Weights of every array that a network's file has."""
    rng = np.random.default_rng(seed)
    shapes = {n: [width if s == "width" else int(s) for s in shape] for n, shape in SHAPES.items()}
    weights = {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    return weights | {"points_per_logit": np.array(300, np.float32)}


def write_network(path: Path, **changes: Any) -> Path:
    arrays = {**random_weights(), "rule": np.array("standard"), **changes}
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
    return path


def plain_features(board: NDArray[np.int8], table: NDArray[Any]) -> NDArray[np.float64]:
    """float[n, n, F]: the clamped sum of the rows of a point's four windows, one by one."""
    n = len(board)
    features = np.zeros((n, n, table.shape[1]))
    for row in range(n):
        for col in range(n):
            for down, right in DIRECTIONS:
                key = _key(board, row, col, down, right)
                middle = int(board[row, col]) % 3  # 1 black, 2 white
                features[row, col] += table[line_windows().row_of_line[middle << 20 | key]]
    return np.clip(features, 0, 2)


def _key(board: NDArray[np.int8], row: int, col: int, down: int, right: int) -> int:
    key = 0
    for place, offset in enumerate((-5, -4, -3, -2, -1, 1, 2, 3, 4, 5)):
        r, c = row + offset * down, col + offset * right
        inside = 0 <= r < len(board) and 0 <= c < len(board)
        key |= (int(board[r, c]) % 3 if inside else 3) << (2 * place)
    return key


def plain_kinds(board: NDArray[np.int8], exact: bool = True) -> NDArray[np.int64]:
    """int[2, n, n]: the kind of a black and of a white move at each point; 0 on stones."""
    n = len(board)
    kinds = np.zeros((2, n, n), np.int64)
    for row, col in np.argwhere(board == 0):
        sets = [0, 0]
        for d, (down, right) in enumerate(DIRECTIONS):
            both = int(grade_table(exact)[_key(board, row, col, down, right)])
            sets[0] |= (both & 15) << (4 * d)
            sets[1] |= (both >> 4) << (4 * d)
        kinds[:, row, col] = kind_table()[sets]
    return kinds


def plain_logit(weights: dict[str, Any], table: NDArray[Any], board: Any, to_move: int) -> float:
    """The value's logit for black (1) or white (-1) to move, from scratch."""
    pooled = plain_features(board, table).mean((0, 1)) * 4
    kinds = plain_kinds(board)
    if to_move == -1:
        pooled, kinds = np.roll(pooled, len(pooled) // 2), kinds[::-1]
    hidden = weights["value1_weight"] @ pooled + weights["value1_bias"]
    for side in range(2):
        for i in range(6):
            hidden = hidden + weights["threats"][side, i, min((kinds[side] == i + 2).sum(), 3)]
    hidden = weights["value2_weight"] @ np.maximum(hidden, 0) + weights["value2_bias"]
    return float(weights["value3_weight"][0] @ np.maximum(hidden, 0) + weights["value3_bias"][0])


def plain_policy(
    weights: dict[str, Any], table: NDArray[Any], board: Any, to_move: int
) -> NDArray[np.float64]:
    """float[n, n]: the policy logits."""
    features, kinds = plain_features(board, table), plain_kinds(board)
    if to_move == -1:
        features, kinds = np.roll(features, features.shape[2] // 2, 2), kinds[::-1]
    return np.asarray(
        features @ weights["policy_features"] + weights["policy_kinds"][kinds[0], kinds[1]]
    )
