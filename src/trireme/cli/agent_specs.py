"""Agent specs from the options `--agent`, `--model` and `--epsilon` of a command."""

from __future__ import annotations

from pathlib import Path

from trireme.core.errors import BadSpec
from trireme.core.options import options_of
from trireme.core.registry import agent_class, find
from trireme.core.spec import parse_spec, with_option


def agent_specs(game: str, specs: list[str], model: Path | None, epsilon: float) -> list[str]:
    """The specs of the agents that play: with the weights in `model`, and with a random action at
    the chance of `epsilon`.

    Without specs the agents are the game's usual opponent, or the first that plays a network.
    """
    if not 0 <= epsilon <= 1:
        raise BadSpec(f"--epsilon must be from 0 to 1, not {epsilon:g}")
    if model is not None:
        if not model.is_file():
            raise BadSpec(f"no file of weights at {str(model)!r}")
        specs = [with_option(s, "model", str(model)) for s in specs or [_network_agent(game)]]
    if epsilon:
        specs = [_careless(game, spec, epsilon) for spec in specs or [find(game).opponent]]
    return specs


def _network_agent(game: str) -> str:
    for name in find(game).agents:
        model = options_of(agent_class(game, name)).get("model")
        if model is not None and model.default == "":  # a language model's name has no default
            return name
    raise BadSpec(f"no agent of {game} plays a network: leave --model out, or name one by --agent")


def _careless(game: str, spec: str, epsilon: float) -> str:
    """By the agent's own option, where it has one; else by the agent `careless` around it."""
    parsed = parse_spec(spec)
    own = parsed.cls is None and "epsilon" in options_of(agent_class(game, parsed.name))
    if own:
        return with_option(spec, "epsilon", f"{epsilon:g}")
    return with_option(with_option("careless", "agent", spec), "slip", f"{epsilon:g}")
