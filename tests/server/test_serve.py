"""`trireme serve`: a free port, a busy one, a bad database, and a clean end."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from trireme.cli import main

SERVE = [sys.executable, "-m", "trireme", "serve", "--workers", "1"]


@pytest.mark.slow
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


@pytest.fixture
def refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., str]:
    """What `trireme serve` says when it can't start, in this process."""
    monkeypatch.chdir(tmp_path)

    def serve(*options: str) -> str:
        monkeypatch.setattr(sys, "argv", ["trireme", "serve", "--workers", "1", *options])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == 2
        return capsys.readouterr().err

    return serve


def test_a_busy_port_is_named_with_a_way_out(refused: Callable[..., str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refused("--port", port)
    assert f"port {port} is in use" in said
    assert "--port 0" in said


def test_a_database_that_can_not_be_used_is_named(refused: Callable[..., str]) -> None:
    said = refused("--port", "0", "--database", "mysql://somewhere")
    assert "mysql://somewhere" in said
    assert said.count("\n") == 1


def test_a_host_that_is_not_here_is_named(refused: Callable[..., str]) -> None:
    assert "nowhere.invalid" in refused("--host", "nowhere.invalid")


@pytest.mark.slow
def test_the_browser_is_opened_when_the_server_answers_and_may_block(tmp_path: Path) -> None:
    """A browser that runs in the foreground holds up nobody, and finds the page at once."""
    script = tmp_path / "browser"
    seen, end = tmp_path / "seen", tmp_path / "end"
    os.mkfifo(end)
    script.write_text(
        f"#!{sys.executable}\n"
        "import os, sys, urllib.request\n"
        "page = urllib.request.urlopen(sys.argv[1] + 'healthz', timeout=30).read()\n"
        f"open({str(seen) + '.part'!r}, 'wb').write(page)\n"
        f"os.replace({str(seen) + '.part'!r}, {str(seen)!r})\n"
        f"open({str(end)!r}).read()\n"
    )
    script.chmod(0o755)
    database = f"sqlite:///{tmp_path / 'store.db'}"
    command = [*SERVE, "--port", "0", "--database", database, "--open"]
    environment = {**os.environ, "BROWSER": f"{script} %s"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    try:
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline())
        assert found
        while not seen.exists():
            assert httpx.get(f"{found[0]}healthz", timeout=60).json()["ok"] is True
        assert b'"ok":true' in seen.read_bytes()
    finally:
        process.send_signal(signal.SIGINT)
        if seen.exists():
            end.write_text("")  # lets the browser end
        process.communicate(timeout=60)
