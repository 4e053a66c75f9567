"""`trireme arena` and `trireme ratings`: tournaments, and ratings over all runs."""

from __future__ import annotations

import signal
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.console import Console

from trireme.core.errors import BadSpec
from trireme.core.extras import require
from trireme.core.game import AnyGame
from trireme.core.isolation import MEMORY_MIB
from trireme.core.registry import game_from_text
from trireme.core.seeding import fresh_seed
from trireme.core.stop_signals import StopRequested

from .common_options import Executor, Json, Set, Variant, Workers
from .failures import CommandFailed, describe_os_error
from .live import live_page, wait_for_interrupt
from .match_options import read_conditions, read_sprt, warn_of_repeated_openings
from .open_run import is_finished, show_run
from .standings import MatchScreen, print_report, print_table, standing_table

if TYPE_CHECKING:
    from trireme.arena import Folder, Match, Progress, Report

Database = Annotated[
    str | None,
    typer.Option(
        help="The database for results, such as postgresql://host/name; `none` stores them only in"
        " the run folder. Default: runs/trireme.db, or TRIREME_DATABASE."
    ),
]


def arena(
    game: Annotated[
        str | None, typer.Argument(help="The game; `trireme games` lists them.")
    ] = None,
    agents: Annotated[
        list[str] | None,
        typer.Argument(help="Specs such as search:depth=4, my_bots.py:Bot, or name=spec."),
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            help="Games per pairing, rounded up to pairs (with one seat: games per agent)."
        ),
    ] = 100,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Random seed; the same seed gives the same match. Default: a fresh one, which is"
            " printed and stored."
        ),
    ] = None,
    time: Annotated[
        float | None,
        typer.Option(help="Time budget of a move in seconds; an agent that exceeds it forfeits."),
    ] = None,
    limit: Annotated[
        float,
        typer.Option(
            help="Without --time: seconds after which a move counts as hung and forfeits."
        ),
    ] = 60.0,
    gauntlet: Annotated[
        bool,
        typer.Option("--gauntlet", help="Only the first agent plays the others, not all pairs."),
    ] = False,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            help="Who meets whom: round-robin (all pairs), gauntlet (the first against the others),"
            " swiss (equal scores meet, nobody twice), knockout (losers are out).",
        ),
    ] = "round-robin",
    swiss_rounds: Annotated[
        int | None,
        typer.Option(help="Rounds of the format swiss; by default the log₂ of the field."),
    ] = None,
    openings: Annotated[
        Path | None,
        typer.Option(
            help="A text file of starts, one a line, such as: h8 i9 g7. Round i plays line i, from"
            " the first again after the last. Default: fair starts of the game."
        ),
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(
            help="Time of each seat for a whole game and increment of a move in seconds, such as"
            " 60+0.5; an agent whose clock runs out forfeits. In place of --time."
        ),
    ] = None,
    adjudicate: Annotated[
        str | None,
        typer.Option(
            help="End a game when the values that both agents report name the same winner by this"
            " much (0 to 1) for so many moves: value,moves such as 0.9,6. Less ends games earlier."
        ),
    ] = None,
    adjudicate_draw: Annotated[
        str | None,
        typer.Option(
            help="End a game as a draw when both agents report values as near to 0 as this for so"
            " many moves, from this move of the game on: value,moves,first such as 0.05,8,40. More"
            " of the first, less of the others end games earlier."
        ),
    ] = None,
    adjudicate_proof: Annotated[
        bool,
        typer.Option(
            "--adjudicate-proof",
            help="End a game when a forced win is proven and checked (Gomoku).",
        ),
    ] = False,
    sprt: Annotated[
        str | None,
        typer.Option(
            help="Sequential test (GSPRT): stop as soon as elo0 or elo1 is decided. "
            "elo0,elo1 or elo0,elo1,alpha,beta; two agents."
        ),
    ] = None,
    normalized: Annotated[
        bool,
        typer.Option(
            "--normalized",
            help="With --sprt: elo0 and elo1 are normalised Elo, which draws do not shrink.",
        ),
    ] = False,
    in_process: Annotated[
        bool,
        typer.Option(
            "--in-process",
            help="Play agents from files and modules in the referee's process: faster, but they"
            " could read hidden fleets from its memory, or end it.",
        ),
    ] = False,
    memory: Annotated[
        int,
        typer.Option(help="Memory limit of an agent from a file or module in MiB, per process."),
    ] = MEMORY_MIB,
    variant: Variant = None,
    set_: Set = None,
    executor: Executor = "processes",
    workers: Workers = None,
    pin: Annotated[
        bool,
        typer.Option(
            "--pin",
            help="Bind each worker process to a core of its own: times vary less (Linux).",
        ),
    ] = False,
    address: Annotated[
        str | None,
        typer.Option(
            help="With ray: the cluster, such as ray://head:10001; by default this machine."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The run folder; by default a new one in runs/arena.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Continue the match of this run folder.")
    ] = None,
    live: Annotated[
        bool,
        typer.Option(
            "--live",
            help="Serve a page on this machine with standings, games in progress and replays, until"
            " Ctrl-C; with --resume also for a match that is done.",
        ),
    ] = False,
    database: Database = None,
    open_: Annotated[
        bool,
        typer.Option(
            "--open",
            help="Afterwards open the games in the browser, with filters; Ctrl-C ends it. With"
            " --resume also for a finished run.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Play a tournament between agents, with ratings and confidence intervals.

    Every start is played twice with seats swapped; with one seat, all agents get the same fleets.
    Ctrl-C and SIGTERM stop with a report; `--resume` continues, with the same results.

    Examples: `trireme arena gomoku random heuristic --games 200` · `trireme arena battleship
    random hunt --games 500 --json` · `trireme arena gomoku new=my_bots.py:Bot heuristic
    --sprt 0,50` · `trireme arena --resume runs/arena/gomoku-…`
    """
    from trireme.arena.adjudication import Adjudication
    from trireme.arena.executors import check_pinning
    from trireme.arena.folder import Folder
    from trireme.arena.repeats import starts_warning
    from trireme.arena.run import new_path

    _check_extras(executor, database)
    if pin:
        check_pinning(executor, workers)
    if open_:
        require("web", "the option --open")
        if resume is not None and is_finished(resume):
            show_run(resume)
            return
    if resume is not None:
        _check_store(database)
        folder = _stopped(resume, game, seed)
    elif game is None:
        raise BadSpec("expected a game and its agents, such as: trireme arena gomoku random random")
    else:
        made = game_from_text(game, variant, set_ or [])
        conditions: dict[str, Any] = {"games": games, "seed": seed, "seconds": time, "limit": limit}
        conditions |= {"gauntlet": gauntlet, "isolate": not in_process, "memory": memory}
        conditions |= {"format": format_, "swiss_rounds": swiss_rounds}
        rule = Adjudication.parse(adjudicate, adjudicate_proof, adjudicate_draw)
        conditions |= read_conditions(made, openings, clock, rule)
        conditions["sprt"] = read_sprt(sprt, normalized)
        match = _new(made, agents or [], conditions)
        warn_of_repeated_openings(match)
        if (rounded := match.rounds * match.games_per_round) != games:
            typer.echo(
                f"Games: {rounded} per pairing, not {games}: every start is played twice, with"
                " seats swapped.",
                err=True,
            )
        _check_store(database)
        folder = Folder.create(out or new_path(made.name), match)
        if warning := starts_warning(match, folder.fixtures):
            typer.echo(warning, err=True)
    if folder.match.secret_seed or (resume is None and seed is None):
        typer.echo(f"Seed: {folder.match.seed}", err=True)
    where = {"executor": executor, "workers": workers, "address": address, "pin": pin}
    with live_page(folder) if live else nullcontext() as on_start:
        progress, stopped = _run(folder, {**where, "on_start": on_start}, show=not json)
        report = _finish(folder, progress, json)
        if progress.complete and database != "none":
            _keep(folder, progress, report, database)
        if live and not stopped:
            wait_for_interrupt()
    if stopped:
        typer.echo(f"Stopped. Continue: trireme arena --resume {folder.path}", err=True)
        raise typer.Exit(128 + stopped)
    if open_:
        show_run(folder.path)


def _finish(folder: Folder, progress: Progress, json: bool) -> Report:
    """Write the reports and print the result."""
    from trireme.arena import to_plain, write_reports

    report = write_reports(folder, progress)
    if json:
        typer.echo(msgspec.json.encode(to_plain(report)))
    else:
        print_report(folder, report)
    return report


def ratings(
    game: Annotated[str, typer.Argument(help="The game; `trireme games` lists them.")],
    variant: Variant = None,
    set_: Set = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Show the ratings of a game's agents over all runs.

    Example: `trireme ratings gomoku`
    """
    from trireme.arena.history import standing
    from trireme.store import open_store

    made = game_from_text(game, variant, set_ or [])
    engine = open_store(database)
    table, runs, games = standing(engine, made)
    engine.dispose()
    scores: dict[str, Any] = table if isinstance(table, dict) else dict(table.scores)
    if json:
        agents = [{"name": name, **msgspec.to_builtins(s)} for name, s in scores.items()]
        typer.echo(msgspec.json.encode({"game": game, "runs": runs, "agents": agents}))
        return
    if not scores:
        typer.echo(f"No runs of {game} with these settings yet. Play one: trireme arena {game} …")
        return
    console = Console()
    print_table(standing_table({name: (s, None, 0) for name, s in scores.items()}))
    console.print(f"[dim]{games} games in {runs} runs[/]")


def _new(game: AnyGame, agents: list[str], conditions: dict[str, Any]) -> Match:
    """The match, after the preflight of its agents; nothing is written yet."""
    from trireme.arena import Match, entrants
    from trireme.arena.preflight import preflight

    drawn = conditions["seed"] is None
    if drawn:
        conditions["seed"] = fresh_seed()
    isolation = {name: conditions[name] for name in ("isolate", "memory")}
    match = Match(game, entrants(game, agents, **isolation), **conditions)
    preflight(match)
    return replace(match, secret_seed=drawn and match.secretive)


def _stopped(path: Path, game: str | None, seed: int | None) -> Folder:
    from trireme.arena import resume

    if game is not None:
        raise BadSpec("--resume takes everything from the run folder: leave game and agents out")
    return resume(path, seed=seed)


def _run(folder: Folder, where: dict[str, Any], *, show: bool) -> tuple[Progress, int]:
    """Run to the end or to Ctrl-C or SIGTERM; with the number of the signal, or 0."""
    from trireme.arena import run_match
    from trireme.arena.run import progress_of

    screen = MatchScreen() if show else None
    try:
        with screen.live if screen is not None else nullcontext():
            update = None if screen is None else screen.update
            return run_match(folder, **where, on_game=update), 0
    except KeyboardInterrupt as error:
        number = error.number if isinstance(error, StopRequested) else signal.SIGINT
        return progress_of(folder), int(number)
    except OSError as error:
        raise CommandFailed(
            f"{describe_os_error(error)}. The games so far are kept; continue:"
            f" trireme arena --resume {folder.path}"
        ) from error


def _check_extras(executor: str, database: str | None) -> None:
    """Fail before anything is written if the executor or the database needs a missing package."""
    from trireme.arena.executors import check_executor
    from trireme.store.database import check_driver

    check_executor(executor)
    if database != "none":
        check_driver(database)


def _check_store(database: str | None) -> None:
    """Fail before the match, and not after it, if results can't be stored."""
    from trireme.store import open_store

    if database != "none":
        open_store(database).dispose()


def _keep(folder: Folder, progress: Progress, report: Report, database: str | None) -> None:
    from sqlalchemy.exc import SQLAlchemyError

    from trireme.arena.history import keep
    from trireme.store import StoreError, open_store

    try:
        engine = open_store(database)
        keep(engine, folder, progress, report)
        engine.dispose()
    except (SQLAlchemyError, StoreError) as error:
        why = str(getattr(error, "orig", None) or error)
        raise CommandFailed(
            f"the results could not be stored in the database: {why}. They are in {folder.path};"
            f" to store them: trireme arena --resume {folder.path}"
        ) from error
