"""The plots of an arena report: points with intervals, histograms, and a bar of shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from trireme.core.svg_plot import Scale, figure, linear_scale, log_scale, number, text, x_axis

WIDTH = 860
LABELS = 190
"""Pixels at the left for the names of agents."""
RIGHT = 96
ROW = 38
TALL = 58
"""Pixels of a histogram's row."""
SHORTEST = 1e-7
"""Seconds at which the axis of times begins at the latest."""


@dataclass(frozen=True)
class IntervalRow:
    """One agent in a plot of points with intervals."""

    name: str
    colour: str
    value: float
    low: float
    high: float
    label: str
    hover: str


@dataclass(frozen=True)
class Distribution:
    """One agent in a plot of distributions."""

    name: str
    colour: str
    values: Sequence[float]


def intervals(lines: Sequence[IntervalRow], axis: str, *, log: bool = False) -> str:
    """A point and its interval for each agent, on one axis; logarithmic ones are of seconds."""
    ends = [e for line in lines for e in (line.low, line.high, line.value) if math.isfinite(e)]
    place = (
        log_scale(ends, LABELS, WIDTH - RIGHT, SHORTEST)
        if log
        else linear_scale(ends, LABELS, WIDTH - RIGHT, 0.06)
    )
    form = duration if log else number
    parts = [x_axis(place, 6, len(lines) * ROW + 8, axis, form=form)]
    for row, line in enumerate(lines):
        y = row * ROW + 26
        low = line.low if math.isfinite(line.low) else min(ends)
        high = line.high if math.isfinite(line.high) else max(ends)
        parts.append(
            f"<g><title>{escape(line.hover)}</title>{_name(line.name, y)}"
            f'<line x1="{place(low):.1f}" x2="{place(high):.1f}" y1="{y}" y2="{y}" class="series"'
            f' stroke="{line.colour}" stroke-width="9" stroke-linecap="round" opacity=".3"/>'
            f'<circle cx="{place(line.value):.1f}" cy="{y}" r="6.5" class="series"'
            f' fill="{line.colour}"/>'
            f"{text(line.label, WIDTH - RIGHT + 16, y + 5, 'title')}</g>"
        )
    return figure(WIDTH, len(lines) * ROW + 46, parts, axis)


def distributions(spreads: Sequence[Distribution], axis: str) -> str:
    """A histogram for each agent, one under another on one axis, with median and mean."""
    values = np.concatenate([np.asarray(s.values, float) for s in spreads])
    low, high = float(values.min()), float(values.max())
    width = max(1, math.ceil((high - low + 1) / 60))
    edges = np.arange(math.floor(low), math.floor(high) + width + 1, width) - 0.5
    place = Scale(float(edges[0]), float(edges[-1]), LABELS, WIDTH - RIGHT)
    counts = [np.histogram(s.values, edges)[0] / max(1, len(s.values)) for s in spreads]
    highest = max(float(c.max()) for c in counts) or 1.0
    parts = [x_axis(place, 6, len(spreads) * TALL + 10, axis)]
    for row, (spread, shares) in enumerate(zip(spreads, counts, strict=True)):
        base = (row + 1) * TALL + 8
        parts.append(_name(spread.name, base - 14))
        for edge, share in zip(edges, shares, strict=False):
            if share > 0:
                x, end = place(float(edge)), place(float(edge) + width)
                size = share / highest * (TALL - 14)
                title = _bin_title(edge, width, share)
                parts.append(
                    f'<rect x="{x:.1f}" y="{base - size:.1f}" width="{max(end - x - 1, 0.8):.1f}"'
                    f' height="{size:.1f}" rx="1.5" class="series" fill="{spread.colour}"'
                    f' opacity=".8"><title>{title}</title></rect>'
                )
        parts.append(_median(spread, place, base))
    return figure(WIDTH, len(spreads) * TALL + 48, parts, axis)


def shares(wins: int, draws: int, losses: int, words: tuple[str, str, str]) -> str:
    """One bar of wins, draws and losses."""
    total = max(1, wins + draws + losses)
    x, parts = 0.0, []
    for count, colour, word in zip(
        (wins, draws, losses), ("#1f6f8b", "#d8d2c4", "#c8553d"), words, strict=True
    ):
        size = count / total * WIDTH
        ink = "#14213d" if colour == "#d8d2c4" else "#fff"
        inside = f"{word} {count}" if size > 90 else str(count) if size > 26 else ""
        parts.append(
            f'<g><title>{word}: {count} ({count / total:.1%})</title><rect x="{x:.1f}" y="0"'
            f' width="{size:.1f}" height="34" fill="{colour}"/><text x="{x + size / 2:.1f}" y="22"'
            f' text-anchor="middle" class="title" style="fill:{ink}">{inside}</text></g>'
        )
        x += size
    bar = f'<g clip-path="inset(0 round 6px)">{"".join(parts)}</g>'
    return figure(WIDTH, 34, [bar], "first seat")


def _median(spread: Distribution, place: Scale, base: float) -> str:
    median = float(np.median(spread.values))
    mean = float(np.mean(spread.values))
    x = place(median)
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{base - 46}" y2="{base}" class="mark"'
        f' stroke-width="1.6" stroke-dasharray="3 3"><title>median {median:g}</title></line>'
        f"{text(f'{mean:.1f}', WIDTH - RIGHT + 16, base - 22, 'title')}"
        f"{text(f'median {median:g}', WIDTH - RIGHT + 16, base - 7, 'small')}"
    )


def _bin_title(edge: float, width: int, share: float) -> str:
    first = math.ceil(edge)
    last = first + width - 1
    return f"{first if width == 1 else f'{first}–{last}'}: {share:.1%} of games"


def _name(name: str, y: float) -> str:
    """An agent's name at the left, cut where it is long; the whole one shows on hovering."""
    shown = name if len(name) <= 24 else name[:23] + "…"
    return f"<g><title>{escape(name)}</title>{text(shown, LABELS - 16, y + 5, 'title', 'end')}</g>"


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(0.0123), duration(2.5), duration(0.000004)
    ('12.3 ms', '2.5 s', '4 µs')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
