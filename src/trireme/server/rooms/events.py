"""Event sourcing: the events of a room, one database row each, from which its state is rebuilt.

Tags and field names are what existing databases hold: they never change, whatever the class is
called.
"""

from __future__ import annotations

from typing import Literal

import msgspec

OfferKind = Literal["undo", "rematch", "hints"]
Actor = Literal["person", "agent", "clock", "nature"]


class StoredEvent(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """One entry of a room's append-only event log; the room's version counts them."""


class SeatEvent(StoredEvent, frozen=True):
    """An event of one seat."""

    seat: int


class RequestedEvent(SeatEvent, frozen=True, kw_only=True):
    """An event that a client may have requested."""

    id: str | None = None
    """The request's idempotency key; None: an agent, the clock or chance acted."""


class SeatTakenEvent(SeatEvent, frozen=True, tag="sat"):
    """A person took an open seat; `token` is the hash of the secret that holds it."""

    name: str
    token: str


class StartedEvent(StoredEvent, frozen=True, tag="started"):
    """All seats are taken and the game begins."""


class ActedEvent(RequestedEvent, frozen=True, tag="acted"):
    """A seat's action was accepted; together with those of all seats to move it becomes a move."""

    action: str
    by: Actor
    left: float | None = None
    """Seconds left on the seat's clock for the whole game, after this move; None: it has none."""


class TakenBackEvent(RequestedEvent, frozen=True, tag="took_back"):
    """The last `count` moves were taken back at `seat`'s request; `accepted`: who agreed to it."""

    count: int
    accepted: int | None = None


class ForfeitedEvent(RequestedEvent, frozen=True, tag="forfeited"):
    """A seat lost by resigning, by running out of time, by leaving, or by its agent's failure."""

    reason: str
    detail: str
    claimed: int | None = None
    """The seat that claimed the win, where this one had left."""


class OfferedEvent(RequestedEvent, frozen=True, tag="offered"):
    """A person proposes an undo, a rematch, or engine help for everybody."""

    what: OfferKind


class WithdrawnEvent(RequestedEvent, frozen=True, tag="withdrawn"):
    """`proposer`'s offer is closed: `seat` declined it, or a move cancelled it."""

    what: OfferKind
    proposer: int


class RematchedEvent(RequestedEvent, frozen=True, tag="rematched"):
    """The rematch was created in another room."""

    room: str


class HintsAllowedEvent(RequestedEvent, frozen=True, tag="hints"):
    """All people who play have agreed on engine help; `seat` was the last to agree."""


AnyEvent = (
    SeatTakenEvent
    | StartedEvent
    | ActedEvent
    | TakenBackEvent
    | ForfeitedEvent
    | OfferedEvent
    | WithdrawnEvent
    | RematchedEvent
    | HintsAllowedEvent
)


class SeatHolder(msgspec.Struct, frozen=True):
    """Who holds one seat of a room: a person with a token, an agent, or nobody yet."""

    kind: Literal["person", "agent", "open"]
    name: str = ""
    """A person's name, or an agent's spec."""
    token: str | None = None
    """The hash of the person's token."""


class RoomSetup(msgspec.Struct, frozen=True, omit_defaults=True):
    """A room as it was created."""

    room: str
    game: str
    variant: str | None
    settings: dict[str, object]
    holders: tuple[SeatHolder, ...] = msgspec.field(name="chairs")
    seed: int
    """Of chance moves; secret until the game is over."""
    clock: float | None
    """Seconds that people have for a decision, or with `increment` for the game; None: no clock."""
    think: float
    """Seconds that agents have for a decision."""
    pace: float
    """Minimum seconds between agents' moves."""
    public: bool
    hints: bool
    created: str
    increment: float | None = None
    """Seconds added to a person's clock after each move; None: the clock is for each decision."""
    lesson: str | None = None
    """The id of the lesson that is taken here; None: a game like any other."""
    puzzle: str | None = None
    """The id of the puzzle that is solved here; None: a game like any other."""


def encode(event: AnyEvent) -> str:
    """The event as JSON, as its row holds it."""
    return msgspec.json.encode(event).decode()


def decode(text: str) -> AnyEvent:
    """The event in a row."""
    event: AnyEvent = msgspec.json.decode(text, type=AnyEvent)
    return event
