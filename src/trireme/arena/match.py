"""A match: which agents meet in which game, how often, and under which conditions."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from trireme.arena.statistics.sprt import Sprt
from trireme.core.errors import BadSpec, TriremeError
from trireme.core.game import AnyAgent, AnyGame
from trireme.core.options import settings
from trireme.core.registry import make_agent, make_game
from trireme.core.spec import parse_spec

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

    @property
    def foreign(self) -> bool:
        """Whether it is a user's class, by module or file."""
        return self.spec is not None and parse_spec(self.spec).cls is not None

    def timed(self, game: AnyGame) -> bool:
        """Whether it says (`timed`) that a clock of its own limits it, so that its results depend
        on the machine; unknown, and False, for a foreign class."""
        return not self.foreign and bool(getattr(self.build(game), "timed", False))

    def build(self, game: AnyGame) -> AnyAgent:
        """A fresh agent: what it did in one game never reaches the next."""
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

    def __post_init__(self) -> None:
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
        if self.sprt is not None and (len(self.entrants) != 2 or self.game.seats != 2):
            raise BadSpec("a sequential test is between two agents of a game with two seats")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(e.name for e in self.entrants)

    def pairings(self) -> list[tuple[int, ...]]:
        """Who meets whom, by index; with one seat everybody plays alone."""
        count = len(self.entrants)
        if self.game.seats == 1:
            return [(i,) for i in range(count)]
        firsts = range(1) if self.gauntlet else range(count)
        return [(i, j) for i in firsts for j in range(i + 1, count)]


def entrants(game: AnyGame, agents: Iterable[Any]) -> tuple[Entrant, ...]:
    """Agents with names that differ: specs, `name=spec`, `Entrant`s or Python agents.

    Every agent is made once here, so that a mistyped spec is an error and no lost game.
    """
    made: list[Entrant] = []
    for agent in agents:
        entrant = _entrant(agent)
        count = sum(e.name == entrant.name or e.name.startswith(f"{entrant.name}#") for e in made)
        if count:
            entrant = Entrant(f"{entrant.name}#{count + 1}", entrant.agent)
        try:
            entrant.build(game)
        except TriremeError:
            raise
        except Exception as error:
            raise BadSpec(
                f"{entrant.name!r} can't be made: {type(error).__name__}: {error}"
            ) from error
        made.append(entrant)
    return tuple(made)


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
    }


def from_plain(plain: dict[str, Any], agents: Iterable[Any] = ()) -> Match:
    """The match of a run folder; Python agents, which no file holds, are handed in again."""
    game = make_game(plain["game"], **plain["settings"])
    given = {e.name: e for e in map(_entrant, agents)}
    found: list[Entrant] = []
    for saved in plain["agents"]:
        if saved["spec"] is None and saved["name"] not in given:
            raise BadSpec(f"{saved['name']!r} is a Python object: resume from the program it is in")
        found.append(given.get(saved["name"]) or Entrant(saved["name"], saved["spec"]))
    return Match(
        game,
        tuple(found),
        games=plain["games"],
        seed=plain["seed"],
        seconds=plain["seconds"],
        limit=plain["limit"],
        gauntlet=plain["gauntlet"],
        sprt=None if plain["sprt"] is None else Sprt(**plain["sprt"]),
    )
