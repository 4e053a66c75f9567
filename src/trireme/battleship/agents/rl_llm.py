"""rl+llm: the trained policy proposes shots, and a language model chooses among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from trireme.battleship.shots import Salvo
from trireme.core.game import AnyGame, Turn
from trireme.core.onnx import load_network
from trireme.core.options import option
from trireme.llm.candidates import Candidate, CandidateAgent

from .rl import MODEL, logits
from .shooting_agent import target_view


@dataclass
class RLWithModel(CandidateAgent):
    """A policy network proposes its best shots; a language model (LLM) chooses among them."""

    name: ClassVar[str] = "rl+llm"
    unit: ClassVar[str] = "probabilities (a softmax over the open cells)"

    network: str = option("", "path of an ONNX file to use instead of the network that ships")

    def prepare(self, game: AnyGame) -> None:
        super().prepare(game)
        load_network(self._file)

    @property
    def _file(self) -> Path:
        return Path(self.network) if self.network else MODEL

    def candidates(self, turn: Turn[Any, Any]) -> Sequence[Candidate]:
        """Shots by probability. Salvos keep the best cells and vary the last one. A fleet is
        placed as chance would: the policy was not trained to place."""
        if turn.view.stage == "placing":
            return [Candidate(turn.legal.sample(turn.rng), 1.0)]
        target = target_view(turn)
        scores = np.where(target.open_mask, logits(target, self._file).ravel(), -np.inf)
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        order = np.argsort(-chances, kind="stable")[: target.open_mask.sum()]
        firm, last = order[: target.salvo - 1], order[target.salvo - 1 :][: self.k]
        return [
            Candidate(
                Salvo(tuple(divmod(int(c), target.board.cols) for c in (*firm, cell))),
                float(chances[cell]),
            )
            for cell in last
        ]
