"""Views of Battleship as text: the boards, what is known of every cell, and the ships."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trireme.battleship.belief.constraints import sunk_cells
from trireme.battleship.board import Board, Cell, cells_between, write_cell
from trireme.battleship.rules import Battleship, BattleshipView, Sea
from trireme.battleship.shots import Shot

UNKNOWN, MISS, HIT, SUNK, SHIP, MINE, STRUCK = "·", "○", "✕", "■", "□", "*", "✹"
_CODES = re.compile("\x1b\\[[0-9;]*m")
LEGEND = "· unknown   ○ miss   ✕ hit   ■ sunk"
_COLOURS = {
    UNKNOWN: "34",
    MISS: "90",
    HIT: "1;31",
    SUNK: "1;30;47",
    SHIP: "36",
    MINE: "33",
    STRUCK: "1;33",
}


def text(game: Battleship, view: BattleshipView, colour: bool = False) -> str:
    """The view drawn for a terminal; `colour` adds ANSI colours."""
    blocks = [waters(game, view, owner, colour) for owner in _order(view)]
    marks = LEGEND
    if view.stage == "over" or (game.duel and view.seat is not None):
        marks += "   □ ship"
    if game.mines:
        marks += "   * mine   ✹ mine struck"
    return "\n".join([beside(blocks), "", marks])


def _order(view: BattleshipView) -> list[int]:
    """The sea that the viewer fires at comes first."""
    owners = list(range(len(view.seas)))
    return owners[::-1] if view.seat == 0 else owners


def marks(board: Board, sea: Sea) -> dict[Cell, str]:
    """What the drawing shows in each cell.

    Which cells a sunk ship lay on is drawn where the answers alone tell it.
    """
    shown = dict.fromkeys(board.cells(), UNKNOWN)
    if sea.fleet is not None:
        shown.update(dict.fromkeys(sea.fleet.mines, MINE))
        for ends in sea.fleet.ships:
            shown.update(dict.fromkeys(cells_between(ends), SHIP))
    for shot in sea.shots:
        shown[shot.cell] = {"miss": MISS, "mine": STRUCK}.get(shot.result, HIT)
    for cell in sunk_cells(board, sea.shots, sea.fleet):
        shown[cell] = SUNK
    return shown


def waters(game: Battleship, view: BattleshipView, owner: int, colour: bool) -> list[str]:
    """One sea with its title and its ships, line by line."""
    board, sea = game.boards[owner], view.seas[owner]
    shown = marks(board, sea)
    lines = [_title(game, view, owner)]
    lines.append("   " + " ".join(f"{col + 1:>2}" for col in range(board.cols)))
    for row in range(board.rows):
        cells = (_paint(shown[row, col], colour) for col in range(board.cols))
        lines.append(f"{chr(ord('A') + row)}   " + "  ".join(cells))
    lines.append("")
    for name, size in zip(board.names, board.sizes, strict=True):
        mark = SHIP if name in sea.afloat else SUNK
        lines.append(f"{mark * size:<{max(board.sizes)}} {name}")
    if sea.shots:
        lines += ["", answer(sea.shots[-1])]
    return lines


def percents(
    board: Board, sea: Sea, heat: Sequence[Sequence[float]], best: Cell | None
) -> list[str]:
    """The chance of a ship in every cell, in percent; the best cell in brackets.

    Cells that were shot at show their marks.
    """
    shown, fired = marks(board, sea), {shot.cell for shot in sea.shots}
    lines = ["    " + "".join(f"{col + 1:>3} " for col in range(board.cols))]
    for row in range(board.rows):
        cells = []
        for col in range(board.cols):
            mark = shown[row, col] if (row, col) in fired else f"{100 * heat[row][col]:.0f}"
            cells.append(f"{f'[{mark}]' if (row, col) == best else f'{mark} ':>4}")
        lines.append(f"{chr(ord('A') + row)}   " + "".join(cells))
    return lines


def answer(shot: Shot) -> str:
    """What is called out after a shot."""
    said = {"mine": "struck a mine", "sunk": f"sunk the {shot.ship}"}.get(shot.result, shot.result)
    return f"{write_cell(shot.cell)}: {said}"


def _title(game: Battleship, view: BattleshipView, owner: int) -> str:
    shots = len(view.seas[owner].shots)
    fired = f"{shots} shot{'' if shots == 1 else 's'}"
    if not game.duel:
        return f"The hidden fleet: {fired}"
    if owner == view.seat:
        return f"Your fleet: {fired} received"
    return f"The fleet of seat {owner}: {fired}"


def _paint(mark: str, colour: bool) -> str:
    return f"\x1b[{_COLOURS[mark]}m{mark}\x1b[0m" if colour else mark


def beside(blocks: list[list[str]]) -> str:
    """Blocks of lines put side by side."""
    height = max(map(len, blocks))
    rows = []
    for index in range(height):
        parts = []
        for block in blocks:
            line = block[index] if index < len(block) else ""
            parts.append(line + " " * (max(map(_width, block)) - _width(line)))
        rows.append("      ".join(parts).rstrip())
    return "\n".join(rows)


def _width(line: str) -> int:
    """The columns that a line takes: colour codes take none."""
    return len(_CODES.sub("", line))
