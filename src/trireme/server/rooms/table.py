"""The state of a room as a fold over its events (event sourcing); no sockets, clock or database.

A request is first validated and turned into events; these are stored, and only then applied. So the
state that clients see can always be rebuilt from the database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import PCG64, Generator, SeedSequence

from trireme.core.errors import BadText, TriremeError
from trireme.core.game import CHANCE, AnyGame, Seat
from trireme.core.record import Forfeited as RecordedForfeit
from trireme.core.record import Moves
from trireme.core.registry import make_game
from trireme.server.protocol.codes import Refusal

from . import events
from .events import AnyEvent, OfferKind, RoomSetup, SeatHolder


@dataclass(frozen=True)
class PlayedMove:
    """One move as it was made; the log keeps it when it is taken back, for late clients."""

    number: int
    actions: dict[Seat, Any]
    before: Any
    after: Any
    ts: str


@dataclass(frozen=True)
class Ending:
    """The final result, as the list of finished games has it."""

    names: list[str]
    returns: tuple[float, ...]
    moves: int


@dataclass(frozen=True)
class LogEntry:
    """One event with its effect."""

    version: int
    event: AnyEvent
    ts: str
    move: PlayedMove | None
    """The move that the event completed."""
    ended: bool
    """Whether the event ended the game."""


class _ActionTexts(dict[Any, str]):
    """Actions as text, each written once: the same cells are listed for every position."""

    def __init__(self, game: AnyGame) -> None:
        super().__init__()
        self._game = game

    def __missing__(self, action: Any) -> str:
        text = self[action] = self._game.write(action)
        return text


class GameTable:
    """A room's game and seats; `apply_event` changes them, the request methods only validate."""

    def __init__(self, setup: RoomSetup, game: AnyGame | None = None) -> None:
        """`game`: the game of the setup, where it is made already."""
        self.setup = setup
        self.game: AnyGame = make_game(setup.game, **setup.settings) if game is None else game
        self._start = self.game.start()
        self.holders: list[SeatHolder] = list(setup.holders)
        self.log: list[LogEntry] = []
        self.moves: list[PlayedMove] = []
        self.pending: dict[Seat, Any] = {}
        self.offers: list[tuple[OfferKind, Seat]] = []
        self.started: str | None = None
        self.forfeits: tuple[RecordedForfeit, ...] = ()
        self.next_room: str | None = None
        people = self.people()
        self.hints_agreed = setup.hints and len(people) > 1
        """Whether the people who play have agreed on engine help; in a rematch they have before."""
        if setup.hints and any(holder.kind == "open" for holder in setup.holders):
            mine = [s for s, holder in enumerate(self.holders) if holder.kind == "person"]
            self.offers += [("hints", seat) for seat in mine[:1]]
        self.decision = 0
        """Counts decisions: an agent's answer to an earlier one is dropped."""
        self._versions: dict[tuple[Seat, str], int] = {}
        """By seat and idempotency key: the version that the request led to."""
        clock = setup.clock if setup.increment is not None else None
        self.time_left: dict[Seat, float] = (
            {} if clock is None else dict.fromkeys(range(len(setup.holders)), clock)
        )
        """Seconds that each seat had left after its last move; empty without a clock for the whole
        game."""
        self._action_texts = _ActionTexts(self.game)
        self._last_apply: tuple[Any, dict[Seat, Any], Any] | None = None
        self._last_read: tuple[str, Any] | None = None
        self._last_to_move: tuple[Any, tuple[Seat, ...]] | None = None

    # Queries

    @property
    def version(self) -> int:
        return len(self.log)

    @property
    def state(self) -> Any:
        return self.moves[-1].after if self.moves else self._start

    def state_after(self, moves: int) -> Any:
        """The position after this many moves."""
        return self.moves[moves - 1].after if moves else self._start

    @property
    def hints(self) -> bool:
        """Whether hints are allowed while the game runs: between people only if all agree."""
        return self.hints_agreed or (self.setup.hints and len(self.people()) < 2)

    @property
    def status(self) -> Literal["waiting", "playing", "over"]:
        if self.started is None:
            return "waiting"
        return "playing" if self.to_move else "over"

    @property
    def to_move(self) -> tuple[Seat, ...]:
        """The seats to move by the rules; none before the start and after the end."""
        if self.started is None or self.forfeits:
            return ()
        state = self.state
        if self._last_to_move is None or self._last_to_move[0] is not state:
            self._last_to_move = state, self.game.to_move(state)
        return self._last_to_move[1]

    @property
    def waiting_for(self) -> tuple[Seat, ...]:
        """Seats to move that have not acted yet."""
        return tuple(seat for seat in self.to_move if seat not in self.pending)

    @property
    def returns(self) -> tuple[float, ...]:
        if self.forfeits:
            return self.game.forfeit(self.state, tuple(f.seat for f in self.forfeits))
        return self.game.returns(self.state)

    def seats_of(self, token: str) -> tuple[Seat, ...]:
        """The seats that the token with this hash holds."""
        return tuple(s for s, holder in enumerate(self.holders) if holder.token == token)

    def people(self) -> set[str]:
        """The token hashes of all people who hold a seat."""
        return {holder.token for holder in self.holders if holder.token is not None}

    def names(self) -> list[str]:
        """The players' names in records."""
        return [holder.name or f"player {seat + 1}" for seat, holder in enumerate(self.holders)]

    def texts(self, actions: Iterable[Any]) -> list[str]:
        """The actions as text."""
        return list(map(self._action_texts.__getitem__, actions))

    def version_of(self, seat: Seat, id: str) -> int | None:
        """The version that the request with this idempotency key led to, if there was one."""
        return self._versions.get((seat, id))

    # Requests: each validates, and returns the events that would carry it out

    def take_seat(self, seat: Seat | None, name: str, token: str) -> list[AnyEvent]:
        free = [s for s, holder in enumerate(self.holders) if holder.kind == "open"]
        if not free:
            raise Refusal("room_full", "every seat of this room is taken")
        if seat is not None and seat not in free:
            raise Refusal("seat_taken", f"seat {seat} is not open; open: {free}")
        taken: list[AnyEvent] = [
            events.SeatTakenEvent(free[0] if seat is None else seat, name, token)
        ]
        return taken + (self.start() if len(free) == 1 else [])

    def start(self, opening: Sequence[Moves] = ()) -> list[AnyEvent]:
        """The start of the game, with these moves, and the chance moves that follow."""
        state, made = self._start, list[AnyEvent]([events.StartedEvent()])
        for move in opening:
            actions = {seat: self.game.read(text) for seat, text in sorted(move.items())}
            made += [
                events.ActedEvent(seat, self.game.write(action), _actor(self.holders, seat))
                for seat, action in actions.items()
            ]
            state = self.game.apply(state, actions)
        return [*made, *self._chance_moves(state, self.version + len(made))]

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
        """Checked actions of one or more seats, and the chance moves that follow."""
        new: list[AnyEvent] = []
        for seat, action in actions.items():
            text = self.game.write(action)
            self._last_read = text, action
            new.append(events.ActedEvent(seat, text, by, id=id))
        together = {**self.pending, **actions}
        if set(together) == set(self.to_move):
            new += [
                events.WithdrawnEvent(proposer, what, proposer)
                for what, proposer in self.offers
                if what == "undo"
            ]
            after = self._apply(self.state, together)
            new += self._chance_moves(after, self.version + len(new))
        return new

    def read(self, seat: Seat, text: str) -> Any:
        """The action that `seat` may play now, or a refusal."""
        self._require_playing()
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
        self._require_playing()
        return [events.ForfeitedEvent(seat, reason, detail, id=id)]

    def claim(self, seat: Seat, absent: Seat, id: str | None) -> list[AnyEvent]:
        """The win over a seat whose player has left."""
        self._require_playing()
        detail = "left the game and did not come back"
        return [events.ForfeitedEvent(absent, "absent", detail, seat, id=id)]

    def undo(self, seat: Seat, id: str | None) -> list[AnyEvent]:
        """Take back at once where no other person plays; else propose it, or accept their offer."""
        self._require_playing()
        count = self.undo_count(seat)
        if not count:
            why = "nothing to take back" if self.game.undoable else "what was seen can't be unseen"
            why = why if self.setup.puzzle is None else "a puzzle takes nothing back"
            raise Refusal("no_undo", f"{self.game.name}: {why}")
        if not self._other_people(seat):
            return [events.TakenBackEvent(seat, count, id=id)]
        if any(what == "undo" for what, _ in self._offers_to(seat)):
            return self.answer(seat, "undo", True, id)
        if ("undo", seat) in self.offers:
            return []
        return [events.OfferedEvent(seat, "undo", id=id)]

    def undo_count(self, seat: Seat) -> int:
        """How many moves to take back to the last decision of whoever holds the seat; 0: there is
        none. Whoever holds all seats (hotseat) takes back one move at a time."""
        if not self.game.undoable or self.setup.puzzle is not None:
            return 0
        token = self.holders[seat].token
        own = {seat} if token is None else set(self.seats_of(token))
        for count, move in enumerate(reversed(self.moves), 1):
            if own & set(move.actions):
                return count
        return 0

    def rematch(self, seat: Seat, id: str | None) -> list[AnyEvent] | None:
        """Propose a rematch; None when everybody has agreed and the new room can be created."""
        self._require_over()
        if self.next_room is not None:
            return []
        agreed = {self.holders[s].token for what, s in self.offers if what == "rematch"}
        if self.people() <= agreed | {self.holders[seat].token}:
            return None
        if self.holders[seat].token in agreed:
            return []
        return [events.OfferedEvent(seat, "rematch", id=id)]

    def allow_hints(self, seat: Seat, id: str | None) -> list[AnyEvent]:
        """Agree to engine help: it is on when all people who play have agreed."""
        if self.status == "over":
            raise Refusal("game_over", "the game is over: it can be analysed")
        if self.hints:
            return []
        mine = self.holders[seat].token
        agreed = {self.holders[s].token for what, s in self.offers if what == "hints"}
        if self.status == "playing" and self.people() <= agreed | {mine}:
            return [events.HintsAllowedEvent(seat, id=id)]
        return [] if mine in agreed else [events.OfferedEvent(seat, "hints", id=id)]

    def answer(self, seat: Seat, what: OfferKind, accept: bool, id: str | None) -> list[AnyEvent]:
        """Decline an offer, or accept an undo or hints; a rematch is accepted by `rematch`."""
        open_offers = [proposer for kind, proposer in self._offers_to(seat) if kind == what]
        if not open_offers:
            raise Refusal("no_offer", f"nobody offers seat {seat} {what} now")
        proposer = open_offers[0]
        if not accept:
            return [events.WithdrawnEvent(seat, what, proposer, id=id)]
        if what == "hints":
            return self.allow_hints(seat, id)
        return [events.TakenBackEvent(proposer, self.undo_count(proposer), seat, id=id)]

    # Events

    def apply_event(self, event: AnyEvent, ts: str) -> LogEntry:
        """Apply an event that is stored."""
        move: PlayedMove | None = None
        playing = self.status == "playing"
        match event:
            case events.SeatTakenEvent():
                self.holders[event.seat] = SeatHolder("person", event.name, event.token)
            case events.StartedEvent():
                self.started = ts
            case events.ActedEvent():
                move = self._apply_action(event, ts)
            case events.TakenBackEvent():
                del self.moves[len(self.moves) - event.count :]
                self.pending.clear()
                self.offers = [offer for offer in self.offers if offer[0] == "hints"]
                self.decision += 1
            case events.ForfeitedEvent():
                forfeit = RecordedForfeit(event.seat, event.reason, event.detail)
                self.forfeits = (*self.forfeits, forfeit)
            case events.OfferedEvent():
                self.offers.append((event.what, event.seat))
            case events.WithdrawnEvent():
                self.offers = [o for o in self.offers if o != (event.what, event.proposer)]
            case events.RematchedEvent():
                self.next_room = event.room
                self.offers.clear()
            case events.HintsAllowedEvent():
                self.hints_agreed = True
                self.offers = [offer for offer in self.offers if offer[0] != "hints"]
        ended = playing and self.status == "over"
        if ended:
            self.decision += 1
            self.offers.clear()
        entry = LogEntry(self.version + 1, event, ts, move, ended)
        self.log.append(entry)
        if isinstance(event, events.RequestedEvent) and event.id is not None:
            self._versions[_requester(event), event.id] = entry.version
        return entry

    def ending(self, new: Sequence[AnyEvent], ts: str) -> Ending | None:
        """The final result if these events would end the game, else None."""
        if self.status != "playing" or self._goes_on_after(new):
            return None
        trial = copy(self)
        trial.log, trial.moves = [], list(self.moves[-1:])
        trial.pending, trial.offers = dict(self.pending), list(self.offers)
        trial._versions = {}
        for event in new:
            trial.apply_event(event, ts)
        if trial.status != "over":
            return None
        moves = len(self.moves) + len(trial.moves) - len(self.moves[-1:])
        return Ending(self.names(), trial.returns, moves)

    def _goes_on_after(self, new: Sequence[AnyEvent]) -> bool:
        """Whether `new` is one plain action and the game goes on: most moves, without a trial."""
        if len(new) != 1 or not isinstance(new[0], events.ActedEvent):
            return False
        actions = {**self.pending, new[0].seat: self._read_back(new[0].action)}
        if set(actions) != set(self.to_move):
            return True
        return bool(self.game.to_move(self._apply(self.state, actions)))

    def _read_back(self, text: str) -> Any:
        """The action that `act_all` wrote; a move is read once, though it is tried and applied."""
        if self._last_read is None or self._last_read[0] != text:
            self._last_read = text, self.game.read(text)
        return self._last_read[1]

    def _apply_action(self, event: events.ActedEvent, ts: str) -> PlayedMove | None:
        self.pending[event.seat] = self._read_back(event.action)
        if event.left is not None:
            self.time_left[event.seat] = event.left
        if set(self.pending) != set(self.to_move):
            return None
        actions, before = dict(sorted(self.pending.items())), self.state
        self.pending.clear()
        after = self._apply(before, actions)
        move = PlayedMove(len(self.moves) + 1, actions, before, after, ts)
        self.moves.append(move)
        self.decision += 1
        return move

    def _apply(self, state: Any, actions: dict[Seat, Any]) -> Any:
        """The next state; a move is validated, tried and applied, but computed once."""
        if (
            self._last_apply is None
            or self._last_apply[0] is not state
            or self._last_apply[1] != actions
        ):
            self._last_apply = state, actions, self.game.apply(state, actions)
        return self._last_apply[2]

    def _chance_moves(self, state: Any, version: int) -> list[AnyEvent]:
        """The chance moves from `state` on, each drawn from the room's seed and its own version."""
        drawn: list[AnyEvent] = []
        while self.game.to_move(state) == (CHANCE,):
            seed = SeedSequence(self.setup.seed, spawn_key=(0, version + len(drawn)))
            action = self.game.draw(state, Generator(PCG64(seed)))
            drawn.append(events.ActedEvent(CHANCE, self.game.write(action), "nature"))
            state = self.game.apply(state, {CHANCE: action})
        return drawn

    def _other_people(self, seat: Seat) -> set[str]:
        """The token hashes of the other people in the room."""
        return self.people() - {self.holders[seat].token or ""}

    def _offers_to(self, seat: Seat) -> Sequence[tuple[OfferKind, Seat]]:
        mine = self.holders[seat].token
        return [offer for offer in self.offers if self.holders[offer[1]].token != mine]

    def _require_playing(self) -> None:
        if self.status == "waiting":
            raise Refusal("not_started", "the game begins when every seat is taken")
        if self.status == "over":
            raise Refusal("game_over", "the game is over")

    def _require_over(self) -> None:
        if self.status != "over":
            raise Refusal("game_running", "the game is not over yet")


def _actor(holders: Sequence[SeatHolder], seat: Seat) -> events.Actor:
    if seat == CHANCE:
        return "nature"
    return "agent" if holders[seat].kind == "agent" else "person"


def _requester(event: events.RequestedEvent) -> Seat:
    """The seat whose request led to the event: not always the one that it is about."""
    if isinstance(event, events.TakenBackEvent) and event.accepted is not None:
        return event.accepted
    if isinstance(event, events.ForfeitedEvent) and event.claimed is not None:
        return event.claimed
    return event.seat
