"""Make the opening book of an agent of Battleship: its shots while beliefs are slow to count.

The book holds the agent's own choice after every sequence of answers that is not too rare, while
the exact posterior takes more than some steps. It is written where the agent finds it.

    python benchmarks/battleship_book.py posterior
    python benchmarks/battleship_book.py lookahead:fleets=20000
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trireme.battleship
from trireme import IllegalAction, make_agent
from trireme.battleship.agents.book import letter
from trireme.battleship.agents.gunner import Sight
from trireme.battleship.agents.lookahead import Lookahead
from trireme.battleship.agents.posterior import Posterior
from trireme.battleship.batch import layouts, ships_of, words
from trireme.battleship.belief import Believer, Fleets
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


def counted(agent: Posterior, sight: Sight) -> tuple[int, float]:
    """The posterior's choice, and the probability that this position comes up."""
    belief = agent.believer(sight).count(sight.shots)
    assert belief is not None
    return int(belief.cells.argmax()), belief.weight


def compared(agent: Lookahead, sight: Sight, least: float) -> tuple[int, float]:
    """The lookahead's choice over fleets drawn until enough agree with the answers."""
    rng = np.random.default_rng(len(sight.shots))
    board = sight.board
    found: list[NDArray[np.int16]] = []
    drawn, kept = 0, 0
    while kept < agent.fleets and drawn < agent.fleets / least:
        batch = layouts(Battleship(), 100_000, int(rng.integers(2**62)))
        agreeing = batch[agrees(sight, batch)]
        found.append(agreeing)
        drawn, kept = drawn + len(batch), kept + len(agreeing)
    if kept < agent.fleets:
        return 0, 0.0
    listed = np.concatenate(found)[: agent.fleets]
    fleets = Fleets(listed, np.full(len(listed), 1 / len(listed)), exact=False)
    chances = np.zeros(board.rows * board.cols)
    for ship, places in enumerate(listed.T):
        cells = ships_of(board).cells[int(ships_of(board).kinds[ship]), places, : board.sizes[ship]]
        chances += np.bincount(cells.ravel(), minlength=len(chances)) / len(listed)
    chances[~sight.open] = 0.0
    return agent.compared(sight, agent.candidates(chances), fleets, rng), kept / drawn


def agrees(sight: Sight, batch: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Which fleets int16[n, S] would have given all answers."""
    board, ships = sight.board, ships_of(sight.board)
    hits = 0
    sunk: dict[str, tuple[int, int]] = {}
    for shot in sight.shots:
        hits |= board.bit(shot.cell) if shot.result != "miss" else 0
        if shot.ship:
            sunk[shot.ship] = hits, board.bit(shot.cell)
    water = sum(board.bit(shot.cell) for shot in sight.shots) & ~hits
    covered = np.zeros((len(batch), 3), np.uint64)
    fits = np.ones(len(batch), np.bool_)
    for ship, name in enumerate(board.names):
        masks = ships.masks[int(ships.kinds[ship]), batch[:, ship]]
        covered |= masks
        then, last = sunk.get(name, (hits, 0))
        fits &= (masks & ~np.array(words(then), np.uint64)).any(axis=1) != (name in sunk)
        if last:
            fits &= (masks & np.array(words(last), np.uint64)).any(axis=1)
    fits &= ~(covered & np.array(words(water), np.uint64)).any(axis=1)
    return fits & ~(~covered & np.array(words(hits), np.uint64)).any(axis=1)


def grow(agent: Any, steps: int, least: float) -> dict[str, int]:
    """The book, from the first shot on."""
    board = Battleship().boards[0]
    believer = Believer(board)
    book: dict[str, int] = {}
    waiting: list[tuple[Shot, ...]] = [()]
    while waiting:
        sight = Sight(board, waiting.pop(0))
        try:
            if believer.count(sight.shots, limit=steps) is not None:
                continue
            if isinstance(agent, Lookahead):
                chosen, weight = compared(agent, sight, least)
            else:
                chosen, weight = counted(agent, sight)
        except IllegalAction:
            continue
        if weight < least:
            continue
        path = "".join(letter(sight, shot) for shot in sight.shots)
        book[path] = chosen
        print(f"{len(book):>5}  {path or '(start)':<20} {chosen}", flush=True)
        waiting += [(*sight.shots, shot) for shot in answers(sight, divmod(chosen, board.cols))]
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
