"""Worker processes: agents that hang, die or break lose their game and stall nobody's."""

from __future__ import annotations

import asyncio
import os
import pickle
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from trireme.core.registry import GAMES, find, make_game, parse_spec
from trireme.server.keys import new_room_id, token_hash
from trireme.server.limits import ServerLimits
from trireme.server.protocol.bodies import NewRoom
from trireme.server.protocol.codes import Refusal
from trireme.server.rooms import first_answer
from trireme.server.rooms.client import Client
from trireme.server.rooms.clock import EventLoopClock
from trireme.server.rooms.events import AnyEvent, RoomSetup, SeatHolder
from trireme.server.rooms.lobby import Lobby
from trireme.server.rooms.room import Room
from trireme.server.rooms.table import GameTable
from trireme.server.workers.pool import WorkerPool, _CompileLock
from trireme.server.workers.tasks import (
    CheckAgent,
    ComputeInsight,
    Decide,
    ListAgents,
    SeatView,
    TaskFailure,
    WarmUp,
    list_agents,
)
from trireme.store import open_store

AGENTS = Path(__file__).with_name("agents.py")
LIMITS = ServerLimits(agent_grace=0.3)


def task(agent: str, seconds: float = 0.05) -> Decide:
    game = make_game("gomoku")
    state = game.start()
    spec = agent if agent == "random" else f"{AGENTS}:{agent}"
    at = SeatView.of(0, state, seed=1, place=1, seconds=seconds)
    return Decide("gomoku", {}, spec, at, game.legal(state, 0))


@pytest.fixture(scope="module")
def workers() -> Any:
    made = WorkerPool(1, LIMITS, lambda *_: None)
    made.start([WarmUp("gomoku", {}, "random")])
    yield made
    made.stop()
    assert made.alive == 0


def ask(workers: WorkerPool, what: Any, seconds: float = 0.05) -> Any:
    return asyncio.run(workers.run(what, seconds))


def test_an_agent_answers_in_text(workers: WorkerPool) -> None:
    action = ask(workers, task("random"))
    assert make_game("gomoku").read(action)
    assert ask(workers, task("random")) == action, "the same place in a game, the same stream"


@pytest.mark.parametrize(
    ("agent", "reason"),
    [("Hangs", "time"), ("Dies", "process"), ("Raises", "exception"), ("Babbles", "illegal")],
)
def test_an_agent_that_fails_fails_alone(workers: WorkerPool, agent: str, reason: str) -> None:
    with pytest.raises(TaskFailure) as failure:
        ask(workers, task(agent))
    assert failure.value.reason == reason
    assert ask(workers, task("random")), "the next one finds a worker again"


def test_an_agent_that_can_not_be_made_is_refused(workers: WorkerPool) -> None:
    with pytest.raises(TaskFailure) as failure:
        ask(workers, task("Nobody"))
    assert failure.value.reason == "refused"
    assert "Nobody" in failure.value.detail


