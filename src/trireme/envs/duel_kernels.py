"""Kernels of Battleship duels: thousands of games between two seats, with salvos and mines.

Shapes: B duels, N cells of a board, S ships, P feature planes. `Seas` hold 2 B boards: row
2 b + seat is the board that this seat of duel b owns; it fires at row 2 b + 1 - seat.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.battleship.kernels import CHOSEN_CELL, HIT, MINE, SUNK, WON, fire
from trireme.core.jit import njit
from trireme.core.splitmix_kernels import mix64, next_below

GOING_ON, VICTORY, DRAW, DEFEAT, ILLEGAL = 0, 1, 2, 3, 4
"""What a step led to, for the seat that chose."""

_ONE, _WORD = np.uint64(1), np.uint64(63)


class Duels(NamedTuple):
    """A batch of duels in play."""

    turn: Any
    """int8[B]: the seat that fires next, where seats fire in turn."""
    learner: Any
    """int8[B]: the seat that steps choose for; in self-play the one whose turn it is."""
    owed: Any
    """int16[B, 2]: the turns that each seat has yet to sit out."""
    chosen: Any
    """int16[B]: the cells that the learner has chosen for its salvo."""
    moves: Any
    """int32[B]: complete moves of the learner; in self-play of both seats."""
    over: Any
    """bool[B]: whether the game is over."""
    outcome: Any
    """int8[B]: what the last step led to, or NOTHING."""
    streams: Any
    """uint64[B]: the random states of opponents."""
    fired: Any
    """int16[2 B]: the shots at each board."""
    order: Any
    """uint8[2 B, N]: the cells of these shots, the first one first."""
    hits: Any
    """uint64[2 B, 3]: the cells hit, as a bitset."""
    last: Any
    """uint8[2 B, S]: the hit that sank each ship."""
    until: Any
    """uint64[2 B, S, 3]: the cells hit when each ship sank."""
    sunk: Any
    """int8[2 B, N]: 1 where a cell surely belongs to a sunk ship, as the answers tell."""


class DuelRules(NamedTuple):
    """The settings of the duels that kernels need."""

    salvo: Any
    """bool: a turn fires a shot for every ship that the shooter has afloat."""
    simultaneous: Any
    """bool: both seats fire at once."""
    self_play: Any
    """bool: steps choose for both seats; else a random opponent has the other one."""


@njit
def derive_streams(seeds: Any, which: Any, fleets: Any, opponents: Any) -> None:
    """Random states out of `seeds: uint64[B]` where `which: bool[B]` is set.

    Out: `fleets: uint64[2 B]`, one for each board, and `opponents: uint64[B]`.
    """
    for b in range(seeds.shape[0]):
        if which[b]:
            fleets[2 * b] = seeds[b]
            fleets[2 * b + 1] = mix64(seeds[b] + _ONE)
            opponents[b] = mix64(seeds[b] + np.uint64(2))


@njit
def begin_duels(
    which: Any, nothing: int, seat: int, seas: Any, duels: Any, rules: Any, ships: Any
) -> None:
    """New games where `which: bool[B]` is set, on boards with new fleets.

    `seat` is the learner's, or -1: drawn. An opponent that fires first does so.
    """
    for b in range(which.shape[0]):
        if not which[b]:
            continue
        for row in range(2 * b, 2 * b + 2):
            duels.fired[row] = 0
            duels.hits[row, :] = 0
            duels.sunk[row, :] = 0
        duels.owed[b, :] = 0
        duels.turn[b] = 0
        duels.chosen[b] = 0
        duels.moves[b] = 0
        duels.over[b] = False
        duels.outcome[b] = nothing
        duels.learner[b] = seat if seat >= 0 else next_below(duels.streams, b, 2)
        if not rules.self_play:
            await_learner(b, seas, duels, rules, ships)


@njit(inline="always")
def salvo_size(b: int, seat: int, seas: Any, duels: Any, rules: Any) -> Any:
    """How many shots the next turn of `seat` fires."""
    if not rules.salvo:
        return 1
    own, aim = 2 * b + seat, 2 * b + 1 - seat
    ships = 0
    for s in range(seas.afloat.shape[1]):
        ships += seas.afloat[own, s] > 0
    return min(ships, seas.board.shape[1] - duels.fired[aim])


@njit
def choose_randomly(b: int, seat: int, seas: Any, duels: Any, rules: Any) -> None:
    """Choose the salvo of `seat`, all sets of open cells being equally likely."""
    aim = 2 * b + 1 - seat
    board, open_cells = seas.board[aim], seas.board.shape[1] - duels.fired[aim]
    for taken in range(salvo_size(b, seat, seas, duels, rules)):
        skip = next_below(duels.streams, b, open_cells - taken)
        for cell in range(np.uint64(len(board))):
            if board[cell] == 0:
                if skip == 0:
                    board[cell] = CHOSEN_CELL
                    break
                skip -= 1


@njit
def fire_chosen(b: int, seat: int, seas: Any, duels: Any, ships: Any) -> None:
    """Fire at the cells that `seat` has chosen, from the top left on."""
    aim = 2 * b + 1 - seat
    board, struck = seas.board[aim], False
    for cell in range(np.uint64(len(board))):
        if board[cell] != CHOSEN_CELL:
            continue
        board[cell] = 0
        outcome = fire(aim, cell, seas)
        duels.order[aim, duels.fired[aim]] = cell
        duels.fired[aim] += 1
        if outcome == MINE:
            duels.owed[b, seat] += 1
        if outcome in (HIT, SUNK, WON):
            struck = True
            duels.hits[aim, cell >> np.uint64(6)] |= _ONE << (cell & _WORD)
            if outcome != HIT:
                ship = seas.sunk[aim]
                duels.last[aim, ship] = cell
                duels.until[aim, ship] = duels.hits[aim]
    if struck:
        mark_sunk(aim, seas, duels, ships)


@njit
def mark_sunk(row: int, seas: Any, duels: Any, ships: Any) -> None:
    """Mark the cells that belong to sunk ships in every fleet that agrees with the answers.

    The plain twin is `belief.constraints.sunk_cells`.
    """
    hits, masks, closed = duels.hits, ships.masks, ships.closed
    duels.sunk[row, :] = 0
    for s in range(seas.afloat.shape[1]):
        if seas.afloat[row, s] > 0:
            continue
        kind, last = ships.kinds[s], np.uint64(duels.last[row, s])
        word, bit = last >> np.uint64(6), _ONE << (last & _WORD)
        sure0 = sure1 = sure2 = ~np.uint64(0)
        for p in range(np.uint64(masks.shape[1])):
            if not masks[kind, p, word] & bit:
                continue
            wrong = np.uint64(0)
            for w in range(np.uint64(3)):
                mask = masks[kind, p, w]
                wrong |= mask & ~duels.until[row, s, w] | closed[kind, p, w] & hits[row, w] & ~mask
            if not wrong:
                sure0 &= masks[kind, p, 0]
                sure1 &= masks[kind, p, 1]
                sure2 &= masks[kind, p, 2]
        for cell in range(np.uint64(seas.board.shape[1])):
            sure = sure0 if cell < np.uint64(64) else sure1 if cell < np.uint64(128) else sure2
            if sure >> (cell & _WORD) & _ONE:
                duels.sunk[row, cell] = 1


@njit(inline="always")
def pass_turn(b: int, first_owed: int, second_owed: int, duels: Any, rules: Any) -> None:
    """The turn goes on, over turns to be sat out; the seats owed so many before the move."""
    owed = duels.owed[b]
    if rules.simultaneous:
        owed[0] -= first_owed > 0
        owed[1] -= second_owed > 0
    both = min(owed[0], owed[1])
    owed[0] -= both
    owed[1] -= both
    if rules.simultaneous:
        return
    turn = 1 - duels.turn[b]
    if owed[turn] > 0:
        owed[turn] -= 1
        turn = 1 - turn
    duels.turn[b] = turn


@njit(inline="always")
def moves_now(b: int, seat: int, duels: Any, rules: Any) -> Any:
    """Whether `seat` is to move."""
    if rules.simultaneous:
        return duels.owed[b, seat] == 0
    return duels.turn[b] == seat


@njit
def play_turn(b: int, learner_fires: bool, seas: Any, duels: Any, rules: Any, ships: Any) -> None:
    """One turn: fire what the learner has chosen, if it is to move, and the opponent's salvo."""
    learner = duels.learner[b]
    first_owed, second_owed = duels.owed[b, 0], duels.owed[b, 1]
    opponent_fires = not rules.self_play and moves_now(b, 1 - learner, duels, rules)
    if opponent_fires:  # before anything is fired: sunk ships count for this salvo still
        choose_randomly(b, 1 - learner, seas, duels, rules)
    if learner_fires:
        fire_chosen(b, learner, seas, duels, ships)
        duels.chosen[b] = 0
    if opponent_fires:
        fire_chosen(b, 1 - learner, seas, duels, ships)
    duels.over[b] = seas.togo[2 * b] == 0 or seas.togo[2 * b + 1] == 0
    pass_turn(b, first_owed, second_owed, duels, rules)


