"""The report of a match as plain data."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import trireme
from trireme.arena.forfeit_causes import ForfeitCause, ForfeitReport, forfeit_causes
from trireme.arena.match import Match, Place
from trireme.arena.outcome import Outcome, results_hash
from trireme.arena.pairings import TournamentFormat
from trireme.arena.run import Progress
from trireme.arena.schedule import Fixture, final_places
from trireme.arena.standing import (
    SIGNIFICANT,
    Difference,
    Duel,
    FirstSeat,
    ScoredGame,
    ScoreStanding,
    ShotsStanding,
    one_seat_standings,
    two_seat_standings,
)
from trireme.arena.statistics.payoff import PayoffAnalysis, analyse_payoffs
from trireme.arena.statistics.sprt import pair_counts
from trireme.core.options import settings


@dataclass(frozen=True)
class AgentReport:
    """One agent's line."""

    name: str
    spec: str | None
    place: Place
    """Where it ran: shipped, isolated, in-process or external."""
    games: int
    time_per_move: float
    """Seconds, the mean over all its decisions."""
    forfeits: int
    timed: bool
    """Whether its results depend on time: by a clock of its own, or by the match's budget."""
    standing: ScoreStanding | ShotsStanding


@dataclass(frozen=True)
class PlaceReport:
    """One agent's place in a tournament."""

    agent: str
    result: str


@dataclass(frozen=True)
class SprtReport:
    """The state of the sequential test."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    llr: float
    bounds: tuple[float, float]
    pairs: int
    counts: tuple[int, ...]
    """Pairs that gave 0, ½, 1, 1½ and 2 points to the first agent."""
    repeated: int
    """Pairs that repeat earlier ones move by move and count no more."""
    verdict: str | None


@dataclass(frozen=True)
class Report:
    """A match and its results."""

    game: str
    settings: dict[str, Any]
    seats: int
    seed: int
    seconds: float | None
    gauntlet: bool
    format: TournamentFormat
    agents: tuple[AgentReport, ...]
    """Best first."""
    duels: tuple[Duel, ...]
    differences: tuple[Difference, ...]
    first_seat: FirstSeat | None
    places: tuple[PlaceReport, ...]
    """The final places of a Swiss or knockout tournament, best first."""
    payoff: PayoffAnalysis | None
    """Alpha-rank and cycles, where three agents or more played each other."""
    sprt: SprtReport | None
    forfeits: tuple[ForfeitReport, ...]
    forfeit_causes: tuple[ForfeitCause, ...]
    notes: tuple[str, ...]
    games: int
    scheduled: int
    complete: bool
    schedule_hash: str
    results_hash: str
    version: str


def build_report(progress: Progress, schedule_hash: str) -> Report:
    """The report of a match, finished or not, from the games that count."""
    match, outcomes = progress.match, progress.counted
    fixtures = {f.number: f for f in progress.fixtures}
    rows = rows_of(match, fixtures, outcomes)
    duels: tuple[Duel, ...] = ()
    differences: tuple[Difference, ...] = ()
    first_seat: FirstSeat | None = None
    notes: tuple[str, ...] = ()
    standings: Mapping[str, ScoreStanding | ShotsStanding]
    if match.game.seats == 1:
        standings, differences = one_seat_standings(match.names, rows)
    else:
        table = two_seat_standings(match.names, rows)
        standings, duels = table.scores, table.duels
        first_seat, notes = table.first_seat, table.notes
    forfeits = tuple(_forfeits(match, fixtures, outcomes))
    return Report(
        game=match.game.name,
        settings=settings(match.game),
        seats=match.game.seats,
        seed=match.seed,
        seconds=match.seconds,
        gauntlet=match.gauntlet,
        format=match.format,
        agents=_agents(match, fixtures, outcomes, standings, forfeits),
        duels=duels,
        differences=differences,
        first_seat=first_seat,
        places=_places(progress),
        payoff=_payoff(match, duels),
        sprt=_sprt(progress),
        forfeits=forfeits,
        forfeit_causes=forfeit_causes(forfeits),
        notes=(*_progress_notes(progress), *notes),
        games=len(outcomes),
        scheduled=progress.scheduled,
        complete=progress.complete,
        schedule_hash=schedule_hash,
        results_hash=results_hash(outcomes.values()),
        version=trireme.__version__,
    )


def rows_of(
    match: Match, fixtures: Mapping[int, Fixture], outcomes: Mapping[int, Outcome]
) -> list[ScoredGame]:
    """Finished games as the statistics take them, in schedule order."""
    return [
        ScoredGame(
            tuple(match.names[i] for i in fixtures[number].seats),
            outcome.returns,
            fixtures[number].round,
            outcome.fingerprint,
        )
        for number, outcome in sorted(outcomes.items())
    ]


def to_plain(report: Report) -> dict[str, Any]:
    """The report as JSON values: what `trireme arena --json` prints."""
    plain = asdict(report)
    plain["agents"] = [
        {**{k: v for k, v in asdict(a).items() if k != "standing"}, **asdict(a.standing)}
        for a in report.agents
    ]
    for key in ("first_seat", "payoff", "sprt"):
        if plain[key] is None:
            del plain[key]
    del plain["differences" if report.seats == 2 else "duels"]
    found: dict[str, Any] = finite(plain)
    return found


def finite(value: Any) -> Any:
    """JSON has no infinity: a bound that is not known is null."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _agents(
    match: Match,
    fixtures: Mapping[int, Fixture],
    outcomes: Mapping[int, Outcome],
    standings: Mapping[str, ScoreStanding | ShotsStanding],
    forfeits: Iterable[ForfeitReport],
) -> tuple[AgentReport, ...]:
    seconds: defaultdict[str, float] = defaultdict(float)
    decisions: Counter[str] = Counter()
    for number, outcome in outcomes.items():
        for seat, index in enumerate(fixtures[number].seats):
            name = match.names[index]
            seconds[name] += outcome.seconds[seat]
            decisions[name] += outcome.decisions[seat]
    faults = Counter(f.agent for f in forfeits)
    specs = {e.name: e.spec for e in match.entrants}
    timed = timed_agents(match)
    places = dict(zip(match.names, match.places, strict=True))
    return tuple(
        AgentReport(
            name,
            specs[name],
            places[name],
            standing.games,
            seconds[name] / decisions[name] if decisions[name] else 0.0,
            faults[name],
            name in timed,
            standing,
        )
        for name, standing in standings.items()
    )


