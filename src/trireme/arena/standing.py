"""Standings: from game results to scores, ratings, mean shots and comparisons, with intervals."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from trireme.arena.statistics.bootstrap import Floats, bootstrap_mean
from trireme.arena.statistics.comparisons import find_cycle, holm, sign_flip_p
from trireme.arena.statistics.ratings import rate
from trireme.core.intervals import Interval, wilson

EloBound = Literal["lower", "upper"]
SIGNIFICANT = 0.05
"""The significance level: corrected p-values below it count as a difference."""


@dataclass(frozen=True)
class ScoredGame:
    """One finished game, as the statistics take it."""

    agents: tuple[str, ...]
    """By seat."""
    returns: tuple[float, ...]
    cluster: Hashable
    """Games of one cluster share their start and are resampled together."""
    fingerprint: str = ""

    @property
    def points(self) -> float:
        """The first seat's share of the point: 1, ½ or 0."""
        first, second = self.returns
        return 0.5 if first == second else float(first > second)


@dataclass(frozen=True, kw_only=True)
class WinDrawLoss:
    """Games counted from one agent's side; the score is the mean of 1, ½ and 0 points over the
    games that do not repeat earlier ones."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    score_ci95: Interval


@dataclass(frozen=True, kw_only=True)
class ScoreStanding(WinDrawLoss):
    """An agent's standing in a game with two seats."""

    elo: float
    elo_ci95: Interval
    elo_bound: EloBound | None = None
    """`lower` where the agent won everything, so that `elo` is only a bound of its rating and has
    no upper end; `upper` where it lost everything; None where `elo` is an estimate."""

    @property
    def elo_text(self) -> str:
        """The rating as tables show it: `+70`, or a bound such as `> +302`."""
        sign = {"lower": "> ", "upper": "< ", None: ""}[self.elo_bound]
        return f"{sign}{self.elo:+.0f}"


@dataclass(frozen=True)
class ShotsStanding:
    """An agent's standing in a game with one seat, by the shots it needs: fewer are better."""

    games: int
    shots_mean: float
    shots_median: float
    shots_ci95: Interval


@dataclass(frozen=True, kw_only=True)
class Duel(WinDrawLoss):
    """Two agents compared, counted from the first one's side."""

    agents: tuple[str, str]
    p_value: float
    """Of the hypothesis that both are equally strong, with Holm's correction over the match."""
    variance_ratio: float | None
    """Variance of game pairs over what independent games would have: below 1 the pairing reduces
    variance, above 1 the two games of a pair tend to end alike."""
    distinct: int
    """Games without repeated pairs: the sample size of the interval and the p-value."""


@dataclass(frozen=True)
class Difference:
    """A paired comparison of two agents that play alone on the same fleets: shots of the first
    minus those of the second."""

    agents: tuple[str, str]
    games: int
    shots: float
    shots_ci95: Interval
    p_value: float


@dataclass(frozen=True)
class FirstSeat:
    """The advantage of the first seat."""

    score: float
    score_ci95: Interval
    elo: float
    elo_ci95: Interval


@dataclass(frozen=True)
class Standings:
    """The standings of a game with two seats."""

    scores: dict[str, ScoreStanding]
    """Best first."""
    duels: tuple[Duel, ...]
    first_seat: FirstSeat
    notes: tuple[str, ...]


def two_seat_standings(
    names: Sequence[str], rows: Sequence[ScoredGame], anchor: str | None = None
) -> Standings:
    """Scores, ratings and pairwise comparisons of agents that play each other; ratings relative to
    the agent `anchor`, or to the mean of all."""
    if not names:
        return Standings({}, (), FirstSeat(0.5, (0.0, 1.0), 0.0, (float("-inf"), float("inf"))), ())
    unique = distinct_games(rows)
    rated = rate(_tally(names, unique), anchor=None if anchor is None else names.index(anchor))
    scores: dict[str, ScoreStanding] = {}
    bounds: dict[int, EloBound | None] = {1: "lower", -1: "upper", 0: None}
    for i in np.argsort(-rated.strength, kind="stable"):
        scores[names[i]] = ScoreStanding(
            **_win_draw_loss(names[i], rows, unique),
            elo=float(rated.elo[i]),
            elo_ci95=(float(rated.low[i]), float(rated.high[i])),
            elo_bound=bounds[int(rated.bound[i])],
        )
    duels = _duels(names, rows, unique)
    share = sum(r.points for r in unique) / len(unique) if unique else 0.5
    first = FirstSeat(
        share,
        wilson(share * len(unique), len(unique)),
        rated.advantage,
        rated.advantage_interval,
    )
    return Standings(scores, duels, first, (*_cycle_notes(duels), *_pair_notes(duels)))


