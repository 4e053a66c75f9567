"""Nash: solves the turn as a game of simultaneous plans, and plays the mixture that it finds."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from trireme.core.errors import BadSpec
from trireme.core.game import AnyGame, Seat, Turn
from trireme.core.options import option
from trireme.navigation.plans import Plan
from trireme.navigation.rules import NavigationState, as_navigation
from trireme.navigation.search.equilibrium import Battle, Outlook, Thought

TOLERANCE = 0.02
"""What both seats together may still gain by other plans when a solution is good enough."""


@dataclass
class Nash:
    """Solves the game of both captains' plans and plays the equilibrium's mixture.

    With `confidence=0,naive=0` it is the plain equilibrium of the turn.
    """

    name: ClassVar[str] = "nash"
    _most_tries: ClassVar[int] = 625

    seconds: float = option(1.0, "CPU seconds for one plan, fewer where a solution is found sooner")
    rounds: int | None = option(None, "rounds of answering each other; none: as time allows")
    confidence: float = option(0.5, "how much it prefers a long fight to one throw of the hooks")
    naive: float = option(0.25, "the chance it gives to an enemy that plans naively")
    _battle: Battle | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.rounds is not None and self.rounds < 1:
            raise BadSpec(f"{self.name}: rounds must be 1 or more, not {self.rounds}")
        for name, value in (("confidence", self.confidence), ("naive", self.naive)):
            if not 0 <= value <= 0.95:
                raise BadSpec(f"{self.name}: {name} must be 0 to 0.95, not {value}")

    def prepare(self, game: AnyGame) -> None:
        """Compile, and prepare the map."""
        self._ready(game).solution(game.start(), 0).improve(1)

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        candidates = self.think(turn).candidates
        weights = np.array([candidate.weight for candidate in candidates])
        return candidates[int(turn.rng.choice(len(weights), p=weights / weights.sum()))].plan

    def think(self, turn: Turn[Plan, NavigationState]) -> Thought:
        """The mixture that it would play, and what it expects of the other seat."""
        return self.weigh(turn.game, turn.view, turn.seat, turn.seconds)

    def weigh(
        self, game: AnyGame, view: NavigationState, seat: Seat, limit: float | None = None
    ) -> Thought:
        """The same, of any position, within `limit` seconds by the clock."""
        cpu_end = time.thread_time() + self.seconds
        clock_end = math.inf if limit is None else time.perf_counter() + 0.9 * limit
        outlook = Outlook(self.confidence, self.naive)
        solution = self._ready(game).solution(view, seat, outlook)
        solution.most_tries = self._most_tries
        played = 0
        while played != self.rounds and solution.gap > TOLERANCE:
            solution.improve(tolerance=TOLERANCE)
            played += 1
            if time.thread_time() >= cpu_end or time.perf_counter() >= clock_end:
                break
        return solution.thought()

    def _ready(self, game: AnyGame) -> Battle:
        if self._battle is None or self._battle.game != game:
            self._battle = Battle(as_navigation(game))
        return self._battle


@dataclass
class NashQuick(Nash):
    """Nash with a fixed number of rounds: some milliseconds a plan, and the same plan anywhere."""

    name: ClassVar[str] = "nash-quick"
    _most_tries: ClassVar[int] = 24

    rounds: int | None = option(4, "rounds of answering each other; none: as time allows")
