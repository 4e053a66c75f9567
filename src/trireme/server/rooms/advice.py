"""Hints and insight: what an agent would do in a seat, and what can be known from its view."""

from __future__ import annotations

from typing import Any

from trireme.core.errors import RecordError
from trireme.core.game import AnyGame, Seat
from trireme.core.options import settings as settings_of
from trireme.core.record import Record, parse_record
from trireme.core.registry import find
from trireme.server.limits import Limits
from trireme.server.protocol.bodies import Analysis, AnalysisRequest
from trireme.server.protocol.codes import Refusal
from trireme.server.workers.tasks import Decide, Failure, Ponder

from .lobby import Lobby
from .recording import moves_of_record
from .room import Room

USUAL_SECONDS = 1.0


async def hint(
    lobby: Lobby, room: Room, seat: Seat, agent: str | None, seconds: float | None
) -> tuple[str, str]:
    """The agent and its action for the seat's present decision."""
    _must_allow(room)
    table = room.table
    if seat not in table.waiting_for:
        raise Refusal("not_your_turn", f"seat {seat} has nothing to decide now")
    spec = agent or (await lobby.catalogue.game(table.setup.game)).opponent
    await lobby.catalogue.vet(table.setup.game, dict(table.setup.settings), spec)
    budget = _budget(seconds, lobby.limits)
    return spec, await _ask(lobby, room.decide_task(seat, spec, budget), budget)


async def insight(lobby: Lobby, room: Room, seat: Seat, seconds: float | None) -> dict[str, Any]:
    """What the game can say about the seat's present view."""
    _must_allow(room)
    table = room.table
    return await _insight(lobby, table.game, table.state, seat, seconds)


async def analyse(lobby: Lobby, wish: AnalysisRequest) -> Analysis:
    """Hint or insight for any position of a finished game or a record."""
    game, states = await _positions(lobby, wish)
    if wish.move >= len(states):
        raise Refusal("no_such_move", f"the game has {len(states) - 1} moves, not {wish.move}")
    if wish.seat >= game.seats:
        raise Refusal("not_your_seat", f"the game has {game.seats} seats, not {wish.seat + 1}")
    state = states[wish.move]
    if wish.kind == "insight":
        found = await _insight(lobby, game, state, wish.seat, wish.seconds)
        return Analysis(agent=None, action=None, insight=found)
    if wish.seat not in game.to_move(state):
        raise Refusal("not_your_turn", f"seat {wish.seat} has nothing to decide there")
    settings = settings_of(game)
    spec = wish.agent or (await lobby.catalogue.game(game.name)).opponent
    await lobby.catalogue.vet(game.name, settings, spec)
    budget = _budget(wish.seconds, lobby.limits)
    task = Decide(
        game.name,
        settings,
        spec,
        wish.seat,
        game.view(state, wish.seat),
        game.legal(state, wish.seat),
        0,
        (wish.seat + 1, wish.move),
        budget,
    )
    return Analysis(agent=spec, action=await _ask(lobby, task, budget), insight=None)


async def _positions(lobby: Lobby, wish: AnalysisRequest) -> tuple[AnyGame, list[Any]]:
    if (wish.room is None) == (wish.record is None):
        raise Refusal("bad_message", "expected either a room or a record")
    if wish.record is not None:
        record = await lobby.aside(read_record, wish.record, lobby.limits)
        try:
            start, moves = await lobby.aside(moves_of_record, record)
        except RecordError as error:
            raise Refusal("bad_record", str(error)) from None
        return record.game, [start, *(move.after for move in moves)]
    table = (await lobby.get(wish.room or "")).table
    if table.status != "over":
        raise Refusal("game_running", "a running game is analysed by its seats, over the socket")
    start = table.moves[0].before if table.moves else table.state
    return table.game, [start, *(move.after for move in table.moves)]


def read_record(text: str, limits: Limits) -> Record:
    """A record that somebody sent, or a refusal that names the line that is wrong."""
    if text.count("\n") > limits.replay_moves:
        raise Refusal("too_large", f"at most {limits.replay_moves} moves can be replayed here")
    try:
        return parse_record(text if text.endswith("\n") else text + "\n", partial=True)
    except RecordError as error:
        raise Refusal("bad_record", str(error)) from None


async def _insight(
    lobby: Lobby, game: AnyGame, state: Any, seat: Seat, seconds: float | None
) -> dict[str, Any]:
    if find(game.name).insight is None:
        raise Refusal("no_insight", f"{game.name} offers no insight")
    budget = _budget(seconds, lobby.limits)
    view = game.view(state, seat)
    task = Ponder(game.name, settings_of(game), seat, view, 0, (seat + 1,), budget)
    found: dict[str, Any] = await _ask(lobby, task, budget)
    return found


async def _ask(lobby: Lobby, task: Decide | Ponder, seconds: float) -> Any:
    try:
        return await lobby.workers.question(task, seconds)
    except Failure as failure:
        refused = failure.reason == "refused"
        raise Refusal("no_insight" if refused else "agent_failed", failure.detail) from None


def _must_allow(room: Room) -> None:
    if not room.table.setup.hints and room.table.status != "over":
        raise Refusal("hints_off", "this room was made without hints")
    if room.table.status == "waiting":
        raise Refusal("not_started", "the game begins when every seat is taken")


def _budget(seconds: float | None, limits: Limits) -> float:
    return min(USUAL_SECONDS if seconds is None else seconds, limits.question_seconds)
