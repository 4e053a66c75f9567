"""Plots as SVG text: no script, no library, crisp on paper and on screens."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

COLOURS = (
    "#1f6f8b", "#c8553d", "#6a8d3f", "#8a5a9e", "#d29b2f", "#3d5a80", "#a0526b", "#4c9085",
)  # fmt: skip
WIDTH = 860
LABELS = 190
"""Pixels at the left for the names of agents."""
RIGHT = 96
ROW = 38


@dataclass(frozen=True)
class Line:
    """One agent in a plot of points with intervals."""

    name: str
    colour: str
    value: float
    low: float
    high: float
    label: str
    hover: str


@dataclass(frozen=True)
class Spread:
    """One agent in a plot of distributions."""

    name: str
    colour: str
    values: Sequence[float]


def intervals(lines: Sequence[Line], axis: str, *, log: bool = False) -> str:
    """A point and a whisker for each agent, on one axis."""
    ends = [e for line in lines for e in (line.low, line.high, line.value) if math.isfinite(e)]
    place, ticks = _log_axis(ends) if log else _axis(min(ends), max(ends))
    height = len(lines) * ROW + 46
    parts = [_grid(ticks, place, len(lines) * ROW + 8, _seconds if log else _number, axis)]
    for row, line in enumerate(lines):
        y = row * ROW + 26
        low = line.low if math.isfinite(line.low) else min(ends)
        high = line.high if math.isfinite(line.high) else max(ends)
        parts.append(
            f"<g><title>{escape(line.hover)}</title>{_name(line.name, y)}"
            f'<line x1="{place(low):.1f}" x2="{place(high):.1f}" y1="{y}" y2="{y}"'
            f' stroke="{line.colour}" stroke-width="9" stroke-linecap="round" opacity=".25"/>'
            f'<circle cx="{place(line.value):.1f}" cy="{y}" r="6.5" fill="{line.colour}"/>'
            f'<text x="{WIDTH - RIGHT + 16}" y="{y + 5}" class="value">{escape(line.label)}</text>'
            "</g>"
        )
    return _svg(height, parts, axis)


def distributions(spreads: Sequence[Spread], axis: str) -> str:
    """A histogram for each agent, one under another on one axis, with median and mean."""
    values = np.concatenate([np.asarray(s.values, float) for s in spreads])
    low, high = float(values.min()), float(values.max())
    width = max(1, math.ceil((high - low + 1) / 60))
    edges = np.arange(math.floor(low), math.floor(high) + width + 1, width) - 0.5
    place, ticks = _axis(float(edges[0]), float(edges[-1]), around=0.0)
    tall = 58
    counts = [np.histogram(s.values, edges)[0] / max(1, len(s.values)) for s in spreads]
    highest = max(float(c.max()) for c in counts) or 1.0
    parts = [_grid(ticks, place, len(spreads) * tall + 10, _number, axis)]
    for row, (spread, shares) in enumerate(zip(spreads, counts, strict=True)):
        base = (row + 1) * tall + 8
        parts.append(_name(spread.name, base - 14))
        for edge, share in zip(edges, shares, strict=False):
            if share > 0:
                x, end = place(float(edge)), place(float(edge) + width)
                size = share / highest * (tall - 14)
                title = _bin_title(edge, width, share)
                parts.append(
                    f'<rect x="{x:.1f}" y="{base - size:.1f}" width="{max(end - x - 1, 0.8):.1f}"'
                    f' height="{size:.1f}" rx="1.5" fill="{spread.colour}" opacity=".8">'
                    f"<title>{title}</title></rect>"
                )
        parts.append(_median(spread, place, base))
    return _svg(len(spreads) * tall + 48, parts, axis)


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
            f' text-anchor="middle" fill="{ink}" class="inside">{inside}</text></g>'
        )
        x += size
    return _svg(34, [f'<g clip-path="inset(0 round 6px)">{"".join(parts)}</g>'], "first seat")


def _median(spread: Spread, place: Callable[[float], float], base: float) -> str:
    median = float(np.median(spread.values))
    mean = float(np.mean(spread.values))
    x = place(median)
    return (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{base - 46}" y2="{base}" stroke="#14213d"'
        f' stroke-width="1.6" stroke-dasharray="3 3"><title>median {median:g}</title></line>'
        f'<text x="{WIDTH - RIGHT + 16}" y="{base - 22}" class="value">{mean:.1f}</text>'
        f'<text x="{WIDTH - RIGHT + 16}" y="{base - 7}" class="small">median {median:g}</text>'
    )


def _bin_title(edge: float, width: int, share: float) -> str:
    first = math.ceil(edge)
    last = first + width - 1
    return f"{first if width == 1 else f'{first}–{last}'}: {share:.1%} of games"


def _axis(
    low: float, high: float, around: float = 0.06
) -> tuple[Callable[[float], float], list[float]]:
    """A linear scale from value to pixel, and round numbers for its ticks."""
    if high - low < 1e-9:
        low, high = low - 1, high + 1
    margin = (high - low) * around
    low, high = low - margin, high + margin
    raw = (high - low) / 7
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
    ticks = [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return lambda v: LABELS + (v - low) / (high - low) * (WIDTH - LABELS - RIGHT), ticks


def _log_axis(ends: Sequence[float]) -> tuple[Callable[[float], float], list[float]]:
    floor = 1e-7
    low = math.floor(math.log10(max(floor, min(ends))) - 0.1)
    high = max(low + 1, math.ceil(math.log10(max(floor, *ends)) + 0.1))

    def place(value: float) -> float:
        share = (math.log10(max(floor, value)) - low) / (high - low)
        return LABELS + share * (WIDTH - LABELS - RIGHT)

    return place, [10.0**power for power in range(low, high + 1)]


def _grid(
    ticks: Sequence[float],
    place: Callable[[float], float],
    bottom: float,
    form: Callable[[float], str],
    axis: str,
) -> str:
    lines = "".join(
        f'<line x1="{place(t):.1f}" x2="{place(t):.1f}" y1="6" y2="{bottom}" class="grid'
        f'{" zero" if t == 0 else ""}"/><text x="{place(t):.1f}" y="{bottom + 16}"'
        f' class="tick">{form(t)}</text>'
        for t in ticks
    )
    middle = LABELS + (WIDTH - LABELS - RIGHT) / 2
    return f'{lines}<text x="{middle}" y="{bottom + 34}" class="axis">{escape(axis)}</text>'


def _name(name: str, y: float) -> str:
    shown = name if len(name) <= 24 else name[:23] + "…"
    return (
        f'<text x="{LABELS - 16}" y="{y + 5}" class="name">{escape(shown)}'
        f"<title>{escape(name)}</title></text>"
    )


def _number(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _seconds(value: float) -> str:
    return duration(value)


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(0.0123), duration(2.5), duration(0.000004)
    ('12.3 ms', '2.5 s', '4 µs')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _svg(height: float, parts: Sequence[str], label: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )
