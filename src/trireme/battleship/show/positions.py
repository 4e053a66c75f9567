"""Which positions of Battleship are alike: by the answered shots at either board."""

from __future__ import annotations

from typing import get_args

from trireme.battleship.rules import Battleship, BattleshipView
from trireme.battleship.shots import Result
from trireme.core.positions import MarkedBoard

_KINDS: tuple[str, ...] = get_args(Result)


def marked_boards(game: Battleship, view: BattleshipView) -> list[MarkedBoard]:
    """Each board with its shots and their results."""
    return [
        MarkedBoard(tuple((*shot.cell, _KINDS.index(shot.result)) for shot in sea.shots))
        for sea in view.seas
    ]
