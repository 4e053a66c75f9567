"""Fit the engine's static evaluation and move ordering to games.

The value of a position is a logistic regression (Texel tuning): the log-odds of winning are a sum
over empty points of a weight for the grades of the shapes that either side would make there, and a
weight for the threats of both sides. The ordering is a multinomial logit (softmax) model of which
of the candidates was played. A weight of four grades is itself a sum, of a part for each grade, one
for the two strongest and one for all four, with an L2 penalty: sets that hardly occur get the value
of their parts. Only *quiet* positions count, those in which the engine asks for the evaluation: no
five at hand for either side and no open four for the side to move.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trireme.core.errors import TriremeError
from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.alphabeta_kernels import threat_index
from trireme.gomoku.engine.board_kernels import clear_board, make_move
from trireme.gomoku.engine.evaluation_weights import EvaluationWeights, rising_sets
from trireme.gomoku.engine.patterns import pattern_tables

from .evaluation_fit_kernels import NEAR, count_sets, list_candidates
from .gomoku_games import GameShard

POINTS_PER_LOGIT = 400
"""Pattern points for one unit of log-odds."""
STEPS_PER_LOGIT = 32
"""Steps of an ordering score for one unit of log-odds."""
MOST_POINTS, MOST_STEPS = 20_000, 1023
"""The largest value of a point or threat, and the largest ordering score."""
MOVER_THREATS, WAITER_THREATS = 36, 72
"""What the threats of one side may be; an index of both is mover * 72 + waiter."""
NEAR_CLASSES = (NEAR + 1) * (NEAR + 2) // 2
HELD_OUT = 10
"""Every so many games, one is not learnt from."""
AT_ONCE = 20_000
"""Positions whose gradient is computed together."""
TOP = (1, 3, 5, 10, 20)

Array = NDArray[Any]


class FitPositions(NamedTuple):
    """The quiet positions of games; those of P positions lie in one array, cut at `*_ends`."""

    results: Array
    """float64[P]: 1 the side to move won, 0.5 a draw, 0 it lost."""
    held_out: Array
    """bool[P]."""
    threats: Array
    """int16[P]: index into `EvaluationWeights.threats`."""
    sets: Array
    """int16[V]: sets of grades that occur, the waiting side's behind all of the mover's."""
    times: Array
    """int16[V]: at how many points they do."""
    set_ends: Array
    """int64[P]."""
    candidates: Array
    """int16[C, 4]: own set, the other's set, distance classes to the last two stones."""
    candidate_ends: Array
    """int64[P]."""
    chosen: Array
    """int64[P]: index into `candidates` of the move that was played; -1 where it is not there."""

    def part(self, index: Array) -> FitPositions:
        """Some positions, `index: int64[N]` rising."""
        sets, set_ends = _ragged(self.set_ends, index)
        moves, candidate_ends = _ragged(self.candidate_ends, index)
        starts = _starts(self.candidate_ends)[index]
        inside = self.chosen[index] - starts + _starts(candidate_ends)
        return FitPositions(
            self.results[index],
            self.held_out[index],
            self.threats[index],
            self.sets[sets],
            self.times[sets],
            set_ends,
            self.candidates[moves],
            candidate_ends,
            np.where(self.chosen[index] < 0, -1, inside),
        )

    def parts(self, held_out: bool, *, ordered: bool = False) -> Iterator[FitPositions]:
        """The positions of one side of the split, in parts; `ordered`: with a known candidate."""
        wanted = self.held_out == held_out
        if ordered:
            wanted &= self.chosen >= 0
        index = np.flatnonzero(wanted)
        for start in range(0, len(index), AT_ONCE):
            yield self.part(index[start : start + AT_ONCE])


def _starts(ends: Array) -> Array:
    return np.concatenate([[0], ends[:-1]]).astype(np.int64)


def _ragged(ends: Array, index: Array) -> tuple[Array, Array]:
    """Which entries belong to the positions `index`, and where each of these ends among them."""
    starts = _starts(ends)[index]
    lengths = ends[index] - starts
    new_ends = np.cumsum(lengths)
    return np.arange(lengths.sum()) + np.repeat(starts - _starts(new_ends), lengths), new_ends


def _owners(ends: Array) -> Array:
    """int64: for each entry, the position that it belongs to."""
    return np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))


