"""Tournament formats: pairings on fixed results, against published rules and hand-made tables."""

from collections import Counter
from pathlib import Path
from random import Random as PlainRandom
from typing import Any

import pytest

from trireme import BadSpec, make_game
from trireme.arena import Match, build_report, entrants, results_hash, resume, run_match, start
from trireme.arena.pairings import (
    MOST_TIEBREAKS,
    Pairing,
    SwissScore,
    add_swiss_results,
    bracket,
    buchholz,
    knockout,
    most_swiss_rounds,
    stages,
    swiss_pairings,
    swiss_ranking,
)
from trireme.arena.run import Progress, progress_of

GAME = make_game("gomoku", size=7)


def strongest_wins(pairings: tuple[Pairing, ...]) -> list[tuple[float, float]]:
    """Results in which the higher seed (the smaller index) wins."""
    return [(2.0, 0.0) if a < b else (0.0, 2.0) for a, b in pairings]  # type: ignore[misc]


def test_a_round_robin_has_every_pair_and_a_gauntlet_those_of_the_first() -> None:
    (whole,) = list(stages("round-robin", 4, 2, 3))
    assert whole.pairings == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    assert whole.rounds == 3
    (gauntlet,) = list(stages("gauntlet", 4, 2, 1))
    assert gauntlet.pairings == ((0, 1), (0, 2), (0, 3))
    (alone,) = list(stages("round-robin", 3, 1, 1))
    assert alone.pairings == ((0,), (1,), (2,))


def test_swiss_pairs_eight_as_the_dutch_system_does() -> None:
    """The textbook example: 1-5, 2-6, 3-7, 4-8; after wins of the higher seeds 1-3, 2-4 above and
    5-7, 6-8 below; then 1-2, and the score group of one win: 3-5, 4-6 as nobody meets twice."""
    table = [SwissScore() for _ in range(8)]
    seen: list[tuple[Pairing, ...]] = []
    for _ in range(3):
        seen.append(swiss_pairings(table))
        add_swiss_results(table, seen[-1], strongest_wins(seen[-1]))
    assert seen[0] == ((0, 4), (1, 5), (2, 6), (3, 7))
    assert seen[1] == ((0, 2), (1, 3), (4, 6), (5, 7))
    assert seen[2][0] == (0, 1)
    assert {frozenset(p) for p in seen[2][1:3]} == {frozenset((2, 4)), frozenset((3, 5))}
    assert seen[2][3] == (6, 7)
    assert [entry.points for entry in table] == [3, 2, 2, 2, 1, 1, 1, 0]


def test_the_lowest_of_an_odd_score_group_goes_down() -> None:
    table = [SwissScore(points=p) for p in (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)]
    assert swiss_pairings(table) == ((0, 1), (2, 3), (4, 5))


def test_the_bye_goes_to_the_lowest_that_had_none() -> None:
    table = [SwissScore() for _ in range(5)]
    byes = []
    for _ in range(3):
        pairs = swiss_pairings(table)
        (bye,) = set(range(5)) - {agent for pair in pairs for agent in pair}
        byes.append(bye)
        add_swiss_results(table, pairs, strongest_wins(pairs))
    assert byes[0] == 4
    assert len(set(byes)) == 3
    assert table[4].points >= 1


def test_buchholz_orders_equal_points_by_their_opponents() -> None:
    """Hand-made: both have two points; the opponents of the first scored 3, those of the second 4;
    a bye counts as an opponent with one's own points."""
    table = [
        SwissScore(points=2.0, opponents=[2, 3], game_points=9.0),
        SwissScore(points=2.0, opponents=[2, 4]),
        SwissScore(points=3.0),
        SwissScore(points=0.0),
        SwissScore(points=1.0, opponents=[3], bye=True),
    ]
    assert [buchholz(table, i) for i in (0, 1, 4)] == [3.0, 4.0, 1.0]
    assert swiss_ranking(table) == [2, 1, 0, 4, 3]
    assert swiss_ranking([SwissScore(1.0, 1.0), SwissScore(1.0, 2.0)]) == [1, 0]


@pytest.mark.parametrize("count", [2, 3, 4, 5, 7, 8, 13, 32, 61])
def test_nobody_meets_twice_in_as_many_rounds_as_are_allowed(count: int) -> None:
    rng = PlainRandom(count)
    table = [SwissScore() for _ in range(count)]
    met: Counter[frozenset[int]] = Counter()
    for _ in range(most_swiss_rounds(count)):
        pairs = swiss_pairings(table)
        assert len(pairs) == count // 2
        assert len({agent for pair in pairs for agent in pair}) == 2 * len(pairs)
        met.update(frozenset(pair) for pair in pairs)
        add_swiss_results(table, pairs, [rng.choice([(2, 0), (1, 1), (0, 2)]) for _ in pairs])
    assert set(met.values()) == {1}


