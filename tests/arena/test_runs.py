"""Runs: kept game by game, stopped at any point, resumed to the same results."""

import json
import os
import random
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from trireme import RecordError, TriremeError, load_record, make_game
from trireme.arena import Match, Outcome, Sprt, entrants, results_hash, resume, run_match, start
from trireme.arena.run import Progress, SequentialTest
from trireme.core.agents import Random

AGENTS = Path(__file__).with_name("broken_agents.py")
GAME = make_game("gomoku", size=7)
SLOW = f"{AGENTS}:Careful:pause=0.005"

pytestmark = pytest.mark.usefixtures("no_preflight")


def match(*agents: object, **conditions: object) -> Match:
    made = entrants(GAME, agents, isolate=False)
    return Match(GAME, made, isolate=False, **conditions)  # type: ignore[arg-type]


class Stop(Exception):
    """Ends a run in mid-flight, as an interrupt would."""


def stop_after(games: int) -> object:
    def stop(progress: Progress) -> None:
        if len(progress.outcomes) >= games:
            raise Stop

    return stop


def results_of(made: Match, folder: Path, executor: str = "serial") -> str:
    return results_hash(run_match(start(made, folder), executor=executor).counted.values())


@pytest.mark.parametrize("executor", ["serial", pytest.param("processes", marks=pytest.mark.slow)])
def test_a_run_that_was_stopped_goes_on_to_the_same_results(tmp_path: Path, executor: str) -> None:
    made = match("random", f"{AGENTS}:Careful:pause=0.001", games=8)
    whole = results_of(made, tmp_path / "whole")
    folder = start(made, tmp_path / "parts")
    for games in (1, 5):
        with pytest.raises(Stop):
            run_match(folder, executor=executor, workers=2, on_game=stop_after(games))  # type: ignore[arg-type]
        folder = resume(tmp_path / "parts")
        assert games <= len(folder.outcomes()) < 8
    done = run_match(folder, executor=executor, workers=2)
    assert done.complete
    assert results_hash(done.outcomes.values()) == whole


def test_every_game_has_a_record_that_replays_to_its_result(tmp_path: Path) -> None:
    folder = start(match("random", "random", games=4), tmp_path / "run")
    done = run_match(folder, executor="serial")
    for number, outcome in done.outcomes.items():
        record = load_record(folder.record_path(number))
        record.verify()
        assert record.returns == outcome.returns
        assert record.fingerprint() == outcome.fingerprint
        names = [folder.match.names[i] for i in done.fixtures[number].seats]
        assert list(record.header.seats) == names


def test_a_result_that_was_cut_off_is_played_again(tmp_path: Path) -> None:
    made = match("random", "random", games=6)
    whole = results_of(made, tmp_path / "run")
    file = tmp_path / "run" / "results.jsonl"
    file.write_bytes(file.read_bytes()[:-9])
    folder = resume(tmp_path / "run")
    assert len(folder.outcomes()) == 5
    assert results_hash(run_match(folder, executor="serial").outcomes.values()) == whole
    assert file.read_bytes().count(b"\n") == 6


def test_a_changed_result_is_named_by_its_line(tmp_path: Path) -> None:
    results_of(match("random", "random", games=4), tmp_path / "run")
    file = tmp_path / "run" / "results.jsonl"
    file.write_text(file.read_text().replace('"moves"', '"mouves"', 1))
    with pytest.raises(RecordError, match="line 1"):
        resume(tmp_path / "run").outcomes()


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    start(match("random", "random"), tmp_path / "run")
    with pytest.raises(TriremeError, match="holds a run already"):
        start(match("random", "random"), tmp_path / "run")


def test_a_match_is_run_by_one_program_at_a_time(tmp_path: Path) -> None:
    folder = start(match("random", "random", games=2), tmp_path / "run")
    with folder.locked(), pytest.raises(TriremeError, match="another program is running"):
        run_match(resume(tmp_path / "run"), executor="serial")
    assert run_match(folder, executor="serial").complete


