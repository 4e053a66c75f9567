"""A review as one HTML page that needs no other file and no script."""

from __future__ import annotations

from html import escape
from itertools import cycle

from trireme import __version__

from .record import Record
from .registry import draw_text
from .review import Review, ReviewedMove, SeatReview
from .svg_plot import COLOURS, STYLE, Series, figure, line_chart

_STYLE = """
:root { color-scheme: light dark; --ink: #14213d; --soft: #5c6579; --line: #e4dfd3;
  --paper: #fffdf9; --sand: #f6f2e9; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e3da; --soft: #9aa2b5; --line: #2a3348;
  --paper: #161d2e; --sand: #0e1420; } }
body { margin: 0 auto; max-width: 1000px; padding: 24px; background: var(--sand);
  color: var(--ink); font: 15px/1.55 ui-sans-serif, system-ui, sans-serif;
  font-variant-numeric: tabular-nums; }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 12px;
  padding: 20px 24px; margin: 18px 0; overflow-x: auto; }
h1, h2 { line-height: 1.25; margin: 0 0 8px; }
p { max-width: 78ch; color: var(--soft); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: 5px 10px; border-bottom: 1px solid var(--line); }
th { font-size: 13px; color: var(--soft); }
td.number, th.number { text-align: right; }
pre { font: 13px/1.3 ui-monospace, monospace; overflow-x: auto; }
"""


def review_page(review: Review, record: Record) -> str:
    """The page: accuracies, curves, the moments with their positions, and all decisions."""
    title = f"Review of {review.game}: {' – '.join(review.players)}"
    parts = [_seats(review), _curves(review), _moments(review, record), _decisions(review)]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}{_STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1><p>{escape(review.about)}</p>{''.join(parts)}"
        f"<p>Trireme {escape(__version__)}</p></body></html>\n"
    )


def review_tables(review: Review) -> str:
    """The review for a notebook: accuracies, curves and all decisions, without the positions."""
    return f"<style>{STYLE}</style>{_seats(review)}{_curves(review)}{_decisions(review)}"


def written_cost(review: Review, cost: float) -> str:
    """A cost or a luck with its unit: percent for winning chances, else a number.

    >>> from types import SimpleNamespace
    >>> written_cost(SimpleNamespace(unit="winning chance"), 0.125)
    '12.5 %'
    >>> written_cost(SimpleNamespace(unit="shots"), 0.125)
    '0.12'
    """
    return f"{100 * cost:.1f} %" if review.unit == "winning chance" else f"{cost:.2f}"


def written_percent(value: float | None) -> str:
    """An accuracy, or a dash where there is none."""
    return "–" if value is None else f"{value:.1f} %"


def explanation(move: ReviewedMove) -> str:
    """The note with the proof lines, as one text."""
    parts = [move.note] if move.note else []
    parts += [f"the win: {' '.join(move.missed)}"] if move.missed else []
    parts += [f"the answer: {' '.join(move.allowed)}"] if move.allowed else []
    if move.missed or move.allowed:
        parts.append("verified" if move.verified else "found by search, not verified")
    return "; ".join(parts)


def _seats(review: Review) -> str:
    rows = [_seat(review, seat) for seat in review.seats]
    heads = ("player", "accuracy", "decisions", f"{review.unit} lost", "luck")
    return f"<section><h2>Accuracy</h2>{_table(heads, rows)}</section>"


def _seat(review: Review, seat: SeatReview) -> list[str]:
    luck = "–" if seat.luck is None else written_cost(review, seat.luck)
    cost = written_cost(review, seat.cost)
    return [seat.name, written_percent(seat.accuracy), str(seat.decisions), cost, luck]


def _curves(review: Review) -> str:
    series = [
        Series(f"{seat.name} (seat {seat.seat})", seat.curve, colour)
        for seat, colour in zip(review.seats, cycle(COLOURS), strict=False)
        if seat.curve
    ]
    if not series:
        return ""
    chart = line_chart(
        series, 900, 300, title=review.curve, x_label="moves", legend=200, from_zero=True
    )
    return f"<section>{figure(900, 300, [chart], review.curve)}</section>"


def _moments(review: Review, record: Record) -> str:
    if not review.moments:
        return "<section><h2>Moments</h2><p>No decision cost much.</p></section>"
    states = list(record.states())
    parts = []
    for number, index in enumerate(review.moments, 1):
        move = review.moves[index]
        drawn = draw_text(record.game, states[move.move - 1], move.seat)
        parts.append(
            f"<h3>{number}. Move {move.move}, {escape(review.players[move.seat])}:"
            f" {escape(move.played)} costs {written_cost(review, move.cost)}</h3>"
            f"<p>Better: {escape(move.best)}. {escape(explanation(move))}</p>"
            f"<pre>{escape(drawn)}</pre>"
        )
    return f"<section><h2>Moments that mattered</h2>{''.join(parts)}</section>"


def _decisions(review: Review) -> str:
    heads = ("move", "player", "played", "best", f"{review.unit} lost", "accuracy", "")
    rows = [
        [
            str(move.move),
            review.players[move.seat],
            move.played,
            move.best,
            written_cost(review, move.cost),
            written_percent(move.accuracy),
            explanation(move),
        ]
        for move in review.moves
    ]
    return f"<section><h2>All decisions</h2>{_table(heads, rows)}</section>"


def _table(heads: tuple[str, ...], rows: list[list[str]]) -> str:
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{top}</tr>{body}</table>"
