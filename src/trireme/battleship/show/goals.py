"""Goals of Battleship's lessons and puzzles: a fleet placed, ships sunk, optimal shots."""

from __future__ import annotations

from collections.abc import Sequence

from trireme.battleship.puzzles import EXACT, regrets
from trireme.battleship.rules import Battleship
from trireme.core.game import AnyGame
from trireme.core.lessons import LEARNER, LessonGoal, LessonMove


def goal_met(game: AnyGame, moves: Sequence[LessonMove], goal: LessonGoal) -> bool:
    """`placed`: the learner's fleet lies; `sunk`: so many enemy ships are sunk; `optimal`: all are,
    by shots with the fewest expected ones each."""
    assert isinstance(game, Battleship)
    if not moves:
        return False
    if goal.kind == "placed":
        return any(LEARNER in move.actions for move in moves)
    if goal.kind == "sunk":
        target = game.view(moves[-1].after, LEARNER).target
        return sum(shot.result == "sunk" for shot in target.shots) >= goal.count
    if goal.kind == "optimal":
        return not game.to_move(moves[-1].after) and max(regrets(game, moves)) <= EXACT
    return False
