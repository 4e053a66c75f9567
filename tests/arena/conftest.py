"""Fixtures for the tests of the arena."""

import pytest

from trireme.arena import run


@pytest.fixture
def no_preflight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin matches without the preflight, which starts a process for every foreign agent.

    `test_preflight.py` tests it; elsewhere it only takes time.
    """
    monkeypatch.setattr(run, "preflight", lambda _: None)
