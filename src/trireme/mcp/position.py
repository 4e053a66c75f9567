"""What an MCP client is shown of a game: one seat's view in words, and nothing that it hides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sized
from dataclasses import dataclass

from trireme.core.game import Actions, AnyGame

LISTABLE = 400
"""Legal actions are listed up to this number."""


@dataclass
class ShownPosition:
    """A game as one seat may see it."""

    game_id: str
    """What the other tools need to name this game. Keep it: whoever knows it holds the seat."""
    game: str
    seat: int
    status: str
    """waiting, your turn, their turn, or over."""
    view: str
    """The seat's view in words."""
    legal: list[str] | None
    """The legal actions; null where there are too many to list, or it is not your turn."""
    moves: int
    """Moves made so far, those of chance included."""
    result: str | None
    """How the game ended."""


class HeldGame(ABC):
    """A game in which the client holds a seat: on this machine, or in a room of a server."""

    game: AnyGame
    seat: int

    @abstractmethod
    def position(self) -> ShownPosition:
        """The current position."""

    @abstractmethod
    def act(self, action: str) -> ShownPosition:
        """Play an action, and let the others answer."""

    @abstractmethod
    def hint(self, agent: str | None, seconds: float) -> tuple[str, str]:
        """An agent's name, and what it would play now."""

    @abstractmethod
    def undo(self) -> ShownPosition:
        """Take back the seat's last decision."""

    @abstractmethod
    def record(self) -> str:
        """The record of a finished game."""

    @abstractmethod
    def close(self) -> None:
        """Give back what the game holds."""


def listed(game: AnyGame, legal: Actions[object]) -> list[str] | None:
    """All legal actions as text; None where there are too many."""
    if not isinstance(legal, Sized) or len(legal) > LISTABLE:
        return None
    return [game.write(action) for action in legal]


def outcome(returns: tuple[float, ...], seat: int, forfeits: list[str]) -> str:
    """How a game ended, for the seat."""
    if len(returns) == 1:
        words = f"Done, with a return of {returns[0]:g}."
    else:
        words = {1: "You won.", 0: "A draw.", -1: "You lost."}.get(
            int(returns[seat]), f"Your return is {returns[seat]:g}."
        )
    return " ".join([words, *forfeits])
