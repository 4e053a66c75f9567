"""Records: one game as JSON lines, appended move by move, checked line by line when read.

The first line is the header, then comes one line a move (a joint move is one line), `undo` lines
where moves were taken back, and an `end` line when the game is over. Every line carries a running
checksum of all lines up to it, so a changed, lost or added line is named by its number. A program
that dies in mid-game leaves all the moves made so far; at worst the last line is cut off.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import msgspec

from .errors import RecordError, TriremeError, why_unreadable
from .game import CHANCE, AnyGame, Seat
from .options import settings
from .registry import make_game

T = TypeVar("T")

FORMAT = 1
"""The version of this file format, in every header."""

Moves = Mapping[Seat, str]
"""One joint move: the action of every seat that moved, as text."""


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a record."""

    trireme: int
    game: str
    rules: int
    settings: dict[str, Any]
    seats: tuple[str, ...]
    seed: int | None
    game_id: str
    started: str
    sum: str


class Forfeited(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a seat forfeited: `illegal`, `exception`, `time` or `process`."""

    seat: Seat
    reason: str
    detail: str


class End(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The last line of a finished game's record."""

    game_id: str
    end: str
    returns: tuple[float, ...]
    ts: str
    sum: str
    forfeits: tuple[Forfeited, ...] = ()
    signature: str = ""
    """Of the server that recorded the game, over all that comes before; see `split_signature`."""
    reason: str = ""
    """Why a game was adjudicated."""

    @property
    def by_rules(self) -> bool:
        """Whether the game was played out, and not forfeited or adjudicated."""
        return not self.forfeits and self.end != "adjudicated"


class _Undo(msgspec.Struct, forbid_unknown_fields=True):
    game_id: str
    undo: int
    ts: str
    sum: str


class _Move(msgspec.Struct):
    """A move's line; the fields that `Game.details` added are for other readers."""

    game_id: str
    move_no: int
    actions: dict[str, str]
    ts: str
    sum: str
    notes: dict[str, str] = {}


class RecordWriter:
    """Writes one game's record line by line; keeps the lines and passes each one to `sink`."""

    def __init__(
        self,
        sink: Callable[[str], object] | None = None,
        *,
        game_id: str | None = None,
        now: Callable[[], str] | None = None,
    ) -> None:
        self.lines: list[str] = []
        self._sink = sink
        self._game_id = game_id or uuid4().hex[:12]
        self._now = now or _now
        self._moves = 0

    def begin(self, game: AnyGame, seats: Sequence[str], seed: int | None) -> None:
        self._write(
            {
                "trireme": FORMAT,
                "game": game.name,
                "rules": game.rules_version,
                "settings": settings(game),
                "seats": list(seats),
                "seed": seed,
                "game_id": self._game_id,
                "started": self._now(),
            }
        )

    def move(self, actions: Moves, details: Mapping[str, Any]) -> None:
        self._moves += 1
        line: dict[str, Any] = {"game_id": self._game_id, "move_no": self._moves}
        line["actions"] = _by_key(actions)
        self._write({**line, **details, "ts": self._now()})

    def undo(self, count: int) -> None:
        self._moves -= count
        self._write({"game_id": self._game_id, "undo": count, "ts": self._now()})

    def end(
        self,
        how: str,
        returns: Sequence[float],
        forfeits: Sequence[Forfeited] = (),
        reason: str = "",
        sign: Callable[[str], str] | None = None,
    ) -> None:
        """The last line; `sign(content)`: the signature of the whole record."""
        line: dict[str, Any] = {"game_id": self._game_id, "end": how, "returns": list(returns)}
        if forfeits:
            line["forfeits"] = msgspec.to_builtins(forfeits)
        if reason:
            line["reason"] = reason
        line["ts"] = self._now()
        if sign is not None:
            body = msgspec.json.encode(line).decode()
            line["signature"] = sign("\n".join([*self.lines, body]))
        self._write(line)

    def _write(self, line: dict[str, Any]) -> None:
        body = msgspec.json.encode(line).decode()
        text = f'{body[:-1]},"sum":"{_chain(_sum_of(self.lines), body)}"}}'
        self.lines.append(text)
        if self._sink is not None:
            self._sink(text + "\n")


def append_to(path: Path) -> Callable[[str], None]:
    """A sink that appends to a file and hands every line to the operating system at once."""
    path.parent.mkdir(parents=True, exist_ok=True)

    def sink(line: str) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(line)

    return sink


@dataclass(frozen=True, repr=False)
class Record:
    """One game as it was played. `moves` are those that stand, undone ones left out."""

    header: Header
    game: AnyGame
    moves: tuple[Moves, ...]
    move_lines: tuple[int, ...]
    """The line of each move that stands, 1-based."""
    end: End | None
    """None while the game runs, or where its program died."""
    cut_off: int | None
    """The line that is not whole, in a record read with `partial=True`."""
    text: str
    notes: tuple[Moves, ...] = ()
    """What agents said about each move that stands, by seat."""

    @property
    def returns(self) -> tuple[float, ...] | None:
        return None if self.end is None else self.end.returns

    def states(self) -> Iterator[Any]:
        """Every position from the start on; each action is checked on the way."""
        state = self.game.start()
        yield state
        for number, move in zip(self.move_lines, self.moves, strict=True):
            state = _replayed(self.game, state, move, number)
            yield state

    def verify(self) -> Any:
        """Replay everything, compare the result with the recorded one, give the last state."""
        state = None
        for state in self.states():  # noqa: B007
            pass
        if self.end is not None and self.end.by_rules:
            line = self.text.count("\n")
            if self.game.to_move(state):
                raise RecordError("the record says that the game ended, but it goes on", line)
            if self.game.returns(state) != self.end.returns:
                raise RecordError(
                    f"the moves lead to {self.game.returns(state)}, not to {self.end.returns}", line
                )
        return state

    def shown_to(self, viewer: Seat | None) -> tuple[Mapping[Seat, str | None], ...]:
        """The moves as `viewer` may know them; what is hidden until the end is None."""
        if self.end is not None:
            return self.moves
        return tuple(
            {
                seat: None if self.game.hides(seat, self.game.read(text), viewer) else text
                for seat, text in move.items()
            }
            for move in self.moves
        )

    def fingerprint(self) -> str:
        """A hash of what was played and how it ended, without names, times and explanations."""
        content: list[Any] = [self.header.game, self.header.rules, self.header.settings]
        content += [_by_key(move) for move in self.moves]
        if self.end is None:
            content.append(None)
        else:
            content.append([self.end.returns, [[f.seat, f.reason] for f in self.end.forfeits]])
        return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()[:16]

    def __repr__(self) -> str:
        from .notebook import describe_record

        return describe_record(self)

    def _repr_html_(self) -> str:
        from .notebook import picture

        *_, last = self.states()
        return picture(self.game, last)

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text, encoding="utf-8")


