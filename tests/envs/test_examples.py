"""The examples about environments run, and say what they promise."""

import re
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(
    name: str, *args: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """What an example prints."""
    monkeypatch.setattr(sys, "argv", [name, *args])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def test_every_example_is_run_here() -> None:
    told = Path(__file__).read_text(encoding="utf-8")
    for path in EXAMPLES.glob("env_*.py"):
        assert f'"{path.name}"' in told


def test_common_sense_beats_chance(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run("env_battleship.py", "--episodes", "5", monkeypatch=monkeypatch, capsys=capsys)
    match = re.search(r"mean shots over 5 episodes: ([\d.]+)", out)
    assert match is not None
    assert 17 < float(match[1]) < 85
    assert "■" in out


def test_random_play_in_batches_needs_95_shots(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """17 of 100 cells in random order: the last is expected at 17 / 18 × 101 = 95.4."""
    out = run(
        "env_vector.py", "--boards", "256", "--steps", "800", monkeypatch=monkeypatch, capsys=capsys
    )
    match = re.search(r"(\d+) games of random play, ([\d.]+) shots each", out)
    assert match is not None
    assert int(match[1]) > 1500
    assert float(match[2]) == pytest.approx(95.4, abs=0.5)


def test_both_colours_win_in_selfplay(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run(
        "env_selfplay.py",
        "--boards",
        "64",
        "--moves",
        "200",
        monkeypatch=monkeypatch,
        capsys=capsys,
    )
    match = re.search(r"black (\d+), white (\d+), nobody (\d+)", out)
    assert match is not None
    assert int(match[1]) > int(match[3])
    assert int(match[2]) > int(match[3])


def test_the_zoo_plays_to_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = run("env_zoo.py", "--seed", "3", monkeypatch=monkeypatch, capsys=capsys)
    assert sorted(re.findall(r"player_\d ends with ([+-]\d)", out)) == ["+1", "-1"]
    assert re.search(r"\d+ turns, \{'player_0'", out)


@pytest.mark.slow
def test_maskable_ppo_learns_a_little(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sb3_contrib")
    options = ("--steps", "512", "--boards", "4", "--side", "5", "--episodes", "4")
    out = run("env_maskable_ppo.py", *options, monkeypatch=monkeypatch, capsys=capsys)
    assert re.search(r"untrained: [\d.]+ shots", out)
    assert re.search(r"after 512 steps: [\d.]+ shots", out)
