"""What worker processes are asked to do; each task travels as a pickle and runs there.

The server process imports no agent: kernels compile, tables load and thoughts run elsewhere.
"""

from __future__ import annotations

import inspect
import math
import typing
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec
from numpy.random import PCG64, Generator, SeedSequence

from trireme.core.errors import BadSpec, TriremeError
from trireme.core.game import AnyAgent, AnyGame, Turn
from trireme.core.options import Option, options_of
from trireme.core.registry import agent_class, find, load, make_agent, make_game
from trireme.core.spec import parse_spec

REHEARSAL_SECONDS = 0.05
MOST_DIGITS = 20
MOST_NUMBER = 1_000_000
"""The largest number that an option of a room's agent may have: nobody gets a host's memory."""
MOST_AGENTS = 12
"""Prepared agents that one worker keeps."""


class Failure(TriremeError):
    """Why a task has no result: `illegal`, `exception`, `time` or `process`, and the detail."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail

    def __reduce__(self) -> tuple[Any, ...]:
        return Failure, (self.reason, self.detail)


class Task(Protocol):
    """A piece of work. `ready` comes before the clock: it compiles and loads."""

    def ready(self, desk: Desk) -> None: ...
    def run(self, desk: Desk) -> Any: ...


class Desk:
    """What a worker keeps between tasks: games, and agents that are prepared for them."""

    def __init__(self) -> None:
        self._games: OrderedDict[bytes, AnyGame] = OrderedDict()
        self._agents: OrderedDict[tuple[bytes, str], AnyAgent] = OrderedDict()
        self.rehearsed: set[str] = set()
        """Games whose insight is compiled."""

    def game(self, name: str, settings: dict[str, Any]) -> AnyGame:
        key = msgspec.json.encode([name, settings])
        if key not in self._games:
            self._games[key] = make_game(name, **settings)
        return _recent(self._games, key)

    def agent(self, name: str, settings: dict[str, Any], spec: str) -> AnyAgent:
        key = msgspec.json.encode([name, settings]), spec
        if key not in self._agents:
            game = self.game(name, settings)
            agent = make_agent(game, spec)
            prepare = getattr(agent, "prepare", None)
            if callable(prepare):
                prepare(game)
            self._agents[key] = agent
        return _recent(self._agents, key)


K = typing.TypeVar("K")
T = typing.TypeVar("T")


def _recent(kept: OrderedDict[K, T], key: K) -> T:
    kept.move_to_end(key)
    found = kept[key]
    while len(kept) > MOST_AGENTS:
        kept.popitem(last=False)
    return found


@dataclass(frozen=True)
class Decide:
    """An agent's action, as text, for one turn."""

    game: str
    settings: dict[str, Any]
    spec: str
    seat: int
    view: Any
    legal: Any
    seed: int
    place: tuple[int, ...]
    """Where in the game this decision lies: with the seed, it makes the agent's random stream."""
    seconds: float

    def ready(self, desk: Desk) -> None:
        desk.agent(self.game, self.settings, self.spec)

    def run(self, desk: Desk) -> str:
        game = desk.game(self.game, self.settings)
        agent = desk.agent(self.game, self.settings, self.spec)
        rng = _stream(self.seed, self.place)
        turn = Turn(game, self.seat, self.view, self.legal, rng, self.seconds)
        # Not `play.decide`: a late answer is better for a person than a forfeit, and an agent
        # that does not answer at all is killed by the pool.
        try:
            action = agent.act(turn)
        except Exception as error:
            raise Failure("exception", f"{type(error).__name__}: {error}") from error
        try:
            return game.write(action)
        except Exception as error:
            raise Failure("illegal", f"{action!r} is no action: {error}") from None


@dataclass(frozen=True)
class Ponder:
    """The game's insight into one seat's view."""

    game: str
    settings: dict[str, Any]
    seat: int
    view: Any
    seed: int
    place: tuple[int, ...]
    seconds: float

    def ready(self, desk: Desk) -> None:
        """The first insight into a game compiles: it is had twice, and the second one counts."""
        if self.game not in desk.rehearsed:
            self._found(desk, min(self.seconds, REHEARSAL_SECONDS))
            desk.rehearsed.add(self.game)

    def run(self, desk: Desk) -> dict[str, Any]:
        return self._found(desk, self.seconds)

    def _found(self, desk: Desk, seconds: float) -> dict[str, Any]:
        game = desk.game(self.game, self.settings)
        rng = _stream(self.seed, self.place)
        found = _insight(self.game)(game, self.view, self.seat, seconds, rng)
        plain: dict[str, Any] = msgspec.to_builtins(found)
        return plain


