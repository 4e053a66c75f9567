"""What can be played here: games with their settings, variants and agents, as lists show them."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from trireme.core.options import options_of
from trireme.core.options import settings as settings_of
from trireme.core.registry import GAMES, find, load, make_game
from trireme.core.spec import parse_spec
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.shapes import AgentInfo, GameInfo, OptionInfo
from trireme.server.rooms.views import terminal
from trireme.server.workers.pool import Workers
from trireme.server.workers.tasks import (
    Describe,
    Described,
    DescribedOption,
    Failure,
    Vet,
    Warm,
    described,
)


class Catalogue:
    """The games, described once; agents are looked at in a worker."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._games: dict[str, GameInfo] = {}
        self._vetted: set[tuple[str, str]] = set()

    async def games(self) -> list[GameInfo]:
        return list(await asyncio.gather(*(self.game(name) for name in GAMES)))

    async def game(self, name: str) -> GameInfo:
        if name not in GAMES:
            raise Refusal("no_such_game", f"no game {name!r}; there are {', '.join(GAMES)}")
        if name not in self._games:
            agents: list[Described] = await self._workers.ask(Describe(name), 60)
            self._games[name] = _describe(name, agents)
        return self._games[name]

    async def vet(self, game: str, settings: dict[str, Any], spec: str) -> None:
        """Refuse an agent that a room may not seat.

        The usual opponent is known to work: nobody waits for a worker that is busy compiling.
        """
        if (game, spec) in self._vetted or spec == (await self.game(game)).opponent:
            return
        try:
            await self._workers.ask(Vet(game, settings, spec), 60)
        except Failure as failure:
            raise Refusal("bad_agent", failure.detail) from None
        if len(self._vetted) < 10_000:
            self._vetted.add((game, spec))


def _describe(name: str, agents: list[Described]) -> GameInfo:
    found = find(name)
    cls = load(found.game)
    speaker = terminal(name)
    return GameInfo(
        name=name,
        summary=found.summary,
        seats=cls().seats,
        settings=[_option(described(option)) for option in options_of(cls).values()],
        variants={key: msgspec.to_builtins(dict(v)) for key, v in found.variants.items()},
        versus=found.versus,
        agents=[
            AgentInfo(name=a.name, summary=a.summary, options=[_option(o) for o in a.options])
            for a in agents
        ],
        opponent=usual_opponent(name, agents),
        clock=speaker.clock,
        undoable=cls.undoable,
        insight=found.insight is not None,
        typing=speaker.typing,
        maps="map" in options_of(cls),
    )


def usual_opponent(game: str, agents: list[Described]) -> str:
    """The game's opponent, or the strongest agent that works here if that one does not."""
    opponent = find(game).opponent
    offered = [agent.name for agent in agents]
    return opponent if parse_spec(opponent).name in offered or not offered else offered[-1]


def _option(option: DescribedOption) -> OptionInfo:
    return OptionInfo(
        name=option.name,
        type=option.type,
        default=option.default,
        help=option.help,
        value_schema=option.schema,
    )


def warm_up() -> list[Warm]:
    """What workers prepare while they are idle: each game's usual opponent, alone and in pairs."""
    return [
        Warm(name, settings_of(make_game(name, variant)), find(name).opponent)
        for name in GAMES
        for variant in dict.fromkeys((find(name).versus, None))
    ]
