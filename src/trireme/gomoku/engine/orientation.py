"""The eight symmetries of the board: images of a position are searched as one and the same.

Moves of equal scores are tried in the order of their cells. So that a mirrored or rotated position
still gives the mirrored or rotated analysis, every position is brought into a canonical orientation
before it is searched, and what was found is mapped back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

from trireme.gomoku.rules import Point

from .analysis import CandidateMove, EngineAnalysis


@dataclass(frozen=True)
class Orientation:
    """One of the symmetries of a board of `size` × `size` points: rotations and reflections."""

    size: int
    transposed: bool = False
    rows_flipped: bool = False
    columns_flipped: bool = False

    def image(self, point: Point) -> Point:
        """Where a point of the given position lies in the oriented one."""
        row, col = point[::-1] if self.transposed else point
        return self._flipped(row, self.rows_flipped), self._flipped(col, self.columns_flipped)

    def original(self, point: Point) -> Point:
        """The inverse of `image`."""
        row = self._flipped(point[0], self.rows_flipped)
        col = self._flipped(point[1], self.columns_flipped)
        return (col, row) if self.transposed else (row, col)

    def original_analysis(self, analysis: EngineAnalysis) -> EngineAnalysis:
        """An analysis of the oriented position with all points mapped back."""
        return replace(
            analysis,
            line=tuple(self.original(point) for point in analysis.line),
            moves=tuple(
                CandidateMove(self.original(c.move), c.value, c.plies) for c in analysis.moves
            ),
        )

    def _flipped(self, index: int, flip: bool) -> int:
        return self.size - 1 - index if flip else index


def orientations(size: int) -> list[Orientation]:
    """All eight, the identity first."""
    return [Orientation(size, *flags) for flags in product((False, True), repeat=3)]
