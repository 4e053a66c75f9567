"""The agents of a room: each is asked in a worker when it is to move, and its answer is played."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from trireme.core.game import Seat
from trireme.server.limits import SERVER
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.messages import Error, Preparing, Queued
from trireme.server.workers.tasks import Decide, SeatView, TaskFailure

from .first_answer import answer_soon
from .table import GameTable

if TYPE_CHECKING:
    from .room import Room

log = logging.getLogger("trireme.server")


class RoomAgents:
    """Lets a room's agents move while any client is connected."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self.tasks: dict[Seat, asyncio.Task[None]] = {}
        """By seat: the agents that are thinking."""

    def start(self) -> None:
        """Start the agents that are to move."""
        table = self._room.table
        if not self._room.clients:
            return
        for seat in table.waiting_for:
            if table.holders[seat].kind == "agent" and seat not in self.tasks:
                self.tasks[seat] = asyncio.create_task(self._run(seat, table.decision))

    def report_preparation(self, game: str, compiled: int) -> None:
        """Tell all clients how many kernels are compiled, if an agent of theirs waits for them."""
        if game == self._room.table.setup.game:
            for seat in self.tasks:
                self._room.send_all(Preparing(seat=seat, compiled=compiled))

    async def _run(self, seat: Seat, decision: int) -> None:
        room = self._room
        try:
            await self._move(seat, decision)
        except Refusal as refusal:
            if not room.broken:
                log.warning("room %s: agent of seat %d: %s", room.id, seat, refusal)
        except Exception:
            log.exception("room %s: the agent of seat %d could not move", room.id, seat)
        finally:
            self.tasks.pop(seat, None)
            moved_on = room.table.decision != decision
            if not room.broken and seat in room.table.waiting_for and moved_on:
                self.start()

    async def _move(self, seat: Seat, decision: int) -> None:
        room, table, services = self._room, self._room.table, self._room.services
        began = services.clock.now()
        text, failure = "", None
        try:
            text = await self._ask(seat)
        except TaskFailure as error:
            failure = error
        if (rest := table.setup.pace - (services.clock.now() - began)) > 0:
            await asyncio.sleep(rest)
        async with room.lock:
            if table.decision != decision or seat not in table.waiting_for:
                return
            if failure is None:
                try:
                    new = table.act(seat, text, "agent")
                except Refusal as refusal:
                    failure = TaskFailure("illegal", refusal.message)
            if failure is not None and failure.reason == "refused":
                self._report_refused(seat, failure.detail)
                return
            if failure is not None:
                services.metrics.agent_failures.inc()
                log.warning("room %s: %s forfeits: %s", room.id, table.holders[seat].name, failure)
                new = table.forfeit(seat, failure.reason, failure.detail)
            await room.commit(new)

    async def _ask(self, seat: Seat) -> str:
        """The agent's action; raises `TaskFailure`."""
        table, workers = self._room.table, self._room.services.workers
        setup = table.setup
        task = decide_task(table, seat, table.holders[seat].name, setup.think)
        answer = workers.run(
            task,
            setup.think,
            self._address(),
            watched=not table.people(),
            on_place=partial(self._report_place, seat),
        )
        # Lessons and puzzles count on what their opponent does.
        if setup.lesson is None and setup.puzzle is None:
            answer = answer_soon(workers, task, answer)
        text: str = await answer
        return text

    def _address(self) -> str:
        """Whose share of the workers the room's agents use: a player's, else a spectator's."""
        clients = sorted(self._room.clients, key=lambda client: (not client.seats, client.number))
        return clients[0].address if clients else SERVER

    def _report_refused(self, seat: Seat, why: str) -> None:
        """Tell all clients that an agent can't play here: the game stands still, nobody loses."""
        room = self._room
        log.warning("room %s: %s can't play: %s", room.id, room.table.holders[seat].name, why)
        room.send_all(Error(id=None, code="agent_failed", message=why))

    def _report_place(self, seat: Seat, place: int) -> None:
        """Tell all clients how long an agent waits for a worker; 0: it has one."""
        self._room.send_all(Queued(seat=seat, place=place))


def decide_task(table: GameTable, seat: Seat, spec: str, seconds: float) -> Decide:
    """The current decision of `seat` for an agent in a worker: its view and nothing else."""
    at = SeatView.of(
        seat,
        table.game.view(table.state, seat),
        seed=table.setup.seed,
        place=table.version,
        seconds=seconds,
    )
    legal = table.game.legal(table.state, seat)
    return Decide(table.setup.game, dict(table.setup.settings), spec, at, legal)
