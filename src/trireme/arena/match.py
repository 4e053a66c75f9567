"""A match: which agents meet in which game, how often, and under which conditions."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from trireme.arena.statistics.sprt import Sprt
from trireme.core.errors import BadSpec, TriremeError
from trireme.core.external_agent import ExternalAgent
from trireme.core.forfeit import describe_error
from trireme.core.game import AnyAgent, AnyGame
from trireme.core.isolation import MEMORY_MIB, IsolatedAgent
from trireme.core.options import settings
from trireme.core.registry import agent_class, check_plays, is_shipped, make_agent, make_game
from trireme.core.spec import parse_spec

from .adjudication import Adjudication
from .match_clock import TimeControl
from .pairings import Stages, TournamentFormat, check_format, expected_pairings, stages

Place = Literal["shipped", "isolated", "in-process", "external"]
"""Where an agent runs: one of Trireme's in the referee's process, a foreign one in its own process
(isolated) or in the referee's, or a program that Trireme starts (external)."""
LEAST_MEMORY = 256
"""MiB without which Python and numpy do not start."""
_NAMED = re.compile(r"([^\s:=]+)=(.+)", re.DOTALL)


@dataclass(frozen=True)
class Entrant:
    """An agent of a match under the name that tables show."""

    name: str
    agent: Any
    """A spec such as `search:depth=8`, or a Python agent, of which every game gets a copy."""

    @property
    def spec(self) -> str | None:
        """The agent as text; None for a Python object, which only its own program can resume."""
        return self.agent if isinstance(self.agent, str) else None

    def timed(self, game: AnyGame) -> bool:
        """Whether it says (`timed`) that a clock of its own limits it, so that its results depend
        on the machine; unknown, and False, for a foreign class."""
        if self.spec is not None and not is_shipped(game.name, self.spec):
            return False
        return bool(getattr(self.build(game), "timed", False))

    def place(self, game: AnyGame, isolate: bool) -> Place:
        """Where the agent runs in a match with this setting of `isolate`."""
        if self.spec is None:
            return "in-process"
        if not is_shipped(game.name, self.spec):
            return "isolated" if isolate else "in-process"
        cls = agent_class(game.name, parse_spec(self.spec).name)
        return "external" if issubclass(cls, ExternalAgent) else "shipped"

    def build(self, game: AnyGame) -> AnyAgent:
        """A fresh agent in this process: what it did in one game never reaches the next."""
        if isinstance(self.agent, str):
            return make_agent(game, self.agent)
        made: AnyAgent = copy.deepcopy(self.agent)
        return made


