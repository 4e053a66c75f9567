"""The heatmap that clients show: probabilities, entropy, the likeliest cell."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from trireme.battleship.agents import heatmap
from trireme.battleship.rules import Battleship
from trireme.battleship.show.insight import insight, network_insight
from trireme.battleship.show.terminal import BattleshipTerminal
from trireme.core.errors import BadSettings, IllegalAction, TriremeError
from trireme.core.session import Session


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


SUNK = ("C3", "C4", "C5", "G7")
"""Shots that sink a cruiser of `opening` and miss once."""


def default_game() -> tuple[Battleship, Session]:
    game = Battleship()
    session = Session(game, ["you"], opening=["A1-A5 J1-J4 C3-C5 E8-G8 I9-I10"])
    for cell in SUNK:
        session.move({0: game.read(cell)})
    return game, session


@pytest.fixture
def network() -> None:
    pytest.importorskip("onnxruntime", reason="networks need onnxruntime")


@pytest.mark.usefixtures("network")
def test_the_network_has_its_own_picture_of_the_same_waters() -> None:
    game, session = default_game()
    told = ask(game, session)
    heat = np.array(told["opinions"]["heatmap"]["heat"])  # type: ignore[index]
    assert heat[2, 2:5].tolist() == [1, 1, 1]
    assert heat[6, 6] == 0
    assert not heat[1, 1:6].any()
    assert np.abs(heat - np.array(told["heat"])).mean() < 0.03
    best = game.read(told["opinions"]["heatmap"]["best"])  # type: ignore[index]
    assert best.cells[0] not in {shot.cell for shot in session.state.seas[0].shots}


@pytest.mark.parametrize("game", [Battleship(8, 8), Battleship(touching=True)])
def test_on_boards_that_it_never_saw_the_network_is_silent_and_says_why(game: Battleship) -> None:
    session = Session(game, ["you"], seed=1)
    with pytest.raises(BadSettings, match="10×10 boards"):
        network_insight(game, game.view(session.state, 0), 0)
    told = ask(game, session)
    assert told["opinions"] == {}
    assert "default rules" in told["unavailable"]["heatmap"]  # type: ignore[index]


def test_without_the_network_the_exact_odds_are_still_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(heatmap.log_odds, "__defaults__", (tmp_path / "network.onnx",))
    told = ask(*default_game())
    assert told["heat"]
    reason = told["unavailable"]["heatmap"]  # type: ignore[index]
    assert "no network" in reason or "onnxruntime" in reason


class Paper:
    """A screen that keeps what was said."""

    def __init__(self, session: Session, seat: int = 0) -> None:
        self.session, self.seat, self.colour = session, seat, False
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def ask(self, question: str) -> str:
        raise AssertionError(question)

    def log_odds(self, text: str = "") -> str:
        self.said.clear()
        BattleshipTerminal.commands["odds"].run(self, text)
        return "\n".join(self.said)


def test_the_prompt_shows_the_odds_beside_the_waters() -> None:
    game, session = default_game()
    said = Paper(session).log_odds()
    best = ask(game, session)["best"]
    assert f"best: {best}" in said
    assert "bits unknown" in said
    rows = [line for line in said.splitlines() if line.startswith("C ")]
    assert rows[0].count("■") == 6
    assert said.count("[") == 1


@pytest.mark.usefixtures("network")
def test_the_prompt_shows_the_networks_odds_by_name() -> None:
    _, session = default_game()
    assert "heatmap network" in Paper(session).log_odds("heatmap")


def test_odds_of_the_waters_of_a_duel_are_those_fired_at() -> None:
    game = Battleship(6, 6, duel=True)
    session = Session(game, ["a", "b"], opening=[{0: "A1-A3 C5-D5", 1: "F1-F3 A5-A6"}])
    session.move({0: game.read("F1")})
    assert "The fleet of seat 1: 1 shot" in Paper(session, 0).log_odds()
    assert "The fleet of seat 0: 0 shots" in Paper(session, 1).log_odds()


def test_nobody_else_knows_the_odds() -> None:
    _, session = default_game()
    with pytest.raises(TriremeError, match="unknown source of odds 'crystal'"):
        Paper(session).log_odds("crystal")
