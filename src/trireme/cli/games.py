"""`trireme games` and `trireme agents`: the games with settings, the agents with options."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from trireme.core.extras import missing_extra
from trireme.core.options import Option, options_of
from trireme.core.registry import (
    GAMES,
    Slice,
    agent_class,
    agents_of,
    find,
    game_from_text,
    load,
    plugin_faults,
)
from trireme.core.rulebook import in_markdown, in_text, rulebook_of

from .common_options import Json


def games(json: Json = False) -> None:
    """List the games with their settings and variants.

    Example: `trireme games`
    """
    warn_of_plugins()
    listed = {name: _game(find(name)) for name in GAMES}
    if json:
        typer.echo(msgspec.json.encode(listed))
        return
    console = Console()
    for name, about in listed.items():
        console.print(f"[bold]{name}[/]  {about['summary']}")
        console.print(_option_table(options_of(load(find(name).game))))
        variants = about["variants"]
        console.print(f"  variants: {', '.join(variants) or 'none'}\n")
    console.print("Play one: trireme play gomoku   ·   Settings: --set size=9   ·   --variant NAME")


def rules(
    games: Annotated[list[str] | None, typer.Argument(help="Games; by default all.")] = None,
    variant: Annotated[str | None, typer.Option(help="A variant of the game.")] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting, such as size=9; may be repeated.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
) -> None:
    """Print the rules of a game, with the settings that you choose.

    Example: `trireme rules gomoku`
    """
    for place, name in enumerate(games or list(GAMES)):
        if place:
            typer.echo()
        book = rulebook_of(game_from_text(name, variant, settings or []))
        typer.echo((in_markdown(book) if markdown else in_text(book)).rstrip())


def agents(
    game: Annotated[str | None, typer.Argument(help="Only the agents of this game.")] = None,
    json: Json = False,
) -> None:
    """List the agents of every game with their options.

    Example: `trireme agents gomoku`
    """
    warn_of_plugins()
    chosen = [game] if game else list(GAMES)
    listed = {name: {a: _agent(name, a) for a in agents_of(name)} for name in chosen}
    if json:
        typer.echo(msgspec.json.encode(listed))
        return
    console = Console()
    for name in chosen:
        table = Table(
            title=name, title_justify="left", title_style="bold", box=None, pad_edge=False
        )
        for column in ("agent", "what it is", "options (default)"):
            table.add_column(column, header_style="dim")
        for agent, about in listed[name].items():
            options = [f"{o['name']}={o['default']}" for o in about["options"]]
            missing = about["unavailable"]
            why = f"\n[red]can't play here: {escape(missing)}[/]" if missing else ""
            table.add_row(agent, about["summary"] + why, "\n".join(options))
        console.print(table, "")
    console.print("Options go into the name: search:depth=8   ·   Your own: my_bots.py:Bot")


def warn_of_plugins() -> None:
    """One line on stderr for every installed game or agent that can't be used."""
    for line in plugin_faults():
        typer.echo(f"warning: {line}", err=True)


def _game(found: Slice) -> dict[str, Any]:
    options = [_option(o) for o in options_of(load(found.game)).values()]
    variants = {name: msgspec.to_builtins(dict(v)) for name, v in found.variants.items()}
    return {"summary": found.summary, "settings": options, "variants": variants}


def _agent(game: str, name: str) -> dict[str, Any]:
    cls = agent_class(game, name)
    summary = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
    options = [_option(o) for o in options_of(cls).values()]
    return {"summary": summary, "options": options, "unavailable": missing_extra(name, cls)}


def _option(option: Option) -> dict[str, Any]:
    required = option.default is inspect.Parameter.empty
    default = "required" if required else msgspec.to_builtins(option.default)
    kind = option.type_text
    return {"name": option.name, "type": kind, "default": default, "help": option.help}


def _option_table(options: dict[str, Option]) -> Table:
    table = Table(box=None, pad_edge=True, show_header=False)
    for option in options.values():
        default = msgspec.json.encode(msgspec.to_builtins(option.default)).decode()
        table.add_row(f"  {option.name}", f"[dim]{option.type_text}[/]", default, option.help)
    return table
