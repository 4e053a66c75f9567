"""Tasks of worker processes; each is sent as a pickle and runs there.

The server process imports no agent: compiling kernels, loading tables and searching happen in the
workers.
"""

from __future__ import annotations

import inspect
import math
import typing
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec
from numpy.random import Generator

from trireme.core.errors import BadSpec, TriremeError
from trireme.core.extras import missing_extra
from trireme.core.forfeit import describe_error, shown
from trireme.core.game import AnyAgent, AnyGame, Turn
from trireme.core.options import Option, options_of
from trireme.core.play import check_fit, prepare_agent, turn_action
from trireme.core.registry import agent_class, agents_of, find, load, make_agent, make_game
from trireme.core.review import (
    Decision,
    ReviewedMove,
    Reviewer,
    ReviewTerms,
    reviewed,
    reviewer_of,
)
from trireme.core.seeding import seat_digest, seat_generator
from trireme.core.spec import parse_spec

WARM_UP_SECONDS = 0.05
"""Thinking time of the insight that is computed only to compile it."""
MAX_OPTION_LENGTH = 20
MAX_OPTION_VALUE = 1_000_000
"""The largest number that an option of a room's agent may have: it bounds the memory it takes."""
MAX_CACHED = 12
"""Games, and prepared agents, that one worker caches."""


class TaskFailure(TriremeError):
    """Why a task has no result: `illegal`, `exception`, `time`, `process` or `refused`."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail

    def __reduce__(self) -> tuple[Any, ...]:
        return TaskFailure, (self.reason, self.detail)


class Task(Protocol):
    """A unit of work: `prepare` compiles and loads before the task's time starts, `run` does it."""

    def prepare(self, cache: WorkerCache) -> None: ...
    def run(self, cache: WorkerCache) -> Any: ...


class WorkerCache:
    """What a worker keeps between tasks: games, and prepared agents, least recently used first."""

    def __init__(self) -> None:
        self._games: OrderedDict[bytes, AnyGame] = OrderedDict()
        self._agents: OrderedDict[tuple[bytes, str], AnyAgent] = OrderedDict()
        self._reviewers: dict[tuple[bytes, int], Reviewer] = {}
        self.compiled_insights: set[str] = set()
        """Games whose insight is compiled."""
        self.compiled_reviews: set[str] = set()
        """Games whose reviewer is compiled."""

    def game(self, name: str, settings: dict[str, Any]) -> AnyGame:
        key = msgspec.json.encode([name, settings])
        if key not in self._games:
            self._games[key] = make_game(name, **settings)
        return _touch(self._games, key)

    def reviewer(self, name: str, settings: dict[str, Any], moves: int) -> Reviewer:
        key = msgspec.json.encode([name, settings]), moves
        if key not in self._reviewers:
            self._reviewers.clear()  # each holds a search's tables
            self._reviewers[key] = reviewer_of(self.game(name, settings), moves)
        return self._reviewers[key]

    def agent(self, name: str, settings: dict[str, Any], spec: str) -> AnyAgent:
        key = msgspec.json.encode([name, settings]), spec
        if key not in self._agents:
            game = self.game(name, settings)
            agent = make_agent(game, spec)
            prepare_agent(agent, game, spec)
            self._agents[key] = agent
        return _touch(self._agents, key)


K = typing.TypeVar("K")
T = typing.TypeVar("T")


def _touch(cached: OrderedDict[K, T], key: K) -> T:
    """The value of `key`, now the most recently used; the least recently used are dropped."""
    cached.move_to_end(key)
    while len(cached) > MAX_CACHED:
        cached.popitem(last=False)
    return cached[key]


@dataclass(frozen=True)
class GameTask:
    """A task for a game with these settings."""

    game: str
    settings: dict[str, Any]


@dataclass(frozen=True)
class AgentTask(GameTask):
    """A task for an agent of the game; preparing it makes the agent ready to play."""

    spec: str

    def prepare(self, cache: WorkerCache) -> None:
        cache.agent(self.game, self.settings, self.spec)


