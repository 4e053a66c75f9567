"""The clocks of a room's players: for each decision, or for the whole game with an increment.

Only people have a clock, and it runs only while any of them is connected. Whoever holds several
seats that move together (hotseat) plays them one after the other, each with a clock of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Set

from trireme.core.game import Seat
from trireme.server.protocol.shapes import ClockState

from .clock import RoomClock, TimerHandle
from .table import GameTable

MIN_RESUMED = 1.0
"""Seconds that a player has at least who comes back to a paused clock."""
TOLERANCE = 0.02
"""Seconds by which a timer may fire before its time."""
NEVER = -1
"""No decision: the clock has not been set yet."""


class PlayerTimers:
    """Deadlines by seat, and one timer for the earliest of them.

    `on_expired(decision)` is called when a seat's time is over, `on_shown()` when the playback of
    the last move has taken all the time that it may.
    """

    def __init__(
        self,
        table: GameTable,
        clock: RoomClock,
        playback: float,
        on_expired: Callable[[int], None],
        on_shown: Callable[[], None],
    ) -> None:
        self._table = table
        self._clock = clock
        self._playback = playback
        self._on_expired = on_expired
        self._on_shown = on_shown
        self._decision = NEVER
        self._deadlines: dict[Seat, float] = {}
        self._paused: dict[Seat, float] = {}
        """Seconds that were left when the last player disconnected."""
        self._showing: set[str] = set()
        """Tokens of connected players who are to move and have not seen the last move yet."""
        self._timer: TimerHandle | None = None

    def update(self, players: Set[str]) -> None:
        """Start, keep, pause or stop the clock; `players` are the tokens of connected people."""
        if self._table.setup.clock is None:
            return
        if self._decision != self._table.decision:
            self._begin_decision(players)
        active = self._active_seats()
        if not active or not players:
            self._pause(active)
            return
        self._showing &= players
        if self._showing:
            if self._timer is None:
                self._timer = self._clock.call_later(self._playback, self._end_playback)
            return
        now = self._clock.now()
        deadlines = {
            seat: self._deadlines[seat]
            if seat in self._deadlines
            else now + self._paused.pop(seat, self._budget(seat))
            for seat in active
        }
        if deadlines != self._deadlines or self._timer is None:
            self._cancel()
            self._deadlines, decision = deadlines, self._decision
            self._timer = self._clock.call_later(
                min(deadlines.values()) - now, lambda: self._expire(decision)
            )

    def shown(self, token: str, moves: int) -> bool:
        """The player with this token has seen the last move; whether the clock may start now."""
        if moves != len(self._table.moves) or token not in self._showing:
            return False
        self._showing.discard(token)
        if not self._showing:
            self._cancel()
        return not self._showing

    def expired(self) -> list[Seat]:
        """The seats whose time is over, once a timer has said so."""
        now = self._clock.now() + TOLERANCE
        return [seat for seat in self._active_seats() if self._deadlines.get(seat, now + 1) <= now]

    def left(self, seat: Seat) -> float:
        """Seconds left for the seat."""
        if seat in self._deadlines:
            return max(0.0, self._deadlines[seat] - self._clock.now())
        return self._paused.get(seat, self._budget(seat))

    def state(self) -> ClockState | None:
        """The clock as clients see it; None where none is running."""
        setup, table = self._table.setup, self._table
        active = self._active_seats()
        idle = not active or not (self._deadlines or self._showing)
        per_game = setup.increment is not None and table.status != "over"
        if setup.clock is None or (idle and not per_game):
            return None
        people = [s for s, holder in enumerate(table.holders) if holder.kind == "person"]
        shown = active if setup.increment is None else people
        seats = {seat: round(self.left(seat), 3) for seat in shown}
        return ClockState(
            seconds=setup.clock,
            increment=setup.increment,
            left=min((seats[seat] for seat in active), default=setup.clock),
            running=bool(self._deadlines),
            seats=seats,
        )

    def _begin_decision(self, players: Set[str]) -> None:
        self._cancel()
        self._deadlines, self._paused = {}, {}
        live = self._decision != NEVER and self._playback > 0 and bool(self._table.moves)
        self._decision = self._table.decision
        waiting = {self._table.holders[seat].token for seat in self._active_seats()}
        self._showing = {token for token in players if token in waiting} if live else set()

    def _active_seats(self) -> list[Seat]:
        """The seats of people whose time runs now: of each person, the first that is to move."""
        first: dict[str, Seat] = {}
        for seat in self._table.waiting_for:
            holder = self._table.holders[seat]
            if holder.kind == "person" and holder.token is not None:
                first.setdefault(holder.token, seat)
        return sorted(first.values())

    def _budget(self, seat: Seat) -> float:
        setup = self._table.setup
        per_game = self._table.time_left.get(seat)
        return per_game if per_game is not None else (setup.clock or 0)

    def _pause(self, active: list[Seat]) -> None:
        now = self._clock.now()
        for seat in active:
            if seat in self._deadlines:
                self._paused[seat] = max(MIN_RESUMED, self._deadlines[seat] - now)
        self._deadlines, self._showing = {}, set()
        self._cancel()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self, decision: int) -> None:
        self._timer = None
        self._on_expired(decision)

    def _end_playback(self) -> None:
        self._timer = None
        self._showing = set()
        self._on_shown()
