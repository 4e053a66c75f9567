"""The bodies of REST requests and of their answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .shapes import Json, Name, RoomInfo, Seconds, Shape, ViewPicture

Spec = Annotated[str, Field(min_length=1, max_length=200)]
Think = Annotated[float, Field(ge=0.05, le=10)]


class Chair(Shape):
    """Who shall sit in one seat of a new room."""

    kind: Literal["me", "open", "agent"]
    """`me`: whoever creates the room; twice for hotseat, never for agents against agents."""
    agent: Spec | None = None
    """The agent's spec, such as `search:depth=8`; None: the game's usual opponent."""


class NewRoom(Shape):
    """A room to be made."""

    game: Annotated[str, Field(max_length=40)]
    variant: Annotated[str, Field(max_length=40)] | None = None
    settings: Json = Field(default_factory=dict)
    """Settings beside the variant's, which they override."""
    seats: Annotated[list[Chair], Field(max_length=16)] | None = None
    """One for every seat; None: me against the usual opponent."""
    name: Name = ""
    """What to call the creator."""
    clock: Annotated[float, Field(ge=5, le=3600)] | Literal["none", "usual"] = "usual"
    """Seconds that people have for each decision."""
    think: Think = 1.0
    """Seconds that agents have for each decision."""
    pace: Annotated[float, Field(ge=0, le=10)] = 0.0
    """The least seconds between agents' moves, so that people can follow."""
    public: bool = True
    hints: bool | None = None
    """Whether seats may ask for hints while the game runs; None: unless two people play."""


class SeatHeld(Shape):
    """The key to seats of a room. Whoever knows the token, holds them."""

    room: str
    token: str | None
    """None: the creator watches and holds no seat."""
    seats: list[int]
    info: RoomInfo


class JoinRoom(Shape):
    """A wish to sit down."""

    name: Name = ""
    seat: Annotated[int, Field(ge=0, le=15)] | None = None
    """None: the first open seat."""


class CheckSettings(Shape):
    """Settings that may or may not be allowed."""

    variant: Annotated[str, Field(max_length=40)] | None = None
    settings: Json = Field(default_factory=dict)


class Checked(Shape):
    """Whether the settings are allowed, and what a game with them looks like at its start."""

    ok: bool
    problem: str | None
    """Why not, in words."""
    seats: int
    settings: Json
    """Every setting, defaults included."""
    scene: Json
    """What a picture needs beside the view, such as the map."""
    view: Any
    """The start as a spectator sees it; None if the settings are not allowed."""
    picture: ViewPicture | None


class MapChecked(Shape):
    """What is wrong with a map."""

    ok: bool
    problems: list[str]


class RecordText(Shape):
    """A record to be replayed, as its file holds it."""

    record: str


class AnalysisRequest(Shape):
    """A question about a position of a finished game, or of a record."""

    room: Annotated[str, Field(max_length=40)] | None = None
    record: str | None = None
    """Either a room or a record's text."""
    move: Annotated[int, Field(ge=0)]
    """The position after this many moves."""
    seat: Annotated[int, Field(ge=0, le=15)]
    """Whose view is judged; only what this seat knew then is used."""
    kind: Literal["hint", "insight"] = "insight"
    agent: Spec | None = None
    seconds: Seconds | None = None


class Analysis(Shape):
    """The answer: an action for a hint, values for an insight."""

    agent: str | None
    action: str | None
    insight: Json | None


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
    """One agent's place in a game with its default settings, from the arena's runs."""

    game: str
    agent: str
    elo: float | None
    """None where agents play alone: they are ranked by shots."""
    shots: float | None
    """The mean; fewer are better. None where agents meet each other."""
    low: float | None
    """The 95 % interval of `elo` or `shots`; None: without bound."""
    high: float | None
    games: int


class Health(Shape):
    """Whether the server and its database answer."""

    ok: bool
    version: str
    protocol: int
    rooms: int
    """Rooms in memory."""
    connections: int
    workers: int
    """Worker processes that are alive."""
