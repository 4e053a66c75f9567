"""Best responses on arrays: of every movement the best actions against a mixed strategy.

Against one plan of the other seat the movements of a seat form a tree: a node is the first moves of
a movement. What happens there, but for the own actions, is noted once for all movements that pass
it. Then all combinations of actions are searched by branch and bound.
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .evaluation_kernels import TurnArrays, cache_leaf, cache_place
from .response_kernels import Simulations, effect, evaluate_ends

MOST_HP = 32
"""More than any ship's hit points."""

# What is noted at a node, in the bits of a number. Of this phase: what the own seat could do (see
# `contact_bits`), whether the other grapples it, whether the other ran into something.
CAN, BOARDED, RAMMED = 15, 16, 32
# Until this phase: whether the turn is over, whether a grapple was possible, and shifted by as
# much, with three bits each: the phases until and including the last in which the own seat could do
# something, those in which it could fire, those in which the other ran into something; with six
# bits: the own hit points.
OVER, GRAPPLES, LAST, SHOTS, RAMS, LEFT = 64, 128, 8, 11, 14, 17


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
    is cut where even the best end against every answer that is still undecided would not be enough.
    """
    rules, stats, ships = turn.rules, turn.stats, turn.ships
    contacts, quiet, calm = known.contacts, known.quiet, known.calm
    phases, shots, damage = np.int64(rules[1]), np.int64(stats[own, 1]), np.int64(stats[own, 2])
    ram, limited, sign = np.int64(rules[3]), rules[5] >= 0, 1.0 if own == 0 else -1.0
    begun, other_begun = np.int64(ships[own, 2]), np.int64(ships[1 - own, 2])
    count, total = answers.shape[0], 4**phases
    notes = np.empty((count, (4 * total - 4) // 3), np.int32)
    # By phase: the first node of its layer of the tree, and what a movement is shifted by.
    layer, shift = np.zeros(phases, np.int64), np.zeros(phases, np.int64)
    for phase in range(phases):
        layer[phase], shift[phase] = (4 ** (phase + 1) - 4) // 3, 2 * (phases - 1 - phase)
    # By answer and the other's hit points after the last phase in which `own` can do something:
    # the value, and the movement that it belongs to.
    memo, memo_of = np.empty((count, MOST_HP)), np.full((count, MOST_HP), -1, np.int32)
    # By answer: the value of its best end.
    bound = np.empty(count)
    # By depth of the search: undecided answers, the other's hit points, the sum of the decided.
    alive, hp = np.zeros((phases + 1, count), np.int64), np.zeros((phases + 1, count), np.int64)
    alive_count, summed = np.zeros(phases + 1, np.int64), np.zeros(phases + 1)
    ammo = np.zeros(phases + 1, np.int64)
    options, counts = np.zeros((phases, 5), np.int64), np.zeros(phases, np.int64)
    choice, acts = np.zeros(phases, np.int64), np.zeros(phases, np.int64)
    union = np.zeros(phases, np.int64)
    ammo[0] = rules[5]
    every = np.ones(total, np.uint8)
    for j in range(count):
        evaluate_ends(turn, known, movements[j], every)
        _foresee(contacts, movements[j], answers, j, stats, own, ram, begun, notes)
    end = layer[phases - 1]
    for m in range(total):
        union[:] = 0
        fixed, n, rest = 0.0, 0, 0.0
        for j in range(count):
            e = movements[j]
            if calm[e, m]:
                fixed += weights[j] * sign * quiet[e, m]
                continue
            note = notes[j, end + m]
            last = (note >> LAST & 7) - 1
            if last < 0:
                fixed += weights[j] * _rest(
                    turn, known, own, notes, layer, shift, j, m, e, 0, other_begun
                )
                continue
            for phase in range(last + 1):
                union[phase] |= notes[j, layer[phase] + (m >> shift[phase])] & CAN
            salvos, left = note >> SHOTS & 7, other_begun - ram * (note >> RAMS & 7)
            bound[j] = 1.0
            if not (note & GRAPPLES or limited or left <= salvos * shots * damage):
                bound[j] = -1.0
                if not note & OVER:
                    rams = notes[j, layer[last] + (m >> shift[last])] >> RAMS & 7
                    for k in range(salvos + 1):
                        now = other_begun - ram * rams - k * shots * damage
                        memo[j, now] = _rest(
                            turn, known, own, notes, layer, shift, j, m, e, last + 1, now
                        )
                        memo_of[j, now] = m
                        bound[j] = max(bound[j], memo[j, now])
            alive[0, n], hp[0, n] = j, other_begun
            rest += weights[j] * bound[j]
            n += 1
        values[m] = -2.0
        if fixed + rest <= floor:
            continue
        _options(union, shots, limited, options, counts)
        alive_count[0], summed[0] = n, fixed
        depth = 0
        choice[0] = 0
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
            decided, rest, k = summed[depth], 0.0, 0
            node = layer[depth] + (m >> shift[depth])
            for at in range(alive_count[depth]):
                j = alive[depth, at]
                note = notes[j, node]
                boards, hits = effect(what, note & CAN, damage)
                boarded = (note & BOARDED) != 0
                now = max(np.int64(0), hp[depth, at] - hits - (ram if note & RAMMED else 0))
                left = note >> LEFT
                if boards or boarded:
                    decided += weights[j] * (1.0 * boards - 1.0 * boarded)
                elif now == 0 or left == 0:
                    decided += weights[j] * (1.0 * (now == 0) - 1.0 * (left == 0))
                elif (notes[j, end + m] >> LAST & 7) <= depth + 1:
                    if memo_of[j, now] != m:
                        memo[j, now] = _rest(
                            turn,
                            known,
                            own,
                            notes,
                            layer,
                            shift,
                            j,
                            m,
                            movements[j],
                            depth + 1,
                            now,
                        )
                        memo_of[j, now] = m
                    decided += weights[j] * memo[j, now]
                else:
                    alive[depth + 1, k], hp[depth + 1, k] = j, now
                    rest += weights[j] * bound[j]
                    k += 1
            if decided + rest <= max(values[m], floor):
                choice[depth] += 1
            elif depth + 1 == phases:
                values[m] = decided
                for phase in range(phases):
                    best[m, phase] = (m >> shift[phase] & 3) + 4 * acts[phase]
                choice[depth] += 1
            else:
                depth += 1
                choice[depth] = 0
                alive_count[depth], summed[depth] = k, decided


@njit(makes_arrays=False)
def _foresee(
    contacts: Any, e: Any, answers: Any, j: Any, stats: Any, own: Any, ram: Any, hp: Any, notes: Any
) -> None:
    """`notes[j]`: what happens at every node against answer j of movement e, own actions apart.

    A layer of the tree after the other, from its first moves on; `hp` are the own hit points.
    """
    phases, damage = answers.shape[1], stats[1 - own, 2]
    before, at, count = 0, 0, 1
    for phase in range(phases):
        what = np.int64(answers[j, phase]) >> 2
        hooks = what if what < 3 else 0
        fires = 0 if what < 3 else (8 if (what - 3) & 1 else 4)
        loss = ((what - 3 >> 1) + 1) * damage
        count *= 4
        for x in range(count):
            parent = np.int64(hp << LEFT) if phase == 0 else np.int64(notes[j, before + (x >> 2)])
            note = parent & ~(CAN | BOARDED | RAMMED)
            bits = np.int64(contacts[e, phase, x])
            if bits != 0 and not note & OVER:
                can, theirs = bits & 15, bits >> 4
                left = note >> LEFT
                left -= (loss if theirs & fires else 0) + (ram if bits & 256 else 0)
                left = max(np.int64(0), left)
                note = (note & ((1 << LEFT) - 1)) | left << LEFT | can
                if theirs & hooks:
                    note |= BOARDED | OVER
                if left == 0:
                    note |= OVER
                if bits & 512:
                    note = (note | RAMMED) + (1 << RAMS)
                if can:
                    note = (note & ~(7 << LAST)) | phase + 1 << LAST
                    if can & 3:
                        note |= GRAPPLES
                    if can & 12:
                        note += 1 << SHOTS
            notes[j, at + x] = note
        before = at
        at += count


@njit(makes_arrays=False)
def _rest(
    turn: TurnArrays, known: Simulations, own: Any, notes: Any, layer: Any, shift: Any, j: Any,
    m: Any, e: Any, phase: Any, now: Any,
) -> Any:  # fmt: skip
    """The value to the own seat against answer j, from a phase on in which it can do no more.

    `now` are the other's hit points then.
    """
    ram, keys = np.int64(turn.rules[3]), turn.cache.keys
    begun, other_begun = turn.ships[own, 2], turn.ships[1 - own, 2]
    phases = layer.shape[0]
    hp, over, result = now, False, 0.0
    for p in range(phase, phases):
        note = notes[j, layer[p] + (m >> shift[p])]
        if note & RAMMED:
            hp = max(np.int64(0), hp - ram)
        if note & BOARDED:
            over, result = True, -1.0
            break
        if hp == 0 or note >> LEFT == 0:
            over, result = True, 1.0 * (hp == 0) - 1.0 * (note >> LEFT == 0)
            break
    if not over:
        left = np.int64(notes[j, layer[phases - 1] + m]) >> LEFT
        if left == begun and hp == other_begun:
            result = known.quiet[e, m]
        else:
            first, second = (left, hp) if own == 0 else (hp, left)
            slot = known.slots[e, m]
            key, at = cache_place(keys, turn.stamp, slot, first, second)
            if keys[at] != key:
                cache_leaf(turn, key, at, slot, first, second)
            result = turn.cache.values[at]
        if own == 1:
            result = -result
    return result


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
