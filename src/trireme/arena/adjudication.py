"""Adjudication: ending games that are decided, by the agents' agreement or by a checked proof.

The rules are those of tournament managers for chess: a win or a draw by the values that both agents
report, for so many decisions in a row.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from trireme.core.errors import BadSpec
from trireme.core.game import AnyGame, Seat
from trireme.core.registry import find, load
from trireme.core.session import Session

DRAW = -1
"""The result on which agents agree, where it is nobody's win."""


@dataclass(frozen=True)
class DrawRule:
    """When a game ends as a draw: the values that both agents report stay near 0."""

    value: float
    """How far from 0 values may be: 0, exactly even, and below 1."""
    moves: int = 8
    """Decisions in a row that must agree."""
    first: int = 40
    """Moves that must have been made in the game, those of the opening included."""

    def __post_init__(self) -> None:
        if not 0 <= self.value < 1:
            raise BadSpec(f"the value of a draw is 0 or more and below 1, not {self.value:g}")
        if self.moves < 2:
            raise BadSpec(f"an agreement needs 2 moves or more, not {self.moves}")
        if self.first < 0:
            raise BadSpec(f"a draw's first move is 0 or more, not {self.first}")

    @classmethod
    def parse(cls, text: str) -> DrawRule:
        """Read `value`, `value,moves` or `value,moves,first`.

        >>> DrawRule.parse("0.05,10")
        DrawRule(value=0.05, moves=10, first=40)
        """
        return cls(*_numbers(text, 3, "0.05,8,40"))


@dataclass(frozen=True)
class Adjudication:
    """When a game ends before its rules say so."""

    value: float | None = None
    """Agreement: the values that agents report are as far as this from 0, for the same winner; from
    0, an even game, to 1, a won one. None: no such end."""
    moves: int = 6
    """Decisions in a row that must agree."""
    proof: bool = False
    """End as soon as a forced win is proven by a search and confirmed by an independent checker."""
    draw: DrawRule | None = None
    """When a game ends as a draw; None: never."""

    def __post_init__(self) -> None:
        if self.value is not None and not 0 < self.value <= 1:
            raise BadSpec(f"the value of an agreement is above 0 and up to 1, not {self.value:g}")
        if self.moves < 2:
            raise BadSpec(f"an agreement needs 2 moves or more, not {self.moves}")
        if self.draw is not None and self.value is not None and self.draw.value >= self.value:
            raise BadSpec(
                f"the value of a draw, {self.draw.value:g}, must be below that of a win,"
                f" {self.value:g}"
            )

    @classmethod
    def parse(
        cls, win: str | None, proof: bool = False, draw: str | None = None
    ) -> Adjudication | None:
        """Read `value` or `value,moves` of a win, with `proof` and a draw's rule beside it; None
        where nothing is asked for.

        >>> Adjudication.parse("0.9,8")
        Adjudication(value=0.9, moves=8, proof=False, draw=None)
        """
        if win is None and draw is None and not proof:
            return None
        rule = None if draw is None else DrawRule.parse(draw)
        base = cls() if win is None else cls(*_numbers(win, 2, "0.9,6"))
        return replace(base, proof=proof, draw=rule)

    def to_plain(self) -> dict[str, Any]:
        """The rule as JSON values; without a rule for draws, as versions without one wrote it."""
        return {name: value for name, value in asdict(self).items() if name != "draw" or value}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Adjudication:
        draw = plain.get("draw")
        return cls(**{**plain, "draw": None if draw is None else DrawRule(**draw)})

    def check(self, game: AnyGame) -> None:
        """Raise `BadSpec` where the game can't be adjudicated so."""
        if game.seats != 2:
            raise BadSpec("adjudication needs a game with two seats")
        if self.proof and find(game.name).forced_win is None:
            raise BadSpec(f"{game.name} has no proofs of forced wins: adjudicate by agreement")


def _numbers(text: str, most: int, example: str) -> list[Any]:
    """A value and up to `most` - 1 whole numbers, by commas."""
    first, *others = text.split(",")
    try:
        if len(others) >= most:
            raise ValueError
        return [float(first), *map(int, others)]
    except ValueError:
        kinds = "a value and moves" if most == 2 else "a value, moves and the first move"
        raise BadSpec(f"expected {kinds} such as {example}, not {text!r}") from None


@dataclass
class _Agreement:
    """Decisions in a row whose agents report the same result."""

    result: int | None = None
    """The winner's seat, or `DRAW`."""
    count: int = 0
    seats: set[Seat] = field(default_factory=set)
    """Who has reported it."""

    def add(self, seat: Seat, result: int | None) -> None:
        if result != self.result:
            self.result, self.count, self.seats = result, 0, set()
        if result is not None:
            self.count += 1
            self.seats.add(seat)

    def reached(self, moves: int) -> bool:
        """Whether both agents agree for so many decisions: one that moves alone for a while, as
        after hits in Battleship, can't decide the game by itself."""
        return self.count >= moves and len(self.seats) == 2


class Adjudicator:
    """Follows one game and ends it when it is decided."""

    def __init__(self, rule: Adjudication, game: AnyGame) -> None:
        self._rule = rule
        self._wins, self._draws = _Agreement(), _Agreement()
        place = find(game.name).forced_win if rule.proof else None
        self._prove: Any = None if place is None else load(place)(game)

    def after_move(self, session: Session) -> None:
        """Adjudicate the game if it is decided after its last move."""
        if session.over:
            return
        rule, draw = self._rule, self._rule.draw
        for seat, report in session.reports.items():
            self._wins.add(seat, _winner(seat, report.value, rule.value))
            near = draw is not None and report.value is not None and abs(report.value) <= draw.value
            self._draws.add(seat, DRAW if near else None)
        if self._wins.result is not None and self._wins.reached(rule.moves):
            _end(session, self._wins.result, f"both agents agree for {self._wins.count} moves")
        elif draw is not None and session.moves >= draw.first and self._draws.reached(draw.moves):
            _end(session, DRAW, f"both agents agree on a draw for {self._draws.count} moves")
        elif self._prove is not None and (winner := self._prove(session.state)) is not None:
            _end(session, winner, "a forced win is proven and checked")


def _winner(seat: Seat, value: float | None, least: float | None) -> Seat | None:
    """The winner that a report names; None where it names none for certain."""
    if value is None or least is None or abs(value) < least:
        return None
    return seat if value > 0 else 1 - seat


def _end(session: Session, result: int, why: str) -> None:
    seats = range(session.game.seats)
    returns = tuple(0.0 if result == DRAW else 1.0 if s == result else -1.0 for s in seats)
    session.adjudicate(returns, why)
