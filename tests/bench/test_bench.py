"""The benchmark: fixed tasks, right scores, resumed and merged, for agents and bad models."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

import trireme
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
from trireme.bench.scoring import score, solved
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
from trireme.core.options import settings
from trireme.core.record import Record, parse_record
from trireme.core.registry import agent_class, make_game
from trireme.core.session import Session
from trireme.core.spec import parse_spec
from trireme.core.transcript import SUFFIX, read_transcript
from trireme.gomoku.rules import Gomoku
from trireme.llm.scripted import Asked, Misbehaviour, ScriptedEndpoint

ROOT = Path(__file__).parents[2]
RANDOM = Entrant("me", "random")
FORMAT = "provider=compatible,url={url},backoff=0,timeout=20,fallback=random,attempts=2"


FROZEN = {
    "battleship": ("cd28f788e490", "db9b8b955f4b"),
    "gomoku": ("3a08492d5574", "9bf1aef4fb72"),
    "navigation": ("c4f802ffed88", "69dec965fe49"),
}
"""Hashes of a ladder's starts, and of its steps' first actions."""


@pytest.fixture
def _short_ladders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the weakest step of every ladder."""
    for game, steps in LADDER.items():
        monkeypatch.setitem(LADDER, game, dict([next(iter(steps.items()))]))


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
        assert not any(Entrant(n, spec).timed(make_game(game)) for n, spec in steps.items())


@pytest.mark.parametrize("game", LADDER)
def test_the_ladder_of_version_1_is_fixed(game: str) -> None:
    """Its starts, seats and seeds, and how its steps play: published results compare with these.

    A difference asks for another version of the tasks, or, where none were released, for new
    results in `benchmarks/bench_results_v1.json`.
    """
    starts, moves = hashlib.sha256(), hashlib.sha256()
    for item in plan(game):
        if item.task.startswith("ladder"):
            fixture = item.fixture
            start = [item.task, item.number, item.seat, fixture.opening, fixture.seed]
            starts.update(msgspec.json.encode([start, settings(fixture.game)]))
    for spec in LADDER[game].values():
        fixture = plan(game)[-1].fixture
        record = trireme.play(fixture.game, ["random", spec], seed=1).record
        moves.update(msgspec.json.encode([m[1] for m in record.moves if 1 in m][:8]))
    assert (starts.hexdigest()[:12], moves.hexdigest()[:12]) == FROZEN[game]


@pytest.mark.parametrize("game", LADDER)
def test_no_step_of_the_ladder_leaves_an_option_to_its_default(game: str) -> None:
    """Except clocks, which none has, and files of networks, which none reads."""
    for spec in LADDER[game].values():
        parsed = parse_spec(spec)
        options = {f.name for f in fields(agent_class(game, parsed.name)) if f.init}
        assert options - set(parsed.options) <= {"seconds", "nodes", "model"}, spec
        assert parsed.options.get("value", "formula") == "formula"
        assert parsed.options.get("evaluation", "patterns") == "patterns"


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


def test_a_forced_win_is_solved_by_a_move_that_wins_at_once() -> None:
    five = next(item for item in plan("gomoku") if item.task == "puzzle make five")
    item = dataclasses.replace(five, reference={"solutions": None})
    assert solved(item, played(item, {item.seat: five.reference["solutions"][0]}))


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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("game", ["battleship", "gomoku", "navigation"])
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


@pytest.mark.usefixtures("_short_ladders")
def test_no_prompt_of_a_run_tells_what_its_seat_may_not_know(tmp_path: Path) -> None:
    """Neither a seed nor a ship of the opponent's fleet, whoever places first, is sent."""

    def script(asked: Asked) -> str:
        if "Fleets are being placed" in asked.messages[0][1]:
            return '{"action": "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2"}'
        return "nothing to read"

    with ScriptedEndpoint(script) as endpoint:
        agent = f"me=llm:model=script,{FORMAT.format(url=endpoint.url)},retries=0"
        run_bench(agent, ["battleship"], tmp_path, share=0.01, executor="serial")
    sent = b"\n".join(endpoint.sent)
    assert b"Your shots in order" in sent
    assert not any(str(item.fixture.seed).encode() in sent for item in plan("battleship", 0.01))
    records = [parse_record(file.read_text()) for file in tmp_path.rglob("ladder*-00?.jsonl")]
    assert len(records) == 2
    for record in records:
        own = record.header.seats.index("me")
        (fleet,) = (move[1 - own] for move in record.moves if "-" in move.get(1 - own, ""))
        for ship in set(fleet.split()) - {"A1-A5", "C1-C4", "E1-E3", "G1-G3", "I1-I2"}:
            assert ship.encode() not in sent


