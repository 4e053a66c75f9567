"""Adjudication of decided games: forced wins, proven by search and checked independently."""

from __future__ import annotations

from collections.abc import Mapping

from trireme.core.game import AnyGame, Seat

from .engine.threat_prover import ThreatProver
from .proof_checker import ProofChecker, Stones
from .rules import Gomoku, GomokuState, Point

NODES = 4_000
"""Nodes of the search for a win after each move: a limit by nodes is the same on every machine."""
MOST_PLIES = 11
"""Longer wins are left to the players: the checker, which is plain Python, would take seconds."""

_provers: dict[tuple[int, bool], ThreatProver] = {}


class ForcedWins:
    """Looks for a forced win of the side to move (VCF or VCT), in the positions of one game."""

    def __init__(self, game: AnyGame) -> None:
        assert isinstance(game, Gomoku)
        self._game = game
        key = game.size, game.rule == "standard"
        self._prover = _provers.setdefault(key, ThreatProver(*key))
        self._prover.set_position([], 1)  # forgets other games, on which no answer may depend
        self._checker = ProofChecker(game.size, game.rule)

    def __call__(self, state: GomokuState) -> Seat | None:
        """The seat to move if its win is proven and checked; None if nothing is known."""
        stones: Stones = dict(state.board())
        if len(stones) < 7 or (self._game.opening == "swap2" and state.black_seat() is None):
            return None
        if self._move(stones, state.colour) is None:
            return None
        refuted = self._checker.escapes(stones, state.colour, self._move, MOST_PLIES)
        return None if refuted is not None else self._game.seat_of(state, state.colour)

    def _move(self, stones: Mapping[Point, int], colour: int) -> Point | None:
        """The first move of a win that the search proves."""
        self._prover.set_position(stones.items(), colour)
        found = self._prover.winning_line(NODES)
        if found is None or not found.points or (found.plies or 0) > MOST_PLIES:
            return None
        return divmod(found.points[0], self._prover.size)
