"""Search on arrays: payoff matrices and best responses over all plans of a turn.

Arrays are those of `kernels`, and further:

    plans       uint8[K, phases]   numbers of orders
    contacts    uint16[M, phases, M], end_values float64[M, M], done uint8[M]
                                   by the other's movement: what `simulate_movements` finds, once
                                   `done`; a movement is its moves as base-4 digits, first move
                                   first, and M = 4 ^ phases

Values run from -1 (lost) to 1 (won). Functions that take `own` give values to that seat; the
rules do not care which ship is looked at first, so both seats share one code.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit
from trireme.navigation.kernels import drift, move, reaches

REACH = 25
"""As far apart as two ships on the largest map can be, along one axis."""
RACE, SHARE, LIMIT = 1.6, 0.8, 12.0
"""Weights of the fight to the end, of hit points saved, and of the count at the turn limit."""


class TurnArrays(NamedTuple):
    """A position to be searched: its game, its ships and the evaluation after the turn."""

    sea: Any
    """uint32[P]: see `kernels`, as for the next three."""
    stats: Any
    """int32[2, 5]"""
    rules: Any
    """int32[6]"""
    ships: Any
    """int32[2, 3]"""
    mobility: Any
    """float32[P, 4]: by tile and facing, what a lack of mobility costs a ship."""
    poses: Any
    """float32[N, N, 4]: by seat 1's place and facing as seat 0 sees it, its own bow up: the value
    of these relative poses to seat 0; N = 2 × REACH + 1."""
    hp_values: Any
    """float64[2, H, H']: by hit points of seat 0 and seat 1: their value to seat 0, and 1 where
    poses count beside them, 0 where the game is over."""


@njit
def hit_point_values(stats: Any, rules: Any, turn: Any) -> Any:
    """`TurnArrays.hp_values` after `turn` turns: the evaluation of both ships' hit points.

    They count as a fight to the end and as shares.
    """
    most, other_most = stats[0, 4], stats[1, 4]
    salvo, other_salvo = stats[0, 1] * stats[0, 2], stats[1, 1] * stats[1, 2]
    hp_values = np.zeros((2, most + 1, other_most + 1))
    urgency = (turn / rules[4]) ** 6
    for hp in range(1, most + 1):
        for other in range(1, other_most + 1):
            share = hp / most - other / other_most
            if turn >= rules[4]:
                hp_values[0, hp, other] = np.sign(hp * other_most - other * most)
                continue
            lasts, other_lasts = hp / other_salvo, other / salvo
            race = (lasts - other_lasts) / (lasts + other_lasts)
            fight = np.tanh(RACE * race + SHARE * share)
            base = (1.0 - urgency) * fight + urgency * np.tanh(LIMIT * share)
            hp_values[0, hp, other] = base
            hp_values[1, hp, other] = 1.0
    return hp_values


@njit
def pose_value(
    turn: TurnArrays, first: Any, bow: Any, other: Any, other_bow: Any, stride: Any
) -> Any:
    """The value to seat 0 of the poses alone, `first` being its tile."""
    right = other % stride - first % stride
    down = other // stride - first // stride
    if bow == 1:
        right, down = down, -right
    elif bow == 2:
        right, down = -right, -down
    elif bow == 3:
        right, down = -down, right
    value = turn.poses[right + REACH, down + REACH, (other_bow - bow) & 3]
    return value + turn.mobility[other, other_bow] - turn.mobility[first, bow]


@njit
def blend(base: Any, poses: Any) -> Any:
    """Hit points and poses together: `poses` is the share of the way from `base` to the end."""
    return base + poses * (1.0 - base if poses > 0.0 else 1.0 + base)


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
def simulate_movements(
    turn: TurnArrays, own: Any, answer: Any, contacts: Any, end_values: Any
) -> None:
    """Every movement of seat `own` against one plan, phase by phase, common prefixes once.

    Of the plan only the moves matter. Entry [p, m >> 2 (phases - 1 - p)] belongs to phase p of
    movement m. `contacts: uint16[phases, M]` gets own contact bits, 16 × the other's, 256 if own
    ship ran into something, 512 if the other did. `end_values: float64[M]` gets the value of the
    last poses to `own`.
    """
    sea, stats, rules, ships = turn.sea, turn.stats, turn.rules, turn.ships
    them = 1 - own
    stride, phases, keep = np.int64(rules[0]), rules[1], rules[2] != 0
    total = 4**phases
    poses = np.empty((2, total, 4), np.int64)
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
    last = phases & 1
    for m in range(total):
        a, af, b, bf = poses[last, m, 0], poses[last, m, 1], poses[last, m, 2], poses[last, m, 3]
        if own == 0:
            end_values[m] = pose_value(turn, a, af, b, bf, stride)
        else:
            end_values[m] = -pose_value(turn, b, bf, a, af, stride)


@njit
def _outcome(
    stats: Any,
    ram: Any,
    ships: Any,
    own: Any,
    m: Any,
    acts: Any,
    answer: Any,
    contacts: Any,
    end_values: Any,
    hp_values: Any,
) -> Any:
    """The value to `own` of movement m with these actions, against the plan behind `contacts`.

    Mind the order of the parameters: with `hp_values` among the first ones, the compiled search
    takes twice the time.
    """
    phases = acts.shape[0]
    own_hp, hp = np.int64(ships[own, 2]), np.int64(ships[1 - own, 2])
    for phase in range(phases):
        bits = np.int64(contacts[phase, m >> (2 * (phases - 1 - phase))])
        if bits == 0:
            continue
        boards, hits = effect(acts[phase], bits & 15, stats[own, 2])
        boarded, hurt = effect(np.int64(answer[phase]) >> 2, bits >> 4, stats[1 - own, 2])
        own_hp = max(np.int64(0), own_hp - hurt - (ram if bits & 256 else 0))
        hp = max(np.int64(0), hp - hits - (ram if bits & 512 else 0))
        if boards or boarded:
            return 1.0 * boards - 1.0 * boarded
        if own_hp == 0 or hp == 0:
            return 1.0 * (hp == 0) - 1.0 * (own_hp == 0)
    if own == 0:
        return blend(hp_values[0, own_hp, hp], hp_values[1, own_hp, hp] * end_values[m])
    return blend(-hp_values[0, hp, own_hp], hp_values[1, hp, own_hp] * end_values[m])


@njit
def _options(
    contacts: Any, movements: Any, m: Any, shots: Any, limited: Any, options: Any, counts: Any
) -> None:
    """The actions worth trying in each phase of movement m: those that connect with some plan."""
    phases = contacts.shape[1]
    for phase in range(phases):
        at = m >> (2 * (phases - 1 - phase))
        union = 0
        for j in range(movements.shape[0]):
            union |= contacts[movements[j], phase, at]
        n = 0
        if union & 15 == 0 or limited:
            options[phase, n] = 0
            n += 1
        for bit in range(4):
            if union & (1 << bit):
                options[phase, n] = bit + 1 if bit < 2 else 3 + 2 * (shots - 1) + bit - 2
                n += 1
        counts[phase] = n


@njit
def _decode_actions(
    number: Any, options: Any, counts: Any, ammo: Any, shots: Any, acts: Any
) -> None:
    """Combination `number` of the options, firing no more shots in all than `ammo` allows."""
    for phase in range(acts.shape[0]):
        what = options[phase, number % counts[phase]]
        number //= counts[phase]
        if what >= 3 and ammo >= 0:
            fired = min(shots, ammo)
            ammo -= fired
            what = 0 if fired == 0 else 3 + 2 * (fired - 1) + ((what - 3) & 1)
        acts[phase] = what


@njit
def movement_of(plan: Any) -> Any:
    """The number of a plan's movement."""
    m = 0
    for phase in range(plan.shape[0]):
        m = 4 * m + (plan[phase] & 3)
    return m


@njit
def simulate_new_movements(
    turn: TurnArrays, own: Any, answers: Any, contacts: Any, end_values: Any, done: Any
) -> Any:
    """Simulate the movement of every answer that is not yet `done`; returns their movements."""
    movements = np.zeros(answers.shape[0], np.int64)
    for j in range(answers.shape[0]):
        m = movement_of(answers[j])
        movements[j] = m
        if not done[m]:
            simulate_movements(turn, own, answers[j], contacts[m], end_values[m])
            done[m] = 1
    return movements


@njit
def payoffs(
    turn: TurnArrays, plans: Any, answers: Any, movements: Any, contacts: Any, end_values: Any
) -> Any:
    """The payoff matrix, `float64[K, L]`: the value to seat 0 of each plan against each answer.

    `movements: int64[L]` are those of the answers of seat 1, which seat 0 has simulated.
    """
    stats, ram, ships, hp_values = turn.stats, turn.rules[3], turn.ships, turn.hp_values
    values = np.empty((plans.shape[0], answers.shape[0]))
    acts = np.zeros(plans.shape[1], np.int64)
    for i in range(plans.shape[0]):
        m = movement_of(plans[i])
        for phase in range(plans.shape[1]):
            acts[phase] = plans[i, phase] >> 2
        for j in range(answers.shape[0]):
            e = movements[j]
            values[i, j] = _outcome(
                stats, ram, ships, 0, m, acts, answers[j], contacts[e], end_values[e], hp_values
            )
    return values


@njit
def best_responses(
    turn: TurnArrays,
    own: Any,
    answers: Any,
    movements: Any,
    weights: Any,
    contacts: Any,
    end_values: Any,
    most: Any,
    best: Any,
    values: Any,
) -> None:
    """For every movement of `own` its best actions against a mixed strategy of the other.

    `answers: uint8[K, phases]` are the plans of its support, `movements: int64[K]` their movements,
    which `own` has simulated, and `weights: float64[K]` their probabilities; `best: uint8[M,
    phases]` gets own plans and `values: float64[M]` their values. Tries every combination of
    actions that connect with some answer, at full strength; where there are more than `most`, it
    runs coordinate ascent instead, one action after another.
    """
    _best_responses(
        turn.stats, turn.rules, turn.ships, own, answers, movements, weights, contacts, end_values,
        turn.hp_values, most, best, values,
    )  # fmt: skip


@njit
def _best_responses(
    stats: Any, rules: Any, ships: Any, own: Any, answers: Any, movements: Any, weights: Any,
    contacts: Any, end_values: Any, hp_values: Any, most: Any, best: Any, values: Any,
) -> None:  # fmt: skip
    """`best_responses` on loose arrays: with `TurnArrays` inside, it takes 1.7 times as long."""
    phases, shots, ammo, ram = rules[1], stats[own, 1], rules[5], rules[3]
    options, counts = np.zeros((phases, 5), np.int64), np.zeros(phases, np.int64)
    acts, active = np.zeros(phases, np.int64), np.zeros(answers.shape[0], np.int64)
    for m in range(4**phases):
        _options(contacts, movements, m, shots, ammo >= 0, options, counts)
        fixed, n = 0.0, 0
        acts[:] = 0
        for j in range(answers.shape[0]):
            e = movements[j]
            if _connects(contacts[e], m):
                active[n] = j
                n += 1
            else:
                fixed += weights[j] * _outcome(
                    stats,
                    ram,
                    ships,
                    own,
                    m,
                    acts,
                    answers[j],
                    contacts[e],
                    end_values[e],
                    hp_values,
                )
        combinations, neighbours = 1, 0
        for phase in range(phases):
            combinations *= counts[phase]
            neighbours += 2 * counts[phase]
        values[m] = -2.0
        chosen = 0
        for t in range(combinations if combinations <= most else neighbours):
            number = t if combinations <= most else _neighbour(chosen, t, counts)
            _decode_actions(number, options, counts, ammo, shots, acts)
            value = fixed
            for a in range(n):
                j = active[a]
                e = movements[j]
                value += weights[j] * _outcome(
                    stats,
                    ram,
                    ships,
                    own,
                    m,
                    acts,
                    answers[j],
                    contacts[e],
                    end_values[e],
                    hp_values,
                )
            if value > values[m]:
                values[m] = value
                chosen = number
                for phase in range(phases):
                    step = (m >> (2 * (phases - 1 - phase))) & 3
                    best[m, phase] = step + 4 * acts[phase]


@njit
def _neighbour(number: Any, t: Any, counts: Any) -> Any:
    """The combination with one phase's option exchanged: try `t` runs through all, twice."""
    total = 0
    for phase in range(counts.shape[0]):
        total += counts[phase]
    t %= total
    radix = 1
    for phase in range(counts.shape[0]):
        if t < counts[phase]:
            return number + (t - number // radix % counts[phase]) * radix
        t -= counts[phase]
        radix *= counts[phase]
    return number


@njit
def _connects(contacts: Any, m: Any) -> Any:
    """Whether some action of movement m connects with the movement behind `contacts`."""
    phases = contacts.shape[0]
    union = 0
    for phase in range(phases):
        union |= contacts[phase, m >> (2 * (phases - 1 - phase))]
    return union & 15 != 0
