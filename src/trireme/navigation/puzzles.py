"""Puzzles of Battle Navigation: a plan that beats the shown one, a plan safe against all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import log2

import msgspec
import numpy as np
from numpy.random import Generator

from trireme.core.errors import BadPuzzle
from trireme.core.game import AnyGame
from trireme.core.lessons import LEARNER, LessonGoal, LessonMove
from trireme.core.puzzles import Puzzle, PuzzleReview

from .geometry import FACINGS, Pose
from .maps import BadMap, Hazard, Rock, SeaMap, Spawn
from .plans import MOVES, Order, Plan, write_plan
from .rules import Navigation, NavigationState, act, as_navigation, drift, move_ships
from .ships import SHIPS

ENEMY = 1
SIDE = 9
"""Tiles along a side of the sea."""
MOST_SOLUTIONS = 8
"""Of the 256 courses (the moves of a plan), how many may solve a puzzle."""
SAFE_OPPONENT = "greedy"
SIDES = ("shoot_port", "shoot_starboard")
GRAPPLES = ("grapple_port", "grapple_starboard")
Course = tuple[str, ...]
"""The moves of a plan without its actions."""
Poses = tuple[Pose, ...]


def damage(move: LessonMove) -> tuple[int, int]:
    """The hit points that the turn took from the enemy and from the solver."""
    lost = [b.hp - a.hp for b, a in zip(move.before.ships, move.after.ships, strict=True)]
    return lost[ENEMY], lost[LEARNER]


def outguns(move: LessonMove, count: int) -> bool:
    """Whether the turn took at least `count` hit points from the enemy and none from the solver,
    who was not grappled either."""
    dealt, taken = damage(move)
    verdict = move.after.verdict
    return dealt >= count and taken == 0 and (verdict is None or verdict.winner != ENEMY)


def threat_to(game: Navigation, state: NavigationState, plan: Plan) -> Plan | None:
    """An enemy plan that damages or grapples a solver who sails `plan`; None: it is safe.

    Every plan of the enemy is covered: its actions move no ship, so it is enough to sail each of
    its courses and to ask in every phase whether one of its actions could hit.
    """
    start = state.ships[0].pose, state.ships[1].pose
    reached: dict[tuple[Poses, int], Course] = {(start, state.ships[ENEMY].hp): ()}
    for order in plan:
        after: dict[tuple[Poses, int], Course] = {}
        for ((poses, hp), course), move in product(reached.items(), MOVES):
            sailed = drift(game.sea, _sail(game, poses, order.move, move))
            way = (*course, move)
            action = _hitting_action(game, sailed, ENEMY)
            if action is not None:
                idle = [Order(step) for step in way[:-1]]
                rest = (Order(),) * (game.phases - len(way))
                return (*idle, Order(move, action), *rest)
            event = act(game.sea, sailed, LEARNER, order, game.types[LEARNER])
            grappled = event is not None and event.kind == "grapple" and event.target == ENEMY
            left = hp - (0 if event is None else event.damage)
            if not grappled and left > 0:  # else the game is over, and won
                after.setdefault((sailed, left), way)
        reached = after
    return None


class NavigationPuzzles:
    """Makes turns on small seas with rocks, winds and whirlpools, the ships near each other.

    Any plan that meets the goal counts. At most `MOST_SOLUTIONS` of the 256 courses can, and
    holding still can't.
    """

    def puzzles(self, rng: Generator) -> Iterator[Puzzle | None]:
        while True:
            for make in (_outgun, _safe, _safe, _safe):  # about as many of each kind
                yield make(_sea(rng), rng)

    def check(self, puzzle: Puzzle) -> None:
        try:
            game = msgspec.convert(puzzle.settings, PuzzleTurn).game()
        except msgspec.ValidationError as error:
            raise BadPuzzle(f"its settings must be those of one turn: {error}") from None
        if puzzle.opening or game.turn_limit != 1 or game.ram_damage or puzzle.goal.within != 1:
            raise BadPuzzle("a puzzle is one turn without an opening and without ramming")
        state = game.start()
        if len(puzzle.solution) != 1:
            raise BadPuzzle(f"the solution is one plan, not {len(puzzle.solution)}")
        plan = game.read(puzzle.solution[0])
        game.check(state, LEARNER, plan)
        if puzzle.goal.kind == "safe":
            if threat_to(game, state, plan) is not None:
                raise BadPuzzle("the enemy has a plan that hits the solution")
            courses = safe_courses(game, state)
        elif puzzle.goal.kind == "outgun":
            enemy = game.read(shown_plan(puzzle))
            game.check(state, ENEMY, enemy)
            after = game.apply(state, {LEARNER: plan, ENEMY: enemy})
            if not outguns(LessonMove({}, state, after), puzzle.goal.count):
                raise BadPuzzle("the solution does not meet the goal")
            dealt = best_damage(game, state, enemy)
            courses = [course for course in dealt if dealt[course] >= puzzle.goal.count]
        else:
            raise BadPuzzle(f"expected the goal safe or outgun, not {puzzle.goal.kind!r}")
        if not few_enough(courses):
            raise BadPuzzle(
                f"1 to {MOST_SOLUTIONS} courses must solve it, and not holding still; "
                f"{len(courses)} do"
            )

    def review(self, game: AnyGame, moves: Sequence[LessonMove], puzzle: Puzzle) -> PuzzleReview:
        if not moves:
            return PuzzleReview()
        navigation, turn = as_navigation(game), moves[0]
        if puzzle.goal.kind == "safe":
            threat = threat_to(navigation, turn.before, turn.actions[LEARNER])
            if threat is None:
                return PuzzleReview(("good",), "No plan of the enemy hits.")
            return PuzzleReview(("bad",), f"The enemy plan {write_plan(threat)} hits.")
        dealt, taken = damage(turn)
        met = outguns(turn, puzzle.goal.count)
        note = f"Dealt {dealt} of {puzzle.goal.count} hit points and took {taken}."
        return PuzzleReview(("good" if met else "bad",), note)


class PuzzleTurn(msgspec.Struct, forbid_unknown_fields=True):
    """The settings of a puzzle, as JSON holds them: one turn on a map."""

    ships: tuple[str, str]
    map: SeaMap
    turn_limit: int

    def game(self) -> Navigation:
        return Navigation(ships=self.ships, map=self.map, turn_limit=self.turn_limit)


def shown_plan(puzzle: Puzzle) -> str:
    """The enemy's plan that the puzzle shows."""
    _, _, plan = (puzzle.opponent or "").partition("plan=")
    return plan


