"""Plays `trireme bench` with all agents that ship, and merges their results into one file.

    python benchmarks/bench_agents.py --minutes 20 --processes 4
    trireme bench table runs/bench-agents/results.json --markdown

Agents with a clock are limited by nodes, simulations or rounds, so that their results do not depend
on the machine. Every agent plays a tenth of its tasks before any plays more, and the same command
goes on where it was stopped. Agents that need a language model or a foreign program are left out.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from rich.progress import Progress

from trireme.bench.results import load_results, merge, save_results

AGENTS = {
    "battleship": (
        *("random", "hunt", "careless:agent=density", "density", "density+", "rl", "heatmap"),
        *("posterior", "hybrid", "hybrid:network=true", "lookahead", "mcts:simulations=100"),
        "montecarlo:playouts=20",
    ),
    "gomoku": (
        *("random", "careless:agent=heuristic", "heuristic", "dqn", "search:level=easy,depth=2"),
        *("search:depth=2", "search:level=medium,depth=4", "search:depth=4"),
        *("search:level=hard,depth=6", "montecarlo", "zero:simulations=64", "dqn+mcts"),
        *("zero:simulations=400", "search:nodes=20000", "search:nodes=100000"),
    ),
    "navigation": (
        *("random", "moored", "careless:agent=greedy", "greedy", "planner", "nash-quick"),
        *("nash:rounds=16", "adaptive:rounds=16", "nash:rounds=16,leaves=16", "montecarlo"),
    ),
}
SHARES = (0.1, 0.3, 1.0)
"""Parts of the tasks, one after the other."""
PAUSE = 0.5
"""Seconds between two looks at the processes."""


@dataclass(frozen=True)
class BenchJob:
    """A part of one agent's tasks in one game."""

    game: str
    agent: str
    share: float

    def folder(self, out: Path) -> Path:
        name = "".join(c if c.isalnum() or c in "+-." else "-" for c in self.agent)
        return out / self.game / name

    def start(self, out: Path) -> subprocess.Popen[bytes]:
        folder = self.folder(out)
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "trireme", "bench", "run", self.agent]
        command += ["--game", self.game, "--share", f"{self.share}", "--out", str(folder)]
        with (folder / "log.txt").open("ab") as log:
            return subprocess.Popen(
                [*command, "--executor", "serial"], stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )


def jobs(games: list[str], agents: list[str] | None) -> Iterator[BenchJob]:
    """All jobs, a share at a time; the games take turns, so that no two processes compile alike."""
    for share in SHARES:
        for row in zip_longest(*([(game, agent) for agent in AGENTS[game]] for game in games)):
            for game, agent in filter(None, row):
                if agents is None or agent in agents:
                    yield BenchJob(game, agent, share)


def collect(out: Path) -> None:
    """Merge what there is, in the order of `AGENTS`."""
    order = [BenchJob(game, agent, 1).folder(out) for game in AGENTS for agent in AGENTS[game]]
    files = [file for folder in order if (file := folder / "results.json").exists()]
    if files:
        save_results(out / "results.json", merge(load_results(file) for file in files))


def play(left: list[BenchJob], out: Path, processes: int, end: float) -> None:
    """Play jobs until all are done or the time is up; what was played is kept either way."""
    running: dict[BenchJob, subprocess.Popen[bytes]] = {}
    with Progress() as bar:
        task = bar.add_task("shares of tasks", total=len(left))
        try:
            while (left or running) and time.monotonic() < end:
                busy = {(job.game, job.agent) for job in running}
                free = (job for job in left if (job.game, job.agent) not in busy)
                if len(running) < processes and (job := next(free, None)):
                    left.remove(job)
                    running[job] = job.start(out)
                    continue
                time.sleep(PAUSE)
                for job in [job for job, process in running.items() if process.poll() is not None]:
                    if running.pop(job).returncode:
                        log = job.folder(out) / "log.txt"
                        bar.console.print(f"{job.agent} ({job.game}) failed: {log}")
                    bar.advance(task)
                    collect(out)
        finally:
            for process in running.values():
                process.send_signal(signal.SIGTERM)
            for process in running.values():
                process.wait()
            collect(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("runs/bench-agents"))
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after so many minutes")
    parser.add_argument("--processes", type=int, default=2, help="agents that play at once")
    parser.add_argument("--games", nargs="+", default=list(AGENTS), choices=list(AGENTS))
    parser.add_argument("--agents", nargs="+", help="only these, as the list in this file has them")
    given = parser.parse_args()
    left = list(jobs(given.games, given.agents))
    play(left, given.out, given.processes, time.monotonic() + 60 * given.minutes)


if __name__ == "__main__":
    main()
