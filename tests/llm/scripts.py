"""Scripts for the endpoint: a model that plays legally, and the specs that reach it."""

from __future__ import annotations

import json
import re

from trireme.llm.scripted import Asked, ScriptedEndpoint

QUICK = {"backoff": "0", "timeout": "20"}


def spec(endpoint: ScriptedEndpoint, *options: str, agent: str = "llm", provider: str = "") -> str:
    """An agent that asks the endpoint, and waits for nothing between repeats."""
    given = {"provider": provider or "compatible", "url": endpoint.url, **QUICK}
    given |= dict(text.split("=", 1) for part in options for text in part.split(","))
    return f"{agent}:model=script," + ",".join(f"{key}={value}" for key, value in given.items())


def listed(asked: Asked) -> list[str]:
    """The legal actions that the first prompt lists."""
    (found,) = re.findall(r"<legal_actions>\n(.*?)\n</legal_actions>", asked.messages[0][1], re.S)
    return str(found).split(", ")


def say(action: str) -> str:
    """A good answer."""
    return f"I thought about it.\n{json.dumps({'action': action, 'reason': 'why not'})}\n"


def first_legal(asked: Asked) -> str:
    """Plays the first action of the list; a fleet or a plan where there are too many to list."""
    if "Battle Navigation" in asked.system:
        phases = int(re.findall(r"- phases = (\d)", asked.system)[0])
        return say("F-" * phases)
    if "Fleets are being placed" in asked.messages[0][1]:
        return say("A1-A5 C1-C4 E1-E3 G1-G3 I1-I2")
    return say(listed(asked)[0])


def answered(asked: Asked) -> str:
    """Plays the first candidate, or the first legal action where none are proposed."""
    found = re.findall(r"<candidates>\n(.*?): ", asked.messages[0][1])
    return say(found[0]) if found else first_legal(asked)
