"""Actions as text: shots `B7`, salvos `B7+C4`, fleets with mines `A1-A5 C3-F3 *J10`."""

from __future__ import annotations

import re

from trireme.core.errors import BadText

from .board import Cell, Ends, read_cell, write_cell
from .fleets import Fleet, write_ends
from .shots import Salvo


def write_action(action: Salvo | Fleet) -> str:
    """The action as text that `read_action` gives back."""
    if isinstance(action, Salvo):
        return "+".join(map(write_cell, action.cells))
    return " ".join([*map(write_ends, action.ships), *("*" + write_cell(m) for m in action.mines)])


def read_action(text: str) -> Salvo | Fleet:
    """The shot, salvo or fleet that the text means; a `-` or `*` in it makes it a fleet."""
    if not text.strip():
        raise BadText("expected a shot such as B7, a salvo such as B7+C4 or a fleet such as A1-A5")
    if "-" in text or "*" in text:
        return _read_fleet(text)
    if "+" in text:
        return Salvo(tuple(map(read_cell, text.split("+"))))
    words = re.findall(r"[A-Za-z]\s*\d+", text)
    if len(words) > 1 and not re.sub(r"[A-Za-z]\s*\d+|[\s,;]", "", text):
        return Salvo(tuple(map(read_cell, words)))
    return Salvo((read_cell(text),))


def _read_fleet(text: str) -> Fleet:
    ships: list[Ends] = []
    mines: list[Cell] = []
    joined = re.sub(r"\s*-\s*", "-", re.sub(r"\*\s*", "*", text))
    joined = re.sub(r"([A-Za-z])\s+(\d)", r"\1\2", joined)
    for word in re.split(r"[\s,;]+", joined.strip()):
        if word.startswith("*"):
            mines.append(read_cell(word[1:]))
            continue
        first, dash, last = word.partition("-")
        if not dash:
            raise BadText(f"expected a ship such as A1-A5 or a mine such as *J10, not {word!r}")
        ships.append((read_cell(first), read_cell(last)))
    return Fleet(tuple(ships), tuple(mines))
