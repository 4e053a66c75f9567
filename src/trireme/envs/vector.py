"""The base of all vector environments: autoreset, seeding and checks over boards in arrays."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.random import SeedSequence
from numpy.typing import NDArray

from trireme.core.errors import BadSettings, unknown

from .checks import ResetNeeded, action_batch, known_seed, positive

Arrays = dict[str, NDArray[Any]]
Which = NDArray[np.bool_]
"""bool[num_envs]: the boards that are meant."""


class BoardsVectorEnv(VectorEnv[Any, NDArray[np.int64], NDArray[Any]]):
    """Many boards in arrays, stepped together.

    `autoreset_mode` is any of Gymnasium's three. *Next step* (the default): a board that has ended
    is reset by the following `step`, which ignores its action and rewards it 0. *Same step*: it is
    reset at once; `infos["final_obs"]` and `infos["final_info"]` tell how it ended. *Disabled*: it
    must be reset by `reset(options={"reset_mask": ...})` before the next `step`.

    Observations and infos are fresh arrays in every call; with `copy=False` they are the
    environment's own buffers, which the next call overwrites.
    """

    def __init__(
        self,
        num_envs: int,
        observation_space: Space[Any],
        action_space: Space[Any],
        autoreset_mode: AutoresetMode | str,
        copy: bool,
        render_mode: str | None,
    ) -> None:
        if render_mode is not None:
            raise BadSettings(f"the vector environment draws nothing: drop {render_mode=}")
        self.num_envs = num_envs
        self.single_observation_space = observation_space
        self.single_action_space = action_space
        self.observation_space = batch_space(observation_space, num_envs)
        self.action_space = batch_space(action_space, num_envs)
        self.autoreset_mode = known_mode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.copy = copy
        self._batch_shape = self.action_space.shape or ()
        self._none: Which = np.zeros(num_envs, np.bool_)
        self._ended = self._none
        self._begun = False

    @abstractmethod
    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions every board allows, bool[num_envs, actions]."""

    @abstractmethod
    def _seed(self, states: NDArray[np.uint64], which: Which) -> None:
        """Set new random states, uint64[num_envs], on these boards."""

    @abstractmethod
    def _start(self, which: Which) -> None:
        """Begin a new episode on these boards."""

    @abstractmethod
    def _play(
        self, actions: NDArray[np.int64], resetting: Which
    ) -> tuple[NDArray[np.float64], Which, Which, bool]:
        """Step every board: fresh rewards, terminations and truncations, and whether any ended.

        Boards to be reset start a new episode instead, with reward 0.
        """

    @abstractmethod
    def _observe(self) -> tuple[Any, Arrays]:
        """The observations and infos of all boards."""

    @abstractmethod
    def _observe_rows(self, rows: NDArray[np.intp]) -> tuple[list[Any], Arrays]:
        """The observations of some boards, one by one, and their infos as arrays over them."""

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new episodes on all boards, or where `options["reset_mask"]` is set.

        `seed` is one for all (every board gets a stream of its own) or one for each board. Without
        a seed the streams go on, and begin with one of the operating system's.
        """
        which = self._asked_for(options)
        self._reseed(seed, which)
        self._begun = True
        self._start(which)
        ended = self._ended & ~which
        self._ended = ended if ended.any() else self._none
        return self._observe()

    def step(self, actions: Any) -> tuple[Any, NDArray[np.float64], Which, Which, dict[str, Any]]:
        """Step every board with its action."""
        if not self._begun:
            raise ResetNeeded("call reset() before the first step()")
        batch = action_batch(actions, self._batch_shape)
        if self._ended is not self._none and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"{int(self._ended.sum())} boards have ended: reset them with "
                'reset(options={"reset_mask": terminated | truncated})'
            )
        rewards, terminated, truncated, any_ended = self._play(batch, self._ended)
        self._ended = terminated | truncated if any_ended else self._none
        final: dict[str, Any] = {}
        if any_ended and self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = self._final(self._ended)
            self._start(self._ended)
            self._ended = self._none
        observations, infos = self._observe()
        return observations, rewards, terminated, truncated, {**infos, **final}

    def _final(self, ended: Which) -> dict[str, Any]:
        """How the boards that have ended looked before their reset."""
        rows = np.flatnonzero(ended)
        seen, last = self._observe_rows(rows)
        observations = np.full(self.num_envs, None, object)
        for row, observation in zip(rows.tolist(), seen, strict=True):
            observations[row] = observation
        infos: Arrays = {}
        for key, values in last.items():
            infos[key] = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
            infos[key][rows] = values
        return {
            "final_obs": observations,
            "_final_obs": ended,
            "final_info": infos,
            "_final_info": ended,
        }

    def _asked_for(self, options: dict[str, Any] | None) -> Which:
        mask = None if options is None else options.get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        shape = (self.num_envs,)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != shape:
            raise BadSettings(
                f"options['reset_mask'] must be a bool array of shape {shape}, not {mask!r}"
            )
        if not mask.any():
            raise BadSettings("options['reset_mask'] must be set for at least one board")
        if not self._begun and not mask.all():
            raise ResetNeeded("reset all boards before resetting some of them")
        return mask

    def _reseed(self, seed: int | Sequence[int | None] | None, which: Which) -> None:
        if seed is None:
            if not self._begun:
                self._seed(streams(None, self.num_envs), which)
            return
        if not isinstance(seed, (list, tuple, np.ndarray)):
            self._np_random_seed = known_seed(seed)
            self._seed(streams(self._np_random_seed, self.num_envs), which)
            return
        if len(seed) != self.num_envs:
            raise BadSettings(
                f"expected a seed for each of {self.num_envs} boards, not {len(seed)}"
            )
        states = [streams(None if one is None else known_seed(one), 1)[0] for one in seed]
        given = np.array([one is not None for one in seed], np.bool_)
        self._seed(np.array(states, np.uint64), which & (given if self._begun else np.True_))


def streams(seed: int | None, num: int) -> NDArray[np.uint64]:
    """Random states for so many boards; the first ones are the same for any number."""
    return np.asarray(SeedSequence(seed).generate_state(num, np.uint64), np.uint64)


def known_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """The autoreset mode, given as such or by its name or value."""
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if mode in (known.value, known.name):
            return known
    raise BadSettings(str(unknown("autoreset_mode", str(mode), [m.value for m in AutoresetMode])))


def board_count(num_envs: Any) -> int:
    """A number of boards that makes sense."""
    return positive(num_envs, "num_envs")
