"""Tournament formats: who meets whom, stage by stage, as a function of the results so far.

A format is a generator: it yields one stage (pairings that are independent of each other) and
receives the points of each pairing in it. Everything else about a stage, such as starts, seeds and
where its games run, is the business of `schedule.py` and of the executors.

Each pairing plays every start from both seats, so colours (first seat and second seat) are balanced
in every format without further rules.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, NamedTuple, get_args

from trireme.core.errors import BadSpec

TournamentFormat = Literal["round-robin", "gauntlet", "swiss", "knockout"]
FORMATS: tuple[str, ...] = get_args(TournamentFormat)

Pairing = tuple[int, ...]
"""Agents by index, which is also their seeding: 0 is the top seed."""
Points = Sequence[tuple[float, float]]
"""Game points of the first and the second agent of every pairing of a stage."""
MOST_TIEBREAKS = 10
"""Extra starts in a drawn pairing of a knockout; after them the higher seed goes on."""


@dataclass(frozen=True)
class Stage:
    """Pairings that are played at the same time."""

    pairings: tuple[Pairing, ...]
    rounds: int
    """Starts that every pairing plays, each from both seats."""


class FinalPlace(NamedTuple):
    """An agent's result in a tournament that has places of its own beside scores and ratings."""

    agent: int
    result: str


Stages = Generator[Stage, Points, list[FinalPlace]]
"""Gives the final places at its end, best first; none for formats without."""


def check_format(name: str, count: int, seats: int, swiss_rounds: int | None) -> None:
    """Raise `BadSpec` where a format does not fit a match."""
    if name not in FORMATS:
        raise BadSpec(f"expected a format out of {', '.join(FORMATS)}, not {name!r}")
    if seats == 1 and name in ("swiss", "knockout"):
        raise BadSpec(f"the format {name} needs a game with two seats")
    if swiss_rounds is None:
        return
    if name != "swiss":
        raise BadSpec(f"a number of Swiss rounds needs the format swiss, not {name}")
    if not 1 <= swiss_rounds <= most_swiss_rounds(count):
        raise BadSpec(
            f"a Swiss tournament of {count} agents has 1 to {most_swiss_rounds(count)} rounds, so"
            f" that nobody meets twice, not {swiss_rounds}"
        )


def stages(
    name: TournamentFormat, count: int, seats: int, rounds: int, swiss_rounds: int | None = None
) -> Stages:
    """The stages of a tournament of `count` agents whose pairings play `rounds` starts."""
    if name == "swiss":
        return swiss(count, rounds, swiss_rounds or default_swiss_rounds(count))
    if name == "knockout":
        return knockout(count, rounds)
    pairs: list[Pairing] = [(i,) for i in range(count)]
    if seats == 2:
        pairs = [p for p in combinations(range(count), 2) if name != "gauntlet" or p[0] == 0]
    return _single_stage(tuple(pairs), rounds)


