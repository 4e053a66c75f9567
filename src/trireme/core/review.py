"""Review of a game: what every decision cost against the best one, and one accuracy a seat.

A game declares a reviewer (`Slice.review`), which judges one decision from what the seat knew: it
never gets the full state, so a review can't tell what was hidden. Accuracy is a skill score, the
same for all games: the share of what a uniformly random player would have lost that the seat did
not lose, `1 - sum(cost) / sum(random_cost)`. Random play has 0 % in expectation, faultless play
100 %, and a decision weighs as much as there was to lose. Only the unit of costs is the game's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import msgspec
import numpy as np
from numpy.random import Generator

from .errors import BadSpec, RecordError
from .game import CHANCE, AnyGame, Seat
from .record import Record, load_record
from .registry import find, load

MOMENTS = 3
"""How many moments of a game, and of each seat, are singled out."""
LEAST_SHARE = 0.05
"""A moment costs at least this share of what a random action would have cost."""


@dataclass(frozen=True)
class Decision:
    """One decision of one seat, and all that the seat knew of it."""

    seat: Seat
    view: Any
    """The seat's view before the move."""
    action: Any
    actions: Mapping[Seat, Any]
    """The whole joint move, as far as the seat may know it."""
    after: Any
    """The seat's view after the move."""


@dataclass(frozen=True)
class Judgement:
    """What a reviewer says of one decision; costs and luck are in the reviewer's unit."""

    best: Any
    """The best action found."""
    cost: float
    """What the decision cost against `best`, 0 or more."""
    random_cost: float
    """What a uniformly random legal action costs in expectation; 0: nothing is at stake."""
    value: float | None = None
    """The seat's winning chance before the move with best play, 0 to 1, where there is one."""
    luck: float | None = None
    """What chance or the other seat gave beyond the expectation; negative: took away."""
    note: str = ""
    """What there is to say, as a sentence."""
    exact: bool = False
    """Whether the cost is exact, not estimated."""
    missed: tuple[Any, ...] = ()
    """The forced win that the seat had and gave away: its line, from the seat's move on."""
    allowed: tuple[Any, ...] = ()
    """The forced win that the decision gave the other seat: its line, from that seat's move on."""
    verified: bool = False
    """Whether an independent checker confirmed `missed` and `allowed`; else a search found them."""


class Reviewer(Protocol):
    """Judges the decisions of one game."""

    unit: ClassVar[str]
    """What costs are counted in, such as `shots`."""
    about: ClassVar[str]
    """How costs are found and what is not reviewed, in a sentence or two."""

    def judge(self, decision: Decision, rng: Generator) -> Judgement | None:
        """The judgement of a decision; None where decisions of this kind are not reviewed."""
        ...


class ReviewedMove(msgspec.Struct, frozen=True):
    """One decision of one seat with its cost."""

    move: int
    """The number of the move in the record, from 1."""
    seat: Seat
    played: str
    best: str
    cost: float
    random_cost: float
    """What a uniformly random legal action costs in expectation."""
    accuracy: float | None
    """In percent; None: nothing was at stake."""
    value: float | None = None
    luck: float | None = None
    note: str = ""
    exact: bool = False
    missed: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    verified: bool = False
    """Whether an independent checker confirmed `missed` and `allowed`; else a search found them."""


class SeatReview(msgspec.Struct, frozen=True):
    """One seat's decisions in sum."""

    seat: Seat
    name: str
    accuracy: float | None
    """In percent; None: nothing was at stake in any decision that is reviewed."""
    decisions: int
    """Decisions in which something was at stake."""
    cost: float
    """The sum of all costs."""
    random_cost: float
    """The sum of what random actions would have cost."""
    luck: float | None
    """The sum of all luck; None where the game has none."""
    curve: tuple[tuple[int, float], ...]
    """Moves made and, by then, the winning chance or the sum of costs: see `Review.curve`."""
    moments: tuple[int, ...]
    """The seat's most expensive decisions, worst first: indices into `Review.moves`."""


