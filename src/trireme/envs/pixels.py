"""Drawings as pixels, for `render_mode="rgb_array"` and the videos made from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trireme.battleship.board import Board
from trireme.battleship.rules import Battleship, BattleshipView, Sea
from trireme.battleship.show import draw

Image = NDArray[np.uint8]
"""uint8[height, width, 3]: red, green, blue."""

TILE = 32
"""Pixels along a side of a cell; the lines between cells are part of it."""
GAP = 32
"""Pixels between two boards."""
PAPER = (246, 248, 250)
LINE = (36, 52, 71)
WATER, SHIP, SUNK = (52, 116, 178), (140, 150, 160), (96, 24, 24)
COLOURS = {
    draw.UNKNOWN: (WATER, None),
    draw.MISS: (WATER, PAPER),
    draw.STRUCK: (WATER, (250, 200, 40)),
    draw.MINE: (WATER, (20, 20, 20)),
    draw.HIT: (WATER, (226, 62, 50)),
    draw.SUNK: (SUNK, (226, 62, 50)),
    draw.SHIP: (SHIP, None),
}
"""The cell's colour, and that of the disc on it, by the sign of the text drawing."""
PLANES = ((226, 62, 50), (246, 248, 250), (250, 200, 40), (60, 170, 90), (150, 90, 190))
"""The colours of an encoder's planes, in turn."""


def battleship_image(game: Battleship, view: BattleshipView) -> Image:
    """The boards that the view shows, side by side, the one fired at first.

    Water is blue; white discs are misses, red ones hits, red on dark sunk ships, yellow struck
    mines; own ships are grey.
    """
    seat = view.seat or 0
    order = [1 - seat, seat] if len(view.seas) == 2 else [0]
    return _beside([_sea_image(game.boards[owner], view.seas[owner]) for owner in order])


def planes_image(planes: NDArray[np.generic]) -> Image:
    """An encoder's array [planes, rows, cols] of values from 0 to 1, each cell in the mixed colours
    of the planes that mark it; planes that are the same in all cells are left out."""
    stack = np.asarray(planes, np.float64)
    shown = [plane for plane in stack if plane.min() != plane.max()]
    cells = np.empty((*stack.shape[1:], 3))
    cells[:] = WATER
    for number, plane in enumerate(shown):
        weight = plane[..., None]
        cells = (1 - weight) * cells + weight * np.array(PLANES[number % len(PLANES)])
    return _tiles(cells.round().astype(np.uint8))


def _sea_image(board: Board, sea: Sea) -> Image:
    cells = np.empty((board.rows, board.cols, 3), np.uint8)
    image = _tiles(cells)
    disc = _disc()
    for (row, col), sign in draw.marks(board, sea).items():
        colour, mark = COLOURS[sign]
        tile = image[row * TILE + 1 : (row + 1) * TILE, col * TILE + 1 : (col + 1) * TILE]
        tile[:] = colour
        if mark is not None:
            tile[disc] = mark
    return image


def _tiles(cells: NDArray[np.uint8]) -> Image:
    """Cells uint8[rows, cols, 3] as squares with lines around them."""
    image = np.repeat(np.repeat(cells, TILE, axis=0), TILE, axis=1)
    image = np.pad(image, ((0, 1), (0, 1), (0, 0)))
    image[::TILE] = LINE
    image[:, ::TILE] = LINE
    return image


def _disc() -> NDArray[np.bool_]:
    """bool[TILE - 1, TILE - 1]: the pixels of a disc inside a cell."""
    side = TILE - 1
    offsets = np.arange(side) - side // 2
    inside: NDArray[np.bool_] = np.add.outer(offsets**2, offsets**2) <= (TILE // 4 + 1) ** 2
    return inside


def _beside(images: list[Image]) -> Image:
    height = max(len(image) for image in images)
    parts: list[Image] = []
    for image in images:
        below = ((0, height - len(image)), (0, GAP if image is not images[-1] else 0), (0, 0))
        padded = np.pad(image, below)
        padded[len(image) :] = PAPER
        padded[:, image.shape[1] :] = PAPER
        parts.append(padded)
    return np.concatenate(parts, axis=1)
