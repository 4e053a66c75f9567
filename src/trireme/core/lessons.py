"""Lessons: a position, a text and a goal that is checked on the moves of the game; all data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from .game import CHANCE, AnyGame, Seat
from .registry import find, load

GoalState = Literal["open", "met", "missed"]
LEARNER: Seat = 0
"""The seat that the learner plays."""


class LessonGoal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the learner must do. `win` and `play` work in every game; a game may add kinds."""

    kind: str
    """`win`: win the game; `play`: let the first move be one of `any`; else a kind of the game."""
    any: tuple[str, ...] = ()
    """Actions or tiles, as text: one of them."""
    count: int = 1
    """How many of what the kind counts, such as ships to sink."""
    within: int | None = None
    """The most moves of the learner; None: as many as the game allows."""


class Lesson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One lesson, played on the real board by the real rules."""

    id: str
    title: str
    text: str
    """What to learn and what to do, in a few sentences."""
    goal: LessonGoal
    done: str
    """What to say when the goal is met."""
    settings: dict[str, Any] = {}
    opponent: str | None = None
    """The spec of the agent in the other seat; None: the learner plays alone."""


@dataclass(frozen=True)
class LessonMove:
    """One move of the record: who did what, and the states before and after."""

    actions: Mapping[Seat, Any]
    before: Any
    after: Any


GoalCheck = Callable[[AnyGame, Sequence[LessonMove], LessonGoal], bool]
"""`check(game, moves, goal)`: whether the moves meet a goal of the game's own kind."""


@cache
def lessons_of(game: str) -> tuple[Lesson, ...]:
    """The game's lessons, in the order in which to take them; () where it has none."""
    place = find(game).lessons
    if place is None:
        return ()
    package, _, name = place.partition(":")
    text = files(package).joinpath(name).read_bytes()
    return msgspec.json.decode(text, type=tuple[Lesson, ...])


def lesson_named(game: str, id: str) -> Lesson | None:
    """The lesson with this id; None: there is none."""
    return next((lesson for lesson in lessons_of(game) if lesson.id == id), None)


def goal_state(game: AnyGame, moves: Sequence[LessonMove], goal: LessonGoal) -> GoalState:
    """Whether the goal is met, can still be met, or is missed, after these moves."""
    own = [move for move in moves if LEARNER in move.actions]
    if _met(game, moves, own, goal):
        return "met"
    over = bool(moves) and not game.to_move(moves[-1].after)
    late = goal.within is not None and len(own) >= goal.within and not _pending(game, moves, goal)
    wrong = goal.kind == "play" and bool(own)
    return "missed" if over or late or wrong else "open"


def _met(
    game: AnyGame, moves: Sequence[LessonMove], own: Sequence[LessonMove], goal: LessonGoal
) -> bool:
    if goal.kind == "win":
        over = bool(moves) and not game.to_move(moves[-1].after)
        return over and game.returns(moves[-1].after)[LEARNER] > 0
    if goal.kind == "play":
        return bool(own) and game.write(own[0].actions[LEARNER]) in goal.any
    place = find(game.name).goals
    check: GoalCheck | None = None if place is None else load(place)
    return check is not None and check(game, moves, goal)


def _pending(game: AnyGame, moves: Sequence[LessonMove], goal: LessonGoal) -> bool:
    """Whether the learner's last move may still be answered before the goal is judged."""
    return game.to_move(moves[-1].after) == (CHANCE,)
