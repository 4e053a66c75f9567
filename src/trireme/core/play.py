"""Playing: a `Session` holds one game in progress; `play` runs it between agents to its end."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .errors import AgentNotReady, IllegalAction, TriremeError
from .game import CHANCE, AnyAgent, AnyGame, Seat, Turn, close
from .record import Forfeited, Moves, Record, RecordWriter, parse_record
from .registry import make_agent, make_game
from .seeding import fresh_seed, streams
from .stop_signals import is_stop
from .transcript import Exchange, take_exchanges

Opening = Sequence[str | Mapping[Seat, str]]
"""Moves made before the agents are asked: text for the seat (or nature) that moves alone, a
mapping where seats move together. Balanced openings and hand-placed fleets come this way."""
HUMAN = "human"
"""The name of a seat that a person holds, in place of an agent spec."""


class PlayMode(StrEnum):
    """Who holds the seats: two people, a person and an agent, or two agents."""

    PVP = "pvp"
    PVAI = "pvai"
    AIVAI = "aivai"


class Forfeit(TriremeError):
    """A seat loses by an illegal action, an exception, its clock, or a failed process."""

    def __init__(self, seat: Seat, reason: str, detail: str) -> None:
        super().__init__(f"seat {seat} forfeits ({reason}): {detail}")
        self.seat, self.reason, self.detail = seat, reason, detail


class AgentFault(Exception):
    """Raised by an agent to forfeit for a reason of its own, such as a lost process."""

    reason: ClassVar[str] = "exception"


def _check_seats(game: AnyGame, count: int) -> None:
    if count != game.seats:
        raise TriremeError(f"{game.name} has {game.seats} seats, not {count}")


class Session:
    """One game in progress: its state, its record, and the random streams of its seats.

    Nature moves by itself as soon as it is nature's turn, unless the opening moves for it.
    """

    def __init__(
        self,
        game: AnyGame,
        seats: Sequence[str],
        *,
        seed: int | None = None,
        opening: Opening = (),
        sink: Callable[[str], object] | None = None,
    ) -> None:
        _check_seats(game, len(seats))
        self.game = game
        self.seats = tuple(seats)
        self.seed = fresh_seed() if seed is None else seed
        self.forfeits: tuple[Forfeited, ...] = ()
        self._streams = streams(self.seed, game.seats)
        self._states: list[Any] = [game.start()]
        self._writer = RecordWriter(sink)
        self._writer.begin(game, self.seats, self.seed)
        for move in opening:
            self._open(move)
        self._play_chance()

    @property
    def state(self) -> Any:
        return self._states[-1]

    @property
    def to_move(self) -> tuple[Seat, ...]:
        """Who acts now; nobody once the game is over, by the rules or by forfeit."""
        return () if self.forfeits else self.game.to_move(self.state)

    @property
    def over(self) -> bool:
        return not self.to_move

    @property
    def moves(self) -> int:
        """How many moves stand, nature's included."""
        return len(self._states) - 1

    @property
    def returns(self) -> tuple[float, ...]:
        if self.forfeits:
            return self.game.forfeit(self.state, tuple(f.seat for f in self.forfeits))
        return self.game.returns(self.state)

    @property
    def record(self) -> Record:
        return parse_record("".join(f"{line}\n" for line in self._writer.lines), game=self.game)

    def turn(self, seat: Seat, seconds: float | None = None) -> Turn[Any, Any]:
        """The decision that `seat` faces now."""
        view, legal = self.game.view(self.state, seat), self.game.legal(self.state, seat)
        return Turn(self.game, seat, view, legal, self._streams[seat], seconds)

    def move(self, actions: Mapping[Seat, Any], notes: Moves | None = None) -> None:
        """Check the actions of all the seats to move, apply them, record them; with `notes`, what
        agents say about them, by seat."""
        self._move(actions, notes)
        self._play_chance()

    def undo(self, count: int = 1) -> None:
        """Take back the last `count` moves."""
        if not self.game.undoable:
            raise IllegalAction(f"{self.game.name} has no undo: what was seen can't be unseen")
        if not 0 < count <= self.moves:
            raise IllegalAction(f"can't take back {count} of {self.moves} moves")
        if self.over:
            raise IllegalAction("the game is over and its record is closed")
        del self._states[-count:]
        self._writer.undo(count)

    def forfeit(self, *forfeits: Forfeit) -> None:
        """End the game at once by the fault of one or more seats."""
        self.forfeits = tuple(Forfeited(f.seat, f.reason, f.detail) for f in forfeits)
        self._writer.end("forfeit", self.returns, self.forfeits)

    def _open(self, move: str | Mapping[Seat, str]) -> None:
        if self.over:
            raise IllegalAction(f"the game is over before the opening move {move!r}")
        if isinstance(move, str):
            move = dict.fromkeys(self.to_move, move)
        self._move({seat: self.game.read(text) for seat, text in move.items()})

    def _move(self, actions: Mapping[Seat, Any], notes: Moves | None = None) -> None:
        if self.over:
            raise IllegalAction("the game is over")
        if set(actions) != set(self.to_move):
            raise IllegalAction(
                f"expected the moves of seats {list(self.to_move)}, not of {sorted(actions)}"
            )
        for seat, action in actions.items():
            self.game.check(self.state, seat, action)
        self._apply(actions, notes)

    def _play_chance(self) -> None:
        while self.to_move == (CHANCE,):
            self._apply({CHANCE: self.game.draw(self.state, self._streams[CHANCE])})

    def _apply(self, actions: Mapping[Seat, Any], notes: Moves | None = None) -> None:
        state = self.game.apply(self.state, actions)
        details: dict[str, int | str] = {}
        if len(actions) == 1:
            ((seat, action),) = actions.items()
            details = self.game.details(self.state, seat, action)
        self._states.append(state)
        self._writer.move({s: self.game.write(a) for s, a in actions.items()}, details, notes)
        if self.over:
            self._writer.end("over", self.returns)


