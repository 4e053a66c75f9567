"""What goes wrong around a command is one line and a status, and what was done is kept."""

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from trireme.arena import resume
from trireme.cli import arena, main
from trireme.cli.failures import describe_os_error

DEEP = "[" * 200_000
HEADER = (
    '{"trireme":1,"game":"gomoku","rules":1,"settings":{"size":%s},"seats":["a","b"],"seed":1,'
    '"game_id":"x","started":"","sum":""}\n'
)
MATCH = ["arena", "gomoku", "random", "b=random", "--set", "size=7", "--executor", "serial"]
PLAY = ["play", "gomoku", "--mode", "aivai", "--agent", "random", "--agent", "random"]
SLOW = f"{Path(__file__).parents[1] / 'arena' / 'broken_agents.py'}:Careful:pause=0.005"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("in the way")
    Path("garbage.db").write_text("not a database" * 100)
    Path("deep.jsonl").write_text(HEADER % (DEEP + "]" * len(DEEP)))
    Path("deep.yaml").write_text(DEEP)
    Path("run").mkdir()
    Path("run/match.json").write_text(f'{{"arena":1,"match":{DEEP}')


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["trireme", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["replay", "deep.jsonl"], 2, "it is nested too deeply"),
        (["arena", "--resume", "run"], 2, "'run/match.json' can't be read: it is nested too"),
        (["arena", "--resume", "file"], 2, "'file' is no run folder: Not a directory"),
        (["train", "gomoku-dqn", "--config", "deep.yaml"], 2, "'deep.yaml' is nested too deeply"),
        ([*PLAY, "--record", "file/x.jsonl"], 1, "a file stands where a folder is"),
        ([*MATCH, "--out", "file/x", "--database", "none"], 1, "'file/x/records': a file stands"),
        ([*MATCH, "--database", "sqlite:///file/x.db"], 2, "can't open the database 'file/x.db'"),
        ([*MATCH, "--database", "sqlite:///garbage.db"], 2, "file is not a database"),
        ([*MATCH, "c\udcff=random"], 2, r"'c\udcff' is not valid text"),
        ([*MATCH, "--memory", "1"], 2, "the memory must be at least 256 MiB, not 1"),
    ],
)
def test_one_line_says_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    status: int,
    message: str,
) -> None:
    assert run(monkeypatch, *arguments) == status
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("trireme: ")
    assert said.count("\n") == 1


def test_a_database_that_is_lost_during_the_match_leaves_the_results_in_the_folder(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(arena, "_check_store", lambda _: None)
    asked = [*MATCH, "--games", "4", "--out", "kept", "--json"]
    assert run(monkeypatch, *asked, "--database", "sqlite:///garbage.db") == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["complete"]
    assert "could not be stored in the database: " in said.err
    assert run(monkeypatch, "arena", "--resume", "kept", "--database", "sqlite:///good.db") == 0
    assert len(resume(Path("kept")).outcomes()) == 4


def test_a_full_disk_is_named() -> None:
    with (
        open("/dev/full", "wb", buffering=0) as full,
        pytest.raises(OSError, match="No space") as e,
    ):
        full.write(b"x")
    assert describe_os_error(e.value) == "the disk is full"
    e.value.filename = "runs/x"
    assert describe_os_error(e.value) == "'runs/x': the disk is full"


PROGRAM = [sys.executable, "-c"]
LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))
from trireme.cli import main
main()
"""


@pytest.mark.slow
def test_games_before_the_disk_was_full_are_kept() -> None:
    asked = [*MATCH, "--games", "200", "--out", "part", "--database", "none", "--json"]
    found = subprocess.run([*PROGRAM, LIMITED, *asked], capture_output=True, text=True)
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].startswith("trireme: the file would exceed the size limit")
    assert "continue: trireme arena --resume part" in found.stderr
    assert "Traceback" not in found.stderr
    assert 1 <= len(resume(Path("part")).outcomes()) < 200


@pytest.mark.parametrize(
    "kind", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
@pytest.mark.slow
def test_a_signal_stops_with_a_report_of_what_was_played(kind: signal.Signals) -> None:
    asked = ["arena", "gomoku", "random", SLOW, "--set", "size=7", "--games", "400"]
    asked += ["--workers", "1", "--out", "cut", "--database", "none", "--json"]
    program = subprocess.Popen(
        [*PROGRAM, "from trireme.cli import main; main()", *asked],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    results = Path("cut/results.jsonl")
    while not (results.exists() and results.stat().st_size) and program.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            program.wait(timeout=0.05)
    program.send_signal(kind)
    out, err = program.communicate()
    assert program.returncode == 128 + kind
    report = json.loads(out)
    kept = resume(Path("cut"))
    assert report["games"] == len(kept.outcomes()) > 0
    assert not report["complete"]
    assert json.loads(Path("cut/report.json").read_text()) == report
    assert "Continue: trireme arena --resume cut" in err
    (seed,) = [line for line in err.splitlines() if line.startswith("Seed: ")]
    assert int(seed.removeprefix("Seed: ")) == report["seed"] == kept.match.seed
