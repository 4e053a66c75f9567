"""A large match of quick agents: efficiency of each core against one process, and driver memory.

`python benchmarks/arena_scale.py --executor ray --games 100000` plays the first games of the match
with the executor `serial`, the reference, then all with the other one. Both write a run folder with
every record, and the first results must be the same. Efficiency is games a second over workers
times those of the reference, from the first tenth of the games to the last; beside it, CPU time of
a game in the reference over that of all processes (driver, Ray, workers), which other programs on
the machine blur less. Memory is the driver's peak, at every tenth of the match.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from trireme import make_agent, play
from trireme.arena import Match, Progress, entrants, run_match, start, write_reports
from trireme.core.registry import game_from_text


def tree_cpu() -> float:
    """CPU seconds of this process and all that come from it and run now (Linux)."""
    times: dict[int, float] = {}
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            number = int(folder.name)
            times[number] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            children.setdefault(int(fields[1]), []).append(number)
    found, left = 0.0, [os.getpid()]
    while left:
        number = left.pop()
        found += times.get(number, 0.0)
        left += children.get(number, [])
    return found


def peak_mib() -> float:
    """Peak resident memory of this process (Linux counts in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Meter:
    """Notes time, CPU time and the driver's memory at every tenth, as games end."""

    def __init__(self, games: int) -> None:
        self.began, self._cpu = time.perf_counter(), tree_cpu()
        self.marks: list[tuple[int, float, float]] = []
        """Games, wall seconds and CPU seconds."""
        self._step = max(1, games // 10)

    def __call__(self, progress: Progress) -> None:
        done = len(progress.outcomes)
        if done % self._step and done != 1:
            return
        wall, cpu = time.perf_counter() - self.began, tree_cpu() - self._cpu
        self.marks.append((done, wall, cpu))
        print(
            f"  {done:7d} games, {wall:6.1f} s, CPU {cpu:6.1f} s, driver {peak_mib():.0f} MiB",
            flush=True,
        )

    def per_game(self) -> tuple[float, float]:
        """Wall and CPU seconds of a game, from the first tenth to the last."""
        (games, wall, cpu), (games_2, wall_2, cpu_2) = self.marks[1], self.marks[-1]
        return (wall_2 - wall) / (games_2 - games), (cpu_2 - cpu) / (games_2 - games)


def measure(match: Match, executor: str, workers: int, folder: Path) -> tuple[Progress, Meter]:
    run = start(match, folder / executor)
    meter = Meter(match.games)
    progress = run_match(run, executor=executor, workers=workers, on_game=meter)
    wall, cpu = meter.per_game()
    print(
        f"{executor} with {workers}: {time.perf_counter() - meter.began:.1f} s in all;"
        f" {1 / wall:.1f} games/s, {cpu * 1e3:.2f} ms of CPU a game"
    )
    if executor != "serial":
        began = time.perf_counter()
        write_reports(run, progress)
        print(f"report: {time.perf_counter() - began:.1f} s, driver {peak_mib():.0f} MiB")
    shutil.rmtree(run.path)
    return progress, meter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="gomoku", help="a game, with settings by --set")
    parser.add_argument("--set", action="append", default=["size=9"], help="NAME=VALUE")
    parser.add_argument("--agents", default="a=random b=random", help="agent specs, by spaces")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--reference", type=int, default=4000, help="games with `serial`")
    parser.add_argument("--executor", default="ray", help="ray or processes")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    game = game_from_text(options.game, None, options.set)
    players = entrants(game, options.agents.split())
    print(f"load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for entrant in players:  # compile first
        play(game, [make_agent(game, str(entrant.spec)) for _ in range(game.seats)], seed=0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = Match(game, players, options.reference, seed=1)
        reference, alone = measure(small, "serial", 1, folder)
        whole = Match(game, players, options.games, seed=1)
        progress, many = measure(whole, options.executor, options.workers, folder)
    same = all(
        progress.outcomes[number].fingerprint == outcome.fingerprint
        for number, outcome in reference.outcomes.items()
        if number in progress.outcomes
    )
    (wall, cpu), (all_wall, all_cpu) = alone.per_game(), many.per_game()
    print(
        f"efficiency of a core: {wall / (options.workers * all_wall):.3f} by wall time,"
        f" {cpu / all_cpu:.3f} by CPU time of all processes"
    )
    print(f"load average after: {os.getloadavg()[0]:.1f}")
    if not same:
        raise SystemExit("the results differ")


if __name__ == "__main__":
    main()
