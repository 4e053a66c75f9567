"""Batched self-play of Gomoku: epsilon-greedy moves, records and n-step returns for all games.

Shapes: B games in play, n × n points (point = row × n + col), area = n × n. `GameBatch` holds the
games in play; a finished game is copied to `FinishedGames` and its place starts the next one.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit
from trireme.core.splitmix_kernels import next_below, next_bits
from trireme.gomoku.kernels import DRAWN, GOING_ON, WON, wins

EXPLORER, PARTNER, HEURISTIC, SNAPSHOT = 0, 1, 2, 3
"""Who plays a colour: the network with a high epsilon, with a low one, the heuristic, a past
snapshot of the network."""


class GameBatch(NamedTuple):
    """Games in play."""

    boards: Any
    """int8[B, n, n]: 0 empty, 1 black, -1 white."""
    counts: Any
    """int32[B]: stones on the board; even: black is to move."""
    moves: Any
    """int16[B, area]: the points in the order they were filled."""
    random: Any
    """bool[B, area]: whether the ply was drawn at random."""
    begins: Any
    """int32[B]: stones that the opening put."""
    players: Any
    """int8[B, 2]: who plays black and white."""
    streams: Any
    """uint64[B]: random states."""


class FinishedGames(NamedTuple):
    """Finished games: rows for at most B of them."""

    moves: Any
    """int16[B, area]"""
    random: Any
    """bool[B, area]"""
    begins: Any
    """int32[B]"""
    lengths: Any
    """int32[B]: plies in all."""
    results: Any
    """int8[B]: 1 black won, -1 white won, 0 drawn."""
    players: Any
    """int8[B, 2]"""
    places: Any
    """int32[B]: the place of `GameBatch` where the game was played."""


@njit
def _any_empty(flat: Any, streams: Any, b: int, left: int) -> int:
    """An empty point, each of the `left` ones equally likely."""
    wanted = next_below(streams, b, left)
    for point in range(len(flat)):
        if flat[point] == 0:
            if wanted == 0:
                return point
            wanted -= 1
    return -1


@njit
def restart(batch: Any, b: int, stones: int) -> None:
    """Begin a new game at place b: colours are swapped, up to `stones` are placed near the centre.

    Fewer than nine stones hold no five, so that no opening ends the game.
    """
    n = batch.boards.shape[1]
    batch.boards[b] = 0
    batch.random[b] = False
    black = batch.players[b, 0]
    batch.players[b, 0] = batch.players[b, 1]
    batch.players[b, 1] = black
    wanted = next_below(batch.streams, b, stones + 1)
    reach = min(n, 7)
    edge = (n - reach) // 2
    count = 0
    while count < wanted:
        row = edge + next_below(batch.streams, b, reach)
        col = edge + next_below(batch.streams, b, reach)
        if batch.boards[b, row, col] == 0:
            batch.boards[b, row, col] = 1 - 2 * (count & 1)
            batch.moves[b, count] = row * n + col
            batch.random[b, count] = True
            count += 1
    batch.counts[b] = count
    batch.begins[b] = count


@njit
def _put(batch: Any, b: int, point: int, random: bool, exact: bool) -> int:
    """Make the move and record it; what it led to."""
    n = batch.boards.shape[1]
    count = batch.counts[b]
    row, col = point // n, point % n
    batch.boards[b, row, col] = 1 - 2 * (count & 1)
    batch.moves[b, count] = point
    batch.random[b, count] = random
    batch.counts[b] = count + 1
    if wins(batch.boards[b], row, col, exact):
        return WON
    return DRAWN if count + 1 == n * n else GOING_ON


@njit
def advance(batch: Any, proposals: Any, epsilons: Any, exact: bool, stones: int, out: Any) -> int:
    """One ply in every game; returns how many ended and were written to `out`.

    `proposals: int64[B]` are the moves that the players want; player kind k makes a random legal
    move instead with probability `epsilons[k]`.
    """
    area = batch.moves.shape[1]
    ended = 0
    for b in range(batch.boards.shape[0]):
        count = batch.counts[b]
        epsilon = epsilons[batch.players[b, count & 1]]
        chance = (next_bits(batch.streams, b) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
        random = chance < epsilon
        point = proposals[b]
        if random:
            point = _any_empty(batch.boards[b].reshape(area), batch.streams, b, area - count)
        result = _put(batch, b, point, random, exact)
        if result != GOING_ON:
            out.moves[ended] = batch.moves[b]
            out.random[ended] = batch.random[b]
            out.begins[ended] = batch.begins[b]
            out.lengths[ended] = count + 1
            out.players[ended] = batch.players[b]
            out.places[ended] = b
            out.results[ended] = 0 if result == DRAWN else 1 - 2 * (count & 1)
            ended += 1
            restart(batch, b, stones)
    return ended


@njit
def play_ply(batch: Any, moves: Any, exact: bool, results: Any) -> None:
    """Make `moves: int64[B]`; what each led to goes into `results: int8[B]`. Nothing restarts."""
    for b in range(batch.boards.shape[0]):
        results[b] = _put(batch, b, moves[b], False, exact)


@njit
def returns_from(
    random: Any, length: int, result: int, ply: int, n: int, gamma: float, penalty: float
) -> Any:
    """The n-step return `(reward, discount, next ply)` of one ply, for its mover.

    The reward is what the mover gains over the next n plies: each ply's own gain belongs to its
    own mover, so that signs alternate. It reaches less far when the game ends, or when a later ply
    was drawn at random: what follows such a ply says nothing about good play.
    """
    reward = 0.0
    factor = 1.0
    at = ply
    while True:
        won = at + 1 == length and result != 0
        reward += factor * ((1.0 if won else 0.0) - penalty)
        factor *= -gamma
        at += 1
        if at == length:
            return reward, 0.0, at
        if at - ply == n or random[at]:
            return reward, factor, at


@njit
def transitions(
    games: Any,
    ended: int,
    n: int,
    gamma: float,
    penalty: float,
    order: Any,
    action: Any,
    reward: Any,
    discount: Any,
    move_no: Any,
    next_no: Any,
    game: Any,
    demonstrated: Any,
) -> int:
    """Write every ply of the first `ended` finished games as a transition; returns their number.

    `order: int16[T, area]` and the columns `[T]` are those of `replay.Transitions`; `game` counts
    the games from 0. The opening's stones were chosen by no player, and make no transition.
    """
    area = games.moves.shape[1]
    filled = np.empty(area, np.int16)
    rows = 0
    for g in range(ended):
        filled[:] = 9999
        for ply in range(games.lengths[g]):
            filled[games.moves[g, ply]] = ply
        for ply in range(games.begins[g], games.lengths[g]):
            gained, kept, at = returns_from(
                games.random[g], games.lengths[g], games.results[g], ply, n, gamma, penalty
            )
            order[rows] = filled
            action[rows] = games.moves[g, ply]
            reward[rows] = gained
            discount[rows] = kept
            move_no[rows] = ply
            next_no[rows] = at
            game[rows] = g
            demonstrated[rows] = games.players[g, ply & 1] == HEURISTIC and not games.random[g, ply]
            rows += 1
    return rows
