"""The board on a canvas: where points are, and how stones, marks and hints look."""

from __future__ import annotations

import tkinter
from collections.abc import Mapping
from dataclasses import dataclass

from trireme.gomoku.rules import Gomoku, GomokuState, Point, winning_line
from trireme.gomoku.show.draw import stars

WOOD, LINE, LABEL = "#e3b873", "#5b4322", "#5b4322"
STONES = {1: ("#1b1b1f", "#55555e"), -1: ("#f4f1ea", "#ffffff")}
EDGE = {1: "#000000", -1: "#8d8778"}
MARK, WON, HINT = "#d2382c", "#d2382c", "#1f6f8b"


@dataclass(frozen=True)
class Geometry:
    """Where the points of a board lie on a canvas of some size; row 1 is at the bottom."""

    size: int
    width: int
    height: int

    @property
    def step(self) -> float:
        return min(self.width, self.height) / (self.size + 1.2)

    def centre(self, point: Point) -> tuple[float, float]:
        """The pixel in the middle of a point."""
        row, col = point
        across = (self.width - (self.size - 1) * self.step) / 2
        down = (self.height - (self.size - 1) * self.step) / 2
        return across + col * self.step, down + (self.size - 1 - row) * self.step

    def point(self, x: float, y: float) -> Point | None:
        """The point nearest to a pixel; None off the board."""
        left, bottom = self.centre((0, 0))
        col, row = round((x - left) / self.step), round((bottom - y) / self.step)
        return (row, col) if 0 <= row < self.size and 0 <= col < self.size else None


def draw(
    canvas: tkinter.Canvas,
    game: Gomoku,
    state: GomokuState,
    hints: Mapping[Point, str],
    hover: Point | None = None,
) -> None:
    """Redraw the position."""
    at = Geometry(game.size, canvas.winfo_width(), canvas.winfo_height())
    canvas.delete("all")
    canvas.configure(background=WOOD)
    _grid(canvas, game, at)
    for point, colour in state.board().items():
        _stone(canvas, at, point, colour)
    if hover is not None and hover not in state.stones:
        _disc(canvas, at, hover, 0.16, fill=EDGE[state.colour], outline="")
    if state.last is not None:
        _disc(canvas, at, state.last, 0.14, fill=MARK, outline="", tags=("last",))
    won = winning_line(game, state)
    if won:
        ends = (*at.centre(won[0]), *at.centre(won[-1]))
        canvas.create_line(*ends, fill=WON, width=max(2, at.step / 9), tags=("won",))
    for rank, (point, label) in enumerate(hints.items()):
        _hint(canvas, at, point, label, first=rank == 0)


def _grid(canvas: tkinter.Canvas, game: Gomoku, at: Geometry) -> None:
    last = game.size - 1
    font = ("TkDefaultFont", max(7, int(at.step / 3.4)))
    for i in range(game.size):
        canvas.create_line(*at.centre((i, 0)), *at.centre((i, last)), fill=LINE)
        canvas.create_line(*at.centre((0, i)), *at.centre((last, i)), fill=LINE)
        x, _ = at.centre((0, i))
        _, y = at.centre((i, 0))
        left, bottom = at.centre((0, 0))
        canvas.create_text(x, bottom + at.step * 0.72, text=chr(97 + i), font=font, fill=LABEL)
        canvas.create_text(left - at.step * 0.72, y, text=str(i + 1), font=font, fill=LABEL)
    for point in stars(game.size):
        _disc(canvas, at, point, 0.1, fill=LINE, outline="")


def _stone(canvas: tkinter.Canvas, at: Geometry, point: Point, colour: int) -> None:
    fill, shine = STONES[colour]
    _disc(canvas, at, point, 0.46, fill=fill, outline=EDGE[colour], tags=("stone",))
    x, y = at.centre(point)
    reach = at.step * 0.13
    spot = x - at.step * 0.15, y - at.step * 0.15
    canvas.create_oval(
        spot[0] - reach, spot[1] - reach, spot[0] + reach, spot[1] + reach, fill=shine, outline=""
    )


def _hint(canvas: tkinter.Canvas, at: Geometry, point: Point, label: str, *, first: bool) -> None:
    fill = HINT if first else "#f7ead0"
    _disc(canvas, at, point, 0.44, fill=fill, outline=HINT, tags=("hint",))
    canvas.create_text(
        *at.centre(point),
        text=label,
        font=("TkDefaultFont", max(6, int(at.step / 4)), "bold" if first else "normal"),
        fill="#ffffff" if first else HINT,
        tags=("hint",),
    )


def _disc(
    canvas: tkinter.Canvas,
    at: Geometry,
    point: Point,
    radius: float,
    *,
    fill: str,
    outline: str,
    tags: tuple[str, ...] = (),
) -> None:
    x, y = at.centre(point)
    reach = at.step * radius
    canvas.create_oval(
        x - reach, y - reach, x + reach, y + reach, fill=fill, outline=outline, tags=tags
    )
