"""Symmetry: all eight images of a position get the image of one analysis, at the same nodes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.gomoku.engine.analysis import EngineAnalysis, SearchLimits
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.engine.orientation import Orientation, orientations
from trireme.gomoku.rules import Point

from .brute_force import Stones, is_won, scattered

SIZE = 9
LIMITS = SearchLimits(nodes=1500)
IMAGES = orientations(SIZE)


@pytest.fixture(scope="module")
def engines() -> list[Engine]:
    """One for the position, one for its image."""
    return [Engine(SIZE, rows=1 << 12) for _ in range(2)]


def image(orientation: Orientation, stones: Stones) -> Stones:
    return {orientation.image(point): mark for point, mark in stones.items()}


def analysed(
    engine: Engine, stones: Stones, walls: tuple[Point, ...] = (), seed: int | None = None
) -> tuple[EngineAnalysis, list[EngineAnalysis]]:
    """The analysis and its reports, with no clock in them."""
    reports: list[EngineAnalysis] = []
    engine.set_position(stones.items(), 1 - 2 * (len(stones) % 2), walls)
    jitter = None if seed is None else (np.random.default_rng(seed), 50)
    found = engine.analyse(LIMITS, top=3, jitter=jitter, report=reports.append)
    return replace(found, seconds=0), [replace(report, seconds=0) for report in reports]


def mapped(orientation: Orientation, analysis: EngineAnalysis) -> EngineAnalysis:
    line = tuple(orientation.image(point) for point in analysis.line)
    moves = tuple(replace(c, move=orientation.image(c.move)) for c in analysis.moves)
    return replace(analysis, line=line, moves=moves)


def lopsided(stones: Stones, walls: tuple[Point, ...] = ()) -> bool:
    """Whether no rotation or reflection maps the position onto itself."""
    images = {(frozenset(image(o, stones).items()), frozenset(map(o.image, walls))) for o in IMAGES}
    return len(images) == len(IMAGES)


def test_the_eight_orientations_are_different_and_invertible() -> None:
    corner: Point = (0, 1)
    assert len({orientation.image(corner) for orientation in IMAGES}) == 8
    assert IMAGES[0].image(corner) == corner
    for orientation in IMAGES:
        points = [(row, col) for row in range(SIZE) for col in range(SIZE)]
        assert sorted(orientation.image(point) for point in points) == points
        assert [orientation.original(orientation.image(point)) for point in points] == points


@settings(max_examples=12)
@given(st.integers(0, 2**32), st.integers(3, 14), st.booleans())
def test_all_images_of_a_position_get_the_same_analysis(
    engines: list[Engine], seed: int, count: int, walled: bool
) -> None:
    stones = scattered(seed, SIZE, count)
    walls = tuple(p for p in ((0, 3), (8, 1), (4, 4)) if p not in stones) if walled else ()
    if is_won(stones, SIZE, True) or not lopsided(stones, walls):
        return
    found, reports = analysed(engines[0], stones, walls, seed)
    for orientation in IMAGES:
        turned = tuple(orientation.image(point) for point in walls)
        again, others = analysed(engines[1], image(orientation, stones), turned, seed)
        assert again == mapped(orientation, found)
        assert others == [mapped(orientation, report) for report in reports]


@pytest.mark.parametrize("orientation", IMAGES[1:])
@pytest.mark.parametrize("opening", [((4, 4), (3, 5), (3, 4)), ((2, 6), (3, 5))])
def test_a_mirrored_game_gets_mirrored_moves(
    orientation: Orientation, opening: tuple[Point, ...]
) -> None:
    """Also from a symmetric opening on: what was found out is kept, and found in its place."""
    one, two = Engine(SIZE, rows=1 << 12), Engine(SIZE, rows=1 << 12)
    stones: Stones = {}
    for number, point in enumerate(opening):
        stones[point] = 1 - 2 * (number % 2)
        one.set_position(stones.items(), -stones[point])
        two.set_position(image(orientation, stones).items(), -stones[point])
    stones[0, 2] = 1 - 2 * (len(stones) % 2)  # lopsided from here on
    for _ in range(4):
        found, reports = analysed(one, stones)
        again, others = analysed(two, image(orientation, stones))
        assert again == mapped(orientation, found)
        assert others == [mapped(orientation, report) for report in reports]
        assert one.memory.kept_generations == two.memory.kept_generations
        stones[found.best] = 1 - 2 * (len(stones) % 2)
    assert one.memory.kept_generations == 4


def test_the_order_of_the_stones_does_not_matter(engines: list[Engine]) -> None:
    stones = scattered(5, SIZE, 12)
    backwards = dict(reversed(stones.items()))
    assert analysed(engines[0], stones) == analysed(engines[1], backwards)
