"""The agents of every game, `random` and `montecarlo`, playing from Gymnasium observations too."""

from dataclasses import dataclass

from trireme.core.agents import Random
from trireme.core.monte_carlo import MonteCarlo

from .shooting_agent import TurnObservingAgent


@dataclass(frozen=True)
class BattleshipRandom(Random, TurnObservingAgent):
    """Plays a legal action, uniformly at random."""


@dataclass(frozen=True)
class BattleshipMonteCarlo(MonteCarlo, TurnObservingAgent):
    """Plays random playouts from fleets sampled to fit the answers, and fires where they did
    best."""
