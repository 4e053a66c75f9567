"""Trying again: a new room that plays on from a position of a finished game or of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trireme.core.game import AnyGame, Seat
from trireme.core.options import settings as settings_of
from trireme.core.record import Moves
from trireme.server.protocol.bodies import NewRoom, SeatChoice, TryAgain
from trireme.server.protocol.codes import Refusal

from .recorded_games import recorded_game, refuse_running
from .table import PlayedMove

if TYPE_CHECKING:
    from .lobby import Lobby


@dataclass(frozen=True)
class RetriedGame:
    """The room to create, and the moves that it begins with."""

    request: NewRoom
    moves: Sequence[Moves]


async def find_moment(lobby: Lobby, request: NewRoom, address: str) -> RetriedGame:
    """The room and the moves for `request.again`; who holds other seats stays as it was, but an
    agent takes the place of people."""
    again = request.again
    assert again is not None
    if (again.room is None) == (again.record is None):
        raise Refusal("bad_message", "expected either a room or a record")
    if again.record is not None:
        found = await recorded_game(lobby, again.record, address)
        game, moves = found.game, found.moves
        agents: list[str | None] = list(found.seats)
    else:
        room = await lobby.get(again.room or "")
        table = room.table
        if table.status != "over":
            raise Refusal("game_running", "a running game can't be played again from a position")
        await refuse_running(lobby, room)
        game, moves = table.game, list(table.moves)
        agents = [h.name if h.kind == "agent" else None for h in table.holders]
    _check(game, moves, again, request.game)
    seats = [
        SeatChoice(kind="me") if seat == again.seat else SeatChoice(kind="agent", agent=agent)
        for seat, agent in enumerate(await _offered(lobby, game, agents, address))
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
    return RetriedGame(made, [write_moves(game, move.actions) for move in moves[: again.move]])


def write_moves(game: AnyGame, actions: Mapping[Seat, Any]) -> Moves:
    """Actions as their texts."""
    return {seat: game.write(action) for seat, action in actions.items()}


def _check(game: AnyGame, moves: Sequence[PlayedMove], again: TryAgain, name: str) -> None:
    """Refuse another game, a move that was not made, and a seat that has nothing to decide."""
    if game.name != name:
        raise Refusal("bad_settings", f"this is a game of {game.name}, not of {name}")
    if again.move >= len(moves):
        raise Refusal("no_such_move", f"the game has {len(moves)} moves, not {again.move + 1}")
    if again.seat not in game.to_move(moves[again.move].before):
        raise Refusal("not_your_turn", f"seat {again.seat} has nothing to decide there")


async def _offered(
    lobby: Lobby, game: AnyGame, agents: Sequence[str | None], address: str
) -> list[str | None]:
    """The agents that a room may seat; None, the default opponent, in place of all others."""
    found: list[str | None] = []
    for spec in agents:
        try:
            if spec is not None:
                await lobby.catalogue.check_agent(game.name, settings_of(game), spec[:200], address)
            found.append(spec)
        except Refusal:
            found.append(None)
    return found
