"""kill -9 at random moments under play: no acknowledged move is lost, every room goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "server_kills.py"


def killed(*options: str) -> dict[str, Any]:
    """What `benchmarks/server_kills.py` has found."""
    command = [sys.executable, str(BENCHMARK), "--json", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == 0, found
    return found


def assert_whole(found: dict[str, Any]) -> None:
    assert {name: found[name] for name in ("lost", "doubled", "broken", "orphaned")} == {
        "lost": 0,
        "doubled": 0,
        "broken": 0,
        "orphaned": 0,
    }
    assert found["acknowledged"] >= found["kills"]
    assert found["resent"] > 0, "no kill fell between a message and its acknowledgement"


@pytest.mark.slow
def test_kills_of_one_server_lose_nothing() -> None:
    found = killed("--kills", "12")
    assert_whole(found)
    assert found["kills"] == 12
    assert found["reconnected"] >= 12


@pytest.mark.slow
def test_kills_of_three_servers_lose_nothing(postgres_url: str) -> None:
    found = killed("--kills", "10", "--servers", "3", "--database", postgres_url)
    assert_whole(found)
    assert (found["kills"], found["stops"]) == (10, 1)
