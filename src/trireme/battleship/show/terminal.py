"""Battleship at the prompt: how to type shots and fleets, what is called out, and the odds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from numpy.random import default_rng

from trireme.battleship.board import read_cell
from trireme.battleship.fleets import Fleet
from trireme.battleship.rules import Action, Battleship, BattleshipState, BattleshipView
from trireme.core.errors import IllegalAction, unknown
from trireme.core.game import AnyGame, Seat
from trireme.core.terminal import Command, Screen, Terminal

from .draw import answer, beside, percents, waters

SECONDS = 1.0
"""Time for exact enumeration before fleets are sampled instead."""
NETWORK = "heatmap"
"""The other source of odds: `odds heatmap`."""


def _place(screen: Screen, text: str) -> Action:
    """A random fleet, where a fleet is to be placed."""
    session = screen.session
    view: BattleshipView = session.game.view(session.state, screen.seat)
    if view.stage != "placing":
        raise IllegalAction("your fleet is placed already")
    turn = session.turn(screen.seat)
    action: Action = turn.legal.sample(turn.rng)
    screen.say(f"  your fleet: {session.game.write(action)}")
    return action


def _odds(screen: Screen, text: str) -> None:
    """The probability of a ship in every cell, beside the board fired at."""
    from .insight import insight, network_insight

    session, seat = screen.session, screen.seat
    game, view = session.game, session.game.view(session.state, seat)
    assert isinstance(game, Battleship)
    if text and text != NETWORK:
        raise unknown("source of odds", text, [NETWORK])
    if text:
        found, title = network_insight(game, view, seat), "as the heatmap network sees it"
    else:
        found = insight(game, view, seat, SECONDS, default_rng(session.moves))
        bits = found["entropy_bits"]
        title = "from samples of fleets" if bits is None else f"{bits:.1f} bits unknown"
    owner = 0 if len(view.seas) == 1 else 1 - seat
    best = read_cell(found["best"])
    chart = percents(game.boards[owner], view.target, found["heat"], best)
    lines = [f"Chance of a ship, percent: {title}", *chart, "", f"best: {found['best']}"]
    screen.say(beside([waters(game, view, owner, screen.colour), lines]))


class BattleshipTerminal(Terminal):
    """Shots as B7, salvos as B7+C4, fleets by hand or at random."""

    typing: ClassVar[str] = (
        "Fire with B7 (row letter, column number); a salvo with B7+C4+D1. "
        "Place a fleet with A1-A5 C3-F3 …, or type random."
    )
    commands: ClassVar[Mapping[str, Command]] = {
        "odds": Command(
            "where ships probably lie; odds heatmap asks the network", _odds, asks=True
        ),
        "random": Command("place your fleet at random", _place),
    }

    def score(self, value: float) -> str:
        return f"{-value:g} shots"

    def seat_name(self, game: AnyGame, state: Any, seat: Seat) -> str:
        assert isinstance(game, Battleship)
        return ("first player", "second player")[seat] if game.duel else "player"

    def story(
        self,
        game: AnyGame,
        before: BattleshipState,
        actions: Mapping[Seat, Any],
        after: BattleshipState,
        viewer: Seat | None,
        colour: bool,
    ) -> Iterable[str]:
        for seat, action in actions.items():
            who = self.seat_name(game, before, seat)
            if isinstance(action, Fleet):
                if seat >= 0:
                    yield f"{who} has placed its fleet"
                continue
            aim = 0 if len(after.seas) == 1 else 1 - seat
            for shot in after.seas[aim].shots[len(before.seas[aim].shots) :]:
                yield f"{who}: {answer(shot)}"
