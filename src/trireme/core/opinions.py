"""Second opinions in an insight: other evaluators of the same position, each under its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .errors import TriremeError

Opinion = dict[str, Any]


def gather_opinions(evaluators: Mapping[str, Callable[[], Opinion]]) -> dict[str, Any]:
    """Ask every evaluator; the answers are two fields of an insight.

    `opinions` maps names to answers, each in the shape of the insight itself as far as it goes.
    `unavailable` maps names to the reason why there is no answer: the network is not installed,
    say, or was trained on other boards. Only a `TriremeError` counts as a reason; any other
    exception is a bug and is raised.
    """
    opinions: dict[str, Opinion] = {}
    unavailable: dict[str, str] = {}
    for name, evaluate in evaluators.items():
        try:
            opinions[name] = evaluate()
        except TriremeError as error:
            unavailable[name] = str(error)
    return {"opinions": opinions, "unavailable": unavailable}
