"""The statistics against independent fits, closed forms, published values and simulations."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from trireme.arena import Sprt
from trireme.arena.statistics import bootstrap
from trireme.arena.statistics.bootstrap import (
    bootstrap_mean,
    bootstrap_sums,
    bootstrap_weights,
    small_sample,
)
from trireme.arena.statistics.ratings import ELO, fit, fit_advantage, rate
from trireme.arena.statistics.sprt import expected_score
from trireme.core.intervals import mean_half_width, wilson

WIN, DRAW, LOSS = 0, 1, 2

# Bradley–Terry


def hunter(wins: np.ndarray, advantage: bool) -> tuple[np.ndarray, float]:
    """Hunter's MM algorithm ("MM algorithms for generalized Bradley–Terry models", 2004).

    `wins[i, j, seat]`: how often i beat j from that seat. Gives the logarithms of the strengths,
    mean 0, and that of the factor of the first seat.
    """
    count = len(wins)
    strength, factor = np.ones(count), 1.0
    # played[i, j]: games of i in the first seat against j.
    played = wins[:, :, 0] + wins[:, :, 1].T
    for _ in range(2000):
        shares = played / (factor * strength[:, None] + strength[None, :])
        strength = wins.sum(axis=(1, 2)) / ((factor * shares).sum(axis=1) + shares.sum(axis=0))
        if advantage:
            shares = played / (factor * strength[:, None] + strength[None, :])
            factor = wins[:, :, 0].sum() / (shares * strength[:, None]).sum()
        strength /= np.exp(np.log(strength).mean())
    return np.log(strength), math.log(factor)


@pytest.mark.parametrize("advantage", [False, True])
def test_without_draws_the_fit_is_that_of_hunters_algorithm(advantage: bool) -> None:
    rng = np.random.default_rng(11)
    wins = rng.integers(5, 60, size=(4, 4, 2)).astype(float)
    wins[range(4), range(4)] = 0
    if advantage:
        wins[:, :, 0] *= 1.7
    else:  # the same games from either seat: the advantage is exactly 0
        wins[:, :, 1] = wins[:, :, 0]
    strengths, factor = hunter(wins, advantage)
    totals = np.zeros((1, 4, 4, 3))
    # So many games that the priors have no weight.
    totals[0, :, :, WIN] = wins[:, :, 0] * 1e7
    totals[0, :, :, LOSS] = wins[:, :, 1].T * 1e7
    (found,) = fit_advantage(totals)
    assert found[:4] == pytest.approx(strengths, abs=1e-4)
    assert found[4] == pytest.approx(factor, abs=1e-4)
    if not advantage:
        assert fit(totals)[0] == pytest.approx(strengths, abs=1e-4)
    assert (abs(factor) > 0.2) == advantage


def log_posterior(at: np.ndarray, totals: np.ndarray) -> float:
    """The likelihood of scores, a draw as half a win, and the priors that the module states."""
    *ratings, advantage = at.tolist()
    value = -sum(r**2 for r in ratings) / (2 * 6**2) - advantage**2 / (2 * 2**2)
    for i, j in itertools.permutations(range(len(ratings)), 2):
        chance = 1 / (1 + math.exp(-(ratings[i] - ratings[j] + advantage)))
        won, drawn, lost = totals[i, j]
        value += (won + drawn / 2) * math.log(chance) + (lost + drawn / 2) * math.log(1 - chance)
    return value


def ascended(value: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """The maximum by Newton's method with derivatives from finite differences."""
    size, h = len(at), 1e-4
    unit = np.eye(size) * h
    for _ in range(30):
        gradient = np.array([(value(at + u) - value(at - u)) / (2 * h) for u in unit])
        hessian = np.array(
            [
                [
                    (value(at + u + v) - value(at + u - v) - value(at - u + v) + value(at - u - v))
                    / (4 * h * h)
                    for v in unit
                ]
                for u in unit
            ]
        )
        step = np.linalg.solve(hessian, -gradient)
        at = at + step * min(1.0, 1.0 / float(np.abs(step).max()))
        if np.abs(step).max() < 1e-6:
            break
    return at


