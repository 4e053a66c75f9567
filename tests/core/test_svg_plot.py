"""Plots: round ticks inside their range, values where the scale puts them, well-formed SVG."""

import itertools
import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme.core import svg_plot
from trireme.core.svg_plot import Scale, Series, document, line_chart, linear_scale, log_scale

SVG = "{http://www.w3.org/2000/svg}"


@given(
    low=st.floats(-1e6, 1e6, allow_subnormal=False),
    size=st.floats(1e-3, 1e6),
    most=st.integers(3, 12),
)
def test_ticks_are_evenly_spaced_round_numbers_inside_the_range(
    low: float, size: float, most: int
) -> None:
    scale = Scale(low, low + size, 0, 100)
    ticks = scale.ticks(most)
    assert 1 <= len(ticks) <= most + 1
    around = 1e-8 * (size + abs(low))  # rounding, far below a pixel
    assert all(low - around <= t <= low + size + around for t in ticks)
    steps = [b - a for a, b in itertools.pairwise(ticks)]
    assert all(step == pytest.approx(steps[0], rel=1e-4) for step in steps)
    for step in steps[:1]:
        lead = step / 10 ** math.floor(math.log10(step * 1.0001))
        assert min(abs(lead - round_) for round_ in (1, 2, 2.5, 5, 10)) < 1e-3


def test_a_scale_puts_its_ends_at_its_pixels_also_upside_down() -> None:
    scale = linear_scale([5, 15], 200, 100)
    assert (scale(5), scale(10), scale(15)) == (200, 150, 100)


def test_a_single_value_lies_in_the_middle() -> None:
    assert linear_scale([3, 3], 0, 100)(3) == 50


def test_a_logarithmic_scale_has_powers_of_ten_and_a_floor() -> None:
    scale = log_scale([0.002, 0.3], 0, 300, 1e-7)
    assert scale.ticks(7) == pytest.approx([0.001, 0.01, 0.1, 1])
    assert scale(0.01) == pytest.approx(100)
    assert log_scale([0.0, 0.3], 0, 300, 1e-7)(0.0) == 0


def test_a_line_chart_has_a_line_and_a_legend_entry_for_each_series() -> None:
    series = [Series("a<b", [(0, 1.0), (10, 3.0)]), Series("c", [(0, 2.0)], "#c8553d")]
    chart = line_chart(series, 400, 200, title="x & y", x_label="shots", legend=90, from_zero=True)
    root = ElementTree.fromstring(document(400, 200, [chart], "a plot"))
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert {"a<b", "c", "x & y", "shots", "0", "3"} <= set(words)
    lines = [element.get("points") for element in root.iter(f"{SVG}polyline")]
    # 52 pixels at the left; 30 above and 44 below, with 0 at the bottom and 3 at the top.
    assert lines[0] == "52.0,114.0 294.0,30.0"
    assert root.get("aria-label") == "a plot"


def test_without_a_legend_names_are_not_drawn() -> None:
    chart = line_chart([Series("only", [(0, 1.0), (1, 2.0)])], 400, 200, title="t")
    assert "only" not in chart


def test_the_style_has_every_colour_of_text_and_grid_for_dark_paper_too() -> None:
    light, _, dark = svg_plot.STYLE.partition("@media (prefers-color-scheme: dark)")
    for name in (".plot text", ".paper", ".grid", ".zero", ".mark", ".tick", ".small", ".axis"):
        assert name in light
        assert name in dark


def test_long_series_are_thinned_and_keep_their_last_point() -> None:
    points = [(float(i), 0.0) for i in range(5001)]
    kept = svg_plot.thinned(points)
    assert len(kept) <= 420
    assert kept[0] == points[0]
    assert kept[-1] == points[-1]
