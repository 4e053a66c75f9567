"""Golden games, maps and drawings: these must come out the same on every machine, for ever.

`python -m tests.navigation.test_golden` writes them anew after a deliberate change of the rules,
which must raise `rules_version` too.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from trireme import draw_text, make_agent, make_game
from trireme.core.game import Turn
from trireme.core.seeding import stream
from trireme.navigation.map_generator import default_map, procedural_map
from trireme.navigation.maps import SeaMap, write_map
from trireme.navigation.phase_log import digest

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


def make_golden_game(settings: dict[str, Any]) -> dict[str, Any]:
    """A game between two captains that fight: from then on its plans are part of the file."""
    game = make_game("navigation", **settings)
    agents = [make_agent(game, spec) for spec in ("planner", "nash-quick:naive=0")]
    state, plans, hashes = game.start(), [], []
    while seats := game.to_move(state):
        turns = {
            s: Turn(game, s, state, game.legal(state, s), stream(len(plans), s)) for s in seats
        }
        actions = {seat: agents[seat].act(turn) for seat, turn in turns.items()}
        state = game.apply(state, actions)
        plans.append([game.write(actions[seat]) for seat in seats])
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
    game = make_game("navigation")
    coloured = draw_text(game, game.start(), 0, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == draw_text(game, game.start(), 0)


def main() -> None:
    games = [make_golden_game(settings) for settings in SETTINGS]
    GAMES.write_text(json.dumps(games, indent=1) + "\n")
    procedural = {str(seed): map_hash(procedural_map(seed)) for seed in SEEDS}
    maps = {"default": map_hash(default_map()), "procedural": procedural}
    MAPS.write_text(json.dumps(maps, indent=1) + "\n")
    DRAWING.write_text(drawing())


if __name__ == "__main__":
    main()
