"""What two answers tell: the probability of a ship in every cell, before and after."""

import argparse
from pathlib import Path

from trireme.battleship.advice import Advisor
from trireme.battleship.board import write_cell
from trireme.battleship.rules import Battleship


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--html", type=Path, help="write the heatmap here as well")
    args = parser.parse_args()

    advisor = Advisor(Battleship(8, 8))
    for answer in ("", "D4 hit", "D5 miss"):
        if answer:
            advisor.tell(answer)
        shot = advisor.shot()
        print(f"{answer or 'before the first shot'}: fire at {write_cell(shot)}")
        print(advisor.text(shot, advisor.belief()), end="\n\n")
    if args.html:
        print(f"heatmap in {advisor.picture().save(args.html)}")


if __name__ == "__main__":
    main()