@cache
def set_numbers() -> NDArray[np.int32]:
    """int32[2**16]: the number of a set of four grades among `rising_sets`, in any order."""
    every = np.arange(mem.SHAPE_SETS)
    digits = np.sort([every >> (4 * d) & 15 for d in range(4)], axis=0)
    rising = sum(digits[d] << (4 * d) for d in range(4))
    return np.asarray(np.searchsorted(rising_sets(), rising), np.int32)


class _Reader:
    """Reads positions off the engine's own board, so that shapes have one definition."""

    def __init__(self, size: int, exact: bool) -> None:
        self.size, area = size, size * size
        self.board = mem.new_board(*pattern_tables(exact))
        self.numbers, self.counts = set_numbers(), np.zeros(2 * len(rising_sets()), np.int32)
        self.sets, self.times = np.zeros((2, 2 * area), np.int32)
        self.cells, self.found = np.zeros(area, np.int32), np.zeros((area, 4), np.int32)

    def read(self, moves: Array, first: int) -> Iterator[tuple[int, int, Array, Array, Array, int]]:
        """The quiet positions of a game from move `first` on.

        Each as its ply, threat index, sets, how often these occur, candidates, and the index of
        the candidate that was played, -1 if none of them was.
        """
        cells = [mem.cell_of(divmod(int(move), self.size)) for move in moves]
        clear_board(self.board, self.size, np.zeros(0, np.int32))
        for ply, cell in enumerate(cells):
            me = mem.BLACK if ply % 2 == 0 else mem.WHITE
            if ply >= max(first, 2) and self._quiet(me):
                newest = np.array(cells[ply - 1 : ply - 3 : -1] if ply > 2 else cells[1::-1])
                yield ply, *self._position(me, cell, newest)
            make_move(self.board, cell, me)

    def _quiet(self, me: int) -> bool:
        counts = self.board.kind_counts
        own, other = counts[me - 1], counts[2 - me]
        return not (own[mem.MAKES_FIVE] or own[mem.MAKES_OPEN_FOUR] or other[mem.MAKES_FIVE])

    def _position(self, me: int, cell: int, newest: Array) -> tuple[int, Array, Array, Array, int]:
        board, numbers = self.board, self.numbers
        size = count_sets(board, me, numbers, self.counts, self.sets, self.times)
        count = list_candidates(board, me, newest, numbers, self.cells, self.found)
        at = np.flatnonzero(self.cells[:count] == cell)
        return (
            int(threat_index(board, me)),
            self.sets[:size].astype(np.int16),
            self.times[:size].astype(np.int16),
            self.found[:count].astype(np.int16),
            int(at[0]) if len(at) else -1,
        )


def read_positions(
    shard: GameShard, games: Callable[[range], Iterable[int]] = iter
) -> FitPositions:
    """The quiet positions of all games; `games` may wrap their numbers to show progress."""
    reader = _Reader(shard.size, shard.rule == "standard")
    rows: list[tuple[Any, ...]] = []
    for number in games(range(len(shard))):
        moves = shard.moves[number, : shard.lengths[number]]
        result, held_out = int(shard.results[number]), number % HELD_OUT == 0
        for ply, *position in reader.read(moves, int(shard.first[number])):
            rows.append(((1 + result * (1 - 2 * (ply % 2))) / 2, held_out, *position))
    kept = sum(row[1] for row in rows)
    if not kept or kept == len(rows):
        raise TriremeError(
            f"too few games: {len(rows) - kept} quiet positions to learn from, {kept} held out"
        )
    results, held, threats, sets, times, candidates, chosen = zip(*rows, strict=True)
    candidate_ends = np.cumsum([len(found) for found in candidates])
    at = np.array(chosen)
    return FitPositions(
        np.array(results),
        np.array(held),
        np.array(threats, np.int16),
        np.concatenate(sets),
        np.concatenate(times),
        np.cumsum([len(found) for found in sets]),
        np.concatenate(candidates),
        candidate_ends,
        np.where(at < 0, -1, at + _starts(candidate_ends)),
    )