@dataclass(frozen=True)
class Vet:
    """Whether a room may seat this agent: gives None, or raises what is wrong with the spec.

    It is made, but not prepared: who opens a room should not wait for a compiler.
    """

    game: str
    settings: dict[str, Any]
    spec: str

    def ready(self, desk: Desk) -> None:
        self._check()
        make_agent(desk.game(self.game, self.settings), self.spec)

    def run(self, desk: Desk) -> None:
        pass

    def _check(self) -> None:
        offered = {a.name: a for a in describe(self.game)}
        parsed = parse_spec(self.spec)
        if parsed.cls is not None or parsed.name not in offered:
            raise BadSpec(f"a room may seat {', '.join(offered)}, not {self.spec!r}")
        allowed = {option.name for option in offered[parsed.name].options}
        for name, value in parsed.options.items():
            if name not in allowed:
                raise BadSpec(
                    f"a room can't set {name} of {parsed.name}; it may set: "
                    f"{', '.join(sorted(allowed)) or 'nothing'}"
                )
            if len(value) > MOST_DIGITS:
                raise BadSpec(f"{name} of {parsed.name} is too long: {value[:20]!r}…")
            if not abs(_number(value)) <= MOST_NUMBER:
                raise BadSpec(f"{name} of {parsed.name} may be at most {MOST_NUMBER:,} here")


def _number(text: str) -> float:
    """The number that an option is; 0 where it is a word."""
    try:
        return float(text)
    except ValueError:
        return 0.0


@dataclass(frozen=True)
class Warm:
    """Compile and load, so that the first player need not wait."""

    game: str
    settings: dict[str, Any]
    spec: str

    def ready(self, desk: Desk) -> None:
        desk.agent(self.game, self.settings, self.spec)

    def run(self, desk: Desk) -> None:
        pass


@dataclass(frozen=True)
class Described:
    """An agent as lists show it."""

    name: str
    summary: str
    options: list[DescribedOption] = field(default_factory=list)


@dataclass(frozen=True)
class DescribedOption:
    """One option that a room may set."""

    name: str
    type: str
    default: Any
    help: str
    schema: dict[str, Any]


@dataclass(frozen=True)
class Describe:
    """The agents of a game that rooms may seat."""

    game: str

    def ready(self, desk: Desk) -> None:
        """Importing all agents takes its time when it is done for the first time."""
        describe(self.game)

    def run(self, desk: Desk) -> list[Described]:
        return describe(self.game)


def describe(game: str) -> list[Described]:
    """Agents that work here, with their harmless options; weakest first.

    Left out: agents whose packages are not installed, those that say `web = False` (they cost
    money or start programs), and those that can't be made without options.
    """
    found = []
    for name in find(game).agents:
        try:
            cls = agent_class(game, name)
        except ImportError:
            continue
        options = options_of(cls)
        needed = any(o.default is inspect.Parameter.empty for o in options.values())
        if needed or not getattr(cls, "web", True):
            continue
        summary = (inspect.getdoc(cls) or "").partition("\n")[0]
        harmless = [described(o) for o in options.values() if _is_harmless(o.type)]
        found.append(Described(name, summary, harmless))
    return found


def described(option: Option) -> DescribedOption:
    """An option as a form needs it."""
    default = msgspec.to_builtins(option.default)
    if isinstance(default, float) and not math.isfinite(default):
        default = None
    return DescribedOption(
        option.name, option.type_text, default, option.help, _schema_of(option.type)
    )


def _schema_of(type_: Any) -> dict[str, Any]:
    (shape,), parts = msgspec.json.schema_components([type_], ref_template="#/$defs/{name}")
    return {**shape, "$defs": parts} if parts else shape


def _is_harmless(type_: Any) -> bool:
    """Numbers, switches and named choices; text could name a file, a program or a host."""
    origin, args = typing.get_origin(type_), typing.get_args(type_)
    if origin is typing.Annotated:
        return _is_harmless(args[0])
    if origin is typing.Literal:
        return True
    if args:
        return all(_is_harmless(a) for a in args if a is not type(None)) and origin is not tuple
    return type_ in (int, float, bool)


def _insight(game: str) -> Any:
    place = find(game).insight
    if place is None:
        raise Failure("exception", f"{game} offers no insight")
    return load(place)


def _stream(seed: int, place: tuple[int, ...]) -> Generator:
    return Generator(PCG64(SeedSequence(seed, spawn_key=place)))