@njit
def await_learner(b: int, seas: Any, duels: Any, rules: Any, ships: Any) -> None:
    """Let the opponent fire until the learner is to move."""
    while not duels.over[b] and not moves_now(b, duels.learner[b], duels, rules):
        play_turn(b, False, seas, duels, rules, ships)


@njit
def step_duel(b: int, action: int, seas: Any, duels: Any, rules: Any, ships: Any) -> None:
    """One choice of the learner in duel `b`; a complete salvo is fired, and the opponent replies.

    A cell that is off the board, fired at or chosen already loses the game.
    """
    learner = duels.learner[b]
    aim = 2 * b + 1 - learner
    duels.outcome[b] = GOING_ON
    if action < 0 or action >= seas.board.shape[1] or seas.board[aim, action] != 0:
        duels.outcome[b] = ILLEGAL
        duels.over[b] = True
    else:
        seas.board[aim, action] = CHOSEN_CELL
        duels.chosen[b] += 1
        if duels.chosen[b] == salvo_size(b, learner, seas, duels, rules):
            play_turn(b, True, seas, duels, rules, ships)
            duels.moves[b] += 1
            if not rules.self_play:
                await_learner(b, seas, duels, rules, ships)
            if duels.over[b]:
                lost, won = seas.togo[2 * b + learner] == 0, seas.togo[aim] == 0
                duels.outcome[b] = DRAW if lost and won else DEFEAT if lost else VICTORY
    if rules.self_play:
        if duels.over[b]:
            duels.learner[b] = 1 - learner
        else:
            duels.learner[b] = duels.turn[b]


