"""Drawings as text, held against golden files."""

import re
from pathlib import Path

import pytest

from trireme import draw_text, load_record
from trireme.battleship.rules import Battleship

from .positions import FLEET, dueling, fired

GOLDEN = Path(__file__).parent.parent / "golden"
MINED = Battleship(6, 7, duel=True, mines=2)
FLEETS = ("A1-A3 C1-C2 *E5 *F7", "E3-E5 A4-A5 *A1 *C1")
DRAWINGS = {
    "start": (Battleship(), Battleship().start(), 0),
    "solo": (Battleship(), fired(Battleship(), FLEET, "I1 I2 A1 J10 C3 E10"), 0),
    "small_over": (
        Battleship(5, 5),
        fired(Battleship(5, 5), "A1-A3 C1-C2", "E5 A1 A2 A3 C1 C2"),
        0,
    ),
    "duel_seat": (MINED, dueling(MINED, FLEETS, "A1", "A1", "A2", "E4"), 0),
    "duel_rival": (MINED, dueling(MINED, FLEETS, "A1", "A1", "A2", "E4"), 1),
    "duel_spectator": (MINED, dueling(MINED, FLEETS, "A1", "A1", "A2", "E4"), None),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawings_look_as_they_always_did(name: str) -> None:
    drawn = draw_text(*DRAWINGS[name])
    assert drawn + "\n" == (GOLDEN / f"battleship_{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DRAWINGS)
def test_colour_adds_nothing_but_colour(name: str) -> None:
    game, state, seat = DRAWINGS[name]
    coloured = draw_text(game, state, seat, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == draw_text(game, state, seat)


def test_a_drawing_never_shows_what_the_seat_may_not_know() -> None:
    game, state, _ = DRAWINGS["solo"]
    elsewhere = fired(game, "A1-A5 C3-C6 E1-E3 G1-G3 I1-I2", "I1 I2 A1 J10 C3 E10")
    assert draw_text(game, state, 0) == draw_text(game, elsewhere, 0)


@pytest.mark.parametrize("name", ["solo", "duel", "salvo"])
def test_golden_records_replay_to_the_recorded_end(name: str) -> None:
    record = load_record(GOLDEN / f"battleship_{name}.jsonl")
    state = record.verify()
    assert record.game.returns(state) == record.returns
    drawn = draw_text(record.game, state)
    assert drawn + "\n" == (GOLDEN / f"battleship_{name}_end.txt").read_text(encoding="utf-8")
