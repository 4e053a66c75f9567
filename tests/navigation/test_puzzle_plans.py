"""Plans of puzzles: kernels agree with the plain rules, and safe means safe against every plan."""

from __future__ import annotations

from functools import cache
from itertools import product

import msgspec
import numpy as np
import pytest

from trireme.core.errors import BadPuzzle
from trireme.core.lessons import LessonGoal, LessonMove
from trireme.core.puzzles import Puzzle
from trireme.navigation import puzzles
from trireme.navigation.agents.moored import Moored
from trireme.navigation.arrays import pack_plan, pack_ships, rules_array, sea_array, stats_array
from trireme.navigation.kernels import SECOND, play_all
from trireme.navigation.plans import MOVES, Order, Plan, order_count
from trireme.navigation.rules import Navigation


def sea(seed: int) -> Navigation:
    """A random small sea."""
    rng = np.random.default_rng(seed)
    while True:
        turn = puzzles._sea(rng)
        if turn is not None:
            return turn.game


def course(moves: tuple[str, ...]) -> Plan:
    return tuple(Order(move) for move in moves)


def some_enemy_hits(game: Navigation, plan: Plan) -> bool:
    """Whether one of all enemy plans damages or grapples `plan`, played out by the kernels."""
    state, ship = game.start(), game.types[1]
    volley = [i for i in range(order_count(ship)) if i < 12 or i >= order_count(ship) - 8]
    enemy = np.array(list(product(volley, repeat=4)), np.uint8)
    outcomes = np.zeros((1, len(enemy)), np.int8)
    after = np.zeros((1, len(enemy), 2, 3), np.int32)
    ships = pack_ships(state.ships, game.chart.width)
    own = pack_plan(plan, game.types[0])[None]
    arrays = sea_array(game.chart), stats_array(game.types), rules_array(game)
    play_all(*arrays, ships, 0, own, enemy, outcomes, after)
    return bool(((after[0, :, 0, 2] < ships[0, 2]) | (outcomes[0] == SECOND)).any())


@pytest.mark.parametrize("seed", range(5))
def test_the_kernels_agree_with_the_plain_rules(seed: int) -> None:
    game = sea(seed)
    state = game.start()
    assert set(puzzles._quick_safe_courses(game, state)) == set(puzzles.safe_courses(game, state))
    enemy = puzzles._enemy_plan(game, state, np.random.default_rng(seed))
    assert puzzles._quick_damage(game, state, enemy) == puzzles.best_damage(game, state, enemy)


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))]
)
def test_safe_plans_are_safe_against_every_enemy_plan(seed: int) -> None:
    game = sea(seed)
    state = game.start()
    safe = set(puzzles.safe_courses(game, state))
    rng = np.random.default_rng(seed)
    every = list(product(MOVES, repeat=4))
    tried = [*sorted(safe)[:1], *(every[int(i)] for i in rng.integers(256, size=2))]
    for moves in tried:
        threat = puzzles.threat_to(game, state, course(moves))
        assert (threat is None) == (moves in safe) == (not some_enemy_hits(game, course(moves)))
        if threat is not None:
            after = game.apply(state, {0: course(moves), 1: threat})
            verdict = after.verdict
            grappled = verdict is not None and (verdict.winner, verdict.reason) == (1, "grapple")
            assert after.ships[0].hp < state.ships[0].hp or grappled


@pytest.mark.parametrize("seed", range(3))
def test_the_best_damage_is_what_the_plan_deals(seed: int) -> None:
    game = sea(seed)
    state = game.start()
    enemy = puzzles._enemy_plan(game, state, np.random.default_rng(seed))
    dealt = puzzles.best_damage(game, state, enemy)
    for moves in list(dealt)[::40]:
        plan = puzzles._firing_plan(game, state, moves, enemy)
        after = game.apply(state, {0: plan, 1: enemy})
        assert puzzles.damage(LessonMove({}, state, after)) == (dealt[moves], 0)
    unsafe = next((c for c in product(MOVES, repeat=4) if c not in dealt), None)
    if unsafe is not None:
        after = game.apply(state, {0: course(unsafe), 1: enemy})
        assert puzzles.damage(LessonMove({}, state, after))[1] > 0


def test_holding_still_is_no_solution() -> None:
    assert puzzles.few_enough([("forward",) * 4])
    assert not puzzles.few_enough([("forward",) * 4, ("none",) * 4])
    assert not puzzles.few_enough([])
    assert not puzzles.few_enough([("forward",) * 4] * (puzzles.MOST_SOLUTIONS + 1))


def test_the_moored_agent_repeats_the_plan_that_it_is_given() -> None:
    from trireme.core.play import play

    result = play(Navigation(turn_limit=2), [Moored("F-R-Fp--"), "moored"], seed=1)
    game = result.record.game
    assert [game.write(move[0]) for move in _actions(result)] == ["F-R-Fp--"] * 2
    assert [game.write(move[1]) for move in _actions(result)] == ["--------"] * 2


def _actions(result: object) -> list[dict[int, Plan]]:
    record = result.record  # type: ignore[attr-defined]
    return [{s: record.game.read(t) for s, t in move.items()} for move in record.moves]


@cache
def made(kind: str) -> Puzzle:
    """A puzzle of this kind that passes the check."""
    maker, rng = puzzles.NavigationPuzzles(), np.random.default_rng(3)
    return next(p for p in maker.puzzles(rng) if p is not None and p.kind == kind)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"solution": ()}, "the solution is one plan, not 0"),
        ({"solution": ("F-F-F-F-", "F-F-F-F-")}, "the solution is one plan, not 2"),
        ({"settings": {"ships": ["sloop", "sloop"]}}, "its settings must be those of one turn"),
        ({"settings": {}}, "its settings must be those of one turn"),
        ({"opening": ("F-F-F-F-",)}, "one turn without an opening"),
        ({"goal": LessonGoal("safe")}, "one turn without an opening"),
        ({"goal": LessonGoal("safe", within=2)}, "one turn without an opening"),
        ({"goal": LessonGoal("hit", within=1)}, "expected the goal safe or outgun, not 'hit'"),
        ({"solution": ("--------",)}, "the enemy has a plan that hits the solution"),
    ],
)
def test_a_puzzle_that_is_not_whole_is_refused(fields: dict[str, object], why: str) -> None:
    whole, maker = made("safe"), puzzles.NavigationPuzzles()
    maker.check(whole)
    with pytest.raises(BadPuzzle, match=why):
        maker.check(msgspec.structs.replace(whole, **fields))


def test_a_puzzle_is_one_turn() -> None:
    whole = made("safe")
    longer = msgspec.structs.replace(whole, settings={**whole.settings, "turn_limit": 2})
    with pytest.raises(BadPuzzle, match="one turn without an opening"):
        puzzles.NavigationPuzzles().check(longer)
