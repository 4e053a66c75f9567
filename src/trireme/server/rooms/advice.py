"""Hints, insight and previews: answers about a seat's position that change nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from trireme.core.errors import TriremeError
from trireme.core.game import AnyGame, Seat
from trireme.core.options import settings as settings_of
from trireme.core.registry import find, load
from trireme.server.limits import SERVER, ServerLimits
from trireme.server.protocol.bodies import AnalysisRequest, AnalysisResponse
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.messages import PreviewRequest, PreviewResponse
from trireme.server.workers.checks import AnalysedPosition, RecordPosition
from trireme.server.workers.tasks import ComputeInsight, Decide, SeatView, TaskFailure

from .agents import decide_task
from .lobby import Lobby
from .recorded_games import checked_record, refuse_running, running_in_record
from .room import Room
from .table import GameTable

DEFAULT_SECONDS = 1.0
"""Thinking time of a hint or an insight."""


async def hint(
    lobby: Lobby,
    room: Room,
    seat: Seat,
    agent: str | None,
    seconds: float | None,
    address: str = SERVER,
) -> tuple[str, str]:
    """The agent and its action for the seat's current decision."""
    await require_hints(lobby, room, address)
    table = room.table
    if seat not in table.waiting_for:
        raise Refusal("not_your_turn", f"seat {seat} has nothing to decide now")
    spec = agent or (await lobby.catalogue.game(table.setup.game)).opponent
    await lobby.catalogue.check_agent(table.setup.game, dict(table.setup.settings), spec, address)
    budget = _budget(seconds, lobby.limits)
    return spec, await _run(lobby, decide_task(table, seat, spec, budget), budget, address)


async def insight(
    lobby: Lobby, room: Room, seat: Seat, seconds: float | None, address: str = SERVER
) -> dict[str, Any]:
    """The game's insight into the seat's current view."""
    await require_hints(lobby, room, address)
    table = room.table
    view = table.game.view(table.state, seat)
    return await _insight(lobby, table.game, view, seat, seconds, address)


async def analyse(lobby: Lobby, request: AnalysisRequest, address: str) -> AnalysisResponse:
    """Hint or insight for any position of a finished game or a record."""
    lobby.quotas.require("cpu", address)
    found = await _position(lobby, request, address)
    game, seat = found.game, request.seat
    if request.kind == "insight":
        insight = await _insight(lobby, game, found.view, seat, request.seconds, address)
        return AnalysisResponse(agent=None, action=None, insight=insight)
    if found.legal is None:
        raise Refusal("not_your_turn", f"seat {seat} has nothing to decide there")
    settings = settings_of(game)
    spec = request.agent or (await lobby.catalogue.game(game.name)).opponent
    await lobby.catalogue.check_agent(game.name, settings, spec, address)
    budget = _budget(request.seconds, lobby.limits)
    at = SeatView.of(seat, found.view, seed=0, place=request.move, seconds=budget)
    task = Decide(game.name, settings, spec, at, found.legal)
    action = await _run(lobby, task, budget, address)
    return AnalysisResponse(agent=spec, action=action, insight=None)


async def _position(lobby: Lobby, request: AnalysisRequest, address: str) -> AnalysedPosition:
    if (request.room is None) == (request.record is None):
        raise Refusal("bad_message", "expected either a room or a record")
    if request.record is not None:
        text = checked_record(request.record, lobby.limits)
        running = await running_in_record(lobby, text)
        task = RecordPosition(text, request.move, request.seat, running)
        return await lobby.checks.position(task, address)
    room = await lobby.get(request.room or "")
    table = room.table
    if table.status != "over":
        raise Refusal("game_running", "a running game is analysed by its seats, over the WebSocket")
    await refuse_running(lobby, room)
    if request.move > len(table.moves):
        raise Refusal("no_such_move", f"the game has {len(table.moves)} moves, not {request.move}")
    game, seat = table.game, request.seat
    if seat >= game.seats:
        raise Refusal("not_your_seat", f"the game has {game.seats} seats, not {seat + 1}")
    state = table.state_after(request.move)
    legal = game.legal(state, seat) if seat in game.to_move(state) else None
    return AnalysedPosition(game, game.view(state, seat), legal)


async def _insight(
    lobby: Lobby, game: AnyGame, view: Any, seat: Seat, seconds: float | None, address: str
) -> dict[str, Any]:
    if find(game.name).insight is None:
        raise Refusal("no_insight", f"{game.name} offers no insight")
    budget = _budget(seconds, lobby.limits)
    at = SeatView.of(seat, view, seed=0, seconds=budget)
    task = ComputeInsight(game.name, settings_of(game), at)
    found: dict[str, Any] = await _run(lobby, task, budget, address)
    return found


async def _run(lobby: Lobby, task: Decide | ComputeInsight, seconds: float, address: str) -> Any:
    try:
        return await lobby.workers.run_query(task, seconds, address)
    except TaskFailure as failure:
        refused = failure.reason == "refused"
        raise Refusal("no_insight" if refused else "agent_failed", failure.detail) from None


async def require_hints(lobby: Lobby, room: Room, address: str) -> None:
    """Refuse advice that the room does not allow now."""
    lobby.quotas.require("cpu", address)
    table = room.table
    if not table.hints and table.status != "over":
        raise Refusal("hints_off", "engine help is off in this room")
    if table.status == "waiting":
        raise Refusal("not_started", "the game begins when every seat is taken")
    await refuse_running(lobby, room)


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
