"""The encoder of Battleship: views as feature planes, actions as indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trireme.battleship.belief.constraints import sunk_cells
from trireme.core.game import AnyGame, Seat

from .fleets import Fleet, ship_at
from .rules import Battleship, BattleshipView
from .shots import Salvo


@dataclass(frozen=True)
class BattleshipEncoder:
    """Views as planes over cells, shots as flat cells, seen by the seat that fires.

    Planes, `int8[4 + S (+ 2), rows, cols]` of 0 and 1: misses, hits, cells of sunk ships, unknown
    cells; for each of the S ships hunted, all 1 while it is afloat; in a duel also the own ships
    and the shots received. Where boards differ in size, planes have the larger sides, and cells
    off the board are 0 in every plane.

    An index is a cell of the board fired at, `row * cols + col`, `cols` being that of the planes.
    A turn is one index, or with salvos `picks(view)` of them. Fleets have no index: while they
    are placed the mask is all 0, and environments take `legal.sample`.
    """

    game: Battleship

    @property
    def sides(self) -> tuple[int, int]:
        """Rows and columns of the planes."""
        boards = self.game.boards
        return max(b.rows for b in boards), max(b.cols for b in boards)

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of `planes`."""
        ships = max(len(b.sizes) for b in self.game.boards)
        return (4 + ships + (2 if self.game.duel else 0), *self.sides)

    @property
    def num_actions(self) -> int:
        """How many indices there are, legal or not."""
        rows, cols = self.sides
        return rows * cols

    def planes(self, view: BattleshipView) -> NDArray[np.int8]:
        """`view` as planes, from the seat that it belongs to."""
        board, sea = self.game.target(view.seat), view.target
        planes = np.zeros(self.shape, np.int8)
        planes[3, : board.rows, : board.cols] = 1
        for shot in sea.shots:
            planes[1 if shot.result in ("hit", "sunk") else 0][shot.cell] = 1
            planes[3][shot.cell] = 0
        for cell in sunk_cells(board, sea.shots):
            planes[2][cell] = 1
        for ship, name in enumerate(board.names):
            planes[4 + ship, : board.rows, : board.cols] = name in sea.afloat
        if self.game.duel and view.seat is not None:
            own = view.seas[view.seat]
            for cell in ship_at(own.fleet) if own.fleet else ():
                planes[-2][cell] = 1
            for shot in own.shots:
                planes[-1][shot.cell] = 1
        return planes

    def picks(self, view: BattleshipView) -> int:
        """How many indices make up the viewer's next action."""
        return self.game.salvo_size(view)

    def index(self, action: Salvo | Fleet) -> int:
        """The number of a single shot, from 0."""
        if isinstance(action, Fleet) or len(action.cells) != 1:
            raise ValueError(f"expected a single shot, not {self.game.write(action)!r}")
        return self.indices(action)[0]

    def indices(self, action: Salvo) -> list[int]:
        """The numbers of all shots of a salvo."""
        return [row * self.sides[1] + col for row, col in action.cells]

    def action(self, index: int, *more: int) -> Salvo:
        """The shot with this number, or the salvo with these numbers."""
        for each in (index, *more):
            if not 0 <= each < self.num_actions:
                raise IndexError(f"expected an index from 0 to {self.num_actions - 1}, not {each}")
        return Salvo(tuple(divmod(int(each), self.sides[1]) for each in (index, *more)))

    def mask(self, view: BattleshipView) -> NDArray[np.bool_]:
        """Which indices may be fired at by the viewer: `bool[num_actions]`."""
        open_cells = np.zeros(self.sides, np.bool_)
        if view.stage == "firing":
            board = self.game.target(view.seat)
            open_cells[: board.rows, : board.cols] = True
            for shot in view.target.shots:
                open_cells[shot.cell] = False
        return open_cells.reshape(-1)

    def observe(
        self, view: BattleshipView, seat: Seat, chosen: Sequence[int] = ()
    ) -> NDArray[np.int8]:
        """The planes of the viewer; with salvos one more, the cells chosen for this one so far."""
        planes = self.planes(view)
        if not self.game.salvo:
            return planes
        marked = np.zeros((1, *self.sides), np.int8)
        marked.reshape(-1)[list(chosen)] = 1
        return np.concatenate([planes, marked])

    def choices(self, view: BattleshipView, seat: Seat) -> int:
        """How many numbers make up the viewer's next action; a fleet has none, hence 0."""
        return 0 if view.stage == "placing" else self.picks(view)

    def allowed(
        self, view: BattleshipView, seat: Seat, chosen: Sequence[int] = ()
    ) -> NDArray[np.int8]:
        """`int8[num_actions]`: the cells that may be chosen beside those chosen so far."""
        allowed = self.mask(view).astype(np.int8)
        allowed[list(chosen)] = 0
        return allowed

    def decide(self, view: BattleshipView, seat: Seat, chosen: Sequence[int]) -> Salvo:
        """The shot or salvo at the chosen cells."""
        return self.action(*chosen)


def encoder(game: AnyGame) -> BattleshipEncoder:
    """The encoder of a game of Battleship."""
    if not isinstance(game, Battleship):
        raise TypeError(f"expected a Battleship game, not {game!r}")
    return BattleshipEncoder(game)