@dataclass(frozen=True)
class Match:
    """Everything that decides what is played; how and where it runs is the executor's part."""

    game: AnyGame
    entrants: tuple[Entrant, ...]
    games: int = 100
    """Games of every pairing, rounded up to whole pairs; with one seat, of every agent."""
    seed: int = 0
    seconds: float | None = None
    """The budget of every decision; without one, deterministic agents give the same results
    wherever the match runs."""
    limit: float = 60.0
    """Seconds after which an agent that has no budget counts as hung."""
    gauntlet: bool = False
    """Only the first agent meets the others."""
    sprt: Sprt | None = None
    isolate: bool = True
    """Play agents from modules, files and plug-ins in processes of their own, which get only
    views; results are the same without, but such agents then share the referee's process."""
    memory: int = MEMORY_MIB
    """MiB that an isolated agent may take."""
    secret_seed: bool = False
    """Keep the seed out of the run folder while games are played: no agent can read it there and
    compute hidden fleets from it."""

    format: TournamentFormat = "round-robin"
    """Who meets whom; `gauntlet` above is the same as the format of that name."""
    swiss_rounds: int | None = None
    """Rounds of the format swiss; None: as many as decide a first place."""
    openings: tuple[str, ...] = ()
    """Starts, as lines of an opening file: round i plays number i, from the first again after the
    last. Without any, the game draws fair starts."""
    clock: TimeControl | None = None
    """The time of each seat for a whole game, in place of `seconds` for every decision."""
    adjudication: Adjudication | None = None

    def __post_init__(self) -> None:
        if self.gauntlet and self.format == "round-robin":
            object.__setattr__(self, "format", "gauntlet")
        object.__setattr__(self, "gauntlet", self.format == "gauntlet")
        least = 1 if self.game.seats == 1 else 2
        if self.game.seats > 2:
            raise BadSpec(f"the arena pairs one or two seats; {self.game.name} has more")
        if len(self.entrants) < least:
            raise BadSpec(f"expected at least {least} agents, not {len(self.entrants)}")
        if self.games < 1:
            raise BadSpec(f"expected at least one game, not {self.games}")
        if self.seed < 0:
            raise BadSpec(f"the seed must not be negative, as {self.seed} is")
        for word, value in (("time", self.seconds), ("limit", self.limit)):
            if value is not None and not value > 0:
                raise BadSpec(f"the {word} must be more than 0 seconds, not {value:g}")
        if self.memory < LEAST_MEMORY:
            raise BadSpec(f"the memory must be at least {LEAST_MEMORY} MiB, not {self.memory}")
        if self.sprt is not None and (len(self.entrants) != 2 or self.game.seats != 2):
            raise BadSpec("a sequential test is between two agents of a game with two seats")
        if self.sprt is not None and self.format in ("swiss", "knockout"):
            raise BadSpec(f"a sequential test has no format {self.format}: leave one of them out")
        check_format(self.format, len(self.entrants), self.game.seats, self.swiss_rounds)
        if self.clock is not None and self.seconds is not None:
            raise BadSpec("a game has a clock or a time for each move: leave one of them out")
        if self.adjudication is not None:
            self.adjudication.check(self.game)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(e.name for e in self.entrants)

    @property
    def places(self) -> tuple[Place, ...]:
        """Where each entrant's agent runs."""
        return tuple(e.place(self.game, self.isolate) for e in self.entrants)

    @property
    def secretive(self) -> bool:
        """Whether agents of others take part, from which files and memory must keep secrets."""
        return any(place != "shipped" for place in self.places)

    @property
    def games_per_round(self) -> int:
        """Games of a pairing from one start: both ways of seating; with one seat, one game."""
        return self.game.seats

    @property
    def rounds(self) -> int:
        """Starts that every pairing plays: `games`, rounded up to whole rounds."""
        return -(-self.games // self.games_per_round)

    def stages(self) -> Stages:
        """The stages of the tournament: who meets whom, by the results of the stages before."""
        count = len(self.entrants)
        return stages(self.format, count, self.game.seats, self.rounds, self.swiss_rounds)

    @property
    def expected_games(self) -> int | None:
        """Games of the whole match, where later stages are not known yet; None where all are."""
        pairings = expected_pairings(self.format, len(self.entrants), self.swiss_rounds)
        return None if pairings is None else pairings * self.rounds * self.games_per_round


def entrants(
    game: AnyGame, agents: Iterable[Any], *, isolate: bool = True, memory: int = MEMORY_MIB
) -> tuple[Entrant, ...]:
    """Agents with names that differ: specs, `name=spec`, `Entrant`s or Python agents.

    Every agent is made once here, so that a mistyped spec or an agent of another game is an error
    and no lost game. A foreign one is made in a process of its own, unless `isolate` is false.
    """
    made: list[Entrant] = []
    for agent in agents:
        entrant = _entrant(agent)
        count = sum(e.name == entrant.name or e.name.startswith(f"{entrant.name}#") for e in made)
        if count:
            entrant = Entrant(f"{entrant.name}#{count + 1}", entrant.agent)
        _check(entrant, game, isolate, memory)
        made.append(entrant)
    return tuple(made)


def _check(entrant: Entrant, game: AnyGame, isolate: bool, memory: int) -> None:
    """Raise `BadSpec` unless the agent can be made and plays `game`."""
    for text in (entrant.name, entrant.spec or ""):
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise BadSpec(f"{text!r} is not valid text: a file could not hold it")
    if entrant.spec is None:
        check_plays(game.name, entrant.name, type(entrant.agent))
    if entrant.place(game, isolate) == "isolated":
        agent = IsolatedAgent(entrant.name, str(entrant.spec), memory)
        try:
            agent.check(game)
        finally:
            agent.close()
        return
    try:
        entrant.build(game)
    except TriremeError:
        raise
    except Exception as error:
        raise BadSpec(f"{entrant.name!r} can't be made: {describe_error(error)}") from error


def _entrant(agent: Any) -> Entrant:
    if isinstance(agent, Entrant):
        return agent
    if isinstance(agent, str):
        if named := _NAMED.fullmatch(agent.strip()):
            return Entrant(named[1], named[2])
        return Entrant(agent.strip(), agent.strip())
    if not callable(getattr(agent, "act", None)):
        raise BadSpec(f"expected an agent or its spec, not {agent!r}")
    return Entrant(str(getattr(agent, "name", type(agent).__name__)), agent)


def to_plain(match: Match) -> dict[str, Any]:
    """The match as JSON values; `from_plain` gives it back."""
    return {
        "game": match.game.name,
        "settings": settings(match.game),
        "agents": [{"name": e.name, "spec": e.spec} for e in match.entrants],
        "games": match.games,
        "seed": match.seed,
        "seconds": match.seconds,
        "limit": match.limit,
        "gauntlet": match.gauntlet,
        "sprt": None if match.sprt is None else match.sprt.to_plain(),
        "isolate": match.isolate,
        "memory": match.memory,
        "secret_seed": match.secret_seed,
        **new_conditions(match),
    }


def new_conditions(match: Match) -> dict[str, Any]:
    """Conditions that older versions did not know, as JSON values, where they are not the default:
    matches without them keep their files and hashes."""
    clock, adjudication = match.clock, match.adjudication
    stated = {
        "format": match.format if match.format in ("swiss", "knockout") else None,
        "swiss_rounds": match.swiss_rounds,
        "openings": match.openings,
        "clock": None if clock is None else asdict(clock),
        "adjudication": None if adjudication is None else adjudication.to_plain(),
    }
    return {name: value for name, value in stated.items() if value}


def from_plain(plain: dict[str, Any], agents: Iterable[Any] = ()) -> Match:
    """The match of a run folder; Python agents, which no file holds, are handed in again."""
    game = make_game(plain["game"], **plain["settings"])
    given = {e.name: e for e in map(_entrant, agents)}
    found: list[Entrant] = []
    for saved in plain["agents"]:
        if saved["spec"] is None and saved["name"] not in given:
            raise BadSpec(f"{saved['name']!r} is a Python object: resume from the program it is in")
        found.append(given.get(saved["name"]) or Entrant(saved["name"], saved["spec"]))
    clock, adjudication = plain.get("clock"), plain.get("adjudication")
    return Match(
        game,
        tuple(found),
        games=plain["games"],
        seed=plain["seed"],
        seconds=plain["seconds"],
        limit=plain["limit"],
        gauntlet=plain["gauntlet"],
        sprt=None if plain["sprt"] is None else Sprt(**plain["sprt"]),
        # Folders of older versions do not name these.
        isolate=plain.get("isolate", True),
        memory=plain.get("memory", MEMORY_MIB),
        secret_seed=plain.get("secret_seed", False),
        format=plain.get("format", "round-robin"),
        swiss_rounds=plain.get("swiss_rounds"),
        openings=tuple(plain.get("openings", ())),
        clock=None if clock is None else TimeControl(**clock),
        adjudication=None if adjudication is None else Adjudication.from_plain(adjudication),
    )
