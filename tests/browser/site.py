"""The web app as a person starts it: the built client, and `trireme serve` in a process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def build_client() -> None:
    """Build what changed; the tests look at what is shipped."""
    subprocess.run([ROOT / "scripts" / "build-client"], check=True, cwd=ROOT)


class Site:
    """A server process that can be killed and started again on the same port and database."""

    def __init__(self, folder: Path, environment: dict[str, str] | None = None) -> None:
        self._environment = environment
        self._database = folder / "store.db"
        self._port = 0
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> None:
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "trireme",
                "serve",
                "--port",
                str(self._port),
                "--database",
                f"sqlite:///{self._database}",
                "--workers",
                "2",
            ],
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=self._environment,
        )
        assert self._process.stderr is not None
        said = ""
        for line in self._process.stderr:
            said += line
            if found := re.search(r"http://[\d.]+:(\d+)/", line):
                self._port = int(found[1])
                self.url = found[0].rstrip("/")
                return
        raise AssertionError(f"the server did not start: {said}")

    def kill(self) -> None:
        """As the machine would: at once, with nothing tidied up."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
        self._process = None

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()
        self._process = None
