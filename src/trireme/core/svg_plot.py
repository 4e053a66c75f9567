"""Plots as SVG text: scales with round ticks, axes, line charts, legends; light and dark by CSS.

A plot is a list of SVG fragments. `document` makes a file of them that stands alone; `figure` makes
an element for an HTML page, which has to contain `STYLE` once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = (
    "#1f7a99", "#c8553d", "#6a8d3f", "#8a5a9e", "#d29b2f", "#4a6fa5", "#b0587a", "#4c9085",
)  # fmt: skip
"""Colours of series, in order; each is readable on light and on dark paper."""

STYLE = """
.plot { font-family: ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  font-variant-numeric: tabular-nums; }
.plot text { fill: #14213d; font-size: 12px; }
.plot .paper { fill: #fffdf9; }
.plot .grid { stroke: #ece7db; stroke-width: 1; }
.plot .zero { stroke: #b9b2a0; }
.plot .mark { stroke: #14213d; }
.plot .tick { font-size: 11.5px; fill: #6d7486; }
.plot .axis { fill: #5c6579; }
.plot .title { font-size: 13.5px; font-weight: 600; }
.plot .small { font-size: 11px; fill: #6d7486; }
.plot .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
@media (prefers-color-scheme: dark) {
  .plot text { fill: #e6e3da; }
  .plot .paper { fill: #161d2e; }
  .plot .grid { stroke: #2a3348; }
  .plot .zero { stroke: #626c84; }
  .plot .mark { stroke: #e6e3da; }
  .plot .tick, .plot .small { fill: #9aa2b5; }
  .plot .axis { fill: #aeb5c6; }
  .plot .series { filter: brightness(1.3); }
}
"""


@dataclass(frozen=True)
class Scale:
    """Maps values from `low` to `high` to pixels from `start` to `end`, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        if self.log:
            low, high, value = (math.log10(v) for v in (self.low, self.high, max(value, self.low)))
        else:
            low, high = self.low, self.high
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self, most: int) -> list[float]:
        """About `most` round numbers, at least half of them; on a logarithmic scale powers of 10.

        >>> Scale(0, 97, 0, 1).ticks(5)
        [0.0, 20.0, 40.0, 60.0, 80.0]
        """
        if self.log:
            first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
            return [10.0**power for power in range(first, last + 1)]
        raw = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(k * step, 12) for k in range(first, last + 1)]


def linear_scale(values: Sequence[float], start: float, end: float, margin: float = 0.0) -> Scale:
    """A linear scale over all values, with a margin as a share of their range on both sides."""
    low, high = min(values), max(values)
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 1, high + 1
    around = (high - low) * margin
    return Scale(low - around, high + around, start, end)


def log_scale(values: Sequence[float], start: float, end: float, floor: float) -> Scale:
    """A logarithmic scale over all values that ends at powers of 10; none is below `floor`."""
    low = math.floor(math.log10(max(floor, min(values))) - 0.1)
    high = max(low + 1, math.ceil(math.log10(max(floor, *values)) + 0.1))
    return Scale(10.0**low, 10.0**high, start, end, log=True)


def number(value: float) -> str:
    """A tick's number, with a real minus sign and k or M for thousands and millions.

    >>> number(-0.5), number(20000), number(1500000)
    ('−0.5', '20k', '1.5M')
    """
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= 10 * size or (abs(value) >= size and unit == "M"):
            return f"{value / size:g}{unit}".replace("-", "−")
    return f"{value:g}".replace("-", "−")


def x_axis(
    scale: Scale,
    top: float,
    bottom: float,
    label: str = "",
    *,
    ticks: int = 7,
    form: Callable[[float], str] = number,
) -> str:
    """Vertical grid lines from `top` to `bottom`, with their numbers and a label below."""
    parts = [
        f'<line x1="{scale(t):.1f}" x2="{scale(t):.1f}" y1="{top:g}" y2="{bottom:g}"'
        f' class="{_grid_class(t)}"/>{text(form(t), scale(t), bottom + 16, "tick", "middle")}'
        for t in scale.ticks(ticks)
    ]
    if label:
        parts.append(text(label, (scale.start + scale.end) / 2, bottom + 34, "axis", "middle"))
    return "".join(parts)


def y_axis(scale: Scale, left: float, right: float, *, ticks: int = 5) -> str:
    """Horizontal grid lines from `left` to `right`, with their numbers at the left."""
    return "".join(
        f'<line x1="{left:g}" x2="{right:g}" y1="{scale(t):.1f}" y2="{scale(t):.1f}"'
        f' class="{_grid_class(t)}"/>{text(number(t), left - 7, scale(t) + 4, "tick", "end")}'
        for t in scale.ticks(ticks)
    )


def text(content: str, x: float, y: float, kind: str, anchor: str = "start") -> str:
    """A line of text; `kind` is a class of `STYLE`."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">'
        f"{escape(content)}</text>"
    )


@dataclass(frozen=True)
class Series:
    """A line of a chart."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str = COLOURS[0]


def line_chart(
    series: Sequence[Series],
    width: float,
    height: float,
    *,
    title: str,
    x_label: str = "",
    legend: float = 0.0,
    from_zero: bool = False,
    ticks: tuple[int, int] = (7, 5),
) -> str:
    """Lines over common axes; x begins at 0. `legend` is the width at the right for the names.

    `from_zero` lets y begin at 0 too; `ticks` are about how many there are on x and y.
    """
    left, right, top, bottom = 52, 16 + legend, 30, 44 if x_label else 28
    points = [point for one in series for point in one.points]
    x = linear_scale([0.0, *(p[0] for p in points)], left, width - right)
    values = [p[1] for p in points] + ([0.0] if from_zero else [])
    y = linear_scale(values, height - bottom, top, 0.0 if from_zero else 0.04)
    parts = [
        text(title, left, 19, "title"),
        x_axis(x, top, height - bottom, x_label, ticks=ticks[0]),
        y_axis(y, left, width - right, ticks=ticks[1]),
    ]
    for row, one in enumerate(series):
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in thinned(one.points))
        parts.append(f'<polyline points="{path}" class="line series" stroke="{one.colour}"/>')
        if legend:
            parts.append(_legend_entry(one, width - right + 14, top + 10 + 20 * row))
    return "".join(parts)


def thinned(
    points: Sequence[tuple[float, float]], most: int = 400
) -> Sequence[tuple[float, float]]:
    """Every n-th point and the last, about `most` of them: more can't be seen."""
    stride = max(1, len(points) // most)
    return [*points[:-1:stride], points[-1]]


def document(width: float, height: float, parts: Sequence[str], label: str) -> str:
    """A whole SVG file, with its style and paper."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
        f' width="{width:g}" height="{height:g}" class="plot" role="img"'
        f' aria-label="{escape(label)}">\n<style>{STYLE}</style>\n'
        f'<rect width="{width:g}" height="{height:g}" class="paper"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def figure(width: float, height: float, parts: Sequence[str], label: str) -> str:
    """An SVG element for a page that contains `STYLE`."""
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" class="plot" role="img"'
        f' aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _legend_entry(one: Series, x: float, y: float) -> str:
    return (
        f'<line x1="{x:g}" x2="{x + 16:g}" y1="{y:g}" y2="{y:g}" class="line series"'
        f' stroke="{one.colour}"/>{text(one.name, x + 22, y + 4, "axis")}'
    )


def _grid_class(tick: float) -> str:
    return "grid zero" if tick == 0 else "grid"
