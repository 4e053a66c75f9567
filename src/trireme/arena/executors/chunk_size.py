"""Chunk sizes: how many games to send to a worker at once, from how long games take."""

from __future__ import annotations

from collections.abc import Sequence

from trireme.arena.outcome import Played

CHUNK_SECONDS = 0.5
"""Seconds of work in one chunk: enough to make the cost of sending it small."""


class ChunkSizer:
    """Chooses chunk sizes from the mean time of games: of recent ones above all, because the first
    compile and load what later ones have at hand."""

    def __init__(self) -> None:
        self._games, self._seconds = 0.0, 0.0

    def add(self, done: Sequence[Played]) -> None:
        if done:
            self._games = self._games / 2 + len(done)
            self._seconds = self._seconds / 2 + sum(played.duration for played in done)

    def next_size(self, left: int, workers: int) -> int:
        """Fixtures for the next chunk: about `CHUNK_SECONDS` of work, less towards the end, so that
        no straggler keeps the others waiting."""
        if not self._games:
            return 1
        mean = max(self._seconds / self._games, 1e-3)
        return max(1, min(int(CHUNK_SECONDS / mean), left // (2 * workers)))
