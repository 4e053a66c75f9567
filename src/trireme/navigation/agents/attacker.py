"""The attacker: it knows an agent's mixed strategy, and plays the best response to it.

Its score against the agent estimates the agent's exploitability on the real board: a half means
that nothing is given away. It knows how the agent mixes its plans, but not which plan is drawn.

Most of a single result is the luck of those draws, and the attacker can tell how much: the value of
what was drawn, less the expected value over the mixed strategy. The expectation of that difference
is 0, however wrong the values are, so results without it have the same mean and a far smaller
variance (the idea of AIVAT: Burch, Schmid, Moravčík, Morrill and Bowling, 2018).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from trireme.core.errors import BadSpec
from trireme.core.game import AnyGame, Turn
from trireme.core.intervals import Interval, mean_half_width, wilson
from trireme.core.play import play
from trireme.core.registry import make_agent
from trireme.navigation.agents.mixed_strategy import DisclosedAgent
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

    victim: DisclosedAgent
    """The opponent itself, which tells its mixed strategy before it draws."""
    seconds: float | None = None
    """CPU seconds for a response; None: as many as the victim's own option says, or else none."""
    prospects: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )
    """By turn: the probabilities of the victim's plans, and what each is worth to the attacker."""
    _searcher: Nash | None = field(default=None, init=False, repr=False, compare=False)

    def prepare(self, game: AnyGame) -> None:
        """Prepare the map."""
        agent = self.victim.agent
        own = getattr(agent, "seconds", None) if self.seconds is None else self.seconds
        evaluation: dict[str, Any] = {}
        if isinstance(agent, Nash):
            evaluation = {"value": agent.value, "model": agent.model}
        # Without time it responds at once, so that it stays reproducible.
        rounds = 1 if own is None else None
        self._searcher = Nash(seconds=own, rounds=rounds, caution=0.0, **evaluation)
        self._searcher.prepare(game)

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        if self._searcher is None:
            self.prepare(turn.game)
        assert self._searcher is not None
        game, other = as_navigation(turn.game), 1 - turn.seat
        theirs = Turn(game, other, turn.view, game.plans[other], turn.rng, turn.seconds)
        plans, weights = zip(*self.victim.mixture(theirs), strict=True)
        oracle = self._searcher.oracle(game, turn.view, turn.seat)
        stop = self._searcher.stop_watch(turn.seconds) if self._searcher.timed else _at_once
        plan = oracle.best_response(turn.seat, plans, weights, stop)
        values = oracle.plan_values(turn.seat, plan, plans)
        self.prospects.append((np.array(weights), values))
        return plan

    @property
    def luck(self) -> float:
        """How much better than expected for the attacker the victim's plans were, in value."""
        turns = zip(self.prospects, self.victim.drawn, strict=False)
        return sum(
            float(values[drawn] - weights @ values)
            for (weights, values), drawn in turns
            if drawn is not None
        )


def _at_once() -> bool:
    return True


@dataclass(frozen=True)
class AttackResult:
    """What the attacker scored against an agent."""

    agent: str
    won: int = 0
    """Games that the attacker won."""
    drawn: int = 0
    lost: int = 0
    adjusted: tuple[float, ...] = ()
    """By game, from -1 to 1 or a little beyond: the result less the luck of the agent's draws."""

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

    @property
    def adjusted_score(self) -> float:
        """The score without the luck of the draws: the same in expectation, and less noisy.

        Few games may show more than all points, or less than none; those are cut off.
        """
        return min(1.0, max(0.0, self._adjusted_mean))

    @property
    def _adjusted_mean(self) -> float:
        return (1 + float(np.mean(self.adjusted))) / 2

    @property
    def adjusted_interval(self) -> Interval:
        """The 95 % interval of the adjusted score, from pairs of games with seats exchanged."""
        pairs = [float(np.mean(self.adjusted[n : n + 2])) for n in range(0, self.games, 2)]
        half = mean_half_width(pairs) / 2 if len(pairs) > 1 else 1.0
        low, high = self._adjusted_mean - half, self._adjusted_mean + half
        return min(1.0, max(0.0, low)), min(1.0, max(0.0, high))

    def after(self, result: float, luck: float) -> AttackResult:
        """These games and one more, with its result and its luck to the attacker."""
        return AttackResult(
            self.agent,
            self.won + (result > 0),
            self.drawn + (result == 0),
            self.lost + (result < 0),
            (*self.adjusted, result - luck),
        )


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
    result = AttackResult(spec)
    for number in range(games):
        pair, side = divmod(number, 2)
        start, _ = starts(game or Navigation(), np.random.default_rng([seed, pair]))
        victim = DisclosedAgent(make_agent(start, spec))
        attacker = BestResponseAttacker(victim, seconds)
        agents: list[Any] = [attacker, victim]
        played = play(start, agents if side == 0 else agents[::-1], seed=pair)
        result = result.after(played.returns[side], attacker.luck)
        if on_game is not None:
            on_game(result)
    return result