def test_agents_answer_though_a_thousand_connections_are_open() -> None:
    """The pipes to the workers then have numbers above 1023, which `select` refuses."""
    resource = pytest.importorskip("resource", reason="the system has no limits of files")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1200:
        pytest.skip("the system allows too few files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1200), hard))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        pool = WorkerPool(1, LIMITS, lambda *_: None)
        pool.start([WarmUp("gomoku", {}, "random")])
        try:
            assert make_game("gomoku").read(ask(pool, task("random")))
        finally:
            pool.stop()
    finally:
        for descriptor in opened:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_moves_go_before_queries() -> None:
    idle = WorkerPool(0, LIMITS, lambda *_: None)

    async def story() -> None:
        asked = [
            asyncio.create_task(ask(task("random"), seconds))
            for ask, seconds in (
                (idle.run_query, 1),
                (idle.run, 1.2),
                (idle.run_query, 1.3),
                (idle.run, 1.4),
            )
        ]
        await asyncio.sleep(0)
        taken = [idle._jobs.get() for _ in asked]
        assert [job.seconds for job in taken if job is not None] == [1.2, 1.4, 1, 1.3]
        for one in asked:
            one.cancel()

    asyncio.run(story())


def test_too_many_queries_are_refused() -> None:
    idle = WorkerPool(0, ServerLimits(queries=2), lambda *_: None)

    async def story() -> None:
        waiting = [asyncio.create_task(idle.run_query(task("random"), 1)) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal) as refusal:
            await idle.run_query(task("random"), 1)
        assert refusal.value.code == "busy"
        for one in waiting:
            one.cancel()

    asyncio.run(story())


def test_every_game_offers_its_agents_and_its_usual_opponent(workers: WorkerPool) -> None:
    for game in GAMES:
        offered = ask(workers, ListAgents(game), 60)
        names = [agent.name for agent in offered]
        assert "random" in names
        assert parse_spec(find(game).opponent).name in names
        assert all(agent.summary for agent in offered)
        assert ask(workers, CheckAgent(game, {}, "random"), 60) is None


def test_options_that_could_name_files_programs_or_hosts_are_not_offered() -> None:
    for game in GAMES:
        for agent in list_agents(game):
            assert not [o.name for o in agent.options if "str" in o.type]


def test_insight_is_asked_of_the_game(workers: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    state = make_game("gomoku").start()
    with pytest.raises(TaskFailure) as failure:
        ask(workers, ComputeInsight("nothing", {}, SeatView.of(0, state, seed=1, seconds=0.1)))
    assert "nothing" in failure.value.detail


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("Hangs", "time"),
        pytest.param("Raises", "exception", marks=pytest.mark.slow),
        pytest.param("Cheats", "illegal", marks=pytest.mark.slow),
    ],
)
def test_a_failing_agent_forfeits_its_room(tmp_path: Path, agent: str, reason: str) -> None:
    def story(room: Room) -> None:
        assert room.table.status == "over"
        assert [(f.seat, f.reason) for f in room.table.forfeits] == [(1, reason)]
        assert room.table.returns == (1.0, -1.0)

    in_a_room(tmp_path, f"{AGENTS}:{agent}", ["a1", "b1"], story)


def test_an_agent_that_is_not_ready_loses_no_game(tmp_path: Path) -> None:
    def story(room: Room) -> None:
        assert room.table.status == "playing"
        assert room.table.forfeits == ()
        (client,) = room.clients
        errors = [text for text in _texts(client) if '"type":"error"' in text]
        assert "Unfit can't play gomoku here: there is no network 'x'" in errors[0]
        assert '"code":"agent_failed"' in errors[0]

    in_a_room(tmp_path, f"{AGENTS}:Unfit", ["a1"], story)


def _texts(client: Client) -> list[str]:
    texts = [client.outbox.get_nowait() for _ in range(client.outbox.qsize())]
    return [text for text in texts if text is not None]


def test_an_agent_whose_network_is_missing_is_refused_before_the_game(workers: WorkerPool) -> None:
    """Its options are fine, but the network that ships learnt another rule."""
    with pytest.raises(TaskFailure, match="learnt from standard games") as failure:
        ask(workers, CheckAgent("gomoku", {"rule": "freestyle"}, "search:evaluation=network"), 60)
    assert failure.value.reason == "refused"


@pytest.mark.slow
def test_every_compiled_kernel_of_a_task_is_reported() -> None:
    """A worker that compiles says so, and says 0 when it is ready."""
    told: list[tuple[str, int, bool]] = []

    def on_compile(game: str, kernels: int) -> None:
        told.append((game, kernels, pool.preparing))

    pool = WorkerPool(1, LIMITS, lambda *_: None, on_compile)
    pool.start()
    try:
        spec = f"{AGENTS}:Compiles"
        assert not pool.has_prepared("gomoku", spec)
        asyncio.run(pool.run(WarmUp("gomoku", {}, spec), 60))
        assert pool.has_prepared("gomoku", spec)
    finally:
        pool.stop()
    assert told == [("gomoku", 1, True), ("gomoku", 2, True), ("gomoku", 0, False)]


@pytest.mark.slow
def test_an_agents_answer_to_a_move_taken_back_is_dropped(tmp_path: Path) -> None:
    def story(room: Room) -> None:
        assert room.table.status == "playing"
        assert room.table.to_move == (0,)
        assert room.table.moves == []

    in_a_room(tmp_path, f"{AGENTS}:Hangs", ["a1", "undo"], story)


