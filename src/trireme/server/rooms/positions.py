"""Positions that are being played without engine help, recognised wherever an analysis is asked.

Else `hints_off` would be hollow: a player could ask for the same position in another room, or send
the running game's record.
"""

from __future__ import annotations

from collections.abc import Iterable

from trireme.core.positions import position_key

from .table import GameTable, PlayedMove

Keys = frozenset[bytes]


class PositionKeys:
    """The keys of a room's positions, each computed once."""

    def __init__(self, table: GameTable) -> None:
        self._table = table
        self._current: tuple[PlayedMove, bytes | None] | None = None
        self._all: list[tuple[PlayedMove, bytes | None]] = []

    def current(self) -> bytes | None:
        """The key of the current position; None: many games share it."""
        moves = self._table.moves
        if not moves:
            return None
        last = moves[-1]
        if self._current is None or self._current[0] is not last:
            self._current = last, position_key(self._table.game, last.after)
        return self._current[1]

    def all(self) -> set[bytes]:
        """The keys of all positions that the game has passed, the current one included."""
        moves = list(self._table.moves)
        while self._all and (
            len(self._all) > len(moves) or self._all[-1][0] is not moves[len(self._all) - 1]
        ):
            self._all.pop()  # taken back
        for move in moves[len(self._all) :]:
            self._all.append((move, position_key(self._table.game, move.after)))
        return {key for _, key in self._all if key is not None}


def running_keys(positions: Iterable[PositionKeys]) -> Keys:
    """The keys of the current positions."""
    return frozenset(key for keys in positions if (key := keys.current()) is not None)
