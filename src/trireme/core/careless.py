"""A weaker version of any agent: epsilon-greedy, with a random or a weaker action now and then."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from .errors import BadSpec
from .game import AnyAgent, AnyGame, Turn
from .game import close as close_agents
from .options import option
from .play import check_fit, prepare_agent
from .registry import make_agent


@dataclass
class Careless:
    """Plays as another agent does, but now and then a random action, or a weaker agent's."""

    name: ClassVar[str] = "careless"
    web: ClassVar[bool] = False

    agent: str = option("montecarlo", "spec of the agent to weaken")
    slip: float = option(0.25, "chance of another action, from 0 to 1; higher plays worse")
    instead: str = option("random", "spec of the agent that plays these actions")
    _inner: dict[tuple[str, str], AnyAgent] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """The agents, by spec and the name of the game that they were made for."""

    def __post_init__(self) -> None:
        if not 0 <= self.slip <= 1:
            raise BadSpec(f"slip must be 0 to 1, not {self.slip}")

    def fits(self, game: AnyGame) -> None:
        for spec in (self.agent, self.instead):
            check_fit(self._made(game, spec), game, spec)

    def prepare(self, game: AnyGame) -> None:
        for spec in (self.agent, self.instead):
            prepare_agent(self._made(game, spec), game, spec)

    def act(self, turn: Turn[Any, Any]) -> Any:
        spec = self.instead if turn.rng.random() < self.slip else self.agent
        return self._made(turn.game, spec).act(turn)

    def close(self) -> None:
        """Release what the agents hold."""
        close_agents(self._inner.values())

    def _made(self, game: AnyGame, spec: str) -> AnyAgent:
        if (spec, game.name) not in self._inner:
            self._inner[spec, game.name] = make_agent(game, spec)
        return self._inner[spec, game.name]
