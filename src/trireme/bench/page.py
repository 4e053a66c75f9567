"""Results for people: tables for a terminal, and one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from trireme import __version__

from .results import BenchResults, BenchRun, TaskSummary, counters, summaries
from .tasks import LADDER, task_sizes

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
    "color:#1b2a3a;background:#fff}table{border-collapse:collapse;margin:1rem 0}"
    "th,td{padding:.3rem .7rem;border-bottom:1px solid #d7dee6;text-align:right}"
    "th:first-child,td:first-child{text-align:left}small{color:#5b6b7b}"
    "@media(prefers-color-scheme:dark){body{background:#10202e;color:#e6edf3}"
    "th,td{border-color:#2c4256}small{color:#9fb1c1}}"
)
HEADS = ("agent", "version", "legal", "retries", "forfeits", "seconds a move", "tokens", "cost")


def tables(results: BenchResults) -> list[tuple[str, list[str], list[list[str]]]]:
    """For each game a title, column heads and rows: a row for each agent."""
    made = []
    for game in LADDER:
        runs = [run for run in results.runs if run.game == game]
        if not runs:
            continue
        found = {run.agent: {s.task: s for s in summaries(run)} for run in runs}
        tasks = [t for t in task_sizes(game) if any(t in by_task for by_task in found.values())]
        rows = [[run.agent, *(_cell(found[run.agent].get(task)) for task in tasks)] for run in runs]
        made.append((game, ["agent", *tasks], rows))
        made.append((f"{game}: conduct", list(HEADS), [_conduct(run) for run in runs]))
    return made


def html_page(results: BenchResults) -> str:
    """The page; it needs no other file and no script."""
    parts = [_html_table(*table) for table in tables(results)]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Trireme benchmark</title><style>{_STYLE}</style></head><body>"
        f"<h1>Benchmark, version {results.bench} of the tasks</h1>"
        "<p><small>Intervals are 95 %. Shots and regret: fewer is better; all else: more is "
        f"better.</small></p>{''.join(parts)}<p><small>Trireme {escape(__version__)}</small></p>"
        "</body></html>\n"
    )


def markdown(results: BenchResults) -> str:
    """The tables for a page of documentation."""
    lines: list[str] = []
    for title, heads, rows in tables(results):
        lines += [f"**{title}**", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
        lines += [f"| {' | '.join(row)} |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def _html_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<h2>{escape(title)}</h2><table><tr>{head}</tr>{body}</table>"


def _cell(summary: TaskSummary | None) -> str:
    """An estimate with its interval and the number of items."""
    if summary is None:
        return "–"
    if summary.unit == "shots":
        return f"{summary.value:.1f} ({summary.note}; {summary.items})"
    if summary.unit == "regret":
        span = f"{summary.low:.2f}–{summary.high:.2f}"
        return f"{summary.value:.2f} ({span}; {summary.items})"
    span = f"{100 * summary.low:.0f}–{100 * summary.high:.0f}"
    return f"{100 * summary.value:.0f} % ({span}; {summary.items})"


def _conduct(run: BenchRun) -> list[str]:
    found = counters(run)
    pace = found["seconds"] / max(found["decisions"], 1)
    tokens = f"{found['tokens_in']:.0f} + {found['tokens_out']:.0f}" if found["requests"] else "–"
    return [
        run.agent,
        run.version or "–",
        f"{100 * found['legal']:.1f} %",
        f"{found['retries']:.2f}",
        f"{found['forfeits']:.0f}",
        f"{pace:.3f}",
        tokens,
        f"${found['cost']:.2f}" if found["cost"] else "–",
    ]
