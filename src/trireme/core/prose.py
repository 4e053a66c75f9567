"""A game in words, for readers that see no picture: its rules, its notation, and a seat's view."""

from __future__ import annotations

import inspect
import sys
from typing import Any

from .game import AnyGame
from .options import options_of, settings
from .registry import find, load


def rules_text(game: AnyGame) -> str:
    """The full rules, as the module of the game states them, and the settings of this game."""
    cls = type(game)
    doc = sys.modules[cls.__module__].__doc__ or cls.__doc__ or find(game.name).summary
    lines = [inspect.cleandoc(doc), "", "Settings of this game:"]
    helps = options_of(cls)
    for name, value in settings(game).items():
        lines.append(f"- {name} = {value} ({helps[name].help})")
    if notation := find(game.name).notation:
        lines += ["", "How actions are written:", notation]
    return "\n".join(lines)


def view_text(game: AnyGame, view: Any) -> str:
    """A seat's view in words, or drawn where the game has no words for it. It is made from the
    view alone: what the view hides can't be in it."""
    found = find(game.name)
    if found.prose is not None:
        words: str = load(found.prose)(game, view)
        return words
    drawn: str = load(found.text)(game, view, False)
    return drawn
