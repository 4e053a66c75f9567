"""Connect Four in a terminal: how to type a move, and what players call the seats."""

from typing import Any, ClassVar

from trireme.core.game import AnyGame, Seat
from trireme.core.terminal import Terminal

from .draw import NAMES


class ConnectFourTerminal(Terminal):
    """Columns are typed as letters or numbers."""

    typing: ClassVar[str] = "Type a column: d or 4."

    def seat_name(self, game: AnyGame, state: Any, seat: Seat) -> str:
        return NAMES[seat]