@pytest.mark.parametrize("scale", [1, 40])
def test_with_draws_the_fit_is_that_of_plain_newton_ascent(scale: int) -> None:
    # Few games, so that the priors count; then many.
    rng = np.random.default_rng(12)
    totals = rng.integers(0, 4, size=(3, 3, 3)).astype(float) * scale
    totals[range(3), range(3)] = 0
    totals[0, :, WIN] += 2 * scale
    totals[0, 0] = 0
    expected = ascended(lambda at: log_posterior(at, totals), np.zeros(4))
    (found,) = fit_advantage(totals[None])
    assert found == pytest.approx(expected, abs=2e-4)
    assert found[:3].sum() == pytest.approx(0, abs=1e-9)
    assert found[0] > max(found[1:3])


@pytest.mark.parametrize("lead", [5.0, -20.0])
def test_the_fit_ends_at_the_same_place_wherever_it_starts(lead: float) -> None:
    """Full steps of Newton's method would run away from such starts."""
    totals = np.zeros((1, 2, 2, 3))
    totals[0, 0, 1, WIN] = totals[0, 1, 0, DRAW] = 1
    found = fit_advantage(totals, np.array([lead, -lead, 0.0]))
    assert found == pytest.approx(fit_advantage(totals), abs=1e-6)
    assert fit(totals, np.array([lead, -lead])) == pytest.approx(fit(totals), abs=1e-6)


def test_a_batch_is_fitted_row_by_row() -> None:
    rng = np.random.default_rng(13)
    totals = rng.integers(0, 9, size=(5, 3, 3, 3)).astype(float)
    totals[:, range(3), range(3)] = 0
    together = fit(totals)
    for row, alone in zip(together, totals, strict=True):
        assert row == pytest.approx(fit(alone[None])[0], abs=1e-6)


def test_the_error_of_the_advantage_is_that_of_the_likelihood() -> None:
    # Strength decides every game of a pair, so only the information matrix knows the error. Between
    # two agents it is made of the two seatings: var = 1 / (n·p·q) · (1 + 1) / 4 for large n.
    totals = np.zeros((1, 2, 2, 3))
    totals[0, 0, 1] = 9000, 0, 1000
    totals[0, 1, 0] = 1000, 0, 9000
    clusters = np.repeat(totals / 10_000, 10_000, axis=0)  # without variance between clusters
    low, high = rate(clusters, replicates=50).advantage_interval
    error = math.sqrt(1 / (10_000 * 0.9 * 0.1) * 2 / 4)
    assert high - low == pytest.approx(2 * 1.959964 * error * ELO, rel=0.02)


def test_the_interval_of_a_rating_is_as_wide_as_the_likelihood_says() -> None:
    # 1,500 of 2,000 points: the error of the difference is 1 / √(n·p·q) natural units, and each
    # agent's rating is half of the difference.
    table = np.zeros((2000, 2, 2, 3))
    table[:750, 0, 1, WIN] = table[750:1000, 0, 1, LOSS] = 1
    table[1000:1750, 1, 0, LOSS] = table[1750:, 1, 0, WIN] = 1
    rated = rate(table, replicates=1000)
    half = 1.959964 * ELO / math.sqrt(2000 * 0.75 * 0.25) / 2
    for ends in (rated.high - rated.elo, rated.elo - rated.low):
        assert ends == pytest.approx([half, half], rel=0.2)
    assert rated.elo[0] - rated.elo[1] == pytest.approx(400 * math.log10(3), abs=0.5)


def test_the_extra_pairs_are_shared_out_among_opponents() -> None:
    """One won and one lost pair an agent in the mean, however many opponents it has: were each
    meeting given whole ones, the intervals of a large field would be narrowed by games that
    nobody played."""
    from trireme.arena.statistics.ratings import _resampled

    agents, played = 5, 4.0
    results = np.zeros((6, agents, agents, 3))
    for i, j in itertools.permutations(range(agents), 2):
        results[:, i, j, DRAW] = played / 6
    extra = _resampled(results, 4000, seed=3).mean(axis=0)
    assert extra[:, :, DRAW].sum() == pytest.approx(agents * (agents - 1) * played)
    # Of every agent, over its opponents: one pair (a game from each seat) won and one lost.
    won = extra[:, :, WIN].sum(axis=1) + extra[:, :, LOSS].sum(axis=0)
    lost = extra[:, :, LOSS].sum(axis=1) + extra[:, :, WIN].sum(axis=0)
    assert won == pytest.approx(np.full(agents, 2.0), abs=0.15)
    assert lost == pytest.approx(np.full(agents, 2.0), abs=0.15)


