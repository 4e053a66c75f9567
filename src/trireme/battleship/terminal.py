"""Battleship at the prompt: how to type shots and fleets, and what is called out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from ..core.errors import IllegalAction
from ..core.game import AnyGame, Seat
from ..core.terminal import Command, Screen, Terminal
from .draw import answer
from .fleets import Fleet
from .rules import Action, State, View


def _place(screen: Screen, text: str) -> Action:
    """A random fleet, where a fleet is to be placed."""
    session = screen.session
    view: View = session.game.view(session.state, screen.seat)
    if view.stage != "placing":
        raise IllegalAction("your fleet is placed already")
    turn = session.turn(screen.seat)
    action: Action = turn.legal.sample(turn.rng)
    screen.say(f"  your fleet: {session.game.write(action)}")
    return action


class BattleshipTerminal(Terminal):
    """Shots as B7, salvos as B7+C4, fleets by hand or at random."""

    typing: ClassVar[str] = (
        "Fire with B7 (row letter, column number); a salvo with B7+C4+D1. "
        "Place a fleet with A1-A5 C3-F3 …, or type random."
    )
    commands: ClassVar[Mapping[str, Command]] = {
        "random": Command("place your fleet at random", _place)
    }

    def story(
        self,
        game: AnyGame,
        before: State,
        actions: Mapping[Seat, Any],
        after: State,
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
