"""JSON shapes that REST and WebSocket share: games, rooms, positions, events, replays."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

PROTOCOL = 1
"""The protocol version; a client with another one is refused."""

Json = dict[str, Any]
SeatKind = Literal["person", "agent", "open"]
Status = Literal["waiting", "playing", "over"]
OfferKind = Literal["undo", "rematch", "hints"]


def _clean(name: str) -> str:
    """The name without line breaks, control characters and bidirectional overrides."""
    return " ".join("".join(c if c.isprintable() else " " for c in name).split())


Name = Annotated[str, Field(max_length=40), AfterValidator(_clean)]
AgentSpec = Annotated[str, Field(min_length=1, max_length=200)]
Seconds = Annotated[float, Field(ge=0.05, le=3600)]


class Shape(BaseModel):
    """The base of everything on the wire: no unknown fields, no type coercion."""

    model_config = ConfigDict(
        extra="forbid", strict=True, use_attribute_docstrings=True, ser_json_inf_nan="null"
    )


class OptionInfo(Shape):
    """One setting of a game or option of an agent, with all that a form needs."""

    name: str
    type: str
    """The type in readable form, such as `standard | freestyle`."""
    default: Any
    help: str
    value_schema: Json
    """The JSON Schema of the value."""


class AgentInfo(Shape):
    """An agent of a game."""

    name: str
    summary: str
    options: list[OptionInfo]
    """The options that a room may set, as `name:option=value,…`."""
    unavailable: str | None
    """Why a room can't seat it here, such as a missing package; None: it can."""


class OpponentInfo(Shape):
    """A named opponent: an agent of known strength."""

    name: str
    spec: str
    think: float
    """Seconds a move."""
    character: str
    emblem: str
    """The name of its drawing."""
    elo: int | None
    """Measured by the arena, on a scale where the game's weakest has 0; None: not measured."""
    low: int | None
    high: int | None
    """The 95 % interval of `elo`."""
    score: float | None
    """The share of points against the opponent below, from 0 to 1."""
    games: int
    unavailable: str | None
    """Why a room can't seat it here; None: it can."""


class LessonInfo(Shape):
    """A lesson of a game."""

    id: str
    title: str
    text: str
    """What to learn and what to do; `**bold**` is the only markup."""
    done: str
    """What to say when its goal is met."""


class PuzzleEntry(Shape):
    """A puzzle in a list."""

    id: str
    kind: str
    title: str
    rating: int
    """Its difficulty, on the scale of the solvers' Elo ratings."""


class PuzzleList(Shape):
    """The puzzles of a game."""

    day: str
    """The date of the daily puzzle, `YYYY-MM-DD`, UTC."""
    daily: str
    """The id of the daily puzzle."""
    puzzles: list[PuzzleEntry]
    """Easiest first."""


class PuzzleInfo(Shape):
    """The puzzle that a room holds."""

    id: str
    title: str
    text: str
    """What to do; `**bold**` is the only markup."""
    rating: int
    day: str | None
    """The date, where it was the daily puzzle when the room was created."""


class PuzzleState(Shape):
    """How an attempt at a puzzle stands."""

    state: Literal["open", "met", "missed"]
    note: str
    """The result in a sentence; empty while the puzzle is open, as are the fields below."""
    solution: list[str]
    """A solution: the actions of all seats in order."""
    share: str
    """The result as a few lines of text that do not tell the solution."""


class GameInfo(Shape):
    """A game with its settings, variants and agents."""

    name: str
    summary: str
    seats: int
    """The number of seats with the default settings."""
    settings: list[OptionInfo]
    variants: dict[str, Json]
    """Named sets of settings; settings that a variant leaves out have their defaults."""
    versus: str | None
    """The variant that seats two players, where the default seats one."""
    agents: list[AgentInfo]
    """Weakest first."""
    opponent: str
    """The spec of the default opponent."""
    opponents: list[OpponentInfo]
    """Named opponents, weakest first; empty where the game has none."""
    lessons: list[LessonInfo]
    """Lessons, in the order in which to take them."""
    puzzles: int
    """How many puzzles there are."""
    clock: float | None
    """Seconds that people have for a decision by default; None: no clock."""
    undoable: bool
    insight: bool
    """Whether the game answers `insight` requests."""
    typing: str
    """How an action is written, for help texts."""
    review: bool
    """Whether its games can be reviewed."""
    maps: bool
    """Whether the game is played on maps that can be drawn and checked."""


