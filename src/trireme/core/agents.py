"""Agents that need to know nothing of the game they play."""

from dataclasses import dataclass
from typing import Any, ClassVar

from .game import Turn


@dataclass(frozen=True)
class Random:
    """Draws its action at random from all legal ones."""

    name: ClassVar[str] = "random"

    def act(self, turn: Turn[Any, Any]) -> Any:
        return turn.legal.sample(turn.rng)
