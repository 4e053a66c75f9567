"""The catalogue of games: settings, variants and agents, as `GET /api/games` lists them."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from trireme.core.lessons import lessons_of
from trireme.core.opponents import NamedOpponent, opponents_of
from trireme.core.options import options_of
from trireme.core.options import settings as settings_of
from trireme.core.puzzles import puzzles_of
from trireme.core.registry import GAMES, find, load, make_game
from trireme.core.spec import parse_spec
from trireme.server.limits import SERVER
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.shapes import AgentInfo, GameInfo, LessonInfo, OpponentInfo, OptionInfo
from trireme.server.rooms.views import terminal
from trireme.server.workers.pool import WorkerPool
from trireme.server.workers.tasks import (
    AgentDescription,
    CheckAgent,
    CheckNamed,
    ListAgents,
    OptionDescription,
    TaskFailure,
    describe_option,
)

LIST_SECONDS = 60
"""Time for a worker to import a game's agents."""
CHECK_SECONDS = 1
"""Time for a worker to construct an agent."""
MAX_CHECKED = 10_000


def require_game(name: str) -> None:
    """Refuse a game that does not exist."""
    if name not in GAMES:
        raise Refusal("no_such_game", f"no game {name!r}; there are {', '.join(GAMES)}")


class Catalogue:
    """The games, each described once; agents are imported only in a worker."""

    def __init__(self, workers: WorkerPool) -> None:
        self._workers = workers
        self._games: dict[str, GameInfo] = {}
        self._checked: set[tuple[str, str]] = set()

    async def games(self) -> list[GameInfo]:
        return list(await asyncio.gather(*(self.game(name) for name in GAMES)))

    async def game(self, name: str) -> GameInfo:
        require_game(name)
        if name not in self._games:
            agents: list[AgentDescription] = await self._workers.run(ListAgents(name), LIST_SECONDS)
            opponents = [await self._describe_opponent(name, o) for o in opponents_of(name)]
            self._games[name] = _describe(name, agents, opponents)
        return self._games[name]

    async def _describe_opponent(self, game: str, opponent: NamedOpponent) -> OpponentInfo:
        task = CheckNamed(game, settings_of(make_game(game, find(game).versus)), opponent.spec)
        unavailable: str | None = await self._workers.run(task, LIST_SECONDS)
        plain = msgspec.to_builtins(opponent)
        return OpponentInfo.model_validate({**plain, "unavailable": unavailable}, strict=False)

    async def check_agent(
        self, game: str, settings: dict[str, Any], spec: str, address: str = SERVER
    ) -> None:
        """Refuse an agent that a room may not seat.

        The default opponent needs no check, and named ones were checked when they were listed:
        nobody waits for a worker that is busy compiling.
        """
        info = await self.game(game)
        if (game, spec) in self._checked or spec == info.opponent:
            return
        for opponent in info.opponents:
            if opponent.spec == spec and opponent.unavailable is None:
                return
            if opponent.spec == spec:
                raise Refusal("bad_agent", f"{opponent.name}: {opponent.unavailable}")
        try:
            await self._workers.run(CheckAgent(game, settings, spec), CHECK_SECONDS, address)
        except TaskFailure as failure:
            raise Refusal("bad_agent", failure.detail) from None
        if len(self._checked) < MAX_CHECKED:
            self._checked.add((game, spec))


def _describe(name: str, agents: list[AgentDescription], opponents: list[OpponentInfo]) -> GameInfo:
    found = find(name)
    cls = load(found.game)
    texts = terminal(name)
    return GameInfo(
        name=name,
        summary=found.summary,
        seats=cls().seats,
        settings=[_option_info(describe_option(option)) for option in options_of(cls).values()],
        variants={key: msgspec.to_builtins(dict(v)) for key, v in found.variants.items()},
        versus=found.versus,
        agents=[
            AgentInfo(
                name=a.name,
                summary=a.summary,
                options=[_option_info(o) for o in a.options],
                unavailable=a.unavailable,
            )
            for a in agents
        ],
        opponent=default_opponent(name, agents),
        opponents=opponents,
        lessons=[
            LessonInfo(id=lesson.id, title=lesson.title, text=lesson.text, done=lesson.done)
            for lesson in lessons_of(name)
        ],
        puzzles=len(puzzles_of(name)),
        clock=texts.clock,
        undoable=cls.undoable,
        insight=found.insight is not None,
        review=found.review is not None,
        typing=texts.typing,
        maps=found.maps is not None,
    )


def default_opponent(game: str, agents: list[AgentDescription]) -> str:
    """The game's default opponent; if it is not installed here, the strongest agent that is."""
    opponent = find(game).opponent
    offered = [agent.name for agent in agents if agent.unavailable is None]
    return opponent if parse_spec(opponent).name in offered or not offered else offered[-1]


def _option_info(option: OptionDescription) -> OptionInfo:
    return OptionInfo(
        name=option.name,
        type=option.type,
        default=option.default,
        help=option.help,
        value_schema=option.schema,
    )
