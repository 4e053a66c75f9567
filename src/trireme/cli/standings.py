"""Standings in the terminal: the running table of a match, and the tables at its end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, JustifyMethod
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table

if TYPE_CHECKING:
    from trireme.arena import Folder, Progress, Report

REFRESH = 0.5
"""Seconds between two looks of the running table."""


class MatchScreen:
    """The progress bar with the running table, on standard error."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(None),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
        )
        self._task = self._bar.add_task("games", total=None)
        self.live = Live(self._bar, console=self._console, transient=True, auto_refresh=False)
        self._shown = 0.0

    def update(self, progress: Progress) -> None:
        done, total = len(progress.outcomes), progress.scheduled
        self._bar.update(self._task, completed=done, total=total)
        if time.monotonic() - self._shown < REFRESH:
            return
        self._shown = time.monotonic()
        self.live.update(Group(_running_table(progress), self._bar), refresh=True)


def _running_table(progress: Progress) -> Table:
    """Scores so far; ratings and intervals wait for the end, as they take longer."""
    names = progress.match.names
    games, points, forfeits = ([0.0] * len(names) for _ in range(3))
    for number, outcome in progress.outcomes.items():
        seats = progress.fixtures[number].seats
        for seat, index in enumerate(seats):
            games[index] += 1
            if len(seats) == 1:
                points[index] -= outcome.returns[0]
            else:
                ours, theirs = outcome.returns[seat], outcome.returns[1 - seat]
                points[index] += 0.5 if ours == theirs else float(ours > theirs)
        for forfeit in outcome.forfeits:
            forfeits[seats[forfeit.seat]] += 1
    alone = progress.match.game.seats == 1
    table = Table(box=None, pad_edge=False)
    for head in ("agent", "games", "shots" if alone else "score", "forfeits"):
        table.add_column(head, justify="left" if head == "agent" else "right", header_style="dim")
    means = [points[i] / games[i] if games[i] else 0.0 for i in range(len(names))]
    for i in sorted(range(len(names)), key=lambda i: means[i] if alone else -means[i]):
        mean = f"{means[i]:.2f}" if alone else f"{means[i]:.1%}"
        table.add_row(
            names[i], f"{games[i]:.0f}", mean, f"{forfeits[i]:.0f}" if forfeits[i] else ""
        )
    return table


def print_report(folder: Folder, report: Report) -> None:
    console = Console()
    lines = {a.name: (a.standing, a.time_per_move, a.forfeits) for a in report.agents}
    places = {a.name: f"{a.place} timed" if a.timed else a.place for a in report.agents}
    print_table(standing_table(lines, places))
    if report.first_seat is not None:
        first = report.first_seat
        low, high = first.elo_ci95
        console.print(
            f"[dim]The first seat scored {first.score:.1%}, worth {first.elo:+.0f} Elo"
            f" ({low:+.0f} … {high:+.0f}).[/]"
        )
    for number, place in enumerate(report.places, start=1):
        console.print(f"{number}. [bold]{place.agent}[/] {place.result}")
    if report.payoff is not None:
        ranked = zip(report.payoff.agents, report.payoff.alpha_rank, strict=True)
        shares = ", ".join(f"{name} {share:.0%}" for name, share in ranked if share >= 0.005)
        console.print(f"[dim]Alpha-rank: {shares}[/]")
    if report.sprt is not None:
        verdict = report.sprt.verdict or "undecided"
        console.print(f"Sequential test (GSPRT): [bold]{verdict}[/] (LLR {report.sprt.llr:.2f})")
    for note in report.notes:
        console.print(f"[yellow]•[/] {note}")
    console.print(
        f"[dim]schedule {report.schedule_hash} · results {report.results_hash}[/]\n"
        f"Report: {folder.path / 'report.html'}",
        soft_wrap=True,
    )


def print_table(table: Table) -> None:
    """Print a table with whole names, which users copy: wider than the screen if need be."""
    screen = Console()
    needed = screen.measure(table, options=screen.options.update(max_width=1000)).maximum
    Console(width=max(screen.width, needed)).print(table)


def standing_table(
    lines: Mapping[str, tuple[Any, float | None, int]], places: Mapping[str, str] | None = None
) -> Table:
    """Agents with their standing, time a move, forfeits and where they ran, best first.

    Forfeits and places have a column only where they differ from the usual: none, and shipped.
    """
    from trireme.arena.report.plots import duration

    alone = all(hasattr(standing, "shots_mean") for standing, _, _ in lines.values())
    forfeited = any(faults for _, _, faults in lines.values())
    placed = places is not None and any(place != "shipped" for place in places.values())
    table = Table(box=None, pad_edge=False)
    kind = ("shots", "95 %", "median") if alone else ("+ = −", "score", "95 %", "Elo", "95 % ")
    heads = ["agent", "games", *kind, "a move"]
    heads += ["forfeits"] * forfeited + ["runs"] * placed
    for head in heads:
        justify: JustifyMethod = "left" if head == "agent" else "right"
        table.add_column(head, justify=justify, header_style="dim", no_wrap=True)
    for name, (standing, took, faults) in lines.items():
        if alone:
            cells = [f"[bold]{standing.shots_mean:.2f}[/]", _span(standing.shots_ci95, ".2f")]
            cells.append(f"{standing.shots_median:g}")
        else:
            cells = [f"{standing.wins} {standing.draws} {standing.losses}", f"{standing.score:.1%}"]
            cells += [_span(standing.score_ci95, ".0%"), f"[bold]{standing.elo:+.0f}[/]"]
            cells.append(_span(standing.elo_ci95, "+.0f"))
        cells.append(duration(took) if took else "")
        if forfeited:
            cells.append(str(faults or ""))
        if places is not None and placed:
            cells.append(places[name])
        table.add_row(name, str(standing.games), *cells)
    return table


def _span(interval: tuple[float, float], form: str) -> str:
    return f"{interval[0]:{form}}…{interval[1]:{form}}"
