"""Fleets: random placement, legality checks, and all legal fleets of a board as actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from numpy.random import Generator

from trireme.core.errors import IllegalAction

from .board import Board, Cell, Ends, ShipPlacement, cells_between, write_cell

DRAWS = 10_000
"""Failed draws in a row after which a crowded board gets the layout of the exact search."""
SEARCH_NODES = 200_000
"""Nodes of the exact search after which a fleet counts as too large for its board."""


@dataclass(frozen=True)
class Fleet:
    """Where the ships lie, largest first, and the mines; written `A1-A5 C3-F3 *J10`."""

    ships: tuple[Ends, ...]
    mines: tuple[Cell, ...] = ()

    def __post_init__(self) -> None:
        ships = [(min(ends), max(ends)) for ends in self.ships]
        ships.sort(key=lambda ends: -length(ends))
        object.__setattr__(self, "ships", tuple(ships))
        object.__setattr__(self, "mines", tuple(sorted(self.mines)))


def length(ends: Ends) -> int:
    """How many cells lie between the ends of a straight ship, both counted."""
    (row, col), (last_row, last_col) = ends
    return max(abs(last_row - row), abs(last_col - col)) + 1


def write_ends(ends: Ends) -> str:
    return f"{write_cell(ends[0])}-{write_cell(ends[1])}"


@lru_cache(maxsize=4096)
def ship_at(fleet: Fleet) -> dict[Cell, int]:
    """Which ship lies in each cell that has one."""
    return {cell: i for i, ends in enumerate(fleet.ships) for cell in cells_between(ends)}


def check_fleet(board: Board, fleet: Fleet, mines: int) -> None:
    """Raise `IllegalAction`, naming the first fault, unless the fleet obeys the rules."""
    _check_ships(board, fleet)
    _check_apart(board, fleet)
    _check_mines(board, fleet, mines)


def _check_ships(board: Board, fleet: Fleet) -> None:
    for ends in fleet.ships:
        (row, col), (last_row, last_col) = ends
        if row != last_row and col != last_col:
            raise IllegalAction(
                f"the ship {write_ends(ends)} is not straight: its ends must share a row or column"
            )
    for ends in fleet.ships:
        if not (board.holds(ends[0]) and board.holds(ends[1])):
            raise IllegalAction(
                f"the ship {write_ends(ends)} leaves the board of {board.rows}×{board.cols}"
            )
    sizes = tuple(length(ends) for ends in fleet.ships)
    if sizes != board.sizes:
        wanted, came = (" ".join(map(str, s)) for s in (board.sizes, sizes))
        raise IllegalAction(f"expected ships of sizes {wanted}, not {came or 'none'}")


def _check_apart(board: Board, fleet: Fleet) -> None:
    placed = [(ends, _place_of(board, ends)) for ends in fleet.ships]
    for (one, p), (other, q) in combinations(placed, 2):
        if p.mask & q.mask:
            raise IllegalAction(f"the ships {write_ends(one)} and {write_ends(other)} overlap")
    for (one, p), (other, q) in combinations(placed, 2):
        if board.closed(p) & q.mask:
            raise IllegalAction(
                f"the ships {write_ends(one)} and {write_ends(other)} touch; "
                "leave a cell of water between them, diagonally too"
            )


def _check_mines(board: Board, fleet: Fleet, mines: int) -> None:
    if len(fleet.mines) != mines:
        raise IllegalAction(f"expected {mines} mines, not {len(fleet.mines)}")
    taken = set(ship_at(fleet))
    for cell in fleet.mines:
        if not board.holds(cell):
            raise IllegalAction(
                f"the mine {write_cell(cell)} leaves the board of {board.rows}×{board.cols}"
            )
        if cell in taken:
            raise IllegalAction(f"the mine {write_cell(cell)} lies on a ship or another mine")
        taken.add(cell)


def _place_of(board: Board, ends: Ends) -> ShipPlacement:
    return next(p for p in board.placements(length(ends)) if p.ends == ends)


@lru_cache(maxsize=256)
def first_layout(board: Board, nodes: int = SEARCH_NODES) -> tuple[ShipPlacement, ...] | None:
    """Some layout of the fleet, found by backtracking; None when `nodes` nodes show none."""
    rows, cols = board.rows, board.cols
    if sum(board.sizes) > rows * cols:
        return None
    if not board.touching and sum(2 * (s + 1) for s in board.sizes) > (rows + 1) * (cols + 1):
        return None  # each ship and its water to the right and below fill 2 × (size + 1) cells
    budget = [nodes]
    return _search(board, 0, 0, 0, budget)


def _search(
    board: Board, ship: int, start: int, closed: int, budget: list[int]
) -> tuple[ShipPlacement, ...] | None:
    if ship == len(board.sizes):
        return ()
    size = board.sizes[ship]
    options = board.placements(size)
    for index in range(start, len(options)):
        if options[index].mask & closed:
            continue
        if budget[0] == 0:
            return None
        budget[0] -= 1
        twin = board.sizes[ship + 1 : ship + 2] == (size,)
        rest = _search(
            board,
            ship + 1,
            index + 1 if twin else 0,
            closed | board.closed(options[index]),
            budget,
        )
        if rest is not None:
            return options[index], *rest
    return None


def draw_layout(board: Board, rng: Generator, *, uniform: bool) -> tuple[ShipPlacement, ...]:
    """A layout with the probabilities of the rules: sequential, or uniform over all fleets."""
    draw = _draw_uniform if uniform else _draw_sequential
    for _ in range(DRAWS):
        layout = draw(board, rng)
        if layout is not None:
            return layout
    found = first_layout(board)
    assert found is not None, "settings admit only fleets that fit"
    return found


def _draw_sequential(board: Board, rng: Generator) -> tuple[ShipPlacement, ...] | None:
    layout: list[ShipPlacement] = []
    closed = 0
    for size in board.sizes:
        free = [place for place in board.placements(size) if not place.mask & closed]
        if not free:
            return None
        place = _pick(free, rng)
        layout.append(place)
        closed |= board.closed(place)
    return tuple(layout)


def _pick(free: Sequence[ShipPlacement], rng: Generator) -> ShipPlacement:
    """One placement by its chance: equivalent to redrawing until the ship lies free."""
    left = rng.random() * sum(place.chance for place in free)
    for place in free:
        left -= place.chance
        if left < 0:
            return place
    return free[-1]


def _draw_uniform(board: Board, rng: Generator) -> tuple[ShipPlacement, ...] | None:
    layout: list[ShipPlacement] = []
    closed = 0
    for size in board.sizes:
        options = board.placements(size)
        place = options[int(rng.integers(len(options)))]
        if place.mask & closed:
            return None
        layout.append(place)
        closed |= board.closed(place)
    return tuple(layout)


def draw_fleet(board: Board, mines: int, rng: Generator, *, uniform: bool) -> Fleet:
    """Ships by the rules' draw, then mines uniformly over the water."""
    layout = draw_layout(board, rng, uniform=uniform)
    return Fleet(tuple(p.ends for p in layout), draw_mines(board, layout, 0, mines, rng))


