"""The live page of `trireme arena --live`: served while the match runs and until Ctrl-C."""

from __future__ import annotations

import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from trireme.arena import Folder, Progress


@contextmanager
def live_page(folder: Folder) -> Iterator[Callable[[Progress], None]]:
    """Serve the page of a match; gives the function that takes the match's progress as it starts.

    The page opens in a browser where a person looks at the terminal.
    """
    from trireme.arena.live import LiveServer
    from trireme.arena.run import progress_of

    with LiveServer(folder, progress_of(folder)) as server:
        typer.echo(f"Live: {server.address}", err=True)
        if sys.stdout.isatty():
            webbrowser.open(server.address)

        def follow(progress: Progress) -> None:
            server.progress = progress

        yield follow


def wait_for_interrupt() -> None:
    """Keep the page until Ctrl-C."""
    typer.echo("The page stays until Ctrl-C.", err=True)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()
