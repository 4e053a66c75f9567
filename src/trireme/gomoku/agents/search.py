"""The search agent: the alpha-beta engine with a level, a budget and some random variety."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal

from numpy.random import Generator

from trireme.core.errors import AgentNotReady, BadSpec
from trireme.core.game import AnyGame, Turn
from trireme.core.options import option
from trireme.gomoku.engine.analysis import EngineAnalysis, Report, SearchLimits, scaled_value
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.engine.table_network import (
    SHIPPED,
    TableNetwork,
    load_table_network,
    shipped_network,
)
from trireme.gomoku.openings import first_stone
from trireme.gomoku.rules import Action, Gomoku, GomokuState
from trireme.gomoku.swap2 import BALANCED, opening_action

Level = Literal["easy", "medium", "hard", "full"]


@dataclass(frozen=True)
class Strength:
    """What a level of the agent may use."""

    depth: int
    fours: bool
    threats: bool
    noise: int
    """The most that is added at random to the value of a move, in pattern points."""


LEVELS: dict[str, Strength] = {
    "easy": Strength(depth=2, fours=False, threats=False, noise=900),
    "medium": Strength(depth=4, fours=True, threats=False, noise=250),
    "hard": Strength(depth=5, fours=True, threats=False, noise=0),
    "full": Strength(depth=60, fours=True, threats=True, noise=0),
}
DEFAULT_SECONDS = 1.0
"""The time for a move where nothing else limits the search."""
SHARE_OF_TIME = 0.97
"""The part of the time budget that is spent on searching."""
OVERRUN_DECAY = 0.9
"""How much of the largest overrun is still expected a move later."""
WAIT_PER_LOAD = 0.012
"""Seconds that a move may wait for the processor, for every program per core beside it."""
LEAST_SHARE_OF_TIME = 0.3
"""The part that is spent on searching however large the overrun was."""


def expected_wait() -> float:
    """How long a move may have to wait for the processor, in seconds, by the machine's load."""
    if not hasattr(os, "getloadavg"):  # as on Windows
        return 0.0
    per_core = os.getloadavg()[0] / (os.cpu_count() or 1)
    return WAIT_PER_LOAD * max(0.0, per_core - 1)


