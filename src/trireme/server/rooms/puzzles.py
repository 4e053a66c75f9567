"""Puzzles in rooms: the room of a puzzle, and how an attempt stands; solutions come last."""

from __future__ import annotations

from datetime import date, datetime

from trireme.core.errors import TriremeError
from trireme.core.lessons import GoalState, LessonMove
from trireme.core.puzzles import (
    Puzzle,
    attempt_state,
    daily_puzzle,
    puzzle_with_id,
    puzzles_of,
    review_attempt,
    share_text,
)
from trireme.server.protocol import shapes
from trireme.server.protocol.bodies import NewRoom
from trireme.server.protocol.codes import Refusal

from .events import RoomSetup
from .private_room import private_room
from .table import GameTable

PUZZLE_THINK = 0.5
"""Seconds that the opponent of a puzzle has for a decision."""


def find_puzzle(game: str, id: str) -> Puzzle:
    """The shipped puzzle with this id, or a refusal."""
    try:
        return puzzle_with_id(game, id)
    except TriremeError as error:
        raise Refusal("bad_settings", str(error)) from None


def puzzle_room(request: NewRoom, puzzle: Puzzle) -> NewRoom:
    """The room of a puzzle: its position and opponent, no clock, no hints, nobody watches."""
    task = private_room(request, puzzle.settings, puzzle.opponent, PUZZLE_THINK)
    return task.model_copy(update={"puzzle": puzzle.id, "hints": False})


def puzzle_info(setup: RoomSetup) -> shapes.PuzzleInfo | None:
    """The room's puzzle without its solution; None: it holds none, or one of another version."""
    puzzle = _puzzle_of(setup)
    if puzzle is None:
        return None
    day = _day_of(setup, puzzle)
    return shapes.PuzzleInfo(
        id=puzzle.id,
        title=puzzle.title,
        text=puzzle.text,
        rating=puzzle.rating,
        day=None if day is None else day.isoformat(),
    )


def puzzle_state(table: GameTable) -> shapes.PuzzleState | None:
    """How the attempt stands; the solution is left out until it is over."""
    puzzle = _puzzle_of(table.setup)
    if puzzle is None:
        return None
    moves = [LessonMove(m.actions, m.before, m.after) for m in table.moves[len(puzzle.opening) :]]
    state: GoalState = "missed" if table.forfeits else attempt_state(table.game, moves, puzzle)
    if state == "open":
        return shapes.PuzzleState(state=state, note="", solution=[], share="")
    review = review_attempt(table.game, moves, puzzle)
    day = _day_of(table.setup, puzzle)
    return shapes.PuzzleState(
        state=state,
        note=review.note,
        solution=list(puzzle.solution),
        share=share_text(table.game.name, puzzle, state, review, day),
    )


def _puzzle_of(setup: RoomSetup) -> Puzzle | None:
    return None if setup.puzzle is None else puzzles_of(setup.game).get(setup.puzzle)


def _day_of(setup: RoomSetup, puzzle: Puzzle) -> date | None:
    """The day whose puzzle it was when the room was created."""
    day = datetime.fromisoformat(setup.created).date()
    return day if daily_puzzle(setup.game, day) is puzzle else None
