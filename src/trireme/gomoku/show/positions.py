"""Which positions of Gomoku are the same to a player: up to symmetry, shift and move order."""

from __future__ import annotations

from trireme.gomoku.rules import Gomoku, GomokuState, Point

FEWEST_STONES = 5
"""Many games share the position before."""


def position_content(game: Gomoku, view: GomokuState) -> list[list[Point]] | None:
    """The black and the white stones, moved to the corner, in the smallest of the eight
    orientations; None while there are few stones."""
    if len(view.stones) < FEWEST_STONES:
        return None
    return min(
        _in_corner([_image(stone, symmetry) for stone in view.stones]) for symmetry in range(8)
    )


def _image(point: Point, symmetry: int) -> Point:
    row, col = point
    if symmetry & 1:
        row = -row
    if symmetry & 2:
        col = -col
    return (col, row) if symmetry & 4 else (row, col)


def _in_corner(stones: list[Point]) -> list[list[Point]]:
    top, left = min(row for row, _ in stones), min(col for _, col in stones)
    moved = [(row - top, col - left) for row, col in stones]
    return [sorted(moved[0::2]), sorted(moved[1::2])]
