"""Runs small enough for tests."""

from __future__ import annotations

from typing import Any

from trireme.training.settings import (
    BattleshipHeatmap,
    BattleshipRL,
    GomokuDQN,
    GomokuTable,
    GomokuZero,
    NavigationValue,
)


def tiny_dqn(**changes: Any) -> GomokuDQN:
    """A run of a second: a small board, a few filters."""
    settings: dict[str, Any] = {
        "device": "cpu",
        "threads": 1,
        "steps": 12,
        "size": 7,
        "filters": 4,
        "layers": 2,
        "games": 8,
        "epsilon_steps": 10,
        "snapshot_every": 3,
        "snapshots": 2,
        "capacity": 400,
        "minimum": 60,
        "n_step": 3,
        "batch_size": 16,
        "log_every": 2,
        "evaluate_every": 6,
        "evaluate_games": 4,
        "checkpoint_every": 5,
    }
    return GomokuDQN(**{**settings, **changes})


def tiny_zero(**changes: Any) -> GomokuZero:
    """A run of seconds: a small board, a few channels, short searches."""
    settings: dict[str, Any] = {
        "device": "cpu",
        "threads": 1,
        "steps": 20,
        "size": 7,
        "blocks": 1,
        "channels": 4,
        "games": 24,
        "simulations": 3,
        "simulations_end": 5,
        "considered": 3,
        "max_depth": 3,
        "capacity": 150,
        "minimum": 30,
        "updates": 2,
        "batch_size": 16,
        "snapshots": 2,
        "log_every": 2,
        "checkpoint_every": 6,
    }
    return GomokuZero(**{**settings, **changes})


def tiny_table(**changes: Any) -> GomokuTable:
    """A run of a second: a small mapping network, few positions."""
    settings: dict[str, Any] = {
        "device": "cpu",
        "threads": 1,
        "steps": 8,
        "width": 8,
        "batch_size": 16,
        "warm_up": 2,
        "held_out": 0.3,
        "log_every": 2,
        "evaluate_every": 4,
        "checkpoint_every": 3,
    }
    return GomokuTable(**{**settings, **changes})


def tiny_value(**changes: Any) -> NavigationValue:
    """A run of a second: two seas, a few turns."""
    settings: dict[str, Any] = {
        "device": "cpu",
        "threads": 1,
        "steps": 4,
        "units": 4,
        "outputs": 4,
        "width": 4,
        "warm_up": 3,
        "seas": 2,
        "games": 2,
        "renewed": 0.5,
        "rounds": 2,
        "capacity": 12,
        "updates": 2,
        "batch_size": 8,
        "checkpoint_every": 2,
    }
    return NavigationValue(**{**settings, **changes})


def tiny_heatmap(**changes: Any) -> BattleshipHeatmap:
    settings: dict[str, Any] = {
        "device": "cpu",
        "threads": 1,
        "steps": 8,
        "filters": 4,
        "blocks": 1,
        "boards": 8,
        "log_every": 2,
        "evaluate_every": 4,
        "evaluate_games": 4,
        "checkpoint_every": 3,
    }
    return BattleshipHeatmap(**{**settings, **changes})


def tiny_rl(**changes: Any) -> BattleshipRL:
    settings: dict[str, Any] = {
        "device": "cpu",
        "threads": 1,
        "steps": 256,
        "filters": 4,
        "blocks": 1,
        "boards": 16,
        "rollout": 8,
        "epochs": 1,
        "batch_size": 32,
        "buffer": 400,
        "evaluate_every": 128,
        "evaluate_games": 4,
    }
    return BattleshipRL(**{**settings, **changes})
