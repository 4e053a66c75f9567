"""WebSocket messages: tagged by `type`, validated on arrival, the same in every game."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from .codes import Code, Refusal
from .shapes import (
    AgentSpec,
    ClockState,
    Json,
    OfferKind,
    RoomEvent,
    RoomInfo,
    RoomPosition,
    Seconds,
    Shape,
)

SeatNumber = Annotated[int, Field(ge=0, le=15)]
ActionText = Annotated[str, Field(max_length=2000)]
Version = Annotated[int, Field(ge=0)]


class Hello(Shape):
    """The first message of every connection."""

    type: Literal["hello"] = "hello"
    protocol: int
    token: Annotated[str, Field(max_length=100)] | None = None
    """The secret that holds the client's seats; None: a spectator."""
    since: Version | None = None
    """The last version that the client has seen; the welcome brings the events after it."""


class ClientRequest(Shape):
    """What every message after `hello` carries."""

    id: Annotated[str, Field(min_length=1, max_length=64)]
    """The idempotency key, chosen by the client and unique within the room: a message that is sent
    again has no second effect."""


class SeatRequest(ClientRequest):
    """A message on behalf of one of the client's seats."""

    seat: SeatNumber


class Act(SeatRequest):
    """Play an action, as text; where seats move together it is locked in."""

    type: Literal["act"] = "act"
    action: ActionText
    moves: Annotated[int, Field(ge=0)] | None = None
    """`moves` of the position that the action is meant for (optimistic concurrency): refused as
    `stale` if the game has moved on."""


class Draft(SeatRequest):
    """What is played if the clock runs out before the seat acts; None clears it."""

    type: Literal["draft"] = "draft"
    action: ActionText | None


class Undo(SeatRequest):
    """Take back the seat's last decision: at once, or as an offer where another person plays."""

    type: Literal["undo"] = "undo"


class Resign(SeatRequest):
    """Give up the game."""

    type: Literal["resign"] = "resign"


class Claim(SeatRequest):
    """Claim the win because another person has left the game and not come back."""

    type: Literal["claim"] = "claim"


class Shown(SeatRequest):
    """The client has shown the last move, or its user skipped it: the clock may start."""

    type: Literal["shown"] = "shown"
    moves: Annotated[int, Field(ge=0)]
    """`moves` of the position that was shown."""


class Rematch(SeatRequest):
    """Play again with sides swapped: at once, or as an offer where another person plays."""

    type: Literal["rematch"] = "rematch"


class AllowHints(SeatRequest):
    """Agree to engine help for everybody: an offer, until all people who play have agreed."""

    type: Literal["allow_hints"] = "allow_hints"


class Answer(SeatRequest):
    """Accept or decline another person's offer."""

    type: Literal["answer"] = "answer"
    kind: OfferKind
    accept: bool


class HintRequest(SeatRequest):
    """Ask what an agent would play in this seat now."""

    type: Literal["hint"] = "hint"
    agent: AgentSpec | None = None
    """An agent spec; None: the game's default opponent."""
    seconds: Seconds | None = None


class InsightRequest(SeatRequest):
    """Ask what can be inferred from this seat's view: probabilities, values, mixed strategies."""

    type: Literal["insight"] = "insight"
    seconds: Seconds | None = None


class PreviewRequest(SeatRequest):
    """Ask whether an action would be legal, and what it would do as far as this seat can know."""

    type: Literal["preview"] = "preview"
    action: ActionText | None
    """None: a legal action drawn at random, such as a fleet."""
    others: Annotated[dict[SeatNumber, ActionText], Field(default_factory=dict)]
    """Assumed actions of the seats that move together with this one."""


class Sync(ClientRequest):
    """Ask for the position and the events after this version, because the client found a gap."""

    type: Literal["sync"] = "sync"
    since: Version


class Ping(ClientRequest):
    """A heartbeat; answered by `pong`."""

    type: Literal["ping"] = "ping"