@njit
def step_duels(
    actions: Any,
    resetting: Any,
    limit: int,
    seas: Any,
    duels: Any,
    rules: Any,
    ships: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
) -> bool:
    """`actions: int64[B]`, one choice in every duel, except where `resetting: bool[B]` is set.

    A game of `limit` moves is truncated. Out: `rewards: float64[B]` of the seat that chose,
    `terminated`, `truncated: bool[B]`. Returns whether any game has ended.
    """
    any_ended = False
    for b in range(actions.shape[0]):
        rewards[b] = 0.0
        terminated[b] = truncated[b] = False
        if resetting[b]:
            continue
        step_duel(b, actions[b], seas, duels, rules, ships)
        outcome = duels.outcome[b]
        if outcome == VICTORY:
            rewards[b] = 1.0
        elif outcome in (DEFEAT, ILLEGAL):
            rewards[b] = -1.0
        terminated[b] = duels.over[b]
        truncated[b] = not duels.over[b] and duels.moves[b] >= limit
        any_ended |= terminated[b] | truncated[b]
    return any_ended


@njit
def show_duels(
    rows: Any,
    seas: Any,
    duels: Any,
    rules: Any,
    planes: Any,
    mask: Any,
    choices: Any,
    chosen: Any,
) -> None:
    """Write what the learners of the duels `rows: intp[R]` see.

    Out: `planes: int8[R, P, N]`, those of the game's encoder; `mask: int8[R, N]`, 1 where a cell
    may be chosen; `choices: int16[R]`, how many cells the turn takes, 0 once the game is over;
    `chosen: int16[R]`, how many of them are chosen.
    """
    cells, ships = seas.board.shape[1], seas.afloat.shape[1]
    for r in range(rows.shape[0]):
        b = rows[r]
        own = 2 * b + duels.learner[b]
        aim = 2 * b + 1 - duels.learner[b]
        seen, going_on = planes[r], not duels.over[b]
        show_target(seas.board[aim], duels.sunk[aim], going_on, seen, mask[r])
        board, owner = seas.board[own], seas.owner[own]
        own_ships, received = seen[4 + ships], seen[5 + ships]
        for cell in range(cells):
            own_ships[cell] = owner[cell] >= 0
            received[cell] = (board[cell] == 1) | (board[cell] == 2)
        for s in range(ships):
            seen[4 + s, :] = seas.afloat[aim, s] > 0
        chosen[r] = 0
        if rules.salvo:
            board, marked = seas.board[aim], seen[6 + ships]
            for cell in range(cells):
                marked[cell] = board[cell] == CHOSEN_CELL
                chosen[r] += marked[cell]
        choices[r] = 0
        if going_on:
            choices[r] = salvo_size(b, duels.learner[b], seas, duels, rules)


@njit
def show_target(board: Any, sunk: Any, going_on: bool, seen: Any, mask: Any) -> None:
    """Write the planes of the board fired at, and its mask; a plane at a time, which is quicker."""
    misses, hits, sunk_cells, unknown = seen[0], seen[1], seen[2], seen[3]
    for cell in range(board.shape[0]):
        misses[cell] = board[cell] == 1
    for cell in range(board.shape[0]):
        hits[cell] = board[cell] == 2
    for cell in range(board.shape[0]):
        sunk_cells[cell] = sunk[cell]
    for cell in range(board.shape[0]):
        unknown[cell] = (board[cell] == 0) | (board[cell] == CHOSEN_CELL)
    for cell in range(board.shape[0]):
        mask[cell] = going_on & (board[cell] == 0)
