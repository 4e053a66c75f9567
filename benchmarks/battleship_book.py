"""Make the opening book of an agent of Battleship: its shots while beliefs are slow to count.

The book holds the agent's own choice after every sequence of answers that is not too rare, while
the exact posterior takes more than some steps. It is written where the agent finds it.

    python benchmarks/battleship_book.py posterior
    python benchmarks/battleship_book.py lookahead:fleets=40000,width=12
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import trireme.battleship
from trireme import IllegalAction, make_agent
from trireme.battleship.agents.book import letter
from trireme.battleship.agents.gunner import Sight
from trireme.battleship.belief import Believer
from trireme.battleship.guess import Shot
from trireme.battleship.rules import Battleship


def answers(sight: Sight, cell: tuple[int, int]) -> Iterator[Shot]:
    """Every answer to a shot at `cell`; `grow` leaves out those that no fleet gives."""
    sunk = {shot.ship for shot in sight.shots}
    yield Shot(cell, "miss")
    yield Shot(cell, "hit")
    for name in sight.board.names:
        if name not in sunk:
            yield Shot(cell, "sunk", name)


def grow(agent: Any, steps: int, least: float) -> dict[str, int]:
    """The book, from the first shot on."""
    board = Battleship().boards[0]
    believer: Believer = agent.believer(Sight(board, ()))
    book: dict[str, int] = {}
    waiting: list[tuple[Shot, ...]] = [()]
    while waiting:
        shots = waiting.pop(0)
        sight = Sight(board, shots)
        try:
            belief = believer.count(shots)
        except IllegalAction:
            continue
        if belief is None or believer.steps < steps or belief.weight < least:
            continue
        chosen = int(agent.aim(sight, np.random.default_rng(len(book)))[0])
        path = "".join(letter(sight, shot) for shot in shots)
        book[path] = chosen
        print(f"{len(book):>5}  {path or '(start)':<20} {chosen}", flush=True)
        cell = divmod(chosen, board.cols)
        waiting += [(*shots, shot) for shot in answers(sight, cell)]
    return book


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("agent", help="the agent, with options that are better than its defaults")
    parser.add_argument("--steps", type=int, default=200_000, help="steps that need no book")
    parser.add_argument(
        "--least", type=float, default=2e-4, help="leave out what comes up more rarely than this"
    )
    args = parser.parse_args()

    comma = "," if ":" in args.agent else ":"
    agent = make_agent("battleship", f"{args.agent}{comma}book=false,limit={2**62}")
    made = {
        "agent": args.agent,
        "steps": args.steps,
        "least": args.least,
        "shots": grow(agent, args.steps, args.least),
    }
    folder = Path(trireme.battleship.__file__).parent / "models"
    folder.mkdir(exist_ok=True)
    path = folder / f"{args.agent.partition(':')[0]}_book.json"
    path.write_text(json.dumps(made, indent=0) + "\n", encoding="utf-8")
    print(f"{len(made['shots'])} positions in {path}")


if __name__ == "__main__":
    main()