def few_enough(courses: Sequence[Course]) -> bool:
    """Whether a few courses solve the puzzle, and not holding still."""
    return 1 <= len(courses) <= MOST_SOLUTIONS and all(set(c) != {"none"} for c in courses)


def safe_courses(game: Navigation, state: NavigationState) -> list[Course]:
    """The courses of the solver that no plan of the enemy hits."""
    start = state.ships[0].pose, state.ships[1].pose
    safe: dict[Course, set[Poses]] = {(): {start}}
    known: dict[tuple[Poses, str, str], tuple[Poses, bool]] = {}
    for _ in range(game.phases):
        longer: dict[Course, set[Poses]] = {}
        for (course, reached), move in product(safe.items(), MOVES):
            after: set[Poses] = set()
            for poses, theirs in product(reached, MOVES):
                key = poses, move, theirs
                if key not in known:
                    sailed = drift(game.sea, _sail(game, poses, move, theirs))
                    known[key] = sailed, _hitting_action(game, sailed, ENEMY) is not None
                sailed, hit = known[key]
                if hit:
                    break
                after.add(sailed)
            else:
                longer[(*course, move)] = after
        safe = longer
    return list(safe)


def best_damage(game: Navigation, state: NavigationState, enemy: Plan) -> dict[Course, int]:
    """The most hit points that each course can take from an enemy who sails this plan, for the
    courses on which the enemy hits nothing."""
    start = state.ships[0].pose, state.ships[1].pose
    ship, hp = game.types[LEARNER], state.ships[ENEMY].hp
    sailed: dict[Course, tuple[Poses, int]] = {(): (start, 0)}
    for order in enemy:
        longer: dict[Course, tuple[Poses, int]] = {}
        for (course, (poses, dealt)), move in product(sailed.items(), MOVES):
            if dealt < hp:  # else the enemy is sunk, and the rest of the course is not sailed
                poses = drift(game.sea, _sail(game, poses, move, order.move))
                event = act(game.sea, poses, ENEMY, order, game.types[ENEMY])
                if event is not None and event.target is not None:
                    continue
                if _side(game, poses, LEARNER) is not None:
                    dealt = min(hp, dealt + ship.shots * ship.damage)
            longer[(*course, move)] = poses, dealt
        sailed = longer
    return {course: dealt for course, (_, dealt) in sailed.items()}