def test_an_agent_is_scored_in_both_seats_and_pays_for_its_own_forfeits_alone(
    tmp_path: Path,
) -> None:
    """The opponent of a puzzle resigns; the agent wins against the weakest step in either seat."""
    (run,) = run_bench("heuristic", ["gomoku"], tmp_path, share=0.01, executor="serial").runs
    values = {(item.task, item.number): item.value for item in run.items}
    assert values["ladder random", 0] == values["ladder random", 1] == 1
    assert values["ladder search:depth=4", 0] == values["ladder search:depth=4", 1] == 0
    assert values["puzzle make five", 0] == 1
    assert counters(run)["forfeits"] == 0
    assert run.version == trireme.__version__
    with pytest.raises(TriremeError, match="with other settings"):
        run_bench("heuristic", ["gomoku"], tmp_path, seconds=5, executor="serial")


@pytest.mark.usefixtures("_short_ladders")
@pytest.mark.parametrize("garbage", [b"", b"nonsense", b'{"agent": "\xff"}', b"[" * 5000])
@pytest.mark.parametrize("name", ["bench.json", "navigation.jsonl"])
def test_a_damaged_folder_is_reported_by_its_file(
    name: str, garbage: bytes, tmp_path: Path
) -> None:
    if name == "navigation.jsonl":
        garbage += b"\n"
    (tmp_path / name).write_bytes(garbage)
    with pytest.raises(TriremeError, match=f"{name}.*is damaged"):
        run_bench("random", ["navigation"], tmp_path, share=0.01, executor="serial")


def test_the_folder_of_a_run_is_called_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("trireme.bench.run.run_bench", lambda *args, **_: seen.append(args))
    monkeypatch.setattr("trireme.cli.bench._print", lambda *_: None)
    seen: list[tuple[Any, ...]] = []
    for agent in ("gpt=llm:model=gpt-5,price_in=1.25", "search:depth=2,nodes=9"):
        result = CliRunner().invoke(app, ["bench", "run", agent])
        assert result.exit_code == 0, result.output
    every = ["battleship", "gomoku", "navigation"]
    assert seen == [
        ("gpt=llm:model=gpt-5,price_in=1.25", every, Path("runs/bench/gpt")),
        ("search:depth=2,nodes=9", ["gomoku"], Path("runs/bench/search-depth-2-nodes-9")),
    ]


@pytest.mark.usefixtures("_short_ladders")
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
    for spec, seconds, version in (("b", None, ""), ("a", 1.0, ""), ("a", None, "9.9")):
        other = BenchResults(1, [BenchRun("a", "battleship", spec, seconds, [], version)])
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


def test_conduct_counts_answers_and_decisions() -> None:
    items = [
        BenchScore("shots", 0, 40, 10, 5.0, "", 14, 8, 1, 2, 1, 2, 1000, 100, 0.25),
        BenchScore("shots", 1, 100, 10, 3.0, "time", 2, 2, 0, 0, 0, 0, 10, 1, 0.25),
    ]
    run = BenchRun("m", "battleship", "llm", None, items, "9.9")
    found = counters(run)
    assert found["legal"] == pytest.approx(10 / 14)
    assert found["retries"] == pytest.approx(4 / 20)
    assert found["forfeits"] == 1
    line = "| m | 9.9 | 71.4 % | 0.20 | 1 | 0.400 | 1010 + 101 | $0.50 |"
    assert line in markdown(BenchResults(1, [run])).splitlines()
    faults = [BenchScore("shots", n, 1, 4, forfeit=why) for n, why in enumerate(["illegal", ""])]
    plain = counters(BenchRun("a", "battleship", "a", None, faults))
    assert (plain["legal"], plain["forfeits"]) == (1 - 1 / 8, 1)


def test_columns_stand_in_the_order_of_the_tasks() -> None:
    late = make_run("a", [1.0], "ladder hunt")
    made = merge([late, make_run("b", [40.0, 41.0])])
    head = markdown(made).splitlines()[2]
    assert head == "| agent | shots | ladder hunt |"
    assert "| b | 40.5 (" in markdown(made)
    assert "| a | – | 100 % (21–100; 1) |" in markdown(made)
    (regret,) = summaries(make_run("a", [0.0, 0.1], "regret").runs[0])
    assert regret.low == 0


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
    file.write_bytes(b'{"bench": 1, "runs": "\xff"}')
    with pytest.raises(TriremeError, match="holds no results"):
        load_results(file)
    for task, number in (("shots", 100), ("shots", -1), ("shoots", 0), ("ladder hunt", 20)):
        save_results(file, make_run("a", [1], task, number))
        with pytest.raises(TriremeError, match=f"no item {number} of '{task}' in battleship"):
            load_results(file)
    save_results(file, BenchResults(1, [BenchRun("a", "gomuku", "a", None, [])]))
    with pytest.raises(UnknownName, match="gomoku"):
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
