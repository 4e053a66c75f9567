"""What one viewer is told: a room's position and happenings, with nothing that the viewer may
not know. This is the only file that turns a table into messages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from trireme.core.board import draw_board
from trireme.core.errors import TriremeError
from trireme.core.game import CHANCE, AnyGame, Listed, Seat
from trireme.core.registry import draw_text, find, load
from trireme.core.terminal import Terminal
from trireme.server.protocol import shapes

from . import events
from .table import Entry, Move, Table

MOST_LISTED = 400
"""Legal actions beyond this number are not listed."""


@cache
def terminal(game: str) -> Terminal:
    """How the game speaks: names of seats, stories, its usual clock."""
    made: Terminal = load(find(game).terminal)()
    return made


def scene(game: AnyGame) -> dict[str, Any]:
    """What stands still all game long and a picture needs."""
    place = find(game.name).scene
    made: dict[str, Any] = {} if place is None else msgspec.to_builtins(load(place)(game))
    return made


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
    speaker = terminal(game.name)
    return [speaker.seat_name(game, state, seat) for seat in range(game.seats)]


def position(
    table: Table,
    seats: Sequence[Seat],
    drafts: dict[Seat, str],
    clock: shapes.ClockState | None,
) -> shapes.Position:
    """The room's present for a client that holds `seats`; with none, for a spectator."""
    game, state = table.game, table.state
    return shapes.Position(
        version=table.version,
        status=table.status,
        moves=len(table.moves),
        to_move=list(table.to_move),
        ready=sorted(table.pending),
        seat_names=seat_names(game, state),
        seats={seat: _seat_state(table, seat, drafts.get(seat)) for seat in seats},
        spectator=None if seats else view_json(game, state, None),
        picture=None if seats else picture(game, state, None),
        clock=clock,
        offers=[shapes.Offer(kind=kind, seat=seat) for kind, seat in table.offers],
        result=result(table) if table.status == "over" else None,
    )


def _seat_state(table: Table, seat: Seat, draft: str | None) -> shapes.SeatState:
    game = table.game
    asked = seat in table.waiting_for
    locked = table.pending.get(seat)
    return shapes.SeatState(
        view=view_json(game, table.state, seat),
        picture=picture(game, table.state, seat),
        to_move=asked,
        legal=_listed(table, seat) if asked else None,
        draft=draft if asked else None,
        locked=None if locked is None else game.write(locked),
        can_undo=table.status == "playing" and table.undo_count(seat) > 0,
    )


def _listed(table: Table, seat: Seat) -> list[str] | None:
    legal = table.game.legal(table.state, seat)
    if not isinstance(legal, Listed) or len(legal) > MOST_LISTED:
        return None
    return [table.text(action) for action in legal]


def result(table: Table) -> shapes.Result:
    return _result(
        table.returns,
        [shapes.ForfeitInfo(seat=f.seat, reason=f.reason, detail=f.detail) for f in table.forfeits],
    )


def _result(returns: Sequence[float], forfeits: list[shapes.ForfeitInfo]) -> shapes.Result:
    best = max(returns)
    winners = [seat for seat, value in enumerate(returns) if value == best]
    return shapes.Result(
        returns=list(returns), winners=winners if len(returns) > 1 else [], forfeits=forfeits
    )


recorded_result = _result


def happenings(table: Table, entry: Entry, seats: Sequence[Seat]) -> list[shapes.Happening]:
    """What a client that holds `seats` learns from one event."""
    told: list[shapes.Happening] = []
    match entry.event:
        case events.Sat(seat=seat, name=name):
            told.append(shapes.Sat(seat=seat, name=name))
        case events.Started():
            told.append(shapes.Started())
        case events.Acted(seat=seat):
            if entry.move is None:
                told.append(shapes.Ready(seat=seat))
            else:
                told.append(moved(table.game, entry.move, seats, open_=False))
        case events.TookBack(seat=seat, count=count):
            told.append(shapes.TakenBack(seat=seat, count=count))
        case events.Forfeited():
            pass
        case events.Offered(seat=seat, what=what):
            told.append(shapes.Offered(offer=shapes.Offer(kind=what, seat=seat)))
        case events.Withdrawn(seat=seat, what=what, proposer=proposer):
            offer = shapes.Offer(kind=what, seat=proposer)
            told.append(shapes.Withdrawn(offer=offer, seat=seat))
        case events.Rematched(room=room):
            told.append(shapes.Rematched(room=room))
    if entry.ended:
        told.append(shapes.Ended(result=result(table)))
    return told


def moved(
    game: AnyGame, move: Move, seats: Sequence[Seat], *, open_: bool, ts: str | None = None
) -> shapes.Moved:
    """A move as whoever holds `seats` may know it; `open_`: the game is over, all is known."""
    viewers: Sequence[Seat | None] = seats or (None,)
    deeds = [
        shapes.Deed(
            seat=seat,
            name="nature"
            if seat == CHANCE
            else terminal(game.name).seat_name(game, move.before, seat),
            action=game.write(action)
            if open_ or any(not game.hides(seat, action, viewer) for viewer in viewers)
            else None,
        )
        for seat, action in move.actions.items()
    ]
    return shapes.Moved(
        move=move.number, deeds=deeds, story=_story(game, move, viewers), ts=ts or move.ts
    )


def _story(game: AnyGame, move: Move, viewers: Sequence[Seat | None]) -> list[str]:
    """What happened, in words: for several seats of one client, each sentence once."""
    lines: dict[str, None] = {}
    for viewer in viewers:
        told = terminal(game.name).sentences(game, move.before, move.actions, move.after, viewer)
        lines.update(dict.fromkeys(told))
    return list(lines)


def frames(
    game: AnyGame,
    moves: Sequence[Move],
    start: Any,
    seats: Sequence[Seat],
    *,
    open_: bool,
) -> list[shapes.Frame]:
    """Every position from the start on. `open_`: all views, and actions that were hidden."""
    viewers: list[Seat | None] = [*range(game.seats), None] if open_ else [*(seats or (None,))]
    made = []
    for number in range(len(moves) + 1):
        move = moves[number - 1] if number else None
        state = move.after if move else start
        eyes: Sequence[Seat] = range(game.seats) if open_ else seats
        made.append(
            shapes.Frame(
                move=number,
                moved=None if move is None else moved(game, move, eyes, open_=open_),
                to_move=[seat for seat in game.to_move(state) if seat != CHANCE],
                seat_names=seat_names(game, state),
                views={
                    "spectator" if seat is None else str(seat): view_json(game, state, seat)
                    for seat in viewers
                },
                pictures={
                    "spectator" if seat is None else str(seat): shown
                    for seat in viewers
                    if (shown := picture(game, state, seat)) is not None
                },
            )
        )
    return made


def fallback(table: Table, seat: Seat) -> Any:
    """The action that counts when the clock ends without a draft; None where there is none."""
    game = table.game
    try:
        action = terminal(game.name).fallback(game, game.view(table.state, seat), seat)
        game.check(table.state, seat, action)
    except (NotImplementedError, TriremeError):
        return None
    return action
