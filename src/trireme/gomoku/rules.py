"""The rules of Gomoku: this file is the rulebook.

Two players put stones in turn on the empty points of a square board, black first. A stone never
moves and is never taken off.

**Winning.** Under the *standard* rule a player wins by making a line of **exactly five** stones of
their colour, along a row, a column or a diagonal. Six or more in a line (an overline) win nothing,
for either colour, and the game goes on; a stone that makes an overline in one direction and a five
in another wins. Under the *freestyle* rule five or more win. A full board with no winner is a draw.

**Swap2**, an opening rule that makes the start fair. Seat 0 puts three stones anywhere: black,
white, black. Seat 1 then chooses:

- `white`: it plays white, and puts the fourth stone;
- `black`: it plays black, and seat 0 puts the fourth stone as white;
- `more`: it puts the fourth and fifth stones, white and black; then seat 0 chooses `black` or
  `white`, and white puts the sixth stone.

Stones alternate in colour from the first to the last, whoever puts them. Without swap2, seat 0 is
black and seat 1 white.

**Where a point is.** A move is `(row, col)`, both from 0. In text the column is a letter and the
row a number, `h8` for `(7, 7)`, so the number is `row + 1`. Row 1 is the bottom line of the drawn
board, as on every Gomoku diagram: `a1` is the bottom left corner and `(0, 0)`. Formats that count
rows from the top (SGF, `.psq`, the Gomocup protocol) are turned over where they are read and
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal, cast, get_args

from trireme.core.action_input import cell_of
from trireme.core.errors import BadSettings, BadText, IllegalAction, unknown
from trireme.core.game import Game, Listed, Seat
from trireme.core.options import option

Point = tuple[int, int]
Choice = Literal["black", "white", "more"]
Action = Point | Choice
Colour = Literal[1, -1]
Rule = Literal["standard", "freestyle"]
Opening = Literal["none", "swap2"]

BLACK: Colour = 1
WHITE: Colour = -1
COLOUR_NAMES: dict[int, str] = {BLACK: "black", WHITE: "white"}
SMALLEST, LARGEST = 5, 26
DIRECTIONS: tuple[Point, ...] = ((0, 1), (1, 0), (1, 1), (1, -1))

_POINT = re.compile(r"([a-z])\s*([0-9]{1,3})")
_NUMBERS = re.compile(r"([0-9]{1,3})[\s,;]+([0-9]{1,3})")
_WORDS: dict[str, Choice] = {
    "black": "black",
    "take black": "black",
    "play black": "black",
    "white": "white",
    "take white": "white",
    "play white": "white",
    "more": "more",
    "two more": "more",
    "place two": "more",
    "place two more": "more",
}


@dataclass(frozen=True)
class GomokuState:
    """A position with its history; nothing is hidden, so it is every seat's view as well."""

    stones: tuple[Point, ...] = ()
    """Every stone in the order it was put; the first, third, fifth … are black."""
    choices: tuple[Choice, ...] = ()
    """What was chosen under swap2, seat 1's choice first."""
    winner: Literal[1, 0, -1] = 0
    """1 black has won, -1 white has, 0 nobody yet."""

    @property
    def colour(self) -> Colour:
        """The colour of the next stone."""
        return BLACK if len(self.stones) % 2 == 0 else WHITE

    @property
    def last(self) -> Point | None:
        """The newest stone."""
        return self.stones[-1] if self.stones else None

    def board(self) -> dict[Point, Colour]:
        """The stones by their points; empty points are left out."""
        return {p: BLACK if i % 2 == 0 else WHITE for i, p in enumerate(self.stones)}

    def black_seat(self) -> Seat | None:
        """Who plays black; None until swap2 has decided it."""
        if not self.choices:
            return None
        chooser = 1 if len(self.choices) == 1 else 0
        return {"black": chooser, "white": 1 - chooser}.get(self.choices[-1])


