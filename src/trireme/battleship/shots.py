"""Shots: the action that fires them, all such actions of a turn, and shots with their answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from numpy.random import Generator

from .board import Cell

Result = Literal["miss", "mine", "hit", "sunk"]


@dataclass(frozen=True)
class Shot:
    """One answered shot; `ship` names the ship that it sank."""

    cell: Cell
    result: Result
    ship: str = ""


@dataclass(frozen=True)
class Salvo:
    """The cells that one turn fires at, from the top left on; most rules allow one."""

    cells: tuple[Cell, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", tuple(sorted(self.cells)))


@dataclass(frozen=True)
class LegalSalvos:
    """All salvos of a size over the open cells: too many to list on most boards."""

    cells: tuple[Cell, ...]
    size: int

    def __iter__(self) -> Iterator[Salvo]:
        return (Salvo(cells) for cells in combinations(self.cells, self.size))

    def __contains__(self, action: object) -> bool:
        if not isinstance(action, Salvo):
            return False
        fired = set(action.cells)
        return len(action.cells) == len(fired) == self.size and fired <= set(self.cells)

    def sample(self, rng: Generator) -> Salvo:
        chosen = rng.choice(len(self.cells), self.size, replace=False)
        return Salvo(tuple(self.cells[i] for i in chosen))
