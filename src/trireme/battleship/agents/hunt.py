"""Hunt and target with parity: the way most people play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from trireme.battleship.board import Cell
from trireme.battleship.hunting import next_targets

from .shooting_agent import ShootingAgent, TargetView


@dataclass
class Hunt(ShootingAgent):
    """Fires at random with parity until it hits, then at neighbours and along the line."""

    name: ClassVar[str] = "hunt"

    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        board = target.board
        fired = {shot.cell for shot in target.shots}
        chosen: list[Cell] = []
        for _ in range(target.salvo):
            cells = next_targets(board, target.shots, fired | set(chosen))
            chosen.append(cells[int(rng.integers(len(cells)))])
        return [row * board.cols + col for row, col in chosen]
