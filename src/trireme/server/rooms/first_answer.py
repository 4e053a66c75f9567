"""An agent's answer that does not wait for the compiler: the first moves come by plain code."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from trireme.core.game import Turn
from trireme.core.registry import find, load, make_game
from trireme.server.workers.pool import WorkerPool
from trireme.server.workers.tasks import Decide

PATIENCE_SECONDS = 0.5
"""How long an answer may take before its room asks whether the compiler is what it waits for."""


async def answer_soon(workers: WorkerPool, task: Decide, thinking: Coroutine[Any, Any, str]) -> str:
    """What comes of the agent's `thinking`, or the game's plain opening move if the agent is not
    ready yet.

    Its kernels are compiled and loaded meanwhile, for the moves that follow.
    """
    answer: asyncio.Future[str] = asyncio.ensure_future(thinking)
    try:
        while not (await asyncio.wait({answer}, timeout=PATIENCE_SECONDS))[0]:
            if workers.has_prepared(task.game, task.spec):
                break
            if workers.preparing:
                text = await asyncio.to_thread(opening_text, task)
                if text is not None and not answer.done():
                    return text
                break
        return await answer
    finally:
        answer.cancel()


def opening_text(task: Decide) -> str | None:
    """The game's plain opening move for this decision; None: it has none, or none any more."""
    place = find(task.game).opening_move
    if place is None:
        return None
    game, at = make_game(task.game, **task.settings), task.at
    action = load(place)(Turn(game, at.seat, at.view, task.legal, at.rng(), at.seconds))
    return None if action is None else game.write(action)
