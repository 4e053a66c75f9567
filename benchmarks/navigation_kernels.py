"""How many joint four-phase turns one core plays in a second: the kernels beside the plain rules.

Random legal plans for both seats on the default map, finished games begun again; drawing the
plans counts. Times are CPU times.
"""

import argparse
import time

import numpy as np

from trireme.navigation.batch import NavigationBatch
from trireme.navigation.kernels import random_turns
from trireme.navigation.rules import Navigation


def kernel_rate(game: Navigation, size: int, seconds: float) -> float:
    """Joint turns a CPU-second in the batched kernel."""
    batch = NavigationBatch(game, size)
    plans = np.zeros((size, 2, game.phases), np.uint8)
    random = np.arange(size, dtype=np.uint64)

    def run(count: int) -> None:
        random_turns(
            batch.seas,
            batch.spawns,
            batch.stats,
            batch.rules,
            batch.ways,
            batch.charts,
            batch.ships,
            batch.turns,
            plans,
            batch.outcomes,
            random,
            count,
        )

    run(1)
    count, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        run(20)
        count += 20
    return count * size / (time.process_time() - start)


def plain_rate(game: Navigation, seconds: float) -> float:
    """Joint turns a CPU-second in the plain rules."""
    rng = np.random.default_rng(0)
    state, count, start = game.start(), 0, time.process_time()
    while time.process_time() - start < seconds:
        plans = {seat: game.legal(state, seat).sample(rng) for seat in (0, 1)}
        state = game.apply(state, plans)
        count += 1
        if not game.to_move(state):
            state = game.start()
    return count / (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    for name, game in (
        ("default", Navigation()),
        ("advance, ammo 4, ram 1", Navigation(turns="advance", ammo_per_turn=4, ram_damage=1)),
    ):
        fast = kernel_rate(game, options.batch, options.seconds)
        slow = plain_rate(game, options.seconds)
        print(
            f"{name}: kernel {fast / 1e6:.2f} M joint turns/s, plain rules {slow:,.0f}/s, "
            f"{fast / slow:,.0f}×"
        )


if __name__ == "__main__":
    main()
