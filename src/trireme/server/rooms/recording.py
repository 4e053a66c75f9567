"""Records and replays of rooms, built from their events: every download is the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import msgspec

from trireme.core.errors import RecordError
from trireme.core.game import AnyGame, Seat
from trireme.core.record import Moves, Record, RecordWriter, parse_record
from trireme.server.limits import ServerLimits
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.shapes import GameReplay

from . import events
from .table import GameTable, PlayedMove
from .views import recorded_result, replay_frames, result, scene, visible_actions


def record_text(table: GameTable, seats: Sequence[Seat]) -> str:
    """The record; of a running game, what whoever holds `seats` may see of it.

    There the seed, which would reveal chance moves, and hidden actions are null.
    """
    reveal = table.status == "over"
    now = table.started or table.setup.created
    writer = RecordWriter(game_id=table.setup.room, now=lambda: now)
    writer.begin(table.game, table.names(), table.setup.seed if reveal else None)
    for entry in table.log:
        now = entry.ts
        if entry.move is not None:
            _write_move(writer, table.game, entry.move, seats, reveal, _time_left(entry.event))
        elif isinstance(entry.event, events.TakenBackEvent):
            writer.undo(entry.event.count)
        if entry.ended:
            how = "forfeit" if table.forfeits else "over"
            writer.end(how, table.returns, table.forfeits)
    return "".join(line + "\n" for line in writer.lines)


def _write_move(
    writer: RecordWriter,
    game: AnyGame,
    move: PlayedMove,
    seats: Sequence[Seat],
    reveal: bool,
    time_left: dict[str, int | str],
) -> None:
    shown = visible_actions(game, move, seats, reveal=reveal)
    details: dict[str, int | str] = {}
    if len(shown) == 1 and None not in shown.values():
        ((seat, action),) = move.actions.items()
        details = game.details(move.before, seat, action)
    writer.move(cast(Moves, shown), {**details, **time_left})


def _time_left(event: events.AnyEvent) -> dict[str, int | str]:
    """What a record says of the mover's clock for the whole game: milliseconds left."""
    if not isinstance(event, events.ActedEvent) or event.left is None:
        return {}
    return {"clock_ms": round(1000 * event.left)}


def replay_of_table(table: GameTable, seats: Sequence[Seat]) -> GameReplay:
    """The replay of the room's game, as whoever holds `seats` may see it."""
    reveal, moves = table.status == "over", list(table.moves)
    start = moves[0].before if moves else table.state
    return GameReplay(
        game=table.game.name,
        settings=dict(table.setup.settings),
        scene=scene(table.game),
        seats=table.names(),
        room=table.setup.room,
        started=table.started or table.setup.created,
        frames=replay_frames(table.game, moves, start, seats, reveal=reveal),
        result=result(table) if reveal else None,
    )


def read_record(text: str, limits: ServerLimits) -> Record:
    """The record in `text`, or a refusal that names the line that is wrong."""
    if text.count("\n") > limits.replay_moves:
        raise Refusal("too_large", f"at most {limits.replay_moves} moves can be replayed here")
    try:
        return parse_record(text if text.endswith("\n") else text + "\n", partial=True)
    except RecordError as error:
        raise Refusal("bad_record", str(error)) from None


def moves_of_record(record: Record) -> tuple[Any, list[PlayedMove]]:
    """The start and every move; raises `RecordError` where a line can't be played."""
    lines = record.text.split("\n")
    states = list(record.states())
    moves = [
        PlayedMove(
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


def replay_of_record(record: Record) -> GameReplay:
    """The replay of a record; nothing is hidden."""
    start, moves = moves_of_record(record)
    record.verify()
    end = record.end
    return GameReplay(
        game=record.game.name,
        settings=record.header.settings,
        scene=scene(record.game),
        seats=list(record.header.seats),
        room=None,
        started=record.header.started,
        frames=replay_frames(record.game, moves, start, (), reveal=True),
        result=None if end is None else recorded_result(end.returns, end.forfeits),
    )
