"""Exact endgames: the optimum agrees with a plain search, and every shot's regret with it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from trireme.battleship.belief.constraints import explains
from trireme.battleship.board import Board, Cell, write_cell
from trireme.battleship.endgame import Endgame, TooManyFleets, consistent_fleets
from trireme.battleship.fleets import Fleet, all_layouts, draw_fleet
from trireme.battleship.puzzles import BattleshipPuzzles, regrets
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Salvo, Shot
from trireme.core.game import CHANCE
from trireme.core.lessons import LEARNER, LessonGoal, LessonMove
from trireme.core.puzzles import Puzzle

BOARD = Board(5, 5, (3, 2))
GAME = Battleship(rows=5, cols=5, placement="uniform")


def late_shots(seed: int, misses: int) -> tuple[Shot, ...]:
    """The answers to random shots at water, and perhaps at a ship."""
    rng = np.random.default_rng(seed)
    fleet = draw_fleet(BOARD, 0, rng, uniform=True)
    state = GAME.apply(GAME.start(), {CHANCE: fleet})
    cells = [BOARD.cells()[int(i)] for i in rng.permutation(25)]
    fired = 0
    for cell in cells:
        after = GAME.apply(state, {LEARNER: Salvo((cell,))})
        if after.seas[0].shots[-1].result == "miss" or seed % 3 == 0:
            state, fired = after, fired + 1
        if fired == misses or not GAME.to_move(state):
            break
    return state.seas[0].shots


def plain_optimum(fleets: list[tuple[int, ...]], fired: int) -> float:
    """Expected shots with the best ones: every cell tried in every position, no rule of thumb."""

    @cache
    def value(group: tuple[int, ...], fired: int) -> float:
        if all(not sum(fleets[n]) & ~fired for n in group):
            return 0.0
        union = 0
        for n in group:
            union |= sum(fleets[n])
        bits = [1 << i for i in range(25) if union & ~fired & 1 << i]
        return min(1 + after(group, fired, bit) for bit in bits)

    def after(group: tuple[int, ...], fired: int, bit: int) -> float:
        parts: dict[Any, list[int]] = {}
        for n in group:
            ships = [(k, mask) for k, mask in enumerate(fleets[n]) if mask & bit]
            answer = [(k, mask & ~fired == bit) for k, mask in ships]
            told = "miss" if not answer else answer[0] if answer[0][1] else "hit"
            parts.setdefault(told, []).append(n)
        return sum(len(p) * value(tuple(p), fired | bit) for p in parts.values()) / len(group)

    return value(tuple(range(len(fleets))), fired)


@pytest.mark.parametrize("seed", range(12))
def test_the_optimum_is_that_of_a_plain_search(seed: int) -> None:
    shots = late_shots(seed, 15)
    solved = Endgame(BOARD, shots)
    if len(solved.fleets) > 6:
        shots = late_shots(seed, 18)
        solved = Endgame(BOARD, shots)
    assert solved.best() == pytest.approx(plain_optimum(solved.fleets[:], solved.fired))


@pytest.mark.parametrize("seed", range(6))
def test_the_fleets_are_those_that_explain_the_answers(seed: int) -> None:
    shots = late_shots(seed, 12)
    wanted = {
        tuple(place.mask for place in layout)
        for layout in all_layouts(BOARD)
        if explains(BOARD, Fleet(tuple(place.ends for place in layout)), shots)
    }
    assert set(consistent_fleets(BOARD, shots)) == wanted


def corner_endgame() -> Endgame:
    """The cruiser is sunk in row E; the destroyer's first hit is A1, its other cell A2 or B1."""
    cells: list[tuple[str, str, str]] = [
        ("E1", "hit", ""), ("E2", "hit", ""), ("E3", "sunk", "cruiser"), ("A1", "hit", ""),
    ]  # fmt: skip
    shots = tuple(Shot((ord(c[0]) - 65, int(c[1]) - 1), r, s) for c, r, s in cells)  # type: ignore[arg-type]
    return Endgame(BOARD, shots)


def test_two_fleets_take_one_shot_and_a_half() -> None:
    solved = corner_endgame()
    assert len(solved.fleets) == 2
    assert solved.best() == 1.5
    assert [write_cell(cell) for cell in solved.best_cells()] == ["A2", "B1"]
    assert solved.regret((0, 1)) == solved.regret((1, 0)) == 0
    assert solved.regret((2, 2)) == 1  # can't hit: a shot is lost
    assert solved.hit_chance((0, 1)) == 0.5
    assert solved.hit_chance((2, 2)) == 0


def test_regret_may_stop_at_a_bound() -> None:
    solved = corner_endgame()
    assert solved.regret((2, 2), 0.5) >= 0.5


def test_an_open_position_is_no_endgame() -> None:
    with pytest.raises(TooManyFleets):
        Endgame(Battleship().boards[0], ())
    with pytest.raises(TooManyFleets):
        Endgame(BOARD, late_shots(1, 3), most_sets=2).best()


def test_a_solution_may_take_all_sets_that_it_is_allowed() -> None:
    shots = late_shots(1, 15)
    solved = Endgame(BOARD, shots)
    best, needed = solved.best(), solved._solved
    assert needed > 1
    assert Endgame(BOARD, shots, most_sets=needed).best() == best
    with pytest.raises(TooManyFleets):
        Endgame(BOARD, shots, most_sets=needed - 1).best()


def moves_of(cells: list[Cell], fleet: str) -> list[LessonMove]:
    state = GAME.apply(GAME.start(), {CHANCE: GAME.read(fleet)})
    for text in ("E1", "E2", "E3", "A1"):
        state = GAME.apply(state, {LEARNER: GAME.read(text)})
    moves = []
    for cell in cells:
        after = GAME.apply(state, {LEARNER: Salvo((cell,))})
        moves.append(LessonMove({LEARNER: Salvo((cell,))}, state, after))
        state = after
    return moves


def test_regrets_judge_choices_and_not_luck() -> None:
    unlucky = moves_of([(0, 1), (1, 0)], "E1-E3 A1-B1")
    assert regrets(GAME, unlucky) == [0, 0]
    wasted = moves_of([(2, 2), (1, 0)], "E1-E3 A1-B1")
    assert regrets(GAME, wasted) == [1, 0]
    puzzle = Puzzle("endgame", 1000, "", "", LessonGoal("optimal"), ())
    review = BattleshipPuzzles().review(GAME, wasted, puzzle)
    assert review.marks == ("bad", "good")
    assert "1.50 expected shots" in review.note
    assert "lost 1.00" in review.note