def load_record(path: Path, *, partial: bool = False) -> Record:
    """Read a record's file; see `parse_record`."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise RecordError(f"can't read {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise RecordError(f"{str(path)!r} is not text: byte {error.start} is not UTF-8") from None
    return parse_record(text, partial=partial)


def parse_record(text: str, *, partial: bool = False, game: AnyGame | None = None) -> Record:
    """The record in `text`, or a `RecordError` that names the first line that is wrong.

    `partial` accepts a last line that was cut off, as a killed program leaves it. `game` is the
    game that was played, where the registry does not know it.
    """
    if not text.strip():
        raise RecordError("the file is empty: expected a header", 1)
    lines = text.split("\n")
    whole, rest = lines[:-1], lines[-1]
    cut_off = len(lines) if rest else None
    if cut_off is not None and not partial:
        raise RecordError("the line is cut off: the record was not written to its end", cut_off)
    if not whole:
        raise RecordError("the header is cut off, so there is nothing to read", 1)
    header = _decode(whole[0], Header, 1)
    game = _game_of(header) if game is None else game
    _check_sum("", whole[0], header.sum, 1)
    lines_of_moves, end = _read_moves(header, whole)
    return Record(
        header,
        game,
        tuple(_by_seat(move.actions, number) for number, move in lines_of_moves),
        tuple(number for number, _ in lines_of_moves),
        end,
        cut_off,
        "".join(line + "\n" for line in whole),
        tuple(_by_seat(move.notes, number) for number, move in lines_of_moves),
    )


def split_signature(text: str) -> tuple[str, str | None]:
    """What a record's signature is made of, and the signature; None where it has none."""
    lines = text.rstrip("\n").split("\n")
    body, found, rest = lines[-1].rpartition(',"signature":"')
    if not found:
        return text, None
    return "\n".join([*lines[:-1], body + "}"]), rest.partition('"')[0]