@dataclass
class Search:
    """Alpha-beta with threat-space search: proves wins by fours and threes (VCF, VCT)."""

    level: Level = option("full", "easy, medium, hard or full strength")
    seconds: float | None = option(
        None,
        "seconds a move at most; none: the game's budget, or 1 second, or no clock with nodes or "
        "depth",
    )
    nodes: int | None = option(None, "nodes a move at most; more are stronger and slower")
    depth: int | None = option(None, "plies to search at most; deeper is stronger and slower")
    variety: int = option(
        24,
        "how much worse an early move may be, in pattern points; 0: always the best",
    )
    evaluation: Literal["auto", "network", "patterns"] = option(
        "auto",
        "static evaluation and move ordering: a trained table network, or fitted patterns; auto: "
        "the network where exactly five win, patterns in freestyle",
    )
    threads: int = option(
        1, "threads that search; more are stronger, and results then depend on timing"
    )
    model: str = option("", "the file of another table network; empty: the one that ships")

    name: ClassVar[str] = "search"

    value: float | None = field(default=None, init=False, repr=False, compare=False)
    """How it judges the position of its last move, from -1, lost, to 1, won."""
    _engine: Engine | None = field(default=None, init=False, repr=False, compare=False)
    _overrun: float = field(default=-1.0, init=False, repr=False, compare=False)
    """By how much moves are expected to overrun, in seconds; -1 before the first."""
    """Seconds by which recent moves took longer than planned: a maximum that decays."""

    def __post_init__(self) -> None:
        for what in ("seconds", "nodes", "depth"):
            value = getattr(self, what)
            if value is not None and value <= 0:
                raise BadSpec(f"{what} must be more than 0, not {value}")
        if self.threads < 1:
            raise BadSpec(f"threads must be 1 or more, not {self.threads}")
        if self.variety < 0:
            raise BadSpec(f"variety must be 0 or more, not {self.variety}")
        if self.model and self.evaluation == "patterns":
            raise BadSpec(f"model={self.model} needs evaluation=network")

    @property
    def timed(self) -> bool:
        """Whether results depend on the machine: a clock of its own stops the search, or threads
        race."""
        return self._has_clock or self.threads > 1

    @property
    def _has_clock(self) -> bool:
        return self.seconds is not None or (self.nodes is None and self.depth is None)

    def fits(self, game: AnyGame) -> None:
        if (self.evaluation == "network" or self.model) and isinstance(game, Gomoku):
            self._network(game.rule)

    def prepare(self, game: AnyGame) -> None:
        """Load tables and kernels, compiling them when they are not cached yet."""
        assert isinstance(game, Gomoku)
        engine = self.engine(game)
        middle = game.size // 2
        engine.set_position([((middle, middle), 1), ((middle, middle + 1), -1)], 1)
        engine.analyse(SearchLimits(nodes=2000, depth=4))

    def act(self, turn: Turn[Action, GomokuState]) -> Action:
        game, view = turn.game, turn.view
        assert isinstance(game, Gomoku)
        self.value = None
        if opening := opening_action(
            game,
            view,
            turn.rng,
            lambda: self.analyse(game, view, seconds=turn.seconds).value,
            BALANCED,
        ):
            return opening
        if len(view.stones) < 2:
            return first_stone(game.size, game.size, view.stones, turn.rng)
        found = self.analyse(game, view, seconds=turn.seconds, rng=turn.rng)
        self.value = scaled_value(found.value)
        return found.best

    def analyse(
        self,
        game: Gomoku,
        view: GomokuState,
        *,
        seconds: float | None = None,
        top: int = 1,
        rng: Generator | None = None,
        report: Report | None = None,
    ) -> EngineAnalysis:
        """The engine's analysis of a position in which a stone is to be put."""
        strength = LEVELS[self.level]
        began = time.perf_counter()
        limits = self._limits(seconds, strength)
        engine = self.engine(game)
        engine.set_position(view.board().items(), view.colour)
        noise = max(strength.noise, self._variety(view)) if rng is not None else 0
        jitter = (rng, noise) if rng is not None and noise else None
        if limits.seconds is None:
            return engine.analyse(limits, top=top, jitter=jitter, report=report)
        left = max(limits.seconds - (time.perf_counter() - began), 0.0)
        found = engine.analyse(replace(limits, seconds=left), top=top, jitter=jitter, report=report)
        self.record_overrun(time.perf_counter() - began - limits.seconds)
        return found

    def record_overrun(self, seconds: float) -> None:
        """Plan the next moves shorter by the seconds that a move took longer than planned.

        On a busy machine the thread that stops the search, or the search, may have to wait.
        """
        self._overrun = max(seconds, self._overrun * OVERRUN_DECAY, 0.0)

    def stop(self) -> None:
        """End a running analysis at once; it still gives the best move it knows."""
        if self._engine is not None:
            self._engine.stop()

    def engine(self, game: Gomoku) -> Engine:
        exact = game.rule == "standard"
        if self._engine is None or (self._engine.size, self._engine.exact) != (game.size, exact):
            network = self._network(game.rule)
            self._engine = Engine(game.size, exact, network=network, threads=self.threads)
        return self._engine

    def _network(self, rule: str) -> TableNetwork | None:
        """The table network that evaluates, None for patterns."""
        if self.evaluation == "patterns":
            return None
        if self.evaluation == "auto" and not self.model:
            return shipped_network(rule)
        network = load_table_network(Path(self.model) if self.model else SHIPPED)
        if network.rule != rule:
            raise AgentNotReady(f"the network learnt from {network.rule} games, not {rule} ones")
        return network

    def _variety(self, view: GomokuState) -> int:
        """Most in the first moves, where many are equally good, none after the opening."""
        return self.variety if len(view.stones) < 6 else self.variety // 4 * (len(view.stones) < 14)

    def _planned(self, budget: float) -> float:
        """The seconds after which to stop, of a budget in seconds."""
        if self._overrun < 0:
            self._overrun = expected_wait()
        planned = budget * SHARE_OF_TIME - 0.003 - self._overrun
        return max(planned, budget * LEAST_SHARE_OF_TIME, 0.001)

    def _limits(self, seconds: float | None, strength: Strength) -> SearchLimits:
        budgets = [s for s in (self.seconds, seconds) if s is not None]
        budget = min(budgets) if budgets else (DEFAULT_SECONDS if self._has_clock else None)
        return SearchLimits(
            seconds=None if budget is None else self._planned(budget),
            nodes=self.nodes,
            depth=min(strength.depth, self.depth or strength.depth),
            fours=strength.fours,
            threats=strength.threats,
        )
