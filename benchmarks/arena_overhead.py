"""What the arena costs over bare `play`, how it scales on two cores, and that results stay equal.

Overhead is measured in CPU time, for games of real agents, in alternation with bare `play` of the
very same games, so that a busy machine disturbs both alike. The speed-up is wall time of one
worker over two; beside it stands the one that CPU time allows, which other programs on the machine
do not blur. Every run's hash of results must be the same.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from trireme import make_agent, make_game, play
from trireme.arena import Match, entrants, results_hash, run_match, start
from trireme.arena.schedule import schedule
from trireme.core.game import close


def cpu() -> float:
    """CPU seconds of this process and of all that it has ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds of a call."""
    before, began = cpu(), time.perf_counter()
    call()
    return cpu() - before, time.perf_counter() - began


def bare(match: Match) -> None:
    """The games of a schedule with nothing around them; their starts must be drawn here too."""
    for f in schedule(match):
        agents = [make_agent(f.game, str(match.entrants[i].agent)) for i in f.seats]
        play(f.game, agents, seed=f.seed, opening=f.opening)
        close(agents)


def arena(match: Match, executor: str, workers: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        done = run_match(start(match, Path(folder) / "run"), executor=executor, workers=workers)
    return results_hash(done.outcomes.values())


def overhead(match: Match, repeats: int) -> None:
    bare(match)
    arena(match, "serial", 1)
    ratios, games, count = [], [], sum(1 for _ in schedule(match))
    for _ in range(repeats):
        plain, _ = timed(lambda: bare(match))
        full, _ = timed(lambda: arena(match, "serial", 1))
        ratios.append(full / plain)
        games.append(plain / count)
    spread = f"{min(ratios):.3f} … {max(ratios):.3f}"
    print(
        f"{match.game.name}, {' v '.join(match.names)}: {statistics.median(games) * 1e3:.1f} ms a"
        f" game, arena/bare = {statistics.median(ratios):.3f} ({spread}, {repeats} rounds)"
    )


def scaling(match: Match, workers: list[int], with_ray: bool) -> None:
    hashes: set[str] = set()
    alone, wall = timed(lambda: hashes.add(arena(match, "serial", 1)))
    print(f"serial: wall {wall:.1f} s, CPU {alone:.1f} s")
    one: tuple[float, float] | None = None
    for count in workers:
        used, wall = timed(lambda count=count: hashes.add(arena(match, "processes", count)))
        one = one or (used, wall)
        print(
            f"processes {count}: wall {wall:.1f} s, CPU {used:.1f} s,"
            f" {used / alone:.3f} of serial, speed-up {one[1] / wall:.2f}"
            f" (CPU time allows {count * one[0] / used:.2f})"
        )
    if with_ray:
        _, wall = timed(lambda: hashes.add(arena(match, "ray", 2)))
        print(f"ray 2: wall {wall:.1f} s with the start of Ray")
    print(f"hashes of results on all of them: {sorted(hashes)}")
    if len(hashes) > 1:
        raise SystemExit("the results differ")


def make_match(game: str, agents: list[str], games: int) -> Match:
    made = make_game(game)
    return Match(made, entrants(made, agents), games=games)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, help="rounds of the overhead measurement")
    parser.add_argument("--games", type=int, default=100, help="games in one round")
    parser.add_argument("--long", type=int, default=1200, help="games of the scaling measurement")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--ray", action="store_true", help="play the long match on Ray as well")
    options = parser.parse_args()
    print(f"load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    gomoku = ["a=heuristic:epsilon=0.1", "b=heuristic:epsilon=0.1"]
    overhead(make_match("gomoku", gomoku, options.games), options.repeats)
    overhead(make_match("battleship", ["density", "hunt"], options.games), options.repeats)
    overhead(make_match("navigation", ["greedy", "planner"], options.games), options.repeats)
    scaling(make_match("gomoku", gomoku, options.long), options.workers, options.ray)


if __name__ == "__main__":
    main()
