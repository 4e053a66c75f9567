"""The JSON shapes that REST and sockets share: games, rooms, positions, replays."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

PROTOCOL = 1
"""The version of the messages; a client that speaks another one is told so."""

Json = dict[str, Any]
SeatKind = Literal["person", "agent", "open"]
Status = Literal["waiting", "playing", "over"]


def _clean(name: str) -> str:
    """A name without line breaks, control characters and marks that turn the text around."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


Name = Annotated[str, Field(max_length=40), AfterValidator(_clean)]
Seconds = Annotated[float, Field(ge=0.05, le=3600)]


class Shape(BaseModel):
    """The base of everything that goes over the wire: no unknown fields, no silent conversions."""

    model_config = ConfigDict(
        extra="forbid", strict=True, use_attribute_docstrings=True, ser_json_inf_nan="null"
    )


class OptionInfo(Shape):
    """One setting of a game or option of an agent, enough to draw a form for it."""

    name: str
    type: str
    """The type as a person reads it, such as `standard | freestyle`."""
    default: Any
    help: str
    value_schema: Json
    """The JSON Schema of the value."""


class AgentInfo(Shape):
    """An agent that a room may seat."""

    name: str
    summary: str
    options: list[OptionInfo]
    """Those that a room may set, as `name:option=value,…`."""


class GameInfo(Shape):
    """One game: what it is, what can be set, who plays it."""

    name: str
    summary: str
    seats: int
    """Of the default settings."""
    settings: list[OptionInfo]
    variants: dict[str, Json]
    """Named choices of settings; those not named have their defaults."""
    versus: str | None
    """The variant that seats two players, where the default seats one."""
    agents: list[AgentInfo]
    """Weakest first."""
    opponent: str
    """The agent spec that a player meets unless another is asked for."""
    clock: float | None
    """Seconds that people have for a decision by default; None: no clock."""
    undoable: bool
    insight: bool
    """Whether `insight` has more to say than a hint."""
    typing: str
    """How an action is written."""
    maps: bool
    """Whether the game is played on maps that can be drawn and checked."""


class SeatInfo(Shape):
    """Who sits where."""

    seat: int
    kind: SeatKind
    name: str
    """A person's name or an agent's spec; empty while the seat is open."""
    online: bool
    """Whether the person who holds it is connected; true for agents."""


class RoomInfo(Shape):
    """A room as anybody may know it."""

    room: str
    game: str
    variant: str | None
    settings: Json
    """Every setting, defaults included."""
    seats: list[SeatInfo]
    status: Status
    clock: float | None
    """Seconds that people have for a decision; None: no clock."""
    think: float
    """Seconds that agents have for a decision."""
    hints: bool
    """Whether seats may ask for hints and insight while the game runs."""
    public: bool
    """Whether the room is in the lists of open rooms and recent games."""
    created: str
    """ISO 8601, UTC."""
    moves: int
    spectators: int


class BoardCell(Shape):
    """One cell of a board."""

    piece: int | None
    """The seat whose piece lies here."""
    symbol: str
    marked: bool
    label: str
    """What a screen reader says of the content."""


class BoardPicture(Shape):
    """A view as a grid, row 0 at the top."""

    cells: list[list[BoardCell]]
    actions: dict[str, list[tuple[int, int]]]
    """The cells `(row, col)` to click for an action, by its text."""
    row_labels: list[str]
    col_labels: list[str]


class ViewPicture(Shape):
    """A view as the generic page draws it, for games that the web client has no page for."""

    text: str
    """As in a terminal."""
    board: BoardPicture | None
    """None where the game has no board."""


class SeatState(Shape):
    """What one seat may know and do now."""

    view: Any
    """The game's view of this seat; its shape is the game's (`views` of the schema)."""
    picture: ViewPicture | None
    to_move: bool
    """Whether this seat is asked for an action that it has not sent yet."""
    legal: list[str] | None
    """All legal actions as text; None when they are too many to list or it is not its turn."""
    draft: str | None
    """The draft that counts when the clock ends."""
    locked: str | None
    """The action that this seat has sent where others, moving together with it, have not."""
    can_undo: bool
    """Whether `undo` makes sense now: at once, or as an offer to the other person."""


