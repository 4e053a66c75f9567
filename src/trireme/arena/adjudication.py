"""Adjudication: ending games that are decided, by the agents' agreement or by a checked proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trireme.core.errors import BadSpec
from trireme.core.game import AnyGame, Seat
from trireme.core.registry import find, load
from trireme.core.session import Session


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

    def __post_init__(self) -> None:
        if self.value is not None and not 0 < self.value <= 1:
            raise BadSpec(f"the value of an agreement is above 0 and up to 1, not {self.value:g}")
        if self.moves < 2:
            raise BadSpec(f"an agreement needs 2 moves or more, not {self.moves}")

    @classmethod
    def parse(cls, text: str | None, proof: bool = False) -> Adjudication | None:
        """Read `value` or `value,moves`, with `proof` beside it; None where nothing is asked for.

        >>> Adjudication.parse("0.9,8")
        Adjudication(value=0.9, moves=8, proof=False)
        """
        if text is None:
            return cls(proof=True) if proof else None
        parts = text.split(",")
        try:
            value, moves = float(parts[0]), int(parts[1]) if len(parts) > 1 else 6
        except ValueError:
            raise BadSpec(f"expected a value and moves such as 0.9,6, not {text!r}") from None
        if len(parts) > 2:
            raise BadSpec(f"expected a value and moves such as 0.9,6, not {text!r}")
        return cls(value, moves, proof)

    def check(self, game: AnyGame) -> None:
        """Raise `BadSpec` where the game can't be adjudicated so."""
        if game.seats != 2:
            raise BadSpec("adjudication needs a game with two seats")
        if self.proof and find(game.name).forced_win is None:
            raise BadSpec(f"{game.name} has no proofs of forced wins: adjudicate by agreement")


class Adjudicator:
    """Follows one game and ends it when it is decided."""

    def __init__(self, rule: Adjudication, game: AnyGame) -> None:
        self._rule = rule
        self._winner: Seat | None = None
        self._agreed = 0
        place = find(game.name).forced_win if rule.proof else None
        self._prove: Any = None if place is None else load(place)(game)

    def after_move(self, session: Session) -> None:
        """Adjudicate the game if it is decided after its last move."""
        if session.over:
            return
        if self._rule.value is not None:
            for seat, report in session.reports.items():
                self._count(seat, report.value, self._rule.value)
            if self._winner is not None and self._agreed >= self._rule.moves:
                self._end(session, self._winner, f"both agents agree for {self._agreed} moves")
                return
        if self._prove is not None:
            winner = self._prove(session.state)
            if winner is not None:
                self._end(session, winner, "a forced win is proven and checked")

    def _count(self, seat: Seat, value: float | None, least: float) -> None:
        winner = None if value is None or abs(value) < least else seat if value > 0 else 1 - seat
        self._agreed = self._agreed + 1 if winner is not None and winner == self._winner else 1
        self._winner = winner

    def _end(self, session: Session, winner: Seat, why: str) -> None:
        returns = tuple(1.0 if seat == winner else -1.0 for seat in range(session.game.seats))
        session.adjudicate(returns, why)
