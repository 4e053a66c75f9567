"""Nash: solves the turn as a matrix game by the double oracle, and exploits mistakes safely."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from trireme.core.errors import BadSpec
from trireme.core.game import AnyGame, Seat, Turn
from trireme.core.options import option
from trireme.navigation.duel import duel_at_start, duel_of
from trireme.navigation.plans import Plan
from trireme.navigation.rules import Navigation, NavigationState, as_navigation
from trireme.navigation.search.double_oracle import (
    LEAVES_AT_ONCE,
    DoubleOracle,
    SearchBias,
    TurnSolver,
)
from trireme.navigation.search.plan_analysis import PlanAnalysis
from trireme.navigation.search.value_network import MODEL, load_network

from .safe_exploitation import SafeExploiter

DEFAULT_SECONDS = 1.0
"""The CPU time for a plan where nothing else limits the iterations."""
TOLERANCE, FINE = 0.005, 0.0005
"""The equilibrium gap at which leaves are searched, and that at which a turn counts as solved."""
SOLVING, SOLVING_FIRST, SOLVING_MYOPIC = 0.9, 0.35, 0.6
"""The share of the time for the equilibrium: where there is no budget to deviate from it, the rest
being for predictions; and where there is, for a response to the model of the enemy too: one that
was recognised, or the myopic one."""
RESPONDING = 0.95
"""The share of the time after which no response is searched any more."""
LEAVES = 0.92
"""The share of the time for the equilibrium after which no leaf is searched any more: new values of
leaves open the gap of the turn, which the rest of the time is to close."""


@dataclass
class Nash:
    """Solves the matrix game of both captains' plans and plays its mixed strategy.

    Time beyond that goes into a second turn: the positions reached most often are solved too. Value
    that the enemy's mistakes gave away it risks to exploit them (`safe_exploitation`).
    """

    name: ClassVar[str] = "nash"
    bold: ClassVar[bool] = True
    """Whether no margin bounds what it risks against a captain that plays at random."""

    seconds: float | None = option(
        None,
        "CPU seconds a plan at most, more: closer to the equilibrium; none: 1 second, or no clock "
        "with rounds",
    )
    rounds: int | None = option(
        None, "double-oracle iterations at most; more: closer to equilibrium; none: as time allows"
    )
    leaves: int | None = option(
        None,
        "positions after the turn that are solved too, at most; more: looks further; none: as time "
        "allows, or 0 with rounds",
    )
    value: Literal["learned", "formula"] = option(
        "learned", "the value of positions after the search: the network's, or a formula's"
    )
    model: str = option("", "the value network's file; empty: the one that ships")
    confidence: float = option(
        0.0,
        "0 to 0.95: value of an undecided fight (contempt); higher: avoids risky grapples, and is "
        "easier to exploit",
    )
    naive: float = option(
        0.0,
        "0 to 0.95: assumed chance of a naive enemy; higher: exploits weak play more, and is "
        "easier to exploit",
    )
    tremble: float = option(
        0.0,
        "0 to 0.95: assumed chance of a plan drawn at random (trembling hand); higher: of equally "
        "good mixtures, prefers more the one that punishes mistakes",
    )
    caution: float = option(
        0.0,
        "0 to 0.5: value taken off positions after the turn that were not searched themselves "
        "(pessimism); higher: prefers more what it has searched",
    )
    exploit: bool = option(
        True,
        "respond to what it expects of the enemy, within a budget; false: play the equilibrium "
        "whatever the enemy does",
    )
    margin: float = option(
        0.1,
        "0 to 2: value that may be risked in a game for that, beyond what the enemy's mistakes "
        "gave away; higher: exploits more, and is easier to exploit; no bound against one that "
        "seems to play at random",
    )
    _solver: TurnSolver | None = field(default=None, init=False, repr=False, compare=False)
    _memory: SafeExploiter | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.rounds is not None and self.rounds < 1:
            raise BadSpec(f"{self.name}: rounds must be 1 or more, not {self.rounds}")
        if self.leaves is not None and self.leaves < 0:
            raise BadSpec(f"{self.name}: leaves must be 0 or more, not {self.leaves}")
        for name in ("confidence", "naive", "tremble"):
            value = getattr(self, name)
            if not 0 <= value <= 0.95:
                raise BadSpec(f"{self.name}: {name} must be 0 to 0.95, not {value}")
        if not 0 <= self.caution <= 0.5:
            raise BadSpec(f"{self.name}: caution must be 0 to 0.5, not {self.caution}")
        if not 0 <= self.margin <= 2:
            raise BadSpec(f"{self.name}: margin must be 0 to 2, not {self.margin}")

    @property
    def timed(self) -> bool:
        """Whether a clock of its own ends the search, so that results depend on the machine."""
        return self.seconds is not None or self.rounds is None

    @property
    def _most_leaves(self) -> float:
        """How many leaves of a turn may be searched."""
        if self.leaves is None:
            return math.inf if self.timed else 0
        return self.leaves

    def prepare(self, game: AnyGame) -> None:
        """Compile, and prepare the map."""
        duel = duel_at_start(game)
        oracle = self._ready(duel).double_oracle(duel.start(), 0)
        oracle.improve(1)
        oracle.search_leaves(lambda: True, 1)

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        candidates = self.think(turn).candidates
        weights = np.array([candidate.weight for candidate in candidates])
        return candidates[int(turn.rng.choice(len(weights), p=weights / weights.sum()))].plan

    def think(self, turn: Turn[Plan, NavigationState]) -> PlanAnalysis:
        """The mixed strategy that it would play, and the one it expects of the other seat."""
        if not self.exploit or turn.game.seats > 2:
            return self.analyse(turn.game, turn.view, turn.seat, turn.seconds)
        memory = self._recall(as_navigation(turn.game), turn.view, turn.seat)
        memory.observe(turn.view)
        share = SOLVING
        if memory.may_deviate:
            share = SOLVING_FIRST if memory.model.recognised else SOLVING_MYOPIC
        stop, stop_solving, stop_leaves = (
            self.stop_watch(turn.seconds, part) for part in (RESPONDING, share, LEAVES * share)
        )
        oracle = self.oracle(turn.game, turn.view, turn.seat)
        self.search(oracle, stop_solving, stop_leaves)
        return memory.respond(oracle, turn.view, stop, self._most_leaves)

    def _recall(self, game: Navigation, view: NavigationState, seat: Seat) -> SafeExploiter:
        """What it remembers of this game; nothing of another."""
        memory = self._memory
        same = memory is not None and (memory.game, memory.seat) == (game, seat)
        if memory is None or not same or not memory.turn <= view.turn <= memory.turn + 1:
            memory = self._memory = SafeExploiter(game, seat, self.margin, self.bold)
        return memory

    def analyse(
        self, game: AnyGame, view: NavigationState, seat: Seat, limit: float | None = None
    ) -> PlanAnalysis:
        """The same for any position, within `limit` seconds of wall-clock time.

        With several ships a side: of the duel with the nearest enemy.
        """
        stop, stop_leaves = self.stop_watch(limit), self.stop_watch(limit, LEAVES)
        duel = duel_of(game, view, seat)
        oracle = self.oracle(duel.game, duel.view, duel.seat)
        self.search(oracle, stop, stop_leaves)
        return oracle.analysis()

    def oracle(self, game: AnyGame, view: NavigationState, seat: Seat) -> DoubleOracle:
        """The double oracle of a position, before its first iteration."""
        caution = self.caution if self._most_leaves else 0.0
        bias = SearchBias(self.confidence, self.naive, self.tremble, caution)
        return self._ready(game).double_oracle(view, seat, bias)

    def stop_watch(self, limit: float | None, share: float = 1.0) -> Callable[[], bool]:
        """Says from now on whether a plan's CPU time, or `limit` seconds of time, are used up.

        `share`: whether that share of them is.
        """
        own = DEFAULT_SECONDS if self.seconds is None else self.seconds
        cpu_end = time.thread_time() + share * own if self.timed else math.inf
        clock_end = math.inf if limit is None else time.perf_counter() + 0.9 * share * limit
        return lambda: time.thread_time() >= cpu_end or time.perf_counter() >= clock_end

    def search(
        self,
        oracle: DoubleOracle,
        stop: Callable[[], bool],
        stop_leaves: Callable[[], bool] | None = None,
    ) -> None:
        """Solve the turn, then its leaves and the turn again, until asked to stop.

        The first iteration always runs. `stop_leaves` ends the search of leaves sooner.
        """
        no_more = stop_leaves or stop
        rounds = math.inf if self.rounds is None else self.rounds
        tolerance = TOLERANCE
        while True:
            while rounds > 0:
                rounds -= 1
                if not oracle.improve(1, tolerance) or stop():
                    break
            if stop():
                return
            room = self._most_leaves - oracle.leaves
            searching = room > 0 and not no_more()
            if searching and oracle.search_leaves(no_more, int(min(room, LEAVES_AT_ONCE))):
                tolerance = TOLERANCE
            elif tolerance == FINE:
                return
            else:
                tolerance = FINE

    def _ready(self, game: AnyGame) -> TurnSolver:
        if self._solver is None or self._solver.game != game:
            network = None
            if self.value == "learned":
                network = load_network(Path(self.model) if self.model else MODEL)
            self._solver = TurnSolver(as_navigation(game), network)
        return self._solver


@dataclass
class NashQuick(Nash):
    """Nash with a fixed number of iterations: some milliseconds a plan, reproducible anywhere."""

    name: ClassVar[str] = "nash-quick"

    rounds: int | None = option(
        4, "double-oracle iterations at most; more: closer to equilibrium; none: as time allows"
    )
    exploit: bool = option(
        False,
        "respond to what it expects of the enemy, within a budget; false: play the equilibrium "
        "whatever the enemy does",
    )