@dataclass(frozen=True)
class Gomoku(Game[GomokuState, Action, GomokuState]):
    """Gomoku between two seats."""

    size: int = option(15, "points along a side of the board, 5 to 26")
    rule: Rule = option("standard", "standard: exactly five win; freestyle: five or more do")
    opening: Opening = option("none", "swap2: seat 0 puts three stones, seat 1 chooses")
    position: str = option("", "stones already on the board, black first, such as h8i9h9")

    name: ClassVar[str] = "gomoku"
    undoable: ClassVar[bool] = True
    action_forms: ClassVar[str] = "a point (row, col) or its index row × size + col, all from 0"

    def __post_init__(self) -> None:
        if not isinstance(self.size, int) or not SMALLEST <= self.size <= LARGEST:
            raise BadSettings(
                f"size must be a whole number from {SMALLEST} to {LARGEST}, not {self.size!r}"
            )
        for field, value, known in (
            ("rule", self.rule, get_args(Rule)),
            ("opening", self.opening, get_args(Opening)),
        ):
            if value not in known:
                raise BadSettings(str(unknown(field, str(value), known)))
        if self.position and self.opening != "none":
            raise BadSettings("a given position needs no opening rule: leave one of them out")
        if self.start().winner:
            raise BadSettings(f"the game is already won in position {self.position!r}")

    @property
    def seats(self) -> int:
        return 2

    @property
    def points(self) -> Iterator[Point]:
        """Every point of the board, row by row from `a1`."""
        return iter(_points(self.size))

    def start(self) -> GomokuState:
        state = GomokuState()
        for point in self._given():
            if point in state.stones:
                raise BadSettings(f"position {self.position!r} puts two stones on one point")
            if state.winner:
                raise BadSettings(f"position {self.position!r} goes on after a win")
            state = self._put(state, point)
        return state

    def to_move(self, state: GomokuState) -> tuple[Seat, ...]:
        if state.winner or len(state.stones) == self.size**2:
            return ()
        placed = len(state.stones)
        if self.opening == "swap2" and state.black_seat() is None:
            if not state.choices:
                return (0,) if placed < 3 else (1,)
            return (1,) if placed < 5 else (0,)
        return (self.seat_of(state, state.colour),)

    def seat_of(self, state: GomokuState, colour: int) -> Seat:
        """Who plays `colour`, once that is decided."""
        black = state.black_seat() if self.opening == "swap2" else 0
        if black is None:
            raise ValueError("swap2 has not decided the colours yet")
        return black if colour == BLACK else 1 - black

    def choosing(self, state: GomokuState) -> tuple[Choice, ...]:
        """The choices of swap2 that are open now; none while a stone is to be put."""
        if self.opening == "swap2":
            if not state.choices and len(state.stones) == 3:
                return ("black", "white", "more")
            if state.choices == ("more",) and len(state.stones) == 5:
                return ("black", "white")
        return ()

    def legal(self, state: GomokuState, seat: Seat) -> Listed[Action]:
        if choices := self.choosing(state):
            return Listed(choices)
        taken = set(state.stones)
        return Listed([point for point in _points(self.size) if point not in taken])

    def check(self, state: GomokuState, seat: Seat, action: Action) -> None:
        to_move = self.to_move(state)
        if not to_move:
            raise IllegalAction("the game is over")
        if seat not in to_move:
            raise IllegalAction(f"it is the turn of seat {to_move[0]}, not of seat {seat}")
        choices = self.choosing(state)
        if choices and action not in choices:
            raise IllegalAction(f"expected one of {', '.join(choices)}, not {self.write(action)}")
        if not choices and isinstance(action, str):
            raise IllegalAction(f"there is nothing to choose now: expected a point, not {action}")
        if isinstance(action, str):
            return
        if not isinstance(action, tuple) or not self._on_board(action):
            raise IllegalAction(f"{action} is not on the {self.size}×{self.size} board")
        if action in state.stones:
            raise IllegalAction(f"{self.write(action)} has a stone already")

    def apply(self, state: GomokuState, actions: Mapping[Seat, Action]) -> GomokuState:
        (action,) = actions.values()
        if isinstance(action, str):
            return GomokuState(state.stones, (*state.choices, action))
        return self._put(state, action)

    def view(self, state: GomokuState, seat: Seat | None) -> GomokuState:
        return state

    def returns(self, state: GomokuState) -> tuple[float, ...]:
        if not state.winner:
            return (0.0, 0.0)
        won = self.seat_of(state, state.winner)
        return (1.0, -1.0) if won == 0 else (-1.0, 1.0)

    def write(self, action: Action) -> str:
        if isinstance(action, str):
            return action
        row, col = action
        return f"{chr(ord('a') + col)}{row + 1}"

    def read(self, text: str) -> Action:
        """A point as `h8`, `H8` or `7 7` (row and column from 0), or a choice of swap2 by words."""
        said = " ".join(text.lower().split())
        if said in _WORDS:
            return _WORDS[said]
        if match := _POINT.fullmatch(said):
            point = (int(match[2]) - 1, ord(match[1]) - ord("a"))
        elif match := _NUMBERS.fullmatch(said):
            point = (int(match[1]), int(match[2]))
        else:
            raise BadText(f"expected a point such as h8, or row and column as 7 7, not {text!r}")
        if not self._on_board(point):
            corner = self.write((self.size - 1, self.size - 1))
            raise BadText(f"{text!r} is not on the board, which goes from a1 to {corner}")
        return point

    def convert(self, value: Any, seat: Seat) -> Action | None:
        """A point by its index or as any pair of integers."""
        return cell_of(value, self.size, self.size)

    def details(self, state: GomokuState, seat: Seat, action: Action) -> dict[str, int | str]:
        if isinstance(action, str):
            return {}
        return {"player": COLOUR_NAMES[state.colour], "row": action[0], "col": action[1]}

    def _on_board(self, point: Point) -> bool:
        return len(point) == 2 and all(i in range(self.size) for i in point)

    def _given(self) -> list[Point]:
        try:
            return read_points(self, self.position)
        except BadText as error:
            raise BadSettings(f"position: {error}") from None

    def _put(self, state: GomokuState, point: Point) -> GomokuState:
        colour = state.colour
        stones = (*state.stones, point)
        won = makes_five(set(stones[len(state.stones) % 2 :: 2]), point, self.rule)
        return GomokuState(stones, state.choices, colour if won else 0)


