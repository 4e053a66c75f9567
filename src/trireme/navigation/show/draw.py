"""Views as text for a terminal: the sea, both ships, and how the last turn went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from trireme.navigation.geometry import Pose, Tile, tile_name
from trireme.navigation.maps import SeaMap
from trireme.navigation.phase_log import NavigationVerdict, describe
from trireme.navigation.rules import Navigation, NavigationState, Ship, side_of

_WINDS = {"N": "↑", "E": "→", "S": "↓", "W": "←"}
_SPINS = {"clockwise": "↻", "counterclockwise": "↺"}
_ROCKS = {"small": "o", "large": "█"}
_BOWS = {"N": "▲", "E": "►", "S": "▼", "W": "◄"}

_WIND, _SPIN, _ROCK, _QUIET = "36", "35", "33", "2"
SIDE_COLOURS = ("1;94", "1;91")


def text(game: Navigation, view: NavigationState, colour: bool = False) -> str:
    """The whole view: the board, a line for each ship, the phases of the last turn."""
    lines = [f"Turn {view.turn} of {game.turn_limit} on {game.chart.name}"]
    if view.verdict is not None:
        lines[0] += f": {_outcome(view.verdict, game.seats)}"
    lines[0] += "" if game.seats == 2 else ", even seats against odd ones"
    lines += board(game.chart, poses_on_board(view), colour)
    lines += [_ship_line(game, ship, colour) for ship in view.ships]
    names = ship_names(view)
    for entry in view.log:
        lines.append(f"phase {entry.phase}: {' '.join(describe(entry, names)) or 'All is quiet.'}")
    return "\n".join(lines) + "\n"


_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth")


def ship_names(view: NavigationState) -> tuple[str, ...]:
    """What to call the ships, even where several are of one type."""
    kinds = Counter(ship.type for ship in view.ships)
    return tuple(
        ship.label if kinds[ship.type] == 1 else f"{_ORDINALS[ship.id]} {ship.label.lower()}"
        for ship in view.ships
    )


def poses_on_board(view: NavigationState) -> dict[int, Pose]:
    """By seat: where the ships are that are drawn. Wrecks are in nobody's way, and not drawn where
    the fight goes on without them."""
    return {ship.id: ship.pose for ship in view.ships if ship.alive or len(view.ships) == 2}


def seat_paint(text: str, seat: int, colour: bool) -> str:
    """Text in a seat's colour."""
    return _paint(text, SIDE_COLOURS[side_of(seat)], colour)


def board(
    chart: SeaMap,
    poses: Mapping[int, Pose],
    colour: bool = False,
    marks: Mapping[Tile, str] | None = None,
) -> list[str]:
    """The sea as rows of text; `marks` are characters laid over tiles, such as a planned path."""
    tiles = {tile: _paint(mark, code, colour) for tile, (mark, code) in _features(chart).items()}
    for tile, mark in (marks or {}).items():
        tiles[tile] = _paint(f" {mark}", "1;93", colour)
    for seat, pose in poses.items():
        tiles[pose.tile] = seat_paint(f"{seat}{_BOWS[pose.facing]}", seat, colour)
    quiet = _paint(" ·", _QUIET, colour)
    header = "   " + "".join(f" {tile_name((x, 0))[0]}" for x in range(chart.width))
    return [
        header,
        *(
            f"{y + 1:2} " + "".join(tiles.get((x, y), quiet) for x in range(chart.width))
            for y in range(chart.height)
        ),
    ]


def _features(chart: SeaMap) -> dict[Tile, tuple[str, str]]:
    """Each tile that is not plain water, with its mark and colour."""
    features = {(r.x, r.y): (f" {_ROCKS[r.size]}", _ROCK) for r in chart.rocks}
    for hazard in chart.hazards:
        wind = hazard.kind == "wind"
        mark = _WINDS[hazard.way] if wind else _SPINS[hazard.way]
        for tile in hazard.tiles:
            features[tile] = (f" {mark}", _WIND if wind else _SPIN)
    return features


def _ship_line(game: Navigation, ship: Ship, colour: bool) -> str:
    kind = game.types[ship.id]
    filled = -(-10 * ship.hp // ship.max_hp)
    bar = "■" * filled + "□" * (10 - filled)
    name = seat_paint(f"{ship.id} {ship.label:<11}", ship.id, colour)
    return (
        f"{name} {bar} {ship.hp:2}/{ship.max_hp} hp  "
        f"{tile_name(ship.pose.tile):>3} facing {ship.facing}  "
        f"{kind.shots}×{kind.damage} {kind.cannonball} balls, range {kind.range}"
    )


SEATS_OF_SIDE = ("even seats", "odd seats")


def _outcome(verdict: NavigationVerdict, seats: int) -> str:
    if verdict.winner is None:
        return f"drawn ({verdict.reason})"
    who = (
        f"seat {verdict.winner} has" if seats == 2 else f"the {SEATS_OF_SIDE[verdict.winner]} have"
    )
    return f"{who} won ({verdict.reason})"


def _paint(mark: str, code: str, colour: bool) -> str:
    return f"\x1b[{code}m{mark}\x1b[0m" if colour else mark
