"""The encoder protocol: views as arrays for learners, actions as numbers chosen one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from trireme.core.game import AnyGame, Seat
from trireme.core.registry import find, load

from .board_encoding import BoardEncoder


class Encoder(Protocol):
    """An action is one number, or several chosen one after another: the cells of a salvo, the
    orders of a plan. Every choice is made from the same `num_actions` numbers."""

    @property
    def num_actions(self) -> int:
        """The numbers that one choice is made from, allowed or not."""
        ...

    def observe(self, view: Any, seat: Seat, chosen: Sequence[int]) -> NDArray[Any]:
        """What `seat` sees, and has chosen so far, as an array of values from 0 to 1; always of
        one shape and type."""
        ...

    def choices(self, view: Any, seat: Seat) -> int:
        """How many choices make up the next action; 0 for actions that have no numbers, which
        environments draw from those that are legal."""
        ...

    def allowed(self, view: Any, seat: Seat, chosen: Sequence[int]) -> NDArray[np.int8]:
        """`int8[num_actions]`: what may be chosen next."""
        ...

    def decide(self, view: Any, seat: Seat, chosen: Sequence[int]) -> Any:
        """The action that all the choices make up."""
        ...


def encoder_of(game: AnyGame) -> Encoder:
    """The encoder that comes with a game, else the generic one of its board."""
    place = find(game.name).encoder
    made: Encoder = BoardEncoder(game) if place is None else load(place)(game)
    made.num_actions  # noqa: B018 - a game that has neither says so here
    return made