class SeatInfo(Shape):
    """Who holds a seat."""

    seat: int
    kind: SeatKind
    name: str
    """A person's name or an agent's spec; empty while the seat is open."""
    online: bool
    """Whether the person who holds it is connected; true for agents."""
    away: float | None
    """Seconds since that person was connected, when the message was sent; None: not away."""


class RoomInfo(Shape):
    """A room's public state."""

    room: str
    game: str
    variant: str | None
    settings: Json
    """Every setting, defaults included."""
    seats: list[SeatInfo]
    status: Status
    clock: float | None
    """Seconds that people have for a decision, or with `increment` for the game; None: no clock."""
    increment: float | None
    """Seconds added to a person's clock after each move; None: the clock is for each decision."""
    think: float
    """Seconds that agents have for a decision."""
    hints: bool
    """Whether hints and insight are allowed while the game runs."""
    public: bool
    """Whether the room is listed among open rooms and recent games."""
    lesson: str | None
    """The id of the lesson that is taken here; None: a game like any other."""
    puzzle: PuzzleInfo | None
    """The puzzle that is solved here; None: a game like any other."""
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
    """What one seat sees and may do now."""

    view: Any
    """The game's view of this seat; its shape is the game's (`views` of the schema)."""
    picture: ViewPicture | None
    to_move: bool
    """Whether an action of this seat is awaited."""
    legal: list[str] | None
    """All legal actions as text; None if there are too many to list or it is not its turn."""
    draft: str | None
    """The action that is played if the clock runs out."""
    locked: str | None
    """The action that this seat has locked in while seats that move together with it have not."""
    can_undo: bool
    """Whether `undo` is possible now: at once, or as an offer to the other person."""


class ClockState(Shape):
    """The clock of the people who are to move; the server measures it."""

    seconds: float
    """The total time for the decision, or with `increment` for the game."""
    increment: float | None
    """Seconds added after each move; None: the clock is for each decision."""
    left: float
    """Seconds left when the message was sent: of the seat to move that has the fewest."""
    running: bool
    """False while the last move is still being shown: the clock starts after it."""
    seats: dict[int, float]
    """Seconds left by seat; those of seats to move are running. With a clock for the whole game,
    all seats of people."""


class ForfeitInfo(Shape):
    """A seat that forfeited the game."""

    seat: int
    reason: str
    """`resigned`, `time`, `absent`, `illegal`, `exception` or `process`."""
    detail: str


class GameResult(Shape):
    """How the game ended."""

    returns: list[float]
    winners: list[int]
    """Seats with the best return; all of them in a draw; empty where one seat plays alone."""
    forfeits: list[ForfeitInfo]


class Offer(Shape):
    """A proposal that the other people in the room may accept."""

    kind: OfferKind
    seat: int
    """The proposer's seat."""


class RoomPosition(Shape):
    """A room's complete current position, as one client may see it."""

    version: int
    status: Status
    moves: int
    """Moves made and not taken back, chance moves included."""
    to_move: list[int]
    """Seats to move; empty before the start and after the end."""
    ready: list[int]
    """Seats to move that have locked in their action."""
    seat_names: list[str]
    """The seats' current names, such as `black`."""
    seats: dict[int, SeatState]
    """By seat, for the seats that the client holds."""
    spectator: Any
    """The spectator's view; None for a client that holds a seat."""
    picture: ViewPicture | None
    """The same as a picture, for games that the web client has no page for."""
    clock: ClockState | None
    offers: list[Offer]
    result: GameResult | None
    lesson: Literal["open", "met", "missed"] | None
    """Whether the lesson's goal is met or missed; None where no lesson is taken."""
    puzzle: PuzzleState | None
    """How the attempt at the room's puzzle stands; None where there is none."""


