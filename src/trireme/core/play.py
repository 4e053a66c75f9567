"""`play` runs one game between agents to its end; `decide` asks one agent for a checked action."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .action_input import as_action
from .errors import AgentNotReady, BadSpec, TriremeError
from .forfeit import Forfeit, fault_of, why_illegal
from .game import AnyAgent, AnyGame, Seat, Turn, close
from .move_report import MoveReport, read_report
from .notebook import describe_result, picture
from .record import Forfeited, Record
from .registry import check_plays, make_agent, make_game
from .session import Opening, Session, check_seats
from .stop_signals import is_stop
from .transcript import Exchange, take_exchanges


@dataclass(frozen=True, repr=False)
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
    tracebacks: Mapping[Seat, str] = field(default_factory=dict)
    """Where the code of seats that forfeited failed, as Python prints it, where that is known."""

    def __repr__(self) -> str:
        return describe_result(self)

    def _repr_html_(self) -> str:
        return picture(self.record.game, self.state)


GRACE = 0.05
"""Seconds, and share of the budget, that a decision may run over before it is a forfeit."""


def answer_limit(turn: Turn[Any, Any], otherwise: float) -> float:
    """Seconds to wait for an answer: to the end of the clock, or of the budget and its grace."""
    if turn.clock is not None:
        return turn.clock + GRACE
    return otherwise if turn.seconds is None else turn.seconds * (1 + GRACE) + GRACE


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
    if took > answer_limit(turn, math.inf):
        raise Forfeit(turn.seat, "time", f"took {took:.3f} s of {turn.seconds:g} s")
    return turn_action(turn, action), took


def turn_action(turn: Turn[Any, Any], value: Any) -> Any:
    """The action that an agent's answer stands for: the game's own, its text, an index or a cell;
    the answer itself where it stands for none."""
    return as_action(turn.game, turn.seat, lambda: turn.legal, lambda: turn.view, value)


def play(
    game: AnyGame | str,
    agents: Sequence[AnyAgent | str],
    *,
    seed: int | None = None,
    seconds: float | None = None,
    opening: Opening = (),
    sink: Callable[[str], object] | None = None,
    on_move: Callable[[Session], object] | None = None,
    strict: bool = False,
) -> Result:
    """Play one game between agents (objects or specs) and give its result.

    A failing agent forfeits: the game ends and the record says why. An agent that can't play as it
    is configured (a missing package or file, a board that its network does not take) is no forfeit
    but raises `AgentNotReady` before the game begins. `seconds` is each decision's budget, `sink`
    gets every line of the record as it is written, `on_move` is called after every move. Kernels
    compile and tables load before the first clock starts. Agents that are made here, from specs,
    are closed at the end. With `strict` a failing agent raises `Forfeit`, whose cause is the
    agent's own error, in place of losing.
    """
    game = make_game(game) if isinstance(game, str) else game
    labels = [a if isinstance(a, str) else agent_name(a) for a in agents]
    check_seats(game, len(labels))
    for agent, label in zip(agents, labels, strict=True):
        if not isinstance(agent, str):
            check_plays(game.name, label, type(agent))
    players = [make_agent(game, a) if isinstance(a, str) else a for a in agents]
    try:
        return _play(game, players, labels, seed, seconds, opening, sink, on_move, strict)
    finally:
        close(player for player, a in zip(players, agents, strict=True) if isinstance(a, str))


def agent_name(agent: AnyAgent) -> str:
    """The agent's name: its own, or that of its class."""
    if isinstance(agent, type):
        raise BadSpec(f"expected an agent, not its class: write {agent.__name__}()")
    return str(getattr(agent, "name", type(agent).__name__))


def _play(
    game: AnyGame,
    players: Sequence[AnyAgent],
    labels: Sequence[str],
    seed: int | None,
    seconds: float | None,
    opening: Opening,
    sink: Callable[[str], object] | None,
    on_move: Callable[[Session], object] | None,
    strict: bool,
) -> Result:
    faults = [
        fault
        for seat, agent in enumerate(players)
        if (fault := _preparation_fault(game, seat, agent, labels[seat]))
    ]
    session = Session(game, labels, seed=seed, opening=opening, sink=sink)
    if faults and strict:
        raise faults[0]
    if faults and not session.over:
        session.forfeit(faults[0])
    spent, asked = [0.0] * game.seats, [0] * game.seats
    exchanges: list[Exchange] = []
    while not session.over:
        actions: dict[Seat, Any] = {}
        faults = []
        reports: dict[Seat, MoveReport] = {}
        for seat in session.to_move:
            asked[seat] += 1
            try:
                action, took = decide(players[seat], session.turn(seat, seconds))
                spent[seat] += took
                reports[seat] = read_report(players[seat], took)
                actions[seat] = _checked(session, seat, action)
            except Forfeit as fault:
                faults.append(fault)
            exchanges += take_exchanges(players[seat], seat, session.moves + 1)
        if faults and strict:
            raise faults[0]
        if faults:
            session.forfeit(*faults)
        else:
            session.move(actions, reports)
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
        {fault.seat: fault.traceback for fault in faults if fault.traceback},
    )


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
        fault = fault_of(seat, error)
        fault.__cause__ = error
        return fault
    return None


def _checked(session: Session, seat: Seat, action: Any) -> Any:
    try:
        session.game.check(session.state, seat, action)
        session.game.write(action)  # what is no action at all may slip through a check
    except BaseException as error:
        if is_stop(error):
            raise
        raise Forfeit(seat, "illegal", why_illegal(session.turn(seat), action, error)) from error
    return action
