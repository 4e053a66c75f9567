"""Checkpoints of Stable-Baselines3: the full state of a run between two rollouts.

Stable-Baselines3 itself saves weights and optimiser. To resume exactly, a run also needs its
boards, every random state, the counters that schedules read, and DQN's replay buffer. All of it is
turned into tensors and plain values here, so that reading a checkpoint runs no pickled code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecMonitor

COUNTERS = ("num_timesteps", "_n_updates", "_episode_num", "_n_calls", "exploration_rate")
"""Numbers of the algorithms that have them."""
BUFFER_ARRAYS = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")
"""Arrays of DQN's replay buffer."""


def state(model: BaseAlgorithm, env: VecMonitor) -> dict[str, Any]:
    """All that `restore` needs, as tensors and plain values."""
    found: dict[str, Any] = {
        "parameters": model.get_parameters(),
        "counters": {name: getattr(model, name) for name in COUNTERS if hasattr(model, name)},
        "episodes": [_plain(episode) for episode in model.ep_info_buffer or ()],
        "boards": _tensors(_boards(env)),
        "random": _random_states(model),
    }
    last: Any = model._last_obs
    if last is not None:
        found["last"] = torch.from_numpy(last.copy())
        found["starts"] = torch.from_numpy(np.asarray(model._last_episode_starts).copy())
    if buffer := getattr(model, "replay_buffer", None):
        filled = buffer.buffer_size if buffer.full else buffer.pos
        kept = {name: array[:filled] for name, array in _buffer_arrays(buffer).items()}
        found["replay_buffer"] = {"pos": buffer.pos, "full": buffer.full, "arrays": _tensors(kept)}
    return found


def restore(model: BaseAlgorithm, env: VecMonitor, found: dict[str, Any]) -> None:
    """Put a fresh model and its boards into the state that `state` found."""
    model.set_parameters(found["parameters"], device=model.device)
    model._setup_learn(0)  # makes its windows of statistics, and resets what is filled now
    assert model.ep_info_buffer is not None
    for name, value in found["counters"].items():
        setattr(model, name, value)
    model.ep_info_buffer.extend(found["episodes"])
    for name, array in _boards(env).items():
        array[...] = found["boards"][name].numpy()
    if "last" in found:
        model._last_obs = found["last"].numpy()
        model._last_episode_starts = found["starts"].numpy()
    if "replay_buffer" in found:
        buffer: Any = model.replay_buffer  # type: ignore[attr-defined]
        buffer.pos, buffer.full = found["replay_buffer"]["pos"], found["replay_buffer"]["full"]
        for name, array in _buffer_arrays(buffer).items():
            kept = found["replay_buffer"]["arrays"][name].numpy()
            array[: len(kept)] = kept
    _set_random_states(model, found["random"])


def _boards(env: VecMonitor) -> dict[str, NDArray[Any]]:
    """The arrays in which boards and the episodes on them live."""
    episodes = {"returns": env.episode_returns, "lengths": env.episode_lengths}
    boards: dict[str, NDArray[Any]] = env.unwrapped.boards.arrays()  # type: ignore[attr-defined]
    return {**boards, **episodes}


def _buffer_arrays(buffer: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a replay buffer, by name."""
    return {name: getattr(buffer, name) for name in BUFFER_ARRAYS}


def _random_states(model: BaseAlgorithm) -> dict[str, Any]:
    """Every source that an algorithm draws from: torch, numpy's old global one, its actions."""
    old: Any = np.random.get_state()
    kind, keys, *rest = old
    return {
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        "numpy": [kind, torch.from_numpy(keys.astype(np.int64)), *rest],
        "actions": model.action_space.np_random.bit_generator.state,
    }


def _set_random_states(model: BaseAlgorithm, found: dict[str, Any]) -> None:
    torch.set_rng_state(found["torch"])
    if found["cuda"] and len(found["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(found["cuda"])
    kind, keys, *rest = found["numpy"]
    np.random.set_state((kind, keys.numpy().astype(np.uint32), *rest))
    model.action_space.np_random.bit_generator.state = found["actions"]


def _tensors(arrays: dict[str, NDArray[Any]]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}


def _plain(episode: dict[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in episode.items()}
