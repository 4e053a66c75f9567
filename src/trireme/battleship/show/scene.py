"""The scene: what clients need to draw a game beside its views, the boards and their ships."""

from __future__ import annotations

from typing import Any

from trireme.battleship.rules import Battleship


def scene(game: Battleship) -> dict[str, Any]:
    """Size and ships of every board, by owner; ships in the order of their sizes."""
    return {
        "boards": [
            {
                "rows": board.rows,
                "cols": board.cols,
                "sizes": list(board.sizes),
                "names": list(board.names),
            }
            for board in game.boards
        ]
    }
