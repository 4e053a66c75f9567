"""Batched rules of Battle Navigation: joint turns of thousands of games at once.

The sea is a flat array with one tile of edge all round, so a tile is one number, a step is one
addition, and nothing needs a test against the map's size. Arrays are C-contiguous:

    sea    uint32[P]     P = (width + 2) × (height + 2); bits of a tile: 1 blocks ships, 2 stops
                         fire, 4 is a rock, 8 is a whirlpool, 16 × quarter turns to the right that
                         the hazard swings a bow, 64 × the tile to which the hazard carries
    seas   uint32[M, P]  maps of one size
    stats  int32[2, 5]   by seat: range, shots, damage of one shot, grapple range, hit points
    rules  int32[6]      width + 2, phases, 1 to keep half-made turns, ram damage, turn limit,
                         shots in a turn (-1: no limit)
    ships  int32[B, 2, 3]  by game and seat: tile, facing (0 N, 1 E, 2 S, 3 W), hit points
    turns  int32[B]      turns played
    plans  uint8[B, 2, phases]   numbers of orders, see `plans.order_at`
    spawns int32[M, 2, 2]  by map and seat: tile, facing

Outcomes are `GOING_ON`, `FIRST` (seat 0 has won), `SECOND`, `DRAWN`.
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit
from trireme.core.splitmix_kernels import next_below

GOING_ON, FIRST, SECOND, DRAWN = 0, 1, 2, 3


@njit(makes_arrays=False)
def step_of(way: Any, stride: Any) -> Any:
    """How far the next tile lies in a direction; without branches, which would be mispredicted."""
    sideways = way & 1
    return sideways * (2 - way) + (1 - sideways) * (way - 1) * stride


@njit(makes_arrays=False)
def _path(sea: Any, tile: Any, facing: Any, move: Any, stride: Any, keep: Any) -> Any:
    """(tiles that a move may enter before the map stops it, first, second, bow, hits a rock)."""
    if move == 0:
        return 0, tile, tile, facing, False
    first = tile + step_of(facing, stride)
    met = sea[first]
    if move == 1:
        return (0 if met & 1 else 1), first, first, facing, (met & 4) != 0
    bow = (facing + (3 if move == 2 else 1)) & 3
    second = first + step_of(bow, stride)
    if met & 1:
        return 0, first, second, bow, (met & 4) != 0
    met = sea[second]
    if met & 1:
        return (1 if keep else 0), first, second, bow, (met & 4) != 0
    return 2, first, second, bow, False


@njit(makes_arrays=False)
def move(
    sea: Any, a: Any, af: Any, am: Any, b: Any, bf: Any, bm: Any, stride: Any, keep: Any
) -> Any:
    """Both ships' movement: (tile, bow, rammed) of the first, then of the second."""
    a_len, a1, a2, a_bow, a_rock = _path(sea, a, af, am, stride, keep)
    b_len, b1, b2, b_bow, b_rock = _path(sea, b, bf, bm, stride, keep)
    collided = False
    while True:
        a_at = a1 if a_len > 0 else a
        b_at = b1 if b_len > 0 else b
        if a_at == b_at or (a_at == b and b_at == a):
            collided = True
            a_len = 0
            b_len = 0
            continue
        a_end = a2 if a_len > 1 else a_at
        b_end = b2 if b_len > 1 else b_at
        if a_end == b_end or (a_end == b_at and b_end == a_at):
            collided = True
            if a_len > 1:
                a_len = 1 if keep else 0
            if b_len > 1:
                b_len = 1 if keep else 0
            continue
        return a_end, a_bow, collided or a_rock, b_end, b_bow, collided or b_rock


@njit(makes_arrays=False)
def drift(sea: Any, a: Any, af: Any, b: Any, bf: Any) -> Any:
    """What the tiles under both ships do: (tile, facing) of the first, then of the second."""
    on_a, on_b = sea[a], sea[b]
    if (on_a | on_b) < 64:
        return a, af, b, bf
    a_to = np.int64(on_a >> 6) if on_a >= 64 else a
    b_to = np.int64(on_b >> 6) if on_b >= 64 else b
    swirling = (on_a & on_b & 8) != 0
    if a_to == b_to or (a_to == b and b_to == a and not swirling):
        a_to = a
        b_to = b
    a_bow = (af + np.int64((on_a >> 4) & 3)) & 3
    b_bow = (bf + np.int64((on_b >> 4) & 3)) & 3
    return a_to, a_bow, b_to, b_bow


