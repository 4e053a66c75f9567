"""`trireme replay`: step through a record in the terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from trireme.core.errors import BadSpec, RecordError
from trireme.core.game import Seat
from trireme.core.record import Record, load_record
from trireme.core.registry import draw_text
from trireme.core.transcript import Exchange, load_transcript


def replay(
    file: Annotated[Path, typer.Argument(help="A record, such as runs/games/….jsonl.")],
    move: Annotated[int | None, typer.Option(help="Print only the position after move N.")] = None,
    seat: Annotated[int | None, typer.Option(help="Show only what this seat may know.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print all positions, without asking for keys.")
    ] = False,
) -> None:
    """Step through a recorded game.

    Keys: Enter next · p previous · a number jumps there · e end · q leaves.
    Example: `trireme replay runs/games/gomoku-….jsonl`
    """
    record = load_record(file, partial=True)
    if seat is not None and not 0 <= seat < record.game.seats:
        raise BadSpec(f"--seat must be from 0 to {record.game.seats - 1}, not {seat}")
    states, fault = _states(record)
    said = [e for e in load_transcript(file) if seat is None or e.seat == seat]
    last = len(states) - 1
    if move is not None and not 0 <= move <= last:
        raise BadSpec(f"--move must be from 0 to {last}, not {move}")
    if move is not None:
        _show(record, states, move, seat, said)
    elif everything or not sys.stdin.isatty():
        for number in range(len(states)):
            _show(record, states, number, seat, said)
    else:
        _step(record, states, seat, said)
    if fault is not None:
        raise fault


def _states(record: Record) -> tuple[list[Any], RecordError | None]:
    """All positions up to the first line that can't be played, and what is wrong there."""
    states: list[Any] = []
    try:
        states.extend(record.states())
        record.verify()
    except RecordError as error:
        return states, error
    return states, None


def _step(record: Record, states: list[Any], seat: Seat | None, said: list[Exchange]) -> None:
    at, last = 0, len(states) - 1
    while True:
        _show(record, states, at, seat, said)
        answer = input(f"[{at}/{last}] Enter, p, number, e, q > ").strip().lower()
        if answer == "q":
            return
        if answer == "p":
            at = max(0, at - 1)
        elif answer == "e":
            at = last
        elif answer.isdecimal():
            at = min(last, int(answer))
        elif at == last:
            return
        else:
            at += 1


def _show(
    record: Record, states: list[Any], number: int, seat: Seat | None, said: list[Exchange]
) -> None:
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    if number == 0:
        typer.echo(f"{record.header.game} · {' – '.join(record.header.seats)}")
    else:
        shown = record.shown_to(seat)[number - 1]
        moved = [f"{_who(s, record)}: {a or '(hidden)'}" for s, a in shown.items()]
        typer.echo(f"\nMove {number} · {' · '.join(moved)}")
        for exchange in said:
            if exchange.move == number:
                typer.echo(_what_it_said(exchange, record))
        for who, note in record.notes[number - 1].items():
            if who == seat or (seat is None and record.end is not None):
                typer.echo(_quoted(f"{_who(who, record)} noted:", note))
    typer.echo(draw_text(record.game, states[number], seat, colour=colour))
    if number == len(record.moves):
        for exchange in said:
            if exchange.move > number:  # what led to a forfeit
                typer.echo(_what_it_said(exchange, record))
        typer.echo(_ending(record))


def _what_it_said(exchange: Exchange, record: Record) -> str:
    """What a language model said, with its costs, as lines that stand out from the board."""
    about = [exchange.model, f"{exchange.tokens_in} + {exchange.tokens_out} tokens"]
    about += [f"{exchange.seconds:.1f} s", *([f"${exchange.cost:.4f}"] if exchange.cost else [])]
    text = exchange.answer.strip() or "(no answer)"
    if exchange.problem:
        text += f"\nRefused: {exchange.problem}"
    head = f"{_who(exchange.seat, record)} said ({', '.join(about)}):"
    return _quoted(head, text)


def _quoted(head: str, text: str) -> str:
    """A text of others under its head, without what a terminal would obey."""
    shown = "".join(c if c.isprintable() or c == "\n" else "�" for c in text)
    return "\n".join([head, *(f"  │ {line}" for line in shown.splitlines())])


def _who(seat: Seat, record: Record) -> str:
    return "nature" if seat < 0 else record.header.seats[seat]


def _ending(record: Record) -> str:
    if record.end is None:
        cut = f"; line {record.cut_off} is cut off" if record.cut_off else ""
        return f"The record stops here: the game was not finished{cut}."
    forfeits = [f"{record.header.seats[f.seat]} forfeits: {f.detail}" for f in record.end.forfeits]
    return "\n".join(
        [*forfeits, f"The end. Returns: {', '.join(f'{r:g}' for r in record.end.returns)}"]
    )
