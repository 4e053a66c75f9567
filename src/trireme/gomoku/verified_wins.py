"""Forced wins that the engine's threat search finds and the independent checker confirms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from .proof_checker import CheckTooLong, ProofChecker, Stones
from .rules import Point, Rule

if TYPE_CHECKING:
    from .engine.threat_prover import ThreatProver

ROWS = 1 << 16
"""Rows of the search tables: enough to keep the proof that is checked."""
PROOF_NODES = 60_000
"""Nodes of the search that finds the win again before it is checked."""
REPLY_NODES = 20_000
"""Nodes of the search in one position of a proof, where its row was lost."""


class ForcedWin(NamedTuple):
    """A win by continuous fours (VCF) or threes (VCT), found by the engine."""

    plies: int
    """To the five at most."""
    line: tuple[Point, ...]
    """Its moves against the longest defence; they may end before the five."""
    by_fours: bool


class WinVerifier:
    """Finds forced wins in positions of one board, and has them confirmed."""

    def __init__(self, size: int = 15, rule: Rule = "standard", rows: int = ROWS) -> None:
        self.size, self.rule, self._rows = size, rule, rows
        self._prover: ThreatProver | None = None

    @property
    def prover(self) -> ThreatProver:
        """The engine's threat searches; compiled when they are first needed."""
        if self._prover is None:
            from .engine.threat_prover import ThreatProver

            self._prover = ThreatProver(self.size, self.rule == "standard", self._rows)
        return self._prover

    def find(self, stones: Mapping[Point, int], colour: int, nodes: int) -> ForcedWin | None:
        """A forced win of `colour`, to move: by fours, or else by threes, each within `nodes`."""
        self._begin(stones, colour)
        found, by_fours = self.prover.winning_fours(nodes), True
        if found is None:
            found, by_fours = self.prover.winning_line(nodes), False
        if found is None or not found.plies or not found.points:
            return None
        line = tuple(divmod(point, self.size) for point in found.points)
        return ForcedWin(found.plies, line, by_fours)

    def confirms(
        self, stones: Stones, colour: int, win: ForcedWin, plies: int, limit: int | None = None
    ) -> bool | None:
        """Whether the checker confirms that `colour` wins within `plies`, beginning with the line
        of `win`; None: it would have to look at more than `limit` positions.

        The line is followed as long as the defender follows it; elsewhere the search names the
        move.
        """
        given: dict[frozenset[tuple[Point, int]], Point] = {}
        seen = dict(stones)
        for number, point in enumerate(win.line):
            if number % 2 == 0:
                given[frozenset(seen.items())] = point
            seen[point] = colour if number % 2 == 0 else -colour
        prover, size = self.prover, self.size
        self.find(stones, colour, PROOF_NODES)  # its replies keep to the plies of its claim

        def choose(now: Mapping[Point, int], _: int) -> Point | None:
            follows = given.get(frozenset(now.items()))
            if follows is not None:
                return follows
            prover.pop_all()
            for row, col in list(now)[len(stones) :]:
                prover.push(row * size + col)
            found = None if win.by_fours else prover.winning_threats(REPLY_NODES)
            found = found or prover.winning_line(REPLY_NODES)
            return None if found is None or not found.points else divmod(found.points[0], size)

        checker = ProofChecker(size, self.rule, limit=limit)
        try:
            return checker.escapes(dict(stones), colour, choose, plies) is None
        except CheckTooLong:
            return None

    def _begin(self, stones: Mapping[Point, int], colour: int) -> None:
        """Set a position and forget all others: no answer may depend on them."""
        self.prover.set_position([], 1)
        self.prover.set_position(stones.items(), colour)
