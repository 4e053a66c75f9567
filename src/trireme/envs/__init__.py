"""Environments for learners: Gymnasium, vector, Stable-Baselines3 and PettingZoo.

Importing this package registers the Gymnasium ids `trireme/Battleship-v0`, `trireme/Gomoku-v0` and
`trireme/Navigation-v0`. Everything else is imported on first use, so that PettingZoo and
Stable-Baselines3 are needed only by those who ask for them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium

if TYPE_CHECKING:
    from .battleship import BattleshipEnv
    from .battleship_setup import Rewards
    from .battleship_vector import BattleshipVectorEnv
    from .checks import ResetNeeded
    from .duel_vector import BattleshipDuelVectorEnv
    from .gomoku_vector import GomokuVectorEnv
    from .navigation_vector import NavigationVectorEnv
    from .opponent import OpponentEnv
    from .sb3 import BattleshipVecEnv
    from .zoo import AECGameEnv, ParallelGameEnv, aec, parallel

__all__ = [
    "AECGameEnv",
    "BattleshipDuelVectorEnv",
    "BattleshipEnv",
    "BattleshipVecEnv",
    "BattleshipVectorEnv",
    "GomokuVectorEnv",
    "NavigationVectorEnv",
    "OpponentEnv",
    "ParallelGameEnv",
    "ResetNeeded",
    "Rewards",
    "aec",
    "parallel",
]

_PLACES = {
    "BattleshipDuelVectorEnv": "duel_vector",
    "BattleshipEnv": "battleship",
    "BattleshipVecEnv": "sb3",
    "BattleshipVectorEnv": "battleship_vector",
    "GomokuVectorEnv": "gomoku_vector",
    "NavigationVectorEnv": "navigation_vector",
    "OpponentEnv": "opponent",
    "ResetNeeded": "checks",
    "Rewards": "battleship_setup",
    "AECGameEnv": "zoo",
    "ParallelGameEnv": "zoo",
    "aec": "zoo",
    "parallel": "zoo",
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_GYMNASIUM: dict[str, tuple[str, str]] = {
    "trireme/Battleship-v0": (
        "opponent:make_battleship",
        "duel_vector:make_battleship_vector",
    ),
    "trireme/Gomoku-v0": ("opponent:make_gomoku", "gomoku_vector:GomokuVectorEnv"),
    "trireme/Navigation-v0": (
        "opponent:make_navigation",
        "navigation_vector:NavigationVectorEnv",
    ),
}
"""Where each id has its single and its vector environment."""


def _register() -> None:
    for id_, (single, vector) in _GYMNASIUM.items():
        if id_ not in gymnasium.registry:
            gymnasium.register(
                id_,
                entry_point=f"{__name__}.{single}",
                vector_entry_point=f"{__name__}.{vector}",
            )


_register()
