"""The state behind the desktop window: who plays, whose turn it is, what was played."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from numpy.random import default_rng

from trireme.core.errors import IllegalAction
from trireme.core.forfeit import Forfeit
from trireme.core.game import Turn
from trireme.core.record import Record, append_to
from trireme.core.session import HUMAN, PlayMode, Session
from trireme.gomoku.formats import load, save
from trireme.gomoku.rules import COLOUR_NAMES, Action, Gomoku, GomokuState
from trireme.gomoku.show.draw import status

RECORDS = Path("runs/games")


class DesktopGame:
    """One game after the other; the seats can change hands at any time."""

    def __init__(self, game: Gomoku | None = None, *, records: Path = RECORDS) -> None:
        self.mode = PlayMode.PVAI
        self.side = 0
        self.agents = ["search", "search"]
        self._records = records
        self.begin(game or Gomoku())

    def begin(self, game: Gomoku, opening: tuple[Action, ...] = ()) -> None:
        """Start a new game, from an opening where one is given."""
        texts = [game.write(action) for action in opening]
        self.path = self._records / f"gomoku-{datetime.now():%Y%m%d-%H%M%S-%f}.jsonl"
        self.session = Session(game, self.seats(), opening=texts, sink=append_to(self.path))

    @property
    def rules(self) -> Gomoku:
        assert isinstance(self.session.game, Gomoku)
        return self.session.game

    @property
    def state(self) -> GomokuState:
        state: GomokuState = self.session.state
        return state

    def seats(self) -> list[str]:
        """Who sits where now: a person or an agent's spec."""
        if self.mode is PlayMode.PVP:
            return [HUMAN, HUMAN]
        if self.mode is PlayMode.AIVAI:
            return list(self.agents)
        return [HUMAN if seat == self.side else self.agents[seat] for seat in range(2)]

    @property
    def mover(self) -> str | None:
        """Who is to move: a person, an agent's spec, or nobody."""
        return None if self.session.over else self.seats()[self.session.to_move[0]]

    def turn(self, seconds: float) -> Turn[Action, GomokuState]:
        """The decision that is due, fit to be sent to another process.

        A copy of the seat's random stream would give the same numbers again at the next turn, so a
        new one is drawn from it.
        """
        turn = self.session.turn(self.session.to_move[0], seconds)
        return replace(turn, rng=default_rng(turn.rng.integers(1 << 62)))

    def play(self, action: Action) -> None:
        """Make a move for whoever is to move; raises `IllegalAction` where it is not allowed."""
        if self.session.over:
            raise IllegalAction("the game is over")
        self.session.move({self.session.to_move[0]: action})

    def forfeit(self, reason: str) -> None:
        """The agent to move has failed."""
        self.session.forfeit(Forfeit(self.session.to_move[0], "exception", reason))

    def undo(self) -> None:
        """Take back one stone between people, else all back to the person's last decision."""
        played = self._actions()
        seats = self.seats()
        if HUMAN not in seats:
            raise IllegalAction("two agents take nothing back: choose another mode first")
        if not played:
            raise IllegalAction("there is nothing to take back")
        count = 1
        while count < len(played) and self._seat_before(count) != HUMAN:
            count += 1
        if self.session.over:  # its record is closed: the game goes on in a new one
            self.begin(self.rules, tuple(played[:-count]))
        else:
            self.session.undo(count)

    def open(self, path: Path) -> None:
        """Go on from the last position of a record."""
        record = load(path)
        if not isinstance(record.game, Gomoku):
            raise IllegalAction(f"{path.name} is a record of {record.header.game}, not of gomoku")
        moves = [text for move in record.moves for text in move.values()]
        self.begin(record.game, tuple(record.game.read(text) for text in moves))

    def save(self, path: Path) -> None:
        """Write the game as `.jsonl`, `.psq` or `.sgf`."""
        save(self.record, path)

    @property
    def record(self) -> Record:
        return self.session.record

    def status(self) -> str:
        """One line: whose turn it is, or how the game ended."""
        for fault in self.session.forfeits:
            return f"{self.name(fault.seat)} forfeits: {fault.detail}"
        text = status(self.rules, self.state)
        if self.session.over:
            return text[:1].upper() + text[1:]
        return f"{text} ({self.mover})"

    def name(self, seat: int) -> str:
        """What a seat is called: its colour, once that is decided."""
        if self.rules.opening != "none" and self.state.black_seat() is None:
            return f"seat {seat}"
        return next(n for c, n in COLOUR_NAMES.items() if self.rules.seat_of(self.state, c) == seat)

    def _actions(self) -> list[Action]:
        return [self.rules.read(t) for move in self.record.moves for t in move.values()]

    def _seat_before(self, count: int) -> str:
        """Who made the move that is `count` before now."""
        move = self.record.moves[-count]
        return self.seats()[next(iter(move))]
