"""Many episodes of the fast agents of Battleship, every shot checked: none may be illegal.

python benchmarks/battleship_episodes.py --jobs 4
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from trireme import make_agent
from trireme.battleship.agents.shooting_agent import ShootingAgent, TargetView
from trireme.battleship.batch import fleet_of, layouts
from trireme.battleship.fleets import check_fleet, ship_at
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Shot

SEED = 9_000
CHUNK = 500


def episodes(job: tuple[str, int, int]) -> tuple[str, int, int]:
    """Play some episodes; returns the agent, how many, and all their shots."""
    spec, number, count = job
    board = Battleship().boards[0]
    agent = make_agent("battleship", spec)
    assert isinstance(agent, ShootingAgent)
    rng = np.random.default_rng(number)
    total = 0
    for layout in layouts(Battleship(), count, SEED + number):
        fleet = fleet_of(board, layout)
        check_fleet(board, fleet, 0)
        at, left, shots = ship_at(fleet), list(board.sizes), list[Shot]()
        fired: set[tuple[int, int]] = set()
        while any(left):
            cell = divmod(int(agent.aim(TargetView(board, tuple(shots)), rng)[0]), board.cols)
            if cell in fired or not board.holds(cell):
                raise SystemExit(f"{spec} fired illegally at {cell} after {shots}")
            fired.add(cell)
            ship = at.get(cell)
            if ship is None:
                shots.append(Shot(cell, "miss"))
                continue
            left[ship] -= 1
            sunk = left[ship] == 0
            shots.append(Shot(cell, "sunk", board.names[ship]) if sunk else Shot(cell, "hit"))
        total += len(shots)
    return spec, count, total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--agents", default="hunt,density,density+", help="agent specs")
    parser.add_argument("--episodes", type=int, default=100_000, help="episodes of each agent")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    args = parser.parse_args()

    for spec in args.agents.split(","):
        started = time.perf_counter()
        sizes = [CHUNK] * (args.episodes // CHUNK) + [args.episodes % CHUNK]
        work = [(spec, number, size) for number, size in enumerate(sizes) if size]
        with ProcessPoolExecutor(args.jobs) as pool:
            done = list(pool.map(episodes, work))
        count, total = sum(d[1] for d in done), sum(d[2] for d in done)
        took = time.perf_counter() - started
        print(
            f"{spec:<12} {count:,} episodes, {total:,} shots, none illegal, "
            f"mean {total / count:.3f}, {took:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