@dataclass(frozen=True)
class SeatView:
    """One seat's view, and what an answer to it depends on beside the view."""

    seat: int
    view: Any
    digest: bytes
    """What the random stream is made from; it does not tell the room's seed."""
    seconds: float

    @classmethod
    def of(cls, seat: int, view: Any, *, seed: int, place: int = 0, seconds: float) -> SeatView:
        """`place` is the decision's place in the game: each has a random stream of its own."""
        return cls(seat, view, seat_digest(seed, seat, place), seconds)

    def rng(self) -> Generator:
        return seat_generator(self.digest)


@dataclass(frozen=True)
class Decide(AgentTask):
    """An agent's action for one turn, as text."""

    at: SeatView
    legal: Any

    def run(self, cache: WorkerCache) -> str:
        game = cache.game(self.game, self.settings)
        agent = cache.agent(self.game, self.settings, self.spec)
        at = self.at
        turn = Turn(game, at.seat, at.view, self.legal, at.rng(), at.seconds)
        # Not `play.decide`: a late answer is better for a person than a forfeit, and an agent
        # that does not answer at all is killed by the pool.
        try:
            action = agent.act(turn)
        except Exception as error:
            raise TaskFailure("exception", describe_error(error)) from error
        try:
            return game.write(turn_action(turn, action))
        except Exception as error:
            raise TaskFailure("illegal", f"{shown(action)} is no action: {error}") from None


@dataclass(frozen=True)
class ComputeInsight(GameTask):
    """The game's insight into one seat's view."""

    at: SeatView

    def prepare(self, cache: WorkerCache) -> None:
        """A worker's first insight into a game compiles: it is computed twice."""
        if self.game not in cache.compiled_insights:
            self._insight(cache, min(self.at.seconds, WARM_UP_SECONDS))
            cache.compiled_insights.add(self.game)

    def run(self, cache: WorkerCache) -> dict[str, Any]:
        return self._insight(cache, self.at.seconds)

    def _insight(self, cache: WorkerCache, seconds: float) -> dict[str, Any]:
        place = find(self.game).insight
        if place is None:
            raise TaskFailure("exception", f"{self.game} offers no insight")
        game = cache.game(self.game, self.settings)
        found = load(place)(game, self.at.view, self.at.seat, seconds, self.at.rng())
        plain: dict[str, Any] = msgspec.to_builtins(found)
        return plain


@dataclass(frozen=True)
class ReviewPart:
    """Some decisions of a game, reviewed."""

    terms: ReviewTerms
    moves: list[ReviewedMove]


@dataclass(frozen=True)
class ReviewDecisions(GameTask):
    """The review of some decisions, from what their seats knew."""

    total: int
    """Moves of the whole game."""
    decisions: tuple[tuple[int, Decision], ...]

    def prepare(self, cache: WorkerCache) -> None:
        """A worker's first review of a game compiles: it is computed twice."""
        reviewer = cache.reviewer(self.game, self.settings, self.total)
        if self.game not in cache.compiled_reviews and self.decisions:
            game = cache.game(self.game, self.settings)
            reviewed(game, reviewer, *self.decisions[-1], seed=0)
            cache.compiled_reviews.add(self.game)

    def run(self, cache: WorkerCache) -> ReviewPart:
        game = cache.game(self.game, self.settings)
        reviewer = cache.reviewer(self.game, self.settings, self.total)
        found = [m for n, d in self.decisions for m in reviewed(game, reviewer, n, d, seed=0)]
        return ReviewPart(ReviewTerms.of(reviewer), found)


@dataclass(frozen=True)
class CheckAgent(AgentTask):
    """Whether a room may seat this agent: returns None, or raises what is wrong with the spec.

    The agent is constructed but not prepared: creating a room should not wait for a compiler.
    """

    def prepare(self, cache: WorkerCache) -> None:
        self._check()
        game = cache.game(self.game, self.settings)
        check_fit(make_agent(game, self.spec), game, self.spec)

    def run(self, cache: WorkerCache) -> None:
        pass

    def _check(self) -> None:
        listed = {agent.name: agent for agent in list_agents(self.game)}
        offered = {name: agent for name, agent in listed.items() if agent.unavailable is None}
        parsed = parse_spec(self.spec)
        if parsed.cls is None and parsed.name in listed and parsed.name not in offered:
            raise BadSpec(listed[parsed.name].unavailable)
        if parsed.cls is not None or parsed.name not in offered:
            raise BadSpec(f"a room may seat {', '.join(offered)}, not {self.spec!r}")
        allowed = {option.name for option in offered[parsed.name].options}
        for name, value in parsed.options.items():
            if name not in allowed:
                raise BadSpec(
                    f"a room can't set {name} of {parsed.name}; it may set: "
                    f"{', '.join(sorted(allowed)) or 'nothing'}"
                )
            if len(value) > MAX_OPTION_LENGTH:
                raise BadSpec(f"{name} of {parsed.name} is too long: {value[:20]!r}…")
            if not abs(_number(value)) <= MAX_OPTION_VALUE:
                raise BadSpec(f"{name} of {parsed.name} may be at most {MAX_OPTION_VALUE:,} here")


