"""Tables of the report's page: who beat whom, the sequential test, forfeits, all games."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from trireme.arena.diagnosis import Diagnosis
from trireme.arena.forfeit_causes import REASON_WORDS, ForfeitCause
from trireme.arena.run import Progress
from trireme.arena.standing import SIGNIFICANT, Duel

from .build import Report

LISTED = 1000
"""Games that the page lists; the rest is in results.jsonl."""
EXPLAINED = 200


def cross_table(report: Report) -> str:
    """The score of every agent against every other."""
    if not report.duels:
        return ""
    names = [a.name for a in report.agents]
    duels = {d.agents: d for d in report.duels}
    # In a gauntlet all but one column would be empty.
    columns = [report.duels[0].agents[0]] if report.gauntlet else names
    top = "".join(f"<th>{escape(name)}</th>" for name in columns)
    rows = []
    for row in names:
        cells = "".join(_cross_cell(duels, row, col) for col in columns)
        if not report.gauntlet or row not in columns:
            rows.append(f"<tr><td>{escape(row)}</td>{cells}</tr>")
    return (
        "<section><h2>Cross table</h2><p>The score of the agent on the left against the one"
        " above, with wins, draws and losses. A star marks a difference that is significant (p &lt;"
        f" {SIGNIFICANT:g} after Holm's correction for all pairings).</p>"
        f'<table class="cross"><tr><th></th>{top}</tr>{"".join(rows)}</table></section>'
    )


def _cross_cell(duels: dict[tuple[str, str], Duel], row: str, col: str) -> str:
    duel = duels.get((row, col)) or duels.get((col, row))
    if row == col or duel is None:
        return '<td style="background:var(--sand)"></td>'
    ours = duel.agents[0] == row
    score = duel.score if ours else 1 - duel.score
    wins, losses = (duel.wins, duel.losses) if ours else (duel.losses, duel.wins)
    low, high = duel.score_ci95 if ours else (1 - duel.score_ci95[1], 1 - duel.score_ci95[0])
    star = " ★" if duel.p_value < SIGNIFICANT else ""
    depth = abs(score - 0.5) * 1.5
    colour = f"rgb(31 111 139 / {depth:.0%})" if score > 0.5 else f"rgb(200 85 61 / {depth:.0%})"
    ratio = "" if duel.variance_ratio is None else f"; variance of pairs ×{duel.variance_ratio:.2f}"
    title = f"95 % from {low:.1%} to {high:.1%}; p = {duel.p_value:.2g}{ratio}"
    return (
        f'<td style="background:{colour}" title="{title}"><b>{score:.0%}{star}</b>'
        f'<span class="soft">{wins} · {duel.draws} · {losses}</span></td>'
    )


def places(report: Report) -> str:
    """The final places of a Swiss or knockout tournament."""
    if not report.places:
        return ""
    rows = "".join(
        f'<tr><td>{number}</td><td class="agent">{escape(place.agent)}</td>'
        f'<td class="left">{escape(place.result)}</td></tr>'
        for number, place in enumerate(report.places, start=1)
    )
    return (
        "<section><h2>Final places</h2><table><tr><th>place</th><th>agent</th>"
        f'<th class="left">result</th></tr>{rows}</table></section>'
    )


def differences(report: Report) -> str:
    """Shots of agents that play alone, compared fleet by fleet."""
    if not report.differences:
        return ""
    rows = []
    for difference in report.differences:
        better, worse = difference.agents if difference.shots <= 0 else difference.agents[::-1]
        low, high = sorted(
            abs(s) if difference.shots * s > 0 else -abs(s) for s in difference.shots_ci95
        )
        star = " ★" if difference.p_value < SIGNIFICANT else ""
        rows.append(
            f'<tr><td class="agent">{escape(better)}</td><td class="left">{escape(worse)}</td>'
            f"<td>{difference.games}</td><td><b>{abs(difference.shots):.2f}{star}</b></td>"
            f"<td><small>{low:.2f} … {high:.2f}</small></td><td>{difference.p_value:.2g}</td></tr>"
        )
    return (
        "<section><h2>Compared on the same fleets</h2><p>Shots that the first agent saves against"
        " the second, fleet by fleet, with bootstrap intervals over fleets. A star marks a"
        " significant difference (after Holm's correction).</p><table><tr><th>agent</th>"
        '<th class="left">against</th><th>fleets</th><th>shots saved</th><th>95 %</th><th>p</th>'
        f"</tr>{''.join(rows)}</table></section>"
    )


def sprt(report: Report) -> str:
    """The sequential test: hypotheses, verdict, and the log-likelihood ratio between its bounds."""
    test = report.sprt
    if test is None:
        return ""
    low, high = test.bounds
    share = min(1.0, max(0.0, (test.llr - low) / (high - low)))
    first, second = (escape(a) for a in _test_names(report))
    answer = {
        "stronger": f"{first} is stronger than {second} by {test.elo1:g} Elo rather than"
        f" {test.elo0:g}.",
        "not stronger": f"{first} is not stronger than {second} by {test.elo1:g} Elo; {test.elo0:g}"
        " fits better.",
        None: "Undecided: more games are needed.",
    }[test.verdict]
    counts = "".join(f"<td>{c}</td>" for c in test.counts)
    return (
        f"<section><h2>Sequential test (pentanomial GSPRT)</h2><p>{test.elo0:g} against"
        f" {test.elo1:g} Elo, error rates {test.alpha:g} and {test.beta:g}, over"
        f" pairs of games in schedule order{_left_out(test.repeated)}.</p>"
        f'<p class="verdict">{answer}</p><div class="gauge"><i style="left:{share:.1%}"></i></div>'
        f'<div class="ends"><span>{low:.2f}: not stronger</span><span>log-likelihood ratio'
        f" {test.llr:.2f}</span><span>{high:.2f}: stronger</span></div>"
        "<table><tr><th>points of a pair</th><th>0</th><th>½</th><th>1</th><th>1½</th><th>2</th>"
        f"</tr><tr><td>pairs</td>{counts}</tr></table></section>"
    )


def _left_out(repeated: int) -> str:
    return f"; {repeated} pairs that repeat earlier ones move by move are left out" * bool(repeated)


def _test_names(report: Report) -> tuple[str, str]:
    if report.duels:
        return report.duels[0].agents
    return report.agents[0].name, report.agents[-1].name


def forfeits(report: Report, diagnoses: Mapping[int, Diagnosis]) -> str:
    """Every forfeited game, and why; `diagnoses` by game, of the first game of every cause."""
    if not report.forfeits:
        return ""
    causes = "".join(_cause(cause, diagnoses.get(cause.first)) for cause in report.forfeit_causes)
    rows = "".join(
        f"<tr><td>{_record_link(f.game)} {_diagnosis_link(f.game)}</td>"
        f'<td class="left">{escape(f.agent)}</td>'
        f'<td class="left"><span class="tag">{escape(f.reason)}</span></td>'
        f'<td class="detail">{escape(f.detail)}</td></tr>'
        for f in report.forfeits[:EXPLAINED]
    )
    shown = min(EXPLAINED, len(report.forfeits))
    return (
        f"<section><h2>Forfeits</h2><p>{len(report.forfeits)} games ended by an agent's own fault."
        " They count as lost; the match went on.</p><table><tr><th>agent</th><th class='left'>"
        "reason</th><th class='left'>what happened</th><th>games</th><th>first</th></tr>"
        f"{causes}</table><br>"
        f"<details{' open' if shown <= 40 else ''}>"
        f"<summary>Each of them ({shown} of {len(report.forfeits)})</summary>"
        '<table class="games"><tr><th>game</th><th class="left">agent</th><th class="left">reason'
        f'</th><th class="left">detail</th></tr>{rows}</table></details></section>'
    )


def _cause(cause: ForfeitCause, diagnosis: Diagnosis | None) -> str:
    words = REASON_WORDS.get(cause.reason, "broke the rules")
    row = (
        f'<tr><td class="agent">{escape(cause.agent)}</td><td class="left"><span class="tag">'
        f'{escape(cause.reason)}</span></td><td class="left">{words}: {escape(cause.detail)}'
    )
    for seat in () if diagnosis is None else diagnosis.seats:
        for title, text in (("traceback", seat.traceback), ("output", seat.output)):
            if seat.agent == cause.agent and text:
                row += f"<details><summary>{title}</summary><pre>{escape(text)}</pre></details>"
    return f"{row}</td><td>{cause.games}</td><td>{_record_link(cause.first)}</td></tr>"


def games(report: Report, progress: Progress) -> str:
    """All games with links to their records."""
    names, counted = progress.match.names, progress.counted
    rows: list[str] = []
    for fixture in progress.fixtures:
        outcome = counted.get(fixture.number)
        if outcome is None or len(rows) >= LISTED:
            continue
        seats = "".join(f'<td class="left">{escape(names[i])}</td>' for i in fixture.seats)
        result = f"{-outcome.returns[0]:g} shots" if report.seats == 1 else _result(outcome.returns)
        note = f'<span class="tag">{outcome.forfeits[0].reason}</span>' if outcome.forfeits else ""
        rows.append(
            f"<tr><td>{_record_link(fixture.number)}</td><td>{fixture.round}</td>{seats}"
            f"<td>{result} {note}</td><td>{outcome.moves}</td></tr>"
        )
    heads = "".join(
        f"<th{' class=left' if 'seat' in h else ''}>{h}</th>"
        for h in (
            *("game", "round"),
            *(("agent's seat",) if report.seats == 1 else ("first seat", "second seat")),
            *("result", "moves"),
        )
    )
    return (
        "<section><h2>Games</h2><p>Every game has a record that replays exactly:"
        " <code>trireme replay records/000000.jsonl</code> in this folder, or all in the browser:"
        " <code>trireme arena --resume . --open</code>. Games of one round share their start.</p>"
        f"<details><summary>The first {len(rows)} of {report.games} games</summary>"
        f'<table class="games"><tr>{heads}</tr>{"".join(rows)}</table></details></section>'
    )


def _result(returns: tuple[float, ...]) -> str:
    if returns[0] == returns[1]:
        return "½ : ½"
    return "1 : 0" if returns[0] > returns[1] else "0 : 1"


def _record_link(number: int) -> str:
    return f'<a href="records/{number:06d}.jsonl">{number:06d}</a>'


def _diagnosis_link(number: int) -> str:
    return f'<a href="records/{number:06d}.diagnosis.json">diagnosis</a>'
