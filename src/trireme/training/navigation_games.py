"""Self-play of Battle Navigation with the turn's solver: positions and what they turned out worth.

Every turn of every game is solved as a matrix game, with the value network at its leaves, and both
plans are drawn from the solution's mixed strategies or, to explore, evenly from its candidates. The
target for a position is a λ-return: partly the solved value, partly what the rest of the game was
worth. Seas, ships, rules and turn limits are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.navigation.arrays import spawn_array
from trireme.navigation.kernels import FIRST, GOING_ON, SECOND, play_turn
from trireme.navigation.map_generator import blank_map, default_map, procedural_map
from trireme.navigation.maps import SeaMap, mirrored_map
from trireme.navigation.rules import Navigation
from trireme.navigation.search.contact_kernels import RATES, ContactTables
from trireme.navigation.search.double_oracle import TurnSolver
from trireme.navigation.search.double_oracle_kernels import OracleArrays, solve
from trireme.navigation.search.evaluation_kernels import hit_point_values, relative_pose
from trireme.navigation.search.value_network import (
    CONDITION_FEATURES,
    RELATIVE_FEATURES,
    TERRAIN_FEATURES,
    ValueNetwork,
    condition_features,
    contact_tables,
    kind_features,
    pose_row,
    relative_features,
    terrain_features,
)
from trireme.navigation.ships import SHIPS

from .settings import NavigationValue

FARTHEST = 12
"""Drawn poses are at most so many tiles apart; each distance up to that is about as likely."""
NEW_PLANS = 8
"""Best responses that a seat adds in one iteration: few, and more iterations, give truer values in
the same time."""
FORMULA_POSITIONS = 100
"""Positions of a sea that warm the network up."""
PLANS = 256
"""Plans of a seat at most."""


@dataclass
class ValueSamples:
    """Positions, each as both seats see it, and their targets, values to seat 0."""

    relative: NDArray[np.float32]
    """float32[B, 2, 2, RELATIVE_FEATURES]: by seat; as it is, and mirrored."""
    poses: NDArray[np.int64]
    """int64[B, 2, 2]: the same as rows of the embedding."""
    terrain: NDArray[np.float16]
    """float16[B, 2, TERRAIN_FEATURES]: round each seat's ship, not mirrored; most of a sample's
    memory, and exact in so few bits."""
    contacts: NDArray[np.float32]
    """float32[B, 2, RATES]: the contact rates, by seat."""
    conditions: NDArray[np.float32]
    """float32[B, 2, CONDITION_FEATURES]: by seat."""
    values: NDArray[np.float32]
    """float32[B]"""

    @classmethod
    def empty(cls, size: int) -> ValueSamples:
        return cls(
            np.zeros((size, 2, 2, RELATIVE_FEATURES), np.float32),
            np.zeros((size, 2, 2), np.int64),
            np.zeros((size, 2, TERRAIN_FEATURES), np.float16),
            np.zeros((size, 2, RATES), np.float32),
            np.zeros((size, 2, CONDITION_FEATURES), np.float32),
            np.zeros(size, np.float32),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        return vars(self)

    def __len__(self) -> int:
        return len(self.values)


def join_samples(parts: Sequence[ValueSamples]) -> ValueSamples:
    """All samples of all parts, in order."""
    names = [field.name for field in fields(ValueSamples)]
    return ValueSamples(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def draw_sea(rng: Generator) -> SeaMap:
    """A procedural sea mostly; else the default one, or empty water of any size."""
    kind = rng.random()
    if kind < 0.1:
        return blank_map(int(rng.integers(4, 25)), int(rng.integers(4, 25)))
    sea = default_map() if kind < 0.15 else procedural_map(int(rng.integers(2**62)))
    return mirrored_map(sea) if rng.integers(2) else sea


def draw_game(rng: Generator) -> Navigation:
    """A sea, a pair of ships and rules; mostly the default rules."""
    names = sorted(SHIPS)
    first, second = (names[int(k)] for k in rng.integers(len(names), size=2))
    usual = rng.random(5) < (0.6, 0.95, 0.95, 0.95, 0.95)
    return Navigation(
        ships=(first, second),
        map=draw_sea(rng),
        turn_limit=50 if usual[0] else int(rng.integers(1, 61)),
        turns="stay" if usual[1] else "advance",
        ammo_per_turn=None if usual[2] else int(rng.integers(1, 9)),
        ram_damage=0 if usual[3] else int(rng.integers(1, 4)),
        phases=4 if usual[4] else int(rng.integers(1, 4)),
    )


class SeaOfGames:
    """Games on one sea, with the same ships and rules."""

    def __init__(
        self, seed: int, config: NavigationValue, contacts: ContactTables | None = None
    ) -> None:
        self.config, self.seed = config, seed
        self.rng = np.random.default_rng(seed)
        self.game = draw_game(self.rng)
        self.terrain = terrain_features(self.game)
        self.solver = TurnSolver(self.game, contacts=contacts)
        self.open = np.flatnonzero(self.solver.sea & 1 == 0)
        self.stride = self.game.chart.width + 2
        self.begun = self.rng.bit_generator.state

    def draw_start(self) -> tuple[NDArray[np.int32], int]:
        """(ships, turns played): the spawns, or drawn poses, hit points and turns."""
        rng, most = self.rng, self.solver.stats[:, 4]
        ships = np.zeros((2, 3), np.int32)
        ships[:, :2], ships[:, 2] = spawn_array(self.game.chart), most
        if rng.random() >= self.config.near:
            return ships, 0
        first = int(rng.choice(self.open))
        x, y = self.open % self.stride, self.open // self.stride
        away = np.abs(x - first % self.stride) + np.abs(y - first // self.stride)
        # So many tiles away there are 4 times as many tiles: each weighs less, the farther it is.
        chances = np.where((away > 0) & (away <= FARTHEST), 1 / np.maximum(away, 1), 0.0)
        if not chances.any():
            return ships, 0
        ships[:, 0] = first, int(rng.choice(self.open, p=chances / chances.sum()))
        ships[:, 1] = rng.integers(4, size=2)
        hurt = rng.random(2) < 0.6
        ships[:, 2] = np.where(hurt, rng.integers(1, most + 1), most)
        return ships, int(rng.integers(self.game.turn_limit))

    def formula_samples(self) -> ValueSamples:
        """Drawn positions with the values of the search's formula."""
        found = ValueSamples.empty(FORMULA_POSITIONS)
        for at in range(FORMULA_POSITIONS):
            ships, turn = self.draw_start()
            self.describe(ships, turn, found, at)
            values = hit_point_values(self.solver.stats, self.solver.rules, turn)
            found.values[at] = values[0, ships[0, 2], ships[1, 2]]
        return found

    def play(self, network: ValueNetwork, arrays: OracleArrays, trace: float) -> ValueSamples:
        """`config.games` games, every turn solved with `network` at the leaves.

        `trace` is the λ of the targets.
        """
        self.solver.use(network, self.terrain)
        starts = [self.draw_start() for _ in range(self.config.games)]
        return join_samples([self.play_game(*start, arrays, trace) for start in starts])

    def play_game(
        self, ships: NDArray[np.int32], turn: int, arrays: OracleArrays, trace: float
    ) -> ValueSamples:
        """One game from this position; `ships` is changed.

        It is played to its end, or cut off after `config.turns` turns where it does not begin with
        turn 0: the value of the last turn then stands for the rest.
        """
        solver, config = self.solver, self.config
        found = ValueSamples.empty(self.game.turn_limit - turn)
        solved: list[float] = []
        explored: list[bool] = []
        outcome = GOING_ON
        most = self.config.turns if turn else self.game.turn_limit
        while outcome == GOING_ON and len(solved) < most:
            self.describe(ships, turn, found, len(solved))
            position = solver.turn_arrays(ships.copy(), turn, solver.no_bonus)
            value, _ = solve(
                position,
                arrays,
                solver.openings,
                solver.openings,
                config.rounds,
                config.tolerance,
                NEW_PLANS,
            )
            drawn = [self._draw(arrays, seat) for seat in (0, 1)]
            plans = [arrays.plans[seat, index] for seat, (index, _) in enumerate(drawn)]
            solved.append(float(value))
            explored.append(any(by_chance for _, by_chance in drawn))
            turn += 1
            outcome = play_turn(solver.sea, solver.stats, solver.rules, ships, turn, *plans)
        known = {FIRST: 1.0, SECOND: -1.0, GOING_ON: solved[-1]}
        result = known.get(outcome, 0.0)
        found.values[: len(solved)] = lambda_returns(solved, explored, result, trace)
        return ValueSamples(*(array[: len(solved)] for array in found.arrays().values()))

    def _draw(self, arrays: OracleArrays, seat: int) -> tuple[int, bool]:
        """A plan of the mixed strategy, or any candidate; and whether the latter."""
        count = int(arrays.solved[seat])
        if self.rng.random() < self.config.exploration:
            return int(self.rng.integers(count)), True
        weights = arrays.weights[seat, :count]
        return int(self.rng.choice(count, p=weights / weights.sum())), False

    def describe(self, ships: NDArray[np.int32], turn: int, found: ValueSamples, at: int) -> None:
        """Write the position of `ships` after `turn` turns into row `at`, without a value."""
        stats, rules = self.solver.stats, self.solver.rules
        kinds = kind_features(stats, rules)
        left = self.game.turn_limit - turn
        found.contacts[at] = self.solver.contact_rates(ships)
        for seat in (0, 1):
            own, other = ships[seat], ships[1 - seat]
            right, down, facing = relative_pose(own[0], own[1], other[0], other[1], self.stride)
            both = (
                np.array([right, -right]),
                np.array([down, down]),
                np.array([facing, -facing & 3]),
            )
            found.relative[at, seat] = relative_features(*both, kinds[seat])
            found.poses[at, seat] = pose_row(*both)
            found.terrain[at, seat] = self.terrain[0, own[0], own[1]]
            found.conditions[at, seat] = condition_features(
                np.asarray(own[2]), np.asarray(other[2]), stats[[seat, 1 - seat]], left, kinds[seat]
            )


