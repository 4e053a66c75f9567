"""Evaluating one agent: a paired comparison with reference agents on equal starts.

An evaluation is an arena match: with one seat every agent plays the same fleets, with two the agent
meets every reference in a gauntlet, each start from both seats. Its folder is a run folder.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from trireme.core.errors import BadSpec, TriremeError
from trireme.core.game import AnyGame
from trireme.core.intervals import Interval
from trireme.core.record import load_record
from trireme.core.registry import find, make_game

from .diagnosis import load_diagnosis
from .film import film
from .folder import Folder
from .match import Match, entrants
from .report import Report, write_reports
from .run import Progress, run_match, start
from .standing import ShotsStanding
from .statistics.sprt import elo_of

SIGNIFICANT = 0.05
"""The p-value below which a difference counts."""
FILMS = 5
"""Worst games that get a film."""


class BotFailed(TriremeError):
    """The evaluated agent failed in a game; `traceback` and `output` are its own."""

    def __init__(
        self, agent: str, game: int, reason: str, detail: str, traceback: str, output: str
    ) -> None:
        super().__init__(f"{agent} fails in game {game} ({reason}): {detail}")
        self.agent, self.game, self.reason, self.detail = agent, game, reason, detail
        self.traceback, self.output = traceback, output


@dataclass(frozen=True)
class Comparison:
    """The agent against one reference, on the same starts."""

    reference: str
    games: int
    measure: str
    """`shots`: of the agent minus those of the reference, fewer are better. `score`: the agent's
    mean points, more are better."""
    value: float
    ci95: Interval
    p_value: float
    """Of the hypothesis that both are equally strong, with Holm's correction."""
    elo: float | None = None
    """The difference in logistic Elo that the score stands for; None for shots, and for a score of
    0 or 1."""

    @property
    def better(self) -> bool | None:
        """Whether the agent is better (True) or worse (False); None if the interval or the p-value
        leaves it open."""
        even = 0.0 if self.measure == "shots" else 0.5
        low, high = self.ci95
        if low <= even <= high or self.p_value >= SIGNIFICANT:
            return None
        return (high < even) if self.measure == "shots" else (low > even)