class ClockState(Shape):
    """The running clock, which is the server's."""

    seconds: float
    """The whole time of the decision."""
    left: float
    """Seconds left when the message was sent."""


class ForfeitInfo(Shape):
    """A seat that ended the game without being beaten."""

    seat: int
    reason: str
    """`resigned`, `time`, `illegal`, `exception` or `process`."""
    detail: str


class Result(Shape):
    """How the game ended."""

    returns: list[float]
    winners: list[int]
    """Seats with the best return; all of them in a draw; empty where one seat plays alone."""
    forfeits: list[ForfeitInfo]


class Offer(Shape):
    """Something that one person proposes and the others may accept."""

    kind: Literal["undo", "rematch"]
    seat: int
    """Who proposes."""


class Position(Shape):
    """A room's present, as one client may know it: whole, so that one message is enough."""

    version: int
    status: Status
    moves: int
    """Moves that stand, nature's included."""
    to_move: list[int]
    """Seats that the rules ask; empty before the start and after the end."""
    ready: list[int]
    """Those of them that have sent their action and wait for the others."""
    seat_names: list[str]
    """What players call the seats now, such as `black`."""
    seats: dict[int, SeatState]
    """By seat, for the seats that the client holds."""
    spectator: Any
    """The view of somebody who holds no seat; None for a client that holds one."""
    picture: ViewPicture | None
    """The same as a picture, for games that the web client has no page for."""
    clock: ClockState | None
    offers: list[Offer]
    result: Result | None


class Deed(Shape):
    """One seat's action in a move."""

    seat: int
    """-1 is nature."""
    name: str
    action: str | None
    """None: hidden from this viewer until the game is over."""


class Moved(Shape):
    """A move was made: by one seat, by several together, or by nature."""

    kind: Literal["moved"] = "moved"
    move: int
    """Counted from 1."""
    deeds: list[Deed]
    story: list[str]
    """What happened, as sentences."""
    ts: str


class Sat(Shape):
    """A person took a seat."""

    kind: Literal["sat"] = "sat"
    seat: int
    name: str


class Started(Shape):
    """All seats are taken, the game begins."""

    kind: Literal["started"] = "started"


class Ready(Shape):
    """A seat has sent its action, and waits for those that move together with it."""

    kind: Literal["ready"] = "ready"
    seat: int


class TakenBack(Shape):
    """Moves were taken back."""

    kind: Literal["taken_back"] = "taken_back"
    seat: int
    """Who asked for it."""
    count: int


class Offered(Shape):
    """A person proposes an undo or a rematch."""

    kind: Literal["offered"] = "offered"
    offer: Offer


class Withdrawn(Shape):
    """An offer was declined, or made pointless by a move."""

    kind: Literal["withdrawn"] = "withdrawn"
    offer: Offer
    seat: int
    """Who declined it; the proposer where a move made it pointless."""


class Ended(Shape):
    """The game is over."""

    kind: Literal["ended"] = "ended"
    result: Result


class Rematched(Shape):
    """A new room, in which the same tokens hold the seats; sides are swapped."""

    kind: Literal["rematched"] = "rematched"
    room: str


Happening = Annotated[
    Moved | Sat | Started | Ready | TakenBack | Offered | Withdrawn | Ended | Rematched,
    Field(discriminator="kind"),
]


class Frame(Shape):
    """One position of a replay, and the move that led to it."""

    move: int
    """0 is the start."""
    moved: Moved | None
    to_move: list[int]
    seat_names: list[str]
    views: dict[str, Any]
    """By seat (`"0"`) and `"spectator"`: every view that the asker may see."""
    pictures: dict[str, ViewPicture]
    """The same as pictures, for games that the web client has no page for; else empty."""


class Replay(Shape):
    """A game from its start to its end, or to where it stands."""

    game: str
    settings: Json
    scene: Json
    """What stands still all game long and a picture needs (`scenes` of the schema)."""
    seats: list[str]
    """Names of the players."""
    room: str | None
    started: str
    frames: list[Frame]
    result: Result | None
    """None: the game runs, or was broken off."""


class Fault(Shape):
    """Why a request was refused."""

    code: str
    """One of the error codes of the protocol; stable."""
    message: str
