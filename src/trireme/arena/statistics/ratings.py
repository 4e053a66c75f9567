"""Elo ratings on the logistic scale, by the Bradley–Terry model on scores: a draw is half a win.

At a difference of d points the expected score, over both seats, is 1 / (1 + 10^(-d/400)), as in the
sequential test: a score of 60 % is 70 points, however many games were drawn and whatever the first
seat is worth. The mean of the agents is 0. Weak normal priors make the fit unique (a maximum a
posteriori fit). An agent that has won or lost everything has no finite rating by the likelihood: it
gets the bound of its 95 % interval in place of one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trireme.core.intervals import Z95, Interval

from .bootstrap import Floats, bootstrap_sums, small_sample

ELO = 400 / math.log(10)
"""Points on the Elo scale of one natural unit: 174."""
_PRIORS = {"rating": 6.0, "advantage": 2.0}
"""Standard deviations of the priors in natural units: 6 is more than a thousand Elo points."""


@dataclass(frozen=True)
class Rated:
    """Ratings on the Elo scale with 95 % intervals."""

    elo: Floats
    """float64[agents], mean 0 or the anchor 0; where only a bound is known, the bound."""
    low: Floats
    high: Floats
    strength: Floats
    """float64[agents]: the fitted ratings before bounds take their place, to order agents by."""
    bound: NDArray[np.int8]
    """int8[agents]: 1 where `elo` is a lower bound (it won everything), -1 an upper bound (it lost
    everything), 0 an estimate."""
    advantage: float
    """The first-seat advantage in Elo points."""
    advantage_interval: Interval


def rate(
    results: Floats, replicates: int = 1000, seed: int = 0, anchor: int | None = None
) -> Rated:
    """Ratings from `results`, float64[clusters, agents, agents, 3]: how many games of a cluster
    the first agent (seat 0) won, drew and lost against the second.

    With an `anchor`, ratings, intervals and bounds are of the difference from that agent, which has
    the rating 0; otherwise from the mean of all.

    The intervals are a cluster bootstrap: games that share a start are resampled together. Each
    replicate also draws, for every agent, from one won and one lost pair spread over its opponents,
    as Agresti and Coull do for a proportion: without them an agent that never lost would have an
    interval of no width.
    """
    total = results.sum(axis=0)
    drawn = _resampled(results, replicates, seed)
    widen = small_sample(len(results))
    strength = fit(total[None])[0]
    samples = fit(drawn, start=strength)
    if anchor is not None:
        strength = strength - strength[anchor]
        samples -= samples[:, anchor : anchor + 1].copy()
    low, high = _interval(strength, samples, widen)
    if anchor is not None:
        low[anchor] = high[anchor] = 0.0
    bound = one_sided(total, anchor) * np.isfinite(low).astype(np.int8)
    # Of few games the bound may lie beyond the mean or the anchor: the fit itself does not.
    elo = np.where(
        bound > 0, np.maximum(low, 0), np.where(bound < 0, np.minimum(high, 0), strength)
    )
    low, high = np.where(bound < 0, -np.inf, low), np.where(bound > 0, np.inf, high)
    advantage, ends = _first_seat(total, drawn, widen)
    return Rated(elo * ELO, low * ELO, high * ELO, strength * ELO, bound, advantage, ends)


def one_sided(total: Floats, anchor: int | None = None) -> NDArray[np.int8]:
    """Which agents have no finite rating by the likelihood, from float64[agents, agents, 3]: 1 if
    it can only be higher, -1 if only lower; int8[agents].

    A rating is finite between agents that have scored against each other, directly or through
    others (Ford's condition); an agent is on one side where nobody below has ever scored. With an
    `anchor` only the difference from that agent counts.
    """
    points, games = _meetings(total[None])
    scored = (points[0] > 0) & (games[0] > 0)
    reaches = scored | np.eye(len(total), dtype=bool)
    for middle in range(len(total)):  # the transitive closure, by Warshall's algorithm
        reaches |= reaches[:, middle : middle + 1] & reaches[middle : middle + 1]
    below, above = reaches & ~reaches.T, reaches.T & ~reaches
    if anchor is not None:
        below, above = below[:, anchor : anchor + 1], above[:, anchor : anchor + 1]
    below, above = below.any(axis=1), above.any(axis=1)
    side: NDArray[np.int8] = (below & ~above).astype(np.int8) - (above & ~below).astype(np.int8)
    return side


def fit(totals: Floats, start: Floats | None = None) -> Floats:
    """The maximum a posteriori ratings of a batch of results, float64[batch, agents, agents, 3].

    Gives float64[batch, agents] in natural units, mean 0. Both seatings of a pairing weigh the
    same, so the first seat's advantage is not taken for strength.
    """
    points, games = _meetings(totals)
    firsts, seconds = np.nonzero(np.triu(games.sum(axis=0)))
    design = _design(firsts, seconds, totals.shape[1])
    precision = np.full(totals.shape[1], _PRIORS["rating"] ** -2)
    found = _newton(points[:, firsts, seconds], games[:, firsts, seconds], design, precision, start)
    found -= found.mean(axis=1, keepdims=True)
    return found


def fit_advantage(totals: Floats, start: Floats | None = None) -> Floats:
    """As `fit`, with the first-seat advantage as the last parameter: float64[batch, agents + 1].

    With s = rating of the first seat - rating of the second + advantage, the first seat's expected
    score is 1 / (1 + e^-s).
    """
    count = totals.shape[1]
    firsts, seconds = np.nonzero(totals.sum(axis=(0, 3)))
    games = totals[:, firsts, seconds].sum(axis=2)
    points = totals[:, firsts, seconds, 0] + totals[:, firsts, seconds, 1] / 2
    found = _newton(points, games, *_advantage_model(firsts, seconds, count), start)
    found[:, :count] -= found[:, :count].mean(axis=1, keepdims=True)
    return found


def _first_seat(total: Floats, drawn: Floats, widen: float) -> tuple[float, Interval]:
    """The first-seat advantage in Elo points with its interval."""
    fitted = fit_advantage(total[None])[0]
    (low,), (high,) = _interval(fitted[-1:], fit_advantage(drawn, fitted)[:, -1:], widen)
    # Where the stronger agent wins both games of every pair, the bootstrap sees no variance in the
    # advantage; the likelihood does.
    half = Z95 * _deviation(fitted, total)
    ends = min(low, fitted[-1] - half), max(high, fitted[-1] + half)
    return float(fitted[-1] * ELO), (float(ends[0] * ELO), float(ends[1] * ELO))


def _deviation(fitted: Floats, total: Floats) -> float:
    """The standard error of the advantage, from the information matrix."""
    firsts, seconds = np.nonzero(total.sum(axis=2))
    design, precision = _advantage_model(firsts, seconds, len(total))
    games = total[firsts, seconds].sum(axis=1)
    chance = _expected(fitted[None], design)[0]
    information = np.einsum("m,mi,mj->ij", games * chance * (1 - chance), design, design)
    return math.sqrt(float(np.linalg.inv(information + np.diag(precision))[-1, -1]))


def _meetings(totals: Floats) -> tuple[Floats, Floats]:
    """Points of the one agent against the other, and games, over both seatings:
    float64[batch, agents, agents] each. The score is the mean of those from either seat."""
    games = totals.sum(axis=3)
    scored = totals[..., 0] + totals[..., 1] / 2
    other = games.swapaxes(1, 2)
    with np.errstate(invalid="ignore"):
        first = scored / games
        second = 1 - first.swapaxes(1, 2)
    both = np.where(games == 0, second, np.where(other == 0, first, (first + second) / 2))
    played = games + other
    return np.where(played == 0, 0.0, played * both), played


def _design(firsts: NDArray[np.int64], seconds: NDArray[np.int64], count: int) -> Floats:
    """Who meets whom: float64[meetings, agents]."""
    design = np.zeros((len(firsts), count))
    design[range(len(firsts)), firsts] += 1
    design[range(len(firsts)), seconds] -= 1
    return design


def _advantage_model(
    firsts: NDArray[np.int64], seconds: NDArray[np.int64], count: int
) -> tuple[Floats, Floats]:
    """The design and the prior precisions with the advantage as the last parameter."""
    design = np.hstack([_design(firsts, seconds, count), np.ones((len(firsts), 1))])
    precision = np.full(count + 1, _PRIORS["rating"] ** -2)
    precision[count] = _PRIORS["advantage"] ** -2
    return design, precision


def _expected(at: Floats, design: Floats) -> Floats:
    """Expected scores of every meeting: float64[batch, meetings]."""
    return np.asarray(1 / (1 + np.exp(-(at @ design.T))))


def _newton(
    points: Floats, games: Floats, design: Floats, precision: Floats, start: Floats | None
) -> Floats:
    """The maximum of the log posterior by Newton's method, float64[batch, parameters]."""
    batch = len(points)
    at = np.repeat((np.zeros(len(precision)) if start is None else start)[None], batch, axis=0)
    value = _log_posterior(at, points, games, design, precision)
    for _ in range(60):
        chance = _expected(at, design)
        gradient = (points - games * chance) @ design - at * precision
        weight = games * chance * (1 - chance)
        information = np.einsum("bm,mi,mj->bij", weight, design, design) + np.diag(precision)
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        size = np.ones(batch)
        for _ in range(20):
            tried = at + size[:, None] * step
            new = _log_posterior(tried, points, games, design, precision)
            worse = new < value - 1e-9
            if not worse.any():
                break
            size[worse] /= 2
        at, value = tried, new
        if np.abs(step).max() < 1e-8:
            break
    return at


def _log_posterior(
    at: Floats, points: Floats, games: Floats, design: Floats, precision: Floats
) -> Floats:
    edge = at @ design.T
    likelihood = -points * np.logaddexp(0, -edge) - (games - points) * np.logaddexp(0, edge)
    value: Floats = likelihood.sum(axis=1) - (at**2 * precision).sum(axis=1) / 2
    return value


def _resampled(results: Floats, replicates: int, seed: int) -> Floats:
    """Totals of resampled clusters and of resampled extra pairs: [replicates, a, a, 3]."""
    clusters, count = len(results), results.shape[1]
    flat = results.reshape(clusters, -1)
    drawn = bootstrap_sums(flat, replicates, seed).reshape(replicates, count, count, 3)
    rng = np.random.default_rng(seed + 1)
    met = results.sum(axis=(0, 3)) > 0
    met |= met.T
    opponents = met.sum(axis=1)
    for i, j in zip(*np.nonzero(np.triu(met)), strict=True):
        share = 1 / min(opponents[i], opponents[j])
        won, lost = rng.poisson(share, size=(2, replicates))
        drawn[:, i, j, 0] += won
        drawn[:, j, i, 2] += won
        drawn[:, i, j, 2] += lost
        drawn[:, j, i, 0] += lost
    return drawn


def _interval(fitted: Floats, samples: Floats, widen: float) -> tuple[Floats, Floats]:
    if math.isinf(widen):
        return np.full(len(fitted), -np.inf), np.full(len(fitted), np.inf)
    low, high = np.quantile(samples, (0.025, 0.975), axis=0)
    middle = np.median(samples, axis=0)
    low, high = middle + (low - middle) * widen, middle + (high - middle) * widen
    return np.minimum(low, fitted), np.maximum(high, fitted)
