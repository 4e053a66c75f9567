"""How strong the named opponents are: each plays the one below, and the ratings go into their file.

Every pairing plays pairs of games from the same start with sides swapped, each side with its own
thinking time. Ratings are Bradley–Terry with 95 % intervals by a cluster bootstrap (as in
the arena), on a scale where the weakest has 0.

    python benchmarks/opponents.py gomoku --pairs 20          # writes opponents.json
    python benchmarks/opponents.py gomoku --show              # the table as it stands
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from trireme.arena.statistics.ratings import rate
from trireme.core.game import AnyGame
from trireme.core.opponents import NamedOpponent, OpponentFile, opponent_file
from trireme.core.play import prepare_agent
from trireme.core.registry import GAMES, find, load, make_agent, make_game
from trireme.core.session import Session

SOURCES = Path(__file__).parents[1] / "src"
FIRST_PAIR = 1_000_000
"""Seeds of the starts: none that training or the arena's examples use."""


def play_pair(
    game: str, variant: str | None, low: NamedOpponent, high: NamedOpponent, pair: int
) -> list[float]:
    """The returns of `high` in two games from the same start, sides swapped."""
    made, opening = make_game(game, variant), ()
    if (starts := find(game).starts) is not None:
        made, opening = load(starts)(made, np.random.default_rng(FIRST_PAIR + pair))
    return [
        play_game(made, opening, (low, high) if seat else (high, low), FIRST_PAIR + pair)[seat]
        for seat in (0, 1)
    ]


def play_game(
    game: AnyGame, opening: Any, named: tuple[NamedOpponent, NamedOpponent], seed: int
) -> tuple[float, ...]:
    """The returns of one game. As in the web app, a late answer counts: nobody loses on time."""
    agents = [make_agent(game, opponent.spec) for opponent in named]
    for agent, opponent in zip(agents, named, strict=True):
        prepare_agent(agent, game, opponent.spec)
    session = Session(game, [o.name for o in named], seed=seed, opening=opening)
    while not session.over:
        session.move(
            {
                seat: agents[seat].act(session.turn(seat, named[seat].think))
                for seat in session.to_move
            }
        )
    return session.returns


def measure(game: str, pairs: int, workers: int) -> OpponentFile:
    """The game's opponents with the ratings of a new measurement."""
    found = opponent_file(game)
    assert found is not None
    named = found.opponents
    count = len(named)
    results = np.zeros((pairs * (count - 1), count, count, 3))
    scores = np.zeros(count)
    with ProcessPoolExecutor(workers) as pool:
        jobs = [
            (
                rung,
                pair,
                pool.submit(play_pair, game, found.variant, named[rung - 1], named[rung], pair),
            )
            for rung in range(1, count)
            for pair in range(pairs)
        ]
        for rung, pair, job in jobs:
            cluster = (rung - 1) * pairs + pair
            first, second = job.result()
            results[cluster, rung, rung - 1, 1 - int(np.sign(first))] += 1
            results[cluster, rung - 1, rung, 1 + int(np.sign(second))] += 1
            scores[rung] += (np.sign([first, second]).sum() + 2) / 4 / pairs
            if pair == pairs - 1:
                print(
                    f"{named[rung].name} scores {scores[rung]:.0%} against {named[rung - 1].name}",
                    flush=True,
                )
    rated = rate(results)
    return msgspec.structs.replace(
        found,
        measured=f"python benchmarks/opponents.py {game} --pairs {pairs}",
        opponents=tuple(_rated(named, rated, scores, pairs)),
    )


def _rated(
    named: tuple[NamedOpponent, ...], rated: Any, scores: Any, pairs: int
) -> Iterator[NamedOpponent]:
    base = rated.elo[0]
    for rung, opponent in enumerate(named):
        meetings = 1 if rung in (0, len(named) - 1) else 2
        yield msgspec.structs.replace(
            opponent,
            elo=round(rated.elo[rung] - base),
            low=round(_finite(rated.low[rung], rated.elo[rung]) - base),
            high=round(_finite(rated.high[rung], rated.elo[rung]) - base),
            score=round(float(scores[rung]), 3) if rung else None,
            games=2 * pairs * meetings,
        )


def _finite(end: float, bound: float) -> float:
    """The end of an interval; the rating's bound where there is no end."""
    return end if np.isfinite(end) else bound


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
        "--workers", type=int, default=1, help="games at once; time-limited agents want a core each"
    )
    parser.add_argument("--show", action="store_true", help="only print the table of the file")
    chosen = parser.parse_args()
    if chosen.show:
        found = opponent_file(chosen.game)
        assert found is not None
        print(table(found))
        return
    os.nice(10)
    found = measure(chosen.game, chosen.pairs, chosen.workers)
    package, _, name = str(find(chosen.game).opponents).partition(":")
    path = SOURCES / package.replace(".", "/") / name
    text = msgspec.json.format(msgspec.json.encode(found), indent=2)
    path.write_bytes(text + b"\n")
    print(table(found))


if __name__ == "__main__":
    main()
