"""What is compiled before anybody waits for it, in which order, and how far it is."""

from __future__ import annotations

import asyncio
from typing import Any

from trireme.cli import compile as compile_command
from trireme.core.jit import expected_compilations
from trireme.core.opponents import beginners_opponent
from trireme.core.registry import BUILT_IN, find
from trireme.server.limits import ServerLimits
from trireme.server.workers.readiness import CompileProgress, Readiness
from trireme.server.workers.tasks import WarmUp
from trireme.server.workers.warm_up import all_warm_ups, default_warm_ups

from .live import Running


class FakeWorkers:
    """Workers that have prepared what the test says."""

    def __init__(self) -> None:
        self.prepared: set[tuple[str, str]] = set()

    def has_prepared(self, game: str, spec: str) -> bool:
        return (game, spec) in self.prepared


def readiness(*specs: tuple[str, str]) -> tuple[Readiness, FakeWorkers]:
    workers = FakeWorkers()
    made = Readiness(workers)  # type: ignore[arg-type]
    made.expect([WarmUp(game, {}, spec) for game, spec in specs])
    return made, workers


def test_the_opponents_of_beginners_are_prepared_first() -> None:
    tasks = [(task.game, task.spec) for task in default_warm_ups(BUILT_IN)]
    beginners = [(game, beginners_opponent(game)) for game in BUILT_IN]
    assert tasks[: len(BUILT_IN)] == beginners
    assert set(tasks) == {*beginners, *((game, find(game).opponent) for game in BUILT_IN)}


def test_each_warm_up_is_wanted_once() -> None:
    tasks = default_warm_ups(BUILT_IN)
    assert all(task not in tasks[:number] for number, task in enumerate(tasks))


def test_nothing_is_reported_where_nothing_had_to_be_compiled() -> None:
    made, _ = readiness(("gomoku", "search"))
    assert made.progress() == []


def test_games_are_reported_until_all_their_opponents_are_ready() -> None:
    made, workers = readiness(("gomoku", "search"), ("gomoku", "heuristic"), ("navigation", "nash"))
    made.count("gomoku")
    made.count("gomoku")
    expected = expected_compilations("gomoku")
    waiting = CompileProgress("navigation", 0, expected_compilations("navigation"), ("nash",))
    assert made.progress() == [
        CompileProgress("gomoku", 2, expected, ("heuristic", "search")),
        waiting,
    ]
    workers.prepared.add(("gomoku", "heuristic"))
    assert made.progress() == [CompileProgress("gomoku", 2, expected, ("search",)), waiting]
    workers.prepared.add(("gomoku", "search"))
    assert made.progress() == [waiting]
    workers.prepared = {("navigation", "nash")}  # the worker that had the others was replaced
    assert made.progress() == []


def test_a_server_says_which_opponents_are_not_ready(server: Running) -> None:
    assert server.http.get("/api/preparation").json() == []
    server.lobby.readiness.expect([WarmUp("gomoku", {}, "search:depth=9")])
    server.lobby._on_compile("gomoku", 0)  # the end of a task, not a kernel
    server.lobby._on_compile("gomoku", 1)
    for _ in range(1000):
        if found := server.http.get("/api/preparation").json():
            break
    expected = expected_compilations("gomoku")
    listed = {"game": "gomoku", "compiled": 1, "expected": expected, "agents": ["search:depth=9"]}
    assert found == [listed]


def test_compiling_ahead_may_use_all_workers_at_once() -> None:
    """A worker pool keeps one worker from long tasks."""
    seen: list[Any] = []

    class Workers:
        async def run(self, task: Any, seconds: float) -> None:
            assert seconds <= ServerLimits().short_seconds
            seen.append(task)

    class Bars:
        def next_task(self, game: str) -> None:
            seen.append(game)

        def finish(self, game: str) -> None:
            seen.append("end")

    asyncio.run(compile_command._compile_game(Workers(), "gomoku", Bars()))  # type: ignore[arg-type]
    tasks = all_warm_ups("gomoku")
    assert seen == [*(part for task in tasks for part in (task, "gomoku")), "end"]
