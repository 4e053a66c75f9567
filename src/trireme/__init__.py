"""Trireme: a laboratory for game-playing agents.

Names are imported on first use: training on a bare GPU machine needs none of what they need.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trireme.arena.evaluation import BotFailed, Evaluation, evaluate
    from trireme.core.errors import (
        AgentNotReady,
        BadSettings,
        BadSpec,
        BadText,
        IllegalAction,
        MissingExtra,
        RecordError,
        TriremeError,
        UnknownName,
    )
    from trireme.core.forfeit import Forfeit
    from trireme.core.game import CHANCE, Actions, Agent, Game, Listed, Seat, Turn
    from trireme.core.notebook import Drawing, draw
    from trireme.core.options import Option, option, settings
    from trireme.core.play import Result, play
    from trireme.core.record import Record, load_record, parse_record
    from trireme.core.registry import draw_text, make_agent, make_game
    from trireme.core.review import Review, review
    from trireme.core.session import Session

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "Actions",
    "Agent",
    "AgentNotReady",
    "BadSettings",
    "BadSpec",
    "BadText",
    "BotFailed",
    "Drawing",
    "Evaluation",
    "Forfeit",
    "Game",
    "IllegalAction",
    "Listed",
    "MissingExtra",
    "Option",
    "Record",
    "RecordError",
    "Result",
    "Review",
    "Seat",
    "Session",
    "TriremeError",
    "Turn",
    "UnknownName",
    "draw",
    "draw_text",
    "evaluate",
    "load_record",
    "make_agent",
    "make_game",
    "option",
    "parse_record",
    "play",
    "review",
    "settings",
]

_PLACES = {
    "BotFailed": "arena.evaluation",
    "Evaluation": "arena.evaluation",
    "evaluate": "arena.evaluation",
    "AgentNotReady": "core.errors",
    "BadSettings": "core.errors",
    "BadSpec": "core.errors",
    "BadText": "core.errors",
    "IllegalAction": "core.errors",
    "MissingExtra": "core.errors",
    "RecordError": "core.errors",
    "TriremeError": "core.errors",
    "UnknownName": "core.errors",
    "CHANCE": "core.game",
    "Actions": "core.game",
    "Agent": "core.game",
    "Game": "core.game",
    "Listed": "core.game",
    "Seat": "core.game",
    "Turn": "core.game",
    "Drawing": "core.notebook",
    "draw": "core.notebook",
    "Option": "core.options",
    "option": "core.options",
    "settings": "core.options",
    "Forfeit": "core.forfeit",
    "Result": "core.play",
    "Session": "core.session",
    "play": "core.play",
    "Record": "core.record",
    "load_record": "core.record",
    "parse_record": "core.record",
    "draw_text": "core.registry",
    "make_agent": "core.registry",
    "make_game": "core.registry",
    "Review": "core.review",
    "review": "core.review",
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