def draw_mines(
    board: Board, layout: Sequence[ShipPlacement], known: int, mines: int, rng: Generator
) -> tuple[Cell, ...]:
    """Mines uniformly over the cells that have no ship and are not in the mask `known`."""
    if mines == 0:
        return ()
    taken = known
    for place in layout:
        taken |= place.mask
    water = [cell for cell in board.cells() if not board.bit(cell) & taken]
    return tuple(water[i] for i in rng.choice(len(water), mines, replace=False))


def all_layouts(board: Board) -> Iterator[tuple[ShipPlacement, ...]]:
    """Every layout, ships told apart by name, in a fixed order."""

    def lay(ship: int, closed: int) -> Iterator[tuple[ShipPlacement, ...]]:
        if ship == len(board.sizes):
            yield ()
            return
        for place in board.placements(board.sizes[ship]):
            if not place.mask & closed:
                for rest in lay(ship + 1, closed | board.closed(place)):
                    yield place, *rest

    return lay(0, 0)


@dataclass(frozen=True)
class LegalFleets:
    """All legal fleets of a board with its mines, as actions: far too many to list."""

    board: Board
    mines: int
    uniform: bool

    def __iter__(self) -> Iterator[Fleet]:
        for layout in all_layouts(self.board):
            ships = tuple(place.ends for place in layout)
            taken = sum(place.mask for place in layout)
            water = [c for c in self.board.cells() if not self.board.bit(c) & taken]
            for mines in combinations(water, self.mines):
                yield Fleet(ships, mines)

    def __contains__(self, action: object) -> bool:
        if not isinstance(action, Fleet):
            return False
        try:
            check_fleet(self.board, action, self.mines)
        except IllegalAction:
            return False
        return True

    def sample(self, rng: Generator) -> Fleet:
        """A fleet as chance draws it: sequential, or uniform where the settings say so."""
        return draw_fleet(self.board, self.mines, rng, uniform=self.uniform)
