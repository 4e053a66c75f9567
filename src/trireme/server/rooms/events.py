"""What happens in a room and is kept: its database rows, from which the room is built again."""

from __future__ import annotations

from typing import Literal

import msgspec


class Event(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """One thing that happened; a room's version counts them."""


class Sat(Event, frozen=True, tag="sat"):
    """A person took an open seat; `token` is the hash of the secret that holds it."""

    seat: int
    name: str
    token: str


class Started(Event, frozen=True, tag="started"):
    """No seat is open any more."""


class Acted(Event, frozen=True, tag="acted"):
    """A seat's action was accepted; with those of all seats to move, it becomes a move."""

    seat: int
    action: str
    by: Literal["person", "agent", "clock", "nature"]
    id: str | None = None
    """The client's id of the message that asked for it, so that it is granted only once."""


class TookBack(Event, frozen=True, tag="took_back"):
    """The last moves were taken back, as `seat` wished and `accepted`, if anybody, agreed."""

    seat: int
    count: int
    id: str | None = None
    accepted: int | None = None


class Forfeited(Event, frozen=True, tag="forfeited"):
    """A seat ended the game: it resigned, ran out of time, or its agent failed."""

    seat: int
    reason: str
    detail: str
    id: str | None = None


class Offered(Event, frozen=True, tag="offered"):
    """A person proposes something."""

    seat: int
    what: Literal["undo", "rematch"]
    id: str | None = None


class Withdrawn(Event, frozen=True, tag="withdrawn"):
    """An offer of `proposer` is no longer open; `seat` declined it."""

    seat: int
    what: Literal["undo", "rematch"]
    proposer: int
    id: str | None = None


class Rematched(Event, frozen=True, tag="rematched"):
    """The game is played again in another room."""

    seat: int
    room: str
    id: str | None = None


AnyEvent = Sat | Started | Acted | TookBack | Forfeited | Offered | Withdrawn | Rematched


class Chair(msgspec.Struct, frozen=True):
    """One seat of a room: held by a token, by an agent, or open."""

    kind: Literal["person", "agent", "open"]
    name: str = ""
    """A person's name, or an agent's spec."""
    token: str | None = None


class Setup(msgspec.Struct, frozen=True):
    """A room as it was made."""

    room: str
    game: str
    variant: str | None
    settings: dict[str, object]
    chairs: tuple[Chair, ...]
    seed: int
    """Nature's; known to nobody before the game is over."""
    clock: float | None
    think: float
    pace: float
    public: bool
    hints: bool
    created: str


def encode(event: AnyEvent) -> str:
    """The event as its row holds it."""
    return msgspec.json.encode(event).decode()


def decode(text: str) -> AnyEvent:
    """The event in a row."""
    event: AnyEvent = msgspec.json.decode(text, type=AnyEvent)
    return event
