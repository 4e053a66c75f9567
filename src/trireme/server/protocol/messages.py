"""The messages of the socket: tagged by `type`, checked on arrival, the same in every game."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from .codes import Code
from .shapes import Happening, Json, Position, RoomInfo, Seconds, Shape

MessageId = Annotated[str, Field(min_length=1, max_length=64)]
"""The client's own id of a message, unique within the room: sent again, it does nothing twice."""
Seat = Annotated[int, Field(ge=0, le=15)]
ActionText = Annotated[str, Field(max_length=2000)]


class Hello(Shape):
    """The first message of every connection."""

    type: Literal["hello"] = "hello"
    protocol: int
    token: Annotated[str, Field(max_length=100)] | None = None
    """The secret that holds the client's seats; None: a spectator."""
    since: Annotated[int, Field(ge=0)] | None = None
    """The last version that the client has seen; what happened since comes with the welcome."""


class Act(Shape):
    """An action for a seat, as text; where seats move together it is locked in."""

    type: Literal["act"] = "act"
    id: MessageId
    seat: Seat
    action: ActionText
    moves: Annotated[int, Field(ge=0)] | None = None
    """The `moves` of the position that the action is meant for; refused as `stale` in others."""


class Draft(Shape):
    """What counts if the clock ends before the seat acts; None clears it."""

    type: Literal["draft"] = "draft"
    id: MessageId
    seat: Seat
    action: ActionText | None


class Undo(Shape):
    """Take back the seat's last decision: at once, or as an offer where another person plays."""

    type: Literal["undo"] = "undo"
    id: MessageId
    seat: Seat


class Resign(Shape):
    """Give the game up."""

    type: Literal["resign"] = "resign"
    id: MessageId
    seat: Seat


class Rematch(Shape):
    """Play again with sides swapped: at once, or as an offer where another person plays."""

    type: Literal["rematch"] = "rematch"
    id: MessageId
    seat: Seat


class Answer(Shape):
    """Accept or decline the offer of another person."""

    type: Literal["answer"] = "answer"
    id: MessageId
    seat: Seat
    kind: Literal["undo", "rematch"]
    accept: bool


class HintRequest(Shape):
    """What would an agent do in this seat now?"""

    type: Literal["hint"] = "hint"
    id: MessageId
    seat: Seat
    agent: Annotated[str, Field(max_length=200)] | None = None
    """An agent spec; None: the game's usual opponent."""
    seconds: Seconds | None = None


class InsightRequest(Shape):
    """What can be known from this seat's view: probabilities, values, mixtures."""

    type: Literal["insight"] = "insight"
    id: MessageId
    seat: Seat
    seconds: Seconds | None = None


class PreviewRequest(Shape):
    """Would this action be allowed, and what would it do, as far as this seat can know?"""

    type: Literal["preview"] = "preview"
    id: MessageId
    seat: Seat
    action: ActionText | None
    """None: a legal action drawn at random, such as a fleet."""
    others: Annotated[dict[Seat, ActionText], Field(default_factory=dict)]
    """What the seats that move together with this one are guessed to do."""


class Sync(Shape):
    """The client has found a gap: send the position, and what happened since this version."""

    type: Literal["sync"] = "sync"
    id: MessageId
    since: Annotated[int, Field(ge=0)]


class Ping(Shape):
    """Is anybody there?"""

    type: Literal["ping"] = "ping"
    id: MessageId


ClientMessage = Annotated[
    Hello
    | Act
    | Draft
    | Undo
    | Resign
    | Rematch
    | Answer
    | HintRequest
    | InsightRequest
    | PreviewRequest
    | Sync
    | Ping,
    Field(discriminator="type"),
]
CLIENT: TypeAdapter[Any] = TypeAdapter(ClientMessage)


class Welcome(Shape):
    """The answer to `hello`."""

    type: Literal["welcome"] = "welcome"
    protocol: int
    room: RoomInfo
    scene: Json
    """What stands still all game long and a picture needs, such as the map."""
    seats: list[int]
    """The seats that the token holds."""
    position: Position
    happened: list[Happening]
    """All that happened after the client's `since`; everything where it sent none."""


class Update(Shape):
    """Something happened; the position is whole."""

    type: Literal["update"] = "update"
    since: int
    """The version before: a client whose last version is another has missed something."""
    happened: list[Happening]
    position: Position


class RoomChanged(Shape):
    """Somebody came, went or sat down."""

    type: Literal["room"] = "room"
    room: RoomInfo


class Ack(Shape):
    """The message with this id is granted, and what it did is in the database."""

    type: Literal["ack"] = "ack"
    id: str
    version: int


class Error(Shape):
    """The message with this id is refused; None: it had no id that could be read."""

    type: Literal["error"] = "error"
    id: str | None
    code: Code
    message: str


class Hint(Shape):
    """What the agent would do."""

    type: Literal["hint"] = "hint"
    id: str
    seat: int
    moves: int
    """The position that it was computed for."""
    agent: str
    action: str


class Insight(Shape):
    """What the game's insight found; docs/web-protocol.md has its shape for each game."""

    type: Literal["insight"] = "insight"
    id: str
    seat: int
    moves: int
    insight: Json


class Preview(Shape):
    """What the action would do; docs/web-protocol.md has the outcome's shape for each game."""

    type: Literal["preview"] = "preview"
    id: str
    seat: int
    moves: int
    action: str
    drawn: bool
    """Whether the action was drawn at random."""
    problem: str | None
    """Why the action is not allowed, in words."""
    outcome: Json | None
    """What the action would do, where the game can say without giving anything away."""


class Pong(Shape):
    """Yes."""

    type: Literal["pong"] = "pong"
    id: str


ServerMessage = Annotated[
    Welcome | Update | RoomChanged | Ack | Error | Hint | Insight | Preview | Pong,
    Field(discriminator="type"),
]
