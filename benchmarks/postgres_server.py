"""A PostgreSQL of one's own, for benchmarks of several servers."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PostgresServer:
    """A running PostgreSQL."""

    url: str
    pid: int
    """Of the process whose children serve the connections."""


@contextmanager
def postgres_server(folder: Path) -> Iterator[PostgresServer]:
    """A PostgreSQL with its data in `folder`, stopped at the end."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("initdb", path=str(programs[-1])) if programs else shutil.which("initdb")
    if found is None:
        sys.exit("PostgreSQL's server is not installed: name one with --database")
    user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    if user:
        folder.chmod(0o711)
        (folder / "postgres").mkdir()
        shutil.chown(folder / "postgres", "postgres", "postgres")
    data = folder / "postgres" / "data"
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]

    def run(program: str, *arguments: str) -> None:
        command = [*user, str(Path(found).with_name(program)), "-D", str(data), *arguments]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)

    run("initdb", "--auth=trust", "--username=trireme", "--no-sync")
    listen = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
    run("pg_ctl", "-o", listen, "-l", str(folder / "postgres" / "log"), "-w", "start")
    pid = int((data / "postmaster.pid").read_text().split("\n")[0])
    try:
        yield PostgresServer(f"postgresql://trireme@127.0.0.1:{port}/postgres", pid)
    finally:
        run("pg_ctl", "-m", "immediate", "-w", "stop")