def expected_pairings(name: TournamentFormat, count: int, swiss_rounds: int | None) -> int | None:
    """Pairings of a whole tournament whose later stages are not known yet; None for others.

    Tie-breaks of a knockout come on top.
    """
    if name == "swiss":
        return (swiss_rounds or default_swiss_rounds(count)) * (count // 2)
    return count - 1 if name == "knockout" else None


def _single_stage(pairings: tuple[Pairing, ...], rounds: int) -> Stages:
    yield Stage(pairings, rounds)
    return []


def default_swiss_rounds(count: int) -> int:
    """The rounds after which only one agent can have won everything: log₂ of the field, rounded up.

    >>> [default_swiss_rounds(n) for n in (2, 3, 8, 9)]
    [1, 2, 3, 4]
    """
    return min(most_swiss_rounds(count), (count - 1).bit_length())


def most_swiss_rounds(count: int) -> int:
    """The rounds for which a pairing without a repetition always exists.

    By Dirac's theorem: before round r of a field of n (a bye counted as an agent), everybody has
    n - r possible opponents; as long as these are n / 2 or more, a perfect matching exists.
    """
    return (count + 1) // 2


@dataclass
class SwissScore:
    """One agent in a Swiss tournament."""

    points: float = 0.0
    """1 for a pairing won or a bye, ½ for a drawn one."""
    game_points: float = 0.0
    opponents: list[int] = field(default_factory=list)
    bye: bool = False


def swiss_ranking(table: Sequence[SwissScore]) -> list[int]:
    """Agents by points, then Buchholz, then game points, then seeding; best first."""
    return sorted(
        range(len(table)),
        key=lambda i: (-table[i].points, -buchholz(table, i), -table[i].game_points, i),
    )


def buchholz(table: Sequence[SwissScore], agent: int) -> float:
    """The tie-break of Swiss tournaments: the sum of the points of an agent's opponents.

    A bye counts as an opponent with the agent's own points.
    """
    own = table[agent]
    return sum(table[o].points for o in own.opponents) + (own.points if own.bye else 0.0)


def swiss(count: int, rounds: int, swiss_rounds: int) -> Stages:
    """A Swiss tournament by the Dutch system: the upper half of a score group meets the lower."""
    table = [SwissScore() for _ in range(count)]
    for _ in range(swiss_rounds):
        pairings = swiss_pairings(table)
        points = yield Stage(pairings, rounds)
        add_swiss_results(table, pairings, points)
    return [
        FinalPlace(i, f"{table[i].points:g} points, Buchholz {buchholz(table, i):g}")
        for i in swiss_ranking(table)
    ]


def add_swiss_results(
    table: Sequence[SwissScore], pairings: Sequence[Pairing], points: Points
) -> None:
    """Enter the results of a round; who was not paired has a bye."""
    paired = {agent for pairing in pairings for agent in pairing}
    for (a, b), (ours, theirs) in zip(pairings, points, strict=True):
        for agent, other, own, against in ((a, b, ours, theirs), (b, a, theirs, ours)):
            entry = table[agent]
            entry.opponents.append(other)
            entry.game_points += own
            entry.points += 0.5 if own == against else float(own > against)
    for agent in set(range(len(table))) - paired:
        table[agent].bye = True
        table[agent].points += 1.0


def swiss_pairings(table: Sequence[SwissScore]) -> tuple[Pairing, ...]:
    """The next round: equal points meet, nobody twice, at most one bye each, the better first.

    From the top, everybody takes the first opponent in order of preference. Where none is left for
    two agents at the end, a pair from below is broken up for them: as long as everybody has as many
    possible opponents as `most_swiss_rounds` guarantees, there is one that fits both.
    """
    ranking = sorted(range(len(table)), key=lambda i: (-table[i].points, i))
    if len(ranking) % 2:
        ranking.append(_BYE)
    pairs: list[Pairing] = []
    left: list[int] = []
    waiting = list(ranking)
    while waiting:
        best = waiting.pop(0)
        opponent = next(iter(_preferences(table, best, waiting)), None)
        if opponent is None:
            left.append(best)
        else:
            waiting.remove(opponent)
            pairs.append((best, opponent))
    while left:
        _break_up(table, pairs, left.pop(0), left.pop(0))
    place = {agent: i for i, agent in enumerate(ranking)}
    ordered = sorted(
        tuple(sorted(pair, key=place.__getitem__)) for pair in pairs if _BYE not in pair
    )
    return tuple(sorted(ordered, key=lambda pair: place[pair[0]]))


_BYE = -1
"""Whom the agent without an opponent meets."""


def _can_meet(table: Sequence[SwissScore], a: int, b: int) -> bool:
    if _BYE in (a, b):
        return not table[max(a, b)].bye
    return b not in table[a].opponents


def _preferences(table: Sequence[SwissScore], agent: int, rest: list[int]) -> list[int]:
    """Opponents that `agent` has not met: of its score group from the lower half's first on, then
    the group's upper half from below, then the lower groups in order."""
    group = [i for i in rest if i != _BYE and table[i].points == table[agent].points]
    half = max(0, len(group) - 1) // 2  # of an odd group, the lowest goes down a group
    ordered = [*group[half:], *reversed(group[:half]), *rest[len(group) :]]
    return [i for i in ordered if _can_meet(table, agent, i)]


def _break_up(table: Sequence[SwissScore], pairs: list[Pairing], one: int, other: int) -> None:
    """Pair two agents that have met each other with the two of a pair, the lowest that fits."""
    for i in reversed(range(len(pairs))):
        for a, b in (pairs[i], pairs[i][::-1]):
            if _can_meet(table, one, a) and _can_meet(table, other, b):
                pairs[i] = one, a
                pairs.append((other, b))
                return
    raise AssertionError("most_swiss_rounds guarantees a pair to break up")


def bracket(count: int) -> list[int | None]:
    """The order of seeds in a knockout: neighbours meet, and the best two only in the final.

    Places beyond the field are None: their opponents, the top seeds, have a bye.

    >>> bracket(8)
    [0, 7, 3, 4, 1, 6, 2, 5]
    >>> bracket(3)
    [0, None, 1, 2]
    """
    order = [0]
    while len(order) < count:
        size = 2 * len(order)
        order = [seed for one in order for seed in (one, size - 1 - one)]
    return [seed if seed < count else None for seed in order]


def knockout(count: int, rounds: int) -> Stages:
    """Single elimination; drawn pairings play one more start at a time until they are decided."""
    standing = bracket(count)
    losers: list[FinalPlace] = []
    while len(standing) > 1:
        meetings = list(zip(standing[::2], standing[1::2], strict=True))
        pairs = tuple(sorted((a, b)) for a, b in meetings if a is not None and b is not None)
        winners = yield from _decide(tuple(tuple(pair) for pair in pairs), rounds)
        standing = [
            a if b is None else b if a is None else winners[min(a, b), max(a, b)]
            for a, b in meetings
        ]
        name = _KNOCKOUT_ROUNDS.get(len(meetings), f"the round of {2 * len(meetings)}")
        out = sorted({agent for pair in pairs for agent in pair} - set(winners.values()))
        losers = [*(FinalPlace(agent, f"lost in {name}") for agent in out), *losers]
    (winner,) = standing
    assert winner is not None
    return [FinalPlace(winner, "won"), *losers]


_KNOCKOUT_ROUNDS = {1: "the final", 2: "the semi-final", 4: "the quarter-final"}


def _decide(
    pairs: tuple[Pairing, ...], rounds: int
) -> Generator[Stage, Points, dict[Pairing, int]]:
    """The winner of every pairing, with tie-breaks where they are needed."""
    winners: dict[Pairing, int] = {}
    open_ = pairs
    for attempt in range(MOST_TIEBREAKS + 1):
        points = yield Stage(open_, rounds if attempt == 0 else 1)
        for pair, (ours, theirs) in zip(open_, points, strict=True):
            if ours != theirs:
                winners[pair] = pair[0] if ours > theirs else pair[1]
        open_ = tuple(pair for pair in open_ if pair not in winners)
        if not open_:
            return winners
    return winners | {pair: pair[0] for pair in open_}
