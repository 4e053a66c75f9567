"""Battleship for Gymnasium's `make_vec`: thousands of boards stepped by kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ..battleship import kernels
from ..battleship.batch import Batch
from ..battleship.fleets import Fleet, ship_at
from ..core.errors import BadSettings
from .battleship import NAME, Observation, Placement, Rewards, setup
from .battleship_kernels import begin, settle
from .checks import known_settings
from .vector import NOTHING, Arrays, BoardsVectorEnv, Which, board_count

MISS, HIT, SUNK, WON, INVALID = (
    kernels.MISS,
    kernels.HIT,
    kernels.SUNK,
    kernels.WON,
    kernels.INVALID,
)
"""The codes of `infos["outcome"]`; `NOTHING` where a board was only reset."""

__all__ = ["HIT", "INVALID", "MISS", "NOTHING", "SUNK", "WON", "BattleshipVectorEnv"]


class BattleshipVectorEnv(BoardsVectorEnv):
    """`BattleshipEnv`, `num_envs` times, with the same settings, observations and rewards.

    Infos are arrays over the boards: `action_mask` int8[B, cells], `outcome` int8[B] (the codes of
    this module), `ship_sunk` int8[B] (which ship of the fleet, largest first, or -1),
    `ships_remaining` int8[B], `total_ships` int8[B], `move_count` int32[B]. It draws nothing.
    """

    def __init__(
        self,
        num_envs: int = 1,
        board_size: Sequence[int] = (10, 10),
        render_mode: str | None = None,
        ship_placement: Placement | None = None,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **settings: Any,
    ) -> None:
        if render_mode is not None:
            raise BadSettings(f"the vector environment draws nothing: drop {render_mode=}")
        self.setup = setup(board_size, ship_placement, **known_settings(setup, settings, NAME))
        boards = board_count(num_envs)
        super().__init__(
            boards,
            self.setup.observation_space(),
            spaces.Discrete(self.setup.cells),
            autoreset_mode,
            copy,
        )
        self._batch = Batch(self.setup.game, boards, 0)
        self._seas = self._batch.seas
        self._outcome = self._seas.outcome
        self._sizes = np.array(self.setup.board.sizes, np.int64)
        self._steps = np.zeros(boards, np.int32)
        self._remaining = np.zeros((boards, self.setup.slots), np.int8)
        self._ships = np.zeros(boards, np.int8)
        self._total = np.full(boards, len(self._sizes), np.int8)
        self._shape = (boards, *self.setup.board_shape)
        self._limit = self.setup.max_steps
        self._worth = worth(self.setup.rewards)

    def fleets(self) -> list[Fleet]:
        """The hidden fleets, for those who study them: no agent may look."""
        return [_fleet(row, self.setup.board.cols) for row in self._seas.owner]

    def _seed(self, states: NDArray[np.uint64], which: Which) -> None:
        self._batch.states[which] = states[which]

    def _start(self, which: Which) -> None:
        if self.setup.fleet is None:
            self._batch.reset(which)
        else:
            self._lay(self.setup.fleet, which)
        begin(which, self._sizes, self._steps, self._remaining, self._ships)

    def _lay(self, fleet: Fleet, which: Which) -> None:
        seas, cols = self._seas, self.setup.board.cols
        owner = np.full(self.setup.cells, kernels.WATER, np.int8)
        for (row, col), ship in ship_at(fleet).items():
            owner[row * cols + col] = ship
        seas.owner[which], seas.board[which], seas.moves[which] = owner, 0, 0
        seas.left[which] = seas.afloat[which] = self._sizes
        seas.togo[which], seas.sunk[which] = self._sizes.sum(), -1

    def _play(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float64], Which, Which, bool]:
        seas = self._seas
        self._batch.step(actions, autoreset=False)
        rewards = np.empty(self.num_envs)
        terminated, truncated = np.empty((2, self.num_envs), np.bool_)
        some = settle(
            seas.outcome,
            seas.sunk,
            seas.afloat,
            self._worth,
            WON,
            self._limit,
            self._steps,
            self._remaining,
            self._ships,
            rewards,
            terminated,
            truncated,
        )
        return rewards, terminated, truncated, some

    def _observe(self) -> Observation:
        seas = self._seas
        seen = {
            "attack_board": seas.board.reshape(self._shape),
            "remaining_ships": self._remaining,
            "move_count": seas.moves.reshape(self.num_envs, 1),
        }
        return {key: array.copy() for key, array in seen.items()} if self.copy else seen

    def _observe_at(self, rows: NDArray[np.intp]) -> list[Observation]:
        seas, shape = self._seas, self._shape[1:]
        boards, ships, moves = seas.board[rows], self._remaining[rows], seas.moves[rows, None]
        return [
            {"attack_board": b.reshape(shape), "remaining_ships": s, "move_count": m}
            for b, s, m in zip(boards, ships, moves, strict=True)
        ]

    def _facts(self) -> Arrays:
        return {
            "outcome": self._outcome,
            "ship_sunk": self._seas.sunk,
            "ships_remaining": self._ships,
            "total_ships": self._total,
            "move_count": self._seas.moves,
        }

    def _taken(self) -> NDArray[np.int8]:
        board: NDArray[np.int8] = self._seas.board
        return board


def worth(rewards: Rewards) -> NDArray[np.float64]:
    """The reward of every outcome, by its code."""
    table = np.zeros(INVALID + 1)
    table[[MISS, HIT, SUNK, WON, INVALID]] = (
        rewards.miss,
        rewards.hit,
        rewards.sunk,
        rewards.won,
        rewards.invalid,
    )
    return table


def _fleet(owner: NDArray[np.int8], cols: int) -> Fleet:
    ships = []
    for ship in range(int(owner.max()) + 1):
        cells = [divmod(int(cell), cols) for cell in np.flatnonzero(owner == ship)]
        ships.append((cells[0], cells[-1]))
    return Fleet(tuple(ships))
