"""Gomoku positions for tests, and a win detector that shares no code with the rules."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from trireme.gomoku.rules import Action, Gomoku, GomokuState, Point


def played(game: Gomoku, *actions: Action | str) -> GomokuState:
    """The state after these actions, given as text or as values, each checked."""
    state = game.start()
    for action in actions:
        move = game.read(action) if isinstance(action, str) else action
        (seat,) = game.to_move(state)
        game.check(state, seat, move)
        state = game.apply(state, {seat: move})
    return state


def with_black(game: Gomoku, black: Iterable[Point], last: Point) -> GomokuState:
    """Black has `black` and puts `last`; white's stones lie where they can't make a line."""
    black = [p for p in black if p != last]
    taken = {*black, last}
    apart = [p for p in game.points if p not in taken and p[0] % 2 == 0 and p[1] % 3 == 0]
    scattered = [p for i, p in enumerate(apart) if i % 2 == 0 or len(apart) < 3 * len(black)]
    assert len(scattered) >= len(black)
    state = game.start()
    for own, other in zip(black, scattered, strict=False):
        for point in (own, other):
            state = GomokuState((*state.stones, point))
    return game.apply(state, {0: last})


def judged(board: NDArray[np.int8], exact: bool) -> int:
    """Which colour has a winning line anywhere, found by cutting every line into runs; 0 nobody."""
    n = len(board)
    lines = [*board, *board.T]
    for flipped in (board, np.fliplr(board)):
        lines += [np.diagonal(flipped, offset) for offset in range(-n + 1, n)]
    for line in lines:
        marks = "".join({1: "X", -1: "O", 0: "."}[int(v)] for v in line)
        for run in marks.replace("XO", "X O").replace("OX", "O X").replace(".", " ").split():
            if len(run) == 5 or (len(run) > 5 and not exact):
                return 1 if run[0] == "X" else -1
    return 0
