"""The dqn agent: the move of the highest Q value of a network, without search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trireme.core.errors import BadSpec, MissingExtra
from trireme.core.game import AnyGame, Turn
from trireme.core.onnx import load_network
from trireme.core.options import option
from trireme.gomoku.encode import GomokuEncoder
from trireme.gomoku.rules import Action, Gomoku, GomokuState
from trireme.gomoku.swap2 import opening_action

MODEL_HELP = "a file of weights, .onnx or .pt (torch); empty: those that ship"
MODEL = Path(__file__).parent.parent / "models" / "dqn" / "network.onnx"

Floats = NDArray[np.float32]
Evaluate = Callable[[NDArray[np.int8]], Floats]
"""Q values `float[B, n * n]` of `planes: int8[B, 4, n, n]`; taken points far below all others."""


@dataclass(frozen=True)
class DQN:
    """Plays the move that a network, trained by self-play, values highest."""

    model: str = option("", MODEL_HELP)
    epsilon: float = option(0.0, "chance of a random move instead, from 0 to 1")

    name: ClassVar[str] = "dqn"
    extra: ClassVar[str] = "nets"

    def fits(self, game: AnyGame) -> None:
        evaluator(self.model)

    def prepare(self, game: AnyGame) -> None:
        self.fits(game)

    def act(self, turn: Turn[Action, GomokuState]) -> Action:
        game, view = turn.game, turn.view
        assert isinstance(game, Gomoku)
        if self.epsilon and turn.rng.random() < self.epsilon:
            return turn.legal.sample(turn.rng)
        if opening := opening_action(
            game, view, turn.rng, lambda: float(values(game, view, self.model).max())
        ):
            return opening
        return divmod(int(values(game, view, self.model).argmax()), game.size)


def values(game: Gomoku, view: GomokuState, model: str = "") -> Floats:
    """The Q value of each point for the side to move, `float[n, n]`, from -1 lost to 1 won.

    Taken points get minus infinity.
    """
    planes = GomokuEncoder(game).planes(view)
    q = evaluator(model)(planes[None])[0].reshape(game.size, game.size)
    return np.where(planes[0] + planes[1] == 0, q, -np.inf).astype(np.float32)


@cache
def evaluator(model: str) -> Evaluate:
    """The network of a file, or the one that ships."""
    if model.endswith(".pt"):
        return _torch_network(Path(model))
    network = load_network(Path(model) if model else MODEL)
    return lambda planes: network(planes=planes)


def _torch_network(path: Path) -> Evaluate:
    if not path.is_file():
        raise BadSpec(f"there is no network {str(path)!r}")
    try:
        from .dqn_network import evaluate, load
    except ImportError:
        raise MissingExtra("learn", f"{path.name}, unlike an .onnx file,", "torch") from None
    network = load(path)
    return lambda planes: evaluate(network, planes)
