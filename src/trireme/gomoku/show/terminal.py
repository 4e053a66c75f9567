"""Gomoku at the prompt: hints with values, the engine's analysis, positions set up by hand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from trireme.core.errors import BadText, IllegalAction
from trireme.core.game import AnyGame, Seat
from trireme.core.terminal import Command, Screen, Terminal
from trireme.gomoku.rules import COLOUR_NAMES, Gomoku, GomokuState

from .draw import text as draw

if TYPE_CHECKING:
    from trireme.gomoku.agents.search import Search
    from trireme.gomoku.engine.analysis import EngineAnalysis

HINT_SECONDS, ANALYSIS_SECONDS, LONGEST = 1.0, 5.0, 600.0


@cache
def _engine() -> Search:
    """The engine, loaded when it is first asked: two people who play need not wait for it."""
    from trireme.gomoku.agents.search import Search

    return Search()


def _hint(screen: Screen, text: str) -> None:
    """The best moves and their values, by the engine or by a network."""
    game, state = _position(screen)
    from .insight import NETWORKS, in_words

    if text in NETWORKS:
        moves = NETWORKS[text](game, state)["moves"]
        screen.say("  " + " · ".join(f"{m['action']} {m['value']:+.2f}" for m in moves))
        return
    found = _engine().analyse(game, state, seconds=_seconds(text, HINT_SECONDS), top=5)
    screen.say("  " + " · ".join(f"{game.write(c.move)} {in_words(c)}" for c in found.moves))


def _analyse(screen: Screen, text: str) -> None:
    """The engine's value and principal variation, depth by depth."""
    from .insight import in_words

    game, state = _position(screen)
    screen.say("  depth    nodes   value  line")
    found = _engine().analyse(
        game,
        state,
        seconds=_seconds(text, ANALYSIS_SECONDS),
        top=3,
        report=lambda seen: screen.say(_row(game, seen)),
    )
    if found.depth == 0:  # a win was proven, or there is one move only: nothing was reported
        screen.say(_row(game, found))
    for candidate in found.moves:
        screen.say(f"  {game.write(candidate.move):>4}  {in_words(candidate)}")


def _set_up(screen: Screen, text: str) -> None:
    """Go on from a position typed as stones in order of play; the record keeps what was before."""
    session = screen.session
    game = session.game
    assert isinstance(game, Gomoku)
    if game.opening != "none":
        raise IllegalAction("under an opening rule no position can be set up")
    stones = text or screen.ask("  stones in order, black first, such as h8 i9 h9: ")
    wanted = Gomoku(size=game.size, rule=game.rule, position=stones).start()
    given = game.start().stones
    if wanted.stones[: len(given)] != given:
        raise IllegalAction("this game began from a position: its stones come first")
    if session.moves:
        session.undo(session.moves)
    for point in wanted.stones[len(given) :]:
        session.move({session.to_move[0]: point})
    screen.say("\n" + draw(game, session.state, screen.colour))


def _row(game: Gomoku, found: EngineAnalysis) -> str:
    from .insight import in_words

    line = " ".join(game.write(point) for point in found.line[:10])
    value = in_words(found.moves[0])
    return f"  {found.depth:>5} {found.nodes:>8} {value:>7}  {line}"


def _position(screen: Screen) -> tuple[Gomoku, GomokuState]:
    game, state = screen.session.game, screen.session.state
    assert isinstance(game, Gomoku)
    if not game.to_move(state) or game.choosing(state):
        raise IllegalAction("there is no stone to put now")
    return game, state


def _seconds(text: str, otherwise: float) -> float:
    if not text:
        return otherwise
    try:
        seconds = float(text)
    except ValueError:
        raise BadText(f"expected seconds, such as 5, not {text!r}") from None
    if not 0 < seconds <= LONGEST:
        raise BadText(f"expected seconds from 0 to {LONGEST:g}, not {text!r}")
    return seconds


class GomokuTerminal(Terminal):
    """Points as h8 or 7 7, and the engine to ask."""

    typing: ClassVar[str] = "Put a stone with h8 (or row and column from 0: 7 7)."
    commands: ClassVar[Mapping[str, Command]] = {
        "hint": Command(
            "the best moves with values; hint 3 searches for 3 seconds, hint dqn or "
            "hint zero asks a network",
            _hint,
            asks=True,
        ),
        "analyse": Command(
            "the engine's value and best line, depth by depth; analyse 10", _analyse, asks=True
        ),
        "setup": Command("go on from another position: setup h8 i9 h9", _set_up, asks=True),
    }

    def seat_name(self, game: AnyGame, state: Any, seat: Seat) -> str:
        assert isinstance(game, Gomoku)
        if game.opening != "none" and state.black_seat() is None:
            return ("first player", "second player")[seat]
        return next(name for c, name in COLOUR_NAMES.items() if game.seat_of(state, c) == seat)
