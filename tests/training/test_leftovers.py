"""A training writes into its own folder and nowhere else."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from .tiny import tiny_rl

rl = pytest.importorskip("trireme.training.battleship_rl", reason="needs the learn extra")


@pytest.mark.slow
def test_reinforcement_learning_leaves_no_log_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    rl.RLTraining(tiny_rl(), tmp_path / "run").run(live=False)
    assert list(elsewhere.glob("SB3-*")) == []
