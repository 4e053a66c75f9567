"""Batches of solo boards stepped together, and the arrays that their kernels take."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from . import kernels
from .board import Board, cells_between
from .fleets import Fleet, first_layout
from .kernels import Seas, Ships
from .rules import Battleship

WORDS = 3
"""Words of 64 bits that hold the cells of the largest board."""
MAX_TRIES = 10_000
"""Failed draws of one ship that count as a dead end; a free placement is missed once in 10^16."""


def words(mask: int) -> list[int]:
    """A mask of cells cut into words, the lowest first."""
    return [mask >> 64 * w & (1 << 64) - 1 for w in range(WORDS)]


@lru_cache(maxsize=32)
def ships_of(board: Board, uniform: bool = False) -> Ships:
    """The board's ships and all their placements as arrays; shared, so never written to.

    `uniform`: every fleet equally likely, so that a single overlap means a new fleet.
    """
    by_size = sorted(set(board.sizes), reverse=True)
    most = max(len(board.placements(size)) for size in by_size)
    masks = np.zeros((len(by_size), most, WORDS), np.uint64)
    closed = np.zeros_like(masks)
    cells = np.zeros((len(by_size), most, max(by_size)), np.uint8)
    for kind, size in enumerate(by_size):
        for p, place in enumerate(board.placements(size)):
            masks[kind, p] = words(place.mask)
            closed[kind, p] = words(board.closed(place))
            cells[kind, p, :size] = [r * board.cols + c for r, c in cells_between(place.ends)]
    found = first_layout(board)
    assert found is not None, "settings admit only fleets that fit"
    fallback = [board.placements(s).index(p) for s, p in zip(board.sizes, found, strict=True)]
    drawn = [_orientations(board, size, uniform) for size in board.sizes]
    return Ships(
        kinds=np.array([by_size.index(size) for size in board.sizes], np.uint64),
        sizes=np.array(board.sizes, np.uint64),
        spans=np.array([spans for spans, _ in drawn], np.uint64),
        starts=np.array([starts for _, starts in drawn], np.uint64),
        max_tries=1 if uniform else MAX_TRIES,
        masks=masks,
        closed=closed,
        cells=cells,
        fallback=np.array(fallback, np.int16),
    )


def _orientations(
    board: Board, size: int, uniform: bool
) -> tuple[tuple[int, int], tuple[int, int]]:
    """For each orientation how many placements are drawn from, and the first of them."""
    total = len(board.placements(size))
    down = sum(p.ends[0][0] != p.ends[1][0] for p in board.placements(size))
    across = total - down
    if uniform or not across or not down:
        return (total, total), (0, 0)
    return (across, down), (0, across)


def seeds(seed: int, num: int, stream: int = 0) -> NDArray[np.uint64]:
    """Random states for kernels: one a board, spread by numpy's seeding."""
    sequence = SeedSequence(seed, spawn_key=(stream,))
    return np.asarray(sequence.generate_state(num, np.uint64), np.uint64)


def layouts(game: Battleship, num: int, seed: int) -> NDArray[np.int16]:
    """`num` fleets drawn by the rules: indices int16[num, S] into `Board.placements`."""
    ships = ships_of(game.boards[0], game.placement == "uniform")
    out = np.empty((num, len(ships.kinds)), np.int16)
    kernels.place_batch(seeds(seed, num), ships, out)
    return out


def fleet_of(board: Board, layout: NDArray[np.int16]) -> Fleet:
    """A layout int16[S] as the action that places it."""
    pairs = zip(board.sizes, layout, strict=True)
    return Fleet(tuple(board.placements(size)[int(p)].ends for size, p in pairs))


class BattleshipBatch:
    """`num` solo boards stepped by kernels; `seas` are its arrays, which change with every call."""

    def __init__(self, game: Battleship, num: int, seed: int) -> None:
        board = game.boards[0]
        cells, ships = board.rows * board.cols, len(board.sizes)
        self.game, self.num = game, num
        self.ships = ships_of(board, game.placement == "uniform")
        self.states = seeds(seed, num)
        self.seas = Seas(
            owner=np.empty((num, cells), np.int8),
            board=np.empty((num, cells), np.int8),
            left=np.empty((num, ships), np.int8),
            afloat=np.empty((num, ships), np.int8),
            togo=np.empty(num, np.int16),
            moves=np.empty(num, np.int32),
            outcome=np.zeros(num, np.int8),
            sunk=np.empty(num, np.int8),
        )
        self.reset()

    def reset(self, which: NDArray[np.bool_] | None = None) -> None:
        """New fleets, on all boards or where `which` bool[num] is set."""
        if which is None:
            which = np.ones(self.num, np.bool_)
        kernels.reset_batch(which, self.states, self.game.mines, self.ships, self.seas)

    def step(self, actions: NDArray[np.int64], *, autoreset: bool = True) -> None:
        """One shot on every board; `seas.outcome` and `seas.sunk` say what it came to.

        With `autoreset` a board that was won holds its next game afterwards.
        """
        if autoreset:
            kernels.step_reset_batch(actions, self.states, self.game.mines, self.ships, self.seas)
        else:
            kernels.step_batch(actions, self.seas)

    def random_play(self, steps: int, seed: int) -> int:
        """Fire at random legal cells for `steps` rounds from fresh boards; returns games won."""
        self.reset()
        cells = self.seas.board.shape[1]
        won = kernels.random_play(
            steps,
            seeds(seed, self.num, stream=1),
            np.tile(np.arange(cells, dtype=np.uint8), (self.num, 1)),
            np.zeros(self.num, np.uint8),
            np.zeros(self.num, np.int64),
            self.states,
            self.game.mines,
            self.ships,
            self.seas,
        )
        return int(won)
