"""Puzzles: a position with a goal and a rating; shipped as data, made by the game's own maker."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec
from numpy.random import Generator, default_rng

from .errors import BadPuzzle, BadSpec, TriremeError, UnknownName, why_unreadable
from .game import AnyGame
from .lessons import LEARNER, GoalState, LessonGoal, LessonMove, goal_state
from .registry import GAMES, find, load, make_game

MoveMark = Literal["good", "inexact", "bad"]
FIRST_RATING = 1200
"""The rating of a player who has tried no puzzle of a game."""
K_FACTOR = 32
"""How far one puzzle moves a player's Elo rating, at most."""
MAX_FILE_BYTES = 50_000_000
"""The largest file of puzzles that is read, unpacked."""
_SQUARES: dict[MoveMark, str] = {"good": "🟩", "inexact": "🟨", "bad": "🟥"}


class Puzzle(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One puzzle, solved on the real board by the real rules; the solver plays seat 0."""

    kind: str
    """What is asked, in a word of the game: `vcf`, `vct`, `endgame`, `outgun`, `safe`."""
    rating: int
    """Its difficulty on the scale of the solvers' Elo ratings, estimated by the maker."""
    title: str
    text: str
    """What to do, in a few sentences; `**bold**` is the only markup."""
    goal: LessonGoal
    solution: tuple[str, ...]
    """Actions that meet the goal, the solver's and the opponent's; shown after the attempt."""
    settings: dict[str, Any] = {}
    opening: tuple[str, ...] = ()
    """Moves made before the solver's first, one seat or chance each; chance's may be hidden."""
    opponent: str | None = None
    """The spec of the agent in the other seat; None: the solver plays alone."""

    @property
    def id(self) -> str:
        """A hash of the content: equal puzzles have equal ids in every file."""
        return hashlib.blake2b(msgspec.json.encode(self), digest_size=5).hexdigest()


@dataclass(frozen=True)
class PuzzleReview:
    """What the solver's moves were worth."""

    marks: tuple[MoveMark, ...] = ()
    """One for each move of the solver."""
    note: str = ""
    """The result in a sentence, such as the expected shots that were lost."""


class PuzzleMaker(Protocol):
    """What a game brings to make and check its puzzles: the class, without arguments."""

    def puzzles(self, rng: Generator) -> Iterator[Puzzle | None]:
        """Checked puzzles without end; None after an attempt that led to none."""
        ...

    def check(self, puzzle: Puzzle) -> None:
        """Raise `BadPuzzle`, saying why, unless the solution is right and no other one is."""
        ...

    def review(self, game: AnyGame, moves: Sequence[LessonMove], puzzle: Puzzle) -> PuzzleReview:
        """What the moves made so far were worth; needs no compiled code."""
        ...


def puzzle_games() -> list[str]:
    """The games that bring puzzles."""
    return [name for name in GAMES if find(name).puzzles is not None]


@cache
def puzzles_of(game: str) -> dict[str, Puzzle]:
    """The game's shipped puzzles by id, easiest first; empty where it has none."""
    place = find(game).puzzles
    if place is None:
        return {}
    package, _, name = place.partition(":")
    found = decode_puzzles(files(package).joinpath(name).read_bytes(), f"the puzzles of {game}")
    return {puzzle.id: puzzle for puzzle in sorted(found, key=lambda p: (p.rating, p.id))}


def puzzle_with_id(game: str, id: str) -> Puzzle:
    """The shipped puzzle with this id; raises `UnknownName` if there is none."""
    found = puzzles_of(game).get(id)
    if found is None:
        raise UnknownName(f"{game} ships no puzzle with the id {id[:40]!r}")
    return found


def daily_puzzle(game: str, day: date) -> Puzzle:
    """The puzzle of a day (UTC), the same for everybody; none comes twice before all have come."""
    found = puzzles_of(game)
    if not found:
        raise BadSpec(f"{game} has no puzzles")
    return found[sorted(found)[day.toordinal() % len(found)]]


def next_puzzle(game: str, rating: float, done: Collection[str] = ()) -> Puzzle:
    """The puzzle nearest to a rating that was not tried yet; any, once all were."""
    found = puzzles_of(game)
    if not found:
        raise BadSpec(f"{game} has no puzzles")
    left = [id for id in found if id not in done] or list(found)
    return found[min(left, key=lambda id: (abs(found[id].rating - rating), id))]


def new_rating(rating: float, puzzle: int, solved: bool) -> float:
    """A player's Elo rating after a puzzle of rating `puzzle`.

    >>> new_rating(1200, 1200, True)
    1216.0
    """
    expected = 1 / (1 + 10 ** ((puzzle - rating) / 400))
    return rating + K_FACTOR * (solved - expected)


def maker_of(game: str) -> PuzzleMaker:
    """The maker that the game brings; raises `BadSpec` if it has none."""
    place = find(game).puzzle_maker
    if place is None:
        known = [name for name in GAMES if find(name).puzzle_maker is not None]
        raise BadSpec(f"{game} makes no puzzles; these games do: {', '.join(known)}")
    made: PuzzleMaker = load(place)()
    return made


def make_puzzles(game: str, seed: int) -> Iterator[Puzzle | None]:
    """Different puzzles without end, the same for the same seed; None after a fruitless attempt."""
    seen: set[str] = set()
    for puzzle in maker_of(game).puzzles(default_rng(seed)):
        if puzzle is not None and puzzle.id not in seen:
            seen.add(puzzle.id)
            yield puzzle
        else:
            yield None


def puzzle_start(game: AnyGame, puzzle: Puzzle) -> list[LessonMove]:
    """The moves before the solver's first; raises `TriremeError` unless the rules allow them and
    the solver is to move after them."""
    moves: list[LessonMove] = []
    state = game.start()
    for text in puzzle.opening:
        to_move = game.to_move(state)
        if len(to_move) != 1:
            raise BadPuzzle(f"nobody moves alone before the opening move {text[:40]!r}")
        action = game.read(text)
        game.check(state, to_move[0], action)
        after = game.apply(state, {to_move[0]: action})
        moves.append(LessonMove({to_move[0]: action}, state, after))
        state = after
    if LEARNER not in game.to_move(state):
        raise BadPuzzle("the solver is not to move after the opening")
    return moves


def puzzle_game(game: str, puzzle: Puzzle) -> AnyGame:
    """The game that the puzzle is played with."""
    return make_game(game, **puzzle.settings)


def check_puzzle(game: str, puzzle: Puzzle) -> None:
    """Raise `TriremeError`, saying why, unless the position is legal and the claim holds."""
    made = puzzle_game(game, puzzle)
    puzzle_start(made, puzzle)
    maker_of(game).check(puzzle)


def attempt_state(game: AnyGame, moves: Sequence[LessonMove], puzzle: Puzzle) -> GoalState:
    """Whether the puzzle is solved (`met`), open or missed after these moves, the opening not
    counted."""
    return goal_state(game, moves, puzzle.goal)


def review_attempt(game: AnyGame, moves: Sequence[LessonMove], puzzle: Puzzle) -> PuzzleReview:
    """What the solver's moves were worth."""
    return maker_of(game.name).review(game, moves, puzzle)


def share_text(
    game: str, puzzle: Puzzle, state: GoalState, review: PuzzleReview, day: date | None = None
) -> str:
    """The result as a few lines to send to others; it does not tell the solution."""
    which = f"puzzle {puzzle.id}" if day is None else f"daily puzzle {day.isoformat()}"
    title = game.replace("_", " ").capitalize()
    squares = "".join(_SQUARES[mark] for mark in review.marks)
    result = "solved" if state == "met" else "not solved"
    lines = [f"Trireme · {title} {which}", f"{squares} {result}, rated {puzzle.rating}".strip()]
    return "\n".join([*lines, *([review.note] if review.note and state == "met" else [])])


def decode_puzzles(data: bytes, source: str) -> list[Puzzle]:
    """The puzzles in JSON lines, packed by gzip or not; raises `BadPuzzle`, naming the line."""
    if data[:2] == b"\x1f\x8b":
        data = _unpacked(data, source)
    found: list[Puzzle] = []
    decoder = msgspec.json.Decoder(Puzzle)
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(decoder.decode(line))
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise BadPuzzle(f"{source}, line {number}: {why_unreadable(error)}") from None
    return found


def _unpacked(data: bytes, source: str) -> bytes:
    try:
        with gzip.open(io.BytesIO(data)) as file:
            text = file.read(MAX_FILE_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadPuzzle(f"{source} can't be unpacked: {error}") from None
    if len(text) > MAX_FILE_BYTES:
        raise BadPuzzle(f"{source} is longer than {MAX_FILE_BYTES} bytes")
    return text


def encode_puzzles(puzzles: Sequence[Puzzle], *, packed: bool = False) -> bytes:
    """The puzzles as JSON lines; `packed`: by gzip, the same bytes for the same puzzles."""
    data = b"".join(msgspec.json.encode(puzzle) + b"\n" for puzzle in puzzles)
    return gzip.compress(data, mtime=0) if packed else data


def load_puzzles(path: Path) -> list[Puzzle]:
    """The puzzles in a file; raises `BadPuzzle` where they can't be read."""
    if path.stat().st_size > MAX_FILE_BYTES:
        raise BadPuzzle(f"{str(path)!r} is longer than {MAX_FILE_BYTES} bytes")
    return decode_puzzles(path.read_bytes(), repr(str(path)))


def faults_of(game: str, puzzles: Sequence[Puzzle]) -> Iterator[str | None]:
    """What is wrong with each puzzle, a sentence; None: nothing."""
    for puzzle in puzzles:
        try:
            check_puzzle(game, puzzle)
        except TriremeError as error:
            yield f"{puzzle.id}: {error}"
        else:
            yield None
