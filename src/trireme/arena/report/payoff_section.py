"""The report's section on payoffs: alpha-rank beside Elo, and a graph of who beats whom."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

from trireme.arena.standing import SIGNIFICANT
from trireme.arena.statistics.payoff import PayoffAnalysis
from trireme.core.svg_plot import figure, text

from .build import Report

WIDTH = 860
HEIGHT = 420
RADIUS = 150
LARGEST = 26
"""Pixels of the circle of an agent with all of the share."""
SMALLEST = 6

Place = tuple[float, float]


def payoff(report: Report, colours: Mapping[str, str]) -> str:
    """Alpha-rank and the graph; empty for fewer than three agents, which a score orders."""
    found = report.payoff
    if found is None:
        return ""
    rows = "".join(
        f'<tr><td class="agent">{escape(name)}</td><td>{share:.1%}</td></tr>'
        for name, share in zip(found.agents, found.alpha_rank, strict=True)
    )
    cycles = "".join(
        f'<p class="note">{escape(", ".join(group))} beat each other in a cycle: no rating can'
        " order them.</p>"
        for group in found.cycles
    )
    return (
        "<section><h2>Who beats whom</h2><p>Alpha-rank: the share of time that a population spends"
        " with each agent, if it goes over to whatever beats it. Elo puts all agents on one line;"
        " alpha-rank divides its weight among those that beat each other in a cycle. Arrows go from"
        " winner to loser where the difference is significant (p &lt;"
        f" {SIGNIFICANT:g} after Holm's correction); those of a cycle are red.</p>{cycles}"
        f"<table><tr><th>agent</th><th>alpha-rank</th></tr>{rows}</table>"
        f"{_graph(found, colours)}</section>"
    )


def _graph(found: PayoffAnalysis, colours: Mapping[str, str]) -> str:
    places: dict[str, Place] = {}
    for i, name in enumerate(found.agents):
        angle = 2 * math.pi * i / len(found.agents) - math.pi / 2
        x, y = 1.6 * RADIUS * math.cos(angle), RADIUS * math.sin(angle)
        places[name] = WIDTH / 2 + x, HEIGHT / 2 + y
    sizes = {
        name: SMALLEST + (LARGEST - SMALLEST) * math.sqrt(share)
        for name, share in zip(found.agents, found.alpha_rank, strict=True)
    }
    group = {name: i for i, names in enumerate(found.cycles) for name in names}
    parts = []
    for winner, loser in found.beats:
        cyclic = winner in group and group[winner] == group.get(loser)
        arrow = _arrow(places[winner], places[loser], sizes[winner], sizes[loser], cyclic)
        parts.append(f"<g><title>{escape(winner)} beats {escape(loser)}</title>{arrow}</g>")
    for name, (x, y) in places.items():
        shown = name if len(name) <= 24 else name[:23] + "…"
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{sizes[name]:.1f}" class="series"'
            f' fill="{colours[name]}"><title>{escape(name)}</title></circle>'
            f"{text(shown, x, y - sizes[name] - 6, 'title', 'middle')}"
        )
    return figure(WIDTH, HEIGHT, parts, "who beats whom")


def _arrow(start: Place, end: Place, start_size: float, end_size: float, cyclic: bool) -> str:
    (x1, y1), (x2, y2) = start, end
    length = math.hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    x1, y1 = x1 + dx * (start_size + 3), y1 + dy * (start_size + 3)
    x2, y2 = x2 - dx * (end_size + 4), y2 - dy * (end_size + 4)
    colour, width = ("#c8553d", 2.2) if cyclic else ("#8a9aa8", 1.2)
    left = f"{x2 - 9 * dx - 4 * dy:.1f},{y2 - 9 * dy + 4 * dx:.1f}"
    right = f"{x2 - 9 * dx + 4 * dy:.1f},{y2 - 9 * dy - 4 * dx:.1f}"
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"'
        f' stroke-width="{width}"/><polygon points="{x2:.1f},{y2:.1f} {left} {right}"'
        f' fill="{colour}"/>'
    )
