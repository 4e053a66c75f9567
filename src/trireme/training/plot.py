"""Learning curves drawn as SVG: one small panel for each logged number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, MARGIN, ACROSS = 320, 180, 44, 3
INK, LINE, GRID = "#2c3e50", "#c0392b", "#dfe6e9"

Points = Sequence[tuple[float, float]]


def curves(series: Mapping[str, Points]) -> str:
    """An SVG of panels, three in a row; a series without points is left out."""
    shown = {name: points for name, points in series.items() if points}
    rows = max(1, -(-len(shown) // ACROSS))
    panels = [
        _panel(name, points, (i % ACROSS) * WIDTH, (i // ACROSS) * HEIGHT)
        for i, (name, points) in enumerate(shown.items())
    ]
    width, height = ACROSS * WIDTH, rows * HEIGHT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'font-family="sans-serif" font-size="10" fill="{INK}">',
            f'<rect width="{width}" height="{height}" fill="white"/>',
            *panels,
            "</svg>\n",
        ]
    )


def _panel(name: str, points: Points, x: int, y: int) -> str:
    steps, values = [p[0] for p in points], [p[1] for p in points]
    low, high = min(values), max(values)
    first, last = min(steps), max(steps)
    inner_w, inner_h = WIDTH - MARGIN - 16, HEIGHT - 56

    def place(step: float, value: float) -> str:
        right = (step - first) / ((last - first) or 1) * inner_w
        up = (value - low) / ((high - low) or 1) * inner_h
        return f"{MARGIN + right:.1f},{28 + inner_h - up:.1f}"

    path = " ".join(place(*p) for p in _thinned(points))
    bottom = 28 + inner_h
    return (
        f'<g transform="translate({x} {y})"><text x="{MARGIN}" y="18" font-size="12" '
        f'font-weight="bold">{escape(name)}</text>'
        f'<path d="M{MARGIN} 28V{bottom}H{MARGIN + inner_w}" fill="none" stroke="{GRID}"/>'
        f'<text x="{MARGIN - 4}" y="34" text-anchor="end">{high:.3g}</text>'
        f'<text x="{MARGIN - 4}" y="{bottom}" text-anchor="end">{low:.3g}</text>'
        f'<text x="{MARGIN}" y="{bottom + 14}">{first:g}</text>'
        f'<text x="{MARGIN + inner_w}" y="{bottom + 14}" text-anchor="end">{last:g}</text>'
        f'<polyline points="{path}" fill="none" stroke="{LINE}" stroke-width="1.5"/></g>'
    )


def _thinned(points: Points, most: int = 400) -> Points:
    """At most about `most` points: more can't be seen."""
    stride = max(1, len(points) // most)
    return [*points[::stride], points[-1]]
