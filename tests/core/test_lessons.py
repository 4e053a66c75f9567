"""Lessons: each can be solved by the rules, and what its text calls wrong is missed."""

from __future__ import annotations

from typing import Any

import pytest

from trireme.core.game import CHANCE, AnyGame, Turn
from trireme.core.lessons import (
    LEARNER,
    GoalState,
    LessonMove,
    goal_state,
    lesson_named,
    lessons_of,
)
from trireme.core.registry import GAMES, make_agent, make_game
from trireme.core.seeding import seat_generator

HOLD = "--------"
SOLUTIONS: dict[tuple[str, str], list[str]] = {
    ("gomoku", "five"): ["a5"],
    ("gomoku", "block"): ["g4"],
    ("gomoku", "open-three"): ["f5"],
    ("gomoku", "double"): ["e5"],
    ("navigation", "sail"): ["F-F-R-F-", "F-------"],
    ("navigation", "wind"): ["F-F-F---"],
    ("navigation", "broadside"): ["F-F-F-Fs"],
    ("navigation", "whirlpool"): ["F-F-F---"],
    ("navigation", "grapple"): ["R-L-F-Fh"],
}


def every_lesson() -> list[tuple[str, str]]:
    return [(game, lesson.id) for game in GAMES for lesson in lessons_of(game)]


def taken(game_name: str, id: str, actions: list[str]) -> list[GoalState]:
    """The goal's state at the start and after each action of the learner."""
    lesson = lesson_named(game_name, id)
    assert lesson is not None
    game: AnyGame = make_game(game_name, **lesson.settings)
    agent = None if lesson.opponent is None else make_agent(game, lesson.opponent)
    rng = seat_generator(bytes(16))
    state, moves = game.start(), list[LessonMove]()
    states = [goal_state(game, moves, lesson.goal)]
    left = list(actions)
    while game.to_move(state):
        chosen: dict[int, Any] = {}
        for seat in game.to_move(state):
            if seat == CHANCE:
                chosen[seat] = game.draw(state, rng)
            elif seat == LEARNER:
                if not left:
                    return states
                chosen[seat] = game.read(left.pop(0))
                game.check(state, seat, chosen[seat])
            else:
                assert agent is not None
                view = game.view(state, seat)
                turn = Turn(game, seat, view, game.legal(state, seat), rng, 0.2)
                chosen[seat] = agent.act(turn)
        after = game.apply(state, chosen)
        moves.append(LessonMove(chosen, state, after))
        state = after
        if LEARNER in chosen:
            states.append(goal_state(game, moves, lesson.goal))
    return states


@pytest.mark.parametrize(("game", "id"), sorted(SOLUTIONS))
def test_a_lesson_is_solved_as_its_text_says(game: str, id: str) -> None:
    states = taken(game, id, SOLUTIONS[game, id])
    assert states[:-1] == ["open"] * (len(states) - 1)
    assert states[-1] == "met"


@pytest.mark.parametrize(
    ("game", "id", "action"),
    [
        ("gomoku", "five", "a1"),
        ("gomoku", "five", "f5"),  # makes six
        ("gomoku", "block", "a1"),
        ("gomoku", "open-three", "a9"),
        ("gomoku", "double", "a9"),
    ],
)
def test_another_move_misses_the_goal(game: str, id: str, action: str) -> None:
    assert taken(game, id, [action])[-1] == "missed"


@pytest.mark.parametrize("id", ["sail", "wind", "broadside", "whirlpool", "grapple"])
def test_a_mission_is_missed_when_its_turns_are_over(id: str) -> None:
    goal = lesson_named("navigation", id).goal  # type: ignore[union-attr]
    assert goal.within is not None
    states = taken("navigation", id, [HOLD] * goal.within)
    assert states == ["open"] * goal.within + ["missed"]


def test_lessons_of_battleship_count_ships_and_fleets() -> None:
    cells = [f"{row}{col}" for row in "ABCDEF" for col in range(1, 7)]
    states = taken("battleship", "hunting", cells)
    assert states[0] == "open"
    assert states[-1] == "met"
    both = taken("battleship", "heatmap", cells)
    assert both.index("met") > states.index("met"), "two ships take longer than one"


def test_every_lesson_starts_and_has_something_to_say() -> None:
    assert len(every_lesson()) == 13
    for game, id in every_lesson():
        lesson = lesson_named(game, id)
        assert lesson is not None
        assert lesson.title
        assert lesson.done.endswith(".")
        assert taken(game, id, []) == ["open"]


def test_a_game_without_lessons_has_none_and_an_unknown_one_is_none() -> None:
    assert lesson_named("gomoku", "nothing") is None
