"""The double oracle: Nash equilibria of a turn's simultaneous plans, from any position.

Both seats begin with a few plans. The restricted matrix game among those is solved by linear
programming; each seat adds its best responses, out of all its plans, to the other's mixed strategy;
and so on until neither gains. The gap, what both could gain together by deviating, bounds how far
the mixed strategies are from an equilibrium of the whole turn. With more time the search goes two
turns deep: the leaves that the mixed strategies reach most often are solved in the same way, and
their values replace the evaluation.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trireme.navigation.arrays import (
    Ints,
    pack_plan,
    pack_ships,
    rules_array,
    sea_array,
    stats_array,
    unpack_plan,
)
from trireme.navigation.duel import check_duel
from trireme.navigation.kernels import mobility_loss
from trireme.navigation.plans import Plan
from trireme.navigation.rules import Navigation, NavigationState

from .best_response_kernels import best_responses
from .contact_kernels import ContactTables
from .double_oracle_kernels import (
    OracleArrays,
    assumed,
    begin,
    iterate,
    solve,
    solve_restricted,
)
from .evaluation_kernels import TurnArrays, hit_point_values, searched_slot
from .hit_point_values import values_against_random
from .leaf_kernels import reached_leaves
from .plan_analysis import PlanAnalysis, PlanCandidate
from .pose_bonus import distance_table, pose_values, pose_values_against_random
from .response_kernels import (
    Simulations,
    evaluate_again,
    payoffs,
    simulate_movements,
    simulate_new_movements,
)
from .value_network import (
    FULL,
    GameTables,
    ValueNetwork,
    contact_tables,
    leaf_cache,
    no_tables,
    pose_pairs,
    rates_between,
    terrain_features,
)

PlanArray = NDArray[np.uint8]
Floats = NDArray[np.float64]
PackedMixture = tuple[PlanArray, Floats]
"""A mixed strategy: plans `uint8[N, phases]` and their probabilities `float64[N]`."""

MOBILITY_WEIGHT = 0.08
"""What a ship without any mobility loses in value, by the formula."""
LEAST_WEIGHT = 0.002
"""Plans with a lower probability than this are left out of a mixed strategy."""
MAX_PLANS = 512
"""Plans that one seat may have in the restricted game."""
MAX_NEW_PLANS = 24
"""Best responses that a seat adds in one iteration, for as many of its best movements."""
CHILD_PLANS, CHILD_ROUNDS, CHILD_TOLERANCE = 384, 20, 0.5
"""The same limits for a leaf that is searched, its iterations and its gap: with a gap of so much
the value is off by 0.02, and after few iterations, whatever the gap, it may be off by far more."""
KIN, KIN_WEIGHT = 4, 0.01
"""A leaf is searched from the plans of so many similar leaves, those of at least this
probability."""
LEAVES_AT_ONCE = 8
"""Leaves that are searched before the turn is solved again."""
TREMBLES = 32
"""Plans drawn for the trembling hand."""
MAX_TRUST = 0.95
"""The highest probability of a model: a little is always left for optimal play."""
CERTAIN_TRUST = 0.999
"""The same where the enemy is all but certain to play at random."""
COMPARED = 4
"""Best responses whose leaves are searched to choose between them."""
OWN_CONTACTS = np.uint16(1 | 2 | 4 | 8)
"""The bits of contacts that mean an action of the own ship."""
LEAF_RESPONSES, LEAF_TEMPERATURE = 12, 0.02
"""Best responses of the other seat whose leaves are searched, and the temperature, in value, of
their probabilities."""
DOUBT, DOUBT_TILES, LEAST_DOUBT = 0.2, 3.0, 0.01
"""How far the value of a leaf is from that of its solved turn (root mean square): so much more for
ships side by side, a third of it after so many tiles of distance, and so much at any distance."""
LEAST_IMPORTANCE = 1e-6
"""Leaves whose probability times doubt is lower are not searched."""
SEARCHED_SIZE = 4096
"""Slots for leaves that were searched; they stay at most half full."""


@dataclass(frozen=True)
class SearchBias:
    """How the searching seat departs from the plain equilibrium of a turn."""

    confidence: float = 0.0
    """Contempt: value added to positions in which nothing is decided, so that the seat prefers a
    long fight to a risky grapple. Fades to 0 at the turn limit."""
    naive: float = 0.0
    """Restricted Nash response: the probability that the other seat plays a naive model, which
    responds to a ship that stands still or sails at random; otherwise it plays optimally."""
    tremble: float = 0.0
    """Trembling hand: the probability that the other seat plays any plan at random. Of strategies
    that are equally good against the best play it finds the one that punishes mistakes most."""
    caution: float = 0.0
    """Pessimism: value taken off leaves that were not searched. An optimizer prefers what it
    overestimates (the optimizer's curse), and leaves that were searched are overestimated less."""


UNBIASED = SearchBias()
"""The plain equilibrium of a turn."""


class TurnSolver:
    """One game prepared for search: its arrays, and double oracles from any position.

    Without a network leaves are evaluated by a formula of hit points and mobility. `contacts` are
    tables of a solver that is used no more, whose memory this one takes over.
    """

    def __init__(
        self,
        game: Navigation,
        network: ValueNetwork | None = None,
        contacts: ContactTables | None = None,
    ) -> None:
        check_duel(game, "turns are solved")
        self.game = game
        self.sea = sea_array(game.chart)
        self.stats = stats_array(game.types)
        self.rules = rules_array(game)
        self.openings = opening_moves(game.phases)
        self.no_bonus = distance_table(0.0)
        mobility = mobility_loss(self.sea, int(self.rules[0]), 3)
        self.mobility = mobility * np.float32(MOBILITY_WEIGHT)
        self._no_tables = no_tables()
        self._tables: GameTables | None = None
        self._contacts = contacts or contact_tables()
        self._contacts.counts[:] = 0
        self._pairs = pose_pairs()
        self._cache = leaf_cache()
        self._child: OracleArrays | None = None
        if network is not None:
            self.use(network, terrain_features(game))

    def use(self, network: ValueNetwork, terrain: NDArray[np.float32]) -> None:
        """Evaluate leaves by this network from now on, given the game's `terrain_features`."""
        self._tables = GameTables(network, self.game, terrain)
        self._pairs = self._tables.pairs()
        self.mobility[:] = 0

    def contact_rates(self, ships: Ints) -> NDArray[np.float32]:
        """`float32[2, RATES]`: how often ships that sail at random could strike, by seat."""
        return rates_between(self._contacts, self.sea, self.stats, self.rules, ships)

    def double_oracle(
        self, view: NavigationState, seat: int, bias: SearchBias = UNBIASED
    ) -> DoubleOracle:
        """A double oracle for this position, searching for `seat`."""
        ships = pack_ships(view.ships, self.game.chart.width)
        return DoubleOracle(self, ships, view.turn, seat, bias)

    def bonus(self, seat: int, turn: int, confidence: float = 0.0) -> NDArray[np.float32]:
        """The bonus for relative poses that `seat` searches with after `turn` turns."""
        spent = turn / self.game.turn_limit
        return pose_values(seat, spent, confidence, learned=self._tables is not None)

    def turn_arrays(
        self, ships: Ints, turn: int, bonus: NDArray[np.float32], unsure: float = 0.0
    ) -> TurnArrays:
        """The position of `ships` after `turn` turns, with a bonus for relative poses.

        `unsure` is added to it where a leaf was not searched.
        """
        if self._pairs.count[0] > FULL:
            # Older searches keep what they have: their simulations name rows of it.
            self._pairs = self._tables.pairs() if self._tables else pose_pairs()
        return TurnArrays(
            sea=self.sea,
            stats=self.stats,
            rules=self.rules,
            ships=ships,
            mobility=self.mobility,
            poses=bonus,
            unsure=unsure,
            hp_values=hit_point_values(self.stats, self.rules, turn + 1),
            network=self._tables.after(turn + 1) if self._tables else self._no_tables,
            contacts=self._contacts,
            pairs=self._pairs,
            cache=self._cache,
            stamp=self.new_stamp(),
            searched=np.zeros(1, np.int64),
            searched_values=np.zeros(1),
        )

    def new_stamp(self) -> int:
        """A number for another evaluation, whose values the cache keeps apart."""
        self._cache.stamps[0] += 1
        return int(self._cache.stamps[0])

    def oracle_arrays(self, plans: int) -> OracleArrays:
        """Arrays for a double oracle of so many plans a seat, with the opening plans."""
        phases = self.game.phases
        arrays = OracleArrays(
            plans=np.zeros((2, plans, phases), np.uint8),
            counts=np.zeros(2, np.int64),
            filled=np.zeros(2, np.int64),
            matrix=np.zeros((plans, plans)),
            weights=np.zeros((2, plans)),
            solved=np.zeros(2, np.int64),
            first=simulations(phases),
            second=simulations(phases),
            model=np.zeros((0, phases), np.uint8),
            model_weights=np.zeros(0),
            model_payoffs=np.zeros(plans),
        )
        begin(arrays, self.openings, self.openings)
        return arrays

    def value(self, ships: Ints, turn: int, kin: SolvedLeaves | None = None) -> float:
        """The value to seat 0 of the equilibrium of one turn, solved roughly and fast.

        With `kin` from the plans of the most similar leaves of the same turn; this one joins them.
        """
        if self._child is None:
            self._child = self.oracle_arrays(CHILD_PLANS)
        first = second = self.openings
        if kin is not None and kin.count:
            first, second = kin.plans_for(ships)
        value, _ = solve(
            self.turn_arrays(ships, turn, self.no_bonus),
            self._child,
            first,
            second,
            CHILD_ROUNDS,
            CHILD_TOLERANCE,
            MAX_NEW_PLANS,
        )
        if kin is not None:
            kin.add(ships, self._child)
        return float(value)


class SolvedLeaves:
    """Leaves of one turn that were solved, with the plans of their mixed strategies.

    Leaves with similar poses have similar solutions, so that the next one needs fewer iterations.
    """

    def __init__(self, stride: int, phases: int) -> None:
        self._stride = stride
        self._poses = np.zeros((SEARCHED_SIZE // 2, 6), np.int64)
        self._plans: list[tuple[PlanArray, PlanArray]] = []
        self._rest = np.zeros((1, phases), np.uint8)

    @property
    def count(self) -> int:
        return len(self._plans)

    def add(self, ships: Ints, solved: OracleArrays) -> None:
        """Remember a leaf that was just solved, while there is room."""
        if self.count == len(self._poses):
            return
        self._poses[self.count] = self._pose(ships)
        first, second = (
            solved.plans[seat, : solved.solved[seat]][
                solved.weights[seat, : solved.solved[seat]] > KIN_WEIGHT
            ]
            for seat in (0, 1)
        )
        self._plans.append((first, second))

    def plans_for(self, ships: Ints) -> tuple[PlanArray, PlanArray]:
        """By seat: the plans of the most similar leaves, and to stay."""
        away = np.abs(self._poses[: self.count] - self._pose(ships))
        away[:, 2::3] = np.minimum(away[:, 2::3], 4 - away[:, 2::3])
        nearest = np.argsort(away.sum(axis=1), kind="stable")[:KIN]
        first, second = (
            np.unique(
                np.concatenate([self._rest, *(self._plans[k][seat] for k in nearest)]), axis=0
            )
            for seat in (0, 1)
        )
        return first, second

    def _pose(self, ships: Ints) -> NDArray[np.int64]:
        """Row, column and facing of both ships."""
        rows, columns = np.divmod(ships[:, 0], self._stride)
        return np.stack([rows, columns, ships[:, 1]], axis=1).reshape(6).astype(np.int64)


def simulations(phases: int) -> Simulations:
    """Empty simulations, to be reused: their memory is claimed only where they are written."""
    total = 4**phases
    return Simulations(
        contacts=np.empty((total, phases, total), np.uint16),
        poses=np.empty((total, total, 2), np.int32),
        calm=np.empty((total, total), np.uint8),
        ready=np.empty((total, total), np.uint8),
        slots=np.empty((total, total), np.int32),
        quiet=np.empty((total, total)),
        done=np.zeros(total, np.uint8),
    )


class DoubleOracle:
    """Both seats' plans and mixed strategies, which grow with every iteration."""

    def __init__(
        self, solver: TurnSolver, ships: Ints, turn: int, seat: int, bias: SearchBias
    ) -> None:
        self.solver = solver
        self.seat = seat
        self.turns_played = turn
        bonus = solver.bonus(seat, turn, bias.confidence)
        unsure = -bias.caution if seat == 0 else bias.caution
        self.turn = solver.turn_arrays(ships, turn, bonus, unsure)
        self.value = 0.0
        """The value of the restricted game to the searching seat."""
        self.gap = 2.0
        """What both seats together could gain by deviating from the mixed strategies."""
        self.leaves = 0
        """How many leaves were searched."""
        self.myopic: tuple[PackedMixture, PackedMixture] | None = None
        """By seat: the mixed strategies before any leaf was searched; None until one is."""
        self._kin: SolvedLeaves | None = None
        self._follows_model = False  # whether leaves are those that the model leads to
        self._trust = min(bias.naive + bias.tremble, MAX_TRUST)
        self.arrays = solver.oracle_arrays(MAX_PLANS)
        if self._trust:
            self._model(bias)

    def _model(self, bias: SearchBias) -> None:
        """Assume the naive model and the trembling hand, in proportion to their probabilities."""
        parts = []
        if bias.naive:
            parts.append((bias.naive, self._naive_responses()))
        if bias.tremble:
            parts.append((bias.tremble, self._random_plans()))
        total = bias.naive + bias.tremble
        chances = [np.full(len(plans), share / total / len(plans)) for share, plans in parts]
        self.arrays = self.arrays._replace(
            model=np.concatenate([plans for _, plans in parts]),
            model_weights=np.concatenate(chances),
        )

    def _random_plans(self) -> PlanArray:
        """Plans of the other seat, drawn evenly; the same in the same turn."""
        game, other = self.solver.game, 1 - self.seat
        rng = np.random.default_rng(self.turns_played)
        drawn = [game.plans[other].sample(rng) for _ in range(TREMBLES)]
        return np.stack([pack_plan(plan, game.types[other]) for plan in drawn])

    def with_model(
        self, plans: PlanArray, chances: Floats, trust: float, confidence: float = 0.0
    ) -> DoubleOracle:
        """A restricted Nash response from the plans found so far.

        The other seat is assumed to play `plans: uint8[N, phases]` with `chances: float64[N]` in
        the share `trust` of all turns, and optimally in the others; `confidence` is contempt.
        """
        made = copy(self)
        bonus = self.solver.bonus(self.seat, self.turns_played, confidence)
        made.turn = self._evaluated_otherwise(poses=bonus)
        fresh = self.solver.oracle_arrays(MAX_PLANS)
        for name in ("plans", "counts"):
            getattr(fresh, name)[:] = getattr(self.arrays, name)
        made.arrays = fresh._replace(model=plans, model_weights=chances)
        made._trust, made._follows_model = trust, True
        return made

    def with_random_enemy(self, plans: PlanArray, chances: Floats) -> DoubleOracle:
        """The response to an enemy that plays at random: `plans`, with `chances`.

        Positions after the turn are worth what hit points are worth against such an enemy.
        """
        game, seat = self.solver.game, self.seat
        made = self.with_model(plans, chances, CERTAIN_TRUST)
        table = values_against_random(game.types[seat], game.types[1 - seat], game.turn_limit)
        hp_values = self.turn.hp_values.copy()
        value = table[self.turns_played + 1]
        hp_values[0] = value if seat == 0 else -value.T
        expected = float(value[self.turn.ships[seat, 2], self.turn.ships[1 - seat, 2]])
        made.turn = self._evaluated_otherwise(
            mobility=np.zeros_like(self.turn.mobility),
            poses=pose_values_against_random(seat, expected),
            unsure=0.0,
            hp_values=hp_values,
            network=no_tables(),
            pairs=pose_pairs(),
            searched=np.zeros(1, np.int64),
            searched_values=np.zeros(1),
        )
        return made

    def _evaluated_otherwise(self, **changes: Any) -> TurnArrays:
        """The turn with a changed evaluation, which it will not confuse with this one."""
        return self.turn._replace(stamp=self.solver.new_stamp(), **changes)

    def mixture(self, seat: int) -> PackedMixture:
        """The mixed strategy of a seat, without plans that are hardly ever played."""
        weights = self.weights[seat]
        live = weights > LEAST_WEIGHT
        return self.plans[seat][: len(weights)][live], weights[live] / weights[live].sum()

    def quantal_mixture(self, seat: int, temperature: float) -> PackedMixture:
        """The mixed strategy of a seat, half of it replaced by a quantal response.

        An equilibrium is seldom unique, and other solvers find others: plans of nearly the best
        value are likely too, in proportion to exp(value / `temperature`).
        """
        plans, weights = self.mixture(seat)
        best, values = self.responses(seat, *assumed(self.arrays, seat, self.seat, self._trust))
        chances = np.exp((values - values.max()) / temperature)
        live = chances > LEAST_WEIGHT * chances.sum()
        near = chances[live] / chances[live].sum()
        return np.concatenate([plans, best[live]]), np.concatenate([weights, near]) / 2

    def with_bonus(self, seat: int | None) -> DoubleOracle:
        """The same turn with the bonus for poses as `seat` sees it, or without, not yet solved."""
        made = copy(self)
        bonus = self.solver.no_bonus
        if seat is not None:
            bonus = self.solver.bonus(seat, self.turns_played)
        made.turn = self._evaluated_otherwise(poses=bonus, unsure=0.0)
        made.arrays = self.solver.oracle_arrays(MAX_PLANS)
        made._trust, made._follows_model = 0.0, False
        return made

    def expected(self, own: PackedMixture, theirs: PackedMixture) -> float:
        """What a mixed strategy of the searching seat is worth against one of the other."""
        if self.seat == 0:
            return float(own[1] @ self.payoffs(own[0], theirs[0]) @ theirs[1])
        return -float(theirs[1] @ self.payoffs(theirs[0], own[0]) @ own[1])

    def guarantee(self, mixture: PackedMixture) -> float:
        """What a mixed strategy of the searching seat is worth against the best response to it."""
        return -float(self.responses(1 - self.seat, *mixture)[1].max())

    def evaluated_by(self, other: DoubleOracle) -> PlanAnalysis:
        """The analysis with another oracle's payoffs: a bias of this one is not shown."""
        first, second = (len(weights) for weights in self.weights)
        self.arrays.matrix[:first, :second] = other.payoffs(
            self.plans[0][:first], self.plans[1][:second]
        )
        return self.analysis()

    @property
    def plans(self) -> list[PlanArray]:
        """`uint8[K, phases]` by seat: the plans of the restricted game."""
        arrays = self.arrays
        return [arrays.plans[seat, : arrays.counts[seat]] for seat in (0, 1)]

    @property
    def weights(self) -> list[Floats]:
        """`float64[K]` by seat: the mixed strategies over the plans of the last game solved."""
        arrays = self.arrays
        return [arrays.weights[seat, : arrays.solved[seat]] for seat in (0, 1)]

    def improve(self, rounds: int = 1, tolerance: float = 0.005) -> bool:
        """Run so many iterations, fewer if the gap falls below `tolerance` or no plan is new.

        Returns whether more iterations could improve it.
        """
        for _ in range(rounds):
            value, gap, grown = iterate(
                self.turn,
                self.arrays,
                self.seat,
                self._trust,
                tolerance,
                MAX_NEW_PLANS,
            )
            self.value, self.gap = float(value), float(gap)
            if not grown:
                return False
        return True

    def search_leaves(self, stop: Callable[[], bool], count: int = LEAVES_AT_ONCE) -> bool:
        """Search the `count` most probable leaves not searched yet, and solve the turn again.

        Returns whether there were any; `stop` is asked after each.
        """
        myopic = self.myopic or (self.mixture(0), self.mixture(1))
        if not self._search(stop, count, self._assumed_play()):
            return False
        self.myopic = myopic
        self.arrays.filled[:] = 0
        self.value = float(solve_restricted(self.turn, self.arrays, self.seat, self._trust))
        return True

    def search_reached(self, own: PackedMixture, theirs: PackedMixture, count: int) -> bool:
        """Search the `count` most important leaves that two mixed strategies lead to.

        `own` is of the searching seat. Returns whether there were any.
        """
        return self._search(lambda: False, count, self._with_mixtures(self.seat, own, theirs))

    def _assumed_play(self) -> OracleArrays:
        """Arrays with the mixed strategies that lead to leaves.

        The other seat plays its model, or else its best responses to the own mixture: what a leaf
        is worth matters most where the enemy would go if it knew.
        """
        own = self.mixture(self.seat)
        if self._follows_model:
            theirs = assumed(self.arrays, self.seat, self.seat, self._trust)
        else:
            theirs = self._best_of(1 - self.seat, own)
        return self._with_mixtures(self.seat, own, theirs)

    def _best_of(self, seat: int, theirs: PackedMixture) -> PackedMixture:
        """The best responses of a seat to a mixed strategy, the better the more probable."""
        best, values = self.responses(seat, *theirs)
        top = np.argsort(-values, kind="stable")[:LEAF_RESPONSES]
        chances = np.exp((values[top] - values[top[0]]) / LEAF_TEMPERATURE)
        return best[top], chances / chances.sum()

    def _with_mixtures(self, seat: int, own: PackedMixture, theirs: PackedMixture) -> OracleArrays:
        """The arrays with other mixed strategies: `own` of `seat`, `theirs` of the other."""
        size = max(len(own[0]), len(theirs[0]))
        plans = np.zeros((2, size, self.solver.game.phases), np.uint8)
        weights, solved = np.zeros((2, size)), np.zeros(2, np.int64)
        for at, mixture in ((seat, own), (1 - seat, theirs)):
            solved[at] = len(mixture[0])
            plans[at, : solved[at]], weights[at, : solved[at]] = mixture
        return self.arrays._replace(plans=plans, weights=weights, solved=solved)

    def _search(self, stop: Callable[[], bool], count: int, play: OracleArrays) -> bool:
        """Search leaves that the mixed strategies of `play` reach; renew what was simulated."""
        if self.turns_played + 1 >= self.solver.game.turn_limit:
            return False
        if len(self.turn.searched) == 1:
            table = np.zeros(SEARCHED_SIZE, np.int64), np.zeros(SEARCHED_SIZE)
            self.turn = self.turn._replace(searched=table[0], searched_values=table[1])
        room = SEARCHED_SIZE // 2 - self.leaves
        keys, ships, reach = reached_leaves(self.turn, play, self.turns_played + 1)
        importance = reach * self._doubt(ships)
        order = np.argsort(-importance, kind="stable")[: min(count, room)]
        found = [k for k in order if importance[k] > LEAST_IMPORTANCE]
        if self._kin is None:
            self._kin = SolvedLeaves(int(self.solver.rules[0]), self.solver.game.phases)
        for k in found:
            value = self.solver.value(ships[k], self.turns_played + 1, self._kin)
            at = searched_slot(self.turn.searched, keys[k])
            self.turn.searched[at], self.turn.searched_values[at] = keys[k], value
            self.leaves += 1
            if stop():
                break
        if found:
            self.turn = self._evaluated_otherwise()
            evaluate_again(self.turn, self.arrays.first)
            evaluate_again(self.turn, self.arrays.second)
        return bool(found)

    def _doubt(self, ships: Ints) -> Floats:
        """`float64[N]`: how wrong the values of leaves may be, by the distance of their ships."""
        stride = int(self.solver.rules[0])
        rows, columns = np.divmod(ships[:, :, 0], stride)
        apart = np.abs(rows[:, 0] - rows[:, 1]) + np.abs(columns[:, 0] - columns[:, 1])
        doubts: Floats = LEAST_DOUBT + DOUBT * np.exp(-apart / DOUBT_TILES)
        return doubts

    def payoffs(self, first: PlanArray, second: PlanArray) -> Floats:
        """The payoff matrix `float64[K, L]`: the value to seat 0 of its plans against seat 1's."""
        movements = simulate_new_movements(self.turn, 0, second, self.arrays.first)
        values = np.zeros((len(first), len(second)))
        payoffs(self.turn, first, second, movements, self.arrays.first, values)
        return values

    def responses(self, own: int, answers: PlanArray, weights: Floats) -> tuple[PlanArray, Floats]:
        """(plans, values): the best response of `own` for every movement, to a mixed strategy."""
        phases = self.solver.game.phases
        best, values = np.zeros((4**phases, phases), np.uint8), np.zeros(4**phases)
        known = self.arrays.second if own else self.arrays.first
        movements = simulate_new_movements(self.turn, own, answers, known)
        best_responses(self.turn, own, answers, movements, weights, known, -2.0, best, values)
        return best, values

    def contacts(self, seat: int) -> NDArray[np.uint16]:
        """`uint16[M, phases, M]`: which actions of a seat connect, as bits, after each phase.

        By the movement of the other and the beginning of the own, as in `Simulations`.
        """
        movements = every_movement(self.solver.game.phases)
        found = np.empty((len(movements), movements.shape[1], len(movements)), np.uint16)
        ends = np.empty((2, len(movements), 5), np.int64)
        for answer, row in zip(movements, found, strict=True):
            simulate_movements(self.turn, seat, answer, row, ends)
        return found & OWN_CONTACTS

    def _naive_responses(self) -> PlanArray:
        """The naive model: best responses to a ship at rest, and to one that sails at random and
        fires when it can."""
        sailing = self.solver.openings
        equal = np.full(len(sailing), 1 / len(sailing))
        armed, _ = self.responses(self.seat, sailing, equal)
        known = self.arrays.second if self.seat else self.arrays.first
        numbers = simulate_new_movements(self.turn, self.seat, sailing, known)
        found = []
        for expected, count in ((sailing[:1], 4), (armed[numbers], 8)):
            weights = np.full(len(expected), 1 / len(expected))
            plans, values = self.responses(1 - self.seat, expected, weights)
            found.append(plans[np.argsort(-values, kind="stable")[:count]])
        return np.concatenate(found)

    def best_response(
        self,
        seat: int,
        plans: Sequence[Plan],
        weights: Sequence[float],
        stop: Callable[[], bool] = lambda: True,
    ) -> Plan:
        """The best response of `seat` to a mixed strategy of the other.

        Until asked to `stop`, the leaves that the best responses lead to are searched.
        """
        types = self.solver.game.types
        packed = np.stack([pack_plan(plan, types[1 - seat]) for plan in plans])
        theirs = packed, np.array(weights, np.float64)
        best, values = self.responses(seat, *theirs)
        while not stop():
            top = np.argsort(-values, kind="stable")[:COMPARED]
            own = best[top], np.full(len(top), 1 / len(top))
            if not self._search(stop, LEAVES_AT_ONCE, self._with_mixtures(seat, own, theirs)):
                break
            best, values = self.responses(seat, *theirs)
        return unpack_plan(best[int(values.argmax())], types[seat])

    def plan_values(self, seat: int, plan: Plan, answers: Sequence[Plan]) -> Floats:
        """`float64[N]`: what a plan of `seat` is worth to it against each of the other's plans."""
        types = self.solver.game.types
        own = pack_plan(plan, types[seat])[None]
        theirs = np.stack([pack_plan(answer, types[1 - seat]) for answer in answers])
        values: Floats = (
            self.payoffs(own, theirs)[0] if seat == 0 else -self.payoffs(theirs, own)[:, 0]
        )
        return values

    def analysis(self) -> PlanAnalysis:
        """The mixed strategies found, from the searching seat's side."""
        first, second = self.weights
        matrix = self.arrays.matrix[: len(first), : len(second)]
        sides = self._candidates(0, matrix, second), self._candidates(1, -matrix.T, first)
        value = float(first @ matrix @ second) * (1 if self.seat == 0 else -1)
        return PlanAnalysis(sides[self.seat], value, sides[1 - self.seat], self.gap)

    def _candidates(self, seat: int, matrix: Floats, others: Floats) -> tuple[PlanCandidate, ...]:
        """The support of a seat's mixed strategy; `matrix: float64[K, L]` are payoffs to it."""
        types, weights, values = self.solver.game.types, self.weights[seat], matrix @ others
        kept = weights[weights > LEAST_WEIGHT].sum()
        worst = matrix.argmin(axis=1)
        return tuple(
            PlanCandidate(
                unpack_plan(self.plans[seat][i], types[seat]),
                float(values[i]),
                float(weights[i] / kept),
                float(matrix[i, worst[i]]),
                unpack_plan(self.plans[1 - seat][worst[i]], types[1 - seat]),
            )
            for i in np.argsort(-weights, kind="stable")
            if weights[i] > LEAST_WEIGHT
        )


def every_movement(phases: int) -> PlanArray:
    """`uint8[M, phases]`: all movements in their order, without actions."""
    return np.array(list(itertools.product(range(4), repeat=phases)), np.uint8)


def opening_moves(phases: int) -> PlanArray:
    """`uint8[K, phases]`: the initial plans, movements without actions; the first is to stay."""
    first, second = phases - phases // 2, phases // 2
    moves = [(a,) * first + (b,) * second for a in range(4) for b in range(4)]
    return np.array(list(dict.fromkeys(moves)), np.uint8)