class _SetWeights:
    """A weight for every set of four grades and each of two sides, as a sum of its parts."""

    def __init__(self, grade_scale: float) -> None:
        """`grade_scale`: the lower, the more the penalty holds down the parts of single grades."""
        sets = rising_sets().astype(np.int64)
        self.grades = torch.from_numpy(np.array([sets >> (4 * d) & 15 for d in range(4)]))
        self.grade_scale = grade_scale
        shapes = ((2, mem.GRADES), (2, mem.GRADES, mem.GRADES), (2, len(sets)))
        self.parts = [torch.zeros(*s, dtype=torch.float64, requires_grad=True) for s in shapes]

    def table(self) -> Tensor:
        """float64[2, S]."""
        single, strongest, whole = self.parts
        grades = self.grades
        sums = self.grade_scale * single[:, grades].sum(1)
        return sums + strongest[:, grades[2], grades[3]] + 0.5 * whole


class ValueModel:
    """The log-odds of winning, to be fitted."""

    def __init__(self) -> None:
        self.sets = _SetWeights(0.3)
        shapes = ((MOVER_THREATS, 1), (1, WAITER_THREATS), (MOVER_THREATS, WAITER_THREATS))
        self.threats = [torch.zeros(*s, dtype=torch.float64, requires_grad=True) for s in shapes]
        # A point with nothing but single stones in reach says nothing: it is left at 0.
        self.live = (self.sets.grades[3] >= mem.FIRST_GRADE[mem.OPEN_ONE]).double()

    @property
    def parameters(self) -> list[Tensor]:
        return [*self.sets.parts, *self.threats]

    def tables(self) -> tuple[Tensor, Tensor]:
        """Points float64[2, S], the waiting side's as the mover sees it; threats float64[2592]."""
        mover, waiter, both = self.threats
        return self.sets.table() * self.live, (mover + waiter + 0.3 * both).flatten()

    def loss(self, part: FitPositions) -> Tensor:
        """The log loss, summed over positions."""
        logits = value_logits(part, *self.tables())
        wanted = torch.from_numpy(part.results)
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, wanted, reduction="sum")


def value_logits(part: FitPositions, points: Tensor, threats: Tensor) -> Tensor:
    """float64[P]: the log-odds that the side to move wins."""
    sets = torch.from_numpy(part.sets).long()
    worth = points.flatten()[sets] * torch.from_numpy(part.times)
    logits = threats[torch.from_numpy(part.threats).long()]
    return logits.index_add(0, torch.from_numpy(_owners(part.set_ends)), worth)


class OrderingModel:
    """The log-odds that a candidate is played, to be fitted.

    Nearness to the last two stones explains a part of the choice; it is fitted so that the grades
    need not, and then left out: the engine orders by grades alone.
    """

    def __init__(self) -> None:
        self.sets = _SetWeights(1.0)
        self.near = torch.zeros(2, NEAR_CLASSES, dtype=torch.float64, requires_grad=True)

    @property
    def parameters(self) -> list[Tensor]:
        return [*self.sets.parts, self.near]

    def loss(self, part: FitPositions) -> Tensor:
        """The negative log-likelihood of the moves played, summed over positions."""
        own, other, last, before = torch.from_numpy(part.candidates).long().T
        table = self.sets.table()
        scores = table[0, own] + table[1, other] + self.near[0, last] + self.near[1, before]
        owners = torch.from_numpy(_owners(part.candidate_ends))
        count = len(part.results)
        highest = torch.full((count,), -torch.inf, dtype=torch.float64)
        highest = highest.scatter_reduce(0, owners, scores.detach(), "amax")
        shifted = scores - highest[owners]
        sums = torch.zeros(count, dtype=torch.float64).index_add(0, owners, shifted.exp())
        return (sums.log() - shifted[torch.from_numpy(part.chosen)]).sum()


def minimise(
    model: ValueModel | OrderingModel,
    parts: Callable[[], Iterator[FitPositions]],
    penalty: float,
    rounds: int,
) -> None:
    """Fit a model by L-BFGS: mean loss plus `penalty` times half the squared parameters."""
    count = sum(len(part.results) for part in parts())
    if count == 0:
        raise TriremeError("too few games: no position to learn from")
    optimizer = torch.optim.LBFGS(
        model.parameters,
        max_iter=rounds,
        history_size=20,
        tolerance_change=1e-10,
        line_search_fn="strong_wolfe",
    )

    def closure() -> float:
        optimizer.zero_grad()
        squares = torch.stack([parameter.square().sum() for parameter in model.parameters])
        total = 0.0
        for loss in itertools.chain([squares.sum() * penalty / 2], map(model.loss, parts())):
            (loss / count).backward()  # type: ignore[no-untyped-call]
            total += loss.item() / count
        return total

    optimizer.step(closure)  # type: ignore[no-untyped-call]


