"""A view of Battle Navigation in plain words, for language models and screen readers."""

from __future__ import annotations

from trireme.navigation.geometry import tile_name
from trireme.navigation.rules import Navigation, NavigationState

from .draw import text

LEGEND = (
    "Map: columns are letters, rows are numbers, row 1 at the top; 0 and 1 are the ships of seats "
    "0 and 1 with their bows (▲ north, ► east, ▼ south, ◄ west); o rock, █ large rock, "
    "↑ → ↓ ← winds, ↻ ↺ whirlpools."
)


def prose(game: Navigation, view: NavigationState) -> str:
    """The sea with its legend, where both ships are, and how the last turn went."""
    lines = [LEGEND, text(game, view).rstrip("\n")]
    for seat, ship in enumerate(view.ships):
        where = f"at {tile_name(ship.pose.tile)} facing {ship.facing}"
        lines.append(f"Seat {seat}: {ship.label} {where}, {ship.hp} of {ship.max_hp} hit points.")
    if not view.verdict:
        who = "both seats" if game.seats == 2 else "all seats with a ship afloat"
        lines.append(f"To move: {who} plan {game.phases} phases at the same time.")
    return "\n".join(lines)
