"""The first stones by plain Python: the centre, then beside the stones that lie there."""

from __future__ import annotations

from trireme.core.game import Turn

from .rules import Action, Gomoku, GomokuState, Point
from .swap2 import opening_stone

OPENING_STONES = 5
"""Stones on the board from which a player may have three in a row, and moves need a search."""


def opening_move(turn: Turn[Action, GomokuState]) -> Action | None:
    """A sound stone while few lie on the board; None: the opening is over."""
    view, game = turn.view, turn.game
    assert isinstance(game, Gomoku)
    if game.opening == "swap2":
        return opening_stone(game, view, turn.rng)
    if len(view.stones) >= OPENING_STONES:
        return None
    taken = view.board()
    free = [point for point in game.points if point not in taken]
    beside = [point for point in free if any(_adjacent(point, stone) for stone in taken)]
    nearest = min(_from_centre(game, point) for point in beside or free)
    best = [point for point in beside or free if _from_centre(game, point) == nearest]
    return best[int(turn.rng.integers(len(best)))]


def _adjacent(point: Point, stone: Point) -> bool:
    return max(abs(point[0] - stone[0]), abs(point[1] - stone[1])) == 1


def _from_centre(game: Gomoku, point: Point) -> int:
    """Twice the distance from the centre of the board, which may lie between points."""
    return max(abs(2 * i - (game.size - 1)) for i in point)
