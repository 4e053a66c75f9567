"""Fleets placed by hand: as text, as a `Fleet`, or as lists of cells, checked by the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trireme.battleship.board import Cell, cells_between
from trireme.battleship.fleets import Fleet, length
from trireme.battleship.rules import Battleship
from trireme.core.errors import BadSettings, IllegalAction
from trireme.core.game import CHANCE

from .checks import whole_number

Placement = Fleet | str | Sequence[Sequence[Cell]] | Mapping[str, Sequence[Cell]]
"""A fleet by hand: as a `Fleet`, as text such as `A1-A5 C3-F3`, or as a list of ships, each a list
of its cells (or of its two ends), cells being (row, col) from 0; or a dict from names to such
ships."""


def hand_placed(game: Battleship, given: Placement) -> Fleet:
    """The fleet that was given by hand, judged by the rules."""
    if isinstance(given, Fleet):
        fleet = given
    elif isinstance(given, str):
        read = game.read(given)
        if not isinstance(read, Fleet):
            raise BadSettings(f"expected a fleet such as 'A1-A5 C3-F3', not {given!r}")
        fleet = read
    elif isinstance(given, Mapping):
        fleet = _named_ships(game, given)
    else:
        fleet = Fleet(tuple(_ends(ship) for ship in _listed(given, given)))
    try:
        game.check(game.start(), CHANCE, fleet)
    except IllegalAction as error:
        raise BadSettings(f"ship_placement: {error}") from None
    return fleet


def _named_ships(game: Battleship, given: Mapping[str, Any]) -> Fleet:
    """A fleet by ship names; names that the rules do not know are the user's own labels."""
    sizes = dict(zip(game.boards[0].names, game.boards[0].sizes, strict=True))
    order = {name: number for number, name in enumerate(sizes)}
    ships = []
    for name in sorted(given, key=lambda name: order.get(name, len(order))):
        ends = _ends(given[name])
        if name in sizes and length(ends) != sizes[name]:
            raise BadSettings(
                f"ship_placement: the {name} has {sizes[name]} cells, not {length(ends)}"
            )
        ships.append(ends)
    return Fleet(tuple(ships))


def _listed(given: Any, whole: object) -> list[Any]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise BadSettings(
            f"ship_placement must list ships, each as its (row, col) cells, not {whole!r}"
        )
    return list(given)


def _ends(ship: Any) -> tuple[Cell, Cell]:
    """The ends of a ship that is given by all of its cells, or by two."""
    cells: list[Cell] = []
    for cell in _listed(ship, ship):
        try:
            row, col = (whole_number(part, "a row or a column") for part in cell)
        except (TypeError, ValueError):
            raise BadSettings(f"ship_placement: expected a cell (row, col), not {cell!r}") from None
        cells.append((row, col))
    if not cells:
        raise BadSettings("ship_placement: a ship needs cells")
    first, last = min(cells), max(cells)
    straight = first[0] == last[0] or first[1] == last[1]
    if straight and len(cells) != 2 and sorted(cells) != list(cells_between((first, last))):
        raise BadSettings(f"ship_placement: the cells {cells} are no ship without gaps")
    if not straight and len(cells) != 2:
        raise BadSettings(f"ship_placement: the cells {cells} do not lie in one line")
    return first, last
