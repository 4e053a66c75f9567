"""Plans against plans on arrays: movements simulated once, and payoff matrices.

A movement is a plan's moves as base-4 digits, first move first; M = 4 ^ phases. A plan is its
movement and its actions. What the ships' movements lead to depends on movements alone, so every
movement of a seat is simulated against each movement of the other once, and actions are counted
afterwards. Functions that take `own` give values to that seat; the rules do not care which ship is
looked at first, so both seats share one code.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit
from trireme.navigation.kernels import drift, move, reaches

from .evaluation_kernels import (
    TurnArrays,
    add_pair,
    cache_leaf,
    cache_place,
    evaluate_pairs,
    pair_place,
)


class Simulations(NamedTuple):
    """One seat's movements (last index) against movements of the other (first index)."""

    contacts: Any
    """uint16[M, phases, M]: entry [p, m >> 2 (phases - 1 - p)] belongs to phase p of movement m:
    own contact bits, 16 × the other's, 256 if the own ship ran into something, 512 if the other
    did."""
    poses: Any
    """int32[M, M, 2]: the last poses of seat 0 and seat 1, 4 × tile + facing."""
    calm: Any
    """uint8[M, M]: 1 where nothing can connect in any phase, and nobody runs into anything."""
    ready: Any
    """uint8[M, M]: 1 where the rest is known: most pairs of movements are never asked for; 2 where
    only `slots` is."""
    slots: Any
    """int32[M, M]: the row of the last poses in the turn's `PosePairs`."""
    quiet: Any
    """float64[M, M]: the value to seat 0 if nobody loses hit points."""
    done: Any
    """uint8[M]: 1 for the other's movements that have been simulated."""


@njit(makes_arrays=False)
def contact_bits(
    sea: Any, tile: Any, bow: Any, enemy: Any, stats: Any, seat: Any, stride: Any
) -> Any:
    """Bits of what would connect: 1 grapple port, 2 starboard, 4 shoot port, 8 starboard."""
    far, near = stats[seat, 0], stats[seat, 3]
    if abs(enemy - tile) > far * stride:
        return 0
    port, starboard = (bow + 3) & 3, (bow + 1) & 3
    if reaches(sea, tile, port, enemy, far, stride):
        return 5 if reaches(sea, tile, port, enemy, near, stride) else 4
    if reaches(sea, tile, starboard, enemy, far, stride):
        return 10 if reaches(sea, tile, starboard, enemy, near, stride) else 8
    return 0


@njit(makes_arrays=False)
def effect(what: Any, can: Any, damage: Any) -> Any:
    """(grapples, damage) of an action, an order's number // 4, given the bits of what connects."""
    if what < 3:
        return (can & what) != 0, 0
    if can & (8 if (what - 3) & 1 else 4):
        return False, (((what - 3) >> 1) + 1) * damage
    return False, 0


@njit(makes_arrays=False)
def simulate_movements(turn: TurnArrays, own: Any, answer: Any, contacts: Any, ends: Any) -> Any:
    """Every movement of seat `own` against one plan, phase by phase, common prefixes once.

    Of the plan only the moves matter. `contacts: uint16[phases, M]` is as in `Simulations`; `ends:
    int64[2, M, 5]` is working memory. Returns which of its halves holds the ends: tile and facing
    of the own ship, then of the other, and all bits of the contacts on the way.
    """
    sea, stats, rules, ships = turn.sea, turn.stats, turn.rules, turn.ships
    them = 1 - own
    stride, phases, keep = np.int64(rules[0]), rules[1], rules[2] != 0
    ends[0, 0, 0], ends[0, 0, 1] = ships[own, 0], ships[own, 1]
    ends[0, 0, 2], ends[0, 0, 3] = ships[them, 0], ships[them, 1]
    ends[0, 0, 4] = 0
    count = 1
    for phase in range(phases):
        old, new = phase & 1, 1 - (phase & 1)
        count *= 4
        their_move = np.int64(answer[phase]) & 3
        for m in range(count):
            at = m >> 2
            a, af, a_ram, b, bf, b_ram = move(
                sea,
                ends[old, at, 0],
                ends[old, at, 1],
                m & 3,
                ends[old, at, 2],
                ends[old, at, 3],
                their_move,
                stride,
                keep,
            )
            a, af, b, bf = drift(sea, a, af, b, bf)
            bits = contact_bits(sea, a, af, b, stats, own, stride)
            bits |= contact_bits(sea, b, bf, a, stats, them, stride) << 4
            bits |= (256 if a_ram else 0) | (512 if b_ram else 0)
            contacts[phase, m] = bits
            ends[new, m, 0], ends[new, m, 1] = a, af
            ends[new, m, 2], ends[new, m, 3] = b, bf
            ends[new, m, 4] = ends[old, at, 4] | bits
    return phases & 1


@njit(makes_arrays=False)
def movement_of(plan: Any) -> Any:
    """The number of a plan's movement."""
    m = 0
    for phase in range(plan.shape[0]):
        m = 4 * m + (plan[phase] & 3)
    return m


@njit
def simulate_new_movements(turn: TurnArrays, own: Any, answers: Any, known: Simulations) -> Any:
    """Simulate the movement of every answer that is not yet `done`; returns their movements."""
    movements = np.zeros(answers.shape[0], np.int64)
    ends = np.empty((2, known.done.shape[0], 5), np.int64)
    for j in range(answers.shape[0]):
        movements[j] = movement_of(answers[j])
        _simulate(turn, own, answers, j, movements[j], known, ends)
    return movements


