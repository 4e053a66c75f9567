"""A game of an agent as one HTML page that plays: open it in a browser."""

import argparse
from pathlib import Path

from trireme import make_agent
from trireme.battleship.analysis import Analyst
from trireme.battleship.rules import Battleship
from trireme.battleship.show.pictures import replay


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent", default="density+")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=Path("battleship_film.html"))
    args = parser.parse_args()

    game = Battleship(8, 8)
    steps = list(Analyst(game).steps(make_agent(game, args.agent), args.seed))
    page = replay(game, steps, f"{args.agent}, {len(steps) - 1} shots").save(args.out)
    print(f"{len(steps) - 1} shots in {page}")


if __name__ == "__main__":
    main()
