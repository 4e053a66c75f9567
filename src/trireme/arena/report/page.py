"""The report as one HTML page that needs no other file and no script."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType

import numpy as np

from trireme.arena.diagnosis import Diagnosis
from trireme.arena.run import Progress
from trireme.arena.standing import ScoreStanding, ShotsStanding
from trireme.core.intervals import Interval
from trireme.core.svg_plot import COLOURS, STYLE

from . import sections
from .build import AgentReport, Report
from .payoff_section import payoff
from .plots import Distribution, IntervalRow, distributions, duration, intervals, shares

_KINDS = {"gauntlet": "gauntlet", "swiss": "Swiss tournament", "knockout": "knockout"}
Diagnoses = Mapping[int, Diagnosis]
"""Of forfeited games, by number."""
NO_DIAGNOSES: Diagnoses = MappingProxyType({})
_STYLE = Path(__file__).with_name("page.css")


def page(report: Report, progress: Progress, diagnoses: Diagnoses = NO_DIAGNOSES) -> str:
    """The whole page; `diagnoses` are those of forfeited games."""
    title = f"{report.game}: {' · '.join(a.name for a in report.agents)}"
    return document(escape(title), sections_of(report, progress, diagnoses))


def document(title: str, body: str) -> str:
    """An HTML document in the style of reports, from a title and a body that are HTML."""
    page_css = _STYLE.read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}{page_css}</style></head><body>{body}</body></html>\n"
    )


def sections_of(report: Report, progress: Progress, diagnoses: Diagnoses = NO_DIAGNOSES) -> str:
    """The body of the page: header, all sections, footer."""
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(progress.match.names)}
    parts = (
        sections.places(report),
        _standings(report, colours),
        _notes(report),
        _ratings(report, colours),
        _shots(report, progress, colours),
        sections.sprt(report),
        sections.cross_table(report),
        payoff(report, colours),
        sections.differences(report),
        _first_seat(report, progress),
        _lengths(report, progress, colours),
        _times(report, progress, colours),
        sections.forfeits(report, diagnoses),
        sections.games(report, progress),
    )
    return (
        f"{_header(report)}<main>{''.join(parts)}</main>"
        f"<footer>Trireme {escape(report.version)} · intervals are 95 %</footer>"
    )


def _header(report: Report) -> str:
    kind = _KINDS.get(report.format, "match") if report.seats == 2 else "trial"
    budget = "none" if report.seconds is None else f"{report.seconds:g} s a move"
    facts = {
        "games": f"{report.games}" + ("" if report.complete else f" of {report.scheduled}"),
        "agents": str(len(report.agents)),
        "time budget": budget,
        "seed": str(report.seed),
        "schedule": f"<code>{report.schedule_hash}</code>",
        "results": f"<code>{report.results_hash}</code>",
    }
    shown = "".join(f"<div>{name}<b>{value}</b></div>" for name, value in facts.items())
    best = report.agents[0].name
    return (
        f"<header><div><h1>{escape(report.game.capitalize())} {kind}</h1>"
        f"<p>{escape(best)} leads {_others(len(report.agents) - 1)}"
        f'</p><div class="facts">{shown}</div></div></header>'
    )


def _others(count: int) -> str:
    return {0: "a field of one", 1: "one other agent"}.get(count, f"{count} other agents")


def _notes(report: Report) -> str:
    if not report.notes:
        return ""
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in report.notes)
    return f"<section><h2>Notes</h2>{notes}</section>"


def _standings(report: Report, colours: dict[str, str]) -> str:
    heads: tuple[str, ...]
    if report.seats == 1:
        heads = ("agent", "games", "shots, mean", "95 %", "median", "time a move", "forfeits")
    else:
        heads = (
            "agent",
            "games",
            "won",
            "drawn",
            "lost",
            "score",
            "Elo",
            "time a move",
            "forfeits",
        )
    rows = "".join(_standing(agent, colours[agent.name]) for agent in report.agents)
    top = "".join(f"<th>{h}</th>" for h in heads)
    return f"<section><h2>Standing</h2><table><tr>{top}</tr>{rows}</table></section>"


def _standing(agent: AgentReport, colour: str) -> str:
    spec = agent.spec if agent.spec not in (None, agent.name) else None
    origin = agent.place if spec is None else f"{spec} · {agent.place}"
    cells = [str(agent.games)]
    standing = agent.standing
    if isinstance(standing, ShotsStanding):
        cells += [f"<b>{standing.shots_mean:.2f}</b>", _span(standing.shots_ci95, ".2f")]
        cells.append(f"{standing.shots_median:g}")
    else:
        cells += [str(standing.wins), str(standing.draws), str(standing.losses)]
        low, high = standing.score_ci95
        cells.append(f"{standing.score:.1%}<br><small>{low:.1%} – {high:.1%}</small>")
        elo = escape(standing.elo_text.replace("-", "−"))
        ends = (
            "<small>95 % bound</small>" if standing.elo_bound else _span(standing.elo_ci95, "+.0f")
        )
        cells.append(f"<b>{elo}</b><br>{ends}")
    took = duration(agent.time_per_move) if agent.time_per_move else "–"
    cells += [took, str(agent.forfeits) if agent.forfeits else "–"]
    body = "".join(f"<td>{cell}</td>" for cell in cells)
    timed = ' <span class="tag" title="results depend on time">timed</span>' if agent.timed else ""
    return (
        f'<tr><td class="agent"><span class="dot" style="background:{colour}"></span>'
        f"{escape(agent.name)}{timed}<small>{escape(origin)}</small></td>{body}</tr>"
    )


def _span(interval: Interval, form: str) -> str:
    low, high = interval
    if not np.isfinite(low) or not np.isfinite(high):
        return "<small>too few games</small>"
    return f"<small>{low:{form}} … {high:{form}}</small>".replace("-", "−")


def _ratings(report: Report, colours: dict[str, str]) -> str:
    if report.seats == 1 or not report.games:
        return ""
    lines = []
    for agent in report.agents:
        assert isinstance(agent.standing, ScoreStanding)
        low, high = agent.standing.elo_ci95
        label = agent.standing.elo_text.replace("-", "−")
        hover = f"{agent.name}: {agent.standing.elo:+.1f} Elo, 95 % from {low:+.1f} to {high:+.1f}"
        lines.append(
            IntervalRow(
                agent.name, colours[agent.name], agent.standing.elo, low, high, label, hover
            )
        )
    return (
        "<section><h2>Ratings</h2><p>Elo on the logistic scale: a difference of d points is an"
        " expected score of 1 / (1 + 10<sup>−d/400</sup>), so 70 points are 60 %; a draw counts"
        " half. The mean of the field is 0. The bars are 95 % bootstrap intervals, resampled by"
        " start; an agent that won or lost everything has a bound in place of a rating.</p>"
        f"{intervals(lines, 'Elo')}</section>"
    )


def _shots(report: Report, progress: Progress, colours: dict[str, str]) -> str:
    if report.seats != 1 or not report.games:
        return ""
    shots = _by_agent(progress, "shots")
    spreads = [
        Distribution(a.name, colours[a.name], shots[a.name]) for a in report.agents if shots[a.name]
    ]
    lines = []
    for agent in report.agents:
        if isinstance(agent.standing, ShotsStanding) and agent.games:
            low, high = agent.standing.shots_ci95
            mean = agent.standing.shots_mean
            hover = f"{agent.name}: {mean:.2f} shots, 95 % from {low:.2f} to {high:.2f}"
            lines.append(
                IntervalRow(agent.name, colours[agent.name], mean, low, high, f"{mean:.2f}", hover)
            )
    return (
        "<section><h2>Mean number of shots</h2><p>Fewer are better. All agents met the same"
        " fleets.</p>"
        f"{intervals(lines, 'shots until the fleet is sunk')}</section>"
        "<section><h2>Distribution of shots</h2><p>The share of games that took so many shots;"
        " the dashed line is the median, the number the mean.</p>"
        f"{distributions(spreads, 'shots')}</section>"
    )


def _first_seat(report: Report, progress: Progress) -> str:
    first = report.first_seat
    if first is None or not report.games:
        return ""
    ends = Counter(np.sign(o.returns[0] - o.returns[1]) for o in progress.counted.values())
    low, high = first.score_ci95
    elo = f"{first.elo:+.0f}".replace("-", "−")
    words = ("first seat wins", "draws", "second seat wins")
    return (
        "<section><h2>First-move advantage</h2>"
        f"<p>The first seat scored <b>{first.score:.1%}</b> ({low:.1%} – {high:.1%}). Corrected for"
        f" strength, the first seat was worth <b>{elo} Elo</b>"
        f" {_span(first.elo_ci95, '+.0f')}. Every start was played from both seats, so it cancels"
        f" in the ratings.</p>{shares(ends[1], ends[0], ends[-1], words)}</section>"
    )


def _lengths(report: Report, progress: Progress, colours: dict[str, str]) -> str:
    if report.seats == 1 or not report.games:
        return ""
    lengths = _by_agent(progress, "moves")
    spreads = [
        Distribution(a.name, colours[a.name], lengths[a.name])
        for a in report.agents
        if lengths[a.name]
    ]
    return (
        "<section><h2>Length of games</h2><p>Moves in the games of each agent; the dashed line is"
        " the median, the number the mean.</p>"
        f"{distributions(spreads, 'moves')}</section>"
    )


def _times(report: Report, progress: Progress, colours: dict[str, str]) -> str:
    per_game = _by_agent(progress, "time")
    lines = []
    for agent in report.agents:
        times = per_game[agent.name]
        if times:
            low, high = np.quantile([*times, agent.time_per_move], (0.05, 0.95))
            low, high = min(low, agent.time_per_move), max(high, agent.time_per_move)
            mean = duration(agent.time_per_move)
            hover = (
                f"{agent.name}: {mean} a move; in 90 % of games {duration(low)} – {duration(high)}"
            )
            lines.append(
                IntervalRow(
                    agent.name, colours[agent.name], agent.time_per_move, low, high, mean, hover
                )
            )
    if not lines:
        return ""
    return (
        "<section><h2>Time a move</h2><p>The mean over all moves; the bar spans the means of 90 %"
        " of the games.</p>"
        f"{intervals(lines, 'time a move, logarithmic', log=True)}</section>"
    )


def _by_agent(progress: Progress, what: str) -> dict[str, list[float]]:
    """Numbers of every game, sorted to the agents that played it."""
    found: dict[str, list[float]] = defaultdict(list)
    names, counted = progress.match.names, progress.counted
    for fixture in progress.fixtures:
        outcome = counted.get(fixture.number)
        if outcome is None:
            continue
        for seat, index in enumerate(fixture.seats):
            if what == "shots":
                found[names[index]].append(-outcome.returns[seat])
            elif what == "moves":
                found[names[index]].append(outcome.moves)
            elif outcome.decisions[seat] and not outcome.forfeits:
                found[names[index]].append(outcome.seconds[seat] / outcome.decisions[seat])
    return found