@njit(makes_arrays=False)
def reaches(sea: Any, tile: Any, way: Any, enemy: Any, reach: Any, stride: Any) -> bool:
    """Whether a straight line of `reach` tiles in a direction meets the enemy."""
    if abs(enemy - tile) > reach * stride:
        return False
    step = step_of(way, stride)
    for _ in range(reach):
        tile += step
        if tile == enemy:
            return True
        if sea[tile] & 2:
            return False
    return False


@njit(makes_arrays=False)
def act(
    sea: Any, tile: Any, facing: Any, order: Any, enemy: Any, stats: Any, seat: Any, stride: Any
) -> Any:
    """One ship's action: (damage to the enemy, whether it grapples)."""
    what = order >> 2
    if what == 0:
        return 0, False
    if what < 3:
        way = (facing + (3 if what == 1 else 1)) & 3
        return 0, reaches(sea, tile, way, enemy, stats[seat, 3], stride)
    way = (facing + (1 if (what - 3) & 1 else 3)) & 3
    if reaches(sea, tile, way, enemy, stats[seat, 0], stride):
        return (((what - 3) >> 1) + 1) * stats[seat, 2], False
    return 0, False


@njit(makes_arrays=False)
def play_turn(
    sea: Any, stats: Any, rules: Any, ships: Any, turn: Any, first: Any, second: Any
) -> Any:
    """Play both plans (`uint8[phases]` each) on `ships: int32[2, 3]`, in place; the outcome.

    `turn` is the number of this turn, counted from 1.
    """
    stride, phases, keep, ram = np.int64(rules[0]), rules[1], rules[2] != 0, rules[3]
    a, af, ah = np.int64(ships[0, 0]), np.int64(ships[0, 1]), ships[0, 2]
    b, bf, bh = np.int64(ships[1, 0]), np.int64(ships[1, 1]), ships[1, 2]
    outcome = GOING_ON
    for phase in range(phases):
        p, q = np.int64(first[phase]), np.int64(second[phase])
        a, af, a_rammed, b, bf, b_rammed = move(sea, a, af, p & 3, b, bf, q & 3, stride, keep)
        a, af, b, bf = drift(sea, a, af, b, bf)
        a_hits, a_boards = act(sea, a, af, p, b, stats, 0, stride)
        b_hits, b_boards = act(sea, b, bf, q, a, stats, 1, stride)
        ah = max(0, ah - b_hits - (ram if a_rammed else 0))
        bh = max(0, bh - a_hits - (ram if b_rammed else 0))
        if a_boards or b_boards:
            outcome = DRAWN if a_boards and b_boards else FIRST if a_boards else SECOND
            break
        if ah == 0 or bh == 0:
            outcome = DRAWN if ah == bh else SECOND if ah == 0 else FIRST
            break
    if outcome == GOING_ON and turn >= rules[4]:
        ours, theirs = ah * stats[1, 4], bh * stats[0, 4]
        outcome = FIRST if ours > theirs else SECOND if theirs > ours else DRAWN
    ships[0, 0], ships[0, 1], ships[0, 2] = a, af, ah
    ships[1, 0], ships[1, 1], ships[1, 2] = b, bf, bh
    return outcome


@njit
def play_all(
    sea: Any,
    stats: Any,
    rules: Any,
    ships: Any,
    turn: Any,
    first: Any,
    second: Any,
    outcomes: Any,
    after: Any,
) -> None:
    """Every plan of `first: uint8[K, phases]` against every plan of `second: uint8[L, phases]`.

    All begin from `ships: int32[2, 3]`. `outcomes: int8[K, L]` and `after: int32[K, L, 2, 3]` get
    where they lead.
    """
    for i in range(first.shape[0]):
        for j in range(second.shape[0]):
            for seat in range(2):
                for k in range(3):
                    after[i, j, seat, k] = ships[seat, k]
            outcomes[i, j] = play_turn(sea, stats, rules, after[i, j], turn, first[i], second[j])


@njit
def reset(spawns: Any, stats: Any, ships: Any, chart: Any) -> None:
    """Put `ships: int32[2, 3]` at the start of map number `chart`."""
    for seat in range(2):
        ships[seat, 0] = spawns[chart, seat, 0]
        ships[seat, 1] = spawns[chart, seat, 1]
        ships[seat, 2] = stats[seat, 4]


@njit
def step(
    seas: Any,
    stats: Any,
    rules: Any,
    charts: Any,
    ships: Any,
    turns: Any,
    plans: Any,
    outcomes: Any,
) -> None:
    """One joint turn of every game, in place; `charts: int32[B]` numbers each game's map.

    Games whose entry in `outcomes: int8[B]` is not `GOING_ON` stay as they are.
    """
    for i in range(ships.shape[0]):
        if outcomes[i] == GOING_ON:
            turns[i] += 1
            sea = seas[charts[i]]
            outcomes[i] = play_turn(sea, stats, rules, ships[i], turns[i], plans[i, 0], plans[i, 1])


