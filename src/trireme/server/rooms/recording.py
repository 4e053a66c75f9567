"""A room's record: built from its events, so that it is the same at every download."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from trireme.core.game import AnyGame, Seat
from trireme.core.record import Moves, Record, RecordWriter
from trireme.server.protocol.shapes import ForfeitInfo, Replay

from . import events
from .table import Move, Table
from .views import frames, recorded_result, result, scene


def record_text(table: Table, seats: Sequence[Seat]) -> str:
    """The record; of a running game, what whoever holds `seats` may know of it.

    There the seed, which would give nature's moves away, and hidden actions are null.
    """
    open_ = table.status == "over"
    now = table.started or table.setup.created
    writer = RecordWriter(game_id=table.setup.room, now=lambda: now)
    writer.begin(table.game, table.names(), table.setup.seed if open_ else None)
    for entry in table.entries:
        now = entry.ts
        if entry.move is not None:
            _write_move(writer, table.game, entry.move, seats, open_)
        elif isinstance(entry.event, events.TookBack):
            writer.undo(entry.event.count)
        if entry.ended:
            how = "forfeit" if table.forfeits else "over"
            writer.end(how, table.returns, table.forfeits)
    return "".join(line + "\n" for line in writer.lines)


def _write_move(
    writer: RecordWriter, game: AnyGame, move: Move, seats: Sequence[Seat], open_: bool
) -> None:
    viewers: Sequence[Seat | None] = seats or (None,)
    shown = {
        seat: game.write(action)
        if open_ or any(not game.hides(seat, action, viewer) for viewer in viewers)
        else None
        for seat, action in move.actions.items()
    }
    details: dict[str, int | str] = {}
    if len(shown) == 1 and None not in shown.values():
        ((seat, action),) = move.actions.items()
        details = game.details(move.before, seat, action)
    writer.move(cast(Moves, shown), details)


def replay_of_table(table: Table, seats: Sequence[Seat]) -> Replay:
    """The room's game, position by position, as whoever holds `seats` may know it."""
    open_, moves = table.status == "over", list(table.moves)
    start = moves[0].before if moves else table.state
    return Replay(
        game=table.game.name,
        settings=dict(table.setup.settings),
        scene=scene(table.game),
        seats=table.names(),
        room=table.setup.room,
        started=table.started or table.setup.created,
        frames=frames(table.game, moves, start, seats, open_=open_),
        result=result(table) if open_ else None,
    )


def moves_of_record(record: Record) -> tuple[Any, list[Move]]:
    """The start and every move that stands; raises `RecordError` where a line can't be played."""
    lines = record.text.split("\n")
    states = list(record.states())
    moves = [
        Move(
            number,
            {seat: record.game.read(text) for seat, text in sorted(texts.items())},
            states[number - 1],
            states[number],
            str(msgspec.json.decode(lines[line - 1]).get("ts", "")),
        )
        for number, (texts, line) in enumerate(
            zip(record.moves, record.move_lines, strict=True), start=1
        )
    ]
    return states[0], moves


def replay_of_record(record: Record) -> Replay:
    """A record's game, position by position: everything is open."""
    start, moves = moves_of_record(record)
    record.verify()
    end = record.end
    return Replay(
        game=record.game.name,
        settings=record.header.settings,
        scene=scene(record.game),
        seats=list(record.header.seats),
        room=None,
        started=record.header.started,
        frames=frames(record.game, moves, start, (), open_=True),
        result=None
        if end is None
        else recorded_result(
            end.returns,
            [ForfeitInfo(seat=f.seat, reason=f.reason, detail=f.detail) for f in end.forfeits],
        ),
    )
