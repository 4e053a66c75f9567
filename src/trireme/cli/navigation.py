"""`trireme map`: make, check, show and mirror maps of Battle Navigation."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from trireme.core.errors import BadSpec
from trireme.core.seeding import fresh_seed
from trireme.navigation.geometry import Pose
from trireme.navigation.map_generator import blank_map, find_map, procedural_map
from trireme.navigation.maps import (
    BadMap,
    SeaMap,
    fairness,
    mirrored_map,
    read_map,
    turned_map,
    write_map,
)
from trireme.navigation.show.draw import board

from .common_options import Json

app = typer.Typer(
    name="map", help="Make, check, show and mirror maps of Battle Navigation.", no_args_is_help=True
)

Source = Annotated[str, typer.Argument(help="A file, default, or procedural:SEED.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="The file to write; by default the map is printed."),
]


@app.command()
def new(
    out: Annotated[Path, typer.Argument(help="The file to write.")],
    seed: Annotated[
        int | None, typer.Option(min=0, help="Random seed of a procedural map.")
    ] = None,
    blank: Annotated[
        str | None, typer.Option(help="An empty map of this size instead, such as 16x12.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The name of the map.")] = None,
) -> None:
    """Make a map: procedural from a seed, or empty.

    Examples: `trireme map new reef.json --seed 7` · `trireme map new bay.json --blank 16x12`
    """
    if blank is not None:
        if seed is not None:
            raise BadSpec("--seed makes a procedural map and --blank a bare one: choose one")
        size = re.fullmatch(r"(\d{1,4})[x×](\d{1,4})", blank.strip().lower())
        if size is None:
            raise BadSpec(f"--blank must be a size such as 16x12, not {blank!r}")
        made = blank_map(int(size[1]), int(size[2]))
    else:
        made = procedural_map(fresh_seed() if seed is None else seed)
    made = made if name is None else replace(made, name=name)
    _save(write_map(made), out)


@app.command()
def check(
    source: Source,
    json: Json = False,
) -> None:
    """List all faults of a map, and say whether it is fair to both seats.

    Example: `trireme map check reef.json`
    """

    faults: tuple[str, ...] = ()
    fair: str | None = None
    try:
        fair = fairness(_load(source))
    except BadMap as error:
        faults = error.faults
    if json:
        report = {"faults": faults, "fair": fair}
        typer.echo(msgspec.json.encode(report))
    elif faults:
        for fault in faults:
            typer.echo(f"fault: {fault}")
    else:
        symmetry = {"turn": "a half turn", "mirror": "a mirror", "flip": "an upside-down mirror"}
        typer.echo(
            f"{source} is sound and fair: {symmetry[fair]} exchanges the seats."
            if fair
            else f"{source} is sound, but not fair: no symmetry exchanges the seats."
        )
    if faults:
        raise typer.Exit(1)


@app.command()
def show(
    source: Source,
    json: Json = False,
) -> None:
    """Draw a map.

    Examples: `trireme map show default` · `trireme map show procedural:42`
    """

    chart = _load(source)
    if json:
        typer.echo(write_map(chart), nl=False)
        return
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    spawns = {seat: Pose(s.x, s.y, s.facing) for seat, s in enumerate(chart.spawns)}
    typer.echo(f"{chart.name} ({chart.id}), {chart.width}×{chart.height}")
    typer.echo("\n".join(board(chart, spawns, colour)))
    for label, text in (("author", chart.author), ("notes", chart.notes)):
        if text:
            typer.echo(f"{label}: {text}")


@app.command()
def mirror(
    source: Source,
    out: Out = None,
    turns: Annotated[
        int, typer.Option(help="Also rotate by this many quarter turns to the right.")
    ] = 0,
) -> None:
    """Write the mirror image of a map: east and west exchanged, spins reversed.

    Example: `trireme map mirror reef.json -o feer.json`
    """

    text = write_map(turned_map(mirrored_map(_load(source)), turns))
    if out is None:
        typer.echo(text, nl=False)
    else:
        _save(text, out)


def _load(source: str) -> SeaMap:

    path = Path(source)
    if path.is_file():
        return read_map(path.read_bytes())
    if source.endswith(".json") or "/" in source:
        raise BadSpec(f"there is no file {source!r}")
    return find_map(source)


def _save(text: str, path: Path) -> None:
    if path.exists():
        raise BadSpec(f"{str(path)!r} exists already: choose another name")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    typer.echo(f"wrote {path}")
