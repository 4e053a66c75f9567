"""How games, sessions, results and records show themselves: `repr`, and pictures in notebooks.

Pictures and texts show what a spectator may see, never what is hidden while a game runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from .errors import TriremeError
from .game import AnyGame, Seat
from .registry import draw_text, find, load

if TYPE_CHECKING:
    from .play import Result
    from .record import Record
    from .session import Session


@dataclass(frozen=True)
class Drawing:
    """A position as one viewer may see it: text when printed, a picture in a notebook."""

    text: str
    html: str

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.html


def draw(game: AnyGame, state: Any, seat: Seat | None = None) -> Drawing:
    """A state drawn as `seat` (None: a spectator) may see it: as text, or as a notebook's picture.

    >>> from trireme import make_game
    >>> game = make_game("gomoku", size=5)
    >>> print(draw(game, game.start()))
        a b c d e
     5  · · · · · 5
     4  · · · · · 4
     3  · · + · · 3
     2  · · · · · 2
     1  · · · · · 1
        a b c d e
    move 1: black (X) to play, seat 0
    """
    return Drawing(draw_text(game, state, seat), picture(game, state, seat))


def picture(game: AnyGame, state: Any, seat: Seat | None = None) -> str:
    """The state as HTML or SVG: the game's own picture, or its text."""
    try:
        place = find(game.name).picture
        if place is not None:
            drawn: str = load(place)(game, game.view(state, seat))
            return drawn
        return _preformatted(draw_text(game, state, seat))
    except TriremeError:  # a game that is not registered has no drawing
        return _preformatted(repr(game.view(state, seat)))


def describe_session(session: Session) -> str:
    names = " – ".join(session.seats)
    if session.over:
        how = f"over, returns {_numbers(session.returns)}"
    else:
        seats = " and ".join(map(str, session.to_move))
        how = f"seat{'s' if len(session.to_move) > 1 else ''} {seats} to move"
    return f"<Session of {session.game.name}: {names}, {_moves(session.moves)}, {how}>"


def describe_result(result: Result) -> str:
    record = result.record
    return f"<Result of {record.header.game}: {_ending(record)}>"


def describe_record(record: Record) -> str:
    return f"<Record of {record.header.game}: {_ending(record)}>"


def _ending(record: Record) -> str:
    names = " – ".join(record.header.seats)
    if record.end is None:
        return f"{names}, {_moves(len(record.moves))}, not finished"
    faults = "".join(
        f", {record.header.seats[f.seat]} forfeits ({f.reason}): {f.detail}"
        for f in record.end.forfeits
    )
    returns = _numbers(record.end.returns)
    return f"{names}, {_moves(len(record.moves))}, returns {returns}{faults}"


def _moves(count: int) -> str:
    return f"{count} move{'' if count == 1 else 's'}"


def _numbers(returns: tuple[float, ...]) -> str:
    return ", ".join(f"{value:g}" for value in returns)


def _preformatted(text: str) -> str:
    return f'<pre style="line-height:1.2">{escape(text)}</pre>'
