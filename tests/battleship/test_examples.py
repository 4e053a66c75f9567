"""The examples and the notebook run, and show what they promise."""

import json
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def run(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *arguments: str,
) -> str:
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def test_the_random_demo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run("battleship_random.py", monkeypatch, capsys)
    assert "The fleet went down after" in out
    assert "■" in out


def test_the_probability_demo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "heat.html"
    out = run("battleship_probability.py", monkeypatch, capsys, "--html", str(page))
    assert out.count("fire at") == 3
    assert page.stat().st_size > 5_000


def test_the_film(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "film.html"
    assert "shots in" in run("battleship_film.py", monkeypatch, capsys, "--out", str(page))
    assert "const game = {" in page.read_text(encoding="utf-8")


def test_manual_analysis(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run("battleship_advice.py", monkeypatch, capsys)
    assert "bits left" in out
    assert "next: " in out


def test_an_agent_of_ones_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run("battleship_agent.py", monkeypatch, capsys)
    assert "diagonal: " in out
    assert "hunt: " in out


@pytest.mark.slow
def test_the_notebook_runs_from_top_to_bottom() -> None:
    notebook = json.loads((EXAMPLES / "battleship.ipynb").read_text(encoding="utf-8"))
    scope: dict[str, object] = {}
    cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    for cell in cells:
        exec("".join(cell["source"]), scope)
    assert len(cells) >= 8
    assert scope["summaries"]
