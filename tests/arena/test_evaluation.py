"""Evaluating a bot: paired, deterministic, with its worst games, and stopped by its errors."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import trireme
from trireme import BadSpec, BotFailed, load_record
from trireme.arena.evaluation import Comparison, _sentence
from trireme.arena.film import film
from trireme.cli import app

SEA = "battleship:rows=6,cols=6"


class RowByRow:
    """Fires at the cells in order."""

    def act(self, turn: Any) -> int:
        return len(turn.view.target.shots)


class Centre:
    name = "centre"

    def act(self, turn: Any) -> Any:
        middle = turn.game.size // 2
        return min(turn.legal, key=lambda p: abs(p[0] - middle) + abs(p[1] - middle))


class Fails(RowByRow):
    def act(self, turn: Any) -> int:
        print("I am about to fail")
        if len(turn.view.target.shots) == 3:
            raise ZeroDivisionError("on purpose")
        return super().act(turn)


def evaluate(agent: Any, game: str, out: Path, **options: Any) -> trireme.Evaluation:
    options = {"games": 12, "executor": "serial", "progress": False, **options}
    return trireme.evaluate(agent, game, out=out, **options)


def test_a_solo_bot_is_compared_fleet_by_fleet(tmp_path: Path) -> None:
    found = evaluate(RowByRow, SEA, tmp_path / "run", games=20)
    assert [c.reference for c in found.comparisons] == ["random", "hunt", "density"]
    assert all((c.measure, c.games) == ("shots", 20) for c in found.comparisons)
    density = found.comparisons[2]
    assert density.value > 0
    assert density.better is False
    assert sum(found.histogram.values()) == 20
    shots = [-load_record(w.record).end.returns[0] for w in found.worst]  # type: ignore[union-attr]
    assert shots == sorted(shots, reverse=True) == [w.value for w in found.worst]
    assert shots[0] == max(found.histogram)
    mean = sum(k * n for k, n in found.histogram.items()) / 20
    assert found.mean == pytest.approx(mean)


def test_a_bot_meets_every_reference_from_both_seats(tmp_path: Path) -> None:
    found = evaluate(Centre(), "gomoku:size=7", tmp_path / "run", against=["random"], games=6)
    (random,) = found.comparisons
    assert (random.measure, random.games) == ("score", 6)
    assert random.value > 0.5
    assert all(w.opponent == "random" and w.value < 1 for w in found.worst)
    assert len(found.report.duels) == 1


class Taker:
    """Takes the free point with this index."""

    def __init__(self, name: str, index: int) -> None:
        self.name, self.index = name, index

    def act(self, turn: Any) -> Any:
        return list(turn.legal)[self.index]


def test_the_worst_games_are_the_quickest_losses(tmp_path: Path) -> None:
    like, unlike = Taker("like", 0), Taker("unlike", -1)  # who begins wins in 21 moves or in 9
    (tmp_path / "run" / "films").mkdir(parents=True)  # of an evaluation that was deleted
    found = evaluate(
        Taker("first", 0), "gomoku:size=5", tmp_path / "run", against=[like, unlike], games=4
    )
    games = [(w.opponent, w.value, w.moves) for w in found.worst]
    assert games == [("unlike", 0, 9)] * 2 + [("like", 0, 21)] * 2
    assert [w.number for w in found.worst[:2]] == sorted(w.number for w in found.worst[:2])
    assert found.histogram == {9: 4, 21: 4}


def test_draws_count_half_a_point(tmp_path: Path) -> None:
    at_anchor = "navigation:turn_limit=1"
    found = evaluate("moored", at_anchor, tmp_path / "run", against=["moored"], games=2)
    assert [w.value for w in found.worst] == [0.5, 0.5]
    assert found.mean == 0.5


@pytest.mark.parametrize("executor", ["serial", pytest.param("processes", marks=pytest.mark.slow)])
def test_the_same_seed_gives_the_same_evaluation(tmp_path: Path, executor: str) -> None:
    runs = [
        evaluate(
            "hunt", SEA, tmp_path / str(i), games=10, seed=seed, against=["random"], executor=where
        )
        for i, (seed, where) in enumerate([(1, "serial"), (1, executor), (2, "serial")])
    ]
    first, same, other = (run.report.results_hash for run in runs)
    assert first == same != other
    assert runs[0].comparisons == runs[1].comparisons


def test_the_first_error_stops_with_the_bots_traceback(tmp_path: Path) -> None:
    with pytest.raises(BotFailed) as caught:
        evaluate(Fails, SEA, tmp_path / "run")
    failed = caught.value
    assert (failed.agent, failed.reason) == ("Fails", "exception")
    assert 'raise ZeroDivisionError("on purpose")' in failed.traceback
    assert "I am about to fail" in failed.output
    assert "test_evaluation.py, line" in str(failed)
    assert not (tmp_path / "run" / "evaluation.html").exists()


def test_a_lenient_evaluation_counts_errors_as_lost(tmp_path: Path) -> None:
    found = evaluate(Fails, SEA, tmp_path / "run", strict=False, games=3)
    assert found.mean == 36
    assert found.report.forfeit_causes[0].games == 3


def test_a_constructor_that_fails_raises_its_own_error(tmp_path: Path) -> None:
    class Broken:
        def __init__(self) -> None:
            raise LookupError("no weights")

    with pytest.raises(LookupError, match="no weights"):
        evaluate(Broken, SEA, tmp_path / "run")
    with pytest.raises(BadSpec, match="at least one agent to compare"):
        evaluate(RowByRow, SEA, tmp_path / "run", against=[])
    with pytest.raises(BadSpec, match="plays gomoku, not battleship"):
        evaluate("heuristic", SEA, tmp_path / "run")


def test_the_page_shows_comparisons_worst_games_and_films(tmp_path: Path) -> None:
    found = evaluate(RowByRow, SEA, tmp_path / "run", games=8)
    page = found.page.read_text()
    for words in ("RowByRow in battleship", "density", "Worst games", "Distribution of shots"):
        assert words in page
    assert len(found.worst) == 5
    for game in found.worst:
        assert f"films/{game.number:06d}.html" in page
        shown = game.film.read_text()
        assert shown.count("<figure>") == game.moves + 1
    assert found._repr_html_() in page
    assert repr(found).startswith("<Evaluation of RowByRow in battleship: ")


def test_a_film_escapes_what_agents_are_called(tmp_path: Path) -> None:
    class Rude(Centre):
        name = "<script>alert(1)</script>"

    record = trireme.play("gomoku:size=5", [Rude(), "random"], seed=1).record
    assert "<script>alert" not in film(record)


@pytest.mark.parametrize(
    ("measure", "ci95", "better"),
    [
        ("shots", (-2.0, -1.0), True),
        ("shots", (1.0, 2.0), False),
        ("shots", (-1.0, 1.0), None),
        ("score", (0.51, 0.7), True),
        ("score", (0.3, 0.49), False),
        ("score", (0.5, 0.7), None),
    ],
)
def test_a_comparison_is_open_where_its_interval_is(
    measure: str, ci95: tuple[float, float], better: bool | None
) -> None:
    assert Comparison("random", 10, measure, sum(ci95) / 2, ci95, 0.04).better is better
    assert Comparison("random", 10, measure, sum(ci95) / 2, ci95, 0.05).better is None


def test_a_comparison_is_told_in_its_own_unit() -> None:
    shots = Comparison("hunt", 10, "shots", -1.5, (-2.0, -1.0), 0.01)
    assert _sentence(shots) == "better than hunt: -1.50 shots (95 % -2.00 to -1.00), p = 0.01"
    score = Comparison("hunt", 10, "score", 0.25, (0.1, 0.4), 0.02, elo=-191.0)
    told = "worse than hunt: 25.0% (95 % 10.0% to 40.0%, -191 Elo), p = 0.02"
    assert _sentence(score) == told
    assert _sentence(replace(score, elo=None)) == told.replace(", -191 Elo", "")


@pytest.mark.slow
def test_an_error_in_another_process_stops_with_the_traceback_too(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    spec = f"{tmp_path}/bot.py:Bot"
    with pytest.raises(BotFailed, match=r"KeyError: 'bad luck' \(bot\.py, line 5\)") as caught:
        evaluate(spec, SEA, tmp_path / "run", executor="processes", workers=1)
    assert 'raise KeyError("bad luck")' in caught.value.traceback


BOT = """
class Bot:
    def act(self, turn):
        if len(turn.view.target.shots) == 2:
            raise KeyError("bad luck")
        return turn.legal.sample(turn.rng)
"""


@pytest.mark.slow
def test_the_command_prints_the_comparison_or_the_traceback(tmp_path: Path) -> None:
    options = ["--games", "4", "--against", "random", "--executor", "serial"]
    done = CliRunner().invoke(
        app, ["evaluate", "hunt", SEA, *options, "--out", str(tmp_path / "a"), "--json"]
    )
    plain = json.loads(done.stdout)
    assert (plain["agent"], plain["comparisons"][0]["reference"]) == ("hunt", "random")
    assert Path(plain["page"]).is_file()
    (tmp_path / "bot.py").write_text(BOT)
    spec = f"{tmp_path}/bot.py:Bot"
    failed = CliRunner().invoke(
        app, ["evaluate", spec, SEA, *options, "--out", str(tmp_path / "b")]
    )
    assert failed.exit_code != 0
    assert 'raise KeyError("bad luck")' in failed.stderr
    assert "(bot.py, line 5)" in str(failed.exception)
