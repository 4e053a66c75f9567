"""Second opinions for an insight: others who judge the same position, each under a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .errors import TriremeError

Opinion = dict[str, Any]


def heard(voices: Mapping[str, Callable[[], Opinion]]) -> dict[str, Any]:
    """What the voices say, as two fields of an insight.

    `opinions` holds what each says, in the shape of the insight itself, as far as it knows.
    `unavailable` holds why a voice is silent: its network is not installed, say, or was trained on
    other boards. A silent voice is no reason to withhold the rest.
    """
    opinions: dict[str, Opinion] = {}
    unavailable: dict[str, str] = {}
    for name, ask in voices.items():
        try:
            opinions[name] = ask()
        except TriremeError as error:
            unavailable[name] = str(error)
    return {"opinions": opinions, "unavailable": unavailable}
