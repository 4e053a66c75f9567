"""Games and positions that tests of Battleship share."""

from collections.abc import Iterator
from itertools import product
from typing import Any

from hypothesis import strategies as st

from trireme import CHANCE
from trireme.battleship.board import Board, Cell
from trireme.battleship.rules import Battleship, BattleshipState

FLEET = "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2"
"""Carrier, battleship, cruiser, submarine and destroyer at the left edge, two rows apart."""


def solo_games(**more: st.SearchStrategy[Any]) -> st.SearchStrategy[Battleship]:
    """Solo games of all sizes, ways of placing and numbers of mines; `more` settings vary too."""
    return st.builds(
        Battleship,
        rows=st.integers(5, 12),
        cols=st.integers(5, 12),
        touching=st.booleans(),
        placement=st.sampled_from(["sequential", "uniform"]),
        mines=st.integers(0, 6),
        **more,
    )


def fired(game: Battleship, fleet: str, shots: str) -> BattleshipState:
    """A solo game after these shots at this fleet."""
    state = game.apply(game.start(), {CHANCE: game.read(fleet)})
    for shot in shots.split():
        action = game.read(shot)
        game.check(state, 0, action)
        state = game.apply(state, {0: action})
    return state


def dueling(
    game: Battleship, fleets: tuple[str, str], *turns: str | tuple[str, str]
) -> BattleshipState:
    """A duel after these turns: text for the seat to move, or a pair where both move."""
    state = game.start()
    for turn in (fleets, *turns):
        texts = (turn,) if isinstance(turn, str) else turn
        actions = {s: game.read(t) for s, t in zip(game.to_move(state), texts, strict=True)}
        for seat, action in actions.items():
            game.check(state, seat, action)
        state = game.apply(state, actions)
    return state


def naive_fleets(board: Board) -> Iterator[tuple[frozenset[Cell], ...]]:
    """Every fleet by the letter of the rules: sets of cells, no masks, no order of search."""
    options = [list(_lines(board, size)) for size in board.sizes]
    for ships in product(*options):
        if all(_apart(a, b, board.touching) for i, a in enumerate(ships) for b in ships[i + 1 :]):
            yield ships


def _lines(board: Board, size: int) -> Iterator[frozenset[Cell]]:
    seen = set()
    for row, col, (down, right) in product(range(board.rows), range(board.cols), ((0, 1), (1, 0))):
        cells = frozenset((row + i * down, col + i * right) for i in range(size))
        if all(r < board.rows and c < board.cols for r, c in cells) and cells not in seen:
            seen.add(cells)
            yield cells


def _apart(one: frozenset[Cell], other: frozenset[Cell], touching: bool) -> bool:
    if touching:
        return not one & other
    return all(max(abs(a - c), abs(b - d)) > 1 for a, b in one for c, d in other)