def _read_moves(header: Header, lines: list[str]) -> tuple[list[tuple[int, _Move]], End | None]:
    """The moves that stand, each with the number of its line, and the end."""
    moves: list[tuple[int, _Move]] = []
    end: End | None = None
    previous = header.sum
    for number, line in enumerate(lines[1:], start=2):
        if end is not None:
            raise RecordError("the game has ended in the line above", number)
        parsed = _parse_line(line, number)
        if parsed.game_id != header.game_id:
            raise RecordError(f"the line belongs to game {parsed.game_id!r}", number)
        _check_sum(previous, line, parsed.sum, number)
        previous = parsed.sum
        if isinstance(parsed, End):
            end = parsed
        elif isinstance(parsed, _Undo):
            if not 0 < parsed.undo <= len(moves):
                raise RecordError(f"can't undo {parsed.undo} of {len(moves)} moves", number)
            del moves[-parsed.undo :]
        else:
            if parsed.move_no != len(moves) + 1:
                raise RecordError(
                    f"expected move {len(moves) + 1}, found move {parsed.move_no}", number
                )
            moves.append((number, parsed))
    return moves, end


def _parse_line(line: str, number: int) -> _Move | _Undo | End:
    keys = _decode(line, dict[str, Any], number)
    if "move_no" in keys:
        return _decode(line, _Move, number)
    if "undo" in keys:
        return _decode(line, _Undo, number)
    if "end" in keys:
        return _decode(line, End, number)
    raise RecordError(f"expected a move, an undo or the end, not {line[:60]!r}", number)


def _decode(line: str, kind: type[T], number: int) -> T:
    try:
        return msgspec.json.decode(line.encode(), type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        what = "the header of a Trireme record" if kind is Header else "a line of a Trireme record"
        raise RecordError(
            f"not {what}: {why_unreadable(error)}; found {line[:60]!r}", number
        ) from None


def _game_of(header: Header) -> AnyGame:
    if header.trireme > FORMAT:
        raise RecordError(f"format {header.trireme} is newer than {FORMAT}: update Trireme", 1)
    try:
        game = make_game(header.game, **header.settings)
    except TriremeError as error:
        raise RecordError(str(error), 1) from error
    if game.rules_version != header.rules:
        raise RecordError(
            f"played by rules {header.rules} of {header.game}; these are {game.rules_version}", 1
        )
    if len(header.seats) != game.seats:
        raise RecordError(f"{len(header.seats)} names for {game.seats} seats", 1)
    return game


def _replayed(game: AnyGame, state: Any, move: Moves, line: int) -> Any:
    if set(move) != set(game.to_move(state)):
        raise RecordError(
            f"seats {sorted(move)} move, where {list(game.to_move(state))} should", line
        )
    try:
        actions = {seat: game.read(text) for seat, text in move.items()}
        for seat, action in actions.items():
            game.check(state, seat, action)
    except TriremeError as error:
        raise RecordError(str(error), line) from error
    return game.apply(state, actions)


def seat_key(seat: Seat) -> str:
    """A seat as files and programs write it."""
    return "chance" if seat == CHANCE else str(seat)


def _by_key(texts: Moves) -> dict[str, str]:
    return {seat_key(seat): text for seat, text in sorted(texts.items())}


def _by_seat(texts: Mapping[str, str], line: int) -> Moves:
    return {_seat_of(key, line): text for key, text in texts.items()}


def _seat_of(key: str, line: int) -> Seat:
    if key == "chance":
        return CHANCE
    if key.isdecimal():
        return int(key)
    raise RecordError(f"expected a seat's number or 'chance', not {key!r}", line)


def _sum_of(lines: Sequence[str]) -> str:
    return lines[-1].rpartition('"sum":"')[2][:-2] if lines else ""


def _chain(previous: str, body: str) -> str:
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()[:12]


def _check_sum(previous: str, line: str, found: str, number: int) -> None:
    body = line.rpartition(',"sum":"')[0] + "}"
    if _chain(previous, body) != found:
        raise RecordError(
            "the checksum does not fit: this line was changed, or one before it is missing", number
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
