"""Many episodes of agents of Battleship, every shot checked: none may be illegal.

python benchmarks/battleship_episodes.py --jobs 4
python benchmarks/battleship_episodes.py --env --episodes 10000 --agents all

With `--env` the agents see what `gymnasium.make` shows, over ten board sizes and fleets. Agent
specs with options are separated by semicolons; `all` is every agent, slow ones with the cheap
options of `CHEAP`.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import gymnasium
import numpy as np

import trireme.envs  # noqa: F401 - registers the environment
from trireme import make_agent
from trireme.battleship.agents.shooting_agent import ShootingAgent, TargetView
from trireme.battleship.batch import fleet_of, layouts
from trireme.battleship.fleets import check_fleet, ship_at
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Shot
from trireme.core.registry import agents_of

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


CHEAP = {
    "hybrid": "hybrid:samples=3,network=false",
    "posterior": "posterior:limit=1000,samples=30",
    "mcts": "mcts:simulations=8,fleets=10,limit=1000,samples=30",
    "lookahead": "lookahead:fleets=20,limit=1000,search=500,samples=30",
    "montecarlo": "montecarlo:playouts=2,depth=2",
}
"""Options with which agents take 20 to 70 ms an episode; others take that long without, but for
heatmap with half a second."""
BOARDS: tuple[dict[str, Any], ...] = (
    {"board_size": (10, 10)},
    {"board_size": (8, 8)},
    {"board_size": (5, 5)},
    {"board_size": (12, 12)},
    {"board_size": (6, 11), "fleet": (4, 3, 2, 2)},
    {"board_size": (7, 7), "fleet": (3, 3, 3)},
    {"board_size": (9, 6), "fleet": (3, 2, 1, 1)},
    {"board_size": (10, 10), "touching": True},
    {"board_size": (8, 8), "fleet": (2,) * 6, "touching": True, "flat": True},
    {"board_size": (11, 9), "placement": "uniform"},
)
"""The boards and fleets of `--env`."""


def env_episodes(job: tuple[str, int, int]) -> tuple[str, int, int, list[str]]:
    """Play some episodes through `gymnasium.make`, the agent told nothing but observations.

    Returns the agent, how many, all their shots, and the errors: exceptions, and shots at cells
    that were not open.
    """
    spec, number, count = job
    env = gymnasium.make("trireme/Battleship-v0", **BOARDS[number % len(BOARDS)])
    agent: Any = make_agent("battleship", spec)
    total, errors = 0, []
    for seed in range(SEED + number * CHUNK, SEED + number * CHUNK + count):
        try:
            observation, info = env.reset(seed=seed)
            agent.reset(seed)
            over = False
            while not over:
                action = agent.select_action(observation)
                if not info["action_mask"][action]:
                    raise ValueError(f"{action} is not open")
                observation, _, over, _, info = env.step(action)
            total += info["move_count"]
        except Exception as error:
            errors.append(f"{BOARDS[number % len(BOARDS)]}, seed {seed}: {error!r}")
    return spec, count, total, errors


def through_gymnasium(spec: str, count: int, jobs: int) -> int:
    """Play `count` episodes spread over the boards, and report; returns how many failed."""
    started = time.perf_counter()
    chunk = max(1, min(CHUNK, count // len(BOARDS)))
    sizes = [chunk] * (count // chunk) + [count % chunk]
    work = [(spec, number, size) for number, size in enumerate(sizes) if size]
    if jobs == 1:
        done = list(map(env_episodes, work))
    else:
        with ProcessPoolExecutor(jobs) as pool:
            done = list(pool.map(env_episodes, work))
    errors = [error for d in done for error in d[3]]
    played, total = sum(d[1] for d in done), sum(d[2] for d in done)
    print(
        f"{spec:<24} {played:,} episodes on {len(BOARDS)} boards, {len(errors)} errors, "
        f"mean {total / max(1, played - len(errors)):.2f} shots, "
        f"{time.perf_counter() - started:.0f} s",
        flush=True,
    )
    for error in errors[:5]:
        print(f"  {error}", flush=True)
    return len(errors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--agents", default="hunt,density,density+", help="agent specs, or all")
    parser.add_argument("--episodes", type=int, default=100_000, help="episodes of each agent")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--env",
        action="store_true",
        help="play through gymnasium.make over ten board sizes and fleets, and count errors",
    )
    args = parser.parse_args()

    if args.env:
        if args.agents == "all":
            specs = [CHEAP.get(a, a) for a in agents_of("battleship") if a != "process"]
        else:
            specs = args.agents.split(";" if ";" in args.agents else ",")
        raise SystemExit(min(1, sum(through_gymnasium(s, args.episodes, args.jobs) for s in specs)))
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
