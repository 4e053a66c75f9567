"""The ships: the one table of what each type can do."""

from dataclasses import dataclass

from trireme.core.errors import unknown


@dataclass(frozen=True)
class ShipType:
    """What a type of ship can do; distances in tiles, damage in hit points."""

    name: str
    label: str
    hp: int
    range: int
    cannonball: str
    shots: int
    """The most shots that one attack may fire."""
    grapple_range: int
    speed: int
    """Kept for later use: every ship makes one move a phase."""

    @property
    def damage(self) -> int:
        """Hit points that one shot takes."""
        return CANNONBALLS[self.cannonball]


CANNONBALLS = {"small": 1, "medium": 2, "large": 4}

SHIPS = {
    ship.name: ship
    for ship in (
        #        name           label         hp range ball    shots grapple speed
        ShipType("sloop", "Sloop", 10, 2, "small", 1, 1, 1),
        ShipType("cutter", "Cutter", 16, 3, "small", 2, 1, 1),
        ShipType("war_brig", "War brig", 20, 3, "medium", 2, 1, 1),
        ShipType("dhow", "Dhow", 14, 3, "medium", 1, 1, 1),
        ShipType("war_frigate", "War frigate", 30, 4, "large", 2, 1, 1),
        ShipType("baghlah", "Baghlah", 24, 4, "large", 1, 1, 1),
    )
}


def ship_type(name: str) -> ShipType:
    """The type called `name`."""
    if name not in SHIPS:
        raise unknown("ship", name, SHIPS)
    return SHIPS[name]
