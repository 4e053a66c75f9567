"""What the arena costs over bare `play`, how it scales on two cores, and that results stay equal.

Overhead is measured in CPU time, for games of real agents, each in turn with bare `play` of the
very same game, so that a busy machine disturbs both alike. The speed-up is wall time of one
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
from uuid import uuid4

from trireme import make_agent, make_game, play
from trireme.arena import Match, entrants, results_hash, run_match, start
from trireme.arena.executors import make_executor
from trireme.arena.job import Job
from trireme.arena.schedule import Fixture
from trireme.core.game import close
from trireme.core.isolation import IsolatedAgent

WARM = 6
"""First games, in which kernels compile, that do not count."""


def cpu() -> float:
    """CPU seconds of this process and of all that it has ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds of a call."""
    before, began = cpu(), time.perf_counter()
    call()
    return cpu() - before, time.perf_counter() - began


def bare(match: Match, fixture: Fixture) -> None:
    """A game of the schedule with nothing around it."""
    agents = [make_agent(fixture.game, str(match.entrants[i].agent)) for i in fixture.seats]
    play(fixture.game, agents, seed=fixture.seed, opening=fixture.opening)
    close(agents)


def arena(match: Match, executor: str, workers: int, folder: Path) -> str:
    """The same games through the arena, with a run folder; gives the hash of the results."""
    done = run_match(start(match, folder / uuid4().hex), executor=executor, workers=workers)
    return results_hash(done.outcomes.values())


def overhead(match: Match, place: Path) -> None:
    """Bare game and arena game in turn: what disturbs one disturbs the other."""
    folder = start(match, place / uuid4().hex)
    plain: list[float] = []
    ratios: list[float] = []
    with make_executor("serial", Job.of(match)) as crew:
        games = crew.run(folder.fixtures)
        for fixture in folder.fixtures:
            alone, _ = timed(lambda f=fixture: bare(match, f))
            whole, _ = timed(lambda: folder.add(next(games)))
            plain.append(alone)
            ratios.append(whole / alone)
    low, middle, high = statistics.quantiles(ratios[WARM:], n=4)
    print(
        f"{match.game.name}, {' v '.join(match.names)}: {statistics.median(plain) * 1e3:.1f} ms a"
        f" game, arena/bare = {middle:.3f} (half of the games {low:.3f} … {high:.3f})"
    )


def scaling(match: Match, workers: list[int], with_ray: bool, folder: Path) -> None:
    hashes: set[str] = set()
    alone, wall = timed(lambda: hashes.add(arena(match, "serial", 1, folder)))
    print(f"serial: wall {wall:.1f} s, CPU {alone:.1f} s")
    one: tuple[float, float] | None = None
    for count in workers:
        used, wall = timed(lambda count=count: hashes.add(arena(match, "processes", count, folder)))
        one = one or (used, wall)
        print(
            f"processes {count}: wall {wall:.1f} s, CPU {used:.1f} s,"
            f" {used / alone:.3f} of serial, speed-up {one[1] / wall:.2f}"
            f" (CPU time allows {count * one[0] / used:.2f})"
        )
    if with_ray:
        _, wall = timed(lambda: hashes.add(arena(match, "ray", 2, folder)))
        print(f"ray 2: wall {wall:.1f} s with the start of Ray")
    print(f"hashes of results on all of them: {sorted(hashes)}")
    if len(hashes) > 1:
        raise SystemExit("the results differ")


def isolation(name: str, games: int) -> None:
    """What a process of its own costs an agent: once, for every game, and for every move."""
    game = make_game(name)
    agent = IsolatedAgent("random", "trireme.core.agents:Random")
    _, first = timed(lambda: agent.prepare(game))
    _, next_ = timed(lambda: agent.prepare(game))
    moves: dict[str, float] = {}
    for where, player in (("isolated", agent), ("in-process", make_agent(game, "random"))):
        results = [play(game, [player, "random"][: game.seats], seed=seed) for seed in range(games)]
        # The quickest game: what other programs on the machine cost is not meant.
        moves[where] = min(r.seconds[0] / r.decisions[0] for r in results)
    agent.close()
    print(
        f"{name}: process started in {first:.2f} s, ready for the next game in"
        f" {next_ * 1e3:.1f} ms; a random move takes {moves['isolated'] * 1e6:.0f} µs isolated,"
        f" {moves['in-process'] * 1e6:.0f} µs in-process"
    )


def make_match(game: str, agents: list[str], games: int) -> Match:
    made = make_game(game)
    return Match(made, entrants(made, agents), games=games)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200, help="games of each overhead measurement")
    parser.add_argument("--long", type=int, default=1500, help="games of scaling; 0 leaves it out")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument(
        "--isolation", action="store_true", help="measure only what isolation costs"
    )
    parser.add_argument("--ray", action="store_true", help="play the long match on Ray as well")
    options = parser.parse_args()
    if options.games < 2 * (WARM + 2):
        parser.error(f"--games must be at least {2 * (WARM + 2)}: the first {WARM} don't count")
    print(f"load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if options.isolation:
        for name in ("gomoku", "battleship", "navigation"):
            isolation(name, games=10)
        return
    gomoku = ["a=heuristic:epsilon=0.1", "b=heuristic:epsilon=0.1"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for game, agents in (
            ("gomoku", gomoku),
            ("battleship", ["density", "hunt"]),
            ("navigation", ["greedy", "planner"]),
        ):
            overhead(make_match(game, agents, options.games), folder)
        if options.long:
            long = make_match("gomoku", gomoku, options.long)
            scaling(long, options.workers, options.ray, folder)


if __name__ == "__main__":
    main()
