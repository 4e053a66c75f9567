"""Plans against plans on arrays: movements simulated once, payoff matrices, best responses.

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
    evaluate_pairs,
    leaf_value,
    pair_place,
    pose_value,
)

MOST_HP = 32
"""More than any ship's hit points."""


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
    bonus: Any
    """float32[M, M]: `pose_value` of the last poses."""
    quiet: Any
    """float64[M, M]: the value to seat 0 if nobody loses hit points."""
    done: Any
    """uint8[M]: 1 for the other's movements that have been simulated."""


@njit
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


@njit
def effect(what: Any, can: Any, damage: Any) -> Any:
    """(grapples, damage) of an action, an order's number // 4, given the bits of what connects."""
    if what < 3:
        return (can & what) != 0, 0
    if can & (8 if (what - 3) & 1 else 4):
        return False, (((what - 3) >> 1) + 1) * damage
    return False, 0


@njit
def simulate_movements(turn: TurnArrays, own: Any, answer: Any, contacts: Any, ends: Any) -> None:
    """Every movement of seat `own` against one plan, phase by phase, common prefixes once.

    Of the plan only the moves matter. `contacts: uint16[phases, M]` is as in `Simulations`;
    `ends: int64[M, 4]` gets tile and facing of the own ship, then of the other, after the turn.
    """
    sea, stats, rules, ships = turn.sea, turn.stats, turn.rules, turn.ships
    them = 1 - own
    stride, phases, keep = np.int64(rules[0]), rules[1], rules[2] != 0
    poses = np.empty((2, 4**phases, 4), np.int64)
    poses[0, 0, 0], poses[0, 0, 1] = ships[own, 0], ships[own, 1]
    poses[0, 0, 2], poses[0, 0, 3] = ships[them, 0], ships[them, 1]
    count = 1
    for phase in range(phases):
        old, new = phase & 1, 1 - (phase & 1)
        count *= 4
        their_move = np.int64(answer[phase]) & 3
        for m in range(count):
            at = m >> 2
            a, af, a_ram, b, bf, b_ram = move(
                sea,
                poses[old, at, 0],
                poses[old, at, 1],
                m & 3,
                poses[old, at, 2],
                poses[old, at, 3],
                their_move,
                stride,
                keep,
            )
            a, af, b, bf = drift(sea, a, af, b, bf)
            poses[new, m, 0], poses[new, m, 1] = a, af
            poses[new, m, 2], poses[new, m, 3] = b, bf
            bits = contact_bits(sea, a, af, b, stats, own, stride)
            bits |= contact_bits(sea, b, bf, a, stats, them, stride) << 4
            contacts[phase, m] = bits | (256 if a_ram else 0) | (512 if b_ram else 0)
    ends[:] = poses[phases & 1]


@njit
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
    ends = np.empty((known.done.shape[0], 4), np.int64)
    first, second = (0, 2) if own == 0 else (2, 0)
    for j in range(answers.shape[0]):
        e = movement_of(answers[j])
        movements[j] = e
        if known.done[e]:
            continue
        simulate_movements(turn, own, answers[j], known.contacts[e], ends)
        phases = known.contacts.shape[1]
        for m in range(ends.shape[0]):
            bits = 0
            for phase in range(phases):
                bits |= known.contacts[e, phase, m >> (2 * (phases - 1 - phase))]
            known.calm[e, m] = bits == 0
            known.poses[e, m, 0] = 4 * ends[m, first] + ends[m, first + 1]
            known.poses[e, m, 1] = 4 * ends[m, second] + ends[m, second + 1]
            known.ready[e, m] = 0
        known.done[e] = 1
    return movements


@njit
def _evaluate_ends(turn: TurnArrays, known: Simulations, e: Any, wanted: Any) -> None:
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


@njit
def _evaluate_quiet(turn: TurnArrays, known: Simulations, e: Any, ready_now: Any) -> None:
    """`bonus` and `quiet` against movement `e`, where `ready` is `ready_now`; it becomes 1.

    Many movements end in the same poses, which are evaluated once a turn.
    """
    ready, slots, bonus, units = known.ready, known.slots, known.bonus, turn.pairs.units
    poses, quiet, stamps = known.poses, known.quiet, turn.pairs.stamps
    pair_bonus, pair_quiet = turn.pairs.bonus, turn.pairs.quiet
    hp_values, conditions = turn.hp_values, turn.network.conditions
    searched, searched_values, unsure = turn.searched, turn.searched_values, turn.unsure
    hp, other_hp = np.int64(turn.ships[0, 2]), np.int64(turn.ships[1, 2])
    pose_bonus, mobility, stride = turn.poses, turn.mobility, np.int64(turn.rules[0])
    if turn.stamp[0] == 0:
        turn.pairs.stamp[0] += 1
        turn.stamp[0] = turn.pairs.stamp[0]
    stamp = turn.stamp[0]
    for m in range(ready.shape[1]):
        if ready[e, m] != ready_now:
            continue
        slot = slots[e, m]
        if stamps[slot] != stamp:
            first, second = np.int64(poses[e, m, 0]), np.int64(poses[e, m, 1])
            a, af, b, bf = first >> 2, first & 3, second >> 2, second & 3
            pair_bonus[slot] = pose_value(pose_bonus, mobility, a, af, b, bf, stride)
            pair_quiet[slot] = leaf_value(
                hp_values, conditions, searched, searched_values, units, slot, pair_bonus[slot],
                unsure, poses, e, m, hp, other_hp,
            )  # fmt: skip
            stamps[slot] = stamp
        bonus[e, m], quiet[e, m] = pair_bonus[slot], pair_quiet[slot]
        ready[e, m] = 1


