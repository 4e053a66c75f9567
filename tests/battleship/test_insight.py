"""The heatmap that clients show: probabilities, entropy, the likeliest cell."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from trireme.battleship.insight import insight
from trireme.battleship.rules import Battleship
from trireme.core.errors import IllegalAction
from trireme.core.play import Session


def ask(game: Battleship, session: Session, seat: int = 0) -> dict[str, object]:
    view = game.view(session.state, seat)
    return insight(game, view, seat, 1.0, np.random.default_rng(0))


def test_the_heat_sums_to_the_cells_of_the_fleet_and_entropy_falls_to_nothing() -> None:
    game = Battleship(6, 6)
    session = Session(game, ["you"], opening=["A1-A3 C5-D5"])
    before = ask(game, session)
    assert np.sum(before["heat"]) == pytest.approx(5, abs=0.01)
    bits = [before["entropy_bits"]]
    for cell in ("A1", "A2", "A3", "C5"):
        session.move({0: game.read(cell)})
        bits.append(ask(game, session)["entropy_bits"])
    assert bits == sorted(bits, reverse=True)  # type: ignore[type-var]
    heat = ask(game, session)["heat"]
    assert [heat[0][c] for c in range(4)] == [1, 1, 1, 0]  # type: ignore[index]
    session.move({0: game.read("B1")})
    assert ask(game, session)["heat"][1][0] == 0  # type: ignore[index]


def test_the_best_cell_is_the_likeliest_that_is_still_open() -> None:
    game = Battleship(6, 6)
    session = Session(game, ["you"], opening=["A1-A3 C5-D5"])
    session.move({0: game.read("A1")})
    session.move({0: game.read("A2")})
    told = ask(game, session)
    assert told["best"] == "A3"
    msgspec.json.encode(told)


def test_a_seat_learns_of_the_board_that_it_fires_at() -> None:
    game = Battleship(6, 6, duel=True)
    opening = [{0: "A1-A3 C5-D5", 1: "F1-F3 A5-A6"}]
    session = Session(game, ["a", "b"], opening=opening)
    session.move({0: game.read("F1")})
    assert ask(game, session, 0)["heat"][5][0] == 1  # type: ignore[index]
    assert ask(game, session, 1)["heat"][5][0] < 1  # type: ignore[index]


def test_before_the_fleets_lie_there_is_nothing_to_know() -> None:
    game = Battleship(6, 6, duel=True)
    with pytest.raises(IllegalAction, match="no hidden fleet"):
        ask(game, Session(game, ["a", "b"]))
