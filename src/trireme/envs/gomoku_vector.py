"""Gomoku against oneself for Gymnasium's `make_vec`: thousands of boards stepped by kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ..core.errors import BadSettings
from ..core.options import build
from ..gomoku import kernels
from ..gomoku.encode import board_array
from ..gomoku.rules import Gomoku
from .checks import positive
from .gomoku_kernels import look, settle
from .vector import NOTHING, Arrays, BoardsVectorEnv, Which, board_count

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
        if render_mode is not None:
            raise BadSettings(f"the vector environment draws nothing: drop {render_mode=}")
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
        )
        start = self.game.start()
        self._opening = board_array(self.game, start)
        self._opening_last = -1 if start.last is None else start.last[0] * size + start.last[1]
        self._limit = size * size + 1 if max_moves is None else positive(max_moves, "max_moves")
        self._exact = self.game.rule == "standard"
        self._boards = np.zeros((boards, size, size), np.int8)
        self._counts = np.zeros(boards, np.int32)
        self._lasts = np.full(boards, -1, np.int64)
        self._worth = np.zeros(4)
        self._worth[[WON, ILLEGAL]] = 1, -1
        self._seen = {} if copy else self._blank()

    def _seed(self, states: NDArray[np.uint64], which: Which) -> None:
        """Nothing in Gomoku is left to chance."""

    def _start(self, which: Which) -> None:
        self._boards[which] = self._opening
        self._counts[which] = np.count_nonzero(self._opening)
        self._lasts[which] = self._opening_last

    def _play(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float64], Which, Which, bool]:
        kernels.step(self._boards, self._counts, actions, self._outcome, self._exact, False)
        rewards = np.empty(self.num_envs)
        terminated, truncated = np.empty((2, self.num_envs), np.bool_)
        some = settle(
            self._outcome,
            actions,
            self._worth,
            GOING_ON,
            ILLEGAL,
            self._limit,
            self._counts,
            self._lasts,
            rewards,
            terminated,
            truncated,
        )
        return rewards, terminated, truncated, some

    def _blank(self) -> Arrays:
        size = self.game.size
        if self._form == "planes":
            return {"planes": np.empty((self.num_envs, 4, size, size), np.int8)}
        return {
            "board": np.empty((self.num_envs, size, size), np.int8),
            "black": np.empty((self.num_envs, 1), np.int8),
            "last_move": np.empty((self.num_envs, 1), np.int32),
        }

    def _observe(self) -> Any:
        seen = self._blank() if self.copy else self._seen
        if self._form == "planes":
            kernels.planes(self._boards, self._counts, self._lasts, seen["planes"])
            return seen["planes"]
        look(self._boards, self._counts, seen["board"])
        np.equal(self._counts & 1, 0, out=seen["black"][:, 0].view(np.bool_))
        seen["last_move"][:, 0] = self._lasts
        return seen

    def _observe_at(self, rows: NDArray[np.intp]) -> list[Any]:
        boards, counts, lasts = self._boards[rows], self._counts[rows], self._lasts[rows]
        if self._form == "planes":
            planes = np.empty((len(rows), 4, *boards.shape[1:]), np.int8)
            kernels.planes(boards, counts, lasts, planes)
            return list(planes)
        seen = np.empty_like(boards)
        look(boards, counts, seen)
        black = (counts[:, None] % 2 == 0).astype(np.int8)
        last = lasts[:, None].astype(np.int32)
        return [
            {"board": b, "black": own, "last_move": move}
            for b, own, move in zip(seen, black, last, strict=True)
        ]

    def _facts(self) -> Arrays:
        return {"outcome": self._outcome, "move_count": self._counts}

    def _taken(self) -> NDArray[np.int8]:
        return self._boards.reshape(self.num_envs, -1)


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