@njit(nogil=True)
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
    stats, ram, ships, contacts = turn.stats, turn.rules[3], turn.ships, known.contacts
    units, slots, bonus = turn.pairs.units, known.slots, known.bonus
    poses, quiet, calm = known.poses, known.quiet, known.calm
    hp_values, conditions = turn.hp_values, turn.network.conditions
    searched, searched_values, unsure = turn.searched, turn.searched_values, turn.unsure
    phases = plans.shape[1]
    wanted = np.zeros(known.done.shape[0], np.uint8)
    for i in range(plans.shape[0]):
        wanted[movement_of(plans[i])] = 1
    for j in range(answers.shape[0]):
        _evaluate_ends(turn, known, movements[j], wanted)
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
                    result = leaf_value(
                        hp_values, conditions, searched, searched_values, units, slots[e, m],
                        bonus[e, m], unsure, poses, e, m, hp, other,
                    )  # fmt: skip
            values[i, j] = result


@njit(nogil=True)
def best_responses(
    turn: TurnArrays,
    own: Any,
    answers: Any,
    movements: Any,
    weights: Any,
    known: Simulations,
    floor: Any,
    best: Any,
    values: Any,
) -> None:
    """For every movement of `own` its best actions against a mixed strategy of the other.

    `answers: uint8[K, phases]` are the plans of its support, `movements: int64[K]` their movements,
    which `own` has simulated, and `weights: float64[K]` their probabilities; `best: uint8[M,
    phases]` gets own plans and `values: float64[M]` their values, -2 where none exceeds `floor`.
    All combinations of actions at full strength are searched depth first, phase by phase; a branch
    is cut where even a win against every answer that is still undecided would not be enough.
    """
    rules, stats, ships = turn.rules, turn.stats, turn.ships
    units, slots = turn.pairs.units, known.slots
    contacts, bonus, poses = known.contacts, known.bonus, known.poses
    quiet, calm = known.quiet, known.calm
    hp_values, conditions = turn.hp_values, turn.network.conditions
    searched, searched_values, unsure = turn.searched, turn.searched_values, turn.unsure
    phases, shots, damage = rules[1], stats[own, 1], np.int64(stats[own, 2])
    ram, limited, sign = np.int64(rules[3]), rules[5] >= 0, 1.0 if own == 0 else -1.0
    begun, other_begun = np.int64(ships[own, 2]), np.int64(ships[1 - own, 2])
    count = answers.shape[0]
    # By answer and phase: what `own` could do, what it suffers, and its hit points afterwards.
    can, boarded = np.zeros((count, phases), np.int64), np.zeros((count, phases), np.int64)
    rammed, left = np.zeros((count, phases), np.int64), np.zeros((count, phases), np.int64)
    last = np.zeros(count, np.int64)
    # By answer and the other's hit points after the last phase in which `own` can do something.
    memo = np.empty((count, MOST_HP))
    # By depth of the search: undecided answers, the other's hit points, the sum of the decided.
    alive, hp = np.zeros((phases + 1, count), np.int64), np.zeros((phases + 1, count), np.int64)
    alive_count, summed = np.zeros(phases + 1, np.int64), np.zeros(phases + 1)
    ammo = np.zeros(phases + 1, np.int64)
    options, counts = np.zeros((phases, 5), np.int64), np.zeros(phases, np.int64)
    choice, acts = np.zeros(phases, np.int64), np.zeros(phases, np.int64)
    ammo[0] = rules[5]
    every = np.ones(4**phases, np.uint8)
    for j in range(count):
        _evaluate_ends(turn, known, movements[j], every)
    for m in range(4**phases):
        union = np.zeros(phases, np.int64)
        fixed, n, weight = 0.0, 0, 0.0
        for j in range(count):
            e = movements[j]
            if calm[e, m]:
                fixed += weights[j] * sign * quiet[e, m]
                continue
            last[j] = _foresee(
                contacts, e, m, answers, j, stats, own, ram, begun, can, boarded, rammed, left
            )
            for phase in range(last[j] + 1):
                union[phase] |= can[j, phase]
            if last[j] >= 0:
                alive[0, n], hp[0, n] = j, other_begun
                memo[j, :] = np.nan
                weight += weights[j]
                n += 1
            else:
                fixed += weights[j] * _rest(
                    j, 0, other_begun, phases, boarded, rammed, left, hp_values, conditions,
                    searched, searched_values, units, slots, bonus, unsure, poses, quiet, e, m,
                    sign, begun, other_begun,
                )  # fmt: skip
        _options(union, shots, limited, options, counts)
        values[m] = -2.0
        alive_count[0], summed[0] = n, fixed
        depth = 0
        choice[0] = 0
        if fixed + weight <= floor:
            continue
        while depth >= 0:
            if choice[depth] == counts[depth]:
                depth -= 1
                if depth >= 0:
                    choice[depth] += 1
                continue
            what = options[depth, choice[depth]]
            fired = shots
            if what >= 3 and limited:
                fired = min(shots, ammo[depth])
                what = 0 if fired == 0 else 3 + 2 * (fired - 1) + ((what - 3) & 1)
            acts[depth] = what
            ammo[depth + 1] = ammo[depth] - (fired if what >= 3 else 0)
            total, rest, k = summed[depth], 0.0, 0
            for at in range(alive_count[depth]):
                j = alive[depth, at]
                boards, hits = effect(what, can[j, depth], damage)
                now = max(np.int64(0), hp[depth, at] - hits - rammed[j, depth])
                if boards or boarded[j, depth]:
                    total += weights[j] * (1.0 * boards - boarded[j, depth])
                elif now == 0 or left[j, depth] == 0:
                    total += weights[j] * (1.0 * (now == 0) - 1.0 * (left[j, depth] == 0))
                elif last[j] <= depth:
                    if np.isnan(memo[j, now]):
                        memo[j, now] = _rest(
                            j, depth + 1, now, phases, boarded, rammed, left, hp_values,
                            conditions, searched, searched_values, units, slots, bonus, unsure,
                            poses, quiet, movements[j], m, sign, begun, other_begun,
                        )  # fmt: skip
                    total += weights[j] * memo[j, now]
                else:
                    alive[depth + 1, k], hp[depth + 1, k] = j, now
                    rest += weights[j]
                    k += 1
            if total + rest <= max(values[m], floor):
                choice[depth] += 1
            elif depth + 1 == phases:
                values[m] = total
                for phase in range(phases):
                    step = (m >> (2 * (phases - 1 - phase))) & 3
                    best[m, phase] = step + 4 * acts[phase]
                choice[depth] += 1
            else:
                depth += 1
                choice[depth] = 0
                alive_count[depth], summed[depth] = k, total


