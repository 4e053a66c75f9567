"""The scene: what a program needs to know of a game of Gomoku beside its views."""

from __future__ import annotations

from typing import Any

from trireme.gomoku.rules import Gomoku


def scene(game: Gomoku) -> dict[str, Any]:
    """The board, what wins, and the stones that lie there from the start, as (row, col)."""
    return {
        "size": game.size,
        "line": 5,
        "overline_wins": game.rule == "freestyle",
        "stones": game.start().stones,
    }
