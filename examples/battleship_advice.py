"""Manual analysis: the answers of a real game typed in, the best next shot each time."""

from trireme import TriremeError
from trireme.battleship.advice import Advisor
from trireme.battleship.board import write_cell
from trireme.battleship.rules import Battleship

ANSWERS = ["m", "m", "h", "h", "s cruiser"]


def main() -> None:
    advisor = Advisor(Battleship(7, 7))
    for answer in ANSWERS:
        shot = advisor.shot()
        try:
            advisor.tell(answer, shot)
        except TriremeError as error:
            print(f"{write_cell(shot)} {answer}: {error}")
            break
        bits = advisor.belief().entropy or 0.0
        print(f"{write_cell(shot)} {answer}: {bits:.1f} bits left to find out")
    if not advisor.over:
        print(f"next: {write_cell(advisor.shot())}")


if __name__ == "__main__":
    main()