def test_in_a_gauntlet_those_with_one_opponent_have_whole_pairs() -> None:
    from trireme.arena.statistics.ratings import _resampled

    results = np.zeros((3, 4, 4, 3))
    results[:, 0, 1:, DRAW] = results[:, 1:, 0, DRAW] = 1
    extra = _resampled(results, 4000, seed=3).mean(axis=0)
    assert extra[1, 0, WIN] + extra[0, 1, LOSS] == pytest.approx(2.0, abs=0.15)
    assert extra[1, 2].sum() == 0  # who never met gets no games


# Wilson's interval, and that of a mean


@pytest.mark.parametrize(
    ("points", "games", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_intervals(
    points: int, games: int, low: float, high: float
) -> None:
    # R. G. Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I.
    assert wilson(points, games) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("z", [1.0, 1.96, 2.5758])
@pytest.mark.parametrize(("points", "games"), [(0.5, 1), (3.5, 10), (10, 10), (700, 1000)])
def test_wilson_is_its_closed_form(points: float, games: int, z: float) -> None:
    centre = (2 * points + z**2) / (2 * (games + z**2))
    half = z / (2 * (games + z**2)) * math.sqrt(z**2 + 4 * points * (1 - points / games))
    assert wilson(points, games, z) == pytest.approx((centre - half, centre + half), abs=1e-12)


def test_the_normal_interval_of_a_mean() -> None:
    values = [3.0, 5.0, 10.0, 2.0]
    deviation = math.sqrt(sum((v - 5) ** 2 for v in values) / 3)
    assert mean_half_width(values) == pytest.approx(1.959964 * deviation / 2, abs=1e-6)
    assert mean_half_width([1.0, 3.0]) == pytest.approx(1.959964, abs=1e-6)
    assert mean_half_width([7.0]) == 0.0
    assert mean_half_width([]) == 0.0


# The bootstrap


def test_every_replicate_draws_as_many_clusters_as_there_are() -> None:
    weights = np.concatenate(list(bootstrap_weights(7, 3000, seed=1)))
    assert weights.shape == (3000, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert weights.mean(axis=0) == pytest.approx(np.ones(7), abs=0.08)
    assert weights.var(axis=0) == pytest.approx(np.full(7, 6 / 7), abs=0.1)
    other = np.concatenate(list(bootstrap_weights(7, 3000, seed=2)))
    assert not np.array_equal(weights, other)


def test_batches_of_replicates_bound_memory_and_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = np.random.default_rng(0).integers(17, 100, (50, 3)).astype(np.float64)
    whole = bootstrap_sums(values, 200, seed=4)
    assert len(list(bootstrap_weights(50, 200))) == 1
    monkeypatch.setattr(bootstrap, "BATCH_BYTES", 8 * 50 * 7)
    assert max(len(batch) for batch in bootstrap_weights(50, 200)) == 7
    assert np.array_equal(bootstrap_sums(values, 200, seed=4), whole)


@pytest.mark.parametrize(("clusters", "t"), [(8, 2.365), (11, 2.228), (31, 2.042), (121, 1.980)])
def test_few_clusters_are_widened_to_students_quantile(clusters: int, t: float) -> None:
    # Tables of Student's t, 97.5 %, for clusters - 1 degrees of freedom.
    factor = t / 1.959964 * math.sqrt(clusters / (clusters - 1))
    assert small_sample(clusters) == pytest.approx(factor, rel=0.005)
    # The Cornish–Fisher expansion of the quantile: Abramowitz and Stegun, 26.7.5.
    z, v = 1.959963984540054, clusters - 1
    terms = (z, (z**3 + z) / (4 * v), (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v * v))
    exact = sum(terms) / z * math.sqrt(clusters / v)
    assert small_sample(clusters) == pytest.approx(exact, rel=1e-12)
    assert small_sample(1) == math.inf
    assert math.isfinite(small_sample(2))


def test_the_bootstrap_of_a_mean_is_near_students_interval() -> None:
    values = np.random.default_rng(2).normal(10, 3, size=31)
    low, high = bootstrap_mean(values, replicates=20_000)
    half = 2.042 * float(values.std(ddof=1)) / math.sqrt(31)
    assert (high - low) / 2 == pytest.approx(half, rel=0.04)
    assert (low + high) / 2 == pytest.approx(float(values.mean()), abs=0.1 * half)
    assert bootstrap_mean(values) == bootstrap_mean(values)
    assert bootstrap_mean(values[:1]) == (-math.inf, math.inf)
    low, high = bootstrap_mean(values[:2])
    assert math.isfinite(low)
    assert math.isfinite(high)


# The pentanomial GSPRT


def test_the_logistic_curve_of_elo() -> None:
    assert expected_score(400) == pytest.approx(10 / 11)
    assert expected_score(-400) == pytest.approx(1 / 11)
    assert expected_score(400 * math.log10(3)) == pytest.approx(3 / 4)
    assert expected_score(0) == 0.5


def test_the_bounds_follow_walds_formula_for_unequal_errors() -> None:
    low, high = Sprt(0, 10, alpha=0.01, beta=0.2).bounds
    assert low == pytest.approx(math.log(0.2 / 0.99))
    assert high == pytest.approx(math.log(0.8 / 0.01))


def test_a_verdict_falls_at_the_bound_and_not_before() -> None:
    test = Sprt(0, 200, alpha=0.01, beta=0.3)
    low, high = test.bounds
    for wins in range(200):
        counts = [0, 0, 50, 0, wins]
        llr = test.llr(counts)
        expected = "stronger" if llr >= high else "not stronger" if llr <= low else None
        assert test.verdict(counts) == expected
    assert test.verdict([0, 0, 0, 0, 200]) == "stronger"
    assert test.verdict([200, 0, 0, 0, 0]) == "not stronger"
    assert test.verdict([0, 0, 0, 0, 0]) is None


@pytest.mark.parametrize(("wins", "losses"), [(600, 400), (500, 500), (430, 570)])
@pytest.mark.parametrize("elos", [(0, 10), (-30, 15)])
def test_of_two_results_the_ratio_is_bernoullis(
    wins: int, losses: int, elos: tuple[float, float]
) -> None:
    zero, one = map(expected_score, elos)
    expected = wins * math.log(one / zero) + losses * math.log((1 - one) / (1 - zero))
    assert Sprt(*elos).llr([losses, 0, 0, 0, wins]) == pytest.approx(expected, abs=2e-3)


SEQUENCES = [[20, 110, 250, 100, 20], [5, 100, 300, 110, 10], [60, 200, 481, 215, 65]]


@pytest.mark.parametrize("counts", SEQUENCES)
def test_near_the_null_the_ratio_is_the_published_normal_approximation(counts: list[int]) -> None:
    # LLR ≈ (s1 - s0)(2x̄ - s0 - s1) / (2σ²/N): M. Van den Bergh, "A practical introduction to the
    # GSPRT", from which chess engines' test frameworks have it.
    scores, total = np.arange(5) / 4, sum(counts)
    mean = float(scores @ counts) / total
    variance = float((scores - mean) ** 2 @ counts) / total
    s0, s1 = expected_score(0), expected_score(5)
    expected = (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance / total)
    assert Sprt(0, 5).llr(counts) == pytest.approx(expected, rel=0.02, abs=0.01)


@pytest.mark.parametrize("counts", [*SEQUENCES, [1, 2, 10, 9, 8], [9, 1, 1, 1, 3]])
@pytest.mark.parametrize("elos", [(0, 5), (-50, 120)])
def test_the_ratio_is_that_of_the_empirical_likelihoods(
    counts: list[int], elos: tuple[float, float]
) -> None:
    """By the dual problem: the constrained likelihood falls short of the free one by the largest
    Σ n·log(1 + t(score - mean)) over t."""

    def shortfall(mean: float) -> float:
        away = np.arange(5) / 4 - mean
        low, high = -1 / away[-1], -1 / away[0]

        def value(t: float) -> float:
            return float(counts @ np.log1p(t * away))

        for _ in range(300):
            third = (high - low) / 3
            if value(low + third) < value(high - third):
                low += third
            else:
                high -= third
        return value((low + high) / 2)

    expected = shortfall(expected_score(elos[0])) - shortfall(expected_score(elos[1]))
    assert Sprt(*elos).llr(counts) == pytest.approx(expected, abs=1e-6)


def errors(test: Sprt, elo: float, wrong: str, trials: int, seed: int) -> float:
    """How often the test's verdict is the wrong one, when the truth is `elo`."""
    rng = np.random.default_rng(seed)
    share, found = expected_score(elo), 0
    for _ in range(trials):
        counts = np.zeros(5)
        verdict = None
        while verdict is None:
            for score in (rng.random((8, 2)) < share).sum(axis=1):
                counts[2 * score] += 1
            verdict = test.verdict(counts)
        found += verdict == wrong
    return found / trials


def test_unequal_errors_are_kept_each_on_its_own_side() -> None:
    # Three standard deviations of 400 trials above α = 2 % and β = 25 %. Were the two swapped,
    # `weak` would be about 25 %.
    test = Sprt(0, 150, alpha=0.02, beta=0.25)
    weak = errors(test, 0, "stronger", 400, seed=21)
    strong = errors(test, 150, "not stronger", 400, seed=22)
    assert weak <= 0.02 + 3 * math.sqrt(0.02 * 0.98 / 400)
    assert 0.08 <= strong <= 0.25 + 3 * math.sqrt(0.25 * 0.75 / 400)


@pytest.mark.slow
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.02, 0.15)])
def test_error_rates_of_the_sequential_test(alpha: float, beta: float) -> None:
    test = Sprt(0, 60, alpha, beta)
    weak = errors(test, 0, "stronger", 2000, seed=23)
    strong = errors(test, 60, "not stronger", 2000, seed=24)
    assert weak <= alpha + 2 * math.sqrt(alpha * (1 - alpha) / 2000)
    assert strong <= beta + 2 * math.sqrt(beta * (1 - beta) / 2000)