@dataclass(frozen=True)
class CheckNamed(AgentTask):
    """Why a named opponent can't play here, as a sentence; None: it can. It is trusted: its spec
    comes with the game."""

    def prepare(self, cache: WorkerCache) -> None:
        """Nothing is compiled to find out."""

    def run(self, cache: WorkerCache) -> str | None:
        game = cache.game(self.game, self.settings)
        try:
            check_fit(make_agent(game, self.spec), game, self.spec)
        except TriremeError as error:
            return str(error)
        return None


def _number(text: str) -> float:
    """The option's value as a number; 0 where it is a word."""
    try:
        return float(text)
    except ValueError:
        return 0.0


@dataclass(frozen=True)
class WarmUp(AgentTask):
    """Compile and load an agent before anybody waits for it."""

    def run(self, cache: WorkerCache) -> None:
        pass


@dataclass(frozen=True)
class AgentDescription:
    """An agent with the options that a room may set."""

    name: str
    summary: str
    options: list[OptionDescription] = field(default_factory=list)
    unavailable: str | None = None
    """Why it can't play here, such as a package that is not installed; None: it can."""


@dataclass(frozen=True)
class OptionDescription:
    """One option that a room may set."""

    name: str
    type: str
    default: Any
    help: str
    schema: dict[str, Any]


@dataclass(frozen=True)
class ListAgents:
    """The agents of a game that rooms may seat."""

    game: str

    def prepare(self, cache: WorkerCache) -> None:
        """The first import of all agents is slow."""
        list_agents(self.game)

    def run(self, cache: WorkerCache) -> list[AgentDescription]:
        return list_agents(self.game)


def list_agents(game: str) -> list[AgentDescription]:
    """The agents that rooms may seat, with their safe options; weakest first.

    Those whose packages are not installed say so in `unavailable`. Left out: agents that say
    `web = False` (they cost money or start programs), and those with required options.
    """
    found = []
    for name in agents_of(game):
        try:
            cls = agent_class(game, name)
        except (ImportError, AttributeError):
            continue
        options = options_of(cls)
        required = any(o.default is inspect.Parameter.empty for o in options.values())
        if required or not getattr(cls, "web", True):
            continue
        summary = (inspect.getdoc(cls) or "").partition("\n")[0]
        safe = [describe_option(o) for o in options.values() if _is_safe(o.type)]
        found.append(AgentDescription(name, summary, safe, missing_extra(name, cls)))
    return found


def describe_option(option: Option) -> OptionDescription:
    """The option with all that a form needs."""
    default = msgspec.to_builtins(option.default)
    if isinstance(default, float) and not math.isfinite(default):
        default = None
    return OptionDescription(
        option.name, option.type_text, default, option.help, _schema_of(option.type)
    )


def _schema_of(type_: Any) -> dict[str, Any]:
    (shape,), parts = msgspec.json.schema_components([type_], ref_template="#/$defs/{name}")
    return {**shape, "$defs": parts} if parts else shape


def _is_safe(type_: Any) -> bool:
    """Whether it is a number, a flag or a named choice; text could name a file, program or host."""
    origin, args = typing.get_origin(type_), typing.get_args(type_)
    if origin is typing.Annotated:
        return _is_safe(args[0])
    if origin is typing.Literal:
        return True
    if args:
        return all(_is_safe(a) for a in args if a is not type(None)) and origin is not tuple
    return type_ in (int, float, bool)
