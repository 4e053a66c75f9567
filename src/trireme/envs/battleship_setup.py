"""The settings that Battleship's single and vector environments share: rules, rewards, limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces

from trireme.battleship.board import Board
from trireme.battleship.fleets import Fleet
from trireme.battleship.rules import Battleship
from trireme.core.errors import BadSettings
from trireme.core.options import build, option

from .checks import positive
from .hand_placement import Placement, hand_placed

NAME = "trireme/Battleship-v0"
OBSERVATIONS = ("board", "planes")
SLOTS = 5
"""Entries of `remaining_ships`, at least: more where the fleet has more ships."""
CHOSEN_CELL = 3
"""What `attack_board` holds where a cell is chosen for a salvo; the kernels' constant of this name,
stated again so that the single environment does not load numba."""


@dataclass(frozen=True)
class Rewards:
    """The rewards; every step earns exactly one of them, and the step that completes a salvo the
    sum over its shots."""

    miss: float = option(-1.0, "a shot into water")
    hit: float = option(5.0, "a shot that hits a ship and leaves it afloat")
    sunk: float = option(10.0, "a shot that sinks a ship, not the last")
    won: float = option(100.0, "the shot that sinks the last ship")
    mine: float = option(-2.0, "a shot that strikes a mine, which counts as two shots")
    invalid: float = option(-50.0, "a cell out of bounds or already attacked; nothing is fired")

    def __post_init__(self) -> None:
        for field in fields(self):
            if not math.isfinite(getattr(self, field.name)):
                raise BadSettings(f"the reward {field.name} must be finite")

    @classmethod
    def of(cls, given: Rewards | Mapping[str, float] | None) -> Rewards:
        """The rewards as given: whole, some of them by name, or none."""
        if isinstance(given, Rewards):
            return given
        if given is not None and not isinstance(given, Mapping):
            raise BadSettings(f"rewards must be a mapping such as {{'hit': 5.0}}, not {given!r}")
        return build(cls, given or {}, owner="rewards")


@dataclass(frozen=True)
class BattleshipSetup:
    """The settings that single and vector environments share, checked."""

    game: Battleship
    fleet: Fleet | None
    rewards: Rewards
    max_steps: int
    flat: bool
    as_planes: bool = False
    """Whether observations are planes, not a dictionary."""

    @cached_property
    def board(self) -> Board:
        return self.game.boards[0]

    @cached_property
    def cells(self) -> int:
        return self.board.rows * self.board.cols

    @cached_property
    def slots(self) -> int:
        return max(SLOTS, len(self.board.sizes))

    @cached_property
    def board_shape(self) -> tuple[int, ...]:
        return (self.cells,) if self.flat else (self.board.rows, self.board.cols)

    @cached_property
    def planes(self) -> int:
        """How many planes an observation has."""
        return 4 + len(self.board.sizes) + self.game.salvo

    @cached_property
    def planes_shape(self) -> tuple[int, ...]:
        whole = (self.planes, self.board.rows, self.board.cols)
        return (self.planes * self.cells,) if self.flat else whole

    def observation_space(self) -> spaces.Space[Any]:
        if self.as_planes:
            return spaces.Box(0, 1, self.planes_shape, np.int8)
        highest = CHOSEN_CELL if self.game.salvo else 2
        return spaces.Dict(
            {
                "attack_board": spaces.Box(0, highest, self.board_shape, np.int8),
                "remaining_ships": spaces.Box(0, max(self.board.sizes), (self.slots,), np.int8),
                "move_count": spaces.Box(0, self.cells + self.game.mines, (1,), np.int32),
            }
        )


def sides_of(board_size: Sequence[int]) -> tuple[int, int]:
    """Rows and columns, where these are two; the rules check how many."""
    try:
        rows, cols = board_size
    except (TypeError, ValueError):
        raise BadSettings(
            f"board_size must be (rows, cols) such as (10, 10), not {board_size!r}"
        ) from None
    return rows, cols


def is_duel(duel: Any) -> bool:
    """The setting `duel`, which must be a bool."""
    if not isinstance(duel, bool):
        raise BadSettings(f"duel must be True or False, not {duel!r}")
    return duel


def setup(
    board_size: Sequence[int] = (10, 10),
    ship_placement: Placement | None = None,
    *,
    fleet: Sequence[int] | None = None,
    touching: bool = False,
    placement: str = "sequential",
    mines: int = 0,
    salvo: bool = False,
    rewards: Rewards | Mapping[str, float] | None = None,
    max_steps: int | None = None,
    flat: bool = False,
    observation: str = "board",
) -> BattleshipSetup:
    """Check the settings of an environment and put them together."""
    rows, cols = sides_of(board_size)
    if placement == "manual" and ship_placement is None:
        raise BadSettings("placement by hand needs the fleet: give ship_placement")
    how = placement if ship_placement is None else "manual"
    game = build(
        Battleship,
        {
            "rows": rows,
            "cols": cols,
            "fleet": fleet,
            "touching": touching,
            "placement": how,
            "mines": mines,
            "salvo": salvo,
        },
        owner=NAME,
    )
    steps = 2 * game.rows * game.cols if max_steps is None else positive(max_steps, "max_steps")
    if not isinstance(flat, bool):
        raise BadSettings(f"flat must be True or False, not {flat!r}")
    if observation not in OBSERVATIONS:
        raise BadSettings(f"observation must be board or planes, not {observation!r}")
    by_hand = None if ship_placement is None else hand_placed(game, ship_placement)
    return BattleshipSetup(game, by_hand, Rewards.of(rewards), steps, flat, observation == "planes")
