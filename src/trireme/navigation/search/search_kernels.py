"""Search on arrays: values of turns and positions, and best responses over all plans.

Arrays are those of `kernels`. Further:

    room    float32[P, 4]        by tile and facing: what the want of room to sail costs a ship
    table   float32[N, N, 4]     by seat 1's place and facing as seat 0 sees it, its own bow up:
                                 what lying so is worth to seat 0; N = 2 × REACH + 1
    worth   float64[2, H, H']    by hit points of seat 0 and seat 1: what they are worth to seat 0,
                                 and 1 where poses count beside them, 0 where the game is over
    plans   uint8[K, phases]     numbers of orders
    seen    uint16[M, phases, M], place float64[M, M], done uint8[M]
                                 by the other's movement: what `sail` finds, once `done`; a movement
                                 is its moves as base-4 digits, first move first, and M = 4 ^ phases

Values run from -1 (lost) to 1 (won). Functions that take `own` give values to that seat; the
rules do not care which ship is looked at first, so both seats share one code.
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit
from trireme.navigation.kernels import drift, move, reaches

REACH = 25
"""As far apart as two ships on the largest map can be."""
RACE, SHARE, LIMIT = 1.6, 0.8, 12.0
"""Weights of the fight to the end, of hit points saved, and of the count at the turn limit."""


@njit
def standings(stats: Any, rules: Any, turn: Any) -> Any:
    """`worth` after `turn` turns: both ships' hit points as a fight to the end and as shares."""
    most, other_most = stats[0, 4], stats[1, 4]
    salvo, other_salvo = stats[0, 1] * stats[0, 2], stats[1, 1] * stats[1, 2]
    worth = np.zeros((2, most + 1, other_most + 1))
    urgency = (turn / rules[4]) ** 6
    for hp in range(1, most + 1):
        for other in range(1, other_most + 1):
            share = hp / most - other / other_most
            if turn >= rules[4]:
                worth[0, hp, other] = np.sign(hp * other_most - other * most)
                continue
            lasts, other_lasts = hp / other_salvo, other / salvo
            race = (lasts - other_lasts) / (lasts + other_lasts)
            fight = np.tanh(RACE * race + SHARE * share)
            base = (1.0 - urgency) * fight + urgency * np.tanh(LIMIT * share)
            worth[0, hp, other] = base
            worth[1, hp, other] = 1.0
    return worth


@njit
def place_value(
    room: Any, table: Any, first: Any, bow: Any, other: Any, other_bow: Any, stride: Any
) -> Any:
    """What the poses alone are worth to seat 0, `first` being its tile."""
    right = other % stride - first % stride
    down = other // stride - first // stride
    if bow == 1:
        right, down = down, -right
    elif bow == 2:
        right, down = -right, -down
    elif bow == 3:
        right, down = -down, right
    lie = table[right + REACH, down + REACH, (other_bow - bow) & 3]
    return lie + room[other, other_bow] - room[first, bow]


@njit
def blend(base: Any, place: Any) -> Any:
    """Hit points and poses together: `place` is the share of the way from there to the end."""
    return base + place * (1.0 - base if place > 0.0 else 1.0 + base)


@njit
def chances(sea: Any, tile: Any, bow: Any, enemy: Any, stats: Any, seat: Any, stride: Any) -> Any:
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
    """(grapples, damage) of an action, an order's number // 4, given its chances."""
    if what < 3:
        return (can & what) != 0, 0
    if can & (8 if (what - 3) & 1 else 4):
        return False, (((what - 3) >> 1) + 1) * damage
    return False, 0


@njit
def sail(
    sea: Any,
    stats: Any,
    rules: Any,
    ships: Any,
    own: Any,
    answer: Any,
    seen: Any,
    room: Any,
    table: Any,
    place: Any,
) -> None:
    """Every movement of seat `own` against one plan, phase by phase, common beginnings once.

    Of the plan only the moves matter. Entry [p, m >> 2 (phases - 1 - p)] belongs to phase p of
    movement m. `seen: uint16[phases, M]` gets own chances, 16 × the other's chances, 256 if own
    ship ran into something, 512 if the other did. `place: float64[M]` gets the worth of the last
    poses to `own`.
    """
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
            bits = chances(sea, a, af, b, stats, own, stride)
            bits |= chances(sea, b, bf, a, stats, them, stride) << 4
            seen[phase, m] = bits | (256 if a_ram else 0) | (512 if b_ram else 0)
    last = phases & 1
    for m in range(total):
        a, af, b, bf = poses[last, m, 0], poses[last, m, 1], poses[last, m, 2], poses[last, m, 3]
        if own == 0:
            place[m] = place_value(room, table, a, af, b, bf, stride)
        else:
            place[m] = -place_value(room, table, b, bf, a, af, stride)


