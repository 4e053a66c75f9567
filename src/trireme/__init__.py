"""Trireme: a laboratory for game-playing agents."""

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
from trireme.core.game import CHANCE, Actions, Agent, Game, Listed, Seat, Turn
from trireme.core.options import Option, option, settings
from trireme.core.play import Forfeit, Result, Session, play
from trireme.core.record import Record, load_record, parse_record
from trireme.core.registry import draw_text, make_agent, make_game

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "Actions",
    "Agent",
    "AgentNotReady",
    "BadSettings",
    "BadSpec",
    "BadText",
    "Forfeit",
    "Game",
    "IllegalAction",
    "Listed",
    "MissingExtra",
    "Option",
    "Record",
    "RecordError",
    "Result",
    "Seat",
    "Session",
    "TriremeError",
    "Turn",
    "UnknownName",
    "draw_text",
    "load_record",
    "make_agent",
    "make_game",
    "option",
    "parse_record",
    "play",
    "settings",
]
