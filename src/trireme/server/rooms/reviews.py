"""Reviews of games: jobs that worker processes compute a few decisions at a time, and are kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from trireme.core.game import AnyGame, Seat
from trireme.core.options import settings as settings_of
from trireme.core.review import (
    Decision,
    JointMove,
    Review,
    ReviewedGame,
    ReviewedMove,
    decisions_in,
    has_review,
    summarise,
)
from trireme.server.keys import new_token
from trireme.server.protocol.bodies import ReviewRequest
from trireme.server.protocol.codes import Refusal
from trireme.server.workers.checks import RecordedGame
from trireme.server.workers.tasks import ReviewDecisions, ReviewPart, TaskFailure

from .advice import require_hints
from .lobby import Lobby
from .recorded_games import recorded_game
from .room import Room
from .table import PlayedMove

PART = 4
"""Decisions in one task: between two tasks a worker can compute moves."""
PART_SECONDS = 20.0
"""The longest time for one task."""
MAX_KEPT = 100
"""Reviews that are kept, the least recently asked for dropped first."""


@dataclass(frozen=True)
class ReviewSource:
    """A game to be reviewed, and whose decisions."""

    game: AnyGame
    played: ReviewedGame
    seats: tuple[Seat, ...]
    moves: Sequence[PlayedMove]
    key: tuple[Any, ...]
    """Equal for equal reviews."""

    def decisions(self) -> list[tuple[int, Decision]]:
        """What workers get: views of the seats, never a full state."""
        return [
            found
            for move in self.moves
            for found in decisions_in(
                self.game, JointMove(move.number, move.before, move.actions, move.after)
            )
            if found[1].seat in self.seats
        ]


@dataclass
class ReviewJob:
    """A review under way, or done."""

    id: str
    """Secret: whoever knows it may see the review."""
    done: int = 0
    total: int = 0
    review: Review | None = None
    problem: str | None = None
    answer: bytes | None = None
    """The finished review as it is sent, compressed (gzip)."""


class ReviewJobs:
    """The reviews of one server."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._jobs: OrderedDict[tuple[Any, ...], ReviewJob] = OrderedDict()
        self._tasks: dict[asyncio.Task[None], str] = {}
        """Each with the address that asked for it."""

    async def start(
        self, request: ReviewRequest, token_seats: TokenSeats, address: str
    ) -> ReviewJob:
        """The review that was asked for, of a room or of a record, begun unless it is known or
        under way."""
        source = await self._source(request, token_seats, address)
        job = self._jobs.get(source.key)
        if job is not None and job.problem is None:
            self._jobs.move_to_end(source.key)
            return job
        limits = self._lobby.limits
        own = sum(other == address for other in self._tasks.values())
        if len(self._tasks) >= limits.reviews or own >= limits.reviews_per_address:
            raise Refusal("busy", "too many reviews at once; try again in a moment")
        job = self._jobs[source.key] = ReviewJob(new_token())
        while len(self._jobs) > MAX_KEPT:
            self._jobs.popitem(last=False)
        task = asyncio.create_task(self._run(job, source, address))
        self._tasks[task] = address
        task.add_done_callback(self._tasks.pop)
        return job

    def get(self, id: str) -> ReviewJob:
        """The job with this id."""
        for job in self._jobs.values():
            if job.id == id:
                return job
        raise Refusal("not_found", "there is no such review; ask for it again")

    async def close(self) -> None:
        """Stop all jobs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, job: ReviewJob, source: ReviewSource, address: str) -> None:
        try:
            decisions = await self._lobby.run_in_thread(source.decisions)
            job.total = len(decisions)
            moves: list[ReviewedMove] = []
            terms = None
            settings = settings_of(source.game)
            for first in range(0, max(len(decisions), 1), PART):
                some = tuple(decisions[first : first + PART])
                task = ReviewDecisions(source.game.name, settings, source.played.moves, some)
                part: ReviewPart = await self._lobby.workers.run_query(task, PART_SECONDS, address)
                terms = part.terms
                moves += part.moves
                job.done += len(some)
            assert terms is not None
            job.review = summarise(source.played, terms, moves, source.seats)
        except TaskFailure as failure:
            job.problem = failure.detail
        except Refusal as refusal:
            job.problem = refusal.message

    async def _source(
        self, request: ReviewRequest, token_seats: TokenSeats, address: str
    ) -> ReviewSource:
        if request.record is not None:
            found = await recorded_game(self._lobby, request.record, address)
            return _of_record(found, request.seat, request.record)
        room = await self._lobby.get(request.room or "")
        await require_hints(self._lobby, room, address)
        return _of_room(room, request.seat, token_seats)


TokenSeats = tuple[Seat, ...]
"""The seats that the requester's token holds."""


def _of_record(found: RecordedGame, seat: Seat | None, text: str) -> ReviewSource:
    if not found.over and seat is None and found.game.seats > 1:
        raise Refusal("game_running", "the game is not over: choose a seat to review")
    seats = _seats(found.game, seat)
    played = ReviewedGame(found.game.name, found.seats, len(found.moves), found.returns)
    key = "record", sha256(text.encode()).digest(), seats  # the text may have megabytes
    return ReviewSource(found.game, played, seats, found.moves, key)


def _of_room(room: Room, seat: Seat | None, token_seats: TokenSeats) -> ReviewSource:
    """A room's game; while it runs, only the requester's own decisions, and only with hints."""
    table = room.table
    seats = _seats(table.game, seat)
    over = table.status == "over"
    if not over:
        if seat is None:
            seats = token_seats
        if not token_seats or not set(seats) <= set(token_seats):
            raise Refusal("game_running", "of a running game you may review your own moves only")
    returns = table.returns if over else None
    moves = list(table.moves)
    played = ReviewedGame(table.game.name, table.names(), len(moves), returns)
    key = "room", room.id, len(table.log), tuple(seats)
    return ReviewSource(table.game, played, tuple(seats), moves, key)


def _seats(game: AnyGame, seat: Seat | None) -> tuple[Seat, ...]:
    if not has_review(game.name):
        raise Refusal("no_insight", f"{game.name} can't be reviewed")
    if seat is None:
        return tuple(range(game.seats))
    if seat >= game.seats:
        raise Refusal("not_your_seat", f"the game has {game.seats} seats, not {seat + 1}")
    return (seat,)