def distinct_games(rows: Sequence[ScoredGame]) -> list[ScoredGame]:
    """The results without repeated pairs: a pair of games that equals an earlier one move by move
    is no new evidence, as it happens between deterministic agents."""
    groups: dict[tuple[frozenset[str], Hashable], list[ScoredGame]] = {}
    for row in rows:
        groups.setdefault((frozenset(row.agents), row.cluster), []).append(row)
    seen: set[tuple[tuple[tuple[str, ...], str], ...]] = set()
    kept: list[ScoredGame] = []
    for games in groups.values():
        if not all(row.fingerprint for row in games):
            kept += games
            continue
        different = {(row.agents, row.fingerprint): row for row in games}
        what = tuple(sorted(different))
        if what not in seen:
            kept += different.values()
        seen.add(what)
    return kept


def one_seat_standings(
    names: Sequence[str], rows: Sequence[ScoredGame]
) -> tuple[dict[str, ShotsStanding], tuple[Difference, ...]]:
    """Shots of agents that play alone, fewest first, and their differences on the same fleets."""
    by_agent: dict[str, dict[Hashable, float]] = {name: {} for name in names}
    for row in rows:
        by_agent[row.agents[0]][row.cluster] = -row.returns[0]
    shots: dict[str, ShotsStanding] = {}
    for name, found in by_agent.items():
        values = np.array(list(found.values()))
        if len(values):
            median = float(np.median(values))
            shots[name] = ShotsStanding(
                len(values), float(values.mean()), median, bootstrap_mean(values)
            )
        else:
            shots[name] = ShotsStanding(
                0, float("nan"), float("nan"), (float("-inf"), float("inf"))
            )
    ordered = dict(sorted(shots.items(), key=lambda item: item[1].shots_mean))
    return ordered, _differences(by_agent)


def _tally(names: Sequence[str], rows: Iterable[ScoredGame]) -> Floats:
    """Results as `rate` takes them: float64[clusters, agents, agents, 3]."""
    index = {name: i for i, name in enumerate(names)}
    clusters: dict[Hashable, int] = {}
    cells = [
        (
            clusters.setdefault(row.cluster, len(clusters)),
            index[row.agents[0]],
            index[row.agents[1]],
            round(2 - 2 * row.points),
        )
        for row in rows
    ]
    tally = np.zeros((max(1, len(clusters)), len(names), len(names), 3))
    for cell in cells:
        tally[cell] += 1
    return tally


def _points(name: str, rows: Iterable[ScoredGame]) -> list[float]:
    return [r.points if r.agents[0] == name else 1 - r.points for r in rows if name in r.agents]


def _win_draw_loss(
    name: str, rows: Iterable[ScoredGame], unique: Iterable[ScoredGame]
) -> dict[str, Any]:
    """The fields of `WinDrawLoss`: all games are counted, and the distinct ones scored."""
    points, evidence = _points(name, rows), _points(name, unique)
    score, sample = sum(evidence) / len(evidence) if evidence else 0.5, len(evidence)
    return {
        "games": len(points),
        "wins": points.count(1.0),
        "draws": points.count(0.5),
        "losses": points.count(0.0),
        "score": score,
        "score_ci95": wilson(score * sample, sample),
    }


