"""Previews: whether a seat's action would be allowed, and what it would do, before it counts."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from trireme.core.errors import TriremeError
from trireme.core.game import Seat
from trireme.core.registry import find, load
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.messages import Preview, PreviewRequest

from .table import Table


def preview(table: Table, wish: PreviewRequest) -> Preview:
    """Answered from the seat's view alone: what is legal depends on nothing else, and the game's
    own preview is handed nothing else."""
    seat, game = wish.seat, table.game
    problem: str | None = None
    action: Any = None
    if seat not in table.waiting_for:
        raise Refusal("not_your_turn", f"seat {seat} has nothing to decide now")
    if wish.action is None:
        action = game.legal(table.state, seat).sample(np.random.default_rng())
    else:
        try:
            action = table.read(seat, wish.action)
        except Refusal as refusal:
            problem = refusal.message
    return Preview(
        id=wish.id,
        seat=seat,
        moves=len(table.moves),
        action=game.write(action) if wish.action is None else wish.action,
        drawn=wish.action is None,
        problem=problem,
        outcome=None if action is None else _outcome(table, seat, action, wish.others),
    )


def _outcome(table: Table, seat: Seat, action: Any, others: dict[Seat, str]) -> Any:
    place = find(table.game.name).preview
    if place is None:
        return None
    game = table.game
    try:
        guessed = {s: game.read(text) for s, text in others.items() if s != seat}
        made = load(place)(game, game.view(table.state, seat), {**guessed, seat: action})
    except TriremeError as error:
        raise Refusal("bad_action", f"the guess about another seat: {error}") from None
    return msgspec.to_builtins(made)