class SeatAction(Shape):
    """One seat's action in a move."""

    seat: int
    """-1: chance."""
    name: str
    action: str | None
    """None: hidden from this viewer until the game is over."""


class Moved(Shape):
    """A move was made: by one seat, by several together, or by chance."""

    kind: Literal["moved"] = "moved"
    move: int
    """Counted from 1."""
    actions: list[SeatAction]
    story: list[str]
    """The move's effects as sentences."""
    ts: str


class Sat(Shape):
    """A person took a seat."""

    kind: Literal["sat"] = "sat"
    seat: int
    name: str


class Started(Shape):
    """All seats are taken and the game begins."""

    kind: Literal["started"] = "started"


class Ready(Shape):
    """A seat has locked in its action; other seats that move together with it have not."""

    kind: Literal["ready"] = "ready"
    seat: int


class TakenBack(Shape):
    """Moves were taken back."""

    kind: Literal["taken_back"] = "taken_back"
    seat: int
    """The seat that asked for it."""
    count: int


class Offered(Shape):
    """A person proposes an undo, a rematch, or engine help for everybody."""

    kind: Literal["offered"] = "offered"
    offer: Offer


class Withdrawn(Shape):
    """An offer was declined, or cancelled by a move."""

    kind: Literal["withdrawn"] = "withdrawn"
    offer: Offer
    seat: int
    """The seat that declined it; the proposer where a move cancelled it."""


class Ended(Shape):
    """The game is over."""

    kind: Literal["ended"] = "ended"
    result: GameResult


class Rematched(Shape):
    """The rematch is in a new room: the same tokens hold the seats, sides swapped."""

    kind: Literal["rematched"] = "rematched"
    room: str


class HintsAllowed(Shape):
    """All people who play have agreed on engine help."""

    kind: Literal["hints_allowed"] = "hints_allowed"
    seat: int
    """The seat that agreed last."""


RoomEvent = Annotated[
    Moved
    | Sat
    | Started
    | Ready
    | TakenBack
    | Offered
    | Withdrawn
    | Ended
    | Rematched
    | HintsAllowed,
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
    """By seat (`"0"`) and `"spectator"`: every view that the requester may see."""
    pictures: dict[str, ViewPicture]
    """The same as pictures, for games that the web client has no page for; else empty."""


class GameReplay(Shape):
    """Every position of a game, up to its end or its current position."""

    game: str
    settings: Json
    scene: Json
    """What does not change during the game and is needed to draw it; docs/web-protocol.md has its
    fields for each game."""
    seats: list[str]
    """The players' names."""
    room: str | None
    started: str
    frames: list[Frame]
    result: GameResult | None
    """None: the game is running, or its record is incomplete."""
    verified: bool | None
    """True: this server recorded the game. False: the record has a signature that does not fit: it
    was changed, or comes from another server. None: it has no signature."""


class RuleFigure(Shape):
    """A drawing on a grid: one character a cell."""

    rows: list[str]
    caption: str


class RulePart(Shape):
    """A section of the rules."""

    title: str
    text: list[str]
    """Paragraphs; `**bold**` and code in backticks are the only markup."""
    terms: list[tuple[str, str]]
    figures: list[RuleFigure]


class GameRules(Shape):
    """The rules of a game, with the settings that were asked for in them."""

    title: str
    goal: str
    sections: list[RulePart]


class ErrorResponse(Shape):
    """The body of every refused REST request."""

    code: str
    """A stable error code of the protocol."""
    message: str
    retry_after: int | None = None
    """Seconds after which the same request may be accepted, as the header `Retry-After` says."""
