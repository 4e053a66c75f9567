"""The table of a room: who sits, what was played, what may be done next; no sockets, no clock.

A table is the sum of its events. Every wish is first checked and turned into events, which are
stored, and only then added; so what is told can always be built again.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import PCG64, Generator, SeedSequence

from trireme.core.errors import BadText, TriremeError
from trireme.core.game import CHANCE, AnyGame, Seat
from trireme.core.record import Forfeited as RecordedForfeit
from trireme.core.registry import make_game
from trireme.server.protocol.codes import Refusal

from . import events
from .events import AnyEvent, Chair, Setup

OfferKind = Literal["undo", "rematch"]


@dataclass(frozen=True)
class Move:
    """One move as it was made; kept even when it is taken back, for those who missed it."""

    number: int
    actions: dict[Seat, Any]
    before: Any
    after: Any
    ts: str


@dataclass(frozen=True)
class Ending:
    """How the game would stand in the list of finished ones."""

    names: list[str]
    returns: tuple[float, ...]
    moves: int


@dataclass(frozen=True)
class Entry:
    """One event with what it led to."""

    version: int
    event: AnyEvent
    ts: str
    move: Move | None
    ended: bool


class Table:
    """One game between chairs."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.game: AnyGame = make_game(setup.game, **setup.settings)
        self._start = self.game.start()
        self.chairs: list[Chair] = list(setup.chairs)
        self.entries: list[Entry] = []
        self.moves: list[Move] = []
        self.pending: dict[Seat, Any] = {}
        self.offers: list[tuple[OfferKind, Seat]] = []
        self.started: str | None = None
        self.forfeits: tuple[RecordedForfeit, ...] = ()
        self.next_room: str | None = None
        self.decision = 0
        """Counts decisions: what was thought out for an earlier one is worthless."""
        self._granted: dict[tuple[Seat, str], int] = {}
        self._texts: dict[Any, str] = {}
        self._applied: tuple[Any, dict[Seat, Any], Any] | None = None

    # What is

    @property
    def version(self) -> int:
        return len(self.entries)

    @property
    def state(self) -> Any:
        return self.moves[-1].after if self.moves else self._start

    @property
    def status(self) -> Literal["waiting", "playing", "over"]:
        if self.started is None:
            return "waiting"
        return "playing" if self.to_move else "over"

    @property
    def to_move(self) -> tuple[Seat, ...]:
        """The seats that the rules ask; nobody before the start and after the end."""
        if self.started is None or self.forfeits:
            return ()
        return self.game.to_move(self.state)

    @property
    def waiting_for(self) -> tuple[Seat, ...]:
        """Those of them that have not acted yet."""
        return tuple(seat for seat in self.to_move if seat not in self.pending)

    @property
    def returns(self) -> tuple[float, ...]:
        if self.forfeits:
            return self.game.forfeit(self.state, tuple(f.seat for f in self.forfeits))
        return self.game.returns(self.state)

    def holds(self, token: str) -> tuple[Seat, ...]:
        """The seats of whoever knows the secret with this hash."""
        return tuple(s for s, chair in enumerate(self.chairs) if chair.token == token)

    def people(self) -> set[str]:
        """The token hashes of all people at the table."""
        return {chair.token for chair in self.chairs if chair.token is not None}

    def names(self) -> list[str]:
        """What records call the players."""
        return [chair.name or f"player {seat + 1}" for seat, chair in enumerate(self.chairs)]

    def text(self, action: Any) -> str:
        """The action as text, remembered: a board's points are listed again and again."""
        found = self._texts.get(action)
        if found is None:
            found = self._texts[action] = self.game.write(action)
        return found

    def granted(self, seat: Seat, id: str) -> int | None:
        """The version that a message with this id led to, if it was granted before."""
        return self._granted.get((seat, id))

    # What may be done: each checks and gives the events that would do it

    def sit(self, seat: Seat | None, name: str, token: str) -> list[AnyEvent]:
        free = [s for s, chair in enumerate(self.chairs) if chair.kind == "open"]
        if not free:
            raise Refusal("room_full", "every seat of this room is taken")
        if seat is not None and seat not in free:
            raise Refusal("seat_taken", f"seat {seat} is not open; open: {free}")
        made: list[AnyEvent] = [events.Sat(free[0] if seat is None else seat, name, token)]
        return made + (self.start() if len(free) == 1 else [])

    def start(self) -> list[AnyEvent]:
        """The start of the game, with nature's first moves."""
        return [events.Started(), *self._nature(self._start, self.version + 1)]

    def act(
        self, seat: Seat, text: str, by: Literal["person", "agent", "clock"], id: str | None = None
    ) -> list[AnyEvent]:
        return self.act_all({seat: self.read(seat, text)}, by, id)

    def act_all(
        self,
        actions: dict[Seat, Any],
        by: Literal["person", "agent", "clock"],
        id: str | None = None,
    ) -> list[AnyEvent]:
        """Checked actions of one or more seats, and what nature does next."""
        made: list[AnyEvent] = [
            events.Acted(seat, self.game.write(action), by, id) for seat, action in actions.items()
        ]
        together = {**self.pending, **actions}
        if set(together) == set(self.to_move):
            made += [
                events.Withdrawn(proposer, what, proposer)
                for what, proposer in self.offers
                if what == "undo"
            ]
            after = self._apply(self.state, together)
            made += self._nature(after, self.version + len(made))
        return made

    def read(self, seat: Seat, text: str) -> Any:
        """The action that `seat` may play now, or a refusal."""
        self._must_play()
        if seat not in self.waiting_for:
            raise Refusal("not_your_turn", f"it is not the turn of seat {seat}")
        try:
            action = self.game.read(text)
        except BadText as error:
            raise Refusal("bad_action", str(error)) from None
        try:
            self.game.check(self.state, seat, action)
        except TriremeError as error:
            raise Refusal("illegal_action", str(error)) from None
        return action

    def forfeit(
        self, seat: Seat, reason: str, detail: str, id: str | None = None
    ) -> list[AnyEvent]:
        self._must_play()
        return [events.Forfeited(seat, reason, detail, id)]

    def undo(self, seat: Seat, id: str | None) -> list[AnyEvent]:
        """Take back at once where no other person minds; else propose it, or accept theirs."""
        self._must_play()
        count = self.undo_count(seat)
        if not count:
            why = "nothing to take back" if self.game.undoable else "what was seen can't be unseen"
            raise Refusal("no_undo", f"{self.game.name}: {why}")
        if not self._others(seat):
            return [events.TookBack(seat, count, id)]
        if any(what == "undo" for what, _ in self._offers_to(seat)):
            return self.answer(seat, "undo", True, id)
        if ("undo", seat) in self.offers:
            return []
        return [events.Offered(seat, "undo", id)]

    def undo_count(self, seat: Seat) -> int:
        """How many moves lie between now and the seat's previous decision; 0: it has none."""
        if not self.game.undoable:
            return 0
        for count, move in enumerate(reversed(self.moves), 1):
            if seat in move.actions:
                return count
        return 0

    def rematch(self, seat: Seat, id: str | None) -> list[AnyEvent] | None:
        """Propose a rematch; None when everybody wants it and the new room can be made."""
        self._must_be_over()
        if self.next_room is not None:
            return []
        wanting = {self.chairs[s].token for what, s in self.offers if what == "rematch"}
        if self.people() <= wanting | {self.chairs[seat].token}:
            return None
        if self.chairs[seat].token in wanting:
            return []
        return [events.Offered(seat, "rematch", id)]

    def answer(self, seat: Seat, what: OfferKind, accept: bool, id: str | None) -> list[AnyEvent]:
        """Decline an offer, or accept an undo; accepting a rematch is wanting it too."""
        open_offers = [proposer for kind, proposer in self._offers_to(seat) if kind == what]
        if not open_offers:
            raise Refusal("no_offer", f"nobody offers seat {seat} {what} now")
        proposer = open_offers[0]
        if not accept:
            return [events.Withdrawn(seat, what, proposer, id)]
        return [events.TookBack(proposer, self.undo_count(proposer), id, seat)]

    # What happened

    def add(self, event: AnyEvent, ts: str) -> Entry:
        """Let an event that is stored happen."""
        move: Move | None = None
        playing = self.status == "playing"
        match event:
            case events.Sat():
                self.chairs[event.seat] = Chair("person", event.name, event.token)
            case events.Started():
                self.started = ts
            case events.Acted():
                move = self._played(event, ts)
            case events.TookBack():
                del self.moves[len(self.moves) - event.count :]
                self.pending.clear()
                self.offers.clear()
                self.decision += 1
            case events.Forfeited():
                forfeit = RecordedForfeit(event.seat, event.reason, event.detail)
                self.forfeits = (*self.forfeits, forfeit)
            case events.Offered():
                self.offers.append((event.what, event.seat))
            case events.Withdrawn():
                self.offers = [o for o in self.offers if o != (event.what, event.proposer)]
            case events.Rematched():
                self.next_room = event.room
                self.offers.clear()
        ended = playing and self.status == "over"
        if ended:
            self.decision += 1
            self.offers.clear()
        entry = Entry(self.version + 1, event, ts, move, ended)
        self.entries.append(entry)
        if not isinstance(event, events.Sat | events.Started) and event.id is not None:
            asked = event.accepted if isinstance(event, events.TookBack) else None
            self._granted[event.seat if asked is None else asked, event.id] = entry.version
        return entry

    def ending(self, made: Sequence[AnyEvent], ts: str) -> Ending | None:
        """The end that these events would bring, or None."""
        if self.status != "playing":
            return None
        trial = copy(self)
        trial.entries, trial.moves = [], list(self.moves[-1:])
        trial.pending, trial.offers = dict(self.pending), list(self.offers)
        trial._granted = {}
        for event in made:
            trial.add(event, ts)
        if trial.status != "over":
            return None
        moves = len(self.moves) + len(trial.moves) - len(self.moves[-1:])
        return Ending(self.names(), trial.returns, moves)

    def _played(self, event: events.Acted, ts: str) -> Move | None:
        self.pending[event.seat] = self.game.read(event.action)
        if set(self.pending) != set(self.to_move):
            return None
        actions, before = dict(sorted(self.pending.items())), self.state
        self.pending.clear()
        after = self._apply(before, actions)
        move = Move(len(self.moves) + 1, actions, before, after, ts)
        self.moves.append(move)
        self.decision += 1
        return move

    def _apply(self, state: Any, actions: dict[Seat, Any]) -> Any:
        """The next state; the same move is weighed, stored and added, but computed once."""
        if self._applied is None or self._applied[0] is not state or self._applied[1] != actions:
            self._applied = state, actions, self.game.apply(state, actions)
        return self._applied[2]

    def _nature(self, state: Any, version: int) -> list[AnyEvent]:
        """Nature's moves from `state` on, each drawn by the room's seed and its own place."""
        made: list[AnyEvent] = []
        while self.game.to_move(state) == (CHANCE,):
            place = SeedSequence(self.setup.seed, spawn_key=(0, version + len(made)))
            action = self.game.draw(state, Generator(PCG64(place)))
            made.append(events.Acted(CHANCE, self.game.write(action), "nature"))
            state = self.game.apply(state, {CHANCE: action})
        return made

    def _others(self, seat: Seat) -> set[str]:
        """The other people at the table."""
        return self.people() - {self.chairs[seat].token or ""}

    def _offers_to(self, seat: Seat) -> Sequence[tuple[OfferKind, Seat]]:
        mine = self.chairs[seat].token
        return [offer for offer in self.offers if self.chairs[offer[1]].token != mine]

    def _must_play(self) -> None:
        if self.status == "waiting":
            raise Refusal("not_started", "the game begins when every seat is taken")
        if self.status == "over":
            raise Refusal("game_over", "the game is over")

    def _must_be_over(self) -> None:
        if self.status != "over":
            raise Refusal("game_running", "the game is not over yet")