@dataclass(frozen=True)
class WorstGame:
    """A game that went badly for the agent."""

    number: int
    opponent: str | None
    value: float
    """Its shots; with two seats its points, 0 or ½."""
    moves: int
    record: Path
    film: Path


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What an evaluation found; a notebook shows its page."""

    agent: str
    game: str
    games: int
    """Games of the agent against each reference; with one seat, its games."""
    seed: int
    mean: float
    """Its mean shots, or its mean score over all references."""
    ci95: Interval
    comparisons: tuple[Comparison, ...]
    worst: tuple[WorstGame, ...]
    histogram: dict[int, int]
    """How many of its games took so many shots, or with two seats so many moves."""
    folder: Path
    page: Path
    """The HTML page."""
    report: Report = field(repr=False)

    def __repr__(self) -> str:
        unit = "shots" if self.report.seats == 1 else "points a game"
        low, high = self.ci95
        lines = [
            f"<Evaluation of {self.agent} in {self.game}: {self.mean:.3g} {unit}"
            f" ({low:.3g} to {high:.3g}), {self.games} games, seed {self.seed}"
        ]
        lines += [f"  {_sentence(c)}" for c in self.comparisons]
        return "\n".join([*lines, f"  {self.page}>"])

    def _repr_html_(self) -> str:
        from .evaluation_page import body

        return body(self)


def evaluate(
    agent: Any,
    game: AnyGame | str,
    *,
    games: int = 500,
    seed: int = 0,
    against: Sequence[Any] | None = None,
    seconds: float | None = None,
    strict: bool = True,
    executor: str | None = None,
    workers: int | None = None,
    out: Path | None = None,
    progress: bool = True,
) -> Evaluation:
    """Compare `agent` (a class, an object or a spec) with reference agents on equal starts.

    The same seed gives the same games. `against` are other agents or specs; by default the game's
    references. With `strict` the agent's first error stops the evaluation with `BotFailed`, which
    has its traceback; without, the game counts as lost. `executor` is `processes` (the default) or
    `serial`. Everything is kept in the folder `out`, by default a new one in runs/evaluate.
    """
    made = make_game(game) if isinstance(game, str) else game
    if isinstance(agent, type):
        agent = agent()
    references = list(find(made.name).references if against is None else against)
    if not references:
        raise BadSpec("expected at least one agent to compare with")
    match = Match(
        made,
        entrants(made, [agent, *references]),
        games=games,
        seed=seed,
        seconds=seconds,
        gauntlet=made.seats == 2,
    )
    folder = start(match, out or _new_path(made.name))
    done = _run(folder, executor, workers, strict=strict, progress=progress)
    return _found(folder, done)


def _run(
    folder: Folder, executor: str | None, workers: int | None, *, strict: bool, progress: bool
) -> Progress:
    from rich.console import Console
    from rich.progress import Progress as Bar

    total = len(folder.fixtures)
    with Bar(console=Console(stderr=True), transient=True, disable=not progress) as bar:
        task = bar.add_task(f"{folder.match.names[0]}: games", total=total)

        def on_game(now: Progress) -> None:
            bar.update(task, completed=len(now.outcomes))
            if strict:
                _stop_at_a_fault(now)

        try:
            return run_match(
                folder,
                executor=executor or ("processes" if os.name == "posix" else "serial"),
                workers=workers,
                on_game=on_game,
            )
        except _Failed as failed:
            raise _bot_failed(folder, failed.number) from None


class _Failed(Exception):
    """The agent forfeited the game of this number."""

    def __init__(self, number: int) -> None:
        self.number = number


def _stop_at_a_fault(progress: Progress) -> None:
    latest = next(reversed(progress.outcomes.values()))
    seats = progress.fixtures[latest.number].seats
    if any(seats[forfeit.seat] == 0 for forfeit in latest.forfeits):
        raise _Failed(latest.number)


def _bot_failed(folder: Folder, number: int) -> BotFailed:
    name = folder.match.names[0]
    found = load_diagnosis(folder.record_path(number))
    for seat in () if found is None else found.seats:
        if seat.agent == name and seat.reason:
            return BotFailed(name, number, seat.reason, seat.detail, seat.traceback, seat.output)
    return BotFailed(name, number, "unknown", "its diagnosis is missing", "", "")


def _found(folder: Folder, progress: Progress) -> Evaluation:
    from .evaluation_page import write_page

    report, match = write_reports(folder, progress), folder.match
    name = match.names[0]
    standing = next(a.standing for a in report.agents if a.name == name)
    alone = isinstance(standing, ShotsStanding)
    ours = [f for f in folder.fixtures if 0 in f.seats]
    lengths: dict[int, int] = {}
    for fixture in ours:
        outcome = progress.outcomes[fixture.number]
        length = round(-outcome.returns[0]) if alone else outcome.moves
        lengths[length] = lengths.get(length, 0) + 1
    found = Evaluation(
        agent=name,
        game=report.game,
        games=match.rounds * match.games_per_round,
        seed=match.seed,
        mean=standing.shots_mean if isinstance(standing, ShotsStanding) else standing.score,
        ci95=standing.shots_ci95 if isinstance(standing, ShotsStanding) else standing.score_ci95,
        comparisons=_comparisons(report, name),
        worst=_worst(folder, progress),
        histogram=dict(sorted(lengths.items())),
        folder=folder.path,
        page=folder.path / "evaluation.html",
        report=report,
    )
    write_page(found, progress)
    return found


def _comparisons(report: Report, name: str) -> tuple[Comparison, ...]:
    if report.seats == 1:
        return tuple(
            Comparison(d.agents[1], d.games, "shots", d.shots, d.shots_ci95, d.p_value)
            for d in report.differences
            if d.agents[0] == name
        )
    return tuple(
        Comparison(d.agents[1], d.games, "score", d.score, d.score_ci95, d.p_value, elo_of(d.score))
        for d in report.duels
        if d.agents[0] == name
    )


def _worst(folder: Folder, progress: Progress) -> tuple[WorstGame, ...]:
    """The games with most shots; with two seats the quickest losses, then draws. Writes films."""
    names = folder.match.names
    games: list[tuple[tuple[float, float, int], str | None, float]] = []
    for fixture in folder.fixtures:
        if 0 not in fixture.seats:
            continue
        outcome, seat = progress.outcomes[fixture.number], fixture.seats.index(0)
        if len(fixture.seats) == 1:
            shots = -outcome.returns[0]
            games.append(((-shots, 0.0, fixture.number), None, shots))
        elif (points := (outcome.returns[seat] + 1) / 2) < 1:
            opponent = names[fixture.seats[1 - seat]]
            games.append(((points, outcome.moves, fixture.number), opponent, points))
    found = []
    (folder.path / "films").mkdir(exist_ok=True)
    for (_, _, number), rival, value in sorted(games, key=lambda game: game[0])[:FILMS]:
        record, shown = folder.record_path(number), folder.path / "films" / f"{number:06d}.html"
        shown.write_text(film(load_record(record)), encoding="utf-8")
        moves = progress.outcomes[number].moves
        found.append(WorstGame(number, rival, value, moves, record, shown))
    return tuple(found)


def _sentence(c: Comparison) -> str:
    low, high = c.ci95
    word = {True: "better than", False: "worse than", None: "no clear difference from"}[c.better]
    if c.measure == "shots":
        numbers = f"{c.value:+.2f} shots (95 % {low:+.2f} to {high:+.2f})"
    else:
        elo = "" if c.elo is None else f", {c.elo:+.0f} Elo"
        numbers = f"{c.value:.1%} (95 % {low:.1%} to {high:.1%}{elo})"
    return f"{word} {c.reference}: {numbers}, p = {c.p_value:.2g}"


def _new_path(game: str) -> Path:
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")[:-3]
    return Path("runs/evaluate") / f"{game}-{stamp}"