@njit
def _outcome(
    stats: Any,
    ram: Any,
    ships: Any,
    own: Any,
    m: Any,
    acts: Any,
    answer: Any,
    seen: Any,
    place: Any,
    worth: Any,
) -> Any:
    """The value to `own` of movement m with these actions, against the plan behind `seen`."""
    phases = acts.shape[0]
    own_hp, hp = np.int64(ships[own, 2]), np.int64(ships[1 - own, 2])
    for phase in range(phases):
        bits = np.int64(seen[phase, m >> (2 * (phases - 1 - phase))])
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
        return blend(worth[0, own_hp, hp], worth[1, own_hp, hp] * place[m])
    return blend(-worth[0, hp, own_hp], worth[1, hp, own_hp] * place[m])


@njit
def _options(
    seen: Any, movements: Any, m: Any, shots: Any, limited: Any, options: Any, counts: Any
) -> None:
    """The actions worth trying in each phase of movement m: those that connect with some plan."""
    phases = seen.shape[1]
    for phase in range(phases):
        at = m >> (2 * (phases - 1 - phase))
        union = 0
        for j in range(movements.shape[0]):
            union |= seen[movements[j], phase, at]
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
def _arm(number: Any, options: Any, counts: Any, ammo: Any, shots: Any, acts: Any) -> None:
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
def look(
    sea: Any,
    stats: Any,
    rules: Any,
    ships: Any,
    own: Any,
    answers: Any,
    room: Any,
    table: Any,
    seen: Any,
    place: Any,
    done: Any,
) -> Any:
    """Sail against the movement of every answer that is not yet `done`; their movements."""
    movements = np.zeros(answers.shape[0], np.int64)
    for j in range(answers.shape[0]):
        m = movement_of(answers[j])
        movements[j] = m
        if not done[m]:
            sail(sea, stats, rules, ships, own, answers[j], seen[m], room, table, place[m])
            done[m] = 1
    return movements


@njit
def payoffs(
    stats: Any,
    rules: Any,
    ships: Any,
    plans: Any,
    answers: Any,
    movements: Any,
    worth: Any,
    seen: Any,
    place: Any,
) -> Any:
    """`float64[K, L]`: the value to seat 0 of each of its plans against each of seat 1's.

    `movements: int64[L]` are those of the answers, which seat 0 has looked at.
    """
    values = np.empty((plans.shape[0], answers.shape[0]))
    acts = np.zeros(plans.shape[1], np.int64)
    for i in range(plans.shape[0]):
        m = movement_of(plans[i])
        for phase in range(plans.shape[1]):
            acts[phase] = plans[i, phase] >> 2
        for j in range(answers.shape[0]):
            e = movements[j]
            values[i, j] = _outcome(
                stats, rules[3], ships, 0, m, acts, answers[j], seen[e], place[e], worth
            )
    return values


@njit
def best_responses(
    stats: Any,
    rules: Any,
    ships: Any,
    own: Any,
    answers: Any,
    movements: Any,
    weights: Any,
    worth: Any,
    seen: Any,
    place: Any,
    most: Any,
    best: Any,
    values: Any,
) -> None:
    """For every movement of `own` its best actions against a mixture of the other's plans.

    `answers: uint8[K, phases]` are those plans, `movements: int64[K]` their movements, which `own`
    has looked at, and `weights: float64[K]` their chances; `best: uint8[M, phases]` gets own plans
    and `values: float64[M]` their values. Tries every combination of actions that connect with
    some answer, at full strength; where there are more than `most`, it exchanges one action after
    another instead.
    """
    phases, shots, ammo, ram = rules[1], stats[own, 1], rules[5], rules[3]
    k = answers.shape[0]
    options, counts = np.zeros((phases, 5), np.int64), np.zeros(phases, np.int64)
    acts = np.zeros(phases, np.int64)
    active = np.zeros(k, np.int64)
    for m in range(4**phases):
        _options(seen, movements, m, shots, ammo >= 0, options, counts)
        fixed, n = 0.0, 0
        for phase in range(phases):
            acts[phase] = 0
        for j in range(k):
            e = movements[j]
            if _connects(seen[e], m):
                active[n] = j
                n += 1
            else:
                fixed += weights[j] * _outcome(
                    stats, ram, ships, own, m, acts, answers[j], seen[e], place[e], worth
                )
        combinations = 1
        for phase in range(phases):
            combinations *= counts[phase]
        tries = combinations
        if combinations > most:
            tries = 0
            for phase in range(phases):
                tries += 2 * counts[phase]
        values[m] = -2.0
        chosen = 0
        for t in range(tries):
            number = t if combinations <= most else _neighbour(chosen, t, counts)
            _arm(number, options, counts, ammo, shots, acts)
            value = fixed
            for a in range(n):
                j = active[a]
                e = movements[j]
                value += weights[j] * _outcome(
                    stats, ram, ships, own, m, acts, answers[j], seen[e], place[e], worth
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
def _connects(seen: Any, m: Any) -> Any:
    """Whether some action of movement m connects with the movement behind `seen`."""
    phases = seen.shape[0]
    union = 0
    for phase in range(phases):
        union |= seen[phase, m >> (2 * (phases - 1 - phase))]
    return union & 15 != 0
