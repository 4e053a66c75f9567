"""`trireme review`: what every decision of a recorded game cost, and one accuracy a player."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress as Bar
from rich.table import Table

from trireme.core.errors import BadSpec, TriremeError
from trireme.core.game import Seat
from trireme.core.record import Record, load_record
from trireme.core.registry import agent_class, find, make_agent
from trireme.core.review import Review, worth_a_look
from trireme.core.review import review as review_record
from trireme.core.review_page import explanation, review_page, written_cost, written_percent
from trireme.core.session import HUMAN
from trireme.core.spec import parse_spec

from .common_options import Json

BARS = "▁▂▃▄▅▆▇█"


def review(
    file: Annotated[Path, typer.Argument(help="A record, such as runs/games/….jsonl.")],
    seat: Annotated[
        int | None,
        typer.Option(help="Review only this seat's decisions; needed while the game runs."),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Random seed of sampled estimates; the same gives the same review.")
    ] = 0,
    everything: Annotated[
        bool, typer.Option("--all", help="List all decisions, not only those that cost something.")
    ] = False,
    retry: Annotated[
        int | None,
        typer.Option(
            "--try-again", help="Play on from before moment N (1 to 3) against the same opponent."
        ),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the review as one HTML page.")] = None,
    json: Json = False,
) -> None:
    """Review a recorded game: the cost of every decision, accuracy, and the moments that mattered.

    Example: `trireme review runs/games/gomoku-….jsonl --html review.html`
    """
    record = load_record(file, partial=True)
    found = _review_with_bar(record, seat, seed, quiet=json)
    if html is not None:
        html.parent.mkdir(parents=True, exist_ok=True)
        html.write_text(review_page(found, record), encoding="utf-8")
    if json:
        typer.echo(msgspec.json.encode(found))
    elif retry is None:
        _print(found, everything)
        typer.echo(f"Play a moment again: trireme review {file} --try-again 1")
    if retry is not None:
        _try_again(record, found, retry)


def _review_with_bar(record: Record, seat: Seat | None, seed: int, *, quiet: bool) -> Review:
    with Bar(console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task("decisions", total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return review_record(record, seat=seat, seed=seed, on_reviewed=show)


def _print(review: Review, everything: bool) -> None:
    console = Console()
    table = _table(("player", "accuracy", "decisions", f"{review.unit} lost", "luck", review.curve))
    for seat in review.seats:
        table.add_row(
            escape(seat.name),
            written_percent(seat.accuracy),
            str(seat.decisions),
            written_cost(review, seat.cost),
            "–" if seat.luck is None else written_cost(review, seat.luck),
            sparkline([value for _, value in seat.curve]),
        )
    console.print(table)
    for number, index in enumerate(review.moments, 1):
        move = review.moves[index]
        about = explanation(move)
        console.print(
            f"{number}. Move {move.move}, {escape(review.players[move.seat])}: {move.played} costs"
            f" {written_cost(review, move.cost)}; better: {move.best}"
            + (f" ({about})" if about else "")
        )
    shown = [move for move in review.moves if everything or worth_a_look(move)]
    table = _table(("move", "player", "played", "best", "cost", "accuracy", ""))
    for move in shown:
        table.add_row(
            str(move.move),
            escape(review.players[move.seat]),
            move.played,
            move.best,
            written_cost(review, move.cost),
            written_percent(move.accuracy),
            explanation(move),
        )
    console.print(table)
    if len(shown) < len(review.moves):
        console.print(f"{len(review.moves) - len(shown)} more cost little or nothing (--all)")


def _table(heads: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    for head in heads:
        table.add_column(head, header_style="dim")
    return table


def sparkline(values: Sequence[float], width: int = 24) -> str:
    """A curve as one line of text, from 0 to the larger of 1 and the highest value.

    >>> sparkline([0, 0.5, 1])
    '▁▅█'
    """
    stride = max(1, -(-len(values) // width))
    top = max([1.0, *values])
    return "".join(BARS[round((len(BARS) - 1) * v / top + 1e-9)] for v in values[::stride])


def _try_again(record: Record, review: Review, number: int) -> None:
    """Play on in the terminal from the position before a moment."""
    from .play import play_on

    count = len(review.moments)
    if not count:
        raise BadSpec("no decision of this game cost enough to be played again")
    if not 1 <= number <= count:
        raise BadSpec(f"--try-again must be from 1 to {count}, not {number}")
    if record.end is None:
        raise BadSpec("the game is not over: go on with trireme play --resume")
    move = review.moves[review.moments[number - 1]]
    seats = [HUMAN if s == move.seat else _opponent(record, s) for s in range(record.game.seats)]
    play_on(record.game, seats, record.moves[: move.move - 1])


def _opponent(record: Record, seat: Seat) -> str:
    """The agent that played the seat; the game's usual opponent where a person did.

    A record may come from anywhere: it can't name a file or a program to run.
    """
    name = record.game.name
    try:
        spec = parse_spec(record.header.seats[seat])
        if spec.cls is None and getattr(agent_class(name, spec.name), "web", True):
            make_agent(record.game, record.header.seats[seat])
            return record.header.seats[seat]
    except TriremeError:
        pass
    return find(name).opponent