def fit_evaluation(
    positions: FitPositions,
    *,
    value_penalty: float = 10.0,
    ordering_penalty: float = 2.0,
    value_rounds: int = 120,
    ordering_rounds: int = 100,
) -> EvaluationWeights:
    """Weights fitted to the positions that are not held out.

    A higher penalty keeps weights smaller, and nearer the sum of their parts.
    """
    value, ordering = ValueModel(), OrderingModel()
    minimise(value, lambda: positions.parts(False), value_penalty, value_rounds)
    minimise(
        ordering,
        lambda: positions.parts(False, ordered=True),
        ordering_penalty,
        ordering_rounds,
    )
    with torch.no_grad():
        (mover, waiter), threats = (table.numpy() for table in value.tables())
        attack, defence = ordering.sets.table().numpy()
    return EvaluationWeights(
        _by_grades(_steps(attack)),
        _by_grades(_steps(defence)),
        _by_grades(_points(mover)),
        _by_grades(_points(-waiter)),
        _points(threats),
    )


def _points(logits: Array) -> Array:
    return np.clip(np.round(logits * POINTS_PER_LOGIT), -MOST_POINTS, MOST_POINTS).astype(np.int32)


def _steps(logits: Array) -> Array:
    steps = np.round((logits - logits.min()) * STEPS_PER_LOGIT)
    return np.asarray(np.minimum(steps, MOST_STEPS), np.int32)


def _by_grades(values: Array) -> mem.Int32s:
    table = np.zeros(mem.SHAPE_SETS, np.int32)
    table[rising_sets()] = values
    return table


@dataclass(frozen=True)
class FitReport:
    """How well weights predict results and moves of some positions."""

    positions: int
    log_loss: float
    """Of the results, the evaluation taken as log-odds."""
    sign_accuracy: float
    """How often the evaluation favours the winner, in games that were won."""
    top: tuple[float, ...]
    """How often the move played is among the first 1, 3, 5, 10 and 20 of the ordering; a move that
    is no candidate counts as a miss."""


def judge(positions: FitPositions, weights: EvaluationWeights, held_out: bool) -> FitReport:
    """Judge weights on the held-out positions or on the others."""
    sets = rising_sets()
    points = torch.from_numpy(
        np.array([weights.mover[sets], -weights.waiter[sets]]) / POINTS_PER_LOGIT
    )
    threats = torch.from_numpy(weights.threats / POINTS_PER_LOGIT)
    loss, right, decided, count = 0.0, 0, 0, 0
    hits = np.zeros(len(TOP))
    for part in positions.parts(held_out):
        logits, wanted = value_logits(part, points, threats).numpy(), part.results
        loss += float(np.sum(np.logaddexp(0, logits) - wanted * logits))
        right += int(np.sum((logits > 0) == (wanted > 0.5), where=wanted != 0.5))
        decided += int(np.sum(wanted != 0.5))
        count += len(wanted)
        ranks = _ranks(part, weights.attack[sets], weights.defence[sets])
        hits += [np.sum(ranks < k) for k in TOP]
    return FitReport(count, loss / count, right / max(decided, 1), tuple(hits / count))


def constant_loss(positions: FitPositions, held_out: bool) -> float:
    """The log loss of the best constant, the mean result of the positions learnt from."""
    chance = float(np.clip(positions.results[~positions.held_out].mean(), 1e-6, 1 - 1e-6))
    wanted = positions.results[positions.held_out == held_out]
    return float(-np.mean(wanted * np.log(chance) + (1 - wanted) * np.log(1 - chance)))


def _ranks(part: FitPositions, attack: Array, defence: Array) -> Array:
    """float64[P]: how many candidates are ordered before the move played; infinite if it is none.

    Of equals, half count as before it.
    """
    scores = attack[part.candidates[:, 0]] + defence[part.candidates[:, 1]]
    owners = _owners(part.candidate_ends)
    played = scores[part.chosen] if len(scores) else np.zeros(len(part.chosen))
    before = (scores > played[owners]) + 0.5 * (scores == played[owners])
    ranks = np.bincount(owners, before, len(part.results)) - 0.5
    return np.where(part.chosen < 0, np.inf, ranks)
