"""Checks of what clients send: settings, maps and records, in worker processes of their own.

A request's cost is unknown before its content is checked, so the checks have a limit of processor
time, a fair share by address, and processes that agents never occupy.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from trireme.core.game import AnyGame
from trireme.core.options import settings as settings_of
from trireme.core.registry import find, make_game
from trireme.server.limits import SERVER, Quotas, ServerLimits
from trireme.server.protocol.codes import Code, Refusal
from trireme.server.workers.checks import (
    AnalysedPosition,
    CheckMap,
    MakeGame,
    RecordedGame,
    RecordGame,
    RecordPosition,
    ReplayRecord,
    ReplayRoom,
)
from trireme.server.workers.pool import WorkerPool
from trireme.server.workers.tasks import Task, TaskFailure

MAX_ERROR_LENGTH = 1000
"""Characters of an error message: it quotes the input, which may be long."""
QUICK_SECONDS = 0.15
"""Processor time of the first try of a check. What takes longer is tried again with its full time,
but never in both processes at once: so a quick check waits only for other quick ones."""
MAX_GAMES = 64
"""Games with checked settings that are kept for the next rooms."""


class GameChecks:
    """Two worker processes for checks, started when they are first needed."""

    def __init__(
        self,
        limits: ServerLimits,
        quotas: Quotas,
        on_run: Callable[[float, float, str], None],
    ) -> None:
        """`on_run` is called as `WorkerPool` says."""
        self._limits, self._quotas = limits, quotas
        self._pool = WorkerPool(2, replace(limits, short_seconds=QUICK_SECONDS), on_run)
        self._started = False
        self._games: OrderedDict[bytes, AnyGame] = OrderedDict()
        self._variants: dict[bytes, AnyGame] = {}
        """Games whose settings come with them, which need no check."""
        self._being_made: dict[bytes, asyncio.Task[AnyGame]] = {}

    def start(self) -> None:
        """Start the process, so that nobody waits for it."""
        if not self._started:
            self._pool.start()
            self._started = True

    def stop(self) -> None:
        if self._started:
            self._pool.stop()

    @property
    def waiting(self) -> int:
        return self._pool.waiting

    async def game(
        self, name: str, variant: str | None, settings: dict[str, Any], address: str = SERVER
    ) -> AnyGame:
        """The game with these settings, or a refusal that says what is wrong with them."""
        self._add_variants(name)
        key = _key(name, variant, settings)
        if key in self._variants:
            return self._variants[key]
        if key in self._games:
            self._games.move_to_end(key)
            return self._games[key]
        if key not in self._being_made:
            task = MakeGame(name, variant, settings)
            making = asyncio.create_task(self._make(key, task, address))
            self._being_made[key] = making
            making.add_done_callback(lambda _: self._being_made.pop(key, None))
        return await asyncio.shield(self._being_made[key])

    async def _make(self, key: bytes, task: MakeGame, address: str) -> AnyGame:
        # a stored room's settings have passed the check once, on a machine that may have been idle
        limit = self._limits.replay_seconds if address == SERVER else self._limits.check_seconds
        made: AnyGame = await self._run(task, limit, address, "bad_settings")
        self._games[key] = made
        while len(self._games) > MAX_GAMES:
            self._games.popitem(last=False)
        return made

    def _add_variants(self, name: str) -> None:
        """Make the game's variants once: by their names, and as the settings of stored rooms."""
        if _key(name, None, {}) in self._variants:
            return
        for variant in (None, *find(name).variants):
            made = make_game(name, variant)
            for key in (_key(name, variant, {}), _key(name, None, settings_of(made))):
                self._variants[key] = made

    async def map_problems(self, game: str, map: dict[str, Any], address: str) -> list[str]:
        problems: list[str] = await self._run(
            CheckMap(game, map), self._limits.check_seconds, address, "bad_settings"
        )
        return problems

    async def replay(self, task: ReplayRecord | ReplayRoom, address: str) -> bytes:
        """A replay as compressed JSON (gzip)."""
        replay: bytes = await self._run(task, self._limits.replay_seconds, address, "bad_record")
        return replay

    async def position(self, task: RecordPosition, address: str) -> AnalysedPosition:
        found: AnalysedPosition = await self._run(
            task, self._limits.replay_seconds, address, "bad_record"
        )
        return found

    async def recorded(self, task: RecordGame, address: str) -> RecordedGame:
        found: RecordedGame = await self._run(
            task, self._limits.replay_seconds, address, "bad_record"
        )
        return found

    async def _run(self, task: Task, cpu_limit: float, address: str, code: Code) -> Any:
        self._quotas.require("cpu", address)
        self.start()
        try:
            try:
                return await self._pool.run_check(task, min(QUICK_SECONDS, cpu_limit), address)
            except TaskFailure as failure:
                if failure.reason != "time":
                    raise
            return await self._pool.run_check(task, cpu_limit, address)
        except TaskFailure as failure:
            raise _refusal(failure, code) from None


def _refusal(failure: TaskFailure, code: Code) -> Refusal:
    match failure.reason:
        case "no_such_move" | "not_your_seat" | "hints_off":
            return Refusal(failure.reason, failure.detail)
        case "time":
            return Refusal(code, f"this can't be checked here: {failure.detail}")
        case "refused":
            return Refusal(code, _shortened(failure.detail))
    return Refusal(code, f"this can't be read: {_shortened(failure.detail)}")


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_ERROR_LENGTH else f"{text[:MAX_ERROR_LENGTH]}…"


def _key(name: str, variant: str | None, settings: dict[str, Any]) -> bytes:
    return msgspec.json.encode([name, variant, settings], order="sorted")
