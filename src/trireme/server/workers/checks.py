"""Tasks that check or replay what a client sent: settings, maps and records.

They run in a worker process with a limit of processor time, because their cost depends on input
that nobody has checked yet.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from trireme.core.errors import TriremeError
from trireme.core.game import CHANCE, AnyGame
from trireme.core.positions import MarkedBoard, marked_boards
from trireme.core.record import Record, parse_record
from trireme.core.registry import MapLibrary, find, load, make_game

from .tasks import TaskFailure, WorkerCache

if TYPE_CHECKING:
    from trireme.server.protocol.shapes import GameReplay
    from trireme.server.rooms.events import AnyEvent, RoomSetup
    from trireme.server.rooms.table import PlayedMove

MAX_PROBLEMS = 100
"""Problems of a map that are listed."""
GZIP_LEVEL = 5


@dataclass(frozen=True)
class MakeGame:
    """The game with these settings; raises what is wrong with them."""

    game: str
    variant: str | None
    settings: dict[str, Any]

    def prepare(self, cache: WorkerCache) -> None:
        load(find(self.game).game)

    def run(self, cache: WorkerCache) -> AnyGame:
        game = make_game(self.game, self.variant, **self.settings)
        _draw_once(game)
        return _without_caches(game)


def _without_caches(game: AnyGame) -> AnyGame:
    """The game with its settings alone: what it has computed from them need not be sent."""
    settings = {field.name for field in fields(game)}  # type: ignore[arg-type]
    bare = copy(game)
    for name in set(vars(bare)) - settings:
        del vars(bare)[name]
    return bare


def _draw_once(game: AnyGame) -> None:
    """Draw a first action of each seat: where that takes too long, no room can be played."""
    state, rng = game.start(), np.random.default_rng(0)
    with suppress(TriremeError):  # such as a fleet that must be placed by hand
        for seat in game.to_move(state):
            if seat == CHANCE:
                game.draw(state, rng)
            else:
                game.legal(state, seat).sample(rng)


@dataclass(frozen=True)
class CheckMap:
    """Everything that is wrong with a map, a sentence each."""

    game: str
    map: dict[str, Any]

    def prepare(self, cache: WorkerCache) -> None:
        self._library()

    def run(self, cache: WorkerCache) -> list[str]:
        problems = self._library().problems(self.map)
        more = len(problems) - MAX_PROBLEMS
        return problems if more <= 0 else [*problems[:MAX_PROBLEMS], f"and {more} more problems"]

    def _library(self) -> MapLibrary:
        library: MapLibrary = load(find(self.game).maps or "")()
        return library


class ReplayTask:
    """A task that imports what replays need before its time starts."""

    def prepare(self, cache: WorkerCache) -> None:
        load("trireme.server.rooms.recording:replay_of_record")


@dataclass(frozen=True)
class ReplayRecord(ReplayTask):
    """The replay of a record, as compressed JSON (gzip)."""

    text: str
    verified: bool | None
    """Whether the server's signature fits; None: there is none."""

    def run(self, cache: WorkerCache) -> bytes:
        from trireme.server.rooms.recording import replay_of_record

        return _compressed(replay_of_record(_read(self.text), self.verified))


@dataclass(frozen=True)
class ReplayRoom(ReplayTask):
    """The replay of a room's game, as compressed JSON (gzip)."""

    setup: RoomSetup
    events: Sequence[tuple[AnyEvent, str]]
    """Each with its timestamp."""
    seats: tuple[int, ...]
    """The seats that the requester holds."""

    def run(self, cache: WorkerCache) -> bytes:
        from trireme.server.rooms.recording import replay_of_table
        from trireme.server.rooms.table import GameTable

        table = GameTable(self.setup)
        for event, ts in self.events:
            table.apply_event(event, ts)
        return _compressed(replay_of_table(table, self.seats))


@dataclass(frozen=True)
class RecordPosition(ReplayTask):
    """One position of a record, for an analysis."""

    text: str
    move: int
    """The position after this many moves."""
    seat: int
    running: Sequence[Sequence[MarkedBoard]]
    """Positions that may not be analysed, because they are being played."""

    def run(self, cache: WorkerCache) -> AnalysedPosition:
        record = _read(self.text)
        states = list(record.states())
        game = record.game
        if self.move >= len(states):
            detail = f"the game has {len(states) - 1} moves, not {self.move}"
            raise TaskFailure("no_such_move", detail)
        if self.seat >= game.seats:
            detail = f"the game has {game.seats} seats, not {self.seat + 1}"
            raise TaskFailure("not_your_seat", detail)
        _refuse_running(game, states[: self.move + 1], self.running)
        state = states[self.move]
        to_move = self.seat in game.to_move(state)
        legal = game.legal(state, self.seat) if to_move else None
        return AnalysedPosition(game, game.view(state, self.seat), legal)


@dataclass(frozen=True)
class RecordGame(ReplayTask):
    """The moves of a record, to be reviewed or played on from."""

    text: str
    running: Sequence[Sequence[MarkedBoard]]
    """Positions that may not be analysed, because they are being played."""

    def run(self, cache: WorkerCache) -> RecordedGame:
        from trireme.server.rooms.recording import moves_of_record

        record = _read(self.text)
        _, moves = moves_of_record(record)
        record.verify()
        _refuse_running(record.game, [move.before for move in moves], self.running)
        over = record.end is not None
        returns = record.returns if over else None
        return RecordedGame(record.game, record.header.seats, returns, over, moves)


@dataclass(frozen=True)
class RecordedGame:
    """A game as its record tells it."""

    game: AnyGame
    seats: tuple[str, ...]
    returns: tuple[float, ...] | None
    over: bool
    moves: list[PlayedMove]


@dataclass(frozen=True)
class AnalysedPosition:
    """A seat's view of a position; `legal` is None where it has nothing to decide."""

    game: AnyGame
    view: Any
    legal: Any


def _refuse_running(
    game: AnyGame, states: Sequence[Any], running: Sequence[Sequence[MarkedBoard]]
) -> None:
    """Refuse help with a game that is being played: any of its positions tells."""
    from trireme.server.rooms.positions import BEING_PLAYED, any_alike

    if running and any_alike(running, [marked_boards(game, state) for state in states]):
        raise TaskFailure("hints_off", BEING_PLAYED)


def _read(text: str) -> Record:
    return parse_record(text if text.endswith("\n") else text + "\n")


def _compressed(replay: GameReplay) -> bytes:
    return gzip.compress(replay.model_dump_json().encode(), GZIP_LEVEL, mtime=0)
