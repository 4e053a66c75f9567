"""The attacker: it knows an agent's mixed strategy, and plays the best response to it.

Its score against the agent estimates the agent's exploitability on the real board: a half means
that nothing is given away. It knows how the agent mixes its plans, but not which plan is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from trireme.core.errors import BadSpec
from trireme.core.game import AnyAgent, AnyGame, Turn
from trireme.core.intervals import Interval, wilson
from trireme.core.play import play
from trireme.core.registry import make_agent
from trireme.navigation.agents.mixed_strategy import mixture_of
from trireme.navigation.agents.nash import Nash
from trireme.navigation.duel import check_duel
from trireme.navigation.plans import Plan
from trireme.navigation.rules import Navigation, NavigationState, as_navigation
from trireme.navigation.starts import starts


@dataclass
class BestResponseAttacker:
    """An agent that knows its opponent's mixed strategy, and plays the best response to it.

    It evaluates as its opponent does, or else as `nash`, and searches a second turn where its
    response leads.
    """

    name: ClassVar[str] = "attacker"

    victim: str
    """The spec of the opponent."""
    seconds: float | None = None
    """CPU seconds for a response; None: as many as the victim's own option says, or else none."""
    _agent: Any = field(default=None, init=False, repr=False, compare=False)
    _searcher: Nash | None = field(default=None, init=False, repr=False, compare=False)

    def prepare(self, game: AnyGame) -> None:
        """Make a copy of the victim, and prepare the map."""
        self._agent = make_agent(game, self.victim)
        if hasattr(self._agent, "prepare"):
            self._agent.prepare(game)
        own = getattr(self._agent, "seconds", None) if self.seconds is None else self.seconds
        evaluation: dict[str, Any] = {}
        if isinstance(self._agent, Nash):
            evaluation = {"value": self._agent.value, "model": self._agent.model}
        # Without time it responds at once, so that it stays reproducible.
        self._searcher = Nash(seconds=own, rounds=1 if own is None else None, **evaluation)
        self._searcher.prepare(game)

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        if self._searcher is None:
            self.prepare(turn.game)
        assert self._searcher is not None
        game, other = as_navigation(turn.game), 1 - turn.seat
        theirs = Turn(game, other, turn.view, game.plans[other], turn.rng, turn.seconds)
        mixture = mixture_of(self._agent, theirs)
        oracle = self._searcher.oracle(game, turn.view, turn.seat)
        stop = self._searcher.stop_watch(turn.seconds) if self._searcher.timed else _at_once
        plans, weights = zip(*mixture, strict=True)
        return oracle.best_response(turn.seat, plans, weights, stop)


def _at_once() -> bool:
    return True


@dataclass(frozen=True)
class AttackResult:
    """What the attacker scored against an agent."""

    agent: str
    won: int
    """Games that the attacker won."""
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def score(self) -> float:
        """The attacker's share of the points, a draw counting half; 0.5: nothing is given away."""
        return (self.won + self.drawn / 2) / self.games

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the score."""
        return wilson(self.score * self.games, self.games)


def attack(
    spec: str,
    games: int,
    *,
    game: Navigation | None = None,
    seed: int = 0,
    seconds: float | None = None,
    on_game: Callable[[AttackResult], object] | None = None,
) -> AttackResult:
    """Let the attacker play an agent on the arena's starts, each start with both seatings.

    `seconds` is the attacker's time for a response; None: the agent's own.
    """
    if games < 1:
        raise BadSpec(f"expected at least 1 game, not {games}")
    check_duel(game or Navigation(), "the attacker is")
    make_agent(game or Navigation(), spec)
    counts = {1.0: 0, 0.0: 0, -1.0: 0}
    result = AttackResult(spec, 0, 0, 0)
    for number in range(games):
        pair, side = divmod(number, 2)
        start, _ = starts(game or Navigation(), np.random.default_rng([seed, pair]))
        attacker: Any = BestResponseAttacker(spec, seconds)
        agents: list[AnyAgent] = [attacker, make_agent(start, spec)]
        played = play(start, agents if side == 0 else agents[::-1], seed=pair)
        counts[played.returns[side]] += 1
        result = AttackResult(spec, counts[1.0], counts[0.0], counts[-1.0])
        if on_game is not None:
            on_game(result)
    return result