@njit
def _foresee(
    contacts: Any, e: Any, m: Any, answers: Any, j: Any, stats: Any, own: Any, ram: Any, hp: Any,
    can: Any, boarded: Any, rammed: Any, left: Any,
) -> Any:  # fmt: skip
    """What answer j does to `own` and lets it do, phase by phase, until it ends the game.

    Returns the last phase in which `own` can do something, -1 if there is none.
    """
    phases, last = answers.shape[1], -1
    for phase in range(phases):
        bits = np.int64(contacts[e, phase, m >> (2 * (phases - 1 - phase))])
        can[j, phase] = bits & 15
        boards, hurt = effect(np.int64(answers[j, phase]) >> 2, bits >> 4, stats[1 - own, 2])
        boarded[j, phase] = boards
        hp = max(np.int64(0), hp - hurt - (ram if bits & 256 else 0))
        left[j, phase] = hp
        rammed[j, phase] = ram if bits & 512 else 0
        if bits & 15:
            last = phase
        if boards or hp == 0:
            break
    return last


@njit
def _rest(
    j: Any, phase: Any, hp: Any, phases: Any, boarded: Any, rammed: Any, left: Any,
    hp_values: Any, conditions: Any, searched: Any, searched_values: Any, units: Any, slots: Any,
    bonus: Any, unsure: Any, poses: Any, quiet: Any, e: Any, m: Any, sign: Any, begun: Any,
    other_begun: Any,
) -> Any:  # fmt: skip
    """The value to the own seat against answer j, from a phase on in which it can do no more."""
    for p in range(phase, phases):
        hp = max(np.int64(0), hp - rammed[j, p])
        if boarded[j, p]:
            return -1.0
        if hp == 0 or left[j, p] == 0:
            return 1.0 * (hp == 0) - 1.0 * (left[j, p] == 0)
    own_hp = left[j, phases - 1]
    if own_hp == begun and hp == other_begun:
        return sign * quiet[e, m]
    if sign < 0.0:
        own_hp, hp = hp, own_hp
    return sign * leaf_value(
        hp_values, conditions, searched, searched_values, units, slots[e, m], bonus[e, m], unsure,
        poses, e, m, own_hp, hp,
    )  # fmt: skip


@njit
def _options(union: Any, shots: Any, limited: Any, options: Any, counts: Any) -> None:
    """The actions worth trying in each phase: those that connect with some answer."""
    for phase in range(union.shape[0]):
        n = 0
        if union[phase] == 0 or limited:
            options[phase, n] = 0
            n += 1
        for bit in range(4):
            if union[phase] & (1 << bit):
                options[phase, n] = bit + 1 if bit < 2 else 3 + 2 * (shots - 1) + bit - 2
                n += 1
        counts[phase] = n
