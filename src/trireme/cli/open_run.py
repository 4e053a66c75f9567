"""Showing the games of an arena run in the browser: `trireme arena … --open`."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path

import typer

from trireme.core.errors import TriremeError

from .serve import listen


def is_finished(path: Path) -> bool:
    """Whether the run in this folder is complete, so that it need not go on to be shown."""
    from trireme.arena.run import progress_of
    from trireme.server.run_viewer import open_run

    try:
        return progress_of(open_run(path)).complete
    except TriremeError:
        return False


def show_run(path: Path) -> None:
    """Serve the run's games on this machine, and open them in a browser; until Ctrl-C."""
    from trireme.server.run import run
    from trireme.server.run_viewer import open_run

    folder = open_run(path)
    listener = listen("127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/run"
    typer.echo(f"Games: {url}  (Ctrl-C stops it)", err=True)
    with tempfile.TemporaryDirectory(prefix="trireme-") as rooms:
        database = f"sqlite:///{rooms}/rooms.db"
        run(listener, database, 1, 0, lambda: webbrowser.open(url), arena_run=folder)
