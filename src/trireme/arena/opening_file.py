"""Opening files: the starts of a match as lines of text, one start a line.

A line has moves as the game writes them, separated by spaces, and settings such as `size=9`. Where
a move contains spaces, or seats move at the same time, the line is a JSON object instead:
`{"settings": {…}, "moves": ["h8", {"0": "…", "1": "…"}]}`. Empty lines and what follows a `#` are
skipped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from trireme.core.errors import BadSpec, TriremeError, why_unreadable
from trireme.core.game import AnyGame, Seat
from trireme.core.options import convert, settings
from trireme.core.registry import make_game
from trireme.core.session import Session

Moves = tuple[str | dict[Seat, str], ...]
MOST_BYTES = 16 << 20
"""Bytes of an opening file: hundreds of thousands of openings."""


class _Start(msgspec.Struct, forbid_unknown_fields=True):
    settings: dict[str, Any] = {}
    moves: tuple[str | dict[Seat, str], ...] = ()


def read_openings(path: Path, game: AnyGame) -> tuple[str, ...]:
    """The lines of a file that are starts of `game`; raises `BadSpec` for one that is not."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadSpec(f"{str(path)!r} is larger than {MOST_BYTES >> 20} MiB")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadSpec(f"can't read {str(path)!r}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadSpec(f"{str(path)!r} is not text in UTF-8") from None
    lines: list[str] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip() if raw.lstrip().startswith("{") else raw.split("#", 1)[0].strip()
        if not line:
            continue
        try:
            check_start(game, line)
        except TriremeError as error:
            raise BadSpec(f"{str(path)!r}, line {number}: {error}") from None
        lines.append(line)
    if not lines:
        raise BadSpec(f"{str(path)!r} has no opening")
    return tuple(lines)


def check_start(game: AnyGame, line: str) -> None:
    """Raise a `TriremeError` unless the line is a start from which `game` can go on."""
    chosen, moves = parse_start(game, line)
    if chosen.seats != game.seats:
        raise BadSpec(f"{chosen.seats} seats, where the match has {game.seats}")
    session = Session(chosen, [""] * chosen.seats, seed=0, opening=moves)
    if session.over:
        raise BadSpec("the game is over after these moves")


def parse_start(game: AnyGame, line: str) -> tuple[AnyGame, Moves]:
    """The game with its settings, and the opening moves, of one line."""
    if line.startswith("{"):
        try:
            start = msgspec.json.decode(line.encode(), type=_Start)
        except (msgspec.DecodeError, RecursionError) as error:
            raise BadSpec(f"expected an opening as JSON: {why_unreadable(error)}") from None
        chosen, moves = start.settings, start.moves
    else:
        words = line.split()
        texts = dict(word.split("=", 1) for word in words if "=" in word)
        chosen = convert(type(game), texts, owner=game.name, from_text=True)
        moves = tuple(word for word in words if "=" not in word)
    if not chosen:
        return game, moves
    return make_game(game.name, **{**settings(game), **chosen}), moves
