"""What one viewer may see of a room: the only file that turns its state into messages.

Hidden information is removed here, by the game's own `view` and `hides`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from trireme.core.board import draw_board
from trireme.core.errors import TriremeError
from trireme.core.game import CHANCE, AnyGame, Listed, Seat
from trireme.core.lessons import GoalState, LessonMove, goal_state, lesson_named
from trireme.core.record import Forfeited
from trireme.core.registry import draw_text, find, load
from trireme.core.terminal import Terminal
from trireme.server.protocol import shapes

from . import events
from .puzzles import puzzle_state
from .table import GameTable, LogEntry, PlayedMove

MAX_LISTED = 400
"""More legal actions than this are not listed."""


@cache
def terminal(game: str) -> Terminal:
    """The game's texts: names of seats, sentences about moves, its default clock."""
    texts: Terminal = load(find(game).terminal)()
    return texts


def view_json(game: AnyGame, state: Any, seat: Seat | None) -> Any:
    """A view as plain JSON values."""
    return msgspec.to_builtins(game.view(state, seat))


def picture(game: AnyGame, state: Any, seat: Seat | None) -> shapes.ViewPicture | None:
    """A view as the generic page draws it; None for games that have a page of their own."""
    if find(game.name).own_page:
        return None
    board = draw_board(game, game.view(state, seat))
    plain = None if board is None else msgspec.to_builtins(board)
    text = draw_text(game, state, seat)
    return shapes.ViewPicture.model_validate({"text": text, "board": plain}, strict=False)


def seat_names(game: AnyGame, state: Any) -> list[str]:
    texts = terminal(game.name)
    return [texts.seat_name(game, state, seat) for seat in range(game.seats)]


class PositionViews:
    """The current position of a room as each of its clients may see it; what is the same for all
    of them is computed once."""

    def __init__(
        self, table: GameTable, drafts: dict[Seat, str], clock: shapes.ClockState | None
    ) -> None:
        self._table, self._drafts = table, drafts
        self._public: dict[str, Any] = {
            "version": table.version,
            "status": table.status,
            "moves": len(table.moves),
            "to_move": list(table.to_move),
            "ready": sorted(table.pending),
            "seat_names": seat_names(table.game, table.state),
            "clock": clock,
            "offers": [shapes.Offer(kind=kind, seat=seat) for kind, seat in table.offers],
            "result": result(table) if table.status == "over" else None,
            "lesson": _lesson_state(table),
            "puzzle": puzzle_state(table),
        }

    def of(self, seats: Sequence[Seat]) -> shapes.RoomPosition:
        """The position for a client that holds `seats`; with none, for a spectator."""
        table, drafts = self._table, self._drafts
        return shapes.RoomPosition(
            **self._public,
            seats={seat: _seat_state(table, seat, drafts.get(seat)) for seat in seats},
            spectator=None if seats else view_json(table.game, table.state, None),
            picture=None if seats else picture(table.game, table.state, None),
        )


def position(
    table: GameTable,
    seats: Sequence[Seat],
    drafts: dict[Seat, str],
    clock: shapes.ClockState | None,
) -> shapes.RoomPosition:
    """The current position for a client that holds `seats`; with none, for a spectator."""
    return PositionViews(table, drafts, clock).of(seats)


def _lesson_state(table: GameTable) -> GoalState | None:
    """How far the lesson's goal is; judged on the moves of the room, as a record has them."""
    lesson = (
        None if table.setup.lesson is None else lesson_named(table.game.name, table.setup.lesson)
    )
    if lesson is None:
        return None
    if table.forfeits:
        return "missed"
    moves = [LessonMove(move.actions, move.before, move.after) for move in table.moves]
    return goal_state(table.game, moves, lesson.goal)


def _seat_state(table: GameTable, seat: Seat, draft: str | None) -> shapes.SeatState:
    game = table.game
    awaited = seat in table.waiting_for
    locked = table.pending.get(seat)
    return shapes.SeatState(
        view=view_json(game, table.state, seat),
        picture=picture(game, table.state, seat),
        to_move=awaited,
        legal=_legal_texts(table, seat) if awaited else None,
        draft=draft if awaited else None,
        locked=None if locked is None else game.write(locked),
        can_undo=table.status == "playing" and table.undo_count(seat) > 0,
    )


def _legal_texts(table: GameTable, seat: Seat) -> list[str] | None:
    legal = table.game.legal(table.state, seat)
    if not isinstance(legal, Listed) or len(legal) > MAX_LISTED:
        return None
    return table.texts(legal)


def result(table: GameTable) -> shapes.GameResult:
    return recorded_result(table.returns, table.forfeits)


def recorded_result(returns: Sequence[float], forfeits: Sequence[Forfeited]) -> shapes.GameResult:
    best = max(returns)
    winners = [seat for seat, value in enumerate(returns) if value == best]
    return shapes.GameResult(
        returns=list(returns),
        winners=winners if len(returns) > 1 else [],
        forfeits=[
            shapes.ForfeitInfo(seat=f.seat, reason=f.reason, detail=f.detail) for f in forfeits
        ],
    )


