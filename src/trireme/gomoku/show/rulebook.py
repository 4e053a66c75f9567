"""The rules of Gomoku for players, by the settings of a game."""

from __future__ import annotations

from trireme.core.game import AnyGame
from trireme.core.rulebook import Figure, Rulebook, RuleSection
from trireme.gomoku.rules import Gomoku


def rulebook(game: AnyGame) -> Rulebook:
    """The rules, short enough for one page."""
    assert isinstance(game, Gomoku)
    exact = game.rule == "standard"
    five = "exactly five" if exact else "five or more"
    sections = [
        RuleSection(
            "The board",
            (
                f"Two players put stones in turn on the points of a board of {game.size} by "
                f"{game.size} lines, black first. A stone never moves and is never taken off.",
            ),
        ),
        RuleSection("Winning", _winning(exact), figures=_lines(exact)),
        RuleSection(
            "Words that help",
            ("Most games are decided by threats: lines that become five unless stopped.",),
            (
                ("Four", "four in a line with room for the fifth: it must be blocked at once"),
                ("Open four", "four with both ends free: it can't be stopped any more"),
                ("Open three", "three that become an open four unless an end is blocked"),
                (
                    "Double threat",
                    "one stone that makes two threats: a block stops only one of them",
                ),
            ),
            (
                Figure((".......", "..XXX..", "......."), "An open three: block one of its ends."),
                Figure(
                    (".......", "..XXX..", "....X..", "....X..", "......."),
                    "Two threes that share a stone: a double threat.",
                ),
            ),
        ),
    ]
    if game.opening == "swap2":
        sections.append(_swap2())
    goal = f"Be the first to have {five} stones of your colour in a line: row, column or diagonal."
    return Rulebook("Gomoku", goal, tuple(sections))


def _winning(exact: bool) -> tuple[str, ...]:
    if not exact:
        return ("Five or more stones in a line win. A full board without a line is a draw.",)
    return (
        "A line of **exactly five** wins. **Six or more win nothing**, for either colour, and the "
        "game goes on: look for a stone that makes five and not six.",
        "A full board without a line of five is a draw.",
    )


def _lines(exact: bool) -> tuple[Figure, ...]:
    five = Figure((".......", ".XXXXX.", "......."), "Five in a line: black has won.")
    if not exact:
        return (five,)
    return five, Figure((".......", ".XXXXXX", "......."), "Six in a line: nothing is won.")


def _swap2() -> RuleSection:
    return RuleSection(
        "Swap2, the opening",
        (
            "The first player puts three stones: black, white, black. The second player then "
            "chooses. This makes the start fair: a start that is too good is taken over.",
        ),
        (
            ("White", "the second player plays white and puts the next stone"),
            ("Black", "the second player plays black, and the first player goes on as white"),
            (
                "More",
                "the second player puts a white and a black stone, and the first player chooses "
                "a colour",
            ),
        ),
    )
