"""Agents in which a network proposes its best actions and a language model chooses among them.

A game's agent subclasses `CandidateAgent` and implements `candidates`; a network that gives a value
for each action, such as a policy or a Q network, is all that it takes.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from trireme.core.errors import BadSpec
from trireme.core.forfeit import AgentFault
from trireme.core.game import Turn
from trireme.core.options import option

from .agent import ModelAgent
from .answers import Unusable, read_answer
from .prompting import turn_values


@dataclass(frozen=True)
class Candidate:
    """An action that the network proposes, and its value in the agent's `unit`."""

    action: Any
    value: float


@dataclass
class CandidateAgent(ModelAgent, ABC):
    """A network's k best actions, among which a language model chooses with reasons."""

    k: int = option(5, "actions that the network proposes; more: more freedom for the model")
    fallback: Literal["best", "forfeit"] = option(
        "best", "what follows when no usable answer comes: the network's best action, or a forfeit"
    )

    unit: ClassVar[str] = "values"
    """What the network's numbers are, as the prompt says it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k < 1:
            raise BadSpec(f"k must be at least 1, not {self.k}")

    @abstractmethod
    def candidates(self, turn: Turn[Any, Any]) -> Sequence[Candidate]:
        """The network's proposals, best first, `k` at most; one alone is played without asking."""

    def act(self, turn: Turn[Any, Any]) -> Any:
        began = time.monotonic()
        proposed = self.candidates(turn)
        if len(proposed) == 1:
            return self._play(turn, proposed[0].action)
        if turn.seconds is not None:
            left = turn.seconds - (time.monotonic() - began)
            turn = replace(turn, seconds=max(0.0, left))
        write = turn.game.write
        lines = [f"{write(c.action)}: {c.value:.3f}" for c in proposed]
        values = {"unit": self.unit, "candidates": "\n".join(lines), **turn_values(turn, self._own)}
        prompt = self._prompts.fill("choose", **values)
        try:
            return self.converse(turn, prompt, lambda text: _chosen(turn, text, proposed))
        except AgentFault:
            if self.fallback == "forfeit":
                raise
            return self._play(turn, proposed[0].action)

    def _play(self, turn: Turn[Any, Any], action: Any) -> Any:
        self._own.append(turn.game.write(action))
        return action


def _chosen(turn: Turn[Any, Any], text: str, proposed: Sequence[Candidate]) -> Any | Unusable:
    action = read_answer(turn, text)
    if isinstance(action, Unusable) or any(c.action == action for c in proposed):
        return action
    named = ", ".join(turn.game.write(c.action) for c in proposed)
    return Unusable("illegal", f"Choose one of the candidates: {named}.")
