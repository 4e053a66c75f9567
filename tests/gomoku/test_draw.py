"""Drawings are text that players can read, kept as golden files."""

import re
from pathlib import Path

import pytest

from trireme.core.record import load_record
from trireme.core.registry import draw_text
from trireme.gomoku.rules import Gomoku

from .positions import played

GOLDEN = Path(__file__).parents[1] / "golden"
SCENES = {
    "start": (Gomoku(), ()),
    "opening": (Gomoku(), ("h8", "i9", "h9", "h10")),
    "won": (Gomoku(size=9), ("c3", "c4", "d4", "e4", "e5", "f4", "f6", "g4", "g7")),
    "overline": (
        Gomoku(size=9),
        ("a1", "a9", "b1", "c9", "c1", "e9", "e1", "g9", "f1", "i9", "d1"),
    ),
    "choice": (Gomoku(size=9, opening="swap2"), ("e5", "e6", "g7")),
    "largest": (Gomoku(size=26), ("a1", "z26", "z1", "a26")),
}


@pytest.mark.parametrize("scene", SCENES)
def test_a_position_is_drawn_as_its_golden_file_shows(scene: str) -> None:
    game, moves = SCENES[scene]
    drawn = draw_text(game, played(game, *moves))
    assert drawn + "\n" == (GOLDEN / f"gomoku_{scene}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("scene", SCENES)
def test_colour_adds_nothing_but_colour(scene: str) -> None:
    game, moves = SCENES[scene]
    state = played(game, *moves)
    coloured = draw_text(game, state, colour=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == draw_text(game, state)


def test_a_golden_record_replays_to_its_golden_end() -> None:
    record = load_record(GOLDEN / "gomoku_record.jsonl")
    record.verify()
    *_, last = record.states()
    assert record.game.returns(last) == (-1.0, 1.0)
    drawn = draw_text(record.game, last)
    assert drawn + "\n" == (GOLDEN / "gomoku_record.txt").read_text(encoding="utf-8")
