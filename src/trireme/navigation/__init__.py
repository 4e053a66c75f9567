"""Battle Navigation: two captains plan in secret, then the sea resolves both plans together."""

from ..core.registry import Slice

SLICE = Slice(
    summary="simultaneous plans: both captains order four phases in secret, then they run together",
    game="trireme.navigation.rules:Navigation",
    text="trireme.navigation.draw:text",
    agents={
        "random": "trireme.core.agents:Random",
    },
    opponent="random",
    encoder="trireme.navigation.encode:encoder",
    scene="trireme.navigation.scene:scene",
    preview="trireme.navigation.scene:preview",
    variants={
        "advance": {"turns": "advance"},
        "scarce": {"ammo_per_turn": 4},
        "ramming": {"ram_damage": 1},
    },
)
