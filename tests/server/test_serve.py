"""`trireme serve`: a free port, a busy one, a bad database, and a clean end."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx

SERVE = [sys.executable, "-m", "trireme", "serve", "--workers", "1"]


def test_it_serves_on_a_free_port_and_ends_cleanly(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'store.db'}"
    command = [*SERVE, "--port", "0", "--database", database]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert found, line
        assert httpx.get(f"{found[0]}healthz", timeout=60).json()["ok"] is True
        assert httpx.get(found[0], timeout=60).headers["content-type"].startswith("text/html")
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert process.returncode in (0, -signal.SIGINT, 130)


def test_a_busy_port_is_named_with_a_way_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [*SERVE, "--port", port], capture_output=True, text=True, cwd=tmp_path
        )
    assert done.returncode == 2
    assert f"port {port} is in use" in done.stderr
    assert "--port 0" in done.stderr


def test_a_database_that_can_not_be_used_is_named(tmp_path: Path) -> None:
    command = [*SERVE, "--port", "0", "--database", "mysql://somewhere"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "mysql://somewhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_host_that_is_not_here_is_named(tmp_path: Path) -> None:
    command = [*SERVE, "--host", "nowhere.invalid"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "nowhere.invalid" in done.stderr
