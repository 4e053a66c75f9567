"""A `Session` is one game in progress: moves are checked, applied and recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from .action_input import as_action
from .errors import IllegalAction, TriremeError
from .forfeit import Forfeit, why_illegal
from .game import CHANCE, AnyGame, Seat, Turn
from .move_report import MoveReport, report_fields
from .notebook import describe_session, picture
from .record import Forfeited, Record, RecordWriter, parse_record
from .seeding import fresh_seed, streams

Opening = Sequence[str | Mapping[Seat, str]]
"""Moves made before the agents are asked: text for the seat (or nature) that moves alone, a
mapping where seats move together. Balanced openings and hand-placed fleets come this way."""
HUMAN = "human"
"""The name of a seat that a person holds, in place of an agent spec."""


class PlayMode(StrEnum):
    """Who holds the seats: two people, a person and an agent, or two agents."""

    PVP = "pvp"
    PVAI = "pvai"
    AIVAI = "aivai"


def check_seats(game: AnyGame, count: int) -> None:
    """Raise `TriremeError` unless the game has `count` seats."""
    if count != game.seats:
        raise TriremeError(f"{game.name} has {game.seats} seats, not {count}")


class Session:
    """One game in progress: its state, its record, and the random streams of its seats.

    Nature moves by itself as soon as it is nature's turn, unless the opening moves for it.
    """

    def __init__(
        self,
        game: AnyGame,
        seats: Sequence[str],
        *,
        seed: int | None = None,
        opening: Opening = (),
        sink: Callable[[str], object] | None = None,
    ) -> None:
        check_seats(game, len(seats))
        self.game = game
        self.seats = tuple(seats)
        self.seed = fresh_seed() if seed is None else seed
        self.forfeits: tuple[Forfeited, ...] = ()
        self.reports: Mapping[Seat, MoveReport] = {}
        """What the agents reported of the last move that was made by `move`."""
        self._adjudicated: tuple[float, ...] | None = None
        self._streams = streams(self.seed, game.seats)
        self._states: list[Any] = [game.start()]
        self._writer = RecordWriter(sink)
        self._writer.begin(game, self.seats, self.seed)
        for move in opening:
            self._open(move)
        self._play_chance()

    @property
    def state(self) -> Any:
        return self._states[-1]

    @property
    def to_move(self) -> tuple[Seat, ...]:
        """Who acts now; nobody once the game is over, by the rules, by forfeit or adjudicated."""
        ended = self.forfeits or self._adjudicated is not None
        return () if ended else self.game.to_move(self.state)

    @property
    def over(self) -> bool:
        return not self.to_move

    @property
    def moves(self) -> int:
        """How many moves stand, nature's included."""
        return len(self._states) - 1

    @property
    def returns(self) -> tuple[float, ...]:
        if self._adjudicated is not None:
            return self._adjudicated
        if self.forfeits:
            return self.game.forfeit(self.state, tuple(f.seat for f in self.forfeits))
        return self.game.returns(self.state)

    @property
    def record(self) -> Record:
        return parse_record("".join(f"{line}\n" for line in self._writer.lines), game=self.game)

    def turn(self, seat: Seat, seconds: float | None = None) -> Turn[Any, Any]:
        """The decision that `seat` faces now."""
        view, legal = self.game.view(self.state, seat), self.game.legal(self.state, seat)
        return Turn(self.game, seat, view, legal, self._streams[seat], seconds)

    def move(
        self, actions: Mapping[Seat, Any], reports: Mapping[Seat, MoveReport] | None = None
    ) -> None:
        """Check the actions of all the seats to move, apply them, record them with `reports`.

        An action is the game's own, its text, or another form that the game takes: an index or
        `(row, col)` on a board.
        """
        self._move({seat: self.read_action(seat, a) for seat, a in actions.items()}, reports)
        self.reports = reports or {}
        self._play_chance()

    def play(self, *actions: Any) -> Session:
        """Move by hand: one action for each seat to move, in order; gives the session back.

        >>> from trireme import make_game
        >>> Session(make_game("gomoku"), ["me", "you"], seed=1).play("h8").play((7, 8))
        <Session of gomoku: me – you, 2 moves, seat 0 to move>
        """
        if not self.over and len(actions) != len(self.to_move):
            seats = ", ".join(map(str, self.to_move))
            raise IllegalAction(
                f"expected one action for each of seats {seats}, not {len(actions)}"
            )
        self.move(dict(zip(self.to_move, actions, strict=False)))
        return self

    def read_action(self, seat: Seat, value: Any) -> Any:
        """The action that `value` stands for (see `move`); itself where it stands for none."""
        return as_action(
            self.game,
            seat,
            lambda: self.game.legal(self.state, seat),
            lambda: self.game.view(self.state, seat),
            value,
        )

    def __repr__(self) -> str:
        return describe_session(self)

    def _repr_html_(self) -> str:
        return picture(self.game, self.state)

    def undo(self, count: int = 1) -> None:
        """Take back the last `count` moves."""
        if not self.game.undoable:
            raise IllegalAction(f"{self.game.name} has no undo: what was seen can't be unseen")
        if not 0 < count <= self.moves:
            raise IllegalAction(f"can't take back {count} of {self.moves} moves")
        if self.over:
            raise IllegalAction("the game is over and its record is closed")
        del self._states[-count:]
        self._writer.undo(count)

    def forfeit(self, *forfeits: Forfeit) -> None:
        """End the game at once by the fault of one or more seats."""
        self.forfeits = tuple(Forfeited(f.seat, f.reason, f.detail) for f in forfeits)
        self._writer.end("forfeit", self.returns, self.forfeits)

    def adjudicate(self, returns: tuple[float, ...], why: str) -> None:
        """End the game at once with these returns, because it is decided."""
        if self.over:
            raise IllegalAction("the game is over")
        self._adjudicated = returns
        self._writer.end("adjudicated", returns, reason=why)

    def _open(self, move: str | Mapping[Seat, str]) -> None:
        if self.over:
            raise IllegalAction(f"the game is over before the opening move {move!r}")
        if isinstance(move, str):
            move = dict.fromkeys(self.to_move, move)
        self._move({seat: self.game.read(text) for seat, text in move.items()})

    def _move(
        self, actions: Mapping[Seat, Any], reports: Mapping[Seat, MoveReport] | None = None
    ) -> None:
        self._check_movers(actions)
        for seat, action in actions.items():
            self._check(seat, action)
        self._apply(actions, reports)

    def _check_movers(self, actions: Mapping[Seat, Any]) -> None:
        if self.over:
            raise IllegalAction("the game is over")
        if set(actions) != set(self.to_move):
            raise IllegalAction(
                f"expected the moves of seats {list(self.to_move)}, not of {sorted(actions)}"
            )

    def _check(self, seat: Seat, action: Any) -> None:
        try:
            self.game.check(self.state, seat, action)
            self.game.write(action)  # what is no action at all may slip through a check
        except Exception as error:
            if seat == CHANCE:
                raise
            raise IllegalAction(why_illegal(self.turn(seat), action, error)) from error

    def _play_chance(self) -> None:
        while self.to_move == (CHANCE,):
            self._apply({CHANCE: self.game.draw(self.state, self._streams[CHANCE])})

    def _apply(
        self, actions: Mapping[Seat, Any], reports: Mapping[Seat, MoveReport] | None = None
    ) -> None:
        state = self.game.apply(self.state, actions)
        details: Mapping[str, Any] = {}
        if len(actions) == 1:
            ((seat, action),) = actions.items()
            details = self.game.details(self.state, seat, action)
        if reports:
            details = {**details, **report_fields(reports)}
        self._states.append(state)
        self._writer.move({s: self.game.write(a) for s, a in actions.items()}, details)
        if self.over:
            self._writer.end("over", self.returns)
