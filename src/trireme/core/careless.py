"""A weaker version of any agent: epsilon-greedy, with a random action now and then."""

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
    """Plays as another agent does, but with some probability a random legal action instead."""

    name: ClassVar[str] = "careless"
    web: ClassVar[bool] = False

    agent: str = option("montecarlo", "spec of the agent to weaken")
    slip: float = option(0.25, "chance of a random action, from 0 to 1; higher plays worse")
    _inner: dict[str, AnyAgent] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The weakened agent, by the name of the game that it was made for."""

    def __post_init__(self) -> None:
        if not 0 <= self.slip <= 1:
            raise BadSpec(f"slip must be 0 to 1, not {self.slip}")

    def fits(self, game: AnyGame) -> None:
        check_fit(self._made(game), game, self.agent)

    def prepare(self, game: AnyGame) -> None:
        prepare_agent(self._made(game), game, self.agent)

    def act(self, turn: Turn[Any, Any]) -> Any:
        if turn.rng.random() < self.slip:
            return turn.legal.sample(turn.rng)
        return self._made(turn.game).act(turn)

    def close(self) -> None:
        """Release what the weakened agent holds."""
        close_agents(self._inner.values())

    def _made(self, game: AnyGame) -> AnyAgent:
        if game.name not in self._inner:
            self._inner[game.name] = make_agent(game, self.agent)
        return self._inner[game.name]