@pytest.fixture(autouse=True)
def _rooms_wait_for_their_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No plain opening move stands in for an agent whose worker starts slowly."""
    monkeypatch.setattr(first_answer, "PATIENCE_SECONDS", 600.0)


def in_a_room(tmp_path: Path, spec: str, actions: list[str], story: Callable[[Room], None]) -> None:
    """Play `actions` against the agent until the game is over or they have all been played."""
    engine = open_store(f"sqlite:///{tmp_path / 'store.db'}")

    async def whole() -> None:
        lobby = Lobby(engine, EventLoopClock(), LIMITS, 1)
        lobby.workers.start()
        holders = (SeatHolder("person", "ann", token_hash("ann")), SeatHolder("agent", spec))
        setup = RoomSetup(
            new_room_id(), "gomoku", None, {}, holders, 7, None, 0.05, 0, True, True, "now"
        )
        room = await lobby._open(setup)
        client = Client(LIMITS, 0)
        await room.enter(client, token_hash("ann"), None)
        for action in actions:
            while room.agents.tasks and action != "undo":
                await asyncio.wait(list(room.agents.tasks.values()))
            if room.table.status == "playing":
                await room.apply_request(0, action, partial(wanted, action))
        while room.agents.tasks:
            await asyncio.wait(list(room.agents.tasks.values()))
        story(room)
        await lobby.close()

    asyncio.run(whole())
    engine.dispose()


def wanted(action: str, table: GameTable) -> list[AnyEvent]:
    return table.undo(0, action) if action == "undo" else table.act(0, action, "person", action)


@pytest.mark.slow
def test_rooms_are_refused_to_foreign_agents(tmp_path: Path) -> None:
    engine = open_store(f"sqlite:///{tmp_path / 'store.db'}")

    async def story() -> None:
        lobby = Lobby(engine, EventLoopClock(), LIMITS, 1)
        lobby.workers.start()
        chairs = [{"kind": "me"}, {"kind": "agent", "agent": f"{AGENTS}:Dies"}]
        with pytest.raises(Refusal) as refusal:
            await lobby.create(NewRoom.model_validate({"game": "gomoku", "seats": chairs}))
        assert refusal.value.code == "bad_agent"
        await lobby.close()

    asyncio.run(story())
    engine.dispose()


@pytest.mark.slow
def test_the_default_opponent_takes_its_seat_though_every_worker_is_busy(tmp_path: Path) -> None:
    engine = open_store(f"sqlite:///{tmp_path / 'store.db'}")

    async def story() -> None:
        lobby = Lobby(engine, EventLoopClock(), LIMITS, 1)
        lobby.workers.start()
        info = await lobby.catalogue.game("gomoku")
        await asyncio.to_thread(lobby.workers.stop)
        held = await lobby.create(NewRoom.model_validate({"game": "gomoku"}))
        assert lobby.rooms[held.room].table.holders[1].name == info.opponent
        await lobby.close()

    asyncio.run(story())
    engine.dispose()


def test_an_agent_is_compiled_by_one_worker_while_the_others_wait() -> None:
    compiling, through = _CompileLock(), threading.Event()
    compiling.acquire(("gomoku", "search"))
    compiling.acquire(("gomoku", "random"))

    def second() -> None:
        compiling.acquire(("gomoku", "search"))
        through.set()

    thread = threading.Thread(target=second, daemon=True)
    thread.start()
    compiling.release(("gomoku", "random"))
    assert not through.is_set()
    compiling.release(("gomoku", "search"))
    assert through.wait(60)
    thread.join()


def test_the_opponent_gets_ready_while_the_player_thinks(tmp_path: Path) -> None:
    engine = open_store(f"sqlite:///{tmp_path / 'store.db'}")

    async def story() -> None:
        lobby = Lobby(engine, EventLoopClock(), LIMITS, 1)
        lobby.workers.start()
        worker = lobby.workers._workers[0]
        chairs = [{"kind": "me"}, {"kind": "agent", "agent": "random"}]
        body = NewRoom.model_validate({"game": "gomoku", "seats": chairs})
        await lobby.create(body)
        await lobby.workers.run_query(ListAgents("gomoku"), 1)
        assert ("gomoku", "random") in worker.prepared
        await lobby.create(body)
        assert lobby.workers.waiting == 0
        await lobby.close()

    asyncio.run(story())
    engine.dispose()


def test_a_task_does_not_hold_the_room_s_seed() -> None:
    seed = 4_503_599_627_370_495
    places = [(0, 0), (0, 1), (1, 0)]
    views = [SeatView.of(seat, None, seed=seed, place=place, seconds=1.0) for seat, place in places]
    assert len({view.rng().integers(1 << 60) for view in views}) == len(places)
    packed = pickle.dumps(views)
    assert seed.to_bytes(7, "little") not in packed
    assert str(seed).encode() not in packed
