"""Battleship as HTML: boards, heatmaps of belief, and a replay that is one self-contained file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trireme.battleship.board import Board, Cell, write_cell
from trireme.battleship.fleets import ship_at
from trireme.battleship.rules import Battleship, BattleshipView, Sea

from .draw import HIT, MINE, MISS, SHIP, STRUCK, SUNK, UNKNOWN, answer, marks

Floats = NDArray[np.float64]

COLOURS = {
    UNKNOWN: "#3498db",
    MISS: "#95a5a6",
    HIT: "#e74c3c",
    SUNK: "#2c3e50",
    SHIP: "#16a085",
    MINE: "#f39c12",
    STRUCK: "#d35400",
}
WORDS = {
    UNKNOWN: "unknown",
    MISS: "miss",
    HIT: "hit",
    SUNK: "sunk",
    SHIP: "ship",
    MINE: "mine",
    STRUCK: "mine struck",
}
GRADIENT = ((52, 152, 219), (46, 204, 113), (241, 196, 15), (231, 76, 60))
"""Blue, green, yellow, red: from the least to the most likely."""
_CELL = (
    "width:28px;height:28px;text-align:center;border:1px solid #fff;color:#fff;"
    "font:13px system-ui,sans-serif"
)
_HEAD = "width:28px;text-align:center;color:#7f8c8d;font:12px system-ui,sans-serif;border:0"


@dataclass(frozen=True)
class Picture:
    """HTML that a notebook shows by itself."""

    html: str
    whole: bool = False
    """Whether it is a page of its own, with scripts, rather than a part of one."""

    def _repr_html_(self) -> str:
        if not self.whole:
            return self.html
        style = "width:100%;height:760px;border:0"
        return f'<iframe srcdoc="{escape(self.html)}" style="{style}"></iframe>'

    def save(self, path: Path | str) -> Path:
        """Write it as a page of its own."""
        head = "<!doctype html><meta charset='utf-8'><title>Battleship</title>"
        page = f"{head}<body style='background:#fff'>{self.html}</body>"
        Path(path).write_text(self.html if self.whole else page, encoding="utf-8")
        return Path(path)


def show(game: Battleship, view: BattleshipView) -> Picture:
    """All boards of a view, with a legend and the state of every ship."""
    owners = list(range(len(view.seas)))
    if view.seat == 0:
        owners.reverse()
    blocks = [_sea(game.boards[o], view.seas[o], _title(game, view, o)) for o in owners]
    return Picture(_frame(_side_by_side(blocks) + _legend(game, view)))


def board_html(game: Battleship, view: BattleshipView) -> str:
    """The boards of a view, as notebooks show them."""
    return show(game, view).html


def heatmap(
    game: Battleship,
    view: BattleshipView,
    chances: Floats,
    shot: Cell | None = None,
    title: str = "",
) -> Picture:
    """The board fired at beside the probability of a ship in every cell, `float64[rows × cols]`.

    The next shot, if given, is outlined.
    """
    board = game.target(view.seat)
    grid = np.asarray(chances, np.float64).reshape(board.rows, board.cols)
    fired = {s.cell for s in view.target.shots}
    most = max((grid[c] for c in board.cells() if c not in fired), default=0.0) or 1.0
    shades = {c: shade(grid[c] / most) for c in board.cells() if c not in fired}
    labels = {c: f"{100 * grid[c]:.0f}" for c in shades}
    known = marks(board, view.target)
    for cell in fired:
        shades[cell], labels[cell] = COLOURS[known[cell]], ""
    heat = f"<div style='{_CAPTION}'>{escape(title or 'Probability of a ship, %')}</div>"
    heat += _table(board, shades, labels, outline=shot)
    left = _sea(board, view.target, "Attack board", outline=shot)
    bar = ",".join(f"rgb{colour}" for colour in GRADIENT)
    scale = (
        f"<div style='{_CAPTION};display:flex;align-items:center;gap:8px'>0 %"
        f"<span style='width:160px;height:10px;background:linear-gradient(90deg,{bar})'></span>"
        f"{100 * most:.0f} %</div>"
    )
    return Picture(_frame(_side_by_side([left, heat + scale]) + _legend(game, view)))


@dataclass(frozen=True)
class Step:
    """One moment of a replay."""

    view: BattleshipView
    chances: Floats | None = None
    """float64[rows × cols]: the probability of a ship in each cell, where it is known."""
    shot: Cell | None = None
    """The shot that follows."""
    entropy: float | None = None
    """Bits that are not known about the fleet."""


def replay(game: Battleship, steps: Sequence[Step], title: str = "Battleship") -> Picture:
    """A solo game as one self-contained page: step, play, speed, jump, by mouse and keyboard."""
    board = game.boards[0]
    frames = [_frame_data(board, step) for step in steps]
    last = steps[-1].view.target
    data = {
        "rows": board.rows,
        "cols": board.cols,
        "title": title,
        "ships": [{"name": n, "size": s} for n, s in zip(board.names, board.sizes, strict=True)],
        "fleet": [r * board.cols + c for r, c in ship_at(last.fleet)] if last.fleet else [],
        "frames": frames,
    }
    page = files(__package__).joinpath("replay.html").read_text(encoding="utf-8")
    payload = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    page = page.replace("<!--TITLE-->", escape(title)).replace("/*DATA*/null", payload)
    return Picture(page, whole=True)


def _frame_data(board: Board, step: Step) -> dict[str, object]:
    sea = step.view.target
    shown = marks(board, Sea(None, sea.shots, sea.afloat))
    names = {UNKNOWN: "u", MISS: "m", STRUCK: "m", HIT: "h", SUNK: "s"}
    chances = None
    if step.chances is not None:
        chances = [round(float(p), 4) for p in step.chances]
    return {
        "marks": "".join(names[shown[cell]] for cell in board.cells()),
        "chances": chances,
        "shot": None if step.shot is None else step.shot[0] * board.cols + step.shot[1],
        "said": answer(sea.shots[-1]) if sea.shots else "",
        "afloat": list(sea.afloat),
        "entropy": None if step.entropy is None else round(step.entropy, 2),
    }


def shade(heat: float) -> str:
    """The colour of a heat from 0 to 1 on the gradient."""
    place = min(max(heat, 0.0), 1.0) * (len(GRADIENT) - 1)
    low = min(int(place), len(GRADIENT) - 2)
    part = place - low
    mixed = (
        round(a + (b - a) * part) for a, b in zip(GRADIENT[low], GRADIENT[low + 1], strict=True)
    )
    return "#" + "".join(f"{value:02x}" for value in mixed)


_CAPTION = "font:600 13px system-ui,sans-serif;color:#2c3e50;margin:6px 0"


def _sea(board: Board, sea: Sea, title: str, outline: Cell | None = None) -> str:
    known = marks(board, sea)
    colours = {cell: COLOURS[mark] for cell, mark in known.items()}
    labels = {cell: "" if mark == UNKNOWN else mark for cell, mark in known.items()}
    ships = "".join(
        _ship(name, size, name in sea.afloat)
        for name, size in zip(board.names, board.sizes, strict=True)
    )
    said = answer(sea.shots[-1]) if sea.shots else "no shot yet"
    return (
        f"<div style='{_CAPTION}'>{escape(title)}</div>"
        + _table(board, colours, labels, outline)
        + f"<div style='margin-top:8px'>{ships}</div>"
        + f"<div style='{_CAPTION};font-weight:400'>{escape(said)}</div>"
    )


def _ship(name: str, size: int, afloat: bool) -> str:
    colour = COLOURS[UNKNOWN] if afloat else COLOURS[SUNK]
    box = f"display:inline-block;width:10px;height:10px;margin-right:2px;background:{colour}"
    boxes = f"<span style='{box}'></span>"
    word = "afloat" if afloat else "sunk"
    style = "font:12px system-ui,sans-serif;color:#2c3e50;display:flex;align-items:center"
    return (
        f"<div style='{style}'><span style='width:72px'>{boxes * size}</span>"
        f"{escape(name)}, {word}</div>"
    )


def _table(
    board: Board, colours: dict[Cell, str], labels: dict[Cell, str], outline: Cell | None = None
) -> str:
    head = "".join(f"<th style='{_HEAD}'>{col + 1}</th>" for col in range(board.cols))
    rows = [f"<tr><th style='{_HEAD}'></th>{head}</tr>"]
    for row in range(board.rows):
        cells = [f"<th style='{_HEAD}'>{chr(ord('A') + row)}</th>"]
        for col in range(board.cols):
            ring = "outline:3px solid #000;outline-offset:-3px;" if (row, col) == outline else ""
            cells.append(
                f"<td title='{write_cell((row, col))}' style='{_CELL};{ring}"
                f"background:{colours[row, col]}'>{labels[row, col]}</td>"
            )
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table style='border-collapse:collapse;background:#fff'>{''.join(rows)}</table>"


def _legend(game: Battleship, view: BattleshipView) -> str:
    kinds = [UNKNOWN, MISS, HIT, SUNK]
    if any(sea.fleet is not None for sea in view.seas):
        kinds.append(SHIP)
    if game.mines:
        kinds += [MINE, STRUCK]
    items = "".join(
        "<span style='display:inline-flex;align-items:center;margin-right:14px'>"
        f"<span style='width:14px;height:14px;margin-right:5px;background:{COLOURS[k]}'></span>"
        f"{WORDS[k]}</span>"
        for k in kinds
    )
    return (
        f"<div style='font:12px system-ui,sans-serif;color:#2c3e50;margin-top:10px'>{items}</div>"
    )


def _side_by_side(blocks: Sequence[str]) -> str:
    inner = "".join(f"<div>{block}</div>" for block in blocks)
    return f"<div style='display:flex;flex-wrap:wrap;gap:32px'>{inner}</div>"


def _frame(inner: str) -> str:
    return f"<div style='background:#fff;padding:12px;display:inline-block'>{inner}</div>"


def _title(game: Battleship, view: BattleshipView, owner: int) -> str:
    shots = len(view.seas[owner].shots)
    fired = f"{shots} shot{'' if shots == 1 else 's'}"
    if not game.duel:
        return f"The hidden fleet: {fired}"
    return f"Your fleet: {fired} received" if owner == view.seat else f"Seat {owner}: {fired}"
