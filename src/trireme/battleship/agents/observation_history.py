"""The history of a game (its answered shots), reconstructed from Gymnasium observations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.belief.constraints import explains
from trireme.battleship.belief.determinization import determinize_fleet
from trireme.battleship.board import Board, Cell, standard_sizes
from trireme.battleship.fleets import Fleet
from trireme.battleship.kernels import CHOSEN_CELL
from trireme.battleship.rules import Battleship, BattleshipView, Sea
from trireme.battleship.shots import Salvo, Shot
from trireme.core.errors import BadSettings, IllegalAction
from trireme.core.game import Listed, Turn


class ObservationHistory:
    """The answered shots of one episode after another.

    Observations show hits and the sizes afloat, but not which hits belong to a ship that sank.
    The differences between successive observations do: the size that vanished from the multiset
    of sizes afloat is that of a ship on the newest hit. Which of several ships of that size it
    was makes no difference, so the first one afloat is named.

    An episode begins with the first observation, and with every one that can't follow the last. It
    is read by the rules of `game`; where board or fleet are others, those of the observation hold.
    Cells that are chosen for a salvo, but not yet fired at, are `chosen`.
    Without a game, ships may touch as soon as the hits show that they do.
    """

    def __init__(self, game: Battleship | None, rng: Generator) -> None:
        self.rng = rng
        self.given = game
        self.chosen: frozenset[Cell] = frozenset()
        self._rules: Battleship | None = None
        self._board: NDArray[np.int64] = np.zeros((0, 0), np.int64)
        self._sizes: Counter[int] = Counter()
        self._shots: tuple[Shot, ...] = ()
        self._witness: Fleet | None = None

    @property
    def game(self) -> Battleship:
        """The rules of the episode, with one seat."""
        if self._rules is None:
            raise BadSettings("no observation has been seen yet")
        return self._rules

    def update(self, observation: Mapping[str, Any]) -> tuple[Shot, ...]:
        """Add the next observation; returns all answered shots so far."""
        if not isinstance(observation, Mapping):
            raise BadSettings('agents read the dictionary of observation="board", and no planes')
        board = self._grid(np.asarray(observation["attack_board"], np.int64))
        marked = board == CHOSEN_CELL
        self.chosen = frozenset((int(row), int(col)) for row, col in np.argwhere(marked))
        board = np.where(marked, 0, board)
        sizes = Counter(int(size) for size in observation["remaining_ships"] if size)
        if not self._follows(board, sizes):
            self._rules = self._episode_rules(board, sizes)
            self._board = np.zeros_like(board)
            self._sizes = Counter(self._rules.boards[0].sizes)
            self._shots = ()
            self._witness = None
        self._record(board, sizes)
        return self._shots

    def turn(self) -> Turn[Any, BattleshipView]:
        """The decision that follows the last observation, as a match would put it."""
        board = self.game.boards[0]
        sunk = {shot.ship for shot in self._shots}
        afloat = tuple(name for name in board.names if name not in sunk)
        view = BattleshipView(0, "firing", (Sea(None, self._shots, afloat),), 0, (0, 0))
        fired = self.chosen.union(shot.cell for shot in self._shots)
        legal = Listed(Salvo((cell,)) for cell in board.cells() if cell not in fired)
        return Turn(self.game, 0, view, legal, self.rng)

    def _grid(self, board: NDArray[np.int64]) -> NDArray[np.int64]:
        """The board as int64[rows, cols]: flat ones by the sides of the game, else as a square."""
        if board.ndim == 2:
            return board
        for game in (self.given, self._rules):
            if game is not None and game.boards[0].rows * game.boards[0].cols == board.size:
                return board.reshape(game.boards[0].rows, game.boards[0].cols)
        side = math.isqrt(board.size)
        if side * side != board.size:
            raise BadSettings(
                f"a flat board of {board.size} cells does not tell its rows and columns: call "
                "prepare(env.unwrapped.game) first"
            )
        return board.reshape(side, side)

    def _follows(self, board: NDArray[np.int64], sizes: Counter[int]) -> bool:
        """Whether more shots of the same episode lead to this observation."""
        if self._rules is None or board.shape != self._board.shape or not sizes <= self._sizes:
            return False
        seen = self._board != 0
        sunk = (self._sizes - sizes).total()
        fresh_hits = int(((board == 2) & ~seen).sum())
        return bool((board[seen] == self._board[seen]).all()) and sunk <= fresh_hits

    def _episode_rules(self, board: NDArray[np.int64], sizes: Counter[int]) -> Battleship:
        """The rules of an episode that begins with this observation."""
        rows, cols = board.shape
        given = self.given
        for fleet in (
            *(known.sizes for known in (given.boards if given else ())),
            standard_sizes(rows, cols),
        ):
            if sizes == Counter(fleet) or (board.any() and sizes <= Counter(fleet)):
                break
        else:
            fleet = tuple(sizes.elements())
        return Battleship(
            rows,
            cols,
            fleet=tuple(sorted(fleet, reverse=True)),
            touching=given is not None and given.touching,
            placement="uniform" if given and given.placement == "uniform" else "sequential",
        )

    def _record(self, board: NDArray[np.int64], sizes: Counter[int]) -> None:
        target = self.game.boards[0]
        fresh = [(int(r), int(c)) for r, c in np.argwhere(board != self._board)]
        misses = [Shot(cell, "miss") for cell in fresh if board[cell] == 1]
        hits = [cell for cell in fresh if board[cell] == 2]
        known = {(int(r), int(c)) for r, c in np.argwhere(board == 2)}
        names = {shot.ship for shot in self._shots}
        last: list[Shot] = []
        for size in (self._sizes - sizes).elements():
            if not hits:
                raise BadSettings(f"a ship of {size} has sunk, but no hit on it was seen")
            name = next(
                name
                for name, own in zip(target.names, target.sizes, strict=True)
                if own == size and name not in names
            )
            cell = _last_hit(target, size, hits, known)
            hits.remove(cell)
            names.add(name)
            last.append(Shot(cell, "sunk", name))
        self._shots += (*misses, *(Shot(cell, "hit") for cell in hits), *last)
        self._board, self._sizes = board.copy(), sizes
        if self.given is None and fresh and known:
            self._infer_touching()

    def _infer_touching(self) -> None:
        """Let ships touch where no fleet with water around its ships explains the answers.

        The fleet that was found last proves that there is one until a shot contradicts it: most
        shots need no search.
        """
        game = self.game
        board = game.boards[0]
        if game.touching or (self._witness and explains(board, self._witness, self._shots)):
            return
        try:
            self._witness = determinize_fleet(board, self._shots, 0, np.random.default_rng(0))
        except IllegalAction:
            self._rules = replace(game, touching=True)


def _last_hit(board: Board, size: int, fresh: Iterable[Cell], hits: set[Cell]) -> Cell:
    """The newest hit on which a ship of this size can have gone down."""
    bits = sum(map(board.bit, hits))
    newest = list(fresh)
    for cell in newest:
        for place in board.placements(size):
            if place.mask & board.bit(cell) and not place.mask & ~bits:
                return cell
    return newest[-1]
