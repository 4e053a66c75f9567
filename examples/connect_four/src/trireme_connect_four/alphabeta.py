"""An agent for Connect Four: alpha-beta search of a fixed depth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from trireme import Turn, option

from .rules import ConnectFour, State

WIN = 1000.0


@dataclass(frozen=True)
class AlphaBeta:
    """Looks a few moves ahead with alpha-beta pruning, then prefers discs near the centre."""

    name: ClassVar[str] = "alphabeta"
    depth: int = option(4, "moves that it looks ahead; more play better and take longer")

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= 12:
            raise ValueError(f"depth must be from 1 to 12, not {self.depth}")

    def act(self, turn: Turn[int, State]) -> int:
        game = turn.game
        assert isinstance(game, ConnectFour)
        best, chosen = -2 * WIN, -1
        for col, state in _moves(game, turn.view):
            value = -_negamax(game, state, self.depth - 1, -2 * WIN, -best)
            if value > best:
                best, chosen = value, col
        return chosen


def _negamax(game: ConnectFour, state: State, depth: int, alpha: float, beta: float) -> float:
    """The value for the seat to move, between alpha and beta; sooner wins are worth more."""
    if state.winner is not None:
        return -WIN - depth
    if not game.to_move(state):
        return 0.0
    if depth == 0:
        return _centre(game, state)
    for _, after in _moves(game, state):
        alpha = max(alpha, -_negamax(game, after, depth - 1, -beta, -alpha))
        if alpha >= beta:
            break
    return alpha


def _moves(game: ConnectFour, state: State) -> Iterator[tuple[int, State]]:
    """The legal moves and where they lead, central columns first."""
    middle = (game.cols - 1) / 2
    for col in sorted(game.legal(state, state.turn), key=lambda c: abs(c - middle)):
        yield col, game.apply(state, {state.turn: col})


def _centre(game: ConnectFour, state: State) -> float:
    """How much nearer to the centre the discs of the seat to move lie than the other's."""
    middle, own = (game.cols - 1) / 2, str(state.turn)
    return sum(
        (1 if disc == own else -1) * (middle - abs(col - middle))
        for col, column in enumerate(state.columns)
        for disc in column
    )
