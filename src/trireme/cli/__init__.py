"""The command line: one file per group of commands, errors in one line, no tracebacks."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer

from trireme import AgentNotReady, MissingExtra, TriremeError, __version__

from . import (
    arena,
    battleship,
    bench,
    compile,
    debug,
    evaluate,
    exploit,
    games,
    gomoku,
    league,
    mcp,
    navigation,
    play,
    puzzle,
    replay,
    review,
    serve,
    train,
)
from .failures import FAILURE_STATUS, INPUT_STATUS, failure

app = typer.Typer(
    name="trireme",
    help="A laboratory for game-playing agents: Battleship, Gomoku and Battle Navigation.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(play.play)
app.command()(replay.replay)
app.command()(review.review)
app.command()(arena.arena)
app.command()(arena.ratings)
app.command()(evaluate.evaluate)
app.command()(debug.debug)
app.command()(league.league)
app.command()(exploit.exploit)
app.command()(games.games)
app.command()(games.agents)
app.command()(games.rules)
app.command()(serve.serve)
app.command()(mcp.mcp)
app.command("compile")(compile.compile_)
app.command()(gomoku.desktop)
app.command()(gomoku.engine)
app.command()(gomoku.convert)
app.add_typer(battleship.app, name="battleship")
app.add_typer(navigation.app, name="map")
app.add_typer(train.app, name="train")
app.add_typer(bench.app, name="bench")
app.add_typer(puzzle.app, name="puzzle")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"trireme {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and leave."
    ),
) -> None:
    """A laboratory for game-playing agents: Battleship, Gomoku and Battle Navigation."""


def main() -> None:
    """Run the command line. Errors are one line; the status is 2 for what was typed, and 1 for what
    is missing here, such as a package of an extra."""
    try:
        app()
    except (AgentNotReady, MissingExtra) as error:
        _fail(str(error), FAILURE_STATUS)
    except TriremeError as error:
        _fail(str(error), INPUT_STATUS)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(FAILURE_STATUS)
    except Exception as error:
        line = failure(error)
        if line is None:
            raise
        _fail(line, FAILURE_STATUS)


def _fail(line: str, status: int) -> NoReturn:
    whole = " ".join(part.strip() for part in line.splitlines())
    shown = whole.encode("utf-8", "backslashreplace").decode()
    typer.secho(f"trireme: {shown}", fg=typer.colors.RED, err=True)
    sys.exit(status)
