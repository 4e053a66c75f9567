"""Learning curves as SVG: one small panel for each logged number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trireme.core import svg_plot

WIDTH, HEIGHT, COLUMNS = 340, 200, 3


def curves(series: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """An SVG file of panels, three in a row; a series without points is left out."""
    shown = [svg_plot.Series(name, points) for name, points in series.items() if points]
    rows = max(1, -(-len(shown) // COLUMNS))
    panels = [
        f'<g transform="translate({i % COLUMNS * WIDTH} {i // COLUMNS * HEIGHT})">'
        f"{svg_plot.line_chart([one], WIDTH, HEIGHT, title=one.name, ticks=(4, 4))}</g>"
        for i, one in enumerate(shown)
    ]
    return svg_plot.document(COLUMNS * WIDTH, rows * HEIGHT, panels, "learning curves")
