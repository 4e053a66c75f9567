"""Agents that play every game: uniformly random."""

from dataclasses import dataclass
from typing import Any, ClassVar

from .game import Turn


@dataclass(frozen=True)
class Random:
    """Plays a legal action, uniformly at random."""

    name: ClassVar[str] = "random"

    def act(self, turn: Turn[Any, Any]) -> Any:
        return turn.legal.sample(turn.rng)
