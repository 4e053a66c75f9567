"""How strong the named opponents are: each plays the one below, and the ratings go into their file.

Every pairing plays pairs of games from the same start with sides swapped, each side with its own
thinking time. Ratings are Bradley–Terry with 95 % intervals by a cluster bootstrap (as in
the arena), on a scale where the weakest has 0.

    python benchmarks/opponents.py gomoku --pairs 20          # writes opponents.json
    python benchmarks/opponents.py gomoku --show              # the table as it stands

With `--played FILE` every pair of games is appended to a file, and pairs that stand in it are not
played again: a run that was stopped goes on, and only opponents that changed are measured anew.
`--first` takes other starts: settings that were chosen by games are measured on games of their own.
"""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from rich.progress import track

from trireme.arena.statistics.ratings import rate
from trireme.core.game import AnyGame
from trireme.core.opponents import NamedOpponent, OpponentFile, opponent_file
from trireme.core.play import prepare_agent
from trireme.core.registry import GAMES, find, load, make_agent, make_game
from trireme.core.session import Session

SOURCES = Path(__file__).parents[1] / "src"
FIRST_PAIR = 1_000_000
"""Seeds of the starts: none that training or the arena's examples use."""


class Meeting(NamedTuple):
    """Two opponents, by spec and seconds a move, and the number of their common start."""

    game: str
    low: tuple[str, float]
    high: tuple[str, float]
    pair: int


class PlayedPair(msgspec.Struct, frozen=True):
    """The returns of the higher opponent in the two games of a meeting."""

    meeting: Meeting
    returns: tuple[float, float]


def play_pair(meeting: Meeting, variant: str | None) -> PlayedPair:
    """Two games from the same start, sides swapped."""
    game, low, high, pair = meeting
    made, opening = make_game(game, variant), ()
    if (starts := find(game).starts) is not None:
        made, opening = load(starts)(made, np.random.default_rng(FIRST_PAIR + pair))
    first, second = (
        play_game(made, opening, (low, high) if seat else (high, low), FIRST_PAIR + pair)[seat]
        for seat in (0, 1)
    )
    return PlayedPair(meeting, (first, second))


def play_game(
    game: AnyGame, opening: Any, sides: tuple[tuple[str, float], tuple[str, float]], seed: int
) -> tuple[float, ...]:
    """The returns of one game. As in the web app, a late answer counts: nobody loses on time."""
    agents = [make_agent(game, spec) for spec, _ in sides]
    for agent, (spec, _) in zip(agents, sides, strict=True):
        prepare_agent(agent, game, spec)
    session = Session(game, [spec for spec, _ in sides], seed=seed, opening=opening)
    while not session.over:
        session.move(
            {seat: agents[seat].act(session.turn(seat, sides[seat][1])) for seat in session.to_move}
        )
    return session.returns


def play_all(
    meetings: Iterable[Meeting], variant: str | None, workers: int, played: Path | None
) -> dict[Meeting, tuple[float, float]]:
    """The returns of all meetings; those in the file are not played again, others are appended."""
    found = {row.meeting: row.returns for row in read_played(played)}
    missing = [meeting for meeting in meetings if meeting not in found]
    pool = ProcessPoolExecutor(workers)
    try:
        jobs = [pool.submit(play_pair, meeting, variant) for meeting in missing]
        for job in track(as_completed(jobs), "Pairs of games", len(jobs)):
            row = job.result()
            found[row.meeting] = row.returns
            if played is not None:
                with played.open("ab") as file:
                    file.write(msgspec.json.encode(row) + b"\n")
    finally:
        pool.shutdown(cancel_futures=True)
    return found


def read_played(path: Path | None) -> list[PlayedPair]:
    """The pairs of games in a file; none where it does not exist yet."""
    lines = path.read_bytes().splitlines() if path is not None and path.exists() else []
    return [msgspec.json.decode(line, type=PlayedPair) for line in lines]


def meetings_of(game: str, ladder: Iterable[NamedOpponent], pairs: range) -> list[list[Meeting]]:
    """For each opponent but the weakest, its meetings with the one below."""
    sides = [(o.spec, o.think) for o in ladder]
    return [
        [Meeting(game, low, high, pair) for pair in pairs]
        for low, high in itertools.pairwise(sides)
    ]


