"""Make the opening book of Battleship: the most probable cell, while the posterior is slow.

The book holds a shot for every sequence of answers that is not too rare, as long as the exact
posterior takes more than some steps. It is written where the agents find it.

    python benchmarks/battleship_book.py
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import trireme.battleship
from trireme import IllegalAction
from trireme.battleship.agents.opening_book import answer_code
from trireme.battleship.agents.shooting_agent import TargetView
from trireme.battleship.belief.posterior import FleetInference
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Shot


def answers(target: TargetView, cell: tuple[int, int]) -> Iterator[Shot]:
    """Every answer to a shot at `cell`; `grow` leaves out those that no fleet gives."""
    sunk = {shot.ship for shot in target.shots}
    yield Shot(cell, "miss")
    yield Shot(cell, "hit")
    for name in target.board.names:
        if name not in sunk:
            yield Shot(cell, "sunk", name)


def grow(steps: int, least: float) -> dict[str, int]:
    """The book, from the first shot on."""
    board = Battleship().boards[0]
    inference = FleetInference(board)
    book: dict[str, int] = {}
    waiting: list[tuple[Shot, ...]] = [()]
    while waiting:
        target = TargetView(board, waiting.pop(0))
        try:
            if inference.exact_posterior(target.shots, limit=steps) is not None:
                continue
            belief = inference.exact_posterior(target.shots)
        except IllegalAction:
            continue
        if belief is None or belief.weight < least:
            continue
        chosen = int(belief.cells.argmax())
        path = "".join(answer_code(target, shot) for shot in target.shots)
        book[path] = chosen
        print(f"{len(book):>5}  {path or '(start)':<20} {chosen}", flush=True)
        waiting += [(*target.shots, shot) for shot in answers(target, divmod(chosen, board.cols))]
    return book


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--steps", type=int, default=200_000, help="steps that need no book")
    parser.add_argument(
        "--least", type=float, default=2e-4, help="leave out what comes up more rarely than this"
    )
    args = parser.parse_args()

    shots = grow(args.steps, args.least)
    made = {"steps": args.steps, "least": args.least, "shots": shots}
    path = Path(trireme.battleship.__file__).parent / "models" / "opening_book.json"
    path.write_text(json.dumps(made, indent=0) + "\n", encoding="utf-8")
    print(f"{len(shots)} positions in {path}")


if __name__ == "__main__":
    main()
