"""The value network: a learned value of positions, small enough for thousands of leaves a move.

Seen from one ship, the first layer is `relu(relative + own + other + contact)`, summed over the
position and its mirror image: `relative` is a small network of the other ship's relative pose and
both ships' kinds, with an embedding of near poses; `own` and `other` are linear in the terrain
round the two ships, `contact` in the contact rates of the two poses (`contact_kernels`). A second
layer follows. Its output weights come from a second small network of hit points, kinds of ships and
turns left. The output is the difference of what the two ships see, squashed by `x / (1 + |x|)`, so
exchanging the seats changes its sign and mirroring the sea changes nothing.

For one game everything but the layers is a table, see `evaluation_kernels.NetworkTables`, and
what the layers make of two poses is kept, see `PosePairs`. Training is in
`trireme.training.navigation_value`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trireme.core.errors import BadSettings
from trireme.navigation.arrays import Ints, rules_array, sea_array, stats_array
from trireme.navigation.kernels import mobility_loss
from trireme.navigation.maps import MAX_SIZE
from trireme.navigation.rules import Navigation

from .contact_kernels import PHASES, RATES, ROW, ContactTables, contact_rates, find_contacts
from .evaluation_kernels import REACH, LeafCache, NetworkTables, PosePairs

Floats = NDArray[np.float32]

MODEL = Path(__file__).parents[1] / "models" / "value" / "network.npz"
"""The weights that ship."""
NEAR = 8
"""Poses within so many tiles along each axis have an embedding of their own; those beyond share the
nearest one's."""
PATCH = 3
"""Terrain is seen so many tiles away in each direction."""
SIDE = 2 * PATCH + 1
CHANNELS = 5
"""Of a tile of terrain: blocks ships, stops fire, carries to the right, carries down, spins."""
KIND_FEATURES = 9
RELATIVE_FEATURES = 12 + KIND_FEATURES
TERRAIN_FEATURES = CHANNELS * SIDE * SIDE + 1
CONDITION_FEATURES = 13 + KIND_FEATURES
POSES = 4 * (2 * NEAR + 1) ** 2
"""Rows of the embedding."""
NAMES = (
    "relative_in", "relative_bias", "relative_out", "relative_out_bias", "pose", "own", "other",
    "contact", "second", "second_bias",
    "condition_in", "condition_bias", "condition_out", "condition_out_bias",
)  # fmt: skip


@dataclass(frozen=True)
class ValueNetwork:
    """The weights, `float32` arrays by name; K hidden units, then D, a multiple of 4."""

    weights: Mapping[str, Floats]

    def relative(
        self, right: NDArray[Any], down: NDArray[Any], facing: NDArray[Any], kinds: Floats
    ) -> Floats:
        """`float32[..., K]` of the other ship's place and facing, the own bow up."""
        dense = self._dense("relative", relative_features(right, down, facing, kinds))
        embedded: Floats = self.weights["pose"][pose_row(right, down, facing)]
        return dense + embedded

    def conditions(self, features: Floats) -> Floats:
        """`float32[..., D + 1]` of `condition_features`; the last is a constant term."""
        return self._dense("condition", features)

    def _dense(self, name: str, features: Floats) -> Floats:
        w = self.weights
        hidden = np.maximum(features @ w[f"{name}_in"] + w[f"{name}_bias"], 0)
        out: Floats = hidden @ w[f"{name}_out"] + w[f"{name}_out_bias"]
        return out


@cache
def load_network(path: Path = MODEL) -> ValueNetwork:
    """The network of a file that a training wrote."""
    try:
        with np.load(path) as file:
            return ValueNetwork({name: file[name] for name in NAMES})
    except (OSError, KeyError, ValueError) as error:
        raise BadSettings(f"{str(path)!r} holds no value network: {error}") from None


def kind_features(stats: Ints, rules: Ints) -> Floats:
    """`float32[2, KIND_FEATURES]`: by seat, both ships' kinds as it sees them, and the rules."""
    salvos = stats[:, 1] * stats[:, 2]
    shots = stats[:, 1] * rules[1]
    ammo = shots if rules[5] < 0 else np.minimum(shots, rules[5])
    common = [rules[1] / 4, rules[2], min(rules[3], 4) / 4]
    rows = []
    for own, other in ((0, 1), (1, 0)):
        pair = [own, other]
        rows.append([*stats[pair, 0] / 4, *salvos[pair] / 8, *common, *(ammo / shots)[pair]])
    return np.array(rows, np.float32)


