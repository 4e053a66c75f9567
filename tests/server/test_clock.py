"""The clock is the server's: drafts count when it ends, it waits for absent players, it is fair.

Time passes here only when a test says so.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from trireme.core.options import settings as settings_of
from trireme.core.registry import make_game
from trireme.server.keys import new_room_id, token_hash
from trireme.server.limits import RateLimiter, ServerLimits, TokenBucket
from trireme.server.protocol.codes import Refusal
from trireme.server.rooms.client import Client
from trireme.server.rooms.events import RoomSetup, SeatHolder
from trireme.server.rooms.lobby import Lobby
from trireme.server.rooms.recording import record_text
from trireme.server.rooms.room import Room
from trireme.store import open_store

PLAN, OTHER, NONES = "FpFsLgRh", "F-F-F-F-", "--------"


class ManualClock:
    """A clock whose time passes only when a test says so."""

    def __init__(self) -> None:
        self.time = 100.0
        self.timers: list[ManualTimer] = []

    def now(self) -> float:
        return self.time

    def timestamp(self) -> str:
        return f"2026-01-01T00:00:{self.time:06.3f}+00:00"

    def call_later(self, seconds: float, callback: Callable[[], None]) -> ManualTimer:
        timer = ManualTimer(self, self.time + seconds, callback)
        self.timers.append(timer)
        return timer

    async def pass_by(self, seconds: float, room: Room) -> None:
        """Let time pass, and everything happen that it brings."""
        self.time += seconds
        for timer in [t for t in self.timers if t.at <= self.time]:
            self.timers.remove(timer)
            timer.callback()
        await settle(room)


class ManualTimer:
    def __init__(self, clock: ManualClock, at: float, callback: Callable[[], None]) -> None:
        self.clock, self.at, self.callback = clock, at, callback

    def cancel(self) -> None:
        self.clock.timers.remove(self)


async def settle(room: Room) -> None:
    """Wait until every task that is under way has done its part."""
    me = asyncio.current_task()
    while others := [t for t in asyncio.all_tasks() if t is not me]:
        await asyncio.wait(others)
    assert not room.broken


class Scene:
    """A lobby without workers, moved by hand."""

    def __init__(self, engine: Engine) -> None:
        self.clock = ManualClock()
        self.lobby = Lobby(engine, self.clock, ServerLimits(), 0)

    async def room(
        self,
        game: str,
        clock: float | None = 30,
        increment: float | None = None,
        people: tuple[str, str] = ("ann", "bob"),
    ) -> Room:
        holders = tuple(SeatHolder("person", name, token_hash(name)) for name in people)
        settings = settings_of(make_game(game))
        setup = RoomSetup(
            new_room_id(),
            game,
            None,
            settings,
            holders,
            7,
            clock,
            1,
            0,
            True,
            True,
            "now",
            increment,
        )
        return await self.lobby._open(setup)

    async def enter(self, room: Room, name: str | None) -> Client:
        client = Client(self.lobby.limits, 0)
        await room.enter(client, None if name is None else token_hash(name), None)
        return client


@pytest.fixture
def play(tmp_path: Path) -> Callable[[Callable[[Scene], Awaitable[None]]], None]:
    """Run a story in a lobby of its own."""
    engine = open_store(f"sqlite:///{tmp_path / 'store.db'}")

    def run(story: Callable[[Scene], Awaitable[None]]) -> None:
        async def whole() -> None:
            scene = Scene(engine)
            try:
                await story(scene)
            finally:
                await scene.lobby.close()

        asyncio.run(whole())
        engine.dispose()

    return run


async def act(room: Room, seat: int, action: str) -> None:
    id = f"{seat}-{room.table.version}"
    await room.apply_request(seat, id, lambda table: table.act(seat, action, "person", id))


def played(room: Room) -> list[dict[int, str]]:
    game = room.table.game
    return [{s: game.write(a) for s, a in move.actions.items()} for move in room.table.moves]


def left(room: Room) -> float | None:
    clock = room.position((0,)).clock
    return None if clock is None else clock.left


def test_the_last_draft_counts_when_the_time_is_up(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation")
        await scene.enter(room, "ann")
        await room.draft(0, OTHER)
        await room.draft(0, PLAN)
        await room.draft(1, OTHER)
        await scene.clock.pass_by(29.9, room)
        assert played(room) == []
        await scene.clock.pass_by(0.2, room)
        assert played(room) == [{0: PLAN, 1: OTHER}]
        assert left(room) == 30

    play(story)


def test_without_a_draft_a_plan_of_nones_counts(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation")
        await scene.enter(room, "ann")
        await act(room, 0, PLAN)
        await scene.clock.pass_by(31, room)
        assert played(room) == [{0: PLAN, 1: NONES}]
        assert [getattr(e.event, "by", None) for e in room.table.log] == [
            None,
            "person",
            "clock",
        ]

    play(story)


def test_a_draft_that_was_cleared_does_not_count(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation")
        await scene.enter(room, "ann")
        await room.draft(0, PLAN)
        await room.draft(0, None)
        await scene.clock.pass_by(31, room)
        assert played(room) == [{0: NONES, 1: NONES}]

    play(story)


def test_a_draft_counts_for_its_own_turn_only(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation")
        await scene.enter(room, "ann")
        await room.draft(0, PLAN)
        await scene.clock.pass_by(31, room)
        await room.shown(0, 1)
        await scene.clock.pass_by(31, room)
        assert played(room) == [{0: PLAN, 1: NONES}, {0: NONES, 1: NONES}]

    play(story)


def test_an_illegal_draft_is_refused_at_once(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation")
        await scene.enter(room, "ann")
        for text, code in (("FFF", "bad_action"), ("Fp9L-L-L-", "illegal_action")):
            with pytest.raises(Refusal) as refusal:
                await room.draft(0, text)
            assert refusal.value.code == code

    play(story)


def test_in_games_without_a_fallback_the_seat_forfeits(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("gomoku")
        await scene.enter(room, "bob")
        await scene.clock.pass_by(31, room)
        assert room.table.status == "over"
        assert [(f.seat, f.reason) for f in room.table.forfeits] == [(0, "time")]
        assert room.table.returns == (-1.0, 1.0)

    play(story)


def test_the_time_of_one_decision_is_not_renewed_by_what_others_do(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation")
        await scene.enter(room, "ann")
        await scene.clock.pass_by(10, room)
        await scene.enter(room, None)
        await act(room, 0, PLAN)
        other = await scene.enter(room, "bob")
        assert left(room) == 20
        await room.leave(other)
        assert left(room) == 20
        await scene.clock.pass_by(20.1, room)
        assert len(played(room)) == 1

    play(story)


def test_every_decision_has_the_whole_time(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("gomoku")
        await scene.enter(room, "ann")
        await scene.clock.pass_by(25, room)
        await act(room, 0, "h8")
        assert left(room) == 30
        await scene.clock.pass_by(25, room)
        await act(room, 1, "h9")
        assert left(room) == 30

    play(story)


def test_the_clock_stands_still_while_no_player_is_there(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation")
        ann = await scene.enter(room, "ann")
        await scene.enter(room, None)
        await scene.clock.pass_by(12, room)
        await room.leave(ann)
        await scene.clock.pass_by(1000, room)
        assert played(room) == []
        await scene.enter(room, "bob")
        assert left(room) == 18
        await scene.clock.pass_by(19, room)
        assert len(played(room)) == 1

    play(story)


def test_drafts_live_through_a_restart_and_the_decision_begins_anew(tmp_path: Path) -> None:
    engine = open_store(f"sqlite:///{tmp_path / 'store.db'}")

    async def before() -> str:
        scene = Scene(engine)
        room = await scene.room("navigation")
        await scene.enter(room, "ann")
        await room.draft(0, PLAN)
        await scene.clock.pass_by(20, room)
        await scene.lobby.close()
        return room.id

    async def after(room_id: str) -> None:
        scene = Scene(engine)
        room = await scene.lobby.get(room_id)
        await scene.enter(room, "ann")
        assert left(room) == 30
        assert room.position((0,)).seats[0].draft == PLAN
        assert room.position((1,)).seats[1].draft is None
        await scene.clock.pass_by(31, room)
        assert played(room) == [{0: PLAN, 1: NONES}]
        await scene.lobby.close()

    asyncio.run(after(asyncio.run(before())))
    engine.dispose()


def test_a_room_without_a_clock_never_hurries(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("gomoku", clock=None)
        await scene.enter(room, "ann")
        await scene.clock.pass_by(10**6, room)
        assert left(room) is None
        assert room.table.status == "playing"

    play(story)


def sent(client: Client, kind: str) -> list[dict[str, Any]]:
    """The messages of one type that the client was sent."""
    texts = []
    while not client.outbox.empty():
        texts.append(client.outbox.get_nowait())
    return [m for m in (json.loads(t) for t in texts if t is not None) if m["type"] == kind]


def test_the_clock_starts_when_both_players_have_seen_the_last_turn(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation")
        ann, _ = await scene.enter(room, "ann"), await scene.enter(room, "bob")
        await act(room, 0, PLAN)
        await act(room, 1, OTHER)
        assert room.position((0,)).clock.running is False  # type: ignore[union-attr]
        await scene.clock.pass_by(5, room)
        assert left(room) == 30
        await room.shown(0, 1)
        await room.shown(0, 1)
        await room.shown(1, 0)  # of an older position
        assert room.position((0,)).clock.running is False  # type: ignore[union-attr]
        assert sent(ann, "clock") == []
        await room.shown(1, 1)
        (message,) = sent(ann, "clock")
        assert message["clock"] == {
            "seconds": 30,
            "increment": None,
            "left": 30,
            "running": True,
            "seats": {"0": 30, "1": 30},
        }
        await scene.clock.pass_by(29, room)
        assert (left(room), len(played(room))) == (1, 1)
        await scene.clock.pass_by(1, room)
        assert len(played(room)) == 2

    play(story)


def test_playback_delays_the_clock_by_a_bounded_time(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation")
        ann = await scene.enter(room, "ann")
        await act(room, 0, PLAN)
        await act(room, 1, OTHER)
        await scene.clock.pass_by(7.9, room)
        assert sent(ann, "clock") == []
        await scene.clock.pass_by(0.2, room)
        assert [m["clock"]["running"] for m in sent(ann, "clock")] == [True]
        await scene.clock.pass_by(30, room)
        assert len(played(room)) == 2

    play(story)


def test_a_player_who_leaves_during_the_playback_holds_up_nobody(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation")
        await scene.enter(room, "ann")
        bob = await scene.enter(room, "bob")
        await act(room, 0, PLAN)
        await act(room, 1, OTHER)
        await room.shown(0, 1)
        await room.leave(bob)
        assert room.position((0,)).clock.running is True  # type: ignore[union-attr]

    play(story)


def test_two_captains_at_one_screen_have_a_clock_each(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation", people=("ann", "ann"))
        await scene.enter(room, "ann")
        await scene.clock.pass_by(20, room)
        await act(room, 0, PLAN)
        assert left(room) == 30
        await scene.clock.pass_by(29, room)
        assert played(room) == []
        await scene.clock.pass_by(1, room)
        assert played(room) == [{0: PLAN, 1: NONES}]

    play(story)


def test_at_one_screen_the_first_clock_plays_for_the_first_seat_alone(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("navigation", people=("ann", "ann"))
        await scene.enter(room, "ann")
        await scene.clock.pass_by(30, room)
        assert (played(room), room.table.pending.keys()) == ([], {0})
        assert left(room) == 30

    play(story)


def test_a_clock_for_the_whole_game_counts_on_and_adds_its_increment(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("gomoku", clock=60, increment=2)
        await scene.enter(room, "ann")
        await scene.clock.pass_by(10, room)
        await act(room, 0, "h8")
        await scene.clock.pass_by(5, room)
        await act(room, 1, "h9")
        clock = room.position((0,)).clock
        assert clock is not None
        assert (clock.seats, clock.left, clock.increment) == ({0: 52, 1: 57}, 52, 2)
        await scene.clock.pass_by(51, room)
        assert room.table.status == "playing"
        await scene.clock.pass_by(1, room)
        assert [(f.seat, f.reason) for f in room.table.forfeits] == [(0, "time")]
        assert room.position((0,)).clock is None

    play(story)


def test_a_clock_for_the_whole_game_is_in_the_record_and_survives_a_restart(tmp_path: Path) -> None:
    engine = open_store(f"sqlite:///{tmp_path / 'store.db'}")

    async def before() -> str:
        scene = Scene(engine)
        room = await scene.room("gomoku", clock=60, increment=2)
        await scene.enter(room, "ann")
        await scene.clock.pass_by(10, room)
        await act(room, 0, "h8")
        lines = [json.loads(line) for line in record_text(room.table, (0,)).splitlines()]
        assert [line.get("clock_ms") for line in lines] == [None, 52_000]
        await scene.lobby.close()
        return room.id

    async def after(room_id: str) -> None:
        scene = Scene(engine)
        room = await scene.lobby.get(room_id)
        await scene.enter(room, "ann")
        clock = room.position((0,)).clock
        assert clock is not None
        assert clock.seats == {0: 52, 1: 60}
        await scene.lobby.close()

    asyncio.run(after(asyncio.run(before())))
    engine.dispose()


def test_a_win_can_be_claimed_over_a_player_who_stays_away(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("gomoku", clock=None)
        await scene.enter(room, "ann")
        bob = await scene.enter(room, "bob")
        await room.leave(bob)
        await scene.clock.pass_by(59, room)
        assert [seat.away for seat in room.info().seats] == [None, 59]
        with pytest.raises(Refusal) as refusal:
            await room.claim(0, "a")
        assert refusal.value.code == "not_absent"
        await scene.clock.pass_by(1, room)
        version = await room.claim(0, "b")
        assert await room.claim(0, "b") == version, "the same request again"
        assert [(f.seat, f.reason) for f in room.table.forfeits] == [(1, "absent")]

    play(story)


def test_nobody_can_claim_against_a_player_who_came_back(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("gomoku", clock=None)
        await scene.enter(room, "ann")
        await room.leave(await scene.enter(room, "bob"))
        await scene.clock.pass_by(100, room)
        await scene.enter(room, "bob")
        with pytest.raises(Refusal):
            await room.claim(0, "a")

    play(story)


def test_at_one_screen_undo_takes_back_one_stone(play: Any) -> None:
    async def story(scene: Scene) -> None:
        room = await scene.room("gomoku", clock=None, people=("ann", "ann"))
        await scene.enter(room, "ann")
        for seat, point in enumerate(("h8", "h9")):
            await act(room, seat, point)
        await room.apply_request(0, "u", lambda table: table.undo(0, "u"))
        assert played(room) == [{0: "h8"}]

    play(story)


def test_a_token_bucket_allows_bursts_and_limits_the_rate() -> None:
    bucket = TokenBucket(rate=2, burst=3, now=0)
    assert [bucket.take(0) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(1) for _ in range(3)] == [True, True, False]
    assert [bucket.take(100) for _ in range(4)] == [True, True, True, False]


def test_a_rate_limiter_counts_each_address_and_forgets_the_least_recent() -> None:
    limiter = RateLimiter(rate=0.001, burst=1, max_keys=2)
    assert [limiter.bucket(address, 0).take(0) for address in "aabb"] == [True, False, True, False]
    assert not limiter.bucket("a", 0).take(0)
    assert limiter.bucket("c", 0).take(0)  # drops b, which was used before a
    assert not limiter.bucket("a", 0).take(0)
    assert limiter.bucket("b", 0).take(0)