def measure(game: str, pairs: range, workers: int, played: Path | None = None) -> OpponentFile:
    """The game's opponents with the ratings of a new measurement, on these numbers of starts."""
    found = opponent_file(game)
    assert found is not None
    steps = meetings_of(game, found.opponents, pairs)
    results = play_all(itertools.chain(*steps), found.variant, workers, played)
    returns = np.sign([[results[meeting] for meeting in step] for step in steps])
    return msgspec.structs.replace(
        found,
        measured=command(game, pairs),
        opponents=tuple(rated(found.opponents, returns)),
    )


def command(game: str, pairs: range) -> str:
    """The command that makes this measurement."""
    first = f" --first {pairs.start}" if pairs.start else ""
    return f"python benchmarks/opponents.py {game} --pairs {len(pairs)}{first}"


def rated(named: tuple[NamedOpponent, ...], returns: Any) -> Iterator[NamedOpponent]:
    """The opponents with ratings from the signs of the returns of each but the weakest against the
    one below, [steps, pairs, 2]: moving first, and moving second."""
    steps, pairs, _ = returns.shape
    clusters = np.zeros((steps, pairs, steps + 1, steps + 1, 3))
    for step, pair in np.ndindex(steps, pairs):
        first, second = returns[step, pair].astype(int)
        clusters[step, pair, step + 1, step, 1 - first] += 1
        clusters[step, pair, step, step + 1, 1 + second] += 1
    ratings = rate(clusters.reshape(steps * pairs, steps + 1, steps + 1, 3))
    base = ratings.elo[0]
    scores = [None, *((returns.mean(axis=(1, 2)) + 1) / 2)]
    for rung, (opponent, score) in enumerate(zip(named, scores, strict=True)):
        meetings = 1 if rung in (0, steps) else 2
        yield msgspec.structs.replace(
            opponent,
            elo=round(ratings.elo[rung] - base),
            low=round(_finite(ratings.low[rung], ratings.elo[rung]) - base),
            high=round(_finite(ratings.high[rung], ratings.elo[rung]) - base),
            score=None if score is None else round(float(score), 3),
            games=2 * pairs * meetings,
        )


def _finite(end: float, bound: float) -> float:
    """The end of an interval; the rating's bound where there is no end."""
    return end if np.isfinite(end) else bound


def opponents_path(game: str) -> Path:
    """Where the file of a game's opponents stands in the repository."""
    package, _, name = str(find(game).opponents).partition(":")
    return SOURCES / package.replace(".", "/") / name


def table(found: OpponentFile) -> str:
    """The ladder as a Markdown table."""
    lines = [
        "| opponent | agent | Elo | 95 % | beats the one below | games |",
        "|---|---|---|---|---|---|",
    ]
    for o in found.opponents:
        score = "" if o.score is None else f"{o.score:.0%}"
        lines.append(
            f"| {o.name} | `{o.spec}` | {o.elo} | {o.low} … {o.high} | {score} | {o.games} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", choices=[name for name in GAMES if find(name).opponents])
    parser.add_argument(
        "--pairs",
        type=int,
        default=20,
        help="pairs of games for each step; more narrow the intervals",
    )
    parser.add_argument(
        "--first", type=int, default=0, help="number of the first pair: another one, other starts"
    )
    parser.add_argument(
        "--workers", type=int, default=1, help="games at once; time-limited agents want a core each"
    )
    parser.add_argument(
        "--played", type=Path, help="file of pairs that are played: taken from there, added there"
    )
    parser.add_argument("--show", action="store_true", help="only print the table of the file")
    chosen = parser.parse_args()
    if chosen.show:
        found = opponent_file(chosen.game)
        assert found is not None
        print(table(found))
        return
    os.nice(10)
    numbers = range(chosen.first, chosen.first + chosen.pairs)
    found = measure(chosen.game, numbers, chosen.workers, chosen.played)
    text = msgspec.json.format(msgspec.json.encode(found), indent=2)
    opponents_path(chosen.game).write_bytes(text + b"\n")
    print(table(found))


if __name__ == "__main__":
    main()
