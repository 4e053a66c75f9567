"""Flat Monte Carlo with determinization: an agent that plays every game from its rules alone."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

from numpy.random import Generator

from .game import CHANCE, Actions, AnyGame, Seat, Turn
from .options import option

SHARE = 0.85
"""The share of its time after which no further playout starts."""
LEAST_EACH = 3
"""Playouts that every candidate should get: with fewer, candidates are sampled."""


@dataclass
class Arm:
    """A bandit arm: one candidate action of the seat and the results of its playouts."""

    action: Any
    visits: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else -math.inf


@dataclass(frozen=True)
class MonteCarlo:
    """Plays random playouts from states sampled to fit its view (PIMC) and takes the action that
    did best.

    Perfect-information Monte Carlo: every playout starts from a fresh determinization of the
    view; what other seats do at the same time, and all that follows, is random. Playouts go to
    the candidates by UCB1. Where there are more actions than playouts can tell apart, the
    candidates are a random sample of them.
    """

    name: ClassVar[str] = "montecarlo"
    playouts: int = option(100, "random playouts a decision; more play better and take longer")
    depth: int = option(400, "moves after which an unfinished playout is scored as it stands")

    def __post_init__(self) -> None:
        if self.playouts < 1 or self.depth < 1:
            raise ValueError("playouts and depth must be at least 1")

    def act(self, turn: Turn[Any, Any]) -> Any:
        end = math.inf if turn.seconds is None else time.perf_counter() + SHARE * turn.seconds
        candidates = _candidates(turn.legal, max(1, self.playouts // LEAST_EACH), turn.rng)
        if len(candidates) == 1:
            return candidates[0].action
        low, high = math.inf, -math.inf
        for number in range(self.playouts):
            if time.perf_counter() >= end:
                break
            chosen = _ucb1(candidates, number, high - low)
            state = turn.game.determinize(turn.view, turn.rng)
            value = _playout(turn, state, chosen.action, self.depth)
            chosen.visits += 1
            chosen.total += value
            low, high = min(low, value), max(high, value)
        return max(candidates, key=lambda candidate: (candidate.visits, candidate.mean)).action


def _candidates(legal: Actions[Any], most: int, rng: Generator) -> list[Arm]:
    """All legal actions where they are at most `most`, else a random sample of about as many."""
    listed = list(islice(legal, most + 1))
    if len(listed) > most:
        listed = [legal.sample(rng) for _ in range(most)]
    return [Arm(action) for action in dict.fromkeys(listed)]


def _ucb1(candidates: list[Arm], playouts: int, spread: float) -> Arm:
    """The candidate with the highest upper confidence bound; untried ones first, in order.
    `spread` is the range of the values so far, which need not lie between -1 and 1."""
    if playouts < len(candidates):
        return candidates[playouts]
    width = spread * math.sqrt(0.5 * math.log(playouts))
    return max(candidates, key=lambda c: c.mean + width / math.sqrt(c.visits))


def _playout(turn: Turn[Any, Any], state: Any, action: Any, depth: int) -> float:
    """The return of the turn's seat after `action` in `state` and random moves of everybody."""
    game = turn.game
    state = game.apply(state, {**_random_actions(game, state, turn.rng), turn.seat: action})
    for _ in range(depth - 1):
        actions = _random_actions(game, state, turn.rng)
        if not actions:
            break
        state = game.apply(state, actions)
    return game.returns(state)[turn.seat]


def _random_actions(game: AnyGame, state: Any, rng: Generator) -> dict[Seat, Any]:
    return {
        seat: game.draw(state, rng) if seat == CHANCE else game.legal(state, seat).sample(rng)
        for seat in game.to_move(state)
    }