@lru_cache(maxsize=32)
def _points(size: int) -> tuple[Point, ...]:
    return tuple((row, col) for row in range(size) for col in range(size))


def makes_five(own: set[Point], point: Point, rule: Rule) -> bool:
    """Whether the stone at `point`, one of `own`, wins: counted both ways in all four directions.

    >>> makes_five({(0, col) for col in range(5)}, (0, 2), "standard")
    True
    >>> makes_five({(0, col) for col in range(6)}, (0, 2), "standard")
    False
    """
    runs = (len(line_through(own, point, direction)) for direction in DIRECTIONS)
    return any(run == 5 or (run > 5 and rule == "freestyle") for run in runs)


def line_through(own: set[Point], point: Point, direction: Point) -> list[Point]:
    """The unbroken line of `own` stones through `point` along `direction`, in order."""
    (row, col), (down, right) = point, direction
    while (row - down, col - right) in own:
        row, col = row - down, col - right
    line = []
    while (row, col) in own:
        line.append((row, col))
        row, col = row + down, col + right
    return line


def winning_line(game: Gomoku, state: GomokuState) -> list[Point]:
    """The stones of the five that won, in order; empty while nobody has won."""
    if not state.winner or state.last is None:
        return []
    own = {p for p, colour in state.board().items() if colour == state.winner}
    lines = [line_through(own, state.last, direction) for direction in DIRECTIONS]
    fit = [n for n in lines if len(n) == 5 or (len(n) > 5 and game.rule == "freestyle")]
    return fit[0]


def read_points(game: Gomoku, text: str) -> list[Point]:
    """The points of text such as `h8i9 h9`, in order; spaces and commas may part them."""
    points = []
    rest = text.lower().strip()
    while rest:
        match = re.match(r"([a-z][0-9]{1,2})[\s,]*", rest)
        if match is None:
            raise BadText(f"expected points such as h8i9, not {rest!r}")
        points.append(cast(Point, game.read(match[1])))
        rest = rest[match.end() :]
    return points
