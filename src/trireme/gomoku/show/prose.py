"""A view of Gomoku in plain words, for language models and screen readers."""

from __future__ import annotations

from trireme.gomoku.rules import BLACK, COLOUR_NAMES, Gomoku, GomokuState

from .draw import status, text


def prose(game: Gomoku, view: GomokuState) -> str:
    """Every stone in the order it was put, the board, and whose turn it is."""
    moves = [
        f"{number}. {COLOUR_NAMES[BLACK if number % 2 else -BLACK]} {game.write(point)}"
        for number, point in enumerate(view.stones, start=1)
    ]
    lines = [
        f"Gomoku on {game.size}×{game.size} points, columns a to "
        f"{chr(ord('a') + game.size - 1)}, rows 1 (bottom) to {game.size} (top).",
        f"Moves so far: {', '.join(moves) or 'none'}.",
    ]
    if view.choices:
        lines.append(f"Choices of swap2 so far: {', '.join(view.choices)}.")
    stones = "Board (X black, O white, the last stone in brackets):"
    return "\n".join([*lines, stones, *text(game, view).split("\n")[:-1], status(game, view)])
