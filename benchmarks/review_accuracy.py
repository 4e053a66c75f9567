"""The accuracy of reviews over the ladder of named opponents, and of random play, with intervals.

Every rung plays the same opponent, the third weakest, from the same starts, half of the games in
either seat; only the rung's decisions are reviewed. A rung's accuracy is that of all its decisions
together; the 95 % interval is a bootstrap over games.

    python benchmarks/review_accuracy.py gomoku --games 20 --out accuracy.jsonl   # adds games
    python benchmarks/review_accuracy.py --show accuracy.jsonl                    # the table
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import msgspec
import numpy as np
from rich.progress import track

from trireme.core.opponents import NamedOpponent, opponent_file, opponents_of
from trireme.core.play import Session, prepare_agent
from trireme.core.registry import find, load, make_agent, make_game
from trireme.core.review import review

FIRST_SEED = 3_000_000
"""Seeds of the starts: none that training or other measurements use."""
RANDOM = NamedOpponent("random play", "random", 0.3, "", "", None, None, None, None, 0)
RESAMPLES = 4000


def rungs(game: str) -> list[NamedOpponent]:
    """Random play and the named opponents, weakest first."""
    return [RANDOM, *opponents_of(game)]


class ReviewedRow(msgspec.Struct):
    """One game of a rung."""

    game: str
    rung: str
    number: int
    score: float
    """Of the rung: 1 won, 0 lost."""
    costs: list[tuple[float, float]]
    """Of each decision: what it cost, and what a random one costs."""


def play_and_review(game: str, rung: NamedOpponent, number: int) -> ReviewedRow:
    """One game of a rung and the costs of its decisions."""
    file = opponent_file(game)
    assert file is not None
    made, opening = make_game(game, file.variant), ()
    if (starts := find(game).starts) is not None:
        made, opening = load(starts)(made, np.random.default_rng(FIRST_SEED + number))
    seat, named = number % 2, [file.opponents[2]] * 2
    named[seat] = rung
    agents = [make_agent(made, one.spec) for one in named]
    for agent, one in zip(agents, named, strict=True):
        prepare_agent(agent, made, one.spec)
    session = Session(made, [o.name for o in named], seed=FIRST_SEED + number, opening=opening)
    while not session.over:
        session.move({s: agents[s].act(session.turn(s, named[s].think)) for s in session.to_move})
    found = review(session.record, seat=seat)
    score = (made.returns(session.state)[seat] + 1) / 2
    costs = [(move.cost, move.random_cost) for move in found.moves]
    return ReviewedRow(game, rung.name, number, score, costs)


def measure(game: str, games: int, seconds: float | None, workers: int, out: Path) -> None:
    """Add games to the file: one of every rung after the other."""
    done = {(row.game, row.rung, row.number) for row in read(out)}
    missing = [
        (game, rung, number)
        for number in range(games)
        for rung in rungs(game)
        if (game, rung.name, number) not in done
    ]
    pool = ProcessPoolExecutor(workers)
    try:
        jobs = [pool.submit(play_and_review, *each) for each in missing]
        for job in track(as_completed(jobs, timeout=seconds), f"Games of {game}", len(jobs)):
            with out.open("ab") as file:
                file.write(msgspec.json.encode(job.result()) + b"\n")
    except TimeoutError:
        print("Out of time: games in progress are not counted.")
    finally:
        pool.shutdown(cancel_futures=True)


def read(path: Path) -> list[ReviewedRow]:
    lines = path.read_bytes().splitlines() if path.exists() else []
    return [msgspec.json.decode(line, type=ReviewedRow) for line in lines]


def show(path: Path) -> None:
    """The table of all games of a file."""
    by_rung: dict[tuple[str, str], list[ReviewedRow]] = defaultdict(list)
    for row in read(path):
        by_rung[row.game, row.rung].append(row)
    print("| game | player | games | score | accuracy | 95 % interval |")
    print("|---|---|---|---|---|---|")
    for game in dict.fromkeys(game for game, _ in by_rung):
        for rung in rungs(game):
            rows = by_rung[game, rung.name]
            if rows:
                print(f"| {game} | {rung.name} | {len(rows)} | {summary(rows)} |")


def summary(rows: list[ReviewedRow]) -> str:
    """Score, and accuracy with its interval."""
    sums = np.array([np.array(row.costs).sum(axis=0) for row in rows])
    drawn = np.random.default_rng(0).integers(len(sums), size=(RESAMPLES, len(sums)))
    cost, at_stake = sums[drawn].sum(axis=1).T
    low, high = np.percentile(100 * (1 - cost / at_stake), [2.5, 97.5])
    mean = 100 * (1 - sums[:, 0].sum() / sums[:, 1].sum())
    score = np.mean([row.score for row in rows])
    return f"{score:.0%} | {mean:.1f} % | {low:.1f} to {high:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("game", nargs="?", help="battleship, gomoku or navigation")
    parser.add_argument("--games", type=int, default=20, help="games of each rung")
    parser.add_argument("--seconds", type=float, help="stop after so many; by default, at the end")
    parser.add_argument("--workers", type=int, default=1, help="games at once")
    parser.add_argument("--out", type=Path, default=Path("accuracy.jsonl"))
    parser.add_argument("--show", type=Path, help="print the table of this file")
    args = parser.parse_args()
    if args.game is not None:
        measure(args.game, args.games, args.seconds, args.workers, args.out)
    if args.show is not None:
        show(args.show)


if __name__ == "__main__":
    main()
