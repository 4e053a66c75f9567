"""How long a review takes at the longest games, in seconds of processor time on one core.

    python benchmarks/review_time.py

Battleship: a duel between random shooters. Gomoku: a board filled with 225 stones, and a
game between random players. Battle Navigation: the longest of some games between random captains.
Kernels are compiled before the clock starts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

import trireme
from trireme.core.record import Record
from trireme.core.registry import make_game

LIMITS = {"battleship": 10.0, "gomoku": 10.0, "navigation": 20.0}
"""Seconds that a review may take."""
SEEDS = 12


def full_board() -> Record:
    """A drawn game of Gomoku that fills the board: pairs of equal stones, shifted by row."""
    game, rng = make_game("gomoku"), np.random.default_rng(0)
    points = [(row, col) for row in range(15) for col in range(15)]
    black = rng.permutation([p for p in points if (p[1] // 2 + p[0]) % 2 == 0])
    white = rng.permutation([p for p in points if (p[1] // 2 + p[0]) % 2 == 1])
    stones = [black[i // 2] if i % 2 == 0 else white[i // 2] for i in range(len(points))]
    moves = [game.write((int(row), int(col))) for row, col in stones]
    return trireme.Session(game, ["a", "b"], seed=0, opening=moves).record


def longest(game: str, variant: str | None = None) -> Record:
    """The longest of some games between random players."""
    made = make_game(game, variant)
    found = [trireme.play(made, ["random", "random"], seed=seed).record for seed in range(SEEDS)]
    return max(found, key=lambda record: len(record.moves))


def games() -> Iterator[tuple[str, Record]]:
    yield "battleship, duel of random shooters", longest("battleship", "duel")
    yield "gomoku, a full board", full_board()
    yield "gomoku, random players", longest("gomoku")
    yield "navigation, random captains", longest("navigation")


def main() -> None:
    for name in LIMITS:  # compiles
        agents = ["random"] * make_game(name).seats
        trireme.review(trireme.play(name, agents, seed=1).record, seat=0)
    for name, record in games():
        wall, cpu = time.perf_counter(), time.process_time()
        found = trireme.review(record)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        limit = LIMITS[record.game.name]
        verdict = "within" if cpu <= limit else "OVER"
        print(
            f"{name}: {len(record.moves)} moves, {len(found.moves)} decisions, {cpu:.1f} s of"
            f" processor time, {wall:.1f} s; {verdict} {limit:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
