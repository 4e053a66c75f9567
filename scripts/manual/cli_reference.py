"""The command-line reference as Markdown, generated from the Typer app."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from trireme.cli import app

from .tables import table


def commands() -> Iterator[tuple[str, Any, Any]]:
    """Every command and group as (path such as `trireme map new`, command, its context)."""

    def walk(command: Any, parent: Any, name: str) -> Iterator[tuple[str, Any, Any]]:
        context = command.context_class(command, info_name=name, parent=parent)
        yield context.command_path, command, context
        for child in command.list_commands(context) if hasattr(command, "list_commands") else ():
            yield from walk(command.get_command(context, child), context, child)

    yield from walk(get_command(app), None, "trireme")


def parameters(command: Any, context: Any) -> Iterator[tuple[str, str]]:
    """(how it is typed, help) of every visible argument and option, `--help` left out."""
    for parameter in command.params:
        if getattr(parameter, "hidden", False):
            continue
        typed, text = parameter.get_help_record(context) or (parameter.name, "")
        yield typed, text


def markdown() -> str:
    """The whole page."""
    parts = [
        "# Command line",
        "Generated from the commands themselves: what `trireme COMMAND --help` prints.",
    ]
    for path, command, context in commands():
        group = hasattr(command, "list_commands")
        if path != "trireme":
            parts.append(f"{'##' if path.count(' ') == 1 else '###'} `{path}`")
        parts.append(command.help or "")
        if group:
            rows = [
                (f"[`{path} {name}`](#{_anchor(f'{path} {name}')})", child.get_short_help_str(120))
                for name in command.list_commands(context)
                if (child := command.get_command(context, name)) is not None
            ]
            parts.append(table(("command", "what it does"), rows))
        else:
            usage = " ".join(command.collect_usage_pieces(context))
            parts.append(f"```text\n{path} {usage}\n```")
        # Brackets such as [default: 3] would read as links.
        rows = [
            (f"`{typed}`", text.replace("[", r"\[")) for typed, text in parameters(command, context)
        ]
        if rows:
            parts.append(table(("argument or option", "what it changes"), rows))
    return "\n\n".join(part for part in parts if part) + "\n"


def _anchor(path: str) -> str:
    return path.replace(" ", "-")
