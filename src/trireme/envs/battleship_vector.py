"""Battleship for Gymnasium's `make_vec`: thousands of boards stepped by kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from trireme.battleship import kernels
from trireme.battleship.batch import BattleshipBatch
from trireme.battleship.board import Board
from trireme.battleship.fleets import Fleet
from trireme.battleship.kernels import Ships
from trireme.core.errors import BadSettings

from .battleship_kernels import begin, choose_batch, mark_sunk_batch, score_step, write_planes
from .battleship_setup import NAME, Rewards, setup
from .checks import known_settings
from .hand_placement import Placement
from .outcome_kernels import NOTHING
from .vector import Arrays, BoardsVectorEnv, Which, board_count

MISS, HIT, SUNK, WON, INVALID, MINE, CHOSEN = (
    kernels.MISS,
    kernels.HIT,
    kernels.SUNK,
    kernels.WON,
    kernels.INVALID,
    kernels.MINE,
    kernels.CHOSEN,
)
"""The codes of `infos["outcome"]`; `NOTHING` where a board was only reset."""

__all__ = [
    "CHOSEN",
    "HIT",
    "INVALID",
    "MINE",
    "MISS",
    "NOTHING",
    "SUNK",
    "WON",
    "BattleshipVectorEnv",
]


class BattleshipVectorEnv(BoardsVectorEnv):
    """`BattleshipEnv`, `num_envs` times, with the same settings, observations and rewards.

    Infos are arrays over the boards: `action_mask` int8[B, cells], `outcome` int8[B] (the codes of
    this module), `ship_sunk` int8[B] (which ship of the fleet, largest first, or -1),
    `ships_remaining` int8[B], `total_ships` int8[B], `move_count` int32[B]. It draws nothing.
    With salvos a step chooses a cell on every board: `outcome` is CHOSEN until a salvo is complete.
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
        self.setup = setup(board_size, ship_placement, **known_settings(setup, settings, NAME))
        boards = board_count(num_envs)
        super().__init__(
            boards,
            self.setup.observation_space(),
            spaces.Discrete(self.setup.cells),
            autoreset_mode,
            copy,
            render_mode,
        )
        self._batch = BattleshipBatch(self.setup.game, boards, 0)
        if self.setup.fleet is not None:
            if self.setup.game.mines:
                raise BadSettings("boards of a batch have mines or ship_placement, not both")
            self._batch.ships = always(self._batch.ships, self.setup.board, self.setup.fleet)
        self._seas = self._batch.seas
        self._steps = np.zeros(boards, np.int32)
        self._remaining = np.zeros((boards, self.setup.slots), np.int8)
        self._ships = np.zeros(boards, np.int8)
        self._total = np.full(boards, len(self.setup.board.sizes), np.int8)
        self._total.flags.writeable = False  # it never changes, so all steps share it
        self._shape = (boards, *self.setup.board_shape)
        self._reward_table = reward_table(self.setup.rewards)
        self._limit = self.setup.max_steps
        self._mask = np.empty((boards, self.setup.cells), np.bool_)
        self._chosen = np.zeros(boards, np.int16)
        self._open_cells = np.full(boards, self.setup.cells, np.int16)
        self._gains = np.zeros(boards)
        self._sunk_cells = np.zeros((boards, self.setup.cells), np.int8)
        self._planes = np.empty((boards, self.setup.planes, self.setup.cells), np.int8)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which cells of every board have not been attacked, bool[num_envs, cells]."""
        mask: NDArray[np.bool_] = np.equal(self._seas.board, 0)
        return mask

    def fleets(self) -> list[Fleet]:
        """The hidden fleets, for those who study them: no agent may look."""
        return [fleet_in(row, self.setup.board.cols) for row in self._seas.owner]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that changes from step to step; copied away and written back, play goes on as it was.

        It holds the hidden fleets: it is for checkpoints, and no agent may look.
        """
        own = {
            "steps": self._steps,
            "remaining": self._remaining,
            "ships": self._ships,
            "chosen": self._chosen,
            "open_cells": self._open_cells,
            "sunk_cells": self._sunk_cells,
        }
        return {**self._seas._asdict(), "states": self._batch.states, **own}

    def _seed(self, states: NDArray[np.uint64], which: Which) -> None:
        self._batch.states[which] = states[which]

    def _start(self, which: Which) -> None:
        self._batch.reset(which)
        self._chosen[which] = 0
        self._open_cells[which] = self.setup.cells
        self._sunk_cells[which] = 0
        begin(
            which,
            self._batch.ships.sizes,
            self._seas.outcome,
            self._seas.sunk,
            self._steps,
            self._remaining,
            self._ships,
        )

    def _play(
        self, actions: NDArray[np.int64], resetting: Which
    ) -> tuple[NDArray[np.float64], Which, Which, bool]:
        seas, salvo = self._seas, self.setup.game.salvo
        sizes, cols = self._batch.ships.sizes, self.setup.board.cols
        if salvo:
            choose_batch(
                actions,
                seas,
                self._ships,
                self._chosen,
                self._open_cells,
                self._reward_table,
                self._gains,
                sizes,
                cols,
                self._sunk_cells,
            )
        else:
            kernels.step_batch(actions, seas)
            if self.setup.as_planes:
                mark_sunk_batch(actions, seas.sunk, sizes, seas.board, cols, self._sunk_cells)
        rewards = np.empty(self.num_envs)
        terminated, truncated = np.empty((2, self.num_envs), np.bool_)
        any_ended = score_step(
            resetting,
            seas.outcome,
            seas.sunk,
            seas.afloat,
            self._reward_table,
            WON,
            self._limit,
            self._steps,
            self._remaining,
            self._ships,
            rewards,
            terminated,
            truncated,
        )
        if salvo:
            np.multiply(self._gains, ~resetting, out=rewards)
        if resetting is not self._none:
            self._start(resetting)
        return rewards, terminated, truncated, any_ended

    def _observe(self) -> tuple[Any, Arrays]:
        seas = self._seas
        board, moves, remaining = seas.board, seas.moves, self._remaining
        infos = {
            "outcome": seas.outcome,
            "ship_sunk": seas.sunk,
            "ships_remaining": self._ships,
        }
        if self.copy:
            board, moves, remaining = board.copy(), moves.copy(), remaining.copy()
            infos = {key: array.copy() for key, array in infos.items()}
        mask = np.empty_like(self._mask) if self.copy else self._mask
        infos["total_ships"] = self._total
        infos["move_count"] = moves
        infos["action_mask"] = np.equal(seas.board, 0, out=mask).view(np.int8)
        if self.setup.as_planes:
            return self._plane_batch(np.empty_like(self._planes) if self.copy else None), infos
        seen = {
            "attack_board": board.reshape(self._shape),
            "remaining_ships": remaining,
            "move_count": moves[:, None],
        }
        return seen, infos

    def _plane_batch(self, out: NDArray[np.int8] | None) -> NDArray[np.int8]:
        """The observations as planes, written to `out`, or to the environment's own buffer."""
        out, seas = self._planes if out is None else out, self._seas
        write_planes(seas.board, self._sunk_cells, seas.afloat, self.setup.game.salvo, out)
        return out.reshape(self.num_envs, *self.setup.planes_shape)

    def _observe_rows(self, rows: NDArray[np.intp]) -> tuple[list[Any], Arrays]:
        seas, shape = self._seas, self._shape[1:]
        boards, moves = seas.board[rows], seas.moves[rows]
        seen: list[Any] = [
            {"attack_board": board.reshape(shape), "remaining_ships": ships, "move_count": count}
            for board, ships, count in zip(
                boards, self._remaining[rows], moves[:, None].copy(), strict=True
            )
        ]
        if self.setup.as_planes:
            seen = list(self._plane_batch(np.empty_like(self._planes))[rows])
        infos = {
            "outcome": seas.outcome[rows],
            "ship_sunk": seas.sunk[rows],
            "ships_remaining": self._ships[rows],
            "total_ships": self._total[rows],
            "move_count": moves,
            "action_mask": (boards == 0).view(np.int8),
        }
        return seen, infos


