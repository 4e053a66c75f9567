"""JSON shapes of a review: what every decision of a game cost."""

from __future__ import annotations

from .shapes import Shape


class ReviewedMoveInfo(Shape):
    """One decision of one seat with its cost."""

    move: int
    """The number of the move, from 1: the position before it is after `move - 1` moves."""
    seat: int
    played: str
    best: str
    cost: float
    random_cost: float
    """What a uniformly random legal action costs in expectation."""
    accuracy: float | None
    """In percent; None: nothing was at stake."""
    value: float | None
    """The winning chance before the move with best play, 0 to 1; None where there is none."""
    luck: float | None
    note: str
    exact: bool
    """Whether the cost is exact, not estimated."""
    missed: list[str]
    """The line of a forced win that was given away."""
    allowed: list[str]
    """The line of a forced win that the decision gave the other seat."""
    verified: bool
    """Whether an independent checker confirmed both lines; else a search found them."""


class SeatReviewInfo(Shape):
    """One seat's decisions in sum."""

    seat: int
    name: str
    accuracy: float | None
    """In percent."""
    decisions: int
    """Decisions in which something was at stake."""
    cost: float
    random_cost: float
    """What random actions would have cost."""
    luck: float | None
    curve: list[tuple[int, float]]
    """Moves made and, by then, what `ReviewInfo.curve` says."""
    moments: list[int]
    """The seat's most expensive decisions, worst first: indices into `ReviewInfo.moves`."""


class ReviewInfo(Shape):
    """A review; docs/review.md defines its numbers."""

    game: str
    players: list[str]
    unit: str
    """What costs and luck are counted in."""
    about: str
    curve: str
    """What the curves show."""
    finished: bool
    seats: list[SeatReviewInfo]
    moves: list[ReviewedMoveInfo]
    moments: list[int]
    """The game's most expensive decisions, worst first: indices into `moves`."""
