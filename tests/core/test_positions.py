"""Positions that are alike, and such that are not."""

from __future__ import annotations

from random import Random

import pytest

from trireme import make_game, play
from trireme.core.positions import MarkedBoard, alike, marked_boards
from trireme.core.session import Session

Mark = tuple[int, int, int]


def stones(count: int, seed: int = 1) -> list[Mark]:
    """A crowded board: stones of both colours in turn."""
    points = [(row, col) for row in range(3, 10) for col in range(3, 10)]
    Random(seed).shuffle(points)
    return [(row, col, number % 2) for number, (row, col) in enumerate(points[:count])]


def board(marks: list[Mark]) -> MarkedBoard:
    return MarkedBoard(tuple(marks), colours=True)


def turned(mark: Mark) -> Mark:
    return mark[1] + 2, 14 - mark[0], mark[2]


@pytest.mark.parametrize("count", [5, 8, 10, 20, 40])
def test_a_board_is_like_itself_in_any_orientation_order_place_and_colour(count: int) -> None:
    marks = stones(count)
    running = board(marks)
    images = [marks]
    for _ in range(3):
        images.append([turned(mark) for mark in images[-1]])
    images += [[(row, 14 - col, kind) for row, col, kind in image] for image in images]
    for image in images:
        assert running.like(board(image))
        assert running.like(board(image[::-1]))
        assert running.like(board([(row, col, 1 - kind) for row, col, kind in image]))


@pytest.mark.parametrize(
    ("count", "missing", "extra"), [(5, 0, 1), (9, 0, 2), (10, 1, 2), (16, 2, 4), (40, 6, 10)]
)
def test_a_few_marks_more_or_less_make_no_difference(count: int, missing: int, extra: int) -> None:
    marks = stones(count)
    running = board(marks)
    junk = [(number, 100, number % 2) for number in range(extra + 1)]
    assert running.like(board(marks[missing:]))
    assert running.like(board(marks + junk[:extra]))
    assert not running.like(board(marks[missing + 1 :]))
    assert not running.like(board(marks + junk))
    assert not running.like(board(marks[missing + 1 :] + junk[: missing + 1]))


def test_few_marks_are_like_nothing() -> None:
    assert not board(stones(4)).like(board(stones(4)))


def test_other_boards_are_not_alike() -> None:
    boards = [board(stones(20, seed)) for seed in range(8)]
    assert not any(a.like(b) for a in boards for b in boards if a is not b)


def test_kinds_that_are_no_colours_are_not_exchanged() -> None:
    marks = tuple(stones(12))
    other = tuple((row, col, 1 - kind) for row, col, kind in marks)
    assert not MarkedBoard(marks).like(MarkedBoard(other))
    assert MarkedBoard(marks, colours=True).like(MarkedBoard(other, colours=True))


def test_boards_of_different_places_are_not_alike() -> None:
    marks = tuple(stones(12))
    assert not MarkedBoard(marks, "here").like(MarkedBoard(marks, "there"))


@pytest.mark.parametrize(
    ("name", "settings"), [("battleship", {"duel": True}), ("gomoku", {}), ("navigation", {})]
)
def test_a_game_is_like_itself_and_not_like_another(name: str, settings: dict[str, bool]) -> None:
    game = make_game(name, **settings)
    assert not marked_boards(game, game.start())
    one, other = (
        list(play(game, ["random"] * game.seats, seed=seed).record.states()) for seed in (3, 4)
    )
    late = one[len(one) * 2 // 3]
    assert alike(marked_boards(game, late), marked_boards(game, late))
    assert not any(alike(marked_boards(game, late), marked_boards(game, s)) for s in other)


def test_what_is_hidden_does_not_change_a_position() -> None:
    game = make_game("battleship", duel=True, rows=5, cols=5, fleet=(2,))

    def after(*fleets: str) -> list[MarkedBoard]:
        session = Session(game, ["a", "b"], seed=0, opening=[dict(enumerate(fleets))])
        for number, cell in enumerate(["B1", "B1", "C3", "C3", "D2", "D2"]):
            session.move({number % 2: game.read(cell)})
        return marked_boards(game, session.state)

    assert after("A1-A2", "E4-E5") == after("A4-A5", "E1-E2")
