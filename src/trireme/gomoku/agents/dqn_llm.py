"""dqn+llm: the Q network proposes moves, and a language model chooses among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from trireme.core.game import AnyGame, Turn
from trireme.core.options import option
from trireme.gomoku.rules import Gomoku
from trireme.gomoku.swap2 import opening_action
from trireme.llm.candidates import Candidate, CandidateAgent

from .dqn import MODEL_HELP, evaluator, values


@dataclass
class DQNWithModel(CandidateAgent):
    """The dqn network proposes its best moves; a language model (LLM) chooses among them."""

    name: ClassVar[str] = "dqn+llm"
    unit: ClassVar[str] = "values for you, from -1 lost to 1 won"

    network: str = option("", MODEL_HELP)

    def prepare(self, game: AnyGame) -> None:
        super().prepare(game)
        evaluator(self.network)

    def candidates(self, turn: Turn[Any, Any]) -> Sequence[Candidate]:
        game, view = turn.game, turn.view
        assert isinstance(game, Gomoku)
        q = values(game, view, self.network).ravel()
        opening = opening_action(game, view, turn.rng, lambda: float(q.max()))
        if opening is not None:
            return [Candidate(opening, 0.0)]
        best = np.argsort(-q, kind="stable")[: min(self.k, int(np.isfinite(q).sum()))]
        return [Candidate(divmod(int(p), game.size), float(np.clip(q[p], -1, 1))) for p in best]
