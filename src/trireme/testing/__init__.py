"""Tests for games and agents that plug in: base classes for a test file, and a pytest plugin.

Either subclass in a test file:

    from trireme.testing import AgentConformance, GameConformance

    class TestGame(GameConformance):
        games = ("connect_four",)

or run all of it without any: `pytest -p trireme.testing --trireme-game connect_four`.
It needs pytest and Hypothesis: `pip install 'trireme-lab[testing]'`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.register_assert_rewrite("trireme.testing.conformance")

from .conformance import AgentConformance, GameConformance  # noqa: E402

__all__ = ["AgentConformance", "GameConformance"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--trireme-game",
        action="append",
        default=[],
        metavar="GAME",
        help="run Trireme's conformance tests for this game; may be given several times",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: needs more than a few seconds")
    if config.getoption("trireme_game"):
        config.args[:] = [str(Path(__file__).with_name("suite.py"))]
