"""Raw speed of Battleship's kernels beside the plain Python rules, on one core, in one run.

Random legal play with auto-reset on a batch of boards, and fleets placed, per CPU-second.

    python benchmarks/battleship_kernels.py
"""

import argparse
import json
import time
from collections.abc import Callable

import numpy as np

from trireme.battleship import kernels
from trireme.battleship.batch import BattleshipBatch, seeds, ships_of
from trireme.battleship.rules import Battleship
from trireme.core.game import CHANCE


def rate(work: Callable[[], int], repeats: int) -> float:
    """The best of `repeats`: units of work per CPU-second."""
    best = 0.0
    for _ in range(repeats):
        started = time.process_time()
        done = work()
        best = max(best, done / (time.process_time() - started))
    return best


def plain_play(game: Battleship, steps: int) -> int:
    rng = np.random.default_rng(0)
    state = game.start()
    for _ in range(steps):
        if game.to_move(state) == (CHANCE,):
            state = game.apply(state, {CHANCE: game.draw(state, rng)})
        state = game.apply(state, {0: game.legal(state, 0).sample(rng)})
        if not game.to_move(state):
            state = game.start()
    return steps


def plain_placing(game: Battleship, fleets: int) -> int:
    rng = np.random.default_rng(0)
    for _ in range(fleets):
        game.draw(game.start(), rng)
    return fleets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--boards", type=int, default=4096, help="boards stepped together")
    parser.add_argument("--steps", type=int, default=1000, help="rounds of play in one measurement")
    parser.add_argument("--repeats", type=int, default=3, help="measurements; the best counts")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()

    game = Battleship()
    batch = BattleshipBatch(game, args.boards, seed=1)
    ships = ships_of(game.boards[0])
    out = np.empty((args.boards, len(ships.kinds)), np.int16)
    states = seeds(2, args.boards)
    rounds = max(1, 2_000_000 // args.boards)

    def kernel_play() -> int:
        batch.random_play(args.steps, seed=3)
        return args.steps * args.boards

    def kernel_placing() -> int:
        for _ in range(rounds):
            kernels.place_batch(states, ships, out)
        return rounds * args.boards

    batch.random_play(2, seed=3)
    kernels.place_batch(states, ships, out)
    rows = {
        "steps per CPU-second": (
            rate(kernel_play, args.repeats),
            rate(lambda: plain_play(game, 3_000), args.repeats),
        ),
        "placements per CPU-second": (
            rate(kernel_placing, args.repeats),
            rate(lambda: plain_placing(game, 1_000), args.repeats),
        ),
    }
    if args.json:
        named = {k: {"kernel": a, "plain": b, "ratio": a / b} for k, (a, b) in rows.items()}
        print(json.dumps(named, indent=2))
        return
    print(f"Battleship 10×10, {args.boards} boards, one core")
    for name, (fast, slow) in rows.items():
        print(f"{name:<26} kernel {fast:>13,.0f}   plain {slow:>9,.0f}   ratio {fast / slow:,.0f}")


if __name__ == "__main__":
    main()
