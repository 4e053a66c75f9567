"""Positions that are being played without engine help, recognised wherever an analysis is asked.

Else `hints_off` would be hollow: a player could ask for the same position in another room, or send
the running game's record.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trireme.core.positions import MarkedBoard, alike, marked_boards

from .table import GameTable, PlayedMove

Boards = Sequence[MarkedBoard]
"""One position."""
BEING_PLAYED = "a position like this one is being played without engine help; try again later"


class PassedPositions:
    """The positions that a room's game has passed, each looked at once."""

    def __init__(self, table: GameTable) -> None:
        self._table = table
        self._current: tuple[PlayedMove, Boards] | None = None
        self._all: list[tuple[PlayedMove, Boards]] = []

    def current(self) -> Boards:
        moves = self._table.moves
        if not moves:
            return ()
        last = moves[-1]
        if self._current is None or self._current[0] is not last:
            self._current = last, marked_boards(self._table.game, last.after)
        return self._current[1]

    def all(self) -> list[Boards]:
        """Every position after a move, the current one included."""
        moves = list(self._table.moves)
        while self._all and (
            len(self._all) > len(moves) or self._all[-1][0] is not moves[len(self._all) - 1]
        ):
            self._all.pop()  # taken back
        for move in moves[len(self._all) :]:
            self._all.append((move, marked_boards(self._table.game, move.after)))
        return [boards for _, boards in self._all]


def any_alike(running: Iterable[Boards], passed: Sequence[Boards]) -> bool:
    """Whether a game has passed a position like one that is being played."""
    return any(alike(boards, others) for boards in running for others in passed)
