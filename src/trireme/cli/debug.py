"""`trireme debug`: play one game of an arena run again, with one seat under observation."""

from __future__ import annotations

import pdb  # noqa: T100 - this command is a debugger
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trireme.core.errors import BadSpec
from trireme.core.fault_trace import fault_traceback
from trireme.core.forfeit import Forfeit

from .failures import CommandFailed

if TYPE_CHECKING:
    from trireme.arena.debugging import DebuggedGame, DebuggedMove


def debug(
    run: Annotated[Path, typer.Argument(help="The run folder, such as runs/arena/….")],
    game: Annotated[int, typer.Argument(help="The game's number, as reports list it.")],
    seat: Annotated[
        int | None,
        typer.Option(help="The seat to debug; by default the one that forfeited, or 0."),
    ] = None,
    use_pdb: Annotated[
        bool, typer.Option("--pdb", help="Open the debugger where the agent fails, or at --move.")
    ] = False,
    move: Annotated[
        int | None, typer.Option(help="With --pdb: open the debugger before this move.")
    ] = None,
    step: Annotated[
        bool,
        typer.Option("--step", help="Show the board before each decision and wait for Enter."),
    ] = False,
) -> None:
    """Play one game of a run again, with prints, thoughts and traceback of one seat.

    The agent runs in this process and without clocks. Where it plays otherwise than in the record,
    the command says so. An attribute `thoughts` of the agent is shown after every decision.

    Examples: `trireme debug runs/arena/gomoku-… 12` · `trireme debug runs/arena/gomoku-… 12 --pdb`
    """
    from trireme.arena.debugging import DebuggedGame

    if move is not None and not use_pdb:
        raise BadSpec("--move needs --pdb")
    found = DebuggedGame.open(run, game, seat)
    typer.echo(f"Game {game}: {' – '.join(found.names)}; seat {found.seat}, {_name(found)}")
    played = _play(found, move if use_pdb else None, post_mortem=use_pdb, step=step)
    end = found.record.end
    same = played is not None and played.record.moves == found.record.moves
    if played is not None:
        returns = ", ".join(f"{r:g}" for r in played.returns)
        typer.echo(f"The end. Returns: {returns}")
    if end is not None and end.forfeits and played is not None:
        typer.echo("The game was forfeited in the run, and not now: the agent has changed, or it")
        typer.echo("depends on time, memory or other processes.")
    elif played is not None:
        typer.echo("The same game as in the run." if same else "Not the game of the run.")


def _play(found: DebuggedGame, stop: int | None, *, post_mortem: bool, step: bool) -> Any:
    """The result; None after a fault that the run had, too."""

    def call(agent: Any, turn: Any, number: int) -> Any:
        if step:
            _show_turn(turn, number)
        if number == stop:
            return pdb.runcall(agent.act, turn)
        return agent.act(turn)

    try:
        return found.play(_show_move, call)
    except Forfeit as fault:
        cause = fault.__cause__
        typer.echo(fault_traceback(cause) if cause is not None else str(fault), err=True)
        if post_mortem and cause is not None and cause.__traceback__ is not None:
            pdb.post_mortem(cause.__traceback__)
        name = found.names[fault.seat]
        raise CommandFailed(f"{name} forfeits ({fault.reason}): {fault.detail}") from fault


def _show_turn(turn: Any, number: int) -> None:
    from trireme.core.registry import find, load

    drawn = load(find(turn.game.name).text)(turn.game, turn.view, False)
    typer.echo(f"\nBefore move {number}:\n{drawn}")
    if sys.stdin.isatty():
        input("Enter goes on > ")


def _show_move(move: DebuggedMove) -> None:
    from trireme.core.forfeit import shown

    try:
        text = move.turn.game.write(move.action)
        follows = move.follows
    except Exception:  # what the agent gave is no action: the forfeit that follows says so
        text, follows = shown(move.action), True
    note = "" if follows else f"   (the record has {move.recorded})"
    typer.echo(f"move {move.number}: {text}  {move.seconds * 1000:.1f} ms{note}")
    for line in move.thoughts.splitlines():
        typer.echo(f"  │ {line}")


def _name(found: DebuggedGame) -> str:
    return found.names[found.seat]