def _sail(game: Navigation, poses: Poses, ours: str, theirs: str) -> Poses:
    return move_ships(game.sea, poses, (Order(ours), Order(theirs)), keep=False).poses


def _side(game: Navigation, poses: Poses, seat: int) -> str | None:
    """The shot of `seat` that hits from here, if any."""
    for action in SIDES:
        event = act(game.sea, poses, seat, Order("none", action), game.types[seat])
        if event is not None and event.target is not None:
            return action
    return None


def _hitting_action(game: Navigation, poses: Poses, seat: int) -> str | None:
    """The shot or grapple of `seat` that hits from here, if any."""
    for action in (*SIDES, *GRAPPLES):
        event = act(game.sea, poses, seat, Order("none", action), game.types[seat])
        if event is not None and event.target is not None:
            return action
    return None


def _course(number: int, phases: int) -> Course:
    """The course with this number, see `puzzle_kernels`."""
    return tuple(MOVES[number >> 2 * phase & 3] for phase in range(phases))


def _quick_safe_courses(game: Navigation, state: NavigationState) -> list[Course]:
    """`safe_courses` by a kernel."""
    from .arrays import pack_ships, sea_array, stats_array
    from .puzzle_kernels import safe_courses as fill

    width = game.chart.width
    safe = np.zeros(4**game.phases, np.bool_)
    arrays = sea_array(game.chart), stats_array(game.types), width + 2
    fill(*arrays, pack_ships(state.ships, width), game.phases, safe)
    return [_course(int(number), game.phases) for number in np.flatnonzero(safe)]


def _quick_damage(game: Navigation, state: NavigationState, enemy: Plan) -> dict[Course, int]:
    """`best_damage` by a kernel."""
    from .arrays import pack_plan, pack_ships, sea_array, stats_array
    from .puzzle_kernels import course_damage as fill

    width = game.chart.width
    dealt = np.zeros(4**game.phases, np.int32)
    arrays = sea_array(game.chart), stats_array(game.types), width + 2
    fill(*arrays, pack_ships(state.ships, width), pack_plan(enemy, game.types[ENEMY]), dealt)
    return {_course(n, game.phases): int(value) for n, value in enumerate(dealt) if value >= 0}


@dataclass(frozen=True)
class _Turn:
    """One turn to be played: the sea, the ships, and how JSON holds them."""

    game: Navigation
    settings: Mapping[str, object]

    @property
    def state(self) -> NavigationState:
        return self.game.start()


