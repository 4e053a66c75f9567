"""A position of Battle Navigation as SVG, for notebooks: rocks, winds and both ships."""

from __future__ import annotations

from html import escape

from trireme.navigation.geometry import tile_name
from trireme.navigation.rules import Navigation, NavigationState, Ship, side_of

_STEP = 26
_EDGE = 22
_ANGLES = {"N": 0, "E": 90, "S": 180, "W": 270}
_COLOURS = ("#1f6fb2", "#c0392b")


def sea_svg(game: Navigation, view: NavigationState) -> str:
    """The board with row 1 at the top, as in the text, and a line for each ship below."""
    chart = game.chart
    wide, high = _EDGE + _STEP * chart.width, _EDGE + _STEP * chart.height
    below = 8 + 18 * game.seats
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide + 4}" height="{high + below}"'
        f' viewBox="0 0 {wide + 4} {high + below}"'
        ' font-family="system-ui,sans-serif" font-size="11">',
        f'<rect x="{_EDGE}" y="{_EDGE}" width="{wide - _EDGE}" height="{high - _EDGE}"'
        ' fill="#d9ecf5"/>',
    ]
    for x in range(chart.width):
        name = tile_name((x, 0))[0]
        parts.append(f'<text x="{_middle(x)}" y="15" text-anchor="middle">{name}</text>')
    parts += [f'<text x="4" y="{_middle(y) + 4}">{y + 1}</text>' for y in range(chart.height)]
    for rock in chart.rocks:
        radius, fill = (11, "#555") if rock.size == "large" else (7, "#999")
        parts.append(
            f'<circle cx="{_middle(rock.x)}" cy="{_middle(rock.y)}" r="{radius}" fill="{fill}"/>'
        )
    for hazard in chart.hazards:
        for x, y in hazard.tiles:
            parts.append(_hazard(x, y, hazard.way))
    parts += [_ship(ship) for ship in view.ships]
    for ship in view.ships:
        words = f"seat {ship.id}: {ship.label}, {ship.hp}/{ship.max_hp} hp"
        parts.append(
            f'<text x="4" y="{high + 18 + 18 * ship.id}" fill="{_COLOURS[side_of(ship.id)]}">'
            f"{escape(words)}</text>"
        )
    return "".join([*parts, "</svg>"])


def _middle(index: int) -> int:
    return _EDGE + _STEP * index + _STEP // 2


def _hazard(x: int, y: int, way: str) -> str:
    mark = "↻" if way == "clockwise" else "↺" if way == "counterclockwise" else "↑"
    turn = _ANGLES.get(way, 0)
    return (
        f'<text x="{_middle(x)}" y="{_middle(y) + 5}" text-anchor="middle" font-size="15"'
        f' fill="#2a8a8a" transform="rotate({turn} {_middle(x)} {_middle(y)})">{mark}</text>'
    )


def _ship(ship: Ship) -> str:
    x, y = _middle(ship.x), _middle(ship.y)
    fill = _COLOURS[side_of(ship.id)] if ship.alive else "#888"
    return (
        f'<g transform="translate({x} {y}) rotate({_ANGLES[ship.facing]})">'
        f'<path d="M0 -12L8 4V11H-8V4Z" fill="{fill}" stroke="#fff"/></g>'
        f'<text x="{x}" y="{y + 5}" text-anchor="middle" fill="#fff">{ship.id}</text>'
    )
