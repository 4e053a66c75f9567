"""Elo ratings by the Bradley–Terry model with Davidson's draws and a first-seat advantage.

With s = rating of the first seat - rating of the second + advantage, in natural units, the first
wins, the second wins or they draw in the proportions e^(s/2) : e^(-s/2) : draw. Weak normal priors
keep ratings finite where an agent has won or lost everything (a maximum a posteriori fit). One
natural unit is 400 / ln 10 ≈ 174 points on the Elo scale; the mean of the agents is 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trireme.core.intervals import Z95, Interval

from .bootstrap import Floats, bootstrap_sums, small_sample

ELO = 400 / math.log(10)
_PRIORS = {"rating": 6.0, "advantage": 2.0, "draw": 2.0}
"""Standard deviations of the priors in natural units: 6 is more than a thousand Elo points."""
_DRAW_CENTRE = math.log(0.5)


@dataclass(frozen=True)
class Rated:
    """Ratings on the Elo scale with 95 % intervals."""

    elo: Floats
    """float64[agents], mean 0."""
    low: Floats
    high: Floats
    advantage: float
    """The first-seat advantage in Elo points."""
    advantage_interval: Interval
    draw_share: float
    """The draw rate of two equal agents without first-seat advantage."""


def rate(results: Floats, replicates: int = 1000, seed: int = 0) -> Rated:
    """Ratings from `results`, float64[clusters, agents, agents, 3]: how many games of a cluster
    the first agent (seat 0) won, drew and lost against the second.

    The intervals are a cluster bootstrap: games that share a start are resampled together. Each
    replicate also draws, for every agent, from one won and one lost pair spread over its opponents,
    as Agresti and Coull do for a proportion: without them an agent that never lost would have an
    interval of no width.
    """
    total = results.sum(axis=0)
    fitted = fit(total[None])[0]
    count = len(total)
    drawn = _resampled(results, replicates, seed)
    samples = fit(drawn, start=fitted)
    widen = small_sample(len(results))
    low, high = _interval(fitted[: count + 1], samples[:, : count + 1], widen)
    # Where the stronger agent wins both games of every pair, the bootstrap sees no variance in the
    # advantage; the likelihood does.
    half_width = Z95 * _deviation(fitted, total)
    low[count] = min(low[count], fitted[count] - half_width)
    high[count] = max(high[count], fitted[count] + half_width)
    return Rated(
        fitted[:count] * ELO,
        low[:count] * ELO,
        high[:count] * ELO,
        float(fitted[count] * ELO),
        (float(low[count] * ELO), float(high[count] * ELO)),
        _draw_share(float(fitted[count + 1])),
    )


def _deviation(fitted: Floats, total: Floats) -> float:
    """The standard error of the advantage, from the information matrix."""
    games, design, precision, centre = _model(total[None])
    _, information = _gradient_and_information(fitted[None], games, design, precision, centre)
    return math.sqrt(float(np.linalg.inv(information[0])[-2, -2]))


def fit(totals: Floats, start: Floats | None = None) -> Floats:
    """The maximum a posteriori parameters of a batch of results, float64[batch, agents, agents, 3].

    Gives float64[batch, agents + 2]: ratings with mean 0, advantage, and the logarithm of the
    draw parameter, in natural units. Newton's method; the priors make the solution unique.
    """
    batch, count = totals.shape[:2]
    games, design, precision, centre = _model(totals)
    at = np.repeat((centre if start is None else start)[None], batch, axis=0)
    value = _log_posterior(at, games, design, precision, centre)
    for _ in range(60):
        gradient, information = _gradient_and_information(at, games, design, precision, centre)
        step = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        size = np.ones(batch)
        for _ in range(20):
            tried = at + size[:, None] * step
            new = _log_posterior(tried, games, design, precision, centre)
            worse = new < value - 1e-9
            if not worse.any():
                break
            size[worse] /= 2
        at, value = tried, new
        if np.abs(step).max() < 1e-8:
            break
    at[:, :count] -= at[:, :count].mean(axis=1, keepdims=True)
    return at


def _model(totals: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Games by meeting, [batch, meetings, 3]; who meets, [meetings, agents + 1]; the priors."""
    count = totals.shape[1]
    firsts, seconds = np.nonzero(totals.sum(axis=(0, 3)))
    meetings = np.arange(len(firsts))
    design = np.zeros((len(firsts), count + 1))
    design[meetings, firsts] += 1
    design[meetings, seconds] -= 1
    design[:, count] = 1
    precision = np.full(count + 2, _PRIORS["rating"] ** -2)
    precision[count], precision[count + 1] = _PRIORS["advantage"] ** -2, _PRIORS["draw"] ** -2
    centre = np.zeros(count + 2)
    centre[count + 1] = _DRAW_CENTRE
    return totals[:, firsts, seconds], design, precision, centre


def _shares(at: Floats, design: Floats) -> tuple[Floats, Floats, Floats]:
    """Chances that the first wins, draws, loses, for every meeting: float64[batch, meetings]."""
    edge = at[:, :-1] @ design.T / 2
    draw = np.broadcast_to(at[:, -1:], edge.shape)
    top = np.maximum(np.abs(edge), draw)
    win, even, loss = np.exp(edge - top), np.exp(draw - top), np.exp(-edge - top)
    whole = win + even + loss
    return win / whole, even / whole, loss / whole


def _log_posterior(
    at: Floats, games: Floats, design: Floats, precision: Floats, centre: Floats
) -> Floats:
    win, even, loss = (np.log(np.maximum(p, 1e-300)) for p in _shares(at, design))
    likelihood = games[:, :, 0] * win + games[:, :, 1] * even + games[:, :, 2] * loss
    value: Floats = likelihood.sum(axis=1) - ((at - centre) ** 2 * precision).sum(axis=1) / 2
    return value


def _gradient_and_information(
    at: Floats, games: Floats, design: Floats, precision: Floats, centre: Floats
) -> tuple[Floats, Floats]:
    """The gradient of the log posterior and its Fisher information, for Newton's method."""
    win, even, loss = _shares(at, design)
    played = games.sum(axis=2)
    gap = (games[:, :, 0] - games[:, :, 2] - played * (win - loss)) / 2
    draws = games[:, :, 1] - played * even
    gradient = np.concatenate([gap @ design, draws.sum(axis=1, keepdims=True)], axis=1)
    gradient -= (at - centre) * precision
    edge_edge = played * (win + loss - (win - loss) ** 2) / 4
    edge_draw = -played * even * (win - loss) / 2
    draw_draw = (played * even * (1 - even)).sum(axis=1)
    size = at.shape[1]
    information = np.zeros((len(at), size, size))
    information[:, :-1, :-1] = np.einsum("bm,mi,mj->bij", edge_edge, design, design)
    cross = edge_draw @ design
    information[:, :-1, -1] = cross
    information[:, -1, :-1] = cross
    information[:, -1, -1] = draw_draw
    information[:, range(size), range(size)] += precision
    return gradient, information


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


def _draw_share(log_draw: float) -> float:
    even = math.exp(log_draw)
    return even / (2 + even)
