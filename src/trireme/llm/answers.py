"""Reading answers: the last JSON object counts, nothing is guessed from prose."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from trireme.core.errors import TriremeError
from trireme.core.game import Turn

MOST_TEXT = 20_000
"""Characters of an answer that are searched: its end, where the object is asked for. The time for
an answer of braces alone grows with the square."""
MOST_ACTION = 2000
"""Characters of an action."""


@dataclass(frozen=True)
class Unusable:
    """Why an answer can't be played, in words that help to mend it."""

    kind: Literal["unreadable", "illegal", "truncated"]
    why: str


def last_object(text: str) -> dict[str, Any] | None:
    """The last JSON object in a text that is not inside another one.

    >>> last_object('Maybe {"action": "a1"}. No: {"action": "h8", "why": {"centre": 1}} it is.')
    {'action': 'h8', 'why': {'centre': 1}}
    """
    decoder = json.JSONDecoder()
    found: dict[str, Any] | None = None
    text = text[-MOST_TEXT:]
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = value
        at = text.find("{", end)
    return found


def read_answer(turn: Turn[Any, Any], text: str) -> Any | Unusable:
    """The legal action that an answer names."""
    answer = last_object(text)
    if answer is None:
        return Unusable("unreadable", "There is no JSON object in your answer.")
    action = answer.get("action")
    if not isinstance(action, str):
        return Unusable("unreadable", 'Your last JSON object has no "action" that is a string.')
    if len(action) > MOST_ACTION:
        return Unusable("unreadable", f"The action has more than {MOST_ACTION} characters.")
    try:
        read = turn.game.read(action)
    except TriremeError as error:
        return Unusable("unreadable", f"The action can't be read: {error}.")
    if read not in turn.legal:
        return Unusable("illegal", f"The action {action!r} is illegal: {_why_illegal(turn, read)}.")
    return read


def _why_illegal(turn: Turn[Any, Any], action: Any) -> str:
    """The rules' own reason. They want a full state: any that fits the view will do, because what
    is legal depends on the view alone."""
    try:
        state = turn.game.determinize(turn.view, np.random.default_rng(0))
        turn.game.check(state, turn.seat, action)
    except TriremeError as error:
        return str(error)
    return "it is not legal now"