def test_the_best_two_seeds_meet_only_in_the_final() -> None:
    """The bracket that tennis and others publish: 1-8, 4-5, 2-7, 3-6."""
    assert bracket(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    played = knockout(8, 2)
    stage = next(played)
    assert stage.pairings == ((0, 7), (3, 4), (1, 6), (2, 5))
    assert stage.rounds == 2
    stage = played.send(strongest_wins(stage.pairings))
    assert stage.pairings == ((0, 3), (1, 2))
    stage = played.send([(0.0, 4.0), (4.0, 0.0)])
    assert stage.pairings == ((1, 3),)
    with pytest.raises(StopIteration) as end:
        played.send([(4.0, 0.0)])
    assert [place.agent for place in end.value.value] == [1, 3, 0, 2, 4, 5, 6, 7]
    assert [place.result for place in end.value.value][:4] == [
        "won",
        "lost in the final",
        "lost in the semi-final",
        "lost in the semi-final",
    ]


def test_top_seeds_have_the_byes_of_a_knockout() -> None:
    played = knockout(5, 1)
    assert next(played).pairings == ((3, 4),)
    assert played.send([(0.0, 2.0)]).pairings == ((0, 4), (1, 2))


def test_a_drawn_pairing_plays_on_start_by_start_and_then_the_higher_seed_goes_on() -> None:
    played = knockout(4, 3)
    stage = next(played)
    assert stage.pairings == ((0, 3), (1, 2))
    stage = played.send([(3.0, 3.0), (0.0, 6.0)])
    assert (stage.pairings, stage.rounds) == (((0, 3),), 1)
    for _ in range(MOST_TIEBREAKS - 1):
        stage = played.send([(1.0, 1.0)])
        assert (stage.pairings, stage.rounds) == (((0, 3),), 1)
    assert played.send([(1.0, 1.0)]).pairings == ((0, 2),)


def tournament(**conditions: Any) -> Match:
    agents = entrants(GAME, [f"r{i}=random" for i in range(5)])
    return Match(GAME, agents, games=2, isolate=False, **conditions)


class Stop(Exception):
    pass


STAGED = [{"format": "swiss", "swiss_rounds": 3}, {"format": "knockout"}]


@pytest.mark.parametrize("conditions", STAGED)
def test_stages_follow_from_results_wherever_they_are_played_and_stopped(
    tmp_path: Path, conditions: dict[str, Any]
) -> None:
    made = tournament(**conditions)
    whole = run_match(start(made, tmp_path / "serial"), executor="serial")
    assert whole.complete
    seats = [f.seats for f in whole.fixtures]
    assert all(first == second[::-1] for first, second in zip(seats[::2], seats[1::2], strict=True))
    wanted = results_hash(whole.counted.values())

    folder = start(made, tmp_path / "parts")
    for games in range(1, len(whole.outcomes), 5):

        def stop(progress: Progress, games: int = games) -> None:
            if len(progress.outcomes) >= games:
                raise Stop

        with pytest.raises(Stop):
            run_match(folder, executor="serial", on_game=stop)
        folder = resume(tmp_path / "parts")
        assert len(progress_of(folder).outcomes) == games
        assert not progress_of(folder).complete
    done = run_match(folder, executor="serial")
    assert results_hash(done.counted.values()) == wanted
    assert done.fixtures == whole.fixtures


@pytest.mark.slow
@pytest.mark.parametrize("conditions", STAGED)
def test_stages_are_the_same_in_processes(tmp_path: Path, conditions: dict[str, Any]) -> None:
    made = tournament(**conditions)
    runs = [
        run_match(start(made, tmp_path / executor), executor=executor, workers=2)
        for executor in ("serial", "processes")
    ]
    assert len({results_hash(run.counted.values()) for run in runs}) == 1


def test_a_lost_result_of_an_early_stage_is_played_again(tmp_path: Path) -> None:
    made = tournament(format="swiss", swiss_rounds=2)
    whole = run_match(start(made, tmp_path / "run"), executor="serial")
    file = tmp_path / "run" / "results.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[1:]))
    folder = resume(tmp_path / "run")
    done = run_match(folder, executor="serial")
    assert results_hash(done.counted.values()) == results_hash(whole.counted.values())


def test_a_swiss_report_says_how_many_games_there_will_be(tmp_path: Path) -> None:
    made = tournament(format="swiss", swiss_rounds=3)
    folder = start(made, tmp_path / "run")
    assert len(folder.fixtures) == 4
    assert progress_of(folder).scheduled == 3 * 2 * 2
    assert made.expected_games == 12
    assert build_report(progress_of(folder), "").places == ()
    report = build_report(run_match(folder, executor="serial"), "")
    assert len(report.places) == 5
    assert "points, Buchholz" in report.places[0].result
    assert sorted(place.agent for place in report.places) == sorted(made.names)
    assert tournament(format="knockout").expected_games == 8
    assert tournament().expected_games is None


def test_the_format_gauntlet_is_the_same_as_the_option() -> None:
    assert tournament(format="gauntlet") == tournament(gauntlet=True)
    assert tournament(gauntlet=True).format == "gauntlet"


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ({"format": "cup"}, "expected a format out of round-robin, gauntlet, swiss, knockout"),
        ({"swiss_rounds": 2}, "needs the format swiss"),
        ({"format": "swiss", "swiss_rounds": 4}, "1 to 3 rounds"),
        ({"format": "swiss", "swiss_rounds": 0}, "1 to 3 rounds"),
    ],
)
def test_formats_that_do_not_fit_are_refused(conditions: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSpec, match=message):
        tournament(**conditions)
    game = make_game("battleship")
    with pytest.raises(BadSpec, match="needs a game with two seats"):
        Match(game, entrants(game, ["a=random", "b=random"]), format="swiss")