def _sea(rng: Generator) -> _Turn | None:
    """A small sea, with the ships within reach of each other after a move or two."""
    ships = [list(SHIPS)[int(i)] for i in rng.integers(len(SHIPS), size=2)]
    tiles = [(int(t) % SIDE, int(t) // SIDE) for t in rng.permutation(SIDE * SIDE)]
    first = next(t for t in tiles if 2 <= t[0] < SIDE - 2 and 2 <= t[1] < SIDE - 2)
    near = [t for t in tiles if 2 <= abs(t[0] - first[0]) + abs(t[1] - first[1]) <= 5]
    bows = [FACINGS[int(i)] for i in rng.integers(4, size=2)]
    rest = [t for t in tiles if t not in (first, near[0])]
    rocks = tuple(Rock(*rest.pop(), ("small", "large")[int(rng.integers(2))]) for _ in range(7))
    winds = [Hazard("wind", *rest.pop(), FACINGS[int(rng.integers(4))]) for _ in range(6)]
    spin = ("clockwise", "counterclockwise")[int(rng.integers(2))]
    pools = [Hazard("whirlpool", *rest.pop(), spin)] if rng.random() < 0.5 else []
    spawns = Spawn(*first, bows[0]), Spawn(*near[0], bows[1])
    try:
        sea = SeaMap("puzzle", "Puzzle", SIDE, SIDE, spawns, (*winds, *pools), rocks)
    except BadMap:  # the whirlpool covers something, or leaves the sea
        return None
    plain = {key: value for key, value in msgspec.to_builtins(sea).items() if value != ""}
    settings = {"ships": ships, "map": plain, "turn_limit": 1}
    return _Turn(Navigation(ships=(ships[0], ships[1]), map=sea, turn_limit=1), settings)


def _safe(turn: _Turn | None, rng: Generator) -> Puzzle | None:
    """A turn that few courses survive untouched."""
    if turn is None:
        return None
    game, state = turn.game, turn.state
    courses = _quick_safe_courses(game, state)
    if not few_enough(courses):
        return None
    plan = tuple(Order(move) for move in courses[0])
    return _puzzle(
        turn,
        LessonGoal("safe", within=1),
        "Safe from everything",
        "Find a plan that takes **no damage** and is not grappled, **whatever the enemy plans**. "
        "It is checked against all enemy plans, not only against the one that is played.",
        len(courses),
        plan,
        SAFE_OPPONENT,
    )


def _outgun(turn: _Turn | None, rng: Generator) -> Puzzle | None:
    """A turn in which few courses make the most of a plan that the enemy shows."""
    if turn is None:
        return None
    game, state = turn.game, turn.state
    enemy = _enemy_plan(game, state, rng)
    dealt = _quick_damage(game, state, enemy)
    most = max(dealt.values(), default=0)
    best = [course for course, value in dealt.items() if value == most]
    if most == 0 or not few_enough(best):
        return None
    shown = write_plan(enemy)
    points = f"{most} hit point{'' if most == 1 else 's'}"
    return _puzzle(
        turn,
        LessonGoal("outgun", count=most, within=1),
        f"Take {points}",
        f"The enemy will sail **{shown}**. Take at least **{points}** from it, lose none, "
        "and don't be grappled.",
        len(best),
        _firing_plan(game, state, best[0], enemy),
        f"moored:plan={shown}",
    )


def _enemy_plan(game: Navigation, state: NavigationState, rng: Generator) -> Plan:
    """A random course that fires wherever it would hit a ship that holds, and now and then else."""
    poses: Poses = tuple(ship.pose for ship in state.ships)
    orders = []
    for index in rng.integers(len(MOVES), size=game.phases):
        move = MOVES[int(index)]
        poses = drift(game.sea, _sail(game, poses, "none", move))
        blind = SIDES[int(rng.integers(2))]
        orders.append(Order(move, _side(game, poses, ENEMY) or blind))
    return tuple(orders)


def _firing_plan(game: Navigation, state: NavigationState, course: Course, enemy: Plan) -> Plan:
    """The course with a shot in every phase in which one hits."""
    poses: Poses = tuple(ship.pose for ship in state.ships)
    orders = []
    for move, theirs in zip(course, (order.move for order in enemy), strict=False):
        poses = drift(game.sea, _sail(game, poses, move, theirs))
        orders.append(Order(move, _side(game, poses, LEARNER) or "none"))
    return (*orders, *(Order(),) * (game.phases - len(orders)))


def _puzzle(
    turn: _Turn, goal: LessonGoal, title: str, text: str, count: int, plan: Plan, opponent: str
) -> Puzzle:
    return Puzzle(
        kind=goal.kind,
        rating=round(1850 - 230 * log2(count) - (350 if goal.kind == "outgun" else 0)),
        title=title,
        text=text,
        goal=goal,
        solution=(write_plan(plan),),
        settings=dict(turn.settings),
        opponent=opponent,
    )