def relative_features(
    right: NDArray[Any], down: NDArray[Any], facing: NDArray[Any], kinds: Floats
) -> Floats:
    """`float32[..., RELATIVE_FEATURES]` of the other ship's place and facing, the own bow up."""
    across, along = np.abs(right), np.abs(down)
    apart = across + along
    columns = [right / 12, down / 12, across / 12, along / 12, apart / 12]
    columns += [np.exp(-apart / 3), np.exp(-across), np.exp(-along)]
    columns += [(facing == way) for way in range(4)]
    shape = np.broadcast_shapes(right.shape, down.shape, facing.shape)
    stacked = np.stack([np.broadcast_to(c, shape) for c in columns], -1).astype(np.float32)
    kinds = np.broadcast_to(kinds, (*shape, KIND_FEATURES))
    return np.concatenate([stacked, kinds], -1, dtype=np.float32)


def pose_row(right: NDArray[Any], down: NDArray[Any], facing: NDArray[Any]) -> NDArray[np.int64]:
    """The row of a relative pose in the embedding, `float32[POSES, K]`."""
    side = 2 * NEAR + 1
    across, along = (np.clip(axis, -NEAR, NEAR) + NEAR for axis in (right, down))
    rows: NDArray[np.int64] = ((across * side + along) * 4 + facing).astype(np.int64)
    return rows


def condition_features(
    hp: NDArray[Any], other_hp: NDArray[Any], stats: Ints, left: Any, kinds: Floats
) -> Floats:
    """`float32[..., CONDITION_FEATURES]` of hit points, as the first ship sees them.

    `stats: int32[..., 2, 5]` with the own ship first, `left` the turns left.
    """
    own, other = stats[..., 0, :], stats[..., 1, :]
    share, other_share = hp / own[..., 4], other_hp / other[..., 4]
    survives = np.ceil(hp / (other[..., 1] * other[..., 2]))
    other_survives = np.ceil(other_hp / (own[..., 1] * own[..., 2]))
    leads = np.sign(share - other_share)
    soon = [np.exp(-np.asarray(left) / turns) for turns in (2, 6, 20)]
    columns = [share, other_share, share - other_share, hp / 30, other_hp / 30]
    columns += [1 / np.maximum(survives, 1), 1 / np.maximum(other_survives, 1)]
    columns += [*soon, *(leads * s for s in soon)]
    shape = np.broadcast_shapes(hp.shape, other_hp.shape)
    stacked = np.stack([np.broadcast_to(c, shape) for c in columns], -1).astype(np.float32)
    kinds = np.broadcast_to(kinds, (*shape, KIND_FEATURES))
    return np.concatenate([stacked, kinds], -1, dtype=np.float32)


