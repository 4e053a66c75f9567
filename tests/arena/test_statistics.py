"""The statistics against closed forms and against simulated truth."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme import BadSpec
from trireme.arena import Sprt
from trireme.arena.standing import (
    ScoredGame,
    _tally,
    distinct_games,
    one_seat_standings,
    two_seat_standings,
    variance_ratio,
)
from trireme.arena.statistics.bootstrap import bootstrap_mean
from trireme.arena.statistics.comparisons import find_cycle, holm, sign_flip_p
from trireme.arena.statistics.ratings import ELO, _meetings, fit, one_sided, rate
from trireme.arena.statistics.sprt import elo_of, expected_score, pair_counts
from trireme.core.intervals import Z95, wilson

# Wilson


def test_a_sequential_test_needs_two_hypotheses() -> None:
    with pytest.raises(BadSpec, match="expected elo0 < elo1, not 5 and 5"):
        Sprt(5, 5)


@given(games=st.integers(1, 500), share=st.floats(0, 1))
def test_wilson_ends_solve_its_quadratic(games: int, share: float) -> None:
    points = round(share * games)
    for end in wilson(points, games):
        apart = (points / games - end) ** 2
        assert apart == pytest.approx(Z95**2 * end * (1 - end) / games, abs=1e-9)


def test_wilson_covers_the_truth_as_often_as_it_says() -> None:
    # The exact coverage is a finite sum; averaged over shares it must be near 95 %.
    games = 40
    ends = [wilson(k, games) for k in range(games + 1)]
    covered = []
    for share in np.linspace(0.03, 0.97, 95):
        chances = [math.comb(games, k) * share**k * (1 - share) ** (games - k) for k in range(41)]
        covered.append(
            sum(c for c, (low, high) in zip(chances, ends, strict=True) if low <= share <= high)
        )
    assert 0.945 <= float(np.mean(covered)) <= 0.965


def test_no_games_say_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


# Bootstrap of means


def test_the_bootstrap_of_a_mean_covers_the_truth() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for trial in range(400):
        low, high = bootstrap_mean(rng.gamma(8.0, 5.0, size=25), seed=trial, replicates=500)
        hits += low <= 40.0 <= high
    assert 0.91 <= hits / 400 <= 0.98


def test_paired_differences_have_narrower_intervals_when_fleets_matter() -> None:
    rng = np.random.default_rng(2)
    fleets = rng.normal(50, 10, size=200)
    rows = []
    for fleet, base in enumerate(fleets):
        rows.append(ScoredGame(("a",), (-float(round(base + rng.normal(0, 2))),), fleet))
        rows.append(ScoredGame(("b",), (-float(round(base + 1.5 + rng.normal(0, 2))),), fleet))
    shots, (difference,) = one_seat_standings(["a", "b"], rows)
    assert list(shots) == ["a", "b"]
    paired = difference.shots_ci95[1] - difference.shots_ci95[0]
    alone = shots["a"].shots_ci95[1] - shots["a"].shots_ci95[0]
    assert paired < alone / 2
    assert difference.shots_ci95[0] < -1.5 < difference.shots_ci95[1]
    assert difference.p_value < 0.001


# Ratings


def results(games: list[tuple[int, int, int]], agents: int = 2) -> np.ndarray:
    """One cluster of games (first, second, 0 won / 1 drawn / 2 lost) each."""
    table = np.zeros((len(games), agents, agents, 3))
    for cluster, (first, second, end) in enumerate(games):
        table[cluster, first, second, end] += 1
    return table


def test_two_agents_without_draws_have_the_rating_of_the_logistic_curve() -> None:
    games = [(0, 1, 0)] * 750 + [(1, 0, 2)] * 750 + [(0, 1, 2)] * 250 + [(1, 0, 0)] * 250
    rated = rate(results(games), replicates=100)
    assert rated.elo[0] - rated.elo[1] == pytest.approx(400 * math.log10(3), abs=1.0)
    assert rated.advantage == pytest.approx(0.0, abs=0.5)
    assert rated.elo.sum() == pytest.approx(0.0)


def test_the_advantage_of_the_first_seat_is_not_taken_for_strength() -> None:
    # The first seat wins three games in four, whoever sits there.
    games = [(0, 1, 0)] * 600 + [(0, 1, 2)] * 200 + [(1, 0, 0)] * 600 + [(1, 0, 2)] * 200
    rated = rate(results(games), replicates=100)
    assert rated.elo == pytest.approx([0.0, 0.0], abs=0.5)
    assert rated.advantage == pytest.approx(400 * math.log10(3), abs=1.5)


def score_table(wins: int, draws: int, losses: int) -> np.ndarray:
    """Pairs of games with the same end from both seats, a cluster each."""
    table = np.zeros((wins + draws + losses, 2, 2, 3))
    for cluster, end in enumerate([0] * wins + [1] * draws + [2] * losses):
        table[cluster, 0, 1, end] = table[cluster, 1, 0, 2 - end] = 1
    return table


@pytest.mark.parametrize("draws", [0, 40, 80])
def test_a_rating_converts_to_the_score_however_many_games_are_drawn(draws: int) -> None:
    wins = 60 - draws // 2
    rated = rate(score_table(wins, draws, 100 - wins - draws), replicates=200)
    difference = float(rated.elo[0] - rated.elo[1])
    assert difference == pytest.approx(70.4, abs=0.2)
    assert expected_score(difference) == pytest.approx(0.6, abs=0.001)


def test_a_rating_converts_to_the_score_whatever_the_first_seat_is_worth() -> None:
    # The first seat wins 19 games in 20; over both seats agent 0 scores 54 %.
    table = np.zeros((100, 2, 2, 3))
    table[:, 0, 1, 0] = 1
    table[:8, 1, 0, 2] = table[8:, 1, 0, 0] = 1
    rated = rate(table, replicates=100)
    assert expected_score(float(rated.elo[0] - rated.elo[1])) == pytest.approx(0.54, abs=0.001)
    assert rated.advantage > 400


def test_seatings_weigh_the_same_however_often_they_were_played() -> None:
    # Unfinished: three times as many games with agent 0 first. First seats win three in four.
    games = [(0, 1, 0)] * 900 + [(0, 1, 2)] * 300 + [(1, 0, 0)] * 300 + [(1, 0, 2)] * 100
    rated = rate(results(games), replicates=50)
    assert rated.elo == pytest.approx([0.0, 0.0], abs=0.5)
    alone = rate(results([(0, 1, 0)] * 75 + [(0, 1, 2)] * 25), replicates=50)
    assert alone.elo[0] - alone.elo[1] == pytest.approx(400 * math.log10(3), abs=1.0)


def test_the_fit_is_where_no_step_helps() -> None:
    rng = np.random.default_rng(3)
    totals = rng.integers(1, 30, size=(1, 4, 4, 3)).astype(float)
    for i in range(4):
        totals[:, i, i] = 0
    best = fit(totals)[0]
    for agent in range(4):
        # Points won equal points expected, but for the pull of the wide prior.
        seen = expected = 0.0
        for other in set(range(4)) - {agent}:
            first, second = totals[0, agent, other], totals[0, other, agent][::-1]
            games = first.sum() + second.sum()
            halves = [(t[0] + t[1] / 2) / t.sum() for t in (first, second)]
            seen += games * sum(halves) / 2
            expected += games / (1 + math.exp(best[other] - best[agent]))
        assert seen == pytest.approx(expected, abs=0.05)


def simulate(
    strengths: list[float], advantage: float, draw: float, rounds: int, rng: np.random.Generator
) -> np.ndarray:
    """Matches in which every start helps the first seat by its own random amount."""
    count = len(strengths)
    table = np.zeros((rounds, count, count, 3))
    starts = advantage + rng.normal(0, 0.4, size=rounds)
    for i, j in itertools.permutations(range(count), 2):
        score = 1 / (1 + np.exp(-(strengths[i] - strengths[j] + starts)))
        half = np.minimum(score, 1 - score) * draw
        drawn = rng.random(rounds)
        ends = (drawn > score - half).astype(int) + (drawn > score + half)
        table[range(rounds), i, j, ends] = 1
    return table


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strengths", "rounds"),
    [([0.0, 0.0], 50), ([0.8, -0.8], 50), ([1.0, 0.0, -1.0], 30), ([2.5, -2.5], 40)],
)
def test_rating_intervals_cover_the_truth(strengths: list[float], rounds: int) -> None:
    rng = np.random.default_rng(4)
    truth = fit(simulate(strengths, 0.3, 0.3, 200_000, rng).sum(axis=0)[None])[0] * ELO
    hits = []
    for trial in range(150):
        rated = rate(simulate(strengths, 0.3, 0.3, rounds, rng), replicates=300, seed=trial)
        hits.append((rated.low <= truth) & (truth <= rated.high))
    # Never much below 95 %; above it where an agent nearly always wins.
    assert float(np.mean(hits)) >= 0.91


def test_an_agent_that_won_everything_has_a_bound() -> None:
    rated = rate(score_table(25, 0, 0))
    assert rated.bound.tolist() == [1, -1]
    assert (rated.elo[0], rated.high[0]) == (rated.low[0], math.inf)
    assert (rated.elo[1], rated.low[1]) == (rated.high[1], -math.inf)
    # 50 wins of 50 do not exclude a true score of 90 %, but one of 75 %.
    difference = float(rated.elo[0] - rated.elo[1])
    assert 0.75 < expected_score(difference) < 0.9
    many = rate(score_table(100, 0, 0))
    assert 500 < many.elo[0] - many.elo[1] < 700  # Wilson's bound of 100 pairs is 567


def test_of_few_games_the_bound_is_the_mean_of_the_field() -> None:
    rated = rate(score_table(2, 0, 0))
    assert rated.elo.tolist() == [0, 0]
    assert rated.strength[0] > rated.strength[1]
    assert rated.low[0] < 0
    one = rate(score_table(1, 0, 0))
    assert one.bound.tolist() == [0, 0]
    assert one.elo[0] > 0
    assert (one.low[0], one.high[0]) == (-math.inf, math.inf)


def test_who_is_connected_by_points_has_a_rating_and_no_bound() -> None:
    table = np.zeros((4, 4, 3))

    def scores(first: int, second: int, end: int = 0) -> None:
        table[first, second, end] += 10

    scores(0, 1)
    scores(1, 2)
    assert one_sided(table).tolist() == [1, 0, -1, 0]  # 3 never played
    scores(2, 0, 1)  # a draw connects them all
    assert one_sided(table).tolist() == [0, 0, 0, 0]
    scores(1, 3)
    assert one_sided(table).tolist() == [1, 1, 1, -1]


def test_where_strength_decides_all_the_first_seat_stays_unknown() -> None:
    table = np.zeros((20, 2, 2, 3))
    table[:, 0, 1, 0] = table[:, 1, 0, 2] = 1
    low, high = rate(table).advantage_interval
    assert high - low > 100


# The sequential test


def test_the_likelihood_ratio_matches_the_binomial_case() -> None:
    # With only the results 0 and 2 of a pair possible, the five-way test is the textbook one.
    test = Sprt(0, 100)
    wins, losses = 60, 40
    one = expected_score(100)
    expected = wins * math.log(one / 0.5) + losses * math.log((1 - one) / 0.5)
    assert test.llr([losses, 0, 0, 0, wins]) == pytest.approx(expected, abs=0.05)


def test_mirrored_results_give_the_opposite_ratio() -> None:
    test = Sprt(-20, 20)
    counts = [3, 9, 30, 14, 5]
    assert test.llr(counts) == pytest.approx(-test.llr(counts[::-1]))
    assert test.llr([0, 0, 0, 0, 0]) == 0.0


def test_the_bounds_are_walds() -> None:
    assert Sprt(0, 10).bounds == pytest.approx((-math.log(19), math.log(19)))


@pytest.mark.slow
@pytest.mark.parametrize("correlated", [False, True])
def test_errors_are_as_rare_as_promised(correlated: bool) -> None:
    rng = np.random.default_rng(5)
    test = Sprt(0, 80)

    def outcome(elo: float) -> str | None:
        counts = np.zeros(5)
        share = expected_score(elo)
        for _ in range(4000):
            games = rng.random(2) < share
            if correlated and rng.random() < 0.5:
                games[1] = games[0]
            counts[round(float(games.mean()) * 4)] += 1
            if verdict := test.verdict(counts):
                return verdict
        return None

    weak = [outcome(0) for _ in range(150)]
    strong = [outcome(80) for _ in range(150)]
    assert None not in weak + strong
    # 5 % promised; 150 trials rarely show more than 9 % when it holds.
    assert weak.count("stronger") <= 13
    assert strong.count("not stronger") <= 13


def test_four_numbers_name_the_errors_and_two_leave_them() -> None:
    assert Sprt.parse("0,10,0.02,0.1") == Sprt(0, 10, alpha=0.02, beta=0.1)
    assert Sprt.parse("0,10") == Sprt(0, 10, alpha=0.05, beta=0.05)


def test_elo_and_expected_score_are_inverse() -> None:
    assert elo_of(0.75) == pytest.approx(400 * math.log10(3))
    assert elo_of(expected_score(-120)) == pytest.approx(-120)
    assert (elo_of(0.0), elo_of(1.0)) == (None, None)


def test_pairs_are_counted_by_their_points() -> None:
    assert pair_counts([0, 0.25, 0.5, 0.5, 1]).tolist() == [1, 1, 2, 0, 1]


@pytest.mark.parametrize(
    "text", ["", "5", "a,b", "10,0", "0,10,0.05", "0,10,0.9,0.05", "0,10,0.05,0.05,1"]
)
def test_a_senseless_test_is_refused(text: str) -> None:
    with pytest.raises(BadSpec, match=r"expected|must be"):
        Sprt.parse(text)


# Comparisons


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9))
def test_the_sign_flip_test_counts_all_choices_of_signs(differences: list[int]) -> None:
    seen = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    assert sign_flip_p(differences) == pytest.approx(sum(s >= seen for s in sums) / len(sums))


def test_many_differences_take_the_normal_limit() -> None:
    rng = np.random.default_rng(6)
    values = rng.integers(-90, 91, size=1500)
    exact = sign_flip_p(values[:700])
    near = math.erfc(abs(values[:700].sum()) / math.sqrt(2 * (values[:700] ** 2).sum()))
    assert exact == pytest.approx(near, abs=0.01)
    many = math.erfc(abs(values.sum()) / math.sqrt(2 * (values**2).sum()))
    assert sign_flip_p(values) == pytest.approx(many, rel=1e-12)
    assert sign_flip_p([0.3, 0.1]) == pytest.approx(math.erfc(0.4 / math.sqrt(2 * 0.1)))


def test_differences_may_be_quarters_of_a_point() -> None:
    assert sign_flip_p([0.25] * 5) == 2 / 2**5
    assert sign_flip_p([0.25, 0.25, 1]) == 2 / 2**3
    assert sign_flip_p([0.75, -0.25]) == 1.0
    assert sign_flip_p([0.0, 0.0]) == 1.0
    assert sign_flip_p([0.0, 0.5, 0.5, 0.5]) == 2 / 2**3


def test_holm_rejects_no_more_than_bonferroni_first_and_stays_in_order() -> None:
    p_values = [0.01, 0.02, 0.005, 0.9]
    corrected = holm(p_values)
    assert corrected == pytest.approx([0.03, 0.04, 0.02, 0.9])
    assert holm([]) == []


def test_holm_keeps_false_alarms_rare_in_a_family() -> None:
    rng = np.random.default_rng(7)
    alarms = sum(min(holm(list(rng.random(10)))) < 0.05 for _ in range(2000))
    assert alarms / 2000 <= 0.065


def test_a_cycle_is_found_wherever_it_is() -> None:
    beats = {"a": ["b", "c", "d"], "b": ["c"], "c": ["d"], "d": ["b"]}
    assert find_cycle(beats) == ["b", "c", "d"]
    assert find_cycle({"a": ["b"], "b": ["a"]}) == ["a", "b"]
    assert find_cycle({}) is None


# Standings


def pair(
    cluster: int, a: str, b: str, first: float, second: float, mark: str = ""
) -> list[ScoredGame]:
    """Two games with seats swapped: the returns of seat 0 in each."""
    return [
        ScoredGame(
            (a, b), (first, -first), cluster, f"{cluster}{mark}x" if mark != "same" else "x"
        ),
        ScoredGame(
            (b, a), (second, -second), cluster, f"{cluster}{mark}y" if mark != "same" else "y"
        ),
    ]


def test_a_cycle_is_noted_with_its_weight() -> None:
    rows = [
        row
        for cluster in range(20)
        for a, b in (("rock", "scissors"), ("scissors", "paper"), ("paper", "rock"))
        for row in pair(cluster, a, b, 1.0, -1.0)
    ]
    table = two_seat_standings(["rock", "scissors", "paper"], rows)
    assert any("rock beats scissors beats paper beats rock" in note for note in table.notes)
    assert [s.score for s in table.scores.values()] == [0.5, 0.5, 0.5]
    few = two_seat_standings(["rock", "scissors", "paper"], rows[:6])
    assert any("not beyond chance" in note for note in few.notes)


def test_games_that_repeat_themselves_are_counted_once_as_evidence() -> None:
    rows = [row for cluster in range(50) for row in pair(cluster, "a", "b", 1.0, -1.0, "same")]
    assert len(distinct_games(rows)) == 2
    (duel,) = two_seat_standings(["a", "b"], rows).duels
    assert (duel.games, duel.distinct) == (100, 2)
    assert duel.score_ci95 == pytest.approx(wilson(2, 2))
    assert duel.p_value == 1.0
    rows += pair(50, "a", "b", -1.0, 1.0, "other")
    table = two_seat_standings(["a", "b"], rows)
    assert (table.duels[0].score, table.duels[0].wins) == (0.5, 100)
    assert table.scores["a"].score == table.first_seat.score == 0.5
    unknown = [replace(row, fingerprint="") for row in rows[:6]]
    assert distinct_games(unknown) == unknown, "games without a fingerprint all count, once"


def test_the_first_seat_is_scored_over_all_games() -> None:
    rows = [row for cluster in range(10) for row in pair(cluster, "a", "b", 1.0, 0.0)]
    table = two_seat_standings(["a", "b"], rows)
    assert table.first_seat.score == 0.75
    assert table.first_seat.score_ci95 == pytest.approx(wilson(15, 20))
    assert table.first_seat.elo > 0
    low, high = table.first_seat.elo_ci95
    assert low < table.first_seat.elo < high
    empty = two_seat_standings(["a", "b"], [])
    assert (empty.first_seat.score, empty.first_seat.score_ci95) == (0.5, (0.0, 1.0))
    assert empty.scores["a"].score == 0.5
    assert two_seat_standings([], []).scores == {}


def test_every_game_is_rated_once() -> None:
    """As `rate` rates the table of games that is counted by hand."""
    rows = [*pair(0, "a", "b", 1.0, -1.0), *pair(1, "b", "a", 0.0, -1.0)]
    by_hand = np.zeros((2, 2, 2, 3))  # by cluster, first seat, second seat, and result for it
    by_hand[0, 0, 1, 0] = by_hand[0, 1, 0, 2] = 1
    by_hand[1, 1, 0, 1] = by_hand[1, 0, 1, 2] = 1
    rated = rate(by_hand)
    scores = two_seat_standings(["a", "b"], rows).scores
    for i, name in enumerate("ab"):
        assert scores[name].elo == pytest.approx(rated.elo[i])
        assert scores[name].elo_ci95 == pytest.approx((rated.low[i], rated.high[i]))
    all_won = [row for cluster in range(25) for row in pair(cluster, "a", "b", 1.0, -1.0)]
    won = two_seat_standings(["a", "b"], all_won).scores["a"]
    bound = rate(np.repeat(by_hand[:1], 25, axis=0))
    assert (won.elo, won.elo_bound) == (pytest.approx(bound.elo[0]), "lower")


def test_a_duel_is_counted_from_both_seats() -> None:
    # The first agent wins five pairs 2 : 0: all signs alike, of 2⁵.
    rows = [row for cluster in range(5) for row in pair(cluster, "a", "b", 1.0, -1.0)]
    (duel,) = two_seat_standings(["a", "b"], rows).duels
    assert (duel.agents, duel.games, duel.distinct) == (("a", "b"), 10, 10)
    assert (duel.wins, duel.draws, duel.losses, duel.score) == (10, 0, 0, 1.0)
    assert duel.p_value == 2 / 2**5
    assert duel.variance_ratio is None
    # With a pair won 1½ : ½ and one lost, seen from the agent that comes second.
    rows += [*pair(5, "b", "a", 0.0, 1.0), *pair(6, "a", "b", -1.0, 1.0)]
    (duel,) = two_seat_standings(["b", "a"], rows).duels
    assert (duel.agents, duel.wins, duel.draws, duel.losses) == (("b", "a"), 2, 1, 11)
    assert duel.score == pytest.approx(2.5 / 14)
    assert duel.score_ci95 == pytest.approx(wilson(2.5, 14))
    # As many pairs won as lost.
    rows = [
        row for c in range(8) for row in pair(c, "a", "b", *((1.0, -1.0) if c < 4 else (-1.0, 1.0)))
    ]
    (duel,) = two_seat_standings(["a", "b"], rows).duels
    assert duel.p_value == 1.0


def test_the_variance_of_pairs_is_estimated_and_not_assumed() -> None:
    rng = np.random.default_rng(8)
    alike = [[p, p] for p in rng.integers(0, 2, 400)]
    apart = [[p, 1 - p] for p in rng.integers(0, 2, 400)]
    free = rng.integers(0, 2, (400, 2)).tolist()
    assert variance_ratio(alike) == pytest.approx(2.0, abs=0.02)
    assert variance_ratio(apart) == pytest.approx(0.0, abs=0.02)
    assert variance_ratio(free) == pytest.approx(1.0, abs=0.2)
    assert variance_ratio([[1.0, 1.0], [1.0, 1.0]]) is None


def test_the_variance_of_few_pairs_is_estimated_without_bias() -> None:
    # Sums of the pairs above their mean: 1, -1, 0, so their variance is 2 / (3 - 1) = 1; that of
    # the six games is 6 · ¼ / (6 - 1) = 0.3, and 2 · 0.3 for a pair of independent ones.
    assert variance_ratio([[1, 1], [0, 0], [1, 0]]) == pytest.approx(1 / (2 * 0.3))
    # Clusters of 1, 3 and 2 games, mean ½: ½, ½ and -1 above it.
    uneven = (0.25 + 0.25 + 1) / (3 - 1) * 3 / (0.3 * 6)
    assert variance_ratio([[1], [0, 1, 1], [0, 0]]) == pytest.approx(uneven)
    assert variance_ratio([[1, 0]]) is None
    assert variance_ratio([[1, 0], [1, 1]]) is not None


def test_the_variance_ratio_of_independent_games_is_1_in_the_mean() -> None:
    rng = np.random.default_rng(9)
    found = [variance_ratio(rng.integers(0, 3, (6, 2)) / 2) for _ in range(3000)]
    known = [ratio for ratio in found if ratio is not None]
    assert len(known) == 3000
    assert float(np.mean(known)) == pytest.approx(1.0, abs=0.03)


def test_notes_name_repeated_games_and_pairs_that_end_alike() -> None:
    same = [row for cluster in range(50) for row in pair(cluster, "a", "b", 1.0, -1.0, "same")]
    assert two_seat_standings(["a", "b"], same).notes == (
        "98 of the 100 games between a and b repeat earlier ones move by move; scores, intervals,"
        " ratings and tests count only the other 2.",
    )

    def alike(pairs: int, every: int) -> tuple[str, ...]:
        """The notes on pairs of which all but each `every`-th are won or lost 2 : 0."""
        rows = []
        for cluster in range(pairs):
            first = 1.0 if cluster % 2 else -1.0
            second = first if cluster % every == 0 else -first
            rows += pair(cluster, "a", "b", first, second, "m")
        return two_seat_standings(["a", "b"], rows).notes

    (note,) = alike(20, 100)
    assert "Games of a and b that share a start tend to end alike (variance ×" in note
    assert alike(19, 100) == ()  # too few
    assert alike(20, 2) == ()  # half of the pairs are shared: independent games


def test_results_are_tallied_by_cluster() -> None:
    assert _tally(["a", "b"], []).tolist() == np.zeros((1, 2, 2, 3)).tolist()
    games = [ScoredGame(("a", "b"), (1.0, -1.0), 5), ScoredGame(("b", "a"), (0.0, 0.0), 5)]
    wanted = np.zeros((1, 2, 2, 3))
    wanted[0, 0, 1, 0] = wanted[0, 1, 0, 1] = 1
    assert _tally(["a", "b"], games).tolist() == wanted.tolist()


def test_a_single_game_counts_and_who_never_met_has_no_points() -> None:
    totals = np.zeros((1, 3, 3, 3))
    totals[0, 0, 1, 0] = 1  # the first agent beat the second, from the first seat
    points, games = _meetings(totals)
    assert games[0].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert points[0].tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 0]]
