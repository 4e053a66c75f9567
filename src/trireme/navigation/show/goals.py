"""Goals of Battle Navigation's lessons and puzzles: tiles to reach, hazards, shots, safety."""

from __future__ import annotations

from collections.abc import Sequence

from trireme.core.game import AnyGame
from trireme.core.lessons import LEARNER, LessonGoal, LessonMove
from trireme.navigation.geometry import tile_name
from trireme.navigation.phase_log import PhaseEntry
from trireme.navigation.puzzles import outguns, threat_to
from trireme.navigation.rules import as_navigation


def goal_met(game: AnyGame, moves: Sequence[LessonMove], goal: LessonGoal) -> bool:
    """`reach`: end a phase on one of the tiles; `wind`, `whirlpool`: be moved by one; `hit`: land
    so many broadsides on the enemy; `outgun`: take so many hit points and lose none; `safe`: sail
    a plan that no enemy plan could have hit."""
    entries: list[PhaseEntry] = [entry for move in moves for entry in move.after.log]
    if goal.kind == "reach":
        return any(tile_name(entry.drifted[LEARNER].tile) in goal.any for entry in entries)
    if goal.kind in ("wind", "whirlpool"):
        return sum(entry.hazards[LEARNER] == goal.kind for entry in entries) >= goal.count
    if goal.kind == "hit":
        hits = (
            event
            for entry in entries
            for event in entry.events
            if event.kind == "shot" and event.seat == LEARNER and event.target is not None
        )
        return sum(1 for _ in hits) >= goal.count
    if goal.kind == "outgun":
        return bool(moves) and outguns(moves[0], goal.count)
    if goal.kind == "safe" and moves:
        played = moves[0].actions[LEARNER]
        return threat_to(as_navigation(game), moves[0].before, played) is None
    return False
