"""`trireme bench`: a fixed set of tasks for any agent, and tables of the results."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from trireme.core.stop_signals import StopRequested

from .common_options import Json

if TYPE_CHECKING:
    from trireme.bench.results import BenchResults

app = typer.Typer(
    no_args_is_help=True, help="Measure any agent on a fixed, versioned set of tasks."
)


@app.command()
def run(
    agent: Annotated[str, typer.Argument(help="An agent spec, or name=spec.")],
    game: Annotated[
        list[str] | None, typer.Option(help="A game; may be repeated. Default: all that it plays.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="The folder of the results; the same one resumes. Default: runs/bench/NAME."
        ),
    ] = None,
    share: Annotated[
        float,
        typer.Option(
            help="The part of every task to play, 0 to 1; less: cheaper, wider intervals."
        ),
    ] = 1.0,
    time: Annotated[
        float | None,
        typer.Option(help="Time budget for a move in seconds; the agent forfeits above."),
    ] = None,
    executor: Annotated[
        str, typer.Option(help="Where games run: serial, processes or ray.")
    ] = "processes",
    workers: Annotated[
        int | None, typer.Option(help="Processes; more: faster, until cores or rate limits end.")
    ] = None,
    json: Json = False,
) -> None:
    """Play the tasks; Ctrl-C stops, and the same command goes on.

    Example: `trireme bench run density --game battleship --share 0.1`
    """
    from trireme.bench.run import run_bench
    from trireme.bench.tasks import LADDER
    from trireme.core.registry import agents_of
    from trireme.core.spec import parse_spec

    named = re.fullmatch(r"([^\s:=]+)=(.+)", agent, re.DOTALL)
    name, spec = named.groups() if named else (agent, agent)
    plays = parse_spec(spec).name
    games = game or [g for g in LADDER if plays in agents_of(g)] or list(LADDER)
    label = re.sub(r"[^\w.+-]+", "-", name).strip("-")[:60]
    path = out or Path("runs/bench") / label
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        bars = {g: bar.add_task(g, total=None) for g in games}
        try:
            results = run_bench(
                agent,
                games,
                path,
                share=share,
                seconds=time,
                executor=executor,
                workers=workers,
                on_item=lambda g, done, all_: bar.update(bars[g], completed=done, total=all_),
            )
        except StopRequested:
            typer.echo(f"Stopped; the same command goes on from {path}.", err=True)
            raise typer.Exit(130) from None
    _print(results, json)
    typer.echo(f"Results: {path / 'results.json'}", err=True)


@app.command()
def table(
    files: Annotated[list[Path], typer.Argument(help="Files results.json of one version.")],
    html: Annotated[Path | None, typer.Option(help="Write the tables to this HTML page.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the merged results to this file.")] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.")
    ] = False,
    json: Json = False,
) -> None:
    """Merge and compare results.

    Example: `trireme bench table runs/bench/*/results.json --html bench.html`
    """
    from trireme.bench.page import html_page
    from trireme.bench.page import markdown as as_markdown
    from trireme.bench.results import load_results, merge, save_results

    merged = merge(load_results(file) for file in files)
    if out is not None:
        save_results(out, merged)
    if html is not None:
        html.write_text(html_page(merged), encoding="utf-8")
    if markdown:
        typer.echo(as_markdown(merged))
    else:
        _print(merged, json)


def _print(results: BenchResults, json: bool) -> None:
    from trireme.bench.page import tables

    if json:
        typer.echo(msgspec.json.encode(results))
        return
    for title, heads, rows in tables(results):
        shown = Table(*heads, title=title, title_justify="left")
        for row in rows:
            shown.add_row(*row)
        Console().print(shown)
