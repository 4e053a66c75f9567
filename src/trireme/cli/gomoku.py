"""`trireme engine`, `trireme desktop`, `trireme convert`: Gomoku's own commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from trireme.core.errors import BadSpec, unknown


def engine(
    game: Annotated[str, typer.Argument(help="The game; only gomoku has an engine.")] = "gomoku",
    seed: Annotated[
        int | None, typer.Option(help="Random seed; the same seed gives the same moves.")
    ] = None,
) -> None:
    """Run the engine with the Gomocup protocol on standard input and output.

    Piskvork, Yixin-Board and tournament managers can use it. Example: `trireme engine gomoku`
    """
    if game != "gomoku":
        raise unknown("game with an engine", game, ["gomoku"])
    from trireme.gomoku.brain import Brain, serve

    def write(line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    serve(Brain(seed), iter(sys.stdin.readline, ""), write)


def convert(
    source: Annotated[Path, typer.Argument(help="A record as .jsonl, .psq or .sgf.")],
    target: Annotated[
        Path, typer.Argument(help="The file to write; its suffix decides the format.")
    ],
) -> None:
    """Turn a Gomoku record into another format; the file names say which.

    Example: `trireme convert game.psq game.jsonl`
    """
    from trireme.gomoku.formats import load, save

    if target.exists():
        raise BadSpec(f"{str(target)!r} exists already: choose another name")
    save(load(source), target)
    typer.echo(f"{source} → {target}")


def desktop(
    game: Annotated[str, typer.Argument(help="The game; only gomoku has a window.")] = "gomoku",
) -> None:
    """Open the desktop window.

    Example: `trireme desktop gomoku`
    """
    if game != "gomoku":
        raise unknown("game with a window", game, ["gomoku"])
    from trireme.desktop.launch import launch

    launch()