class SeaState(NamedTuple):
    """A sea as another process can make it: its seed, and the state of its random numbers."""

    seed: int
    rng: Mapping[str, Any] | None = None
    """None: as it begins."""


class PlayedSea(NamedTuple):
    """What one step of games on a sea gave."""

    samples: ValueSamples
    rng: Mapping[str, Any]
    """The state of the sea's random numbers afterwards."""


def play_sea(
    state: SeaState, config: NavigationValue, network: ValueNetwork, trace: float
) -> PlayedSea:
    """`config.games` games on a sea, in any process."""
    sea = SeaOfGames(state.seed, config, _contacts())
    sea.rng.bit_generator.state = sea.begun if state.rng is None else state.rng
    samples = sea.play(network, _arrays(sea.game.phases), trace)
    return PlayedSea(samples, sea.rng.bit_generator.state)


@cache
def _contacts() -> ContactTables:
    """The contact tables of this process: large, so made once, and found anew for every sea."""
    return contact_tables()


@cache
def _arrays(phases: int) -> OracleArrays:
    """The arrays of this process for games of so many phases: large, so made once."""
    return TurnSolver(Navigation(phases=phases)).oracle_arrays(PLANS)


def lambda_returns(
    solved: Sequence[float], explored: Sequence[bool], result: float, trace: float
) -> NDArray[np.float32]:
    """TD(λ): each turn's target is `trace` × the next one's, the rest its own solved value.

    The last turn's next target is the game's `result`. What follows a plan that was only explored
    says nothing about good play: there the target is the solved value.
    """
    targets = np.zeros(len(solved), np.float32)
    following = result
    for turn in reversed(range(len(solved))):
        share = 0.0 if explored[turn] else trace
        following = targets[turn] = (1 - share) * solved[turn] + share * following
    return targets
