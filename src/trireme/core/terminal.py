"""The terminal interface of a game: input syntax, descriptions of moves, commands of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from .game import AnyGame, Seat
from .session import Session


class Screen(Protocol):
    """The terminal as a game's own commands see it."""

    session: Session
    """The game in progress; a command may put another in its place."""
    seat: Seat
    """The seat that is asked."""
    colour: bool

    def say(self, text: str) -> None:
        """Print a line or a drawing."""
        ...

    def ask(self, question: str) -> str:
        """One line from the player."""
        ...


@dataclass(frozen=True)
class Command:
    """A command of the prompt, in addition to actions."""

    help: str
    run: Callable[[Screen, str], Any]
    """Called with the screen and the text after the command; returns an action to play, or None.
    A `TriremeError` is shown and changes nothing."""
    asks: bool = False
    """Whether it asks a program about the position or changes it: refused in puzzles."""


class Terminal:
    """The default, which can play every game; a game overrides what it can do better."""

    typing: ClassVar[str] = ""
    """How an action is typed, with examples, in one or two lines."""
    clock: ClassVar[float | None] = None
    """Seconds that a person has for a decision, where the game has such a clock."""
    commands: ClassVar[Mapping[str, Command]] = {}

    def seat_name(self, game: AnyGame, state: Any, seat: Seat) -> str:
        """What players call this seat now, such as `black`."""
        return f"seat {seat}"

    def score(self, value: float) -> str:
        """The return of a game with one seat in words, such as `41 shots`."""
        return f"{value:g} points"

    def story(
        self,
        game: AnyGame,
        before: Any,
        actions: Mapping[Seat, Any],
        after: Any,
        viewer: Seat | None,
        colour: bool,
    ) -> Iterable[str]:
        """What a move did, as one viewer may know it: lines, or drawings shown one by one."""
        for seat, action in actions.items():
            if seat >= 0 and not game.hides(seat, action, viewer):
                yield f"{self.seat_name(game, before, seat)}: {game.write(action)}"

    def sentences(
        self,
        game: AnyGame,
        before: Any,
        actions: Mapping[Seat, Any],
        after: Any,
        viewer: Seat | None,
    ) -> Iterable[str]:
        """The same as text alone, for logs and screen readers; by default the story."""
        return self.story(game, before, actions, after, viewer, False)

    def preview(
        self, game: AnyGame, view: Any, seat: Seat, action: Any, colour: bool
    ) -> str | None:
        """A drawing of what the action would do; where there is one, the action is a draft that
        the player sees before it counts."""
        return None

    def playback(self, game: AnyGame) -> float:
        """Seconds that showing a move may take: the clock of the next decision waits so long."""
        return 0.0

    def fallback(self, game: AnyGame, view: Any, seat: Seat) -> Any:
        """The action that counts when the clock ends without a draft."""
        raise NotImplementedError(f"{game.name} has no clock")
