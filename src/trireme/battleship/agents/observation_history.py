"""The history of a game (its answered shots), reconstructed from Gymnasium observations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.board import Board, Cell
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Shot


class ObservationHistory:
    """The answered shots of one episode.

    Observations show hits and the sizes afloat, but not which hits belong to a ship that sank.
    The differences between successive observations do: the ship that vanished lay on the newest
    hit.
    """

    def __init__(self, game: Battleship | None, rng: Generator) -> None:
        self.rng = rng
        self._game = game
        self._board: NDArray[np.int64] | None = None
        self._afloat: list[bool] = []
        self._shots: tuple[Shot, ...] = ()

    @property
    def game(self) -> Battleship:
        """The rules, as given or as inferred from the first observation."""
        if self._game is None:
            raise ValueError("no observation has been seen yet")
        return self._game

    def update(self, observation: Mapping[str, Any]) -> tuple[Shot, ...]:
        """Add the next observation; returns all answered shots so far."""
        board = np.asarray(observation["attack_board"], np.int64)
        sizes = [int(size) for size in observation["remaining_ships"]]
        if self._game is None:
            fleet = tuple(size for size in sizes if size)
            rows, cols = board.shape
            self._game = Battleship(rows, cols, fleet=fleet)
        if self._board is None or (board < self._board).any():
            self._board = np.zeros_like(board)
            self._afloat = [True] * len(self.game.boards[0].sizes)
            self._shots = ()
        self._record(board, _afloat(self.game.boards[0], sizes, self._afloat))
        return self._shots

    def _record(self, board: NDArray[np.int64], afloat: list[bool]) -> None:
        target = self.game.boards[0]
        fresh = [(int(r), int(c)) for r, c in np.argwhere(board != self._board)]
        misses = [Shot(cell, "miss") for cell in fresh if board[cell] == 1]
        hits = [cell for cell in fresh if board[cell] == 2]
        known = {shot.cell for shot in self._shots if shot.result in ("hit", "sunk")}
        pairs = zip(target.names, target.sizes, self._afloat, afloat, strict=True)
        sunk = [(name, size) for name, size, was, stays in pairs if was and not stays]
        last: list[Shot] = []
        for name, size in sunk:
            cell = _last_hit(target, size, hits, known | set(fresh))
            hits.remove(cell)
            last.append(Shot(cell, "sunk", name))
        self._shots += (*misses, *(Shot(cell, "hit") for cell in hits), *last)
        self._board, self._afloat = board.copy(), afloat


def _afloat(board: Board, sizes: list[int], before: list[bool]) -> list[bool]:
    """Which ships the remaining sizes mean: each in its own slot, or all moved to the front."""
    slots = sizes[: len(board.sizes)]
    if all(shown in (0, size) for shown, size in zip(slots, board.sizes, strict=False)) and len(
        slots
    ) == len(board.sizes):
        return [bool(shown) and was for shown, was in zip(slots, before, strict=True)]
    left = [size for size in sizes if size]
    afloat = []
    for size, was in zip(reversed(board.sizes), reversed(before), strict=True):
        stays = was and size in left
        if stays:
            left.remove(size)
        afloat.append(stays)
    return afloat[::-1]


def _last_hit(board: Board, size: int, fresh: list[Cell], hits: set[Cell]) -> Cell:
    """The newest hit on which a ship of this size can have gone down."""
    bits = sum(map(board.bit, hits))
    for cell in fresh:
        for place in board.placements(size):
            if place.mask & board.bit(cell) and not place.mask & ~bits:
                return cell
    return fresh[-1]
