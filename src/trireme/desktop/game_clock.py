"""The clock of the desktop window: how long each seat has thought in this game."""

from __future__ import annotations


class GameClock:
    """Counts up for the seat to move; seconds by the clock of the caller."""

    def __init__(self, seats: int = 2) -> None:
        self.spent = [0.0] * seats
        self._seat: int | None = None
        self._last = 0.0

    def tick(self, seat: int | None, now: float) -> None:
        """Charge the time since the last tick to the seat that was to move then; now it is the turn
        of `seat`, or of nobody."""
        if self._seat is not None:
            self.spent[self._seat] += now - self._last
        self._seat, self._last = seat, now

    def text(self, seat: int) -> str:
        """The seat's time as minutes and seconds.

        >>> clock = GameClock()
        >>> clock.tick(1, 0.0)
        >>> clock.tick(0, 65.9)
        >>> clock.text(0), clock.text(1)
        ('0:00', '1:05')
        """
        minutes, seconds = divmod(int(self.spent[seat]), 60)
        return f"{minutes}:{seconds:02d}"
