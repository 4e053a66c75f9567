"""The posterior over hidden fleets given all answers: exact, or estimated by importance sampling.

Where enumerating all fleets takes too long, the belief is estimated from random fleets instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.batch import WORDS, words
from trireme.battleship.board import Board, ShipPlacement
from trireme.battleship.fleets import Fleet, ship_at
from trireme.battleship.shots import Shot
from trireme.core.errors import IllegalAction

from .determinization import determinize_fleet
from .evidence_kernels import MOST_HITS, Evidence, PlacementTables, propagate, read_answers
from .exact_kernels import COUNT, LIST, SAMPLE, cell_marginals, enumerate_fleets
from .sampling_kernels import importance_sample

Floats = NDArray[np.float64]

LIMIT = 1_500_000
"""Steps of exact enumeration before it gives way to sampling: about a twentieth of a second."""
SAMPLES = 20_000
"""Random fleets drawn for an estimate."""
_PHANTOM = ShipPlacement(((0, 0), (0, 0)), 0, 0, 1.0)
"""Stands before a lone ship, because kernels enumerate one ship and count another."""


@lru_cache(maxsize=32)
def placement_tables(board: Board, uniform: bool = False) -> PlacementTables:
    """The board's placements and which of them are compatible; shared, so never written to."""
    by_size = sorted(set(board.sizes), reverse=True)
    shapes = [board.placements(size) for size in by_size]
    kinds = [by_size.index(size) for size in board.sizes]
    if len(kinds) == 1:
        shapes, kinds = [(_PHANTOM,), *shapes], [0, 1]
    most = max(map(len, shapes))
    width = max(3, -(-most // 64))
    masks = np.zeros((len(shapes), most, WORDS), np.uint64)
    closed = np.zeros_like(masks)
    across = np.zeros((len(shapes), width), np.uint64)
    chance = np.ones((len(shapes), 2))
    for k, options in enumerate(shapes):
        level = np.array([place.ends[0][0] == place.ends[1][0] for place in options])
        across[k] = _packed(level, width)
        for p, place in enumerate(options):
            masks[k, p], closed[k, p] = words(place.mask), words(board.closed(place))
        if not uniform:
            chance[k] = options[-1].chance, options[0].chance
    compatible = np.zeros((len(shapes), most, len(shapes), width), np.uint64)
    for k, options in enumerate(shapes):
        for p in range(len(options)):
            for other, others in enumerate(shapes):
                free = ~(masks[other, : len(others)] & closed[k, p]).any(axis=1)
                compatible[k, p, other] = _packed(free, width)
    return PlacementTables(
        kinds=np.array(kinds, np.uint64),
        masks=masks,
        closed=closed,
        counts=np.array([len(options) for options in shapes], np.uint64),
        compatible=compatible,
        across=across,
        chance=chance,
        weighted=not uniform,
    )


def _packed(flags: NDArray[np.bool_], width: int) -> NDArray[np.uint64]:
    padded = np.zeros(width * 64, np.bool_)
    padded[: len(flags)] = flags
    return np.packbits(padded, bitorder="little").view(np.uint64)


@dataclass(frozen=True)
class Belief:
    """The posterior over fleets (belief state): exact, or estimated from samples."""

    cells: Floats
    """float64[rows × cols]: the probability that a cell not yet shot at holds a ship."""
    fleets: float
    """How many fleets agree with the answers, equal ships not told apart; 0 in an estimate."""
    weight: float
    """The prior probability of drawing one of them; under a uniform prior, their number."""
    entropy: float | None
    """Entropy of the posterior over fleets, in bits, where it was asked for."""
    exact: bool


@dataclass(frozen=True)
class WeightedFleets:
    """Fleets that agree with the answers (particles), each with its posterior probability."""

    layouts: NDArray[np.int16]
    """int16[n, S]: indices into `Board.placements`."""
    weights: Floats
    """float64[n], summing to 1."""
    exact: bool
    """Whether these are all fleets there are."""


class FleetInference:
    """Bayesian inference of the hidden fleet of one board; not thread-safe (scratch arrays)."""

    def __init__(self, board: Board, *, uniform: bool = False) -> None:
        self.board = board
        self.tables = placement_tables(board, uniform)
        ships, most = len(self.tables.kinds), self.tables.masks.shape[1]
        width = self.tables.across.shape[1]
        self._phantoms = ships - len(board.sizes)
        self._evidence = Evidence(
            options=np.zeros((ships, width), np.uint64),
            covers=np.zeros((ships, most), np.int64),
            covering=np.zeros((ships, width), np.uint64),
            single=np.zeros((MOST_HITS, width), np.uint64),
            most_explained=np.zeros(ships + 2, np.int64),
            twin=np.zeros(ships, np.bool_),
            fixed=np.zeros(ships, np.bool_),
            fixed_at=np.zeros(ships, np.uint64),
            order=np.zeros(ships, np.uint64),
            open_hits=np.zeros(1, np.int64),
            walked=np.zeros(1, np.int64),
            contradiction=np.zeros(1, np.int64),
        )
        self._marginals = np.zeros((ships, most))
        self._totals = np.zeros(2)
        self._tally = np.zeros(3, np.int64)
        self._memo: tuple[tuple[Shot, ...], bool, Belief, int] | None = None

    def posterior(
        self,
        shots: Sequence[Shot],
        rng: Generator,
        *,
        entropy: bool = False,
        limit: int = LIMIT,
        samples: int = SAMPLES,
    ) -> Belief:
        """The posterior, exact where `limit` steps suffice, else from `samples` random fleets."""
        belief = self.exact_posterior(shots, entropy=entropy, limit=limit)
        return belief or self.sampled_posterior(shots, rng, samples)

    def exact_posterior(
        self, shots: Sequence[Shot], *, entropy: bool = False, limit: int = 2**62
    ) -> Belief | None:
        """The exact posterior, or None when it takes more than `limit` steps.

        Raises `IllegalAction` when no fleet agrees with the answers.
        """
        memo = self._memo
        if memo is not None and memo[:2] == (tuple(shots), entropy):
            return memo[2] if memo[3] <= limit else None
        if not self._read_answers(shots) or not self._enumerate(COUNT, limit, entropy=entropy):
            return None
        weight = float(self._totals[0])
        if weight <= 0:
            raise IllegalAction("no fleet agrees with these answers")
        bits = max(log2(weight) - float(self._totals[1]) / weight, 0.0) if entropy else None
        belief = Belief(self._cells(shots, weight), float(self._tally[1]), weight, bits, True)
        self._memo = tuple(shots), entropy, belief, self.steps
        return belief

    def sampled_posterior(self, shots: Sequence[Shot], rng: Generator, samples: int) -> Belief:
        """The posterior estimated by importance sampling of `samples` fleets."""
        state = np.uint64(rng.integers(2**63))
        none = np.zeros((0, len(self.tables.kinds)), np.int16), np.zeros(0)
        agreed = 0
        if self._read_answers(shots):
            agreed = importance_sample(
                self.tables, self._evidence, state, samples, self._marginals, self._totals, *none
            )
        if not agreed:
            return self._determinized(shots, rng)
        weight = float(self._totals[0])
        bits = log2(weight / samples) - float(self._totals[1]) / weight
        bits -= int(self._evidence.twin.sum())  # draws tell twins apart, which is one bit a pair
        return Belief(self._cells(shots, weight), 0.0, weight / samples, max(bits, 0.0), False)

    def fleets(
        self, shots: Sequence[Shot], belief: Belief, most: int, rng: Generator
    ) -> WeightedFleets:
        """All fleets that agree if they are at most `most`, else so many drawn by the posterior.

        `belief` is the posterior that this object gave after these shots.
        """
        out = np.zeros((most, len(self.tables.kinds)), np.int16)
        weights = np.zeros(most)
        if not belief.exact or not self._read_answers(shots):
            return self._weighted_samples(shots, rng, out, weights)
        if belief.fleets <= most:
            self._enumerate(LIST, 2**62, out=out, weights=weights)
            n = int(self._tally[2])
            return WeightedFleets(out[:n, self._phantoms :], weights[:n] / weights[:n].sum(), True)
        fractions = (np.arange(most) + rng.random(most)) / most * belief.weight * (1 - 1e-9)
        self._enumerate(SAMPLE, 2**62, fractions=fractions, out=out, weights=weights)
        return WeightedFleets(out[:, self._phantoms :], np.full(most, 1 / most), False)

    @property
    def steps(self) -> int:
        """How many steps the last enumeration of fleets took."""
        return int(self._tally[0])

    def _read_answers(self, shots: Sequence[Shot]) -> bool:
        """Read the answers; False when there are more hits than kernels can hold."""
        board = self.board
        hits, water = 0, 0
        sunk_at = np.full(len(self.tables.kinds), -1, np.int64)
        hits_then = np.zeros((len(self.tables.kinds), WORDS), np.uint64)
        for shot in shots:
            bit = board.bit(shot.cell)
            if shot.result in ("hit", "sunk"):
                hits |= bit
                if shot.ship:
                    ship = board.names.index(shot.ship) + self._phantoms
                    sunk_at[ship] = shot.cell[0] * board.cols + shot.cell[1]
                    hits_then[ship] = words(hits)
            else:
                water |= bit
        missed, struck = (np.array(words(mask), np.uint64) for mask in (water, hits))
        if not read_answers(self.tables, missed, struck, sunk_at, hits_then, self._evidence):
            return False
        propagate(self.tables, self._evidence)
        return True

    def _enumerate(
        self,
        mode: int,
        limit: int,
        *,
        entropy: bool = False,
        fractions: Floats | None = None,
        out: NDArray[np.int16] | None = None,
        weights: Floats | None = None,
    ) -> bool:
        """Run the kernel; True when it reached the end."""
        empty = np.zeros(0)
        done = enumerate_fleets(
            self.tables,
            self._evidence,
            mode,
            entropy,
            limit,
            empty if fractions is None else fractions,
            self._marginals,
            self._totals,
            self._tally,
            np.zeros((0, len(self.tables.kinds)), np.int16) if out is None else out,
            empty if weights is None else weights,
        )
        return bool(done)

    def _cells(self, shots: Sequence[Shot], weight: float) -> Floats:
        for ship in np.flatnonzero(self._evidence.fixed):
            self._marginals[ship, self._evidence.fixed_at[ship]] = weight
        cells = np.zeros(self.board.rows * self.board.cols)
        cell_marginals(self.tables, self._marginals, weight, cells)
        for shot in shots:
            cells[shot.cell[0] * self.board.cols + shot.cell[1]] = 0.0
        return np.clip(cells, 0.0, 1.0)

    def _weighted_samples(
        self, shots: Sequence[Shot], rng: Generator, out: NDArray[np.int16], weights: Floats
    ) -> WeightedFleets:
        state = np.uint64(rng.integers(2**63))
        tries = 2 * len(out)
        agreed = 0
        if self._read_answers(shots):
            agreed = min(
                len(out),
                importance_sample(
                    self.tables,
                    self._evidence,
                    state,
                    tries,
                    self._marginals,
                    self._totals,
                    out,
                    weights,
                ),
            )
        if agreed:
            return WeightedFleets(
                out[:agreed, self._phantoms :], weights[:agreed] / weights[:agreed].sum(), False
            )
        guessed = [self._layout(determinize_fleet(self.board, shots, 0, rng)) for _ in range(50)]
        return WeightedFleets(
            np.array(guessed, np.int16), np.full(len(guessed), 1 / len(guessed)), False
        )

    def _layout(self, fleet: Fleet) -> list[int]:
        board = self.board
        pairs = zip(board.sizes, fleet.ships, strict=True)
        return [[p.ends for p in board.placements(size)].index(ends) for size, ends in pairs]

    def _determinized(self, shots: Sequence[Shot], rng: Generator) -> Belief:
        """Where no random fleet agrees with the answers: the mean of a few determinizations."""
        board = self.board
        fired = {shot.cell for shot in shots}
        cells = np.zeros(board.rows * board.cols)
        for _ in range(50):
            fleet = determinize_fleet(board, shots, 0, rng)
            for row, col in ship_at(fleet):
                cells[row * board.cols + col] += (row, col) not in fired
        return Belief(cells / 50, 0.0, 0.0, None, False)
