"""Hints, insight and previews: answers about a seat's position that change nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from trireme.core.errors import RecordError, TriremeError
from trireme.core.game import AnyGame, Seat
from trireme.core.options import settings as settings_of
from trireme.core.registry import find, load
from trireme.server.limits import ServerLimits
from trireme.server.protocol.bodies import AnalysisRequest, AnalysisResponse
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.messages import PreviewRequest, PreviewResponse
from trireme.server.workers.tasks import ComputeInsight, Decide, SeatView, TaskFailure

from .lobby import Lobby
from .recording import moves_of_record, read_record
from .room import Room
from .table import GameTable

DEFAULT_SECONDS = 1.0
"""Thinking time of a hint or an insight."""


async def hint(
    lobby: Lobby, room: Room, seat: Seat, agent: str | None, seconds: float | None
) -> tuple[str, str]:
    """The agent and its action for the seat's current decision."""
    require_hints(room)
    table = room.table
    if seat not in table.waiting_for:
        raise Refusal("not_your_turn", f"seat {seat} has nothing to decide now")
    spec = agent or (await lobby.catalogue.game(table.setup.game)).opponent
    await lobby.catalogue.check_agent(table.setup.game, dict(table.setup.settings), spec)
    budget = _budget(seconds, lobby.limits)
    return spec, await _run(lobby, room.decide_task(seat, spec, budget), budget)


async def insight(lobby: Lobby, room: Room, seat: Seat, seconds: float | None) -> dict[str, Any]:
    """The game's insight into the seat's current view."""
    require_hints(room)
    table = room.table
    return await _insight(lobby, table.game, table.state, seat, seconds)


async def analyse(lobby: Lobby, request: AnalysisRequest) -> AnalysisResponse:
    """Hint or insight for any position of a finished game or a record."""
    game, states = await _positions(lobby, request)
    if request.move >= len(states):
        raise Refusal("no_such_move", f"the game has {len(states) - 1} moves, not {request.move}")
    if request.seat >= game.seats:
        raise Refusal("not_your_seat", f"the game has {game.seats} seats, not {request.seat + 1}")
    state = states[request.move]
    if request.kind == "insight":
        found = await _insight(lobby, game, state, request.seat, request.seconds)
        return AnalysisResponse(agent=None, action=None, insight=found)
    if request.seat not in game.to_move(state):
        raise Refusal("not_your_turn", f"seat {request.seat} has nothing to decide there")
    settings = settings_of(game)
    spec = request.agent or (await lobby.catalogue.game(game.name)).opponent
    await lobby.catalogue.check_agent(game.name, settings, spec)
    budget = _budget(request.seconds, lobby.limits)
    at = SeatView.of(
        request.seat,
        game.view(state, request.seat),
        seed=0,
        place=request.move,
        seconds=budget,
    )
    task = Decide(game.name, settings, spec, at, game.legal(state, request.seat))
    return AnalysisResponse(agent=spec, action=await _run(lobby, task, budget), insight=None)


async def _positions(lobby: Lobby, request: AnalysisRequest) -> tuple[AnyGame, list[Any]]:
    if (request.room is None) == (request.record is None):
        raise Refusal("bad_message", "expected either a room or a record")
    if request.record is not None:
        record = await lobby.run_in_thread(read_record, request.record, lobby.limits)
        try:
            start, moves = await lobby.run_in_thread(moves_of_record, record)
        except RecordError as error:
            raise Refusal("bad_record", str(error)) from None
        return record.game, [start, *(move.after for move in moves)]
    table = (await lobby.get(request.room or "")).table
    if table.status != "over":
        raise Refusal("game_running", "a running game is analysed by its seats, over the WebSocket")
    start = table.moves[0].before if table.moves else table.state
    return table.game, [start, *(move.after for move in table.moves)]


async def _insight(
    lobby: Lobby, game: AnyGame, state: Any, seat: Seat, seconds: float | None
) -> dict[str, Any]:
    if find(game.name).insight is None:
        raise Refusal("no_insight", f"{game.name} offers no insight")
    budget = _budget(seconds, lobby.limits)
    at = SeatView.of(seat, game.view(state, seat), seed=0, seconds=budget)
    task = ComputeInsight(game.name, settings_of(game), at)
    found: dict[str, Any] = await _run(lobby, task, budget)
    return found


async def _run(lobby: Lobby, task: Decide | ComputeInsight, seconds: float) -> Any:
    try:
        return await lobby.workers.run_query(task, seconds)
    except TaskFailure as failure:
        refused = failure.reason == "refused"
        raise Refusal("no_insight" if refused else "agent_failed", failure.detail) from None


def require_hints(room: Room) -> None:
    """Refuse advice that the room does not allow now."""
    if not room.table.setup.hints and room.table.status != "over":
        raise Refusal("hints_off", "this room was created without hints")
    if room.table.status == "waiting":
        raise Refusal("not_started", "the game begins when every seat is taken")


def _budget(seconds: float | None, limits: ServerLimits) -> float:
    return min(DEFAULT_SECONDS if seconds is None else seconds, limits.query_seconds)


def preview(table: GameTable, request: PreviewRequest) -> PreviewResponse:
    """Whether an action would be legal, and its outcome, from the seat's view alone."""
    seat, game = request.seat, table.game
    problem: str | None = None
    action: Any = None
    if seat not in table.waiting_for:
        raise Refusal("not_your_turn", f"seat {seat} has nothing to decide now")
    if request.action is None:
        action = game.legal(table.state, seat).sample(np.random.default_rng())
    else:
        try:
            action = table.read(seat, request.action)
        except Refusal as refusal:
            problem = refusal.message
    return PreviewResponse(
        id=request.id,
        seat=seat,
        moves=len(table.moves),
        action=game.write(action) if request.action is None else request.action,
        drawn=request.action is None,
        problem=problem,
        outcome=None if action is None else _outcome(table, seat, action, request.others),
    )


def _outcome(table: GameTable, seat: Seat, action: Any, others: dict[Seat, str]) -> Any:
    place = find(table.game.name).preview
    if place is None:
        return None
    game = table.game
    try:
        assumed = {s: game.read(text) for s, text in others.items() if s != seat}
        outcome = load(place)(game, game.view(table.state, seat), {**assumed, seat: action})
    except TriremeError as error:
        raise Refusal("bad_action", f"the assumed action of another seat: {error}") from None
    return msgspec.to_builtins(outcome)
