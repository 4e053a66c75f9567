"""How many shots each agent of Battleship needs, alone, on the same fixed boards.

Prints mean shots with a 95 % interval, and the CPU time of a move (mean, 95th percentile, most).
With --against, also how many shots more or fewer than another agent each needs on the same boards.
With --results, finished boards are kept in a file, and an interrupted run goes on where it stopped;
take a new file after a change to an agent.

    python benchmarks/battleship_shots.py
    python benchmarks/battleship_shots.py --agents posterior,lookahead --boards 1000 --jobs 2
    python benchmarks/battleship_shots.py --agents posterior,mcts --against posterior
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from trireme import CHANCE, Turn, make_agent
from trireme.battleship.batch import fleet_of, layouts
from trireme.battleship.rules import Battleship
from trireme.core.intervals import mean_half_width
from trireme.core.registry import find
from trireme.core.seeding import stream

BOARDS_SEED = 20_260_716
"""The seed of the fixed boards: none of them was looked at while the agents were made."""
CHUNK = 20


@cache
def boards(number: int) -> Any:
    return layouts(Battleship(), number, BOARDS_SEED)


@cache
def prepared(spec: str) -> Any:
    agent = make_agent("battleship", spec)
    if hasattr(agent, "prepare"):
        agent.prepare(Battleship())
    return agent


def hunt(spec: str, board: int, number: int) -> tuple[int, list[float]]:
    """The shots that the agent needs on one board, and the seconds that each took it."""
    game, agent = Battleship(), prepared(spec)
    fleet = fleet_of(game.boards[0], boards(number)[board])
    state = game.apply(game.start(), {CHANCE: fleet})
    rng = stream(board, 0)
    took = []
    while game.to_move(state):
        turn = Turn(game, 0, game.view(state, 0), game.legal(state, 0), rng)
        started = time.process_time()
        action = agent.act(turn)
        took.append(time.process_time() - started)
        game.check(state, 0, action)
        state = game.apply(state, {0: action})
    return len(took), took


def chunk(job: tuple[str, list[int], int]) -> dict[str, Any]:
    """One line of results: some boards of one agent."""
    spec, indices, number = job
    done = [hunt(spec, board, number) for board in indices]
    seconds = [round(s, 7) for _, took in done for s in took]
    return {
        "agent": spec,
        "boards": indices,
        "shots": [shots for shots, _ in done],
        "seconds": seconds,
    }


def jobs_left(agents: list[str], number: int, lines: list[dict[str, Any]]) -> Iterator[Any]:
    for spec in agents:
        finished = {b for line in lines if line["agent"] == spec for b in line["boards"]}
        left = [board for board in range(number) if board not in finished]
        for start in range(0, len(left), CHUNK):
            yield spec, left[start : start + CHUNK], number


def shots_by_board(spec: str, number: int, lines: Iterable[dict[str, Any]]) -> dict[int, int]:
    """The agent's shots on those of the first `number` boards that are done."""
    own = (line for line in lines if line["agent"] == spec)
    pairs = (pair for line in own for pair in zip(line["boards"], line["shots"], strict=True))
    return {board: shots for board, shots in pairs if board < number}


def paired(
    spec: str, against: str, number: int, lines: list[dict[str, Any]]
) -> dict[str, int | float | str]:
    """How many shots more the agent needs than the other one, on the boards that both did."""
    ours, theirs = (shots_by_board(name, number, lines) for name in (spec, against))
    apart = np.array([ours[board] - theirs[board] for board in ours.keys() & theirs.keys()])
    return {
        "against": against,
        "both": len(apart),
        "more": float(apart.mean()) if len(apart) else 0.0,
        "more_interval": mean_half_width(apart) if len(apart) > 1 else float("inf"),
    }


def table(agents: list[str], number: int, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row an agent, over those of the first `number` boards that are done."""
    rows = []
    for spec in agents:
        own = [line for line in lines if line["agent"] == spec]
        shots = np.array(list(shots_by_board(spec, number, lines).values()))
        if not len(shots):
            continue
        seconds = np.array([s for line in own for s in line["seconds"]]) * 1000
        rows.append(
            {
                "agent": spec,
                "boards": len(shots),
                "mean": float(shots.mean()),
                "interval": mean_half_width(shots),
                "median": float(np.median(shots)),
                "worst": int(shots.max()),
                "ms_mean": float(seconds.mean()),
                "ms_p95": float(np.percentile(seconds, 95)),
                "ms_max": float(seconds.max()),
            }
        )
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    print(f"{'agent':<28}{'boards':>7}{'mean shots':>17}{'median':>8}{'most':>6}", end="")
    print(f"{'ms mean':>10}{'p95':>9}{'max':>9}")
    for row in rows:
        print(
            f"{row['agent']:<28}{row['boards']:>7}{row['mean']:>10.2f} ± {row['interval']:.2f}"
            f"{row['median']:>8.0f}{row['worst']:>6}"
            f"{row['ms_mean']:>10.3f}{row['ms_p95']:>9.2f}{row['ms_max']:>9.1f}"
        )
    for row in rows:
        if "against" in row:
            more = f"{row['more']:+.2f} ± {row['more_interval']:.2f} shots"
            print(f"{row['agent']} - {row['against']}: {more} on the same {row['both']} boards")


def main() -> None:
    shipped = [name for name in find("battleship").agents if name != "random"]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--agents", default=",".join(["random", *shipped]), help="agent specs")
    parser.add_argument("--boards", type=int, default=4000, help="how many of the fixed boards")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--against", help="print paired differences from this one of the agents")
    parser.add_argument("--results", type=Path, help="keep finished boards in this file")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()

    agents = [spec.strip() for spec in args.agents.split(",")]
    if args.against and args.against not in agents:
        parser.error(f"--against must be one of --agents, not {args.against!r}")
    lines: list[dict[str, Any]] = []
    if args.results and args.results.exists():
        lines = [json.loads(line) for line in args.results.read_text().splitlines()]
    left = list(jobs_left(agents, args.boards, lines))
    with ProcessPoolExecutor(args.jobs) as pool:
        for number, line in enumerate(pool.map(chunk, left), 1):
            lines.append(line)
            if args.results:
                with args.results.open("a") as file:
                    file.write(json.dumps(line) + "\n")
            if sys.stderr.isatty():
                print(f"\r{number} of {len(left)} parts", end="", file=sys.stderr, flush=True)
    rows = table(agents, args.boards, lines)
    for row in rows:
        if args.against and row["agent"] != args.against:
            row |= paired(row["agent"], args.against, args.boards, lines)
    if args.json:
        print(json.dumps(rows, indent=2))
    else:
        show(rows)


if __name__ == "__main__":
    main()