class Review(msgspec.Struct, frozen=True):
    """The review of one game; `msgspec.json.encode` writes it."""

    game: str
    players: tuple[str, ...]
    unit: str
    about: str
    curve: str
    """What the curves show: `winning chance`, or the sum of costs in the unit."""
    finished: bool
    seats: tuple[SeatReview, ...]
    """The seats that were reviewed."""
    moves: tuple[ReviewedMove, ...]
    moments: tuple[int, ...]
    """The game's most expensive decisions, worst first: indices into `moves`."""

    def __repr__(self) -> str:
        from .review_page import written_percent

        seats = ", ".join(f"{seat.name} {written_percent(seat.accuracy)}" for seat in self.seats)
        return f"<Review of {self.game}: accuracy of {seats}>"

    def _repr_html_(self) -> str:
        from .review_page import review_tables

        return review_tables(self)


@dataclass(frozen=True)
class JointMove:
    """One move of a game: its number from 1, the states around it, and what each seat did."""

    number: int
    before: Any
    actions: Mapping[Seat, Any]
    after: Any


@dataclass(frozen=True)
class ReviewedGame:
    """What a review says of the game itself."""

    game: str
    players: Sequence[str]
    moves: int
    returns: tuple[float, ...] | None
    """None: it is not over."""


@dataclass(frozen=True)
class ReviewTerms:
    """A reviewer's unit and description."""

    unit: str
    about: str

    @classmethod
    def of(cls, reviewer: Reviewer) -> ReviewTerms:
        return cls(reviewer.unit, reviewer.about)


OnReviewed = Callable[[int, int], object]
"""`on_reviewed(done, total)`: called before the first decision and after each."""


def review(
    record: Record | Path | str,
    *,
    seat: Seat | None = None,
    seed: int = 0,
    on_reviewed: OnReviewed | None = None,
) -> Review:
    """Review a game, given as its record or the record's file.

    `seat` limits the review to one seat's decisions; what it says of them does not depend on it. A
    game that is not over is reviewed for one seat only, from what that seat knew. The same record
    and `seed` give the same review on every machine.
    """
    if not isinstance(record, Record):
        record = load_record(Path(record), partial=True)
    record.verify()
    game = record.game
    if seat is not None and not 0 <= seat < game.seats:
        raise BadSpec(f"the seat must be from 0 to {game.seats - 1}, not {seat}")
    if record.end is None and seat is None and game.seats > 1:
        raise RecordError("the game is not over: choose the seat whose decisions to review")
    decisions = list(decisions_of(record, seat))
    if on_reviewed is not None:
        on_reviewed(0, len(decisions))
    reviewer = reviewer_of(game, len(record.moves))
    judged: list[ReviewedMove] = []
    for done, (number, decision) in enumerate(decisions, 1):
        judged += reviewed(game, reviewer, number, decision, seed)
        if on_reviewed is not None:
            on_reviewed(done, len(decisions))
    played = ReviewedGame(game.name, record.header.seats, len(record.moves), record.returns)
    seats = range(game.seats) if seat is None else [seat]
    return summarise(played, ReviewTerms.of(reviewer), judged, seats)


def has_review(game: str) -> bool:
    """Whether games of this name can be reviewed."""
    return find(game).review is not None


def reviewer_of(game: AnyGame, moves: int) -> Reviewer:
    """The game's reviewer for a record of so many moves, which share its effort."""
    place = find(game.name).review
    if place is None:
        raise BadSpec(f"{game.name} can't be reviewed: it has no reviewer")
    made: Reviewer = load(place)(game, moves)
    return made


def decisions_of(record: Record, seat: Seat | None = None) -> Iterator[tuple[int, Decision]]:
    """Every decision of one seat, or of all, with the number of its move; chance has none."""
    game = record.game
    states = list(record.states())
    for number, move in enumerate(record.moves, 1):
        actions = {mover: game.read(text) for mover, text in move.items()}
        joint = JointMove(number, states[number - 1], actions, states[number])
        yield from decisions_in(game, joint, seat)


