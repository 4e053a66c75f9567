"""Which positions of Battleship are the same to a player: up to symmetry and the shots' order."""

from __future__ import annotations

from typing import Any

from trireme.battleship.rules import Battleship, BattleshipView, Sea

FEWEST_SHOTS = 6
"""Many games share the position before."""


def position_content(game: Battleship, view: BattleshipView) -> Any:
    """The answered shots at each board, in the smallest orientation; None while they are few."""
    if sum(len(sea.shots) for sea in view.seas) < FEWEST_SHOTS:
        return None
    boards = zip(game.boards, view.seas, strict=True)
    return sorted(_content(sea, board.rows - 1, board.cols - 1) for board, sea in boards)


def _content(sea: Sea, bottom: int, right: int) -> list[tuple[int, int, str, str]]:
    images = []
    for symmetry in range(8):
        shots: list[tuple[int, int, str, str]] = []
        for shot in sea.shots:
            row, col = shot.cell
            row = bottom - row if symmetry & 1 else row
            col = right - col if symmetry & 2 else col
            row, col = (col, row) if symmetry & 4 else (row, col)
            shots.append((row, col, shot.result, shot.ship))
        images.append(sorted(shots))
    return min(images)
