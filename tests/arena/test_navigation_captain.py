"""The C program of the examples: it knows no rules and plays well by simulation alone."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from trireme import Result, play
from trireme.core.process_agent import ProcessAgent

SOURCE = Path(__file__).parents[2] / "examples" / "navigation_captain.c"
STRICT = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"]
EQUAL = "navigation:ships=cutter+cutter"


@pytest.fixture(scope="module")
def captain(tmp_path_factory: pytest.TempPathFactory) -> ProcessAgent:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("captain") / "captain"
    subprocess.run([compiler, *STRICT, "-o", str(program), str(SOURCE)], check=True)
    return ProcessAgent(str(program))


def games(captain: ProcessAgent, count: int) -> list[Result]:
    """Games against random, from both seats in turn."""
    results = []
    try:
        for seed in range(count):
            pair = [captain, "random"]
            results.append(play(EQUAL, pair[:: -1 if seed % 2 else 1], seed=seed))
    finally:
        captain.close()
    return results


def test_it_is_about_fifty_lines_long() -> None:
    code = re.sub(r"/\*.*?\*/", "", SOURCE.read_text(), flags=re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) < 60


@pytest.mark.slow
def test_it_plays_legal_plans_and_the_same_seed_gives_the_same_game(captain: ProcessAgent) -> None:
    (result,), (again,) = games(captain, 1), games(captain, 1)
    assert result.forfeits == ()
    assert result.record.fingerprint() == again.record.fingerprint()
    assert all(re.fullmatch(r"worth -?\d+\.\d", notes[0]) for notes in result.record.notes)


@pytest.mark.slow
def test_it_beats_random_clearly(captain: ProcessAgent) -> None:
    results = games(captain, 12)
    assert not any(result.forfeits for result in results)
    assert sum(result.returns[seed % 2] for seed, result in enumerate(results)) >= 7
