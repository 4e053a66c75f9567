"""Information gain in Battleship: the entropy of the posterior along a game, and over many."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.random import Generator

from trireme.battleship.agents.shooting_agent import ShootingAgent
from trireme.battleship.belief.posterior import Belief, FleetInference
from trireme.battleship.shots import Shot
from trireme.battleship.show.pictures import Step
from trireme.core.game import CHANCE, AnyAgent, Turn
from trireme.core.intervals import mean_half_width
from trireme.core.registry import make_agent
from trireme.core.seeding import stream
from trireme.core.svg_plot import COLOURS, Series, document, line_chart

from .rules import Battleship, BattleshipState
from .shots import Salvo

LIMIT = 400_000
SAMPLES = 10_000


@dataclass(frozen=True)
class EntropyTrace:
    """The entropy of the posterior along one solo game."""

    agent: str
    seed: int
    shots: int
    entropy: tuple[float, ...]
    """Entropy of the posterior over fleets, in bits, before each shot and at the end."""

    @property
    def gained(self) -> tuple[float, ...]:
        """Information gain of each shot, in bits."""
        return tuple(a - b for a, b in zip(self.entropy, self.entropy[1:], strict=False))


class Analyst:
    """Computes the belief after every shot; the first ones are shared between games."""

    def __init__(self, game: Battleship) -> None:
        self.game = game
        self._inference = FleetInference(game.boards[0], uniform=game.placement == "uniform")
        self._known: dict[tuple[Shot, ...], Belief] = {}

    def belief(self, shots: tuple[Shot, ...], rng: Generator) -> Belief:
        """The posterior with its entropy; estimated where exact enumeration takes long."""
        if shots in self._known:
            return self._known[shots]
        belief = self._inference.posterior(shots, rng, entropy=True, limit=LIMIT, samples=SAMPLES)
        if len(shots) < 4:
            self._known[shots] = belief
        return belief

    def steps(
        self, agent: AnyAgent | ShootingAgent, seed: int, fleet: str | None = None
    ) -> Iterator[Step]:
        """Every moment of the game that `agent` plays with this seed, and the belief in it.

        `fleet` is text such as `A1-A5 C1-C4 …`; None: a random one.
        """
        game, rng = self.game, stream(seed, CHANCE)
        placed = game.draw(game.start(), rng) if fleet is None else game.read(fleet)
        game.check(game.start(), CHANCE, placed)
        state: BattleshipState = game.apply(game.start(), {CHANCE: placed})
        own, aside = stream(seed, 0), np.random.default_rng(seed)
        while True:
            view = game.view(state, 0)
            belief = self.belief(view.target.shots, aside)
            if not game.to_move(state):
                yield Step(view, belief.cells, None, 0.0)
                return
            action = agent.act(Turn(game, 0, view, game.legal(state, 0), own))
            game.check(state, 0, action)
            shot = action.cells[0] if isinstance(action, Salvo) else None
            yield Step(view, belief.cells, shot, belief.entropy)
            state = game.apply(state, {0: action})

    def trace(self, agent: AnyAgent, seed: int, label: str = "") -> EntropyTrace:
        """The entropy along one game."""
        steps = list(self.steps(agent, seed))
        bits = tuple(float(step.entropy or 0.0) for step in steps)
        return EntropyTrace(label or agent.name, seed, len(steps) - 1, bits)


@cache
def _analyst(game: Battleship) -> Analyst:
    return Analyst(game)


@cache
def _agent(spec: str, game: Battleship) -> AnyAgent:
    agent = make_agent(game, spec)
    prepare = getattr(agent, "prepare", None)
    if prepare is not None:
        prepare(game)
    return agent


def _trace(job: tuple[Battleship, str, int]) -> EntropyTrace:
    game, spec, seed = job
    return _analyst(game).trace(_agent(spec, game), seed, spec)


def traces(
    game: Battleship, agents: Sequence[str], games: int, seed: int, jobs: int
) -> Iterator[EntropyTrace]:
    """Every agent's games on the same fleets, as they are done, over `jobs` processes."""
    work = [(game, spec, seed + number) for spec in agents for number in range(games)]
    if jobs == 1:
        yield from map(_trace, work)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(_trace, work, chunksize=4)


@dataclass(frozen=True)
class EntropySummary:
    """The average of one agent's traces."""

    agent: str
    games: int
    shots: float
    interval: float
    """Half of the 95 % interval of `shots`."""
    entropy: tuple[float, ...]
    """Mean entropy before each shot, in bits; a finished game counts 0."""

    @property
    def gained(self) -> tuple[float, ...]:
        """Mean information gain of each shot, in bits."""
        return tuple(a - b for a, b in zip(self.entropy, self.entropy[1:], strict=False))


def summarise(found: Sequence[EntropyTrace]) -> list[EntropySummary]:
    """One summary an agent, in the order of first appearance."""
    summaries = []
    for agent in dict.fromkeys(trace.agent for trace in found):
        own = [trace for trace in found if trace.agent == agent]
        shots = np.array([trace.shots for trace in own], np.float64)
        longest = max(len(trace.entropy) for trace in own)
        bits = np.zeros((len(own), longest))
        for row, trace in enumerate(own):
            bits[row, : len(trace.entropy)] = trace.entropy
        summaries.append(
            EntropySummary(
                agent,
                len(own),
                float(shots.mean()),
                mean_half_width(shots),
                tuple(float(b) for b in bits.mean(axis=0)),
            )
        )
    return summaries


def as_json(summaries: Sequence[EntropySummary]) -> list[dict[str, Any]]:
    """Summaries as plain values."""
    return [
        {
            "agent": s.agent,
            "games": s.games,
            "mean_shots": round(s.shots, 4),
            "interval_95": round(s.interval, 4),
            "entropy": [round(b, 4) for b in s.entropy],
            "bits_gained": [round(b, 4) for b in s.gained],
        }
        for s in summaries
    ]


def plot(summaries: Sequence[EntropySummary], width: int = 760, height: int = 420) -> str:
    """Mean entropy of the posterior before each shot, a line for each agent, as an SVG file."""
    series = [
        Series(f"{s.agent} ({s.shots:.1f} shots)", list(enumerate(s.entropy)), colour)
        for s, colour in zip(summaries, itertools.cycle(COLOURS), strict=False)
    ]
    chart = line_chart(
        series,
        width,
        height,
        title="Bits unknown about the fleet",
        x_label="shots fired",
        legend=190,
        from_zero=True,
        ticks=(10, 8),
    )
    return document(width, height, [chart], "entropy along the game")
