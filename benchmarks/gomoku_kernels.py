"""Steps per CPU-second of Gomoku on one core: batched kernels beside the plain Python rules.

Both play random legal moves on 15×15 with exactly-five detection and start again when a game ends.
"""

import argparse
import time

import numpy as np

from trireme.gomoku import kernels
from trireme.gomoku.rules import Gomoku


def kernel_speed(batch: int, seconds: float) -> float:
    """Steps per CPU-second of `random_step` over a batch of boards."""
    boards, counts = np.zeros((batch, 15, 15), np.int8), np.zeros(batch, np.int32)
    streams = np.random.default_rng(1).integers(1, 2**63, batch, dtype=np.uint64)
    actions, results = np.zeros(batch, np.int64), np.zeros(batch, np.int8)
    for _ in range(200):  # past the first moves, where every game is young
        kernels.random_step(boards, counts, streams, actions, results, True)
    steps, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        for _ in range(50):
            kernels.random_step(boards, counts, streams, actions, results, True)
        steps += 50 * batch
    return steps / (time.process_time() - began)


def plain_speed(seconds: float) -> float:
    """Steps per CPU-second of the plain rules."""
    game, rng = Gomoku(), np.random.default_rng(1)
    state, steps, began = game.start(), 0, time.process_time()
    while time.process_time() - began < seconds:
        to_move = game.to_move(state)
        if not to_move:
            state = game.start()
            continue
        state = game.apply(state, {to_move[0]: game.legal(state, to_move[0]).sample(rng)})
        steps += 1
    return steps / (time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU seconds for each")
    args = parser.parse_args()
    fast, plain = kernel_speed(args.batch, args.seconds), plain_speed(args.seconds)
    print(f"kernels, batch {args.batch}: {fast / 1e6:8.2f} M steps per CPU-second")
    print(f"plain rules:          {plain / 1e6:8.4f} M steps per CPU-second")
    print(f"ratio:                {fast / plain:8.0f}")


if __name__ == "__main__":
    main()
