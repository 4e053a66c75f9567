"""The conformance tests for the games of `--trireme-game`, as pytest collects them."""

from __future__ import annotations

from typing import Any

from .conformance import AgentConformance, GameConformance, parametrize


class TestGame(GameConformance):
    def pytest_generate_tests(self, metafunc: Any) -> None:
        parametrize(metafunc, tuple(metafunc.config.getoption("trireme_game")))


class TestAgents(AgentConformance):
    def pytest_generate_tests(self, metafunc: Any) -> None:
        parametrize(metafunc, tuple(metafunc.config.getoption("trireme_game")))
