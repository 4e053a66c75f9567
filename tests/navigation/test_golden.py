"""Golden games, maps and drawings: these must come out the same on every machine, for ever.

`python -m tests.navigation.test_golden` writes them anew after a deliberate change of the rules,
which must raise `rules_version` too.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trireme import draw_text, make_game
from trireme.navigation.atlas import default_map, procedural_map
from trireme.navigation.log import digest
from trireme.navigation.maps import SeaMap, write_map
from trireme.navigation.rules import Navigation

GOLDEN = Path(__file__).parents[1] / "golden"
GAMES = GOLDEN / "navigation_games.json"
MAPS = GOLDEN / "navigation_maps.json"
DRAWING = GOLDEN / "navigation_drawing.txt"

SETTINGS: list[dict[str, Any]] = [
    {},
    {"map": "procedural:7", "ships": ["sloop", "sloop"]},
    {"map": "procedural:8", "turns": "advance", "ships": ["war_frigate", "baghlah"]},
    {"ammo_per_turn": 3, "ram_damage": 2, "ships": ["dhow", "cutter"], "turn_limit": 12},
]
SEEDS = (0, 1, 2, 42, 2026, 123456789, 2**63)


def map_hash(sea: SeaMap) -> str:
    return hashlib.sha256(write_map(sea).encode()).hexdigest()


def hunting_plans(game: Navigation, turn: int) -> dict[int, str]:
    """Plans that bring the ships together: written once, then part of the golden file."""
    rng = np.random.default_rng(turn)
    move = lambda: "FFFLR-"[rng.integers(6)]  # noqa: E731
    act = lambda: "ps-gh"[rng.integers(5)]  # noqa: E731
    return {seat: "".join(move() + act() for _ in range(4)) for seat in (0, 1)}


def make_golden_game(settings: dict[str, Any], number: int) -> dict[str, Any]:
    game = make_game("navigation", **settings)
    state, plans, hashes = game.start(), [], []
    while game.to_move(state) and len(plans) < 15:
        texts = hunting_plans(game, 100 * number + len(plans))
        actions = {seat: game.read(text) for seat, text in texts.items()}
        if any(action not in game.legal(state, seat) for seat, action in actions.items()):
            actions = dict.fromkeys((0, 1), game.read("F-F-L-F-"))
            texts = {seat: game.write(action) for seat, action in actions.items()}
        state = game.apply(state, actions)
        plans.append([texts[0], texts[1]])
        hashes.append([digest(entry) for entry in state.log])
    return {"settings": settings, "plans": plans, "hashes": hashes}


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_a_golden_game_comes_out_the_same_phase_by_phase(number: int) -> None:
    golden = json.loads(GAMES.read_text())[number]
    game = make_game("navigation", **golden["settings"])
    state = game.start()
    for plans, hashes in zip(golden["plans"], golden["hashes"], strict=True):
        actions = {seat: game.read(text) for seat, text in enumerate(plans)}
        state = game.apply(state, actions)
        assert [digest(entry) for entry in state.log] == hashes


def test_the_maps_of_known_seeds_are_the_same_for_ever() -> None:
    golden = json.loads(MAPS.read_text())
    assert golden["default"] == map_hash(default_map())
    assert {str(seed): map_hash(procedural_map(seed)) for seed in SEEDS} == golden["procedural"]


def drawing() -> str:
    game = make_game("navigation", map="procedural:7", ships=["cutter", "war_brig"])
    state = game.start()
    actions = {0: game.read("FpF-L-Rs1"), 1: game.read("F-F-FgL-")}
    return draw_text(game, game.apply(state, actions), 0)


def test_a_view_is_drawn_as_it_was() -> None:
    assert drawing() == DRAWING.read_text()


def test_colour_only_adds_colour() -> None:
    import re

    game = make_game("navigation")
    coloured = draw_text(game, game.start(), 0, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == draw_text(game, game.start(), 0)


def main() -> None:
    games = [make_golden_game(settings, i) for i, settings in enumerate(SETTINGS)]
    GAMES.write_text(json.dumps(games, indent=1) + "\n")
    procedural = {str(seed): map_hash(procedural_map(seed)) for seed in SEEDS}
    maps = {"default": map_hash(default_map()), "procedural": procedural}
    MAPS.write_text(json.dumps(maps, indent=1) + "\n")
    DRAWING.write_text(drawing())


if __name__ == "__main__":
    main()
