"""Contact rates on arrays: how often two ships that sail at random could hit or grapple each other.

A ship alone on the sea that draws its moves evenly stands, after each phase of a turn, on some
tiles around its pose (its reach), and could strike others (its strikes). Both depend on the sea
alone, so they are found once for every pose of a game; what two poses mean for each other is then a
short sum. Such influence maps tell the value network what rocks, winds and whirlpools between two
ships are worth, on seas that it has never seen.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit
from trireme.navigation.kernels import drift, move, step_of

WINDOW = 8
"""Reach and strikes count so many tiles away along each axis: no ship gets further in a turn."""
ROW = 2 * WINDOW + 1
PHASES = 4
"""More than a turn never has; of shorter ones the rates of the phases that are missing are 0."""
RATES = 4 * PHASES
"""By phase each: hitting and grappling a ship that sails at random, then one that stays."""


class ContactTables(NamedTuple):
    """Reach and strikes of every pose of one game, found when first asked for: P tiles, T = ROW²."""

    counts: Any
    """int32[P × 4]: by pose, 4 × tile + facing, how many tiles may be reached; 0: not found yet."""
    places: Any
    """int8[P × 4, T, 2]: these tiles, as rows down and columns to the right of the pose."""
    shares: Any
    """float32[P × 4, T, PHASES]: how probable each of them is after each phase."""
    strikes: Any
    """float32[2, P × 4, T, 2 × PHASES]: by seat and by place in the window round the pose: how
    probable it is that the ship could hit there, by phase, then grapple."""


@njit
def _find(tables: ContactTables, sea: Any, stats: Any, rules: Any, pose: Any) -> None:
    """Fill in the reach and the strikes of a pose."""
    stride, phases, keep = np.int64(rules[0]), np.int64(rules[1]), rules[2] != 0
    poses = np.empty((2, 4**phases, 2), np.int64)
    known = np.full(ROW * ROW, -1, np.int64)
    places, shares, strikes = tables.places, tables.shares, tables.strikes
    ranges, near = stats[:, 0], stats[:, 3]
    most = max(ranges[0], ranges[1])
    shares[pose] = 0
    strikes[:, pose] = 0
    begun = pose >> 2
    row, column = begun // stride, begun % stride
    poses[0, 0, 0], poses[0, 0, 1] = begun, pose & 3
    count, total = 0, 1
    for phase in range(phases):
        old, new = phase & 1, 1 - (phase & 1)
        total *= 4
        share = np.float32(1.0 / total)
        for m in range(total):
            # The other ship stands on the edge of the sea, in nobody's way.
            tile, bow, _, _, _, _ = move(
                sea, poses[old, m >> 2, 0], poses[old, m >> 2, 1], m & 3, 0, 0, 0, stride, keep
            )
            tile, bow, _, _ = drift(sea, tile, bow, 0, 0)
            poses[new, m, 0], poses[new, m, 1] = tile, bow
            down, right = tile // stride - row, tile % stride - column
            at = (down + WINDOW) * ROW + right + WINDOW
            if known[at] < 0:
                known[at] = count
                places[pose, count, 0], places[pose, count, 1] = down, right
                count += 1
            shares[pose, known[at], phase] += share
            for side in (1, 3):
                way = (bow + side) & 3
                step, across, along = step_of(way, stride), step_of(way, 0), step_of(way, 1)
                along -= across
                aim, aim_right, aim_down = tile, right, down
                for distance in range(1, most + 1):
                    aim += step
                    aim_right += across
                    aim_down += along
                    if abs(aim_right) <= WINDOW and abs(aim_down) <= WINDOW:
                        at = (aim_down + WINDOW) * ROW + aim_right + WINDOW
                        for seat in range(2):
                            if distance <= ranges[seat]:
                                strikes[seat, pose, at, phase] += share
                            if distance <= near[seat]:
                                strikes[seat, pose, at, PHASES + phase] += share
                    if sea[aim] & 2:
                        break
    tables.counts[pose] = count


@njit
def contact_rates(
    tables: ContactTables, sea: Any, stats: Any, rules: Any, first: Any, second: Any, rates: Any
) -> None:
    """`rates: float32[2, 2 × RATES]`: as each seat sees it, its own rates, then the other's.

    `first` and `second` are the poses of the seats. Square roots of probabilities, which tell rare
    contacts apart.
    """
    stride = np.int64(rules[0])
    counts, places, shares = tables.counts, tables.places, tables.shares
    strikes = tables.strikes
    if counts[first] == 0:
        _find(tables, sea, stats, rules, first)
    if counts[second] == 0:
        _find(tables, sea, stats, rules, second)
    down = (second >> 2) // stride - (first >> 2) // stride
    right = (second >> 2) % stride - (first >> 2) % stride
    for seat in range(2):
        own, other = (first, second) if seat == 0 else (second, first)
        sign = 1 - 2 * seat
        for k in range(RATES):
            rates[seat, k] = 0
        for k in range(counts[other]):
            row = sign * down + places[other, k, 0] + WINDOW
            column = sign * right + places[other, k, 1] + WINDOW
            if 0 <= row < ROW and 0 <= column < ROW:
                at = row * ROW + column
                for phase in range(PHASES):
                    share = shares[other, k, phase]
                    rates[seat, phase] += share * strikes[seat, own, at, phase]
                    hooked = share * strikes[seat, own, at, PHASES + phase]
                    rates[seat, PHASES + phase] += hooked
        row, column = sign * down + WINDOW, sign * right + WINDOW
        if 0 <= row < ROW and 0 <= column < ROW:
            for k in range(2 * PHASES):
                rates[seat, 2 * PHASES + k] = strikes[seat, own, row * ROW + column, k]
        for k in range(RATES):
            rates[seat, k] = np.sqrt(rates[seat, k])
            rates[1 - seat, RATES + k] = rates[seat, k]