@njit(makes_arrays=False)
def _simulate(
    turn: TurnArrays, own: Any, answers: Any, j: Any, e: Any, known: Simulations, ends: Any
) -> None:
    """Simulate answer j, of movement e, unless it is `done`."""
    if known.done[e]:
        return
    first, second = (0, 2) if own == 0 else (2, 0)
    half = simulate_movements(turn, own, answers[j], known.contacts[e], ends)
    for m in range(ends.shape[1]):
        known.calm[e, m] = ends[half, m, 4] == 0
        known.poses[e, m, 0] = 4 * ends[half, m, first] + ends[half, m, first + 1]
        known.poses[e, m, 1] = 4 * ends[half, m, second] + ends[half, m, second + 1]
        known.ready[e, m] = 0
    known.done[e] = 1


@njit(makes_arrays=False)
def evaluate_ends(turn: TurnArrays, known: Simulations, e: Any, wanted: Any) -> None:
    """What the evaluation needs of the last poses against movement `e`, and the quiet values.

    `wanted: uint8[M]` is 1 for the own movements in question.
    """
    ready, slots, poses = known.ready, known.slots, known.poses
    keys, rows, pairs, count = turn.pairs.keys, turn.pairs.slots, turn.pairs.poses, turn.pairs.count
    begin = count[0]
    for m in range(wanted.shape[0]):
        if ready[e, m] or not wanted[m]:
            continue
        first, second = np.int64(poses[e, m, 0]), np.int64(poses[e, m, 1])
        key = (first << 12 | second) + 1
        at = pair_place(keys, key)
        if keys[at] == key:
            slots[e, m] = rows[at]
        else:
            slots[e, m] = add_pair(keys, rows, pairs, count, at, first, second)
        ready[e, m] = 2
    if count[0] > begin:
        evaluate_pairs(turn, begin)
    _evaluate_quiet(turn, known, e, 2)


@njit(makes_arrays=False)
def _evaluate_quiet(turn: TurnArrays, known: Simulations, e: Any, ready_now: Any) -> None:
    """`quiet` against movement `e`, where `ready` is `ready_now`; it becomes 1."""
    ready, slots, quiet = known.ready, known.slots, known.quiet
    keys, cached, stamp = turn.cache.keys, turn.cache.values, turn.stamp
    hp, other_hp = np.int64(turn.ships[0, 2]), np.int64(turn.ships[1, 2])
    for m in range(ready.shape[1]):
        if ready[e, m] == ready_now:
            key, at = cache_place(keys, stamp, slots[e, m], hp, other_hp)
            if keys[at] != key:
                cache_leaf(turn, key, at, slots[e, m], hp, other_hp)
            quiet[e, m] = cached[at]
            ready[e, m] = 1


@njit(nogil=True, makes_arrays=False)
def evaluate_again(turn: TurnArrays, known: Simulations) -> None:
    """Renew the values without damage; the evaluation has changed, and with it the stamp."""
    for e in range(known.done.shape[0]):
        if known.done[e]:
            _evaluate_quiet(turn, known, e, 1)


@njit(nogil=True)
def payoffs(
    turn: TurnArrays, plans: Any, answers: Any, movements: Any, known: Simulations, values: Any
) -> None:
    """The payoff matrix `values: float64[K, L]`: to seat 0, of each plan against each answer.

    `movements: int64[L]` are those of the answers of seat 1, which seat 0 has simulated.
    """
    wanted = np.zeros(known.done.shape[0], np.uint8)
    for i in range(plans.shape[0]):
        wanted[movement_of(plans[i])] = 1
    for j in range(answers.shape[0]):
        evaluate_ends(turn, known, movements[j], wanted)
    _payoffs(turn, plans, answers, movements, known, values)


@njit(makes_arrays=False)
def _payoffs(
    turn: TurnArrays, plans: Any, answers: Any, movements: Any, known: Simulations, values: Any
) -> None:
    stats, ram, ships, contacts = turn.stats, turn.rules[3], turn.ships, known.contacts
    slots, quiet, calm = known.slots, known.quiet, known.calm
    keys, cached, stamp = turn.cache.keys, turn.cache.values, turn.stamp
    phases = plans.shape[1]
    begun, other_begun = np.int64(ships[0, 2]), np.int64(ships[1, 2])
    for i in range(plans.shape[0]):
        m = movement_of(plans[i])
        for j in range(answers.shape[0]):
            e = movements[j]
            if calm[e, m]:
                values[i, j] = quiet[e, m]
                continue
            hp, other, over, result = begun, other_begun, False, 0.0
            for phase in range(phases):
                bits = np.int64(contacts[e, phase, m >> (2 * (phases - 1 - phase))])
                if bits == 0:
                    continue
                boards, hits = effect(np.int64(plans[i, phase]) >> 2, bits & 15, stats[0, 2])
                boarded, hurt = effect(np.int64(answers[j, phase]) >> 2, bits >> 4, stats[1, 2])
                hp = max(np.int64(0), hp - hurt - (ram if bits & 256 else 0))
                other = max(np.int64(0), other - hits - (ram if bits & 512 else 0))
                if boards or boarded:
                    over, result = True, 1.0 * boards - 1.0 * boarded
                    break
                if hp == 0 or other == 0:
                    over, result = True, 1.0 * (other == 0) - 1.0 * (hp == 0)
                    break
            if not over:
                result = quiet[e, m]
                if hp != begun or other != other_begun:
                    key, at = cache_place(keys, stamp, slots[e, m], hp, other)
                    if keys[at] != key:
                        cache_leaf(turn, key, at, slots[e, m], hp, other)
                    result = cached[at]
            values[i, j] = result