def _duels(
    names: Sequence[str], rows: Sequence[ScoredGame], unique: Sequence[ScoredGame]
) -> tuple[Duel, ...]:
    met, distinct = _by_pairing(names, rows), _by_pairing(names, unique)
    points = {pair: _by_cluster(pair[0], games) for pair, games in distinct.items()}
    # Halves, so that the sums lie on the grid of quarters that the exact test needs.
    leads = [[sum(p) / 2 - len(p) / 4 for p in clusters] for clusters in points.values()]
    corrected = holm([sign_flip_p(lead) for lead in leads])
    duels = []
    for (pair, games), p_value in zip(met.items(), corrected, strict=True):
        duels.append(
            Duel(
                **_win_draw_loss(pair[0], games, distinct[pair]),
                agents=pair,
                p_value=p_value,
                variance_ratio=variance_ratio(points[pair]),
                distinct=len(distinct[pair]),
            )
        )
    return tuple(duels)


def _by_pairing(
    names: Sequence[str], rows: Iterable[ScoredGame]
) -> dict[tuple[str, str], list[ScoredGame]]:
    met: dict[tuple[str, str], list[ScoredGame]] = {}
    order = {name: i for i, name in enumerate(names)}
    for row in rows:
        a, b = sorted(row.agents, key=order.__getitem__)
        met.setdefault((a, b), []).append(row)
    return met


def _by_cluster(name: str, rows: Iterable[ScoredGame]) -> list[list[float]]:
    """The points of `name` in the games of every cluster."""
    clusters: dict[Hashable, list[float]] = defaultdict(list)
    for row in rows:
        clusters[row.cluster].append(row.points if row.agents[0] == name else 1 - row.points)
    return list(clusters.values())


def variance_ratio(clusters: Sequence[Sequence[float]]) -> float | None:
    """The variance of cluster means over that of independent games; None where none vary.

    >>> variance_ratio([[1, 0], [0, 1], [1, 0]])
    0.0
    """
    games = np.concatenate([np.asarray(c, np.float64) for c in clusters])
    if len(clusters) < 2 or games.var() == 0:
        return None
    sizes = np.array([len(c) for c in clusters])
    sums = np.array([sum(c) for c in clusters]) - sizes * games.mean()
    between = float((sums**2).sum()) * len(clusters) / (len(clusters) - 1)
    return between / float(games.var(ddof=1) * len(games))


def _differences(by_agent: dict[str, dict[Hashable, float]]) -> tuple[Difference, ...]:
    raw = []
    for a, b in itertools.combinations(by_agent, 2):
        shared = [c for c in by_agent[a] if c in by_agent[b]]
        if shared:
            apart = np.array([by_agent[a][c] - by_agent[b][c] for c in shared])
            raw.append((a, b, apart, sign_flip_p(apart)))
    corrected = holm([entry[-1] for entry in raw])
    return tuple(
        Difference((a, b), len(apart), float(apart.mean()), bootstrap_mean(apart), p)
        for (a, b, apart, _), p in zip(raw, corrected, strict=True)
    )


def _cycle_notes(duels: Iterable[Duel]) -> Iterable[str]:
    """Non-transitive results, which no rating can express."""
    certain: dict[str, list[str]] = defaultdict(list)
    likely: dict[str, list[str]] = defaultdict(list)
    for duel in duels:
        if duel.score != 0.5:
            winner, loser = duel.agents if duel.score > 0.5 else duel.agents[::-1]
            likely[winner].append(loser)
            if duel.p_value < SIGNIFICANT:
                certain[winner].append(loser)
    if cycle := find_cycle(certain):
        yield f"{_circle(cycle)}: they beat each other in a cycle, so no rating can order them."
    elif cycle := find_cycle(likely):
        yield (
            f"{_circle(cycle)} in the scores, but not beyond chance: more games may show a cycle."
        )


def _circle(cycle: Sequence[str]) -> str:
    return " beats ".join([*cycle, cycle[0]])


def _pair_notes(duels: Iterable[Duel]) -> Iterable[str]:
    for duel in duels:
        a, b = duel.agents
        if duel.distinct < duel.games:
            yield (
                f"{duel.games - duel.distinct} of the {duel.games} games between {a} and {b}"
                " repeat earlier ones move by move; scores, intervals, ratings and tests count only"
                f" the other {duel.distinct}."
            )
        elif duel.variance_ratio is not None and duel.variance_ratio > 1.5 and duel.games >= 40:
            yield (
                f"Games of {a} and {b} that share a start tend to end alike (variance"
                f" ×{duel.variance_ratio:.2f}): trust the Elo intervals, which account for it, and"
                " not Wilson's."
            )
