"""Payoff analysis: alpha-rank and cycles of the relation "beats", for fields that no rating orders.

Alpha-rank (Omidshafiei et al. 2019) follows a population that plays one agent and now and then
tries another: it goes over to one that beats it, never to one that loses to it, and with even odds
to one that is level. The share of time that it spends with each agent is the ranking. Here it is
the limit of strong selection (Rowland et al. 2019), in which only who beats whom counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .bootstrap import Floats

_RARE = 1e-6
"""The chance to go over to an agent that loses: it makes the shares unique."""
_LEVEL = 0.5


@dataclass(frozen=True)
class PayoffAnalysis:
    """Who beats whom, as a whole."""

    agents: tuple[str, ...]
    """By their share, highest first."""
    alpha_rank: tuple[float, ...]
    """The share of each agent; they sum to 1."""
    cycles: tuple[tuple[str, ...], ...]
    """Groups of agents that beat each other in cycles: strongly connected components."""
    beats: tuple[tuple[str, str], ...]
    """Winner and loser of each pairing that is decided."""


def analyse_payoffs(agents: Sequence[str], beats: Iterable[tuple[str, str]]) -> PayoffAnalysis:
    """Analyse the relation of winners to losers; pairings that are not in it count as level."""
    edges = tuple(beats)
    share = dict(zip(agents, alpha_rank(agents, edges).tolist(), strict=True))
    ordered = tuple(sorted(agents, key=lambda name: -share[name]))
    beaten: dict[str, list[str]] = {name: [] for name in agents}
    for winner, loser in edges:
        beaten[winner].append(loser)
    cycles = tuple(tuple(group) for group in components(beaten) if len(group) > 1)
    return PayoffAnalysis(ordered, tuple(share[name] for name in ordered), cycles, edges)


def alpha_rank(agents: Sequence[str], beats: Iterable[tuple[str, str]]) -> Floats:
    """The shares of alpha-rank, float64[agents].

    >>> alpha_rank("rps", [("r", "s"), ("s", "p"), ("p", "r")]).round(3).tolist()
    [0.333, 0.333, 0.333]
    >>> alpha_rank("ab", [("a", "b")]).round(3).tolist()
    [1.0, 0.0]
    """
    count = len(agents)
    if count == 1:
        return np.ones(1)
    index = {name: i for i, name in enumerate(agents)}
    move = np.full((count, count), _LEVEL)
    for winner, loser in beats:
        i, j = index[winner], index[loser]
        move[j, i], move[i, j] = 1 - _RARE, _RARE
    move /= count - 1
    np.fill_diagonal(move, 0.0)
    np.fill_diagonal(move, 1 - move.sum(axis=1))
    # The stationary distribution: share @ move = share, and the shares sum to 1.
    system = np.vstack([move.T - np.eye(count), np.ones(count)])
    target = np.append(np.zeros(count), 1.0)
    share = np.maximum(np.linalg.lstsq(system, target, rcond=None)[0], 0.0)
    found: Floats = share / share.sum()
    return found


def components(graph: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Strongly connected components: those that reach each other, in the order of `graph`.

    >>> components({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": []})
    [['a', 'b', 'c'], ['d']]
    """
    reach = {name: _reached(graph, name) for name in graph}
    found: list[list[str]] = []
    placed: set[str] = set()
    for name in graph:
        if name not in placed:
            group = [o for o in graph if o == name or (o in reach[name] and name in reach[o])]
            placed.update(group)
            found.append(group)
    return found


def _reached(graph: Mapping[str, Sequence[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for other in graph.get(waiting.pop(), ()):
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen
