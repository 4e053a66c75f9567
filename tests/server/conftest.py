"""Servers for the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trireme.server.app import STATIC, Config

from .live import GENEROUS, OPEN, Running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for all tests that leave it as they found it."""
    folder = tmp_path_factory.mktemp("server")
    url = f"sqlite:///{folder / 'store.db'}"
    running = Running(url, Config(GENEROUS, workers=1, warm=False))
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def _everybody_leaves() -> Iterator[None]:
    yield
    for player in list(OPEN):
        player.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Servers of one's own, with limits of one's own; without rooms `workers=0` will do."""
    started: list[Running] = []

    def start(
        name: str = "store",
        static: Path = STATIC,
        url: str | None = None,
        workers: int = 1,
        **limits: Any,
    ) -> Running:
        config = Config(replace(GENEROUS, **limits), workers=workers, warm=False, static=static)
        started.append(Running(url or f"sqlite:///{tmp_path / f'{name}.db'}", config))
        return started[-1]

    yield start
    for running in started:
        running.stop()
