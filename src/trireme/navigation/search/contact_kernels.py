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
    """Reach and strikes of every pose of a game, found when first asked for; P tiles, T = ROW²."""

    counts: Any
    """int32[P × 4]: by pose, 4 × tile + facing, how many tiles may be reached; 0: not found yet."""
    places: Any
    """int8[P × 4, T, 2]: these tiles, as rows down and columns to the right of the pose."""
    visits: Any
    """int16[P × 4, T, PHASES]: how many of the 4^n ways to sail n phases end on each of them."""
    strikes: Any
    """int16[2, P × 4, T, 2 × PHASES]: by seat and by place in the window round the pose: after how
    many of them the ship could hit there, by phase, then grapple."""
    ends: Any
    """int64[2, 4 ** PHASES, 2]: working memory, like the next."""
    known: Any
    """int64[T]"""


@njit(makes_arrays=False)
def find_contacts(tables: ContactTables, sea: Any, stats: Any, rules: Any, pose: Any) -> None:
    """Fill in the reach and the strikes of a pose."""
    counts, places, visits, strikes, poses, known = tables
    stride, phases, keep = np.int64(rules[0]), np.int64(rules[1]), rules[2] != 0
    known[:] = -1
    ranges, near = stats[:, 0], stats[:, 3]
    most = max(ranges[0], ranges[1])
    visits[pose] = 0
    strikes[:, pose] = 0
    begun = pose >> 2
    row, column = begun // stride, begun % stride
    poses[0, 0, 0], poses[0, 0, 1] = begun, pose & 3
    count, total = 0, 1
    for phase in range(phases):
        old, new = phase & 1, 1 - (phase & 1)
        total *= 4
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
            visits[pose, known[at], phase] += 1
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
                                strikes[seat, pose, at, phase] += 1
                            if distance <= near[seat]:
                                strikes[seat, pose, at, PHASES + phase] += 1
                    if sea[aim] & 2:
                        break
    counts[pose] = count


@njit(makes_arrays=False)
def contact_rates(tables: ContactTables, stride: Any, first: Any, second: Any, rates: Any) -> None:
    """`rates: float32[2, 2 × RATES]`: as each seat sees it, its own rates, then the other's.

    `first` and `second` are the poses of the seats, whose contacts have been found. Square roots of
    probabilities, which tell rare contacts apart.
    """
    counts, places, visits, strikes = tables.counts, tables.places, tables.visits, tables.strikes
    down = (second >> 2) // stride - (first >> 2) // stride
    right = (second >> 2) % stride - (first >> 2) % stride
    for seat in range(2):
        own, other = (first, second) if seat == 0 else (second, first)
        sign = 1 - 2 * seat
        # By phase, in variables of their own: sums in an array would be written every time.
        hit1 = hit2 = hit3 = hit4 = hook1 = hook2 = hook3 = hook4 = np.int64(0)
        for k in range(counts[other]):
            row = sign * down + places[other, k, 0] + WINDOW
            column = sign * right + places[other, k, 1] + WINDOW
            if 0 <= row < ROW and 0 <= column < ROW:
                at = row * ROW + column
                hit1 += visits[other, k, 0] * strikes[seat, own, at, 0]
                hit2 += visits[other, k, 1] * strikes[seat, own, at, 1]
                hit3 += visits[other, k, 2] * strikes[seat, own, at, 2]
                hit4 += visits[other, k, 3] * strikes[seat, own, at, 3]
                hook1 += visits[other, k, 0] * strikes[seat, own, at, 4]
                hook2 += visits[other, k, 1] * strikes[seat, own, at, 5]
                hook3 += visits[other, k, 2] * strikes[seat, own, at, 6]
                hook4 += visits[other, k, 3] * strikes[seat, own, at, 7]
        hits, hooks = (hit1, hit2, hit3, hit4), (hook1, hook2, hook3, hook4)
        row, column = sign * down + WINDOW, sign * right + WINDOW
        near = 0 <= row < ROW and 0 <= column < ROW
        at, ways = row * ROW + column, 1.0
        for phase in range(PHASES):
            ways *= 4.0
            _write(rates, seat, phase, hits[phase], ways * ways)
            _write(rates, seat, PHASES + phase, hooks[phase], ways * ways)
            hit = np.int64(strikes[seat, own, at, phase]) if near else 0
            hook = np.int64(strikes[seat, own, at, PHASES + phase]) if near else 0
            _write(rates, seat, 2 * PHASES + phase, hit, ways)
            _write(rates, seat, 3 * PHASES + phase, hook, ways)


@njit(makes_arrays=False)
def _write(rates: Any, seat: Any, at: Any, found: Any, ways: Any) -> None:
    """A rate as both seats see it: the square root of the share of all ways to sail."""
    rate = np.float32(np.sqrt(found / ways))
    rates[seat, at] = rate
    rates[1 - seat, RATES + at] = rate
