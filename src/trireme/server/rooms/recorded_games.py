"""Games that clients want help with: their records are read where a limit of processor time holds,
and those that are being played without help are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from trireme.server.limits import ServerLimits
from trireme.server.protocol.codes import Refusal
from trireme.server.workers.checks import RecordedGame, RecordGame

from .positions import BEING_PLAYED, Boards, any_alike

if TYPE_CHECKING:
    from .lobby import Lobby
    from .room import Room


def checked_record(text: str, limits: ServerLimits) -> str:
    """The text of a record, refused if it has too many lines to be replayed."""
    if text.count("\n") > limits.replay_moves:
        raise Refusal("too_large", f"at most {limits.replay_moves} moves can be replayed here")
    return text


async def running_in_record(lobby: Lobby, text: str) -> tuple[Boards, ...]:
    """The positions of the record's game that are being played without engine help."""
    try:
        header = msgspec.json.decode(text.partition("\n")[0])
    except (ValueError, RecursionError):
        return ()
    name = header.get("game") if isinstance(header, dict) else None
    return await lobby.running_positions(name) if isinstance(name, str) else ()


async def refuse_running(lobby: Lobby, room: Room) -> None:
    """Refuse help with a room's game where it has passed a position like one that is being played
    without: people could play it again there."""
    if running := await lobby.running_positions(room.table.setup.game):
        passed = await lobby.run_in_thread(room.positions.all)
        if await lobby.run_in_thread(any_alike, running, passed):
            raise Refusal("hints_off", BEING_PLAYED)


async def recorded_game(lobby: Lobby, text: str, address: str) -> RecordedGame:
    """The game of a record; refused where it is being played without engine help."""
    text = checked_record(text, lobby.limits)
    task = RecordGame(text, await running_in_record(lobby, text))
    return await lobby.checks.recorded(task, address)