@dataclass(frozen=True)
class Result:
    """A finished game."""

    returns: tuple[float, ...]
    state: Any
    record: Record
    forfeits: tuple[Forfeited, ...]
    seconds: tuple[float, ...]
    """Thinking time of every seat, in total."""
    decisions: tuple[int, ...]
    """How often every seat was asked."""
    exchanges: tuple[Exchange, ...] = ()
    """What agents exchanged with language models, in order."""


REASONS = ("illegal", "exception", "time", "process")
"""Why an agent forfeits."""
MOST_DETAIL = 2000
"""Characters of a forfeit's detail: an agent's error may be as long as it likes."""
GRACE = 0.05
"""Seconds, and share of the budget, that a decision may run over before it is a forfeit."""


def decide(agent: AnyAgent, turn: Turn[Any, Any]) -> tuple[Any, float]:
    """The agent's checked action and the seconds it took; raises `Forfeit` when it fails."""
    began = time.perf_counter()
    try:
        action = agent.act(turn)
    except BaseException as error:
        if is_stop(error):
            raise
        raise fault_of(turn.seat, error) from error
    took = time.perf_counter() - began
    if turn.seconds is not None and took > turn.seconds * (1 + GRACE) + GRACE:
        raise Forfeit(turn.seat, "time", f"took {took:.3f} s of {turn.seconds:g} s")
    return action, took


def play(
    game: AnyGame | str,
    agents: Sequence[AnyAgent | str],
    *,
    seed: int | None = None,
    seconds: float | None = None,
    opening: Opening = (),
    sink: Callable[[str], object] | None = None,
    on_move: Callable[[Session], object] | None = None,
) -> Result:
    """Play one game between agents (objects or specs) and give its result.

    A failing agent forfeits: the game ends and the record says why. An agent that can't play as it
    is configured (a missing package or file, a board that its network does not take) is no forfeit
    but raises `AgentNotReady` before the game begins. `seconds` is each decision's budget, `sink`
    gets every line of the record as it is written, `on_move` is called after every move. Kernels
    compile and tables load before the first clock starts. Agents that are made here, from specs,
    are closed at the end.
    """
    game = make_game(game) if isinstance(game, str) else game
    labels = [a if isinstance(a, str) else a.name for a in agents]
    _check_seats(game, len(labels))
    players = [make_agent(game, a) if isinstance(a, str) else a for a in agents]
    try:
        return _play(game, players, labels, seed, seconds, opening, sink, on_move)
    finally:
        close(player for player, a in zip(players, agents, strict=True) if isinstance(a, str))


def _play(
    game: AnyGame,
    players: Sequence[AnyAgent],
    labels: Sequence[str],
    seed: int | None,
    seconds: float | None,
    opening: Opening,
    sink: Callable[[str], object] | None,
    on_move: Callable[[Session], object] | None,
) -> Result:
    faults = [
        fault
        for seat, agent in enumerate(players)
        if (fault := _preparation_fault(game, seat, agent, labels[seat]))
    ]
    session = Session(game, labels, seed=seed, opening=opening, sink=sink)
    if faults and not session.over:
        session.forfeit(faults[0])
    spent, asked = [0.0] * game.seats, [0] * game.seats
    exchanges: list[Exchange] = []
    while not session.over:
        actions: dict[Seat, Any] = {}
        notes: dict[Seat, str] = {}
        faults = []
        for seat in session.to_move:
            asked[seat] += 1
            try:
                action, took = decide(players[seat], session.turn(seat, seconds))
                spent[seat] += took
                actions[seat] = _checked(session, seat, action)
            except Forfeit as fault:
                faults.append(fault)
            exchanges += take_exchanges(players[seat], seat, session.moves + 1)
            notes |= take_notes(players[seat], seat)
        if faults:
            session.forfeit(*faults)
        else:
            session.move(actions, notes)
        if on_move is not None:
            on_move(session)
    return Result(
        session.returns,
        session.state,
        session.record,
        session.forfeits,
        tuple(spent),
        tuple(asked),
        tuple(exchanges),
    )


