"""`trireme evaluate`: compare one agent with reference agents on equal starts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.text import Text

from trireme.core.registry import game_from_text

from .common_options import Json, Set, Variant, Workers
from .failures import CommandFailed


def evaluate(
    agent: Annotated[
        str, typer.Argument(help="The agent, such as my_bot.py:Bot or search:depth=4.")
    ],
    game: Annotated[str, typer.Argument(help="The game; `trireme games` lists them.")],
    games: Annotated[
        int, typer.Option(help="Games against each reference; more narrow the intervals.")
    ] = 500,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same games.")] = 0,
    against: Annotated[
        list[str] | None,
        typer.Option(help="An agent to compare with; may be repeated. Default: by the game."),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(help="Time budget of a move in seconds; an agent that exceeds it forfeits."),
    ] = None,
    lenient: Annotated[
        bool,
        typer.Option(
            "--lenient", help="Count the agent's errors as lost games; else the first one stops."
        ),
    ] = False,
    variant: Variant = None,
    set_: Set = None,
    executor: Annotated[
        str | None, typer.Option(help="Where games run: processes (the default) or serial.")
    ] = None,
    workers: Workers = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder; by default a new one in runs/evaluate.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare one agent with reference agents on equal starts.

    The first error of the agent stops the evaluation and shows its traceback. The page
    `evaluation.html` in the folder has the comparison, a histogram and films of the worst games.

    Example: `trireme evaluate my_bot.py:Bot battleship --games 200`
    """
    from trireme.arena.evaluation import BotFailed
    from trireme.arena.evaluation import evaluate as run

    try:
        found = run(
            agent,
            game_from_text(game, variant, set_ or []),
            games=games,
            seed=seed,
            against=against,
            seconds=time,
            strict=not lenient,
            executor=executor,
            workers=workers,
            out=out,
            progress=not json,
        )
    except BotFailed as failed:
        _show_failure(failed)
        raise CommandFailed(str(failed)) from failed
    if json:
        typer.echo(msgspec.json.encode(_plain(found)))
        return
    Console().print(Text(repr(found).strip("<>")), soft_wrap=True)


def _show_failure(failed: Any) -> None:
    """The agent's own output and traceback, on standard error."""
    for text in (failed.output, failed.traceback):
        if text.strip():
            shown = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
            typer.echo(shown.rstrip(), err=True)


def _plain(found: Any) -> dict[str, Any]:
    from trireme.arena.report.build import finite

    plain: dict[str, Any] = msgspec.to_builtins(
        {
            "agent": found.agent,
            "game": found.game,
            "games": found.games,
            "seed": found.seed,
            "mean": found.mean,
            "ci95": found.ci95,
            "comparisons": found.comparisons,
            "worst": [
                {"game": w.number, "opponent": w.opponent, "value": w.value, "moves": w.moves}
                for w in found.worst
            ],
            "histogram": {str(k): v for k, v in found.histogram.items()},
            "page": str(found.page),
            "results_hash": found.report.results_hash,
        }
    )
    result: dict[str, Any] = finite(plain)
    return result
