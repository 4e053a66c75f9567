"""zero+llm: the tree search of zero proposes moves, and a language model chooses among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from trireme.core.game import AnyGame, Turn
from trireme.core.options import option
from trireme.gomoku.rules import Gomoku
from trireme.llm.candidates import Candidate, CandidateAgent

from .zero import Zero

SEARCH_SHARE = 0.25
"""The part of the time budget that the search may take; the rest is the model's."""


@dataclass
class ZeroWithModel(CandidateAgent):
    """The search of zero proposes its best moves; a language model (LLM) chooses among them."""

    name: ClassVar[str] = "zero+llm"
    unit: ClassVar[str] = "values for you by a tree search, from -1 lost to 1 won"

    simulations: int = option(64, "simulations for the proposals; more: better ones, slower")
    network: str = option("", "path of an ONNX file to use instead of the network that ships")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._zero = Zero(simulations=self.simulations, model=self.network)

    def fits(self, game: AnyGame) -> None:
        self._zero.fits(game)

    def prepare(self, game: AnyGame) -> None:
        super().prepare(game)
        self._zero.prepare(game)

    def candidates(self, turn: Turn[Any, Any]) -> Sequence[Candidate]:
        """Moves by the search; where it has proven a win or a loss, or opens, one alone."""
        game = turn.game
        assert isinstance(game, Gomoku)
        seconds = None if turn.seconds is None else turn.seconds * SEARCH_SHARE
        if (opening := self._zero.opening_move(turn, seconds)) is not None:
            return [Candidate(opening, 0.0)]
        found = self._zero.analyse(game, turn.view, seconds=seconds, top=self.k)
        return [Candidate(move.move, move.value) for move in found.moves]
