"""The base of agents that work from the posterior over hidden fleets."""

from __future__ import annotations

from trireme.battleship.belief.posterior import FleetInference
from trireme.battleship.board import Board

from .shooting_agent import ShootingAgent, TargetView


class BeliefAgent(ShootingAgent):
    """A shooting agent that keeps a `FleetInference` for every kind of board it meets."""

    def inference(self, target: TargetView) -> FleetInference:
        """The inference for the target's board and prior, made on first use."""
        known: dict[tuple[Board, bool], FleetInference] = self.__dict__.setdefault("_known", {})
        key = target.board, target.uniform
        if key not in known:
            known[key] = FleetInference(target.board, uniform=target.uniform)
        return known[key]