def test_a_folder_whose_schedule_changed_is_not_resumed(tmp_path: Path) -> None:
    start(match("random", "random"), tmp_path / "run")
    head = tmp_path / "run" / "match.json"
    head.write_text(head.read_text().replace('"seed": 0', '"seed": 1'))
    with pytest.raises(TriremeError, match="can't be made again"):
        resume(tmp_path / "run")
    with pytest.raises(TriremeError, match="is no run folder"):
        resume(tmp_path)


def test_python_agents_are_handed_in_again(tmp_path: Path) -> None:
    start(match(Random(), "b=random"), tmp_path / "run")
    with pytest.raises(TriremeError, match="is a Python object"):
        resume(tmp_path / "run")
    assert resume(tmp_path / "run", [Random()]).match.names == ("random", "b")


@pytest.mark.slow
def test_a_sequential_test_stops_early_and_at_the_same_game_everywhere(tmp_path: Path) -> None:
    made = match("random", f"{AGENTS}:Raises", games=400, sprt=Sprt(0, 200))
    ends = []
    for executor in ("serial", "processes"):
        done = run_match(start(made, tmp_path / executor), executor=executor, workers=2)
        assert done.complete
        assert done.test is not None
        assert done.test.verdict == "stronger"
        ends.append((done.test.games, results_hash(done.counted.values())))
    assert ends[0] == ends[1]
    assert ends[0][0] < 100
    again = run_match(resume(tmp_path / "serial"), executor="serial")
    assert again.test is not None
    assert again.test.games == ends[0][0]


def test_pairs_wait_for_their_turn() -> None:
    def outcome(number: int) -> Outcome:
        ours = 1.0 if number % 2 == 0 else -1.0
        return Outcome(number, (ours, -ours), 1, "", (0.0, 0.0), (1, 1))

    test = SequentialTest(Sprt(0, 50))
    late = {n: outcome(n) for n in (2, 3, 0)}
    assert not test.advance(late)
    assert test.games == 0
    assert not test.advance({**late, 1: outcome(1)})
    assert test.scores == [1.0, 1.0]


COMMAND = [sys.executable, "-c", "from trireme.cli import main; main()", "arena"]


def begin(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *arguments, "--database", "none"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
    )


def lines(path: Path) -> int:
    with suppress(OSError):
        return path.read_bytes().count(b"\n")
    return 0


def workers_of(log: Path) -> list[int]:
    """The processes that write to this log."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.readlink(entry / "fd" / "1") == str(log):
                found.append(int(entry.name))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_a_program_killed_at_random_points_resumes_to_the_same_results(
    tmp_path: Path, kind: signal.Signals
) -> None:
    chance = random.Random(int(kind))
    asked = ["gomoku", "random", SLOW, "--set", "size=7", "--games", "40", "--workers", "2"]
    asked += ["--seed", "5"]  # one that was drawn would be lost with a killed program
    calm = subprocess.run(
        [*COMMAND, *asked, "--out", "calm", "--json", "--database", "none"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    expected = json.loads(calm.stdout)["results_hash"]
    asked += ["--out", "run"]
    results = tmp_path / "run" / "results.jsonl"
    for _ in range(3):
        wanted = lines(results) + chance.randint(1, 8)
        program = begin(tmp_path, *asked)
        while lines(results) < wanted and program.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                program.wait(timeout=0.01)
        program.send_signal(kind)
        program.communicate()
        assert program.returncode == (-9 if kind is signal.SIGKILL else 130)
        asked = ["--resume", "run"]
    assert lines(results) < 40
    program = begin(tmp_path, *asked, "--json")
    told = json.loads(program.communicate()[0])
    assert told["complete"]
    assert told["results_hash"] == expected
    assert workers_of(tmp_path / "run" / "workers.log") == []
