"""The page of an evaluation: comparisons, a histogram and the worst games, in one HTML file."""

from __future__ import annotations

from html import escape
from pathlib import Path

from trireme.core.svg_plot import COLOURS, STYLE

from .evaluation import Comparison, Evaluation, WorstGame
from .outcome import Outcome
from .report.plots import Distribution, distributions
from .run import Progress

_STYLE = Path(__file__).with_name("report") / "page.css"
_WORDS = {True: "better", False: "worse", None: "open"}


def write_page(found: Evaluation, progress: Progress) -> None:
    """Write the page into the evaluation's folder."""
    title = f"{found.agent} in {found.game}"
    css = _STYLE.read_text(encoding="utf-8")
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{css}</style></head>"
        f"<body><header><div><h1>{escape(title)}</h1><p>{escape(_headline(found))}</p></div>"
        f"</header><main>{body(found)}{_histogram(found, progress)}</main>"
        f"<footer>Trireme {escape(found.report.version)} · intervals are 95 %</footer>"
        "</body></html>\n"
    )
    found.page.write_text(text, encoding="utf-8")


def body(found: Evaluation) -> str:
    """Comparisons and worst games, as the page and a notebook show them."""
    return (
        f"<section><h2>Compared on equal starts</h2><p>{escape(_headline(found))}</p>"
        f"{_comparisons(found)}</section><section><h2>Worst games</h2>{_worst(found)}"
        '<p>All games: <a href="report.html">report.html</a>, or'
        f" <code>trireme arena --resume {escape(str(found.folder))} --open</code>.</p></section>"
    )


def _headline(found: Evaluation) -> str:
    low, high = found.ci95
    if found.report.seats == 1:
        mean = f"{found.mean:.2f} shots on average ({low:.2f} to {high:.2f})"
    else:
        mean = f"scores {found.mean:.1%} ({low:.1%} to {high:.1%}) over all references"
    return f"{found.agent}: {mean}, {found.games} games each, seed {found.seed}"


def _comparisons(found: Evaluation) -> str:
    kind = "shots more or less" if found.report.seats == 1 else "score"
    elo = () if found.report.seats == 1 else ("Elo",)
    heads = ("reference", "games", kind, "95 %", *elo, "p", "the agent is")
    rows = "".join(_comparison(c) for c in found.comparisons)
    top = "".join(f"<th>{head}</th>" for head in heads)
    return f"<table><tr>{top}</tr>{rows}</table>"


def _comparison(c: Comparison) -> str:
    form = "+.2f" if c.measure == "shots" else ".1%"
    low, high = c.ci95
    cells = [str(c.games), f"<b>{c.value:{form}}</b>", f"{low:{form}} … {high:{form}}"]
    if c.measure == "score":
        cells.append("–" if c.elo is None else f"{c.elo:+.0f}")
    cells += [f"{c.p_value:.2g}", _WORDS[c.better]]
    row = "".join(f"<td>{cell}</td>" for cell in cells).replace("-", "−")
    return f'<tr><td class="agent">{escape(c.reference)}</td>{row}</tr>'


def _worst(found: Evaluation) -> str:
    if not found.worst:
        return "<p>None: every game was won.</p>"
    rows = "".join(_worst_row(game) for game in found.worst)
    kind = "shots" if found.report.seats == 1 else "points"
    return (
        f"<table><tr><th>game</th><th>against</th><th>{kind}</th><th>moves</th><th>film</th>"
        f"<th>again</th></tr>{rows}</table>"
    )


def _worst_row(game: WorstGame) -> str:
    name = f"{game.number:06d}"
    return (
        f'<tr><td><a href="records/{name}.jsonl">{name}</a></td>'
        f'<td class="left">{escape(game.opponent or "–")}</td><td>{game.value:g}</td>'
        f'<td>{game.moves}</td><td><a href="films/{name}.html">watch</a></td>'
        f"<td><code>trireme debug . {game.number}</code></td></tr>"
    )


def _histogram(found: Evaluation, progress: Progress) -> str:
    alone = found.report.seats == 1
    values: dict[str, list[float]] = {}
    for fixture in progress.fixtures:
        outcome = progress.outcomes[fixture.number]
        name = progress.match.names[fixture.seats[0]] if alone else _end(fixture.seats, outcome)
        length = -outcome.returns[0] if alone else float(outcome.moves)
        values.setdefault(name, []).append(length)
    spreads = [
        Distribution(name, COLOURS[i % len(COLOURS)], found_values)
        for i, (name, found_values) in enumerate(values.items())
    ]
    axis = "shots" if alone else "moves"
    title = "Distribution of shots" if alone else "Length of games won, drawn and lost"
    return f"<section><h2>{title}</h2>{distributions(spreads, axis)}</section>"


def _end(seats: tuple[int, ...], outcome: Outcome) -> str:
    """How a game ended for the evaluated agent."""
    ours = outcome.returns[seats.index(0)]
    return "won" if ours > 0 else "lost" if ours < 0 else "drawn"
