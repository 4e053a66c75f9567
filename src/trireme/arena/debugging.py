"""Debugging a game of a run: it is played again move by move, with one seat's agent in the open.

All agents play in this process, from the seeds of the run, without clocks, so that a debugger may
stop them. While the game follows its record, the other seats make their recorded moves.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trireme.core.errors import BadSpec, RecordError
from trireme.core.forfeit import Forfeit
from trireme.core.game import CHANCE, AnyAgent, AnyGame, Seat, Turn, close
from trireme.core.play import Result, decide, play, turn_action
from trireme.core.record import Record, load_record
from trireme.core.seeding import (
    OwnGenerators,
    global_generator_state,
    global_seed,
    set_global_generators,
)

from .folder import Folder
from .match import Entrant


@dataclass(frozen=True)
class DebuggedMove:
    """One decision of the debugged seat."""

    number: int
    """The number of the move in the record, from 1."""
    turn: Turn[Any, Any]
    action: Any
    seconds: float
    recorded: str | None
    """What the record has here; None where it ends before, or the game has left it."""
    thoughts: str
    """The agent's attribute `thoughts`, if it has one."""

    @property
    def follows(self) -> bool:
        """Whether the agent did what the record has."""
        return self.recorded is None or self.turn.game.write(self.action) == self.recorded


@dataclass(frozen=True)
class DebuggedGame:
    """A game of a run, to be played again."""

    folder: Folder
    number: int
    seat: Seat
    record: Record

    @classmethod
    def open(cls, run: Path, number: int, seat: Seat | None, agents: Any = ()) -> DebuggedGame:
        """The game with this number; the seat that forfeited it unless another is asked for."""
        folder = Folder.open(run, agents)
        count = len(folder.fixtures)
        if not 0 <= number < count:
            raise BadSpec(f"the run has games 0 to {count - 1}, not {number}")
        record = _record(folder, number)
        seats = folder.match.game.seats
        if seat is None:
            faults = record.end.forfeits if record.end is not None else ()
            seat = faults[0].seat if faults else 0
        if not 0 <= seat < seats:
            raise BadSpec(f"--seat must be from 0 to {seats - 1}, not {seat}")
        return cls(folder, number, seat, record)

    @property
    def names(self) -> list[str]:
        """Who sits where."""
        return [self.folder.match.names[i] for i in self.folder.fixtures[self.number].seats]

    def play(
        self,
        on_move: Callable[[DebuggedMove], object] | None = None,
        call: Callable[[AnyAgent, Turn[Any, Any], int], Any] | None = None,
    ) -> Result:
        """Play it; the debugged agent's error is raised as a `Forfeit` whose cause it is.

        `call(agent, turn, number)` may take the place of `agent.act(turn)`, for a debugger.
        """
        fixture, match = self.folder.fixtures[self.number], self.folder.match
        script = _Script(self.record, len(fixture.opening))
        agents: list[AnyAgent] = []
        for seat, index in enumerate(fixture.seats):
            seeded = _SeededAgent(match.entrants[index], global_seed(fixture.seed, seat))
            if seat == self.seat:
                agents.append(_OpenAgent(seeded, script, match.seconds, on_move, call))
            else:
                agents.append(_QuietAgent(seeded, script, match.seconds))
        try:
            return play(
                fixture.game,
                agents,
                seed=fixture.seed,
                opening=fixture.opening,
                on_move=script.follow,
                strict=True,
            )
        finally:
            close(agents)


class _Script:
    """The recorded moves, as long as the game follows them."""

    def __init__(self, record: Record, opening: int) -> None:
        self._moves = record.moves
        self.made, self.follows = opening, True
        while self.made < len(self._moves) and CHANCE in self._moves[self.made]:
            self.made += 1

    def follow(self, session: Any) -> None:
        """Compare the moves made so far with the record."""
        made = session.record.moves
        self.made = len(made)
        self.follows = self.follows and made == self._moves[: len(made)]

    def recorded(self, seat: Seat, number: int) -> str | None:
        if not self.follows or number > len(self._moves):
            return None
        return self._moves[number - 1].get(seat)


class _SeededAgent:
    """An entrant's agent with global random generators of its own, as in the arena."""

    def __init__(self, entrant: Entrant, seed: int) -> None:
        self.name, self._entrant = entrant.name, entrant
        self._generators = OwnGenerators(seed)
        self.agent: Any = None

    def call(self, function: Callable[[], Any]) -> Any:
        kept = global_generator_state()
        try:
            with self._generators.in_use():
                return function()
        finally:
            set_global_generators(kept)

    def prepare(self, game: AnyGame) -> None:
        self.agent = self._entrant.build(game)
        prepare = getattr(self.agent, "prepare", None)
        if callable(prepare):
            prepare(game)


class _OpenAgent:
    """The debugged seat: what it prints is seen, and every decision is reported."""

    def __init__(
        self,
        seeded: _SeededAgent,
        script: _Script,
        seconds: float | None,
        on_move: Callable[[DebuggedMove], object] | None,
        call: Callable[[AnyAgent, Turn[Any, Any], int], Any] | None,
    ) -> None:
        self.name, self._seeded, self._script, self._seconds = seeded.name, seeded, script, seconds
        self._on_move, self._call = on_move, call

    def prepare(self, game: AnyGame) -> None:
        self._seeded.call(lambda: self._seeded.prepare(game))

    def act(self, turn: Turn[Any, Any]) -> Any:
        turn = replace(turn, seconds=self._seconds)
        number, agent = self._script.made + 1, self._seeded.agent
        began = time.perf_counter()
        action = self._seeded.call(
            lambda: agent.act(turn) if self._call is None else self._call(agent, turn, number)
        )
        took = time.perf_counter() - began
        if self._on_move is not None:
            recorded = self._script.recorded(turn.seat, number)
            thoughts = str(getattr(agent, "thoughts", "") or "")
            read = turn_action(turn, action)
            self._on_move(DebuggedMove(number, turn, read, took, recorded, thoughts))
        return action

    def close(self) -> None:
        close([self._seeded.agent])


class _QuietAgent:
    """Another seat: it makes its recorded move while there is one, and its prints are dropped."""

    def __init__(self, seeded: _SeededAgent, script: _Script, seconds: float | None) -> None:
        self.name, self._seeded, self._script, self._seconds = seeded.name, seeded, script, seconds

    def prepare(self, game: AnyGame) -> None:
        self._silently(lambda: self._seeded.prepare(game))

    def act(self, turn: Turn[Any, Any]) -> Any:
        turn = replace(turn, seconds=self._seconds)
        action: Any = None
        fault: Forfeit | None = None
        try:
            action = self._silently(lambda: decide(self._seeded.agent, replace(turn, seconds=None)))
        except Forfeit as error:
            fault = error
        recorded = self._script.recorded(turn.seat, self._script.made + 1)
        if recorded is not None:
            return turn.game.read(recorded)
        if fault is not None:
            raise fault
        return action[0]

    def _silently(self, function: Callable[[], Any]) -> Any:
        with ExitStack() as quiet:
            quiet.enter_context(redirect_stdout(io.StringIO()))
            quiet.enter_context(redirect_stderr(io.StringIO()))
            return self._seeded.call(function)

    def close(self) -> None:
        close([self._seeded.agent])


def _record(folder: Folder, number: int) -> Record:
    path = folder.record_path(number)
    if not path.exists():
        raise RecordError(f"game {number} of {str(folder.path)!r} has not been played yet")
    return load_record(path)
