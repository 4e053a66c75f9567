"""Standings in the terminal: the running table of a match, and the tables at its end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, JustifyMethod, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from trireme.arena import Folder, Progress, Report

MOST_CAUSES = 10
"""Causes of forfeits that the terminal lists; the report has all."""
MOST_WORDS = 300
"""Characters of a forfeit's detail in the terminal."""
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
        parts: list[RenderableType] = [_running_table(progress), self._bar]
        if warning := _repeats(progress):
            parts.insert(1, Text(warning, style="yellow"))
        self.live.update(Group(*parts), refresh=True)


def _repeats(progress: Progress) -> str:
    """A warning as soon as pairs of games repeat earlier ones."""
    from trireme.arena.repeats import repeated_pairs

    if progress.match.game.seats == 1:
        return ""
    count = repeated_pairs(progress.fixtures, progress.outcomes)
    return f"{2 * count} games repeat earlier ones and count once." if count else ""


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
        pairs = f"{report.sprt.pairs} pairs"
        if report.sprt.repeated:
            pairs += f", {report.sprt.repeated} repeated ones left out"
        console.print(
            f"Sequential test (GSPRT): [bold]{verdict}[/] (LLR {report.sprt.llr:.2f}, {pairs})"
        )
    if report.forfeit_causes:
        print_forfeits(folder.path, report)
    for note in report.notes:
        console.print(f"[yellow]•[/] {note}")
    console.print(
        f"[dim]schedule {report.schedule_hash} · results {report.results_hash}[/]\n"
        f"Report: {folder.path / 'report.html'}",
        soft_wrap=True,
    )


def print_forfeits(path: Path, report: Report) -> None:
    """Why agents forfeited, with file and line, and where tracebacks are."""
    table = Table(box=None, pad_edge=False, title="Forfeits", title_justify="left")
    for head in ("agent", "reason", "games", "first", "what happened"):
        table.add_column(head, justify="right" if head in ("games", "first") else "left")
    for cause in report.forfeit_causes[:MOST_CAUSES]:
        table.add_row(
            _plain(cause.agent),
            cause.reason,
            str(cause.games),
            str(cause.first),
            _plain(cause.detail),
        )
    console = Console()
    console.print(table)
    first = report.forfeit_causes[0].first
    console.print(
        Text(
            f"Traceback and output: {path / 'records' / f'{first:06d}.diagnosis.json'}; play it"
            f" again: trireme debug {path} {first}"
        ),
        style="dim",
        soft_wrap=True,
    )


def _plain(said: str) -> Text:
    """What an agent said, in one line without control characters or markup."""
    line = " ".join(said.split())[:MOST_WORDS]
    return Text("".join(c if c.isprintable() else "\ufffd" for c in line))


def print_table(table: Table) -> None:
    """Print a table with whole names, which users copy: wider than the screen if need be."""
    screen = Console()
    needed = screen.measure(table, options=screen.options.update(max_width=1000)).maximum
    Console(width=max(screen.width, needed)).print(table)


def standing_table(
    lines: Mapping[str, tuple[Any, float | None, int]], places: Mapping[str, str] | None = None
) -> Table:
    """Agents with their standing, time a move, forfeits and where they ran, best first.

    Times, forfeits and places have a column only where there is anything to say.
    """
    from trireme.arena.report.plots import duration

    alone = all(hasattr(standing, "shots_mean") for standing, _, _ in lines.values())
    forfeited = any(faults for _, _, faults in lines.values())
    placed = places is not None and any(place != "shipped" for place in places.values())
    table = Table(box=None, pad_edge=False)
    kind = ("shots", "95 %", "median") if alone else ("+ = −", "score", "95 %", "Elo", "95 % ")
    timed = any(took for _, took, _ in lines.values())
    heads = ["agent", "games", *kind, *["a move"] * timed]
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
            cells += [_span(standing.score_ci95, ".0%"), f"[bold]{standing.elo_text}[/]"]
            cells.append("bound" if standing.elo_bound else _span(standing.elo_ci95, "+.0f"))
        if timed:
            cells.append(duration(took) if took else "")
        if forfeited:
            cells.append(str(faults or ""))
        if places is not None and placed:
            cells.append(places[name])
        table.add_row(name, str(standing.games), *cells)
    return table


def _span(interval: tuple[float, float], form: str) -> str:
    return f"{interval[0]:{form}}…{interval[1]:{form}}"