ClientMessage = Annotated[
    Hello
    | Act
    | Draft
    | Undo
    | Resign
    | Claim
    | Shown
    | Rematch
    | AllowHints
    | Answer
    | HintRequest
    | InsightRequest
    | PreviewRequest
    | Sync
    | Ping,
    Field(discriminator="type"),
]
CLIENT: TypeAdapter[Any] = TypeAdapter(ClientMessage)


def parse_message(text: str) -> Any:
    """The client's message in `text`, or a refusal that names the first field that is wrong."""
    try:
        return CLIENT.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            raise Refusal("bad_json", f"{first['msg']}; got {text[:60]!r}") from None
        field = ".".join(str(part) for part in first["loc"])
        raise Refusal("bad_message", f"{field or 'message'}: {first['msg']}") from None


class Welcome(Shape):
    """The response to `hello` and `sync`."""

    type: Literal["welcome"] = "welcome"
    protocol: int
    room: RoomInfo
    scene: Json
    """What does not change during the game and is needed to draw it, such as the map."""
    seats: list[int]
    """The seats that the token holds."""
    position: RoomPosition
    events: list[RoomEvent]
    """The events after the client's `since`; all of them where it sent none."""


class Update(Shape):
    """New events, and the complete position after them."""

    type: Literal["update"] = "update"
    since: int
    """The version before: a client that has another version has missed an update."""
    events: list[RoomEvent]
    position: RoomPosition


class RoomChanged(Shape):
    """Somebody connected, disconnected or took a seat."""

    type: Literal["room"] = "room"
    room: RoomInfo


class ClockChanged(Shape):
    """The clock started without a move: the last one has been shown."""

    type: Literal["clock"] = "clock"
    clock: ClockState | None


class Preparing(Shape):
    """An agent is being prepared for its first move: its kernels are being compiled."""

    type: Literal["preparing"] = "preparing"
    seat: int
    compiled: int
    """Kernels compiled so far; 0 when it is ready."""


class Queued(Shape):
    """An agent waits for a worker: other games' agents go before it."""

    type: Literal["queued"] = "queued"
    seat: int
    place: int
    """Its place in the queue, from 1; 0: it thinks now."""


class ServerStatus(Shape):
    """Whether the server can store moves; sent when that changes, and after `welcome` if not."""

    type: Literal["status"] = "status"
    read_only: bool
    """True: no move can be stored, such as when the disk is full; games wait."""


class Response(Shape):
    """What every response to one request carries."""

    id: str
    """The request's id."""


class SeatResponse(Response):
    """The response to a question about one seat's position."""

    seat: int
    moves: int
    """`moves` of the position that the response is computed for."""


class Ack(Response):
    """The request is accepted, and its events are in the database."""

    type: Literal["ack"] = "ack"
    version: int


class Error(Shape):
    """The request is refused."""

    type: Literal["error"] = "error"
    id: str | None
    """None: the request had no id that could be read."""
    code: Code
    message: str
    retry_after: int | None = None
    """Seconds after which the same request may be accepted; None: at once, or never."""


class HintResponse(SeatResponse):
    """What the agent would play."""

    type: Literal["hint"] = "hint"
    agent: str
    action: str


class InsightResponse(SeatResponse):
    """The game's analysis; docs/web-protocol.md has its shape for each game."""

    type: Literal["insight"] = "insight"
    insight: Json


class PreviewResponse(SeatResponse):
    """What the action would do; docs/web-protocol.md has the outcome's shape for each game."""

    type: Literal["preview"] = "preview"
    action: str
    drawn: bool
    """Whether the action was drawn at random."""
    problem: str | None
    """Why the action is not legal, as a sentence."""
    outcome: Json | None
    """The effect of the action, where the game can show it without revealing hidden state."""


class Pong(Response):
    """The response to `ping`."""

    type: Literal["pong"] = "pong"


ServerMessage = Annotated[
    Welcome
    | Update
    | RoomChanged
    | ClockChanged
    | Preparing
    | Queued
    | ServerStatus
    | Ack
    | Error
    | HintResponse
    | InsightResponse
    | PreviewResponse
    | Pong,
    Field(discriminator="type"),
]
