"""Bodies of REST requests and responses."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .review_shapes import ReviewInfo
from .shapes import AgentSpec, Json, Name, RoomInfo, Seconds, Shape, ViewPicture

Think = Annotated[float, Field(ge=0.05, le=10)]


class SeatChoice(Shape):
    """Who plays one seat of a new room."""

    kind: Literal["me", "open", "agent"]
    """`me`: the room's creator; twice for hotseat, never for agents against agents."""
    agent: AgentSpec | None = None
    """The agent's spec, such as `search:depth=8`; None: the game's default opponent."""


class TryAgain(Shape):
    """A position of a finished game or of a record, to be played on from."""

    room: Annotated[str, Field(max_length=40)] | None = None
    record: str | None = None
    """The text of a record; either this or `room` is given."""
    move: Annotated[int, Field(ge=0)]
    """The position after this many moves."""
    seat: Annotated[int, Field(ge=0, le=15)]
    """The seat that the creator plays."""


class NewRoom(Shape):
    """The body of `POST /api/rooms`."""

    game: Annotated[str, Field(max_length=40)]
    variant: Annotated[str, Field(max_length=40)] | None = None
    settings: Json = Field(default_factory=dict)
    """Settings that override the variant's."""
    seats: Annotated[list[SeatChoice], Field(max_length=16)] | None = None
    """One for every seat; None: `me` against the default opponent."""
    name: Name = ""
    """The creator's display name."""
    clock: Annotated[float, Field(ge=5, le=10_800)] | Literal["none", "usual"] = "usual"
    """Seconds that people have for each decision; `usual`: the game's default."""
    increment: Annotated[float, Field(ge=0, le=600)] | None = None
    """If given, `clock` is each person's time for the whole game, and this many seconds are added
    after each move."""
    think: Think = 1.0
    """Seconds that agents have for each decision."""
    pace: Annotated[float, Field(ge=0, le=10)] = 0.0
    """Minimum seconds between agents' moves, so that people can follow."""
    public: bool = True
    lesson: Annotated[str, Field(max_length=40)] | None = None
    """The id of a lesson of the game: it sets the position, the opponent and the goal, and the
    fields above are ignored."""
    puzzle: Annotated[str, Field(max_length=40)] | None = None
    """The id of a puzzle of the game: as a lesson, but without hints and undo."""
    again: TryAgain | None = None
    """A position to play on from, against the same agents: it sets the settings and the seats, and
    nobody watches."""
    hints: bool | None = None
    """Whether hints are allowed while the game runs; None: unless two people play."""


class SeatGrant(Shape):
    """The token that holds seats of a room: whoever has it plays them."""

    room: str
    token: str | None
    """None: the creator is a spectator."""
    seats: list[int]
    info: RoomInfo


class JoinRoom(Shape):
    """The body of `POST /api/rooms/{room}/join`."""

    name: Name = ""
    seat: Annotated[int, Field(ge=0, le=15)] | None = None
    """None: the first open seat."""
    key: Annotated[str, Field(min_length=22, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")] | None = (
        None
    )
    """The idempotency key: a random secret of the client's, which becomes the seat's token. Whoever
    joins again with it gets the same seat; None: the server draws a token."""


class Invitation(Shape):
    """A room's link for people on other machines."""

    link: str | None
    """None: the server accepts connections from this machine only."""
    qr: list[str]
    """The link as a QR code: rows of `0` and `1`, empty without a link."""


class CheckSettings(Shape):
    """Settings to be validated."""

    variant: Annotated[str, Field(max_length=40)] | None = None
    settings: Json = Field(default_factory=dict)


class SettingsChecked(Shape):
    """Whether the settings are valid, and the start of a game with them."""

    ok: bool
    problem: str | None
    """Why not, as a sentence."""
    seats: int
    settings: Json
    """Every setting, defaults included."""
    scene: Json
    """What a drawing needs beside the view, such as the map."""
    view: Any
    """The start as a spectator sees it; None if the settings are not valid."""
    picture: ViewPicture | None


class MapChecked(Shape):
    """Everything that is wrong with a map, a sentence each."""

    ok: bool
    problems: list[str]


class RecordText(Shape):
    """The text of a record file."""

    record: str


class RecordVerified(Shape):
    """Whether this server recorded a game."""

    verified: bool | None
    """True: its signature fits. False: the record was changed, or comes from another server. None:
    it has no signature."""


class AnalysisRequest(Shape):
    """A hint or insight request for a position of a finished game or of a record."""

    room: Annotated[str, Field(max_length=40)] | None = None
    record: str | None = None
    """The text of a record; either this or `room` is given."""
    move: Annotated[int, Field(ge=0)]
    """The position after this many moves."""
    seat: Annotated[int, Field(ge=0, le=15)]
    """The seat whose view is analysed: nothing else is used."""
    kind: Literal["hint", "insight"] = "insight"
    agent: AgentSpec | None = None
    seconds: Seconds | None = None


class AnalysisResponse(Shape):
    """An action for a hint, the game's analysis for an insight."""

    agent: str | None
    action: str | None
    insight: Json | None


class ReviewRequest(Shape):
    """A request to review a game."""

    room: Annotated[str, Field(max_length=40)] | None = None
    record: str | None = None
    """The text of a record; either this or `room` is given."""
    seat: Annotated[int, Field(ge=0, le=15)] | None = None
    """Only this seat's decisions; None: all, or of a running game one's own."""


class ReviewProgress(Shape):
    """How far a review is."""

    id: str
    """To ask for it again: `GET /api/reviews/{id}`."""
    done: int
    total: int
    """Decisions reviewed, and how many there are."""
    problem: str | None
    """Why it failed, as a sentence."""
    review: ReviewInfo | None
    """None until it is done."""


class RecentGame(Shape):
    """A finished game."""

    room: str
    game: str
    variant: str | None
    seats: list[str]
    returns: list[float]
    moves: int
    ended: str


class Rating(Shape):
    """One agent's rating in a game with its default settings, from the arena's runs."""

    game: str
    agent: str
    elo: float | None
    """None in single-player games, which are ranked by shots."""
    shots: float | None
    """The mean number of shots; fewer are better. None in games of two players."""
    low: float | None
    """Bounds of the 95 % interval of `elo` or `shots`; None: unbounded."""
    high: float | None
    games: int


class Preparation(Shape):
    """A game whose usual opponents are still being compiled, in `GET /api/preparation`."""

    game: str
    compiled: int
    """Kernels compiled so far."""
    expected: int
    """About as many as will be compiled."""
    agents: list[str]
    """Specs of the opponents that are not ready yet."""


class Health(Shape):
    """The body of `GET /healthz`."""

    ok: bool
    """Whether the database can be written; the status is 503 if not."""
    read_only: bool
    """Whether nothing can be stored, such as when the disk is full."""
    version: str
    protocol: int
    rooms: int
    """Rooms in memory."""
    connections: int
    workers: int
    """Live worker processes."""
