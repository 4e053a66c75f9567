"""Checks of what clients send, called directly: the tasks, and when they are asked for."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from numpy.random import Generator

from trireme.core.errors import IllegalAction, TriremeError
from trireme.core.game import CHANCE
from trireme.core.options import settings as settings_of
from trireme.core.positions import MarkedBoard, marked_boards
from trireme.core.record import Record, RecordWriter
from trireme.core.registry import make_game
from trireme.core.session import Session
from trireme.server import checking
from trireme.server.checking import MAX_ERROR_LENGTH, QUICK_SECONDS, GameChecks
from trireme.server.limits import SERVER, Quotas, ServerLimits
from trireme.server.protocol.codes import Refusal
from trireme.server.rooms.events import AnyEvent, SeatHolder
from trireme.server.workers.checks import (
    MAX_PROBLEMS,
    CheckMap,
    MakeGame,
    RecordGame,
    RecordPosition,
    ReplayRecord,
    ReplayRoom,
)
from trireme.server.workers.tasks import TaskFailure, WorkerCache

from .tables import table_of

CACHE = WorkerCache()
NOTHING: tuple[tuple[MarkedBoard, ...], ...] = ()
CLIENT = "192.0.2.1"


def gomoku_record(*moves: str) -> Record:
    session = Session(make_game("gomoku", size=5), ["Ann", "Bob"], seed=1)
    for move in moves:
        session.play(move)
    return session.record


# The tasks


def test_a_game_is_sent_with_its_settings_alone() -> None:
    game = MakeGame("battleship", "duel", {"rows": 6, "fleet": [3, 2]}).run(CACHE)
    assert game == make_game("battleship", "duel", rows=6, fleet=[3, 2])
    assert set(vars(game)) == set(settings_of(game))


@dataclass(frozen=True)
class Drawn:
    """A game that notes what is drawn of it."""

    movers: tuple[int, ...]
    drawn: list[int]
    fails: bool = False

    def start(self) -> str:
        return "start"

    def to_move(self, state: str) -> tuple[int, ...]:
        return self.movers

    def draw(self, state: str, rng: Generator) -> None:
        self.drawn.append(CHANCE)

    def legal(self, state: str, seat: int) -> Any:
        if self.fails:
            raise IllegalAction("placed by hand")
        sample: Callable[[Generator], None] = lambda _: self.drawn.append(seat)  # noqa: E731
        return type("Legal", (), {"sample": staticmethod(sample)})


@pytest.mark.parametrize("movers", [(CHANCE,), (0, 1), (1,)])
def test_a_first_action_of_everybody_to_move_is_drawn(
    movers: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Drawn(movers, [])
    monkeypatch.setattr("trireme.server.workers.checks.make_game", lambda *_, **__: game)
    MakeGame("gomoku", None, {}).run(CACHE)
    assert tuple(game.drawn) == movers
    failing = Drawn((0,), [], fails=True)
    monkeypatch.setattr("trireme.server.workers.checks.make_game", lambda *_, **__: failing)
    assert MakeGame("gomoku", None, {}).run(CACHE) == failing, "a refused sample is no fault"


@pytest.mark.parametrize("more", [-1, 0, 1, 7])
def test_so_many_problems_of_a_map_are_listed(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problems = [f"problem {i}" for i in range(MAX_PROBLEMS + more)]

    class Library:
        def problems(self, map: dict[str, Any]) -> list[str]:
            return problems

    monkeypatch.setattr("trireme.server.workers.checks.load", lambda _: Library)
    found = CheckMap("navigation", {}).run(CACHE)
    assert found[:MAX_PROBLEMS] == problems[:MAX_PROBLEMS]
    assert found[MAX_PROBLEMS:] == ([f"and {more} more problems"] if more > 0 else [])


@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_position_is_the_one_after_so_many_moves(ending: str) -> None:
    record = gomoku_record("a1", "b2", "c3")
    text = record.text.removesuffix("\n") + ending
    for move, state in enumerate(record.states()):
        for seat in (0, 1):
            found = RecordPosition(text, move, seat, NOTHING).run(CACHE)
            assert found.game == record.game
            assert found.view == record.game.view(state, seat)
            assert (found.legal is None) == (seat != move % 2)


@pytest.mark.parametrize(
    ("move", "seat", "reason", "detail"),
    [
        (3, 0, "no_such_move", "the game has 2 moves, not 3"),
        (2, 2, "not_your_seat", "the game has 2 seats, not 3"),
    ],
)
def test_positions_that_are_not_there_are_refused(
    move: int, seat: int, reason: str, detail: str
) -> None:
    with pytest.raises(TaskFailure) as failure:
        RecordPosition(gomoku_record("a1", "b2").text, move, seat, NOTHING).run(CACHE)
    assert (failure.value.reason, failure.value.detail) == (reason, detail)


def test_no_position_that_is_being_played_is_analysed_nor_one_after_it() -> None:
    record = gomoku_record("a1", "b2", "c3", "d2", "e1", "a5", "e5", "b5")
    running = [marked_boards(record.game, list(record.states())[6])]
    for move in range(9):
        task = RecordPosition(record.text, move, move % 2, running)
        if move < 6:
            task.run(CACHE)
            continue
        with pytest.raises(TaskFailure) as failure:
            task.run(CACHE)
        assert failure.value.reason == "hints_off"
    with pytest.raises(TaskFailure) as failure:
        RecordGame(record.text, running).run(CACHE)
    assert failure.value.reason == "hints_off"


def test_a_recorded_game_has_its_moves_and_its_result() -> None:
    running = RecordGame(gomoku_record("a1", "b2").text, NOTHING).run(CACHE)
    assert (running.over, running.returns, len(running.moves)) == (False, None, 2)
    record = gomoku_record("a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "e1")
    over = RecordGame(record.text, NOTHING).run(CACHE)
    assert (over.over, over.returns, over.seats) == (True, (1.0, -1.0), ("Ann", "Bob"))
    assert [move.before for move in over.moves] == list(record.states())[:-1]


@pytest.mark.parametrize("returns", [(1.0, -1.0), (-1.0, 1.0)])
def test_a_record_that_claims_another_result_is_no_game(returns: tuple[float, float]) -> None:
    writer = RecordWriter()
    writer.begin(make_game("gomoku", size=5), ["Ann", "Bob"], 1)
    for number, move in enumerate(("a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "e1")):
        writer.move({number % 2: move}, {})
    writer.end("over", returns)
    task = RecordGame("\n".join(writer.lines), NOTHING)
    if returns == (1.0, -1.0):
        assert task.run(CACHE).over
    else:
        with pytest.raises(TriremeError, match="the moves lead to"):
            task.run(CACHE)


@pytest.mark.parametrize("verified", [True, False, None])
def test_a_replay_is_packed_and_says_whether_it_is_signed(verified: bool | None) -> None:
    task = ReplayRecord(gomoku_record("a1", "b2").text, verified)
    packed = task.run(CACHE)
    assert json.loads(gzip.decompress(packed))["verified"] is verified
    assert packed == task.run(CACHE), "no time in it"


def test_the_replay_of_a_room_is_for_the_seats_that_ask() -> None:
    ann = SeatHolder("person", "Ann", "ann")
    table = table_of("battleship", {"duel": True, "rows": 5, "cols": 5, "fleet": [2]}, ann, ann)
    events: list[tuple[AnyEvent, str]] = []

    def do(made: list[AnyEvent]) -> None:
        for event in made:
            table.apply_event(event, "t")
            events.append((event, "t"))

    do(table.start())
    for seat, action in ((0, "A1-A2"), (1, "E4-E5"), (0, "C3")):
        do(table.act(seat, action, "person", action))

    def replay(*seats: int) -> dict[str, Any]:
        packed = ReplayRoom(table.setup, events, seats).run(CACHE)
        found: dict[str, Any] = json.loads(gzip.decompress(packed))
        return found

    assert len(replay()["frames"]) == 1 + len(table.moves)
    assert replay(0) != replay(1) != replay()


# When they are asked for


class Pool:
    """Stands for the worker processes: notes what it is asked, and answers or fails as told."""

    made: Pool

    def __init__(self, count: int, limits: ServerLimits, on_run: Any) -> None:
        Pool.made = self
        self.count, self.limits, self.waiting = count, limits, 5
        self.asked: list[tuple[Any, float, str]] = []
        self.failures: list[str] = []
        self.detail = "x" * 2000
        self.started = self.stopped = 0

    def start(self) -> None:
        self.started += 1

    def stop(self) -> None:
        self.stopped += 1

    async def run_check(self, task: Any, seconds: float, address: str) -> Any:
        self.asked.append((task, seconds, address))
        await asyncio.sleep(0)
        if self.failures:
            raise TaskFailure(self.failures.pop(0), self.detail)
        return task.run(CACHE)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> GameChecks:
    monkeypatch.setattr(checking, "WorkerPool", Pool)
    limits = ServerLimits(check_seconds=1.5, replay_seconds=10, cpu_rate=1, cpu_burst=1)
    quotas = Quotas(limits, lambda: 0.0, lambda *_: None, lambda _: None)
    quotas.spend("cpu", "in debt", 5)
    return GameChecks(limits, quotas, lambda *_: None)


def ask(checks: GameChecks, settings: dict[str, Any], address: str = CLIENT) -> Any:
    return asyncio.run(checks.game("gomoku", None, settings, address))


def test_games_that_come_with_their_settings_need_no_check(checks: GameChecks) -> None:
    assert ask(checks, {}) == make_game("gomoku")
    assert ask(checks, settings_of(make_game("gomoku"))) == make_game("gomoku")
    duel = asyncio.run(checks.game("battleship", "duel", {}, CLIENT))
    assert duel == make_game("battleship", "duel")
    assert Pool.made.asked == []
    assert Pool.made.started == 0
    checks.stop()
    assert Pool.made.stopped == 0, "what was not started is not stopped"


def test_checked_settings_are_kept_and_the_least_recently_used_forgotten(
    checks: GameChecks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "MAX_GAMES", 2)
    for size in (6, 7, 6, 8, 6, 7):
        assert ask(checks, {"size": size}) == make_game("gomoku", size=size)
    sizes = [task.settings["size"] for task, _, _ in Pool.made.asked]
    assert sizes == [6, 7, 8, 7], "6 was used again, so that 8 took the place of 7"
    assert (Pool.made.count, Pool.made.started) == (2, 1)
    assert Pool.made.limits.short_seconds == QUICK_SECONDS
    assert checks.waiting == 5
    checks.stop()
    assert Pool.made.stopped == 1


def test_equal_settings_at_the_same_time_are_checked_once(checks: GameChecks) -> None:
    async def both() -> list[Any]:
        first = checks.game("gomoku", None, {"size": 6, "rule": "freestyle"}, CLIENT)
        again = checks.game("gomoku", None, {"rule": "freestyle", "size": 6}, CLIENT)
        return await asyncio.gather(first, again)

    one, two = asyncio.run(both())
    assert one is two
    assert len(Pool.made.asked) == 1


@pytest.mark.parametrize(("address", "limit"), [(CLIENT, 1.5), (SERVER, 10)])
def test_a_check_that_is_not_quick_is_tried_again_with_its_whole_time(
    checks: GameChecks, address: str, limit: float
) -> None:
    checks.start()
    Pool.made.failures = ["time"]
    ask(checks, {"size": 6}, address)
    assert [(s, a) for _, s, a in Pool.made.asked] == [(QUICK_SECONDS, address), (limit, address)]


@pytest.mark.parametrize(
    ("reasons", "code", "begins", "length"),
    [
        (["time", "time"], "bad_settings", "this can't be checked here: xxx", 2028),
        (["refused"], "bad_settings", "xxx", MAX_ERROR_LENGTH + 1),
        (["exception"], "bad_settings", "this can't be read: xxx", MAX_ERROR_LENGTH + 21),
        (["hints_off"], "hints_off", "xxx", 2000),
    ],
)
def test_a_refusal_says_why(
    checks: GameChecks, reasons: list[str], code: str, begins: str, length: int
) -> None:
    checks.start()
    tries = len(reasons)
    Pool.made.failures = reasons
    with pytest.raises(Refusal) as refusal:
        ask(checks, {"size": 6})
    assert refusal.value.code == code
    assert refusal.value.message.startswith(begins)
    assert len(refusal.value.message) == length
    assert len(Pool.made.asked) == tries
    assert ask(checks, {"size": 6}) == make_game("gomoku", size=6), "a failure is not kept"


def test_a_message_of_the_greatest_length_is_whole(checks: GameChecks) -> None:
    checks.start()
    Pool.made.failures, Pool.made.detail = ["refused"], "x" * MAX_ERROR_LENGTH
    with pytest.raises(Refusal) as refusal:
        ask(checks, {"size": 6})
    assert refusal.value.message == Pool.made.detail


def test_whoever_is_in_debt_asks_for_nothing(checks: GameChecks) -> None:
    with pytest.raises(Refusal) as refusal:
        ask(checks, {"size": 6}, "in debt")
    assert refusal.value.code == "too_fast"
    assert Pool.made.asked == []


def test_each_kind_of_check_has_its_time_and_its_refusal(checks: GameChecks) -> None:
    record = gomoku_record("a1", "b2").text
    kinds: list[tuple[Callable[[], Any], float, str]] = [
        (lambda: checks.map_problems("navigation", {}, CLIENT), 1.5, "bad_settings"),
        (lambda: checks.replay(ReplayRecord(record, None), CLIENT), 10, "bad_record"),
        (lambda: checks.position(RecordPosition(record, 1, 1, NOTHING), CLIENT), 10, "bad_record"),
        (lambda: checks.recorded(RecordGame(record, NOTHING), CLIENT), 10, "bad_record"),
    ]
    for make, limit, code in kinds:
        checks.start()
        Pool.made.failures = ["time", "refused"]
        with pytest.raises(Refusal) as refusal:
            asyncio.run(make())
        assert refusal.value.code == code
        assert Pool.made.asked[-1][1] == limit
        assert asyncio.run(make())
