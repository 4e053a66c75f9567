"""Trying again: a new room that plays on from a position of a finished game or of a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trireme.core.errors import RecordError
from trireme.core.game import AnyGame
from trireme.core.options import settings as settings_of
from trireme.core.record import Moves
from trireme.server.protocol.bodies import NewRoom, SeatChoice, TryAgain
from trireme.server.protocol.codes import Refusal

from .recording import moves_of_record, read_record
from .table import PlayedMove

if TYPE_CHECKING:
    from .lobby import Lobby


@dataclass(frozen=True)
class RetriedGame:
    """The room to create, and the moves that it begins with."""

    request: NewRoom
    moves: Sequence[Moves]


async def find_moment(lobby: Lobby, request: NewRoom) -> RetriedGame:
    """The room and the moves for `request.again`; who holds other seats stays as it was, but an
    agent takes the place of people."""
    again = request.again
    assert again is not None
    if (again.room is None) == (again.record is None):
        raise Refusal("bad_message", "expected either a room or a record")
    if again.record is not None:
        game, moves, agents = await lobby.run_in_thread(_of_record, again, lobby)
    else:
        table = (await lobby.get(again.room or "")).table
        if table.status != "over":
            raise Refusal("game_running", "a running game can't be played again from a position")
        game, moves = table.game, list(table.moves)
        agents = [h.name if h.kind == "agent" else None for h in table.holders]
    _check(game, moves, again, request.game)
    seats = [
        SeatChoice(kind="me") if seat == again.seat else SeatChoice(kind="agent", agent=agent)
        for seat, agent in enumerate(await _offered(lobby, game, agents))
    ]
    made = request.model_copy(
        update={
            "variant": None,
            "settings": settings_of(game),
            "seats": seats,
            "clock": "none",
            "increment": None,
            "public": False,
            "lesson": None,
        }
    )
    texts = [{s: game.write(a) for s, a in m.actions.items()} for m in moves[: again.move]]
    return RetriedGame(made, texts)


def _of_record(again: TryAgain, lobby: Lobby) -> tuple[AnyGame, list[PlayedMove], list[str | None]]:
    record = read_record(again.record or "", lobby.limits)
    try:
        _, moves = moves_of_record(record)
    except RecordError as error:
        raise Refusal("bad_record", str(error)) from None
    return record.game, moves, list(record.header.seats)


def _check(game: AnyGame, moves: Sequence[PlayedMove], again: TryAgain, name: str) -> None:
    """Refuse another game, a move that was not made, and a seat that has nothing to decide."""
    if game.name != name:
        raise Refusal("bad_settings", f"this is a game of {game.name}, not of {name}")
    if again.move >= len(moves):
        raise Refusal("no_such_move", f"the game has {len(moves)} moves, not {again.move + 1}")
    if again.seat not in game.to_move(moves[again.move].before):
        raise Refusal("not_your_turn", f"seat {again.seat} has nothing to decide there")


async def _offered(lobby: Lobby, game: AnyGame, agents: Sequence[str | None]) -> list[str | None]:
    """The agents that a room may seat; None, the default opponent, in place of all others."""
    found: list[str | None] = []
    for spec in agents:
        try:
            if spec is not None:
                await lobby.catalogue.check_agent(game.name, settings_of(game), spec[:200])
            found.append(spec)
        except Refusal:
            found.append(None)
    return found
