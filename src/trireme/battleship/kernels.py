"""Batched rules of Battleship: place, fire and reset thousands of solo boards at once.

Shapes: B boards, N = rows × cols cells (cell = row × cols + col), S ships in placing order,
K different sizes, P placements of a ship at most (horizontal ones first), L the longest ship.
Indices are unsigned: numba would otherwise test each of them for a negative one.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit
from trireme.core.splitmix_kernels import GOLDEN_GAMMA, mix64

MISS, HIT, SUNK, WON, INVALID, MINE = 0, 1, 2, 3, 4, 5
"""The outcomes of a step; WON is the sinking of the last ship."""
CHOSEN = 6
"""The outcome of a step that chooses a cell for a salvo, which is not complete yet."""
CHOSEN_CELL = 3
"""What `Seas.board` holds where a cell is chosen for a salvo."""
WATER, MINED = -1, -2
"""What `Seas.owner` holds where no ship lies."""
DRAWS = 10_000
"""Failed draws of a fleet in a row after which `Ships.fallback` is placed."""

_LOW = np.uint64(0xFFFFFFFF)


class Ships(NamedTuple):
    """The ships of a board and their placements, as `batch.ships_of` makes them."""

    kinds: Any
    """uint64[S]: which size each ship has, as an index below K."""
    sizes: Any
    """uint64[S]: the cells of each ship."""
    spans: Any
    """uint64[S, 2]: how many placements are drawn from, for each of the two orientations."""
    starts: Any
    """uint64[S, 2]: the first of those placements."""
    max_tries: Any
    """int: failed draws of a ship after which the whole fleet is drawn again."""
    masks: Any
    """uint64[K, P, 3]: the cells of a placement, as a bitset."""
    closed: Any
    """uint64[K, P, 3]: the cells that a ship lying there takes from all others."""
    cells: Any
    """uint8[K, P, L]: the cells of a placement, listed."""
    fallback: Any
    """int16[S]: a layout for boards so crowded that drawing fails."""


class Seas(NamedTuple):
    """A batch of boards in play."""

    owner: Any
    """int8[B, N]: the ship in a cell, WATER or MINED."""
    board: Any
    """int8[B, N]: 0 unknown, 1 miss, 2 hit; CHOSEN_CELL while a salvo is chosen."""
    left: Any
    """int8[B, S]: the cells of each ship not yet hit."""
    afloat: Any
    """int8[B, S]: the size of each ship, 0 once it is sunk."""
    togo: Any
    """int16[B]: the cells of all ships not yet hit."""
    moves: Any
    """int32[B]: shots fired, and one for each mine struck."""
    outcome: Any
    """int8[B]: the outcome of the last step."""
    sunk: Any
    """int8[B]: the ship that the last step sank, or -1."""


@njit(inline="always")
def below(bits: Any, n: Any) -> Any:
    """A number from 0 to n - 1 (unsigned, as n) out of the low 32 of random bits."""
    return ((bits & _LOW) * n) >> np.uint64(32)


@njit(inline="always")
def draw_fleet(state: Any, ships: Ships, out: Any, b: Any) -> Any:
    """Draw a fleet into `out[b]`; returns the random state and whether it hit a dead end."""
    masks, closed = ships.masks, ships.closed
    c0 = c1 = c2 = np.uint64(0)
    dead = False
    for s in range(np.uint64(len(ships.kinds))):
        kind = ships.kinds[s]
        tries = 0
        while True:
            state += GOLDEN_GAMMA
            bits = mix64(state)
            down = bits >> np.uint64(63)
            p = below(bits, ships.spans[s, down]) + ships.starts[s, down]
            if not (masks[kind, p, 0] & c0 | masks[kind, p, 1] & c1 | masks[kind, p, 2] & c2):
                break
            tries += 1
            if tries == ships.max_tries:
                dead = True
                break
        out[b, s] = p
        c0 |= closed[kind, p, 0]
        c1 |= closed[kind, p, 1]
        c2 |= closed[kind, p, 2]
    return state, dead


@njit
def redraw_fleet(state: Any, ships: Ships, out: Any, b: Any) -> Any:
    """`draw_fleet` until it succeeds; a separate function, since inlined it slows down callers."""
    for _ in range(DRAWS):
        state, dead = draw_fleet(state, ships, out, b)
        if not dead:
            return state
    out[b, :] = ships.fallback
    return state


@njit
def place_batch(states: Any, ships: Ships, out: Any) -> None:
    """Draw one fleet a row into `out` int16[B, S]; the random `states` uint64[B] advance."""
    for b in range(np.uint64(len(states))):
        state, dead = draw_fleet(states[b], ships, out, b)
        if dead:
            state = redraw_fleet(state, ships, out, b)
        states[b] = state


@njit
def place_fleet(b: Any, layout: Any, ships: Ships, seas: Seas) -> None:
    """Reset board `b`, with its ships placed by `layout` int16[1, S] and no mines."""
    seas.owner[b, :] = WATER
    seas.board[b, :] = 0
    seas.moves[b] = 0
    togo = np.uint64(0)
    for s in range(np.uint64(len(ships.kinds))):
        size, kind, p = ships.sizes[s], ships.kinds[s], np.uint64(layout[0, s])
        seas.left[b, s] = size
        seas.afloat[b, s] = size
        togo += size
        for i in range(size):
            seas.owner[b, np.uint64(ships.cells[kind, p, i])] = s
    seas.togo[b] = togo


@njit
def new_game(b: Any, state: Any, mines: int, ships: Ships, seas: Seas, layout: Any) -> Any:
    """Reset board `b` with a random fleet and mines; takes and returns the random state."""
    state = redraw_fleet(state, ships, layout, np.uint64(0))
    place_fleet(b, layout, ships, seas)
    laid = 0
    while laid < mines:
        state += GOLDEN_GAMMA
        cell = below(mix64(state), np.uint64(seas.owner.shape[1]))
        if seas.owner[b, cell] == WATER:
            seas.owner[b, cell] = MINED
            laid += 1
    return state


@njit
def reset_batch(which: Any, states: Any, mines: int, ships: Ships, seas: Seas) -> None:
    """New fleets for the boards where `which` bool[B] is set."""
    layout = np.empty((1, len(ships.kinds)), np.int16)
    for b in range(np.uint64(len(which))):
        if which[b]:
            states[b] = new_game(b, states[b], mines, ships, seas, layout)
            seas.outcome[b] = MISS
            seas.sunk[b] = -1


@njit(inline="always")
def fire(b: Any, action: Any, seas: Seas) -> Any:
    """One shot at board `b`; returns its outcome. An invalid one changes nothing."""
    cell = np.uint64(action)
    seas.sunk[b] = -1
    if cell >= np.uint64(seas.board.shape[1]) or seas.board[b, cell] != 0:
        return INVALID
    seas.moves[b] += 1
    ship = seas.owner[b, cell]
    if ship < 0:
        seas.board[b, cell] = 1
        if ship == MINED:
            seas.moves[b] += 1
            return MINE
        return MISS
    seas.board[b, cell] = 2
    s = np.uint64(ship)
    seas.togo[b] -= 1
    seas.left[b, s] -= 1
    if seas.left[b, s] > 0:
        return HIT
    seas.afloat[b, s] = 0
    seas.sunk[b] = ship
    return SUNK if seas.togo[b] > 0 else WON


@njit
def step_batch(actions: Any, seas: Seas) -> None:
    """One shot `actions` int64[B] on every board, without reset."""
    for b in range(np.uint64(len(actions))):
        seas.outcome[b] = fire(b, actions[b], seas)


@njit
def step_reset_batch(actions: Any, states: Any, mines: int, ships: Ships, seas: Seas) -> int:
    """`step_batch`, then every board that was WON is reset (auto-reset); returns how many."""
    step_batch(actions, seas)
    layout = np.empty((1, len(ships.kinds)), np.int16)
    won = 0
    for b in range(np.uint64(len(actions))):
        if seas.outcome[b] == WON:
            states[b] = new_game(b, states[b], mines, ships, seas, layout)
            won += 1
    return won


@njit
def random_actions(players: Any, outcome: Any, order: Any, fired: Any, actions: Any) -> None:
    """A uniformly random cell not yet shot at, for every board.

    `players` uint64[B] are random states. `order` uint8[B, N] is a permutation of the cells whose
    first `fired` uint8[B] this kernel has shot at; a board whose last `outcome` int8[B] was WON
    starts over.
    """
    cells = np.uint64(order.shape[1])
    for b in range(np.uint64(len(actions))):
        t = np.uint64(0) if outcome[b] == WON else np.uint64(fired[b])
        state = players[b] + GOLDEN_GAMMA
        players[b] = state
        j = t + below(mix64(state), cells - t)
        cell = order[b, j]
        order[b, j] = order[b, t]
        order[b, t] = cell
        actions[b] = cell
        fired[b] = t + np.uint64(1)


@njit
def random_play(
    steps: int,
    players: Any,
    order: Any,
    fired: Any,
    actions: Any,
    states: Any,
    mines: int,
    ships: Ships,
    seas: Seas,
) -> int:
    """`steps` rounds of random legal play with reset on every board; returns the games won."""
    won = 0
    for _ in range(steps):
        random_actions(players, seas.outcome, order, fired, actions)
        won += step_reset_batch(actions, states, mines, ships, seas)
    return won