def always(ships: Ships, board: Board, fleet: Fleet) -> Ships:
    """The ships, drawn from one place each: where the fleet lies."""
    ends = [[place.ends for place in board.placements(size)] for size in board.sizes]
    places = [known.index(ship) for known, ship in zip(ends, fleet.ships, strict=True)]
    starts = np.repeat(np.array(places, np.uint64)[:, None], 2, axis=1)
    return ships._replace(spans=np.ones_like(starts), starts=starts)


def reward_table(rewards: Rewards) -> NDArray[np.float64]:
    """The reward of every outcome, by its code."""
    table = np.zeros(7)
    table[[MISS, HIT, SUNK, WON, INVALID, MINE]] = (
        rewards.miss,
        rewards.hit,
        rewards.sunk,
        rewards.won,
        rewards.invalid,
        rewards.mine,
    )
    return table


def fleet_in(owner: NDArray[np.int8], cols: int) -> Fleet:
    """The fleet and the mines of one board, from `Seas.owner` int8[cells]."""
    ships = []
    for ship in range(int(owner.max()) + 1):
        cells = [divmod(int(cell), cols) for cell in np.flatnonzero(owner == ship)]
        ships.append((cells[0], cells[-1]))
    mines = tuple(divmod(int(cell), cols) for cell in np.flatnonzero(owner == kernels.MINED))
    return Fleet(tuple(ships), mines)