# Coverage over 1,000 simulated tournaments

TOURNAMENTS = 1000


def tournament(strengths: list[float], rounds: int, rng: np.random.Generator) -> np.ndarray:
    """All pairings from both seats in every round; a round's start favours either seat by its own
    random amount, so that its games depend on each other. A third of what the weaker side would
    score is drawn."""
    count = len(strengths)
    table = np.zeros((rounds, count, count, 3))
    starts = rng.normal(0.2, 0.3, size=rounds)
    for i, j in itertools.permutations(range(count), 2):
        score = 1 / (1 + np.exp(-(strengths[i] - strengths[j] + starts)))
        draw = np.minimum(score, 1 - score) * 2 / 3
        below = np.stack([score - draw / 2, score + draw / 2], axis=1)
        ends = (rng.random((rounds, 1)) > below).sum(axis=1)
        table[range(rounds), i, j, ends] = 1
    return table


@pytest.mark.slow
@pytest.mark.parametrize("strengths", [[0.3, -0.3], [0.8, 0.0, -0.8]])
def test_rating_intervals_cover_the_truth_in_95_percent(strengths: list[float]) -> None:
    rng = np.random.default_rng(31)
    # Over starts that favour a seat, scores lie nearer to one half than at an even start.
    (endless,) = fit_advantage(tournament(strengths, 200_000, rng).sum(axis=0)[None])
    truth = fit(tournament(strengths, 200_000, rng).sum(axis=0)[None])[0] * ELO
    hits, seats = [], []
    for number in range(TOURNAMENTS):
        rated = rate(tournament(strengths, 60, rng), replicates=400, seed=number)
        hits.append((rated.low <= truth) & (truth <= rated.high))
        low, high = rated.advantage_interval
        seats.append(low <= endless[-1] * ELO <= high)
    assert float(np.mean(hits)) == pytest.approx(0.95, abs=0.02)
    assert float(np.mean(seats)) >= 0.93


@pytest.mark.slow
def test_wilson_intervals_cover_the_truth_in_95_percent() -> None:
    rng = np.random.default_rng(32)
    shares = rng.uniform(0.1, 0.9, size=TOURNAMENTS)
    covered = 0
    for share in shares:
        low, high = wilson(rng.binomial(100, share), 100)
        covered += low <= share <= high
    assert covered / TOURNAMENTS == pytest.approx(0.95, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("fleets", [12, 40])
def test_bootstrap_intervals_cover_the_truth_in_95_percent(fleets: int) -> None:
    rng = np.random.default_rng(33)
    covered = 0
    for number in range(TOURNAMENTS):
        shots = np.rint(rng.normal(45.0, 9.0, size=fleets))
        low, high = bootstrap_mean(shots, seed=number, replicates=1000)
        covered += low <= 45.0 <= high
    assert covered / TOURNAMENTS == pytest.approx(0.95, abs=0.02)
