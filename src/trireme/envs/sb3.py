"""Batches of boards for Stable-Baselines3: a native `VecEnv` that answers `action_masks`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from trireme.core.errors import BadSettings, MissingExtra

from .battleship_vector import BattleshipVectorEnv
from .vector import BoardsVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError:
    raise MissingExtra("learn", "BattleshipVecEnv", "stable_baselines3") from None

Indices = None | int | Iterable[int]


class BoardsVecEnv(VecEnv):
    """A vector environment as Stable-Baselines3 wants it.

    Boards that end are reset in the same step, and `infos[i]["terminal_observation"]` tells how
    they ended. MaskablePPO finds the masks by `env_method("action_masks")`. Wrap it in SB3's
    `VecMonitor` to have episodes logged.
    """

    def __init__(self, boards: BoardsVectorEnv) -> None:
        if boards.autoreset_mode is not AutoresetMode.SAME_STEP or not boards.copy:
            raise BadSettings("Stable-Baselines3 needs autoreset_mode='SameStep' and copies")
        self.boards = boards
        super().__init__(
            boards.num_envs, boards.single_observation_space, boards.single_action_space
        )

    def reset(self) -> Any:
        """New episodes everywhere; seeds set by `seed` hold for this reset."""
        seeded = any(seed is not None for seed in self._seeds)
        observations, infos = self.boards.reset(seed=self._seeds if seeded else None)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = _split(infos, self.num_envs)
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        observations, rewards, terminated, truncated, infos = self.boards.step(self._actions)
        ended = terminated | truncated
        final, last = infos.pop("final_obs", None), infos.pop("final_info", None)
        per_board: list[dict[str, Any]] = [
            {"TimeLimit.truncated": bool(late)} for late in truncated
        ]
        for board in np.flatnonzero(ended):
            assert final is not None
            assert last is not None
            per_board[board]["terminal_observation"] = final[board]
            per_board[board].update({key: values[board] for key, values in last.items()})
        return observations, rewards.astype(np.float32), ended, per_board

    def close(self) -> None:
        self.boards.close()

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """The answers of a method that exists for every board: `action_masks`."""
        if method_name != "action_masks":
            raise AttributeError(f"boards of a batch have action_masks, and no {method_name}")
        masks = self.boards.action_masks()
        return [masks[board] for board in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        value = getattr(self.boards, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        raise AttributeError(f"boards of a batch share their settings: {attr_name} can't be set")

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Indices = None
    ) -> list[bool]:
        return [False for _ in self._get_indices(indices)]


class BattleshipVecEnv(BoardsVecEnv):
    """`BattleshipVectorEnv` for Stable-Baselines3, boards flat unless `flat=False` is given."""

    def __init__(self, num_envs: int = 8, board_size: Sequence[int] = (10, 10), **settings: Any):
        boards = BattleshipVectorEnv(
            num_envs,
            board_size,
            autoreset_mode=AutoresetMode.SAME_STEP,
            **{"flat": True, **settings},
        )
        super().__init__(boards)


def _split(infos: dict[str, Any], num: int) -> list[dict[str, Any]]:
    return [{key: values[board] for key, values in infos.items()} for board in range(num)]
