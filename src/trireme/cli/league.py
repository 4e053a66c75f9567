"""`trireme league`: the bots of a folder play round after round, rated against an anchor."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from trireme.core.errors import BadSpec
from trireme.core.isolation import MEMORY_MIB
from trireme.core.registry import game_from_text
from trireme.core.stop_signals import StopRequested

from .common_options import Executor, Set, Variant, Workers
from .standings import print_table, standing_table

if TYPE_CHECKING:
    from trireme.arena.league import League

RATE_EVERY = 10.0
"""Seconds between two tables of a running league."""


def league(
    game: Annotated[
        str | None, typer.Argument(help="The game; `trireme games` lists them.")
    ] = None,
    bots: Annotated[
        Path | None,
        typer.Argument(help="A folder of Python files; each class with a method act is a bot."),
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Argument(help="Agents that always take part, such as heuristic."),
    ] = None,
    anchor: Annotated[
        str | None,
        typer.Option(help="The agent whose rating is always 0; by default the first."),
    ] = None,
    games: Annotated[int, typer.Option(help="Games of a pairing in one round.")] = 10,
    rounds: Annotated[
        int | None, typer.Option(help="Stop after so many rounds; by default only with Ctrl-C.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time", help="Time budget of a move in seconds; a bot that exceeds it forfeits."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Random seed, which makes a league repeatable; by default each round draws its own"
            " and keeps it from the bots."
        ),
    ] = None,
    memory: Annotated[
        int, typer.Option(help="Memory limit of a bot in MiB, per process.")
    ] = MEMORY_MIB,
    variant: Variant = None,
    set_: Set = None,
    executor: Executor = "processes",
    workers: Workers = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder of the league; by default runs/league/GAME.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Continue the league of this folder.")] = None,
) -> None:
    """Let the bots of a folder play round after round, until Ctrl-C.

    New and changed files join with the next round. Ratings are relative to the anchor. A league
    that was stopped at any point goes on with `--resume`.

    Examples: `trireme league gomoku bots heuristic --out runs/league/gomoku` · `trireme league
    --resume runs/league/gomoku`
    """
    from trireme.arena.executors import check_executor
    from trireme.arena.league import League, new_settings

    check_executor(executor)
    if resume is not None:
        if game is not None:
            raise BadSpec("--resume takes everything from the league's folder: leave the rest out")
        made = League.open(resume)
    elif game is None or bots is None:
        raise BadSpec(
            "expected a game, a folder of bots and an agent: trireme league gomoku bots heuristic"
        )
    else:
        kind = game_from_text(game, variant, set_ or [])
        rules: dict[str, Any] = {"anchor": anchor, "games": games, "seconds": seconds}
        rules |= {"seed": seed, "memory": memory}
        path = out or Path("runs/league") / kind.name
        made = League.create(path, kind, new_settings(kind, bots, agents or [], **rules))
    screen = LeagueScreen()
    try:
        made.run(rounds=rounds, on_round=screen.update, executor=executor, workers=workers)
    except KeyboardInterrupt as error:
        screen.show(made)
        typer.echo(f"Stopped. Continue: trireme league --resume {made.path}", err=True)
        number = error.number if isinstance(error, StopRequested) else signal.SIGINT
        raise typer.Exit(128 + int(number)) from None
    screen.show(made)


class LeagueScreen:
    """Prints the table of a running league from time to time, and every refusal once."""

    def __init__(self) -> None:
        self._shown = time.monotonic()
        self._table: dict[str, Any] = {}
        self._refused: set[str] = set()
        self._console = Console(stderr=True)

    def update(self, league: League) -> None:
        for name, why in league.refused.items():
            if name not in self._refused:
                self._refused.add(name)
                self._console.print(f"[yellow]•[/] {name} does not take part: {why}")
        self._console.print(f"[dim]round {league.rounds} is done[/]")
        if time.monotonic() - self._shown >= RATE_EVERY:
            self.show(league)

    def show(self, league: League) -> None:
        """Write the standings and print the table, unless it stands there already."""
        self._shown = time.monotonic()
        table = league.write_standings()
        if table != self._table:
            self._table = table
            print_table(standing_table({name: (s, None, 0) for name, s in table.items()}))
