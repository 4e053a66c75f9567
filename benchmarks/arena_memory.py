"""Peak memory of the process that drives a match, by the number of games.

`python benchmarks/arena_memory.py --games 2000,20000` drives matches, each in a process of its own,
and prints the driver's peak resident memory while games come in and after the report, and the time
of both. By default one real game stands for all: a stand-in for the workers gives its record again
and again, so that only the driver is measured, and as fast as it can go. `--executor processes` or
`ray` plays every game.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from trireme import make_game
from trireme.arena import Fixture, Match, entrants, run_match, start, write_reports
from trireme.arena import run as driver
from trireme.arena.executors import make_executor
from trireme.arena.outcome import Outcome, Played

STAND_IN = "stand-in"


class StandIn:
    """Gives the record of one game for every fixture, with a result drawn at random."""

    def __init__(self, job: Any) -> None:
        self._job = job

    def running(self) -> list[str]:
        return []

    def run(self, fixtures: Sequence[Fixture]) -> Iterator[Played]:
        with make_executor("serial", self._job) as serial:
            (real,) = serial.run(fixtures[:1])
        rng = np.random.default_rng(0)
        for fixture in fixtures:
            drawn = float(rng.integers(17, 100))
            returns = (-drawn,) if len(fixture.seats) == 1 else (1.0, -1.0)[:: rng.choice([1, -1])]
            yield Played(
                Outcome(
                    fixture.number,
                    returns,
                    real.outcome.moves,
                    f"{fixture.number:016x}",
                    real.outcome.seconds,
                    real.outcome.decisions,
                ),
                real.record,
            )


def _executor(name: str, job: Any, **where: Any) -> AbstractContextManager[Any]:
    return nullcontext(StandIn(job)) if name == STAND_IN else make_executor(name, job, **where)


def peak() -> float:
    """MiB at most so far (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(game_name: str, agents: list[str], games: int, executor: str) -> dict[str, float]:
    game = make_game(game_name)
    driver.make_executor = _executor  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        folder_ = start(Match(game, entrants(game, agents), games), Path(folder) / "run")
        began = time.perf_counter()
        progress = run_match(folder_, executor=executor)
        played, playing = peak(), time.perf_counter() - began
        began = time.perf_counter()
        write_reports(folder_, progress)
        count = len(progress.outcomes)
    return {
        "games": count,
        "playing_mib": played,
        "report_mib": peak(),
        "playing_s": playing,
        "report_s": time.perf_counter() - began,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", default="2000,20000", help="numbers of games, by commas")
    parser.add_argument("--game", default="battleship")
    parser.add_argument("--agents", default="random", help="agent specs, by spaces")
    parser.add_argument("--executor", default=STAND_IN, help="stand-in, serial, processes or ray")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        found = measure(args.game, args.agents.split(), int(args.games), args.executor)
        print(json.dumps(found))
        return
    print(f"{'games':>8} {'playing':>10} {'report':>10} {'games/s':>9} {'report':>8}")
    for games in args.games.split(","):
        command = [sys.executable, __file__, "--one", "--games", games, "--game", args.game]
        command += ["--agents", args.agents, "--executor", args.executor]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ)
        found = json.loads(done.stdout)
        print(
            f"{found['games']:8.0f} {found['playing_mib']:6.0f} MiB {found['report_mib']:6.0f} MiB"
            f" {found['games'] / found['playing_s']:9.0f} {found['report_s']:6.1f} s"
        )


if __name__ == "__main__":
    main()
