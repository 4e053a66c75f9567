"""The reviewer of Battleship: the expected extra shots of a shot against the best one.

Every hit is needed, so shots lost are misses. Both shots are judged by the posterior over fleets
given the answers that the seat had: where the fleets that agree are few, by the exact expectation
of optimal play after each; else by rollouts of the greedy policy after each, over the same fleets,
listed or drawn from the posterior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.core.game import AnyGame
from trireme.core.review import Decision, Judgement

from .agents.lookahead import CERTAIN, fleet_arrays
from .agents.lookahead_kernels import FleetArrays, rollout_misses
from .agents.optimal_kernels import OptimalTable, optimal_misses, optimal_value
from .agents.shooting_agent import TargetView
from .belief.posterior import Belief, FleetInference
from .board import Board, Cell
from .rules import Battleship, BattleshipView
from .shots import Salvo, Shot

STEPS = 400_000
"""Steps of exact enumeration before the posterior is sampled instead."""
SAMPLES = 10_000
"""Fleets drawn for such a posterior."""
FLEETS = 3_000
"""Fleets that rollouts run over."""
CANDIDATES = 10
"""The most probable cells, which the played one is compared with."""
RANDOM_CELLS = 4
"""Random cells, whose mean cost is what a random shot would cost."""
SOLVED_FLEETS = 48
"""Up to so many fleets optimal play is computed exactly."""
SOLVED_PARTS = 30_000
"""Sets of fleets that the exact computation may look at before rollouts replace it."""
TABLE_ROWS = 1 << 16
EPSILON = 1e-9

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class ShotCost:
    """A shot compared with the best one; cells are `row * cols + col`."""

    best: int
    cost: float
    """Expected extra misses."""
    exact: bool
    random_cost: float = 0.0
    """Expected extra misses of a random shot."""


class BattleshipReviewer:
    """Judges shots; fleets that seats place themselves are not judged."""

    unit: ClassVar[str] = "shots"
    about: ClassVar[str] = (
        "A shot costs the expected extra shots against the best shot, by the posterior over fleets "
        "given the answers so far: exactly where few fleets are left, else by greedy rollouts over "
        "the same fleets. Salvos cost the expected hits lost. Placing a fleet is not reviewed."
    )

    def __init__(self, game: AnyGame, moves: int = 0) -> None:
        """The effort of a shot does not depend on the number of moves."""
        assert isinstance(game, Battleship)
        self.game = game
        self._inferences = {
            board: FleetInference(board, uniform=game.placement == "uniform")
            for board in dict.fromkeys(game.boards)
        }

    def judge(self, decision: Decision, rng: Generator) -> Judgement | None:
        """The judgement of a shot or salvo; None for a fleet."""
        if not isinstance(decision.action, Salvo):
            return None
        view: BattleshipView = decision.view
        board, shots = self.game.target(decision.seat), view.target.shots
        target = TargetView(board, shots, self.game.placement == "uniform")
        belief = self._inferences[board].posterior(shots, rng, limit=STEPS, samples=SAMPLES)
        fired = _flat(board, decision.action.cells)
        if len(fired) > 1:
            best, cost, random_cost = _best_salvo(target, belief, fired)
            exact = False
        else:
            found = self.compare(target, belief, fired[0], rng)
            best, exact = [found.best], found.exact
            cost, random_cost = found.cost, found.random_cost
        at_stake = int(target.open_mask.sum()) > len(fired)
        price = self._miss_price(view, board)
        chances = belief.cells
        hits = sum(shot.result in ("hit", "sunk") for shot in _answers(decision, len(shots)))
        return Judgement(
            Salvo(tuple(divmod(cell, board.cols) for cell in best)),
            cost * price,
            random_cost * price if at_stake else 0.0,
            luck=hits - float(chances[fired].sum()),
            note=_note(float(chances[fired].sum()), float(chances[best].sum()), cost, len(fired)),
            exact=exact,
        )

    def compare(self, target: TargetView, belief: Belief, fired: int, rng: Generator) -> ShotCost:
        """The cost of firing at a cell, given the posterior of its board."""
        chances = belief.cells
        certain = chances[fired] >= CERTAIN  # a sure hit has to be made anyway
        inference = self._inferences[target.board]
        fleets = inference.fleets(target.shots, belief, FLEETS, rng)
        shot = target.fired_bits
        arrays = fleet_arrays(target.board, fleets.layouts, fleets.weights, shot)
        order = np.argsort(-chances, kind="stable")[: 0 if certain else CANDIDATES]
        likely = order[chances[order] > 0].tolist()
        cells = np.array([*dict.fromkeys([fired, *likely])], np.int64)
        drawn = rng.choice(np.flatnonzero(target.open_mask), RANDOM_CELLS).astype(np.int64)
        misses = rollout_misses(np.concatenate([cells, drawn]), shot, arrays, len(fleets.weights))
        misses, random_misses = misses[: len(cells)], float(misses[len(cells) :].mean())
        least = int(misses.argmin())
        random_cost = max(0.0, random_misses - float(misses[least]))
        if certain:
            return ShotCost(fired, 0.0, belief.exact, random_cost)
        if fleets.exact and len(fleets.weights) <= SOLVED_FLEETS:
            solved = solved_cost(arrays, shot, chances, fired)
            if solved is not None:
                return replace(solved, random_cost=random_cost)
        return ShotCost(int(cells[least]), float(misses[0] - misses[least]), False, random_cost)

    def _miss_price(self, view: BattleshipView, board: Board) -> float:
        """What a miss costs: itself, and with mines the chance to lose a turn."""
        if not self.game.mines:
            return 1.0
        struck = sum(shot.result == "mine" for shot in view.target.shots)
        water = sum(shot.result in ("miss", "mine") for shot in view.target.shots)
        left = board.rows * board.cols - sum(board.sizes) - water
        return 1.0 + (self.game.mines - struck) / max(left, 1)


def solved_cost(
    arrays: FleetArrays, shot: NDArray[np.uint64], chances: NDArray[np.float64], fired: int
) -> ShotCost | None:
    """The exact cost of a shot if optimal play follows; None where that takes too long.

    `arrays` are all fleets there are, `shot: uint64[3]` the cells shot at, `chances:
    float64[rows × cols]` the posterior of a ship in each cell.
    """
    table = optimal_table(len(arrays.weights), len(chances))
    least = optimal_value(shot, arrays, table)
    played = float(optimal_misses(np.array([fired]), shot, arrays, np.inf, table)[0])
    if table.left[0] < 0:
        return None
    if played <= least + EPSILON:
        return ShotCost(fired, 0.0, True)
    for cell in np.argsort(-chances, kind="stable"):
        found = optimal_misses(np.array([cell]), shot, arrays, least + 2 * EPSILON, table)[0]
        if found <= least + EPSILON or table.left[0] < 0:
            break
    return None if table.left[0] < 0 else ShotCost(int(cell), played - least, True)


def optimal_table(fleets: int, cells: int) -> OptimalTable:
    """An empty table for the exact search over so many fleets on a board of so many cells."""
    rng = np.random.default_rng(0)
    return OptimalTable(
        fleet_keys=rng.integers(1, 2**64, fleets, np.uint64),
        cell_keys=rng.integers(1, 2**64, cells, np.uint64),
        keys=np.zeros(TABLE_ROWS, np.uint64),
        values=np.zeros(TABLE_ROWS),
        kinds=np.zeros(TABLE_ROWS, np.int8),
        left=np.array([SOLVED_PARTS], np.int64),
    )


def _best_salvo(
    target: TargetView, belief: Belief, fired: Sequence[int]
) -> tuple[list[int], float, float]:
    """The most probable cells, and the expected hits that `fired` and random cells have less."""
    chances = np.where(target.open_mask, belief.cells, -1.0)
    best = [int(cell) for cell in np.argsort(-chances, kind="stable")[: len(fired)]]
    most = float(chances[best].sum())
    random_hits = len(fired) * float(chances[target.open_mask].mean())
    return best, max(0.0, most - float(chances[list(fired)].sum())), most - random_hits


def _answers(decision: Decision, before: int) -> tuple[Shot, ...]:
    """The answers to the decision's shots."""
    after: BattleshipView = decision.after
    return after.target.shots[before:]


def _flat(board: Board, cells: Sequence[Cell]) -> list[int]:
    return [row * board.cols + col for row, col in cells]


def _note(chance: float, best: float, cost: float, shots: int) -> str:
    if shots > 1:
        return f"{chance:.2f} hits expected, {best:.2f} with the best salvo"
    if cost < EPSILON:
        return f"{chance:.0%} chance of a hit"
    return f"{chance:.0%} chance of a hit, {best:.0%} with the best shot"
