"""The benchmark: fixed tasks, right scores, resumed and merged, for agents and bad models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from trireme.arena.match import Entrant
from trireme.bench.page import html_page, markdown
from trireme.bench.results import (
    BenchResults,
    BenchRun,
    BenchScore,
    counters,
    load_results,
    merge,
    save_results,
    summaries,
)
from trireme.bench.run import run_bench
from trireme.bench.scoring import score
from trireme.bench.tasks import (
    DATA,
    LADDER,
    LADDER_GAMES,
    BenchItem,
    bench_plan,
    navigation_game,
    task_data,
)
from trireme.cli import app
from trireme.core.errors import BadSpec, TriremeError, UnknownName
from trireme.core.record import Record
from trireme.core.registry import make_game
from trireme.core.session import Session
from trireme.core.transcript import SUFFIX, read_transcript
from trireme.gomoku.rules import Gomoku
from trireme.llm.scripted import Asked, Misbehaviour, ScriptedEndpoint

ROOT = Path(__file__).parents[2]
RANDOM = Entrant("me", "random")
FORMAT = "provider=compatible,url={url},backoff=0,timeout=20,fallback=random,attempts=2"


def plan(game: str, share: float = 1.0) -> tuple[BenchItem, ...]:
    return bench_plan(game, RANDOM, share=share, seconds=None, limit=60).items


def played(item: BenchItem, actions: dict[int, str]) -> Record:
    """The record of an item after one move."""
    session = Session(item.fixture.game, ["a"] * item.fixture.game.seats, seed=1)
    session.move({seat: session.game.read(text) for seat, text in actions.items()})
    return session.record


def test_the_tasks_are_those_of_version_1() -> None:
    """Results were published for them: another set of items needs another version."""
    data = task_data()
    assert data["version"] == 1
    assert {name: len(data[name]) for name in LADDER} == {
        "battleship": 100,
        "gomoku": 36,
        "navigation": 24,
    }
    assert DATA.name == "tasks_v1.json"
    for game, steps in LADDER.items():
        items = plan(game)
        assert len(items) == len(data[game]) + LADDER_GAMES * len(steps)
        assert [item.fixture.number for item in items] == list(range(len(items)))
        assert len({(item.task, item.number) for item in items}) == len(items)
        assert all(item.fixture.seats[item.seat] == 0 for item in items)
        assert not any(Entrant(step, step).timed(make_game(game)) for step in steps)


def test_a_share_takes_the_first_items_of_every_task_in_whole_pairs() -> None:
    whole = {(i.task, i.number): i.fixture.seed for i in plan("gomoku")}
    part = plan("gomoku", 0.1)
    assert {i.task for i in part} == {task for task, _ in whole}
    assert all(whole[i.task, i.number] == i.fixture.seed for i in part)
    tasks = [i.task for i in part]
    assert all(tasks.count(task) == 2 for task in tasks)
    for share in (0, 1.5):
        with pytest.raises(BadSpec, match="share"):
            plan("gomoku", share)
    with pytest.raises(UnknownName, match="gomoku"):
        plan("gomuku")


@pytest.mark.parametrize("kind", ["make five", "stop five"])
def test_every_solution_of_a_puzzle_does_what_it_should(kind: str) -> None:
    for puzzle in (p for p in task_data()["gomoku"] if p["kind"] == kind):
        game = Gomoku(position=puzzle["stones"])
        start = game.start()
        (seat,) = game.to_move(start)
        wins = {
            game.write(point)
            for point in game.legal(start, seat)
            if game.apply(start, {seat: point}).winner
        }
        if kind == "make five":
            assert set(puzzle["solutions"]) == wins
            continue
        assert not wins
        (only,) = puzzle["solutions"]
        other = next(p for p in game.legal(start, seat) if game.write(p) != only)
        after = game.apply(start, {seat: other})
        assert game.apply(after, {1 - seat: game.read(only)}).winner


def test_puzzles_are_scored_by_the_move() -> None:
    for item in plan("gomoku"):
        if item.task in ("puzzle make five", "puzzle stop five") and item.number < 3:
            right = item.reference["solutions"][0]
            assert score(item, played(item, {item.seat: right})) == 1
            legal = item.fixture.game.legal(item.fixture.game.start(), item.seat)
            texts = (item.fixture.game.write(action) for action in legal)
            wrong = next(text for text in texts if text not in item.reference["solutions"])
            assert score(item, played(item, {item.seat: wrong})) == 0


def test_regret_is_exact_against_the_equilibrium() -> None:
    """Some plan has none, no plan has less, and a forfeit has the most."""
    item = next(i for i in plan("navigation") if i.task == "regret")
    game: Any = navigation_game(item.reference)
    answer = item.reference["answers"][0][0]
    found = [score(item, played(item, {0: game.write(p), 1: answer})) for p in game.plans[0]]
    assert min(found) == pytest.approx(0, abs=1e-6)
    assert max(found) <= item.reference["best"] + 1
    assert sum(found) / len(found) > 0.2
    assert sum(weight for _, weight in item.reference["answers"]) == pytest.approx(1)
    nobody = Session(game, ["a", "b"], seed=1)
    assert score(item, nobody.record) == item.reference["best"] + 1


def test_a_run_is_resumed_where_it_was_stopped(tmp_path: Path) -> None:
    calls: list[tuple[str, int, int]] = []

    def stop_after_three(game: str, done: int, planned: int) -> None:
        calls.append((game, done, planned))
        if len(calls) == 3:
            raise KeyboardInterrupt

    options: dict[str, Any] = {"executor": "serial", "share": 0.1}
    with pytest.raises(KeyboardInterrupt):
        run_bench("random", ["navigation"], tmp_path, on_item=stop_after_three, **options)
    lines = (tmp_path / "navigation.jsonl").read_bytes()
    assert lines.count(b"\n") == 3
    assert len(load_results(tmp_path / "results.json").runs[0].items) == 3
    with (tmp_path / "navigation.jsonl").open("ab") as file:
        file.write(b'{"task": "cut o')
    whole = run_bench("random", ["navigation"], tmp_path, **options)
    (run,) = whole.runs
    assert (tmp_path / "navigation.jsonl").read_bytes().startswith(lines)
    assert len(run.items) == len(plan("navigation", 0.1))
    fresh = run_bench("random", ["navigation"], tmp_path / "other", **options)
    assert values_of(fresh) == values_of(whole)
    with pytest.raises(TriremeError, match="holds the results of 'random'"):
        run_bench("greedy", ["navigation"], tmp_path, **options)


def values_of(results: BenchResults) -> dict[tuple[str, int], float]:
    return {(item.task, item.number): item.value for item in results.runs[0].items}


GOOD = {
    "battleship": ["A1-A5 C1-C4 E1-E3 G1-G3 I1-I2", "B2", "E5"],
    "gomoku": ["h8", "g7", "j10"],
    "navigation": ["F-F-", "F-F-F-F-", "--------"],
}
"""Actions that are legal now and then."""


@pytest.mark.parametrize(
    "game", [pytest.param("battleship", marks=pytest.mark.slow), "gomoku", "navigation"]
)
def test_a_model_that_misbehaves_in_every_way_is_measured(game: str, tmp_path: Path) -> None:
    faults: list[Any] = [
        "garbage",
        "I must refuse to answer this.",
        '{"action": "no such thing"}',
        '{"action": null}',
        "{" * 5000,
        Misbehaviour(429, {"Retry-After": "0"}),
        Misbehaviour(500),
        Misbehaviour(body=b"x", cut=True),
        Misbehaviour(body=b"y" * 2_000_000),
        Misbehaviour(body=b"null"),
        Misbehaviour(403, body=b'{"error": {"message": "content policy"}}'),
        *(f'{{"action": "{action}"}}' for action in GOOD[game]),
    ]

    def script(asked: Asked) -> Any:
        if asked.number < 2:
            return Misbehaviour(body=b'{"choices": [', hang=True)
        return faults[asked.number % len(faults)]

    with ScriptedEndpoint(script) as endpoint:
        agent = f"bad=llm:model=script,{FORMAT.format(url=endpoint.url)}"
        agent = agent.replace("timeout=20", "timeout=0.3")
        results = run_bench(agent, [game], tmp_path, share=0.01, executor="serial")
    (run,) = results.runs
    assert run.agent == "bad"
    counted = counters(run)
    assert len(run.items) == len(plan(game, 0.01))
    assert 0 < counted["legal"] < 1
    assert counted["retries"] > 0
    assert counted["transport"] > 0
    assert counted["requests"] == counted["ok"] + counted["transport"] + sum(
        counted[kind] for kind in ("unreadable", "illegal", "truncated")
    )
    files = tmp_path.rglob(f"*{SUFFIX}")
    said = {e.kind for file in files for e in read_transcript(file.read_text("utf-8"))}
    assert {"ok", "unreadable", "transport"} <= said


def test_the_command_measures_and_resumes(tmp_path: Path) -> None:
    command = ["bench", "run", "me=greedy", "--share", "0.01", "--executor", "serial"]
    command += ["--out", str(tmp_path / "out"), "--json"]
    first, again = (CliRunner().invoke(app, command) for _ in range(2))
    assert first.exit_code == 0, first.output
    assert again.stdout == first.stdout
    (run,) = msgspec.json.decode(first.stdout, type=BenchResults).runs
    assert (run.agent, run.spec, run.game) == ("me", "greedy", "navigation")
    assert len(run.items) == len(plan("navigation", 0.01))


def make_run(agent: str, values: list[float], task: str = "shots", first: int = 0) -> BenchResults:
    items = [BenchScore(task, first + n, value, 10) for n, value in enumerate(values)]
    return BenchResults(1, [BenchRun(agent, "battleship", agent, None, items)])


def test_results_are_merged_item_by_item() -> None:
    merged = merge([make_run("a", [40, 50]), make_run("a", [99, 60], first=1), make_run("b", [1])])
    assert [run.agent for run in merged.runs] == ["a", "b"]
    assert [(i.number, i.value) for i in merged.runs[0].items] == [(0, 40), (1, 50), (2, 60)]
    other = BenchResults(1, [BenchRun("a", "battleship", "b", None, [])])
    with pytest.raises(TriremeError, match="another name"):
        merge([make_run("a", [1]), other])


def test_summaries_have_intervals_and_the_difference_on_the_same_boards() -> None:
    boards = task_data()["battleship"]
    run = make_run("a", [board["posterior"] + 2.0 for board in boards[:10]]).runs[0]
    (shots,) = summaries(run)
    assert shots.note.startswith("+2.00 ± 0.00")
    assert shots.low < shots.value < shots.high
    (ladder,) = summaries(make_run("a", [1, 0.5, 0, 1], "ladder hunt").runs[0])
    assert ladder.value == 0.625
    assert 0 < ladder.low < 0.625 < ladder.high < 1


def test_the_published_table_is_made_from_the_published_results() -> None:
    published = load_results(ROOT / "benchmarks" / "bench_results_v1.json")
    assert {run.game for run in published.runs} == set(LADDER)
    assert markdown(published) in (ROOT / "docs" / "benchmark.md").read_text("utf-8")


def test_files_of_other_versions_and_other_kinds_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    save_results(file, make_run("a", [40]))
    assert load_results(file) == make_run("a", [40])
    file.write_bytes(msgspec.json.encode(BenchResults(2, [])))
    with pytest.raises(TriremeError, match="version 2"):
        load_results(file)
    file.write_text("nonsense")
    with pytest.raises(TriremeError, match="holds no results"):
        load_results(file)
    with pytest.raises(TriremeError, match="can't read"):
        load_results(tmp_path / "none.json")


def test_the_page_shows_every_agent_and_escapes_its_name(tmp_path: Path) -> None:
    made = merge([make_run("<b>a</b>", [40, 41]), make_run("b", [50])])
    page = html_page(made)
    assert "&lt;b&gt;a&lt;/b&gt;" in page
    assert "<b>a</b>" not in page
    assert "40.5 (" in page
    file = tmp_path / "r.json"
    save_results(file, made)
    command = ["bench", "table", str(file), "--html", str(tmp_path / "p.html"), "--json"]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.output
    assert msgspec.json.decode(shown.output)["bench"] == 1
    assert (tmp_path / "p.html").read_text() == page
    plain = CliRunner().invoke(app, ["bench", "table", str(file)])
    assert "battleship" in plain.output