def terrain_features(game: Navigation) -> Floats:
    """`float32[2, P, 4, TERRAIN_FEATURES]`: by mirroring, tile and facing, the own bow up."""
    sea, stride = sea_array(game.chart), game.chart.width + 2
    tiles = np.arange(len(sea))
    target = np.where(sea >= 64, sea >> 6, tiles)
    carried = np.stack([target % stride - tiles % stride, target // stride - tiles // stride])
    quarter = (sea >> 4) & 3
    spin = np.where(quarter == 1, 1, 0) - np.where(quarter == 3, 1, 0)
    flat = np.stack([sea & 1, (sea >> 1) & 1, carried[0], carried[1], spin]).astype(np.int8)
    height = game.chart.height + 2
    grid = flat.reshape(CHANNELS, height, stride)
    outside = ((0, 0), (PATCH, PATCH), (PATCH, PATCH))
    padded = np.pad(grid, outside)
    padded[:2] = np.pad(grid[:2], outside, constant_values=1)
    mobility = mobility_loss(sea, stride, 3)
    found = np.zeros((2, height, stride, 4, TERRAIN_FEATURES), np.float32)
    for facing in range(4):
        patch = _patches(padded, facing)
        found[0, :, :, facing, :-1] = patch.reshape(height, stride, -1)
        mirrored = patch[..., ::-1].copy()
        mirrored[:, :, [2, 4]] *= -1
        found[1, :, :, facing, :-1] = mirrored.reshape(height, stride, -1)
        found[:, :, :, facing, -1] = mobility[:, facing].reshape(height, stride)
    return found.reshape(2, -1, 4, TERRAIN_FEATURES)


def _patches(padded: NDArray[np.int8], facing: int) -> NDArray[np.int8]:
    """`int8[rows, columns, CHANNELS, SIDE, SIDE]`: the terrain round each tile, that bow up."""
    turned = np.rot90(padded, facing, axes=(1, 2))
    right, down = turned[2].copy(), turned[3].copy()
    turned = turned.copy()
    for _ in range(facing):
        right, down = down, -right
    turned[2], turned[3] = right, down
    windows = np.lib.stride_tricks.sliding_window_view(turned, (SIDE, SIDE), axis=(1, 2))
    back = np.rot90(windows, -facing, axes=(1, 2))
    return np.ascontiguousarray(np.moveaxis(back, 0, 2))


@cache
def _all_poses() -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """All relative poses, each `[N × N × 4]`: places to the right, down, facings."""
    span = np.arange(-REACH, REACH + 1)
    right, down, facing = np.meshgrid(span, span, np.arange(4), indexing="ij")
    return right.ravel(), down.ravel(), facing.ravel()


class GameTables:
    """The tables of a network for one game."""

    def __init__(self, network: ValueNetwork, game: Navigation, terrain: Floats) -> None:
        self.network = network
        self.stats, self.rules = stats_array(game.types), rules_array(game)
        self.kinds = kind_features(self.stats, self.rules)
        poses = _all_poses()
        self.relative = np.stack([network.relative(*poses, kinds) for kinds in self.kinds])
        by_pose = terrain.reshape(2, -1, TERRAIN_FEATURES)
        self.own = by_pose @ network.weights["own"]
        self.other = by_pose @ network.weights["other"]
        self._conditions: dict[int, NetworkTables] = {}

    def after(self, turn: int) -> NetworkTables:
        """The tables for leaves after `turn` turns."""
        if turn not in self._conditions:
            hp, other = np.arange(self.stats[0, 4] + 1), np.arange(self.stats[1, 4] + 1)
            left = int(self.rules[4]) - turn
            mine = condition_features(hp[:, None], other[None], self.stats, left, self.kinds[0])
            swapped = self.stats[::-1]
            theirs = condition_features(other[None], hp[:, None], swapped, left, self.kinds[1])
            outputs = self.network.conditions(mine), -self.network.conditions(theirs)
            weights = self.network.weights
            tables = NetworkTables(
                relative=self.relative,
                own=self.own,
                other=self.other,
                contact=weights["contact"],
                second=weights["second"],
                second_bias=weights["second_bias"],
                conditions=np.stack(outputs, 2, dtype=np.float32),
            )
            self._conditions[turn] = tables
        return self._conditions[turn]

    def pairs(self) -> PosePairs:
        """An empty memory of pairs of poses for this network."""
        return pose_pairs(*self.network.weights["second"].shape)


MOST_TILES = (MAX_SIZE + 2) ** 2
"""Tiles of the largest map, with its edge."""
MOST_PAIRS = 256**2
"""Pairs of poses that one turn can end with at most."""
FULL = MOST_PAIRS
"""With more pairs than that in use, new searches begin another memory. Before, one turn and the
leaf that is being solved still find room."""

CACHED = 2**15
"""Places for values of leaves."""


def pose_pairs(units: int = 0, outputs: int = 0) -> PosePairs:
    """An empty memory of pairs of poses; it is claimed only where it is written."""
    slots, rows = 4 * MOST_PAIRS, FULL + 2 * MOST_PAIRS
    return PosePairs(
        keys=np.zeros(slots, np.int32),
        slots=np.zeros(slots, np.int32),
        poses=np.empty((rows, 2), np.int32),
        units=np.empty((rows, 2, outputs), np.float32),
        count=np.zeros(1, np.int64),
        rates=np.zeros((2, 2 * RATES), np.float32),
        hidden=np.zeros(units, np.float32),
        summed=np.zeros(outputs, np.float32),
    )


def leaf_cache() -> LeafCache:
    """An empty cache, about as large as what a processor core keeps close."""
    return LeafCache(
        keys=np.zeros(CACHED, np.int64), values=np.zeros(CACHED), stamps=np.zeros(1, np.int64)
    )


def contact_tables() -> ContactTables:
    """Tables for a game on any map, nothing found yet; claimed only where written."""
    poses, window = 4 * MOST_TILES, ROW**2
    return ContactTables(
        counts=np.zeros(poses, np.int32),
        places=np.empty((poses, window, 2), np.int8),
        visits=np.empty((poses, window, PHASES), np.int16),
        strikes=np.empty((2, poses, window, 2 * PHASES), np.int16),
        ends=np.empty((2, 4**PHASES, 2), np.int64),
        known=np.empty(window, np.int64),
    )


def rates_between(
    tables: ContactTables, sea: NDArray[np.uint32], stats: Ints, rules: Ints, ships: Ints
) -> Floats:
    """`float32[2, RATES]`: the contact rates of two ships, `ships: int32[2, 3]`, by seat."""
    rates = np.zeros((2, 2 * RATES), np.float32)
    first, second = (4 * int(ship[0]) + int(ship[1]) for ship in ships)
    for pose in (first, second):
        if tables.counts[pose] == 0:
            find_contacts(tables, sea, stats, rules, pose)
    contact_rates(tables, int(rules[0]), first, second, rates)
    return rates[:, :RATES]


def no_tables() -> NetworkTables:
    """Tables without a network."""
    nothing = np.zeros((2, 1, 0), np.float32)
    empty = np.zeros((0, 0), np.float32)
    conditions = np.zeros((1, 1, 2, 1), np.float32)
    return NetworkTables(nothing, nothing, nothing, empty, empty, empty.reshape(0), conditions)
