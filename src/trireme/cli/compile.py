"""`trireme compile`: compile all that the opponents and hints of the games need, ahead of play."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from trireme.core.jit import expected_compilations
from trireme.core.registry import BUILT_IN, GAMES
from trireme.server.limits import ServerLimits
from trireme.server.workers.pool import WorkerPool
from trireme.server.workers.tasks import TaskFailure
from trireme.server.workers.warm_up import all_warm_ups

PREPARE_SECONDS = 600.0
"""The longest time for compiling one agent."""
RUN_SECONDS = 1.0
"""Time for a task after that: so short that all workers of the pool may be busy at once."""


def compile_(
    games: Annotated[
        list[str] | None, typer.Argument(help="Only these games; by default all of them.")
    ] = None,
) -> None:
    """Compile the kernels that opponents and hints need, so that no first move waits for it.

    What is compiled is kept on the disk: the second time, there is nothing to do.
    Example: `trireme compile`
    """
    chosen = games or list(BUILT_IN)
    for name in chosen:
        if name not in GAMES:
            raise typer.BadParameter(f"no game {name!r}; there are {', '.join(GAMES)}")
    asyncio.run(_compile(chosen))


async def _compile(games: list[str]) -> None:
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bars = {name: progress.add_task(f"Compiling {name}", total=1.0) for name in games}
        progress_of = _Bars(progress, bars)
        workers = WorkerPool(
            min(len(games), os.cpu_count() or 1),
            ServerLimits(prepare_seconds=PREPARE_SECONDS),
            lambda *_: None,
            progress_of.report,
        )
        workers.start()
        try:
            await asyncio.gather(*(_compile_game(workers, name, progress_of) for name in games))
        finally:
            await asyncio.to_thread(workers.stop)


async def _compile_game(workers: WorkerPool, game: str, bars: _Bars) -> None:
    """Prepare the game's agents one after the other: they share kernels."""
    for task in all_warm_ups(game):
        try:
            await workers.run(task, RUN_SECONDS)
        except TaskFailure as failure:
            typer.echo(f"warning: {failure}", err=True)
        bars.next_task(game)
    bars.finish(game)


class _Bars:
    """One bar a game: kernels compiled, of about as many as are expected."""

    def __init__(self, progress: Progress, bars: dict[str, TaskID]) -> None:
        self._progress, self._bars = progress, bars
        self._before = dict.fromkeys(bars, 0)
        self._now = dict.fromkeys(bars, 0)
        self._expected = {name: expected_compilations(name) for name in bars}

    def report(self, game: str, kernels: int) -> None:
        self._now[game] = max(kernels, self._now[game])
        share = (self._before[game] + self._now[game]) / self._expected[game]
        self._progress.update(self._bars[game], completed=min(0.99, share))

    def next_task(self, game: str) -> None:
        self._before[game] += self._now[game]
        self._now[game] = 0

    def finish(self, game: str) -> None:
        self._progress.update(self._bars[game], completed=1.0)
