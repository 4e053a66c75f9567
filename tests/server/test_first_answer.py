"""The first answer of an agent: by plain code where it would wait for the compiler."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from trireme.core.game import CHANCE, AnyGame
from trireme.core.options import settings as settings_of
from trireme.core.registry import BUILT_IN, find, make_game
from trireme.server.rooms import first_answer
from trireme.server.rooms.first_answer import answer_soon, opening_text
from trireme.server.workers.tasks import Decide, SeatView, TaskFailure

SETTINGS = [(game, variant) for game in BUILT_IN for variant in (None, *find(game).variants)]


def task_for(game: AnyGame, state: Any, seat: int, place: int = 0) -> Decide:
    at = SeatView.of(seat, game.view(state, seat), seed=3, place=place, seconds=0.1)
    return Decide(game.name, settings_of(game), "search", at, game.legal(state, seat))


def gomoku_task() -> Decide:
    game = make_game("gomoku")
    return task_for(game, game.start(), 0)


@dataclass
class FakePool:
    """A pool whose worker answers when the test says so."""

    preparing: bool = True
    prepared: bool = False
    answer: asyncio.Future[str] = field(default_factory=lambda: asyncio.Future())

    async def run(self, task: Decide, seconds: float) -> str:
        assert seconds == task.at.seconds
        return await self.answer

    def has_prepared(self, game: str, spec: str) -> bool:
        assert (game, spec) == ("gomoku", "search")
        return self.prepared


async def soon(pool: FakePool) -> str:
    task = gomoku_task()
    thinking = pool.run(task, task.at.seconds)
    return await answer_soon(pool, task, thinking)  # type: ignore[arg-type]


def answered(monkeypatch: pytest.MonkeyPatch, ready_after: int | None = None, **pool: Any) -> str:
    """What a room hears if the worker answers `a1` after so many looks at the pool."""
    monkeypatch.setattr(first_answer, "PATIENCE_SECONDS", 0.0)

    async def story() -> str:
        made = FakePool(**pool)
        looks = 0

        def look(game: str, spec: str) -> bool:
            nonlocal looks
            looks += 1
            if looks == ready_after:
                made.answer.set_result("a1")
            return made.prepared

        made.has_prepared = look  # type: ignore[method-assign]
        return await soon(made)

    return asyncio.run(story())


def test_while_the_compiler_runs_the_opening_move_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert answered(monkeypatch) == "h8"


def test_an_agent_that_is_ready_is_waited_for_whatever_else_is_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert answered(monkeypatch, ready_after=1, prepared=True) == "a1"


def test_without_a_compiler_at_work_the_agent_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert answered(monkeypatch, ready_after=5, preparing=False) == "a1"


def test_after_the_opening_the_agent_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_answer, "opening_text", lambda _: None)
    assert answered(monkeypatch, ready_after=1) == "a1"


def test_a_failure_of_the_agent_is_still_its_failure() -> None:
    async def story() -> None:
        pool = FakePool()
        pool.answer.set_exception(TaskFailure("time", "too slow"))
        with pytest.raises(TaskFailure, match="too slow"):
            await soon(pool)

    asyncio.run(story())


def test_the_answer_that_nobody_waits_for_any_more_is_called_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(first_answer, "PATIENCE_SECONDS", 0.0)

    async def story() -> bool:
        pool = FakePool()
        await soon(pool)
        await asyncio.sleep(0)
        return pool.answer.cancelled()

    assert asyncio.run(story())


@pytest.mark.parametrize(("name", "variant"), SETTINGS)
def test_opening_moves_are_legal_until_the_opening_is_over(name: str, variant: str | None) -> None:
    game = make_game(name, variant)
    rng, state, answers = np.random.default_rng(1), game.start(), 0
    for place in range(30):
        if not (movers := game.to_move(state)):
            break
        actions = {}
        for seat in movers:
            text = None if seat == CHANCE else opening_text(task_for(game, state, seat, place))
            if text is None:
                actions[seat] = (
                    game.draw(state, rng) if seat == CHANCE else game.legal(state, seat).sample(rng)
                )
            else:
                answers += 1
                actions[seat] = game.read(text)
                game.check(state, seat, actions[seat])
        state = game.apply(state, actions)
    assert game.seats <= answers <= 20, "every seat's first answer has one, and later ones have not"


@pytest.mark.parametrize("stones", ["", "h8", "h8i9", "a1", "h8i9h9g8"])
def test_gomoku_opens_beside_the_stones_nearest_to_the_centre(stones: str) -> None:
    game = make_game("gomoku", position=stones)
    state = game.start()
    text = opening_text(task_for(game, state, len(state.stones) % 2))
    assert text is not None
    row, col = game.read(text)
    if not stones:
        assert text == "h8"
    elif stones == "a1":
        assert text == "b2"
    else:
        assert max(abs(row - 7), abs(col - 7)) == 1
    longer = make_game("gomoku", position="h8i9h9g8h7").start()
    assert opening_text(task_for(game, longer, 1)) is None


def test_battleship_follows_up_a_hit() -> None:
    game = make_game("battleship")
    rng = np.random.default_rng(0)
    state = game.apply(game.start(), {CHANCE: game.draw(game.start(), rng)})
    hit, after = next(
        (shot.cells[0], after)
        for shot in game.legal(state, 0)
        if (after := game.apply(state, {0: shot}))
        and game.view(after, 0).target.shots[-1].result == "hit"
    )
    text = opening_text(task_for(game, after, 0))
    assert text is not None
    (cell,) = game.read(text).cells
    assert abs(cell[0] - hit[0]) + abs(cell[1] - hit[1]) == 1


def test_opening_moves_need_no_compiler() -> None:
    """In a process where numba can't be imported, they are still found."""
    places = [find(game).opening_move for game in BUILT_IN]
    assert None not in places
    script = (
        "import sys; sys.modules['numba'] = None\n"
        "from trireme.core.registry import load\n"
        f"for place in {places!r}: assert callable(load(place))\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_game_without_opening_moves_waits_for_its_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    task = gomoku_task()
    monkeypatch.setattr(first_answer, "find", lambda _: type("Bare", (), {"opening_move": None}))
    assert opening_text(task) is None
