"""Options that several commands share, so that they read the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Variant = Annotated[
    str | None, typer.Option(help="A named set of settings; `trireme games` lists them.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="One setting of the game, such as size=9; may be repeated."),
]
Executor = Annotated[
    str, typer.Option(help="Where games run: serial (this process), processes, or ray.")
]
Workers = Annotated[int | None, typer.Option(help="Games in parallel; by default one per core.")]