def timed_agents(match: Match) -> list[str]:
    """The agents whose results depend on time."""
    return [e.name for e in match.entrants if match.seconds is not None or e.timed(match.game)]


def _forfeits(
    match: Match, fixtures: Mapping[int, Fixture], outcomes: Mapping[int, Outcome]
) -> Iterable[ForfeitReport]:
    for number, outcome in sorted(outcomes.items()):
        for forfeit in outcome.forfeits:
            name = match.names[fixtures[number].seats[forfeit.seat]]
            yield ForfeitReport(number, name, forfeit.reason, forfeit.detail)


def _places(progress: Progress) -> tuple[PlaceReport, ...]:
    match = progress.match
    places = final_places(match, progress.fixtures, progress.outcomes)
    return tuple(PlaceReport(match.names[place.agent], place.result) for place in places)


def _payoff(match: Match, duels: Iterable[Duel]) -> PayoffAnalysis | None:
    if match.game.seats != 2 or len(match.entrants) < 3:
        return None
    decided = [duel for duel in duels if duel.p_value < SIGNIFICANT]
    winners = [d.agents if d.score > 0.5 else (d.agents[1], d.agents[0]) for d in decided]
    return analyse_payoffs(match.names, winners)


def _sprt(progress: Progress) -> SprtReport | None:
    test = progress.test
    if test is None:
        return None
    counts = pair_counts(test.scores)
    return SprtReport(
        test.rule.elo0,
        test.rule.elo1,
        test.rule.alpha,
        test.rule.beta,
        test.rule.llr(counts),
        test.rule.bounds,
        len(test.scores),
        tuple(int(c) for c in counts),
        test.repeated,
        test.verdict,
    )


def _progress_notes(progress: Progress) -> Iterable[str]:
    if not progress.complete:
        yield (
            f"The match was stopped after {len(progress.outcomes)} of {progress.scheduled} games."
        )
    match = progress.match
    if match.seconds is not None:
        yield (
            "Agents were given a time budget: those that use the clock may play otherwise on"
            " another machine."
        )
    elif timed := timed_agents(match):
        yield (
            f"Timed: {', '.join(timed)}. A clock of their own limits these agents: they may play"
            " otherwise on another machine, or when this one is busy."
        )