def take_notes(agent: object, seat: Seat) -> dict[Seat, str]:
    """What the agent says about its last action, under its seat; empty where it says nothing or
    has no method `take_note`. What fails here changes no result."""
    try:
        take = getattr(agent, "take_note", None)
        note = take() if callable(take) else ""
        return {seat: bounded(str.__str__(note))} if isinstance(note, str) and note else {}
    except BaseException as error:
        if is_stop(error):
            raise
        return {}


def check_fit(agent: AnyAgent, game: AnyGame, label: str) -> None:
    """Raise `AgentNotReady` if the agent can't play `game` here as it is configured.

    It calls the agent's optional method `fits(game)`, which raises a `TriremeError` where a package
    or a file is missing. `fits` is quick and compiles nothing, unlike `prepare`.
    """
    _call_hook(agent, "fits", game, label)


def prepare_agent(agent: AnyAgent, game: AnyGame, label: str) -> None:
    """Let an agent load and compile what it needs for `game`, before any clock starts.

    A `TriremeError` is about its configuration and becomes `AgentNotReady`, which names the agent
    by `label`; whatever else its code raises comes through.
    """
    check_fit(agent, game, label)
    _call_hook(agent, "prepare", game, label)


def _call_hook(agent: AnyAgent, name: str, game: AnyGame, label: str) -> None:
    hook = getattr(agent, name, None)
    if not callable(hook):
        return
    try:
        hook(game)
    except (AgentNotReady, Forfeit):
        raise
    except TriremeError as error:
        raise AgentNotReady(f"{label} can't play {game.name} here: {error}") from error


def _preparation_fault(game: AnyGame, seat: Seat, agent: AnyAgent, label: str) -> Forfeit | None:
    """The forfeit of an agent whose own code fails in `prepare`."""
    try:
        prepare_agent(agent, game, label)
    except AgentNotReady:
        raise
    except BaseException as error:
        if is_stop(error):
            raise
        return fault_of(seat, error)
    return None


def fault_of(seat: Seat, error: BaseException) -> Forfeit:
    """The forfeit of `seat`, whatever its agent has raised: it can't blame another seat."""
    reason = "exception"
    detail = describe_error(error)
    try:
        if isinstance(error, AgentFault | Forfeit) and error.reason in REASONS:
            reason = str(error.reason)
        if isinstance(error, Forfeit):
            detail = bounded(str(error.detail))
    except BaseException as fault:  # an exception's class may be the agent's own
        if is_stop(fault):
            raise
    return Forfeit(seat, reason, detail)


def describe_error(error: BaseException) -> str:
    """The error in one line of bounded length, even if its own text can't be had."""
    try:
        text = str.__str__(str(error)) or _raised_at(error)
        return bounded(text if isinstance(error, AgentFault) else f"{type(error).__name__}: {text}")
    except BaseException as fault:
        if is_stop(fault):
            raise
        name = type.__dict__["__name__"].__get__(type(error))
        return bounded(f"{name}: (an error whose text can't be had)")


def _raised_at(error: BaseException) -> str:
    """Where an error without a text was raised."""
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    return f"raised in {Path(frames[0].filename).name}, line {frames[0].lineno}" if frames else ""


def bounded(text: str) -> str:
    """Text that fits into a record: its beginning, where it is long."""
    text = text[: MOST_DETAIL + 1].encode("utf-8", "replace").decode()
    return text if len(text) <= MOST_DETAIL else f"{text[: MOST_DETAIL - 1]}…"


def shown(value: object) -> str:
    """A value as text of bounded length, even if it does not let itself be shown."""
    try:
        return bounded(str.__str__(repr(value)))
    except BaseException as fault:
        if is_stop(fault):
            raise
        return "(which can't be shown)"


def _check_type(turn: Turn[Any, Any], action: object) -> None:
    """Raise `IllegalAction`, with an example, unless `action` is of the type of legal ones."""
    example = turn.legal.sample(np.random.default_rng(0))
    if not isinstance(action, type(example)):
        raise IllegalAction(
            f"expected {type(example).__name__}, such as {shown(example)},"
            f" not the {type(action).__name__} {shown(action)}"
        )


def _checked(session: Session, seat: Seat, action: Any) -> Any:
    try:
        session.game.check(session.state, seat, action)
        session.game.write(action)  # what is no action at all may slip through a check
    except BaseException as error:
        if is_stop(error):
            raise
        raise Forfeit(seat, "illegal", why_illegal(session.turn(seat), action, error)) from error
    return action


def why_illegal(turn: Turn[Any, Any], action: Any, error: BaseException) -> str:
    """Why `action` was refused with `error`: first of all, whether its type is another one."""
    try:
        _check_type(turn, action)
    except IllegalAction as wrong:
        return bounded(str(wrong))
    if isinstance(error, IllegalAction):
        return bounded(str(error))
    return bounded(f"{shown(action)} is no action: {describe_error(error)}")
