"""Nash: solves the turn as a matrix game by the double oracle, and plays the mixed strategy."""

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
from trireme.navigation.search.double_oracle import SearchBias, TurnSolver
from trireme.navigation.search.plan_analysis import PlanAnalysis

DEFAULT_SECONDS = 1.0
"""The CPU time for a plan where nothing else limits the iterations."""
TOLERANCE = 0.02
"""The equilibrium gap at which a solution is good enough."""


@dataclass
class Nash:
    """Solves the matrix game of both captains' plans and plays its mixed strategy.

    With `confidence=0,naive=0` that is the plain Nash equilibrium of the turn.
    """

    name: ClassVar[str] = "nash"
    _max_combinations: ClassVar[int] = 625

    seconds: float | None = option(
        None,
        "CPU seconds a plan at most, more: closer to the equilibrium; none: 1 second, or no clock "
        "with rounds",
    )
    rounds: int | None = option(
        None, "double-oracle iterations at most; more: closer to equilibrium; none: as time allows"
    )
    confidence: float = option(
        0.5, "0 to 0.95: value of an undecided fight (contempt); higher: avoids risky grapples"
    )
    naive: float = option(
        0.25, "0 to 0.95: assumed chance of a naive enemy; higher: exploits weak play more"
    )
    _solver: TurnSolver | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.rounds is not None and self.rounds < 1:
            raise BadSpec(f"{self.name}: rounds must be 1 or more, not {self.rounds}")
        for name, value in (("confidence", self.confidence), ("naive", self.naive)):
            if not 0 <= value <= 0.95:
                raise BadSpec(f"{self.name}: {name} must be 0 to 0.95, not {value}")

    @property
    def timed(self) -> bool:
        """Whether a clock of its own ends the iterations, so that results depend on the machine."""
        return self.seconds is not None or self.rounds is None

    def prepare(self, game: AnyGame) -> None:
        """Compile, and prepare the map."""
        self._ready(game).double_oracle(game.start(), 0).improve(1)

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        candidates = self.think(turn).candidates
        weights = np.array([candidate.weight for candidate in candidates])
        return candidates[int(turn.rng.choice(len(weights), p=weights / weights.sum()))].plan

    def think(self, turn: Turn[Plan, NavigationState]) -> PlanAnalysis:
        """The mixed strategy that it would play, and the one it expects of the other seat."""
        return self.analyse(turn.game, turn.view, turn.seat, turn.seconds)

    def analyse(
        self, game: AnyGame, view: NavigationState, seat: Seat, limit: float | None = None
    ) -> PlanAnalysis:
        """The same for any position, within `limit` seconds of wall-clock time."""
        own = DEFAULT_SECONDS if self.seconds is None else self.seconds
        cpu_end = time.thread_time() + own if self.timed else math.inf
        clock_end = math.inf if limit is None else time.perf_counter() + 0.9 * limit
        bias = SearchBias(self.confidence, self.naive)
        oracle = self._ready(game).double_oracle(view, seat, bias)
        oracle.max_combinations = self._max_combinations
        played = 0
        while played != self.rounds and oracle.gap > TOLERANCE:
            oracle.improve(tolerance=TOLERANCE)
            played += 1
            if time.thread_time() >= cpu_end or time.perf_counter() >= clock_end:
                break
        return oracle.analysis()

    def _ready(self, game: AnyGame) -> TurnSolver:
        if self._solver is None or self._solver.game != game:
            self._solver = TurnSolver(as_navigation(game))
        return self._solver


@dataclass
class NashQuick(Nash):
    """Nash with a fixed number of iterations: some milliseconds a plan, reproducible anywhere."""

    name: ClassVar[str] = "nash-quick"
    _max_combinations: ClassVar[int] = 24

    rounds: int | None = option(
        4, "double-oracle iterations at most; more: closer to equilibrium; none: as time allows"
    )
