"""Gomoku self-play for Gymnasium's `make_vec`: thousands of boards stepped by kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from trireme.core.errors import BadSettings
from trireme.core.options import build
from trireme.gomoku import kernels
from trireme.gomoku.encode import board_array
from trireme.gomoku.rules import Gomoku

from .checks import positive
from .gomoku_kernels import Games, begin, score_step, show
from .outcome_kernels import NOTHING
from .vector import Arrays, BoardsVectorEnv, Which, board_count

GOING_ON, WON, DRAWN, ILLEGAL = kernels.GOING_ON, kernels.WON, kernels.DRAWN, kernels.ILLEGAL
"""The codes of `infos["outcome"]`; `NOTHING` where a board was only reset."""
NAME = "trireme/Gomoku-v0"
FORMS = ("board", "planes")

__all__ = ["DRAWN", "GOING_ON", "ILLEGAL", "NOTHING", "WON", "GomokuVectorEnv"]


class GomokuVectorEnv(BoardsVectorEnv):
    """Self-play on `num_envs` boards: one step is one ply, seen and rewarded by who moves.

    Black and white move in turn through the same `step`. The observation is that of the side now to
    move; the reward is that of the side which has just moved: 1 for the five that wins, -1 for a
    point that is taken or off the board (it loses the game), else 0. What one side gains the other
    loses, so a learner flips the sign of the next state's value.

    Observation `board`: a Dict of `board` int8[n, n], 1 the mover's own stones, -1 the opponent's;
    `black` int8[1], 1 when black is to move; `last_move` int32[1], the newest stone's point or -1.
    Observation `planes`: int8[4, n, n], the planes of the game's encoder. Action `row * n + col`.

    Infos are arrays over the boards: `action_mask` int8[B, n * n], `outcome` int8[B] (the codes of
    this module), `move_count` int32[B]. The final observation of a game is what the side that would
    have moved next sees.

    Args:
        observation: `board` or `planes`.
        max_moves: stones after which a game is truncated; None: never.
        autoreset_mode, copy: as in every batch.
        settings: of the game: `size`, `rule`, `position` (stones that every game begins with).
    """

    def __init__(
        self,
        num_envs: int = 1,
        render_mode: str | None = None,
        *,
        observation: str = "board",
        max_moves: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **settings: Any,
    ) -> None:
        if observation not in FORMS:
            raise BadSettings(f"observation must be board or planes, not {observation!r}")
        self.game = build(Gomoku, settings, owner=NAME)
        if self.game.opening != "none":
            raise BadSettings("boards are played without swap2: it lets a seat choose its colour")
        size, boards = self.game.size, board_count(num_envs)
        self._form = observation
        super().__init__(
            boards,
            observation_space(size, observation),
            spaces.Discrete(size * size),
            autoreset_mode,
            copy,
            render_mode,
        )
        start = self.game.start()
        self._opening = board_array(self.game, start)
        self._stones = len(start.stones)
        self._last = -1 if start.last is None else start.last[0] * size + start.last[1]
        self._limit = size * size + 1 if max_moves is None else positive(max_moves, "max_moves")
        self._exact = self.game.rule == "standard"
        self._games = Games(
            boards=np.zeros((boards, size, size), np.int8),
            counts=np.zeros(boards, np.int32),
            lasts=np.full(boards, -1, np.int64),
            results=np.full(boards, NOTHING, np.int8),
        )
        self._reward_table = np.zeros(4)
        self._reward_table[[WON, ILLEGAL]] = 1, -1
        self._shown = None if copy else self._blank(boards)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which points of every board are empty, bool[num_envs, n * n]."""
        mask: NDArray[np.bool_] = np.equal(self._games.boards.reshape(self.num_envs, -1), 0)
        return mask

    def _seed(self, states: NDArray[np.uint64], which: Which) -> None:
        """Nothing in Gomoku is left to chance."""

    def _start(self, which: Which) -> None:
        begin(which, self._opening, self._stones, self._last, self._games)

    def _play(
        self, actions: NDArray[np.int64], resetting: Which
    ) -> tuple[NDArray[np.float64], Which, Which, bool]:
        games = self._games
        kernels.step(games.boards, games.counts, actions, games.results, self._exact, False)
        rewards = np.empty(self.num_envs)
        terminated, truncated = np.empty((2, self.num_envs), np.bool_)
        any_ended = score_step(
            actions,
            resetting,
            games,
            self._reward_table,
            GOING_ON,
            ILLEGAL,
            self._limit,
            rewards,
            terminated,
            truncated,
        )
        if resetting is not self._none:
            self._start(resetting)
        return rewards, terminated, truncated, any_ended

    def _blank(self, boards: int) -> Arrays:
        """Room for what so many boards show."""
        size = self.game.size
        room: Arrays = {"action_mask": np.empty((boards, size * size), np.int8)}
        if self._form == "planes":
            room["planes"] = np.empty((boards, 4, size, size), np.int8)
        else:
            room["board"] = np.empty((boards, size, size), np.int8)
            room["black"] = np.empty((boards, 1), np.int8)
            room["last_move"] = np.empty((boards, 1), np.int32)
        return room

    def _look(self, games: Games, room: Arrays) -> tuple[Any, NDArray[np.int8]]:
        """The observations and masks of games, written into the room for them."""
        mask = room["action_mask"]
        if self._form == "planes":
            kernels.planes(games.boards, games.counts, games.lasts, room["planes"])
            np.equal(games.boards.reshape(mask.shape), 0, out=mask.view(np.bool_))
            return room["planes"], mask
        seen = {key: room[key] for key in ("board", "black", "last_move")}
        show(games, seen["board"], seen["black"], seen["last_move"], mask)
        return seen, mask

    def _observe(self) -> tuple[Any, Arrays]:
        games = self._games
        seen, mask = self._look(games, self._shown or self._blank(self.num_envs))
        infos = {"outcome": games.results, "move_count": games.counts}
        if self.copy:
            infos = {key: array.copy() for key, array in infos.items()}
        return seen, {**infos, "action_mask": mask}

    def _observe_rows(self, rows: NDArray[np.intp]) -> tuple[list[Any], Arrays]:
        games = Games(*(array[rows] for array in self._games))
        seen, mask = self._look(games, self._blank(len(rows)))
        infos = {"outcome": games.results, "move_count": games.counts, "action_mask": mask}
        if self._form == "planes":
            return list(seen), infos
        return [{key: array[i] for key, array in seen.items()} for i in range(len(rows))], infos


def observation_space(size: int, form: str) -> spaces.Space[Any]:
    """What one side sees, in either form."""
    if form == "planes":
        return spaces.Box(0, 1, (4, size, size), np.int8)
    return spaces.Dict(
        {
            "board": spaces.Box(-1, 1, (size, size), np.int8),
            "black": spaces.Box(0, 1, (1,), np.int8),
            "last_move": spaces.Box(-1, size * size - 1, (1,), np.int32),
        }
    )