@njit
def restart(spawns: Any, stats: Any, charts: Any, ships: Any, turns: Any, outcomes: Any) -> None:
    """Begin every finished game again, each on its map."""
    for i in range(ships.shape[0]):
        if outcomes[i] != GOING_ON:
            reset(spawns, stats, ships[i], charts[i])
            turns[i] = 0
            outcomes[i] = GOING_ON


@njit
def random_plan(random: Any, i: Any, ways: Any, budget: Any, orders: Any, plan: Any) -> None:
    """Fill `plan: uint8[phases]` with a legal plan, each with the same probability.

    `ways: int64[phases + 1, most + 1]` counts the ways to order so many phases with so many
    shots; where `budget` is below zero shots are unlimited and it goes unread.
    """
    phases = plan.shape[0]
    if budget < 0:
        # Unsigned: a signed division would round down and test for zero.
        base = np.uint64(orders)
        total = np.uint64(1)
        for _ in range(phases):
            total *= base
        left_over = np.uint64(next_below(random, i, total))
        for phase in range(phases):
            rest = left_over // base
            plan[phase] = left_over - rest * base
            left_over = rest
        return
    for phase in range(phases):
        left = phases - 1 - phase
        number = next_below(random, i, ways[left + 1, budget])
        for order in range(orders):
            cost = 0 if order < 12 else (((order >> 2) - 3) >> 1) + 1
            count = ways[left, budget - cost] if cost <= budget else 0
            if number < count:
                plan[phase] = order
                budget -= cost
                break
            number -= count


@njit
def random_plans(random: Any, stats: Any, rules: Any, ways: Any, plans: Any) -> None:
    """Fill `plans` with uniformly random legal plans, game `i` drawing from stream `i`.

    `ways: int64[2, phases + 1, most + 1]`, by seat.
    """
    for i in range(plans.shape[0]):
        for seat in range(2):
            most = rules[1] * stats[seat, 1]
            budget = min(rules[5], most) if rules[5] >= 0 else -1
            orders = 4 * (3 + 2 * stats[seat, 1])
            random_plan(random, i, ways[seat], budget, orders, plans[i, seat])


@njit
def random_turns(
    seas: Any,
    spawns: Any,
    stats: Any,
    rules: Any,
    ways: Any,
    charts: Any,
    ships: Any,
    turns: Any,
    plans: Any,
    outcomes: Any,
    random: Any,
    count: int,
) -> int:
    """Play `count` joint turns of every game with random plans, beginning finished games again.

    Returns how many games ended.
    """
    ended = 0
    for _ in range(count):
        random_plans(random, stats, rules, ways, plans)
        step(seas, stats, rules, charts, ships, turns, plans, outcomes)
        for i in range(outcomes.shape[0]):
            ended += outcomes[i] != GOING_ON
        restart(spawns, stats, charts, ships, turns, outcomes)
    return ended


@njit
def mobility_loss(sea: Any, stride: Any, moves: int) -> Any:
    """`float32[P, 4]`: by tile and facing, the lack of mobility from 0 (open water) to 1.

    Mobility is the number of poses that a ship can reach in `moves` moves, relative to the most.
    """
    size = sea.shape[0]
    found = np.zeros((size, 4), np.float32)
    nowhere = 0
    tiles = np.empty(4**moves, np.int64)
    bows = np.empty(4**moves, np.int64)
    last_seen, seen = np.zeros(4 * size, np.int64), 0
    open_water = 0
    for tile in range(size):
        if sea[tile] & 1:
            continue
        for bow in range(4):
            tiles[0], bows[0] = tile, bow
            count = 1
            for _ in range(moves):
                for i in range(count - 1, -1, -1):
                    at, facing = tiles[i], bows[i]
                    for m in range(4):
                        a, af, _, _, _, _ = move(sea, at, facing, m, nowhere, 0, 0, stride, False)
                        a, af, _, _ = drift(sea, a, af, nowhere, 0)
                        tiles[4 * i + m], bows[4 * i + m] = a, af
                count *= 4
            seen += 1
            reach = 0
            for i in range(count):
                at = tiles[i] * 4 + bows[i]
                if last_seen[at] != seen:
                    last_seen[at] = seen
                    reach += 1
            found[tile, bow] = reach
            open_water = max(open_water, reach)
    for tile in range(size):
        for bow in range(4):
            found[tile, bow] = 1.0 - found[tile, bow] / open_water
    return found
