"""The tasks of each game: which fixtures are played, in which seat, against which reference.

Battleship  shots     100 boards alone, against the shots of the exact posterior on the same boards
Gomoku      puzzles   one move each: make five, stop five, force a win
Navigation  regret    one turn each: what the plan loses against the equilibrium
all         ladder    games against agents of rising strength, both ways of seating

A task never changes: other items are another version, and results of two versions do not mix.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from trireme.arena.job import Job
from trireme.arena.match import Entrant, Match
from trireme.arena.schedule import Fixture, schedule
from trireme.core.errors import BadSpec, unknown
from trireme.core.forfeit import AgentFault
from trireme.core.game import AnyGame, Seat, Turn
from trireme.core.registry import find, make_game

VERSION = 1
DATA = Path(__file__).with_name(f"tasks_v{VERSION}.json")
LADDER: Mapping[str, Mapping[str, str]] = {
    "battleship": {
        "random": "random",
        "hunt": "hunt",
        "density": "density:ties=first",
        "posterior": "posterior:limit=1500000,samples=20000,book=true",
    },
    "gomoku": {
        "random": "random",
        "heuristic": "heuristic:epsilon=0",
        "search:depth=2": "search:level=full,depth=2,variety=24,evaluation=patterns,threads=1",
        "search:depth=4": "search:level=full,depth=4,variety=24,evaluation=patterns,threads=1",
    },
    "navigation": {
        "random": "random",
        "greedy": "greedy",
        "planner": "planner:shots=1,broadsides=0.7,grapple=1,danger=0.7,centre=0.002,hunt=0.01",
        "nash-quick": (
            "nash-quick:rounds=4,leaves=0,value=formula,confidence=0,naive=0,tremble=0.1,"
            "caution=0,exploit=false,margin=0"
        ),
    },
}
"""The steps of each game's ladder, weakest first: names and specs.

So that a step stays what it is, every option is written out, no clock limits it, and it uses no
network that ships: defaults change, and networks are trained again.
"""
LADDER_GAMES = 20
"""Games against each step: ten starts, both ways of seating."""
LADDER_SEED = 1
_ALONE = {"battleship": "shots", "navigation": "regret"}
"""The one task beside the ladder, in games that have one."""


class Resigner:
    """The opponent of a puzzle: it gives up, so that the game ends after the agent's move."""

    name = "resigner"

    def act(self, turn: Turn[Any, Any]) -> Any:
        raise AgentFault("the puzzle has one move")


@dataclass(frozen=True)
class BenchItem:
    """One game to play, and what its result is compared with."""

    task: str
    number: int
    """Its place within the task."""
    fixture: Fixture
    seat: Seat
    """Where the agent sits."""
    reference: Mapping[str, Any]
    """What the task file says of it."""


@dataclass(frozen=True)
class BenchPlan:
    """All items of one game, and the job that an executor plays them by."""

    game: str
    match: Match
    job: Job
    items: tuple[BenchItem, ...]


@cache
def task_data() -> dict[str, list[dict[str, Any]]]:
    """The task file."""
    data: dict[str, list[dict[str, Any]]] = msgspec.json.decode(DATA.read_bytes())
    return data


def task_sizes(game: str) -> dict[str, int]:
    """The tasks of a game, and how many items each has."""
    sizes: Counter[str] = Counter()
    for entry in task_data()[game]:
        sizes[_ALONE.get(game) or f"puzzle {entry['kind']}"] += 1
    return {**sizes, **{f"ladder {step}": LADDER_GAMES for step in LADDER[game]}}


def bench_plan(
    game: str, entrant: Entrant, *, share: float = 1.0, seconds: float | None, limit: float
) -> BenchPlan:
    """What an agent plays in one game; a `share` below 1 takes the first items of every task."""
    if game not in LADDER:
        raise unknown("game with a benchmark", game, LADDER)
    if not 0 < share <= 1:
        raise BadSpec(f"the share must be above 0 and at most 1, not {share:g}")
    steps = [Entrant(name, spec) for name, spec in LADDER[game].items()]
    match = Match(
        make_game(game, find(game).versus),
        (entrant, *steps),
        games=LADDER_GAMES,
        seed=LADDER_SEED,
        seconds=seconds,
        limit=limit,
        gauntlet=True,
    )
    job = Job.of(match)
    job = replace(
        job,
        entrants=(*job.entrants, Entrant("resigner", Resigner())),
        places=(*job.places, "in-process"),
    )
    items: list[BenchItem] = []
    for made in (*_MAKERS[game](len(steps) + 1), *_ladder(match)):
        kept = made[: math.ceil(share * len(made) / 2) * 2]
        items += kept
    numbered = (
        replace(item, fixture=replace(item.fixture, number=n)) for n, item in enumerate(items)
    )
    return BenchPlan(game, match, job, tuple(numbered))


def _ladder(match: Match) -> Iterator[list[BenchItem]]:
    """The ladder's games, a list for each step."""
    steps: dict[int, list[BenchItem]] = {}
    for fixture in schedule(match):
        seat = fixture.seats.index(0)
        step = fixture.seats[1 - seat]
        found = steps.setdefault(step, [])
        task = f"ladder {match.entrants[step].name}"
        found.append(BenchItem(task, len(found), fixture, seat, {}))
    yield from (steps[step] for step in sorted(steps))


def _battleship(resigner: int) -> Iterator[list[BenchItem]]:
    game = make_game("battleship")
    yield [
        BenchItem(_ALONE["battleship"], n, Fixture(0, n, (0,), game, (), board["seed"]), 0, board)
        for n, board in enumerate(task_data()["battleship"])
    ]


def _gomoku(resigner: int) -> Iterator[list[BenchItem]]:
    kinds: dict[str, list[BenchItem]] = {}
    for puzzle in task_data()["gomoku"]:
        found = kinds.setdefault(puzzle["kind"], [])
        game = make_game("gomoku", position=puzzle["stones"])
        seat = game.to_move(game.start())[0]
        found.append(_item(f"puzzle {puzzle['kind']}", len(found), game, seat, resigner, puzzle))
    yield from kinds.values()


def _navigation(_: int) -> Iterator[list[BenchItem]]:
    yield [
        _item(_ALONE["navigation"], n, navigation_game(sea), 0, 1, sea)
        for n, sea in enumerate(task_data()["navigation"])
    ]


def navigation_game(sea: Mapping[str, Any]) -> AnyGame:
    """The one-turn game of an item."""
    return make_game(
        "navigation", ships=("cutter", "cutter"), map=sea["map"], turn_limit=1, phases=2
    )


def _item(
    task: str, number: int, game: AnyGame, seat: Seat, other: int, reference: Mapping[str, Any]
) -> BenchItem:
    seats = (0, other) if seat == 0 else (other, 0)
    return BenchItem(task, number, Fixture(0, number, seats, game, (), number), seat, reference)


_MAKERS: Mapping[str, Callable[[int], Iterator[list[BenchItem]]]] = {
    "battleship": _battleship,
    "gomoku": _gomoku,
    "navigation": _navigation,
}
