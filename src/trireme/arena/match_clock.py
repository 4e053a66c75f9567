"""Match clocks: each seat has a time for the whole game and an increment for every move."""

from __future__ import annotations

from dataclasses import dataclass

from trireme.core.errors import BadSpec
from trireme.core.play import GRACE

MOVES_AHEAD = 25
"""Moves among which an agent without a time management of its own spreads what is left."""


@dataclass(frozen=True)
class TimeControl:
    """Seconds for a game and the increment, as in `60+0.5` (Fischer's clock)."""

    base: float
    increment: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.base < float("inf"):
            raise BadSpec(f"the clock needs more than 0 seconds, not {self.base:g}")
        if not 0 <= self.increment < float("inf"):
            raise BadSpec(f"the increment must be 0 seconds or more, not {self.increment:g}")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Read `base` or `base+increment`, in seconds.

        >>> TimeControl.parse("60+0.5")
        TimeControl(base=60.0, increment=0.5)
        """
        try:
            numbers = [float(part) for part in text.split("+")]
        except ValueError:
            numbers = []
        if len(numbers) not in (1, 2):
            raise BadSpec(f"expected a clock such as 60+0.5 (seconds), not {text!r}")
        return cls(*numbers)


class SeatClock:
    """The clock of one seat in one game."""

    def __init__(self, control: TimeControl) -> None:
        self._increment = control.increment
        self.left = control.base
        """Seconds that are left, without the increment of the move to come."""

    @property
    def budget(self) -> float:
        """Seconds that a decision should take, for agents that know only budgets of moves."""
        return min(self.left, self.left / MOVES_AHEAD + self._increment)

    def spend(self, seconds: float) -> bool:
        """Take the time of a move off and add the increment; False if the flag has fallen."""
        self.left -= seconds
        if self.left < -GRACE:
            return False
        self.left = max(self.left, 0.0) + self._increment
        return True
