"""A Gomoku position as SVG, for notebooks: stones with their last move and the winning line."""

from __future__ import annotations

from html import escape

from trireme.gomoku.rules import BLACK, Gomoku, GomokuState, winning_line

from .draw import status

_STEP = 26
_EDGE = 24


def board_svg(game: Gomoku, view: GomokuState) -> str:
    """The board with row 1 at the bottom, as in the text; a line below says whose turn it is."""
    far = _EDGE + _STEP * (game.size - 1)
    side = far + _EDGE
    at = [_EDGE + _STEP * i for i in range(game.size)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side + 22}"'
        f' viewBox="0 0 {side} {side + 22}" font-family="system-ui,sans-serif" font-size="11">',
        f'<rect width="{side}" height="{side}" rx="4" fill="#e8c88f"/>',
    ]
    for i, xy in enumerate(at):
        parts.append(
            f'<path d="M{_EDGE} {xy}H{far}M{xy} {_EDGE}V{far}" stroke="#6b5330" fill="none"/>'
            f'<text x="{xy}" y="{side - 5}" text-anchor="middle" fill="#6b5330">'
            f"{chr(ord('a') + i)}</text>"
            f'<text x="4" y="{at[-1 - i] + 4}" fill="#6b5330">{i + 1}</text>'
        )
    won = set(winning_line(game, view)) if view.winner else set()
    for (row, col), colour in view.board().items():
        fill, mark = ("#1b1b1b", "#fff") if colour == BLACK else ("#fafafa", "#000")
        x, y = at[col], at[-1 - row]
        edge = ' stroke="#d33" stroke-width="3"' if (row, col) in won else ' stroke="#333"'
        parts.append(f'<circle cx="{x}" cy="{y}" r="11" fill="{fill}"{edge}/>')
        if (row, col) == view.last:
            parts.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{mark}"/>')
    words = escape(status(game, view))
    parts.append(f'<text x="2" y="{side + 16}" fill="currentColor">{words}</text></svg>')
    return "".join(parts)