def visible_events(
    table: GameTable, entry: LogEntry, seats: Sequence[Seat]
) -> list[shapes.RoomEvent]:
    """What a client that holds `seats` may see of one log entry."""
    visible: list[shapes.RoomEvent] = []
    match entry.event:
        case events.SeatTakenEvent(seat=seat, name=name):
            visible.append(shapes.Sat(seat=seat, name=name))
        case events.StartedEvent():
            visible.append(shapes.Started())
        case events.ActedEvent(seat=seat):
            if entry.move is None:
                visible.append(shapes.Ready(seat=seat))
            else:
                visible.append(move_event(table.game, entry.move, seats, reveal=False))
        case events.TakenBackEvent(seat=seat, count=count):
            visible.append(shapes.TakenBack(seat=seat, count=count))
        case events.ForfeitedEvent():
            pass  # `ended` tells it
        case events.OfferedEvent(seat=seat, what=what):
            visible.append(shapes.Offered(offer=shapes.Offer(kind=what, seat=seat)))
        case events.WithdrawnEvent(seat=seat, what=what, proposer=proposer):
            offer = shapes.Offer(kind=what, seat=proposer)
            visible.append(shapes.Withdrawn(offer=offer, seat=seat))
        case events.RematchedEvent(room=room):
            visible.append(shapes.Rematched(room=room))
        case events.HintsAllowedEvent(seat=seat):
            visible.append(shapes.HintsAllowed(seat=seat))
    if entry.ended:
        visible.append(shapes.Ended(result=result(table)))
    return visible


class EventTexts:
    """A room's events as JSON for each kind of viewer, translated once: a client may ask for all of
    them again and again, and the hundreds of a long game take 20 ms."""

    def __init__(self, table: GameTable) -> None:
        self._table = table
        self._by_seats: dict[tuple[Seat, ...], list[str]] = {}

    def since(self, version: int, seats: tuple[Seat, ...]) -> str:
        """The events after `version`, separated by commas."""
        texts = self._by_seats.setdefault(seats, [])
        for entry in self._table.log[len(texts) :]:
            visible = visible_events(self._table, entry, seats)
            texts.append(",".join(event.model_dump_json() for event in visible))
        return ",".join(filter(None, texts[version:]))


def visible_actions(
    game: AnyGame, move: PlayedMove, seats: Sequence[Seat], *, reveal: bool
) -> dict[Seat, str | None]:
    """The move's actions as text; None: hidden from whoever holds `seats`.

    `reveal`: the game is over, nothing is hidden any more.
    """
    viewers: Sequence[Seat | None] = seats or (None,)
    return {
        seat: game.write(action)
        if reveal or any(not game.hides(seat, action, viewer) for viewer in viewers)
        else None
        for seat, action in move.actions.items()
    }


def move_event(
    game: AnyGame, move: PlayedMove, seats: Sequence[Seat], *, reveal: bool
) -> shapes.Moved:
    """A move as whoever holds `seats` may see it."""
    actions = [
        shapes.SeatAction(
            seat=seat,
            name="nature"
            if seat == CHANCE
            else terminal(game.name).seat_name(game, move.before, seat),
            action=action,
        )
        for seat, action in visible_actions(game, move, seats, reveal=reveal).items()
    ]
    story = _story(game, move, seats or (None,))
    return shapes.Moved(move=move.number, actions=actions, story=story, ts=move.ts)


def _story(game: AnyGame, move: PlayedMove, viewers: Sequence[Seat | None]) -> list[str]:
    """The move's effects as sentences; each once, though several seats of a client see it."""
    lines: dict[str, None] = {}
    for viewer in viewers:
        seen = terminal(game.name).sentences(game, move.before, move.actions, move.after, viewer)
        lines.update(dict.fromkeys(seen))
    return list(lines)


def replay_frames(
    game: AnyGame,
    moves: Sequence[PlayedMove],
    start: Any,
    seats: Sequence[Seat],
    *,
    reveal: bool,
) -> list[shapes.Frame]:
    """Every position from the start on; `reveal`: all views, and actions that were hidden."""
    shown: Sequence[Seat] = range(game.seats) if reveal else seats
    viewers: list[Seat | None] = [*shown, None] if reveal else [*(seats or (None,))]
    frames = []
    for number in range(len(moves) + 1):
        move = moves[number - 1] if number else None
        state = move.after if move else start
        frames.append(
            shapes.Frame(
                move=number,
                moved=None if move is None else move_event(game, move, shown, reveal=reveal),
                to_move=[seat for seat in game.to_move(state) if seat != CHANCE],
                seat_names=seat_names(game, state),
                views={
                    "spectator" if seat is None else str(seat): view_json(game, state, seat)
                    for seat in viewers
                },
                pictures={
                    "spectator" if seat is None else str(seat): drawn
                    for seat in viewers
                    if (drawn := picture(game, state, seat)) is not None
                },
            )
        )
    return frames


def fallback(table: GameTable, seat: Seat) -> Any:
    """The action that is played when the clock runs out without a draft; None: forfeit."""
    game = table.game
    try:
        action = terminal(game.name).fallback(game, game.view(table.state, seat), seat)
        game.check(table.state, seat, action)
    except (NotImplementedError, TriremeError):
        return None
    return action
