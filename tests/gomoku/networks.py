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
    weights["value_regions"] *= np.float32(0.02)  # nine regions are summed up
    weights["policy_context"] *= np.float32(0.02)
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
    hidden = np.maximum(_first_layer(weights, table, board, to_move), 0)
    hidden = weights["value2_weight"] @ hidden + weights["value2_bias"]
    return float(weights["value3_weight"][0] @ np.maximum(hidden, 0) + weights["value3_bias"][0])


def plain_regions(size: int) -> list[slice]:
    """The rows, or columns, of the three regions of a side."""
    third = size // 3
    return [slice(0, third), slice(third, size - third), slice(size - third, size)]


def _first_layer(
    weights: dict[str, Any], table: NDArray[Any], board: Any, to_move: int
) -> NDArray[np.float64]:
    """float[32]: the first layer of the value head, before its ReLU."""
    features, kinds = plain_features(board, table), plain_kinds(board)
    if to_move == -1:
        features, kinds = np.roll(features, features.shape[2] // 2, 2), kinds[::-1]
    pooled = features.mean((0, 1)) * 4
    hidden = weights["value1_weight"] @ pooled + weights["value1_bias"]
    size = len(board)
    for i, rows in enumerate(plain_regions(size)):
        for j, columns in enumerate(plain_regions(size)):
            region = features[rows, columns].sum((0, 1)) * 4 * 9 / size**2
            bias = weights["region_bias"][(i == 1) + (j == 1)]
            said = np.maximum(weights["region_weight"] @ region + bias, 0)
            hidden = hidden + weights["value_regions"] @ said
    for side in range(2):
        for i in range(6):
            hidden = hidden + weights["threats"][side, i, min((kinds[side] == i + 2).sum(), 3)]
    return np.asarray(hidden)


def plain_policy(
    weights: dict[str, Any],
    table: NDArray[Any],
    board: Any,
    to_move: int,
    recent: list[tuple[int, int]],
) -> NDArray[np.float64]:
    """float[n, n]: the policy logits; `recent` are the last stones, the newest first."""
    context = np.maximum(_first_layer(weights, table, board, to_move), 0)
    features, kinds = plain_features(board, table), plain_kinds(board)
    if to_move == -1:
        features, kinds = np.roll(features, features.shape[2] // 2, 2), kinds[::-1]
    logits = features @ (weights["policy_features"] + weights["policy_context"] @ context)
    logits = logits + weights["policy_kinds"][kinds[0], kinds[1]]
    for place, (row, col) in enumerate(recent):
        for at in np.ndindex(logits.shape):
            near = sorted((abs(at[0] - row), abs(at[1] - col)))
            logits[at] += weights["policy_recent"][place, near[0], near[1]]
    return np.asarray(logits)
