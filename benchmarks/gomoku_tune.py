"""Fit the engine's pattern values to the results of its own games.

    python benchmarks/gomoku_tune.py --games 400

Quick games from random openings give quiet positions and who won from there. A logistic regression
on the difference of shape counts between the side to move and the other gives each shape's value;
they are printed as `SHAPE_VALUES` of `gomoku/engine/patterns.py`, with the value of the move and of
having a double threat at hand.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.analysis import SearchLimits
from trireme.gomoku.engine.engine import Engine

Row = NDArray[np.float64]
FLAGS = (mem.MAKES_THREE, mem.MAKES_FOUR, mem.DOUBLE_THREE, mem.FOUR_THREE)


def features(engine: Engine) -> Row | None:
    """Shape counts 1 to 8 of the mover less the other's, flags of both; None when not quiet."""
    board = engine.board
    me, other = engine.colour - 1, 2 - engine.colour
    counts = board.kind_counts
    if counts[:, mem.MAKES_FIVE].any() or counts[:, mem.MAKES_OPEN_FOUR].any():
        return None
    cells = board.points[: board.area]
    bytes_ = board.shapes[cells[board.stones[cells] == mem.EMPTY]].view(np.uint32)
    shapes = np.zeros((2, 16))
    for d in range(4):
        for c in range(2):
            shapes[c] += np.bincount((bytes_ >> (8 * d + 4 * c)) & 15, minlength=16)
    flags = [float(counts[c, kind] > 0) for c in (me, other) for kind in FLAGS]
    return np.concatenate([shapes[me, 1:8] - shapes[other, 1:8], flags, [1.0]])


def played(
    engine: Engine, rng: np.random.Generator, nodes: int
) -> tuple[list[Row], list[int], int]:
    """The quiet positions of one game, who moved in each, and who won."""
    middle = rng.integers(4, 11, 2)
    stones: list[tuple[tuple[int, int], int]] = []
    rows, movers = [], []
    while len(stones) < 225:
        colour = 1 if len(stones) % 2 == 0 else -1
        engine.set_position(stones, colour)
        taken = {p for p, _ in stones}
        if len(stones) < 4 or rng.random() < 0.04:
            spread = middle + rng.integers(-3, 4, 2)
            point = (int(spread[0]), int(spread[1]))
            if point in taken:
                continue
        else:
            row = features(engine)
            if row is not None:
                rows.append(row)
                movers.append(colour)
            found = engine.analyse(SearchLimits(nodes=nodes, threats=False), jitter=(rng, 30))
            if found.proven:
                return rows, movers, colour if found.value > 0 else -colour
            point = found.best
        stones.append((point, colour))
    return rows, movers, 0


def fitted(x: NDArray[np.float64], y: Row, penalty: float) -> Row:
    """Weights of a ridge logistic regression, by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (chance - y) + penalty * weights
        bend = (x * (chance * (1 - chance))[:, None]).T @ x + penalty * np.eye(x.shape[1])
        weights -= np.linalg.solve(bend, slope)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int, default=1500, help="a move")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, engine = np.random.default_rng(args.seed), Engine(rows=1 << 14)
    x, y = [], []
    for number in range(args.games):
        rows, movers, winner = played(engine, rng, args.nodes)
        if winner:
            x += rows
            y += [float(mover == winner) for mover in movers]
        if (number + 1) % 50 == 0:
            print(f"{number + 1} games, {len(x)} positions", flush=True)
    features_, results = np.array(x), np.array(y)
    half = len(x) // 2
    for part in (slice(None, half), slice(half, None), slice(None)):
        weights = fitted(features_[part], results[part], 1.0)
        scale = 14 / max(weights[mem.OPEN_TWO - 1], 1e-9)
        shown = np.round(weights * scale).astype(int)
        print(
            "shapes",
            [0, *shown[:7]],
            "flags me",
            shown[7:11],
            "other",
            shown[11:15],
            "tempo",
            shown[15],
        )
        chance = 1 / (1 + np.exp(-features_ @ weights))
        print(f"  scale {scale:.1f}; right side {np.mean((chance > 0.5) == (results > 0.5)):.3f}")


if __name__ == "__main__":
    main()