def decisions_in(
    game: AnyGame, joint: JointMove, seat: Seat | None = None
) -> Iterator[tuple[int, Decision]]:
    """The same for one move."""
    for mover, action in joint.actions.items():
        if mover == CHANCE or (seat is not None and mover != seat):
            continue
        known = {s: a for s, a in joint.actions.items() if not game.hides(s, a, mover)}
        view, after = game.view(joint.before, mover), game.view(joint.after, mover)
        yield joint.number, Decision(mover, view, action, known, after)


def accuracy_of(cost: float, random_cost: float) -> float | None:
    """The accuracy of one decision, or of the sums of many, in percent; None: nothing to lose.

    >>> accuracy_of(0.5, 2.0), accuracy_of(3.0, 2.0), accuracy_of(0.0, 0.0)
    (75.0, 0.0, None)
    """
    return round(100.0 * max(0.0, 1.0 - cost / random_cost), 2) if random_cost > 0 else None


def reviewed(
    game: AnyGame, reviewer: Reviewer, number: int, decision: Decision, seed: int
) -> list[ReviewedMove]:
    """The decision with its cost; none where decisions of its kind are not reviewed."""
    found = reviewer.judge(decision, np.random.default_rng([seed, number, decision.seat]))
    if found is None:
        return []
    cost, random_cost = max(0.0, found.cost), max(0.0, found.random_cost)
    return [
        ReviewedMove(
            number,
            decision.seat,
            game.write(decision.action),
            game.write(found.best),
            round(cost, 4),
            round(random_cost, 4),
            accuracy_of(cost, random_cost),
            None if found.value is None else round(found.value, 4),
            None if found.luck is None else round(found.luck, 4),
            found.note,
            found.exact,
            tuple(game.write(action) for action in found.missed),
            tuple(game.write(action) for action in found.allowed),
            found.verified,
        )
    ]


def summarise(
    played: ReviewedGame, terms: ReviewTerms, moves: Sequence[ReviewedMove], seats: Sequence[Seat]
) -> Review:
    """The review of these seats from all their reviewed decisions, in order."""
    valued = any(move.value is not None for move in moves)
    return Review(
        played.game,
        tuple(played.players),
        terms.unit,
        terms.about,
        "winning chance" if valued else f"expected {terms.unit} lost",
        played.returns is not None,
        tuple(_of_seat(played, moves, seat) for seat in seats),
        tuple(moves),
        _moments(moves, range(len(moves))),
    )


def _of_seat(played: ReviewedGame, moves: Sequence[ReviewedMove], seat: Seat) -> SeatReview:
    own = [i for i, move in enumerate(moves) if move.seat == seat]
    cost = sum(moves[i].cost for i in own)
    random_cost = sum(moves[i].random_cost for i in own)
    luck = [found for i in own if (found := moves[i].luck) is not None]
    return SeatReview(
        seat,
        played.players[seat],
        accuracy_of(cost, random_cost),
        sum(moves[i].accuracy is not None for i in own),
        round(cost, 4),
        round(random_cost, 4),
        round(sum(luck), 4) if luck else None,
        _curve(played, [moves[i] for i in own], seat),
        _moments(moves, own),
    )


def _curve(
    played: ReviewedGame, own: Sequence[ReviewedMove], seat: Seat
) -> tuple[tuple[int, float], ...]:
    """Winning chances before each decision and at the end; where there are none, summed costs."""
    chances = [(move.move - 1, move.value) for move in own if move.value is not None]
    if chances:
        if played.returns is not None:
            result = (played.returns[seat] + 1) / 2
            chances.append((played.moves, min(1.0, max(0.0, result))))
        return tuple(chances)
    total, points = 0.0, []
    for move in own:
        total += move.cost
        points.append((move.move, round(total, 4)))
    return tuple(points)


def worth_a_look(move: ReviewedMove) -> bool:
    """Whether a decision cost enough to be a moment."""
    return move.cost > 0 and move.cost >= LEAST_SHARE * move.random_cost


def _moments(moves: Sequence[ReviewedMove], among: Sequence[int]) -> tuple[int, ...]:
    dear = [i for i in among if worth_a_look(moves[i])]
    return tuple(sorted(dear, key=lambda i: (-moves[i].cost, i))[:MOMENTS])
