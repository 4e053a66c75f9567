"""Simulation on request: the rules applied for programs that do not know them.

A request is judged by what its seat may know: it starts from the seat's view, whose hidden parts
are drawn at random, or from a state that the program itself has made up. Nothing of the true state
is in reach here.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin

import msgspec
from numpy.random import Generator

from .errors import BadText, IllegalAction, TriremeError
from .forfeit import bounded, describe_error
from .game import AnyGame, Game
from .line_process import ProcessFailed, ProcessTimeout
from .record import seat_key

MOST_AT_ONCE = 1_000
"""Simulations in one request."""
MOST_PER_TURN = 50_000
"""Simulations for one decision: its clock limits them too, but not every game has one."""


class SimulationRequest(msgspec.Struct, forbid_unknown_fields=True):
    """One position and the actions to apply to it, by seat as records write them."""

    actions: dict[str, str] = {}
    """The action of every seat to move; without any, the answer is the position itself."""
    state: Any = None
    """The position as JSON values; None for the seat's view, with hidden parts drawn at random."""


@dataclass
class Simulator:
    """Answers the requests of one decision, within its deadline."""

    game: AnyGame
    view: Any
    rng: Generator
    """Draws what the view hides."""
    deadline: float
    """When the decision's time is over, by the monotonic clock."""
    done: int = field(default=0, init=False)

    def answer(self, requests: object) -> list[dict[str, Any]]:
        """An outcome for each request; `ProcessFailed` if there are too many or none can be read,
        `ProcessTimeout` when the decision's time is over."""
        try:
            known = msgspec.convert(requests, list[SimulationRequest])
        except msgspec.ValidationError as error:
            raise ProcessFailed(f"not a list of simulations: {error}") from None
        if len(known) > MOST_AT_ONCE:
            raise ProcessFailed(f"asked for {len(known)} simulations at once, of {MOST_AT_ONCE}")
        self.done += len(known)
        if self.done > MOST_PER_TURN:
            raise ProcessFailed(f"asked for more than {MOST_PER_TURN} simulations in a turn")
        return [self._outcome(request) for request in known]

    def _outcome(self, request: SimulationRequest) -> dict[str, Any]:
        if time.monotonic() > self.deadline:
            raise ProcessTimeout("its simulations took longer than the time for its action")
        try:
            if request.state is None:
                state = self.game.determinize(self.view, self.rng)
            else:
                state = read_state(self.game, request.state)
            if request.actions:
                state = apply_text(self.game, state, request.actions)
            return describe(self.game, state)
        except TriremeError as error:
            return {"error": bounded(str(error))}
        except Exception as error:  # a state that no play leads to may break any rule
            return {"error": bounded(f"can't be played on: {describe_error(error)}")}


def read_state(game: AnyGame, plain: Any) -> Any:
    """The state that JSON values describe; raises `BadText` where they do not."""
    bases = getattr(type(game), "__orig_bases__", ())
    stated = [get_args(base)[0] for base in bases if get_origin(base) is Game]
    if not stated:
        raise BadText(f"states of {game.name} can't be read: its class names no type for them")
    try:
        return msgspec.convert(plain, stated[0])
    except msgspec.ValidationError as error:
        raise BadText(f"not a state of {game.name}: {error}") from None


def apply_text(game: AnyGame, state: Any, texts: Mapping[str, str]) -> Any:
    """The state after the actions, given as text by seat and checked."""
    expected = {seat_key(seat): seat for seat in game.to_move(state)}
    if not expected:
        raise IllegalAction("the game is over")
    if set(texts) != set(expected):
        raise IllegalAction(
            f"expected the actions of {', '.join(expected)}, not of {', '.join(sorted(texts))}"
        )
    actions = {expected[key]: game.read(text) for key, text in texts.items()}
    for seat, action in actions.items():
        game.check(state, seat, action)
    return game.apply(state, actions)


def describe(game: AnyGame, state: Any) -> dict[str, Any]:
    """A state for a program: its returns, who moves (nobody once it is over), and itself."""
    return {
        "returns": list(game.returns(state)),
        "to_move": [seat_key(seat) for seat in game.to_move(state)],
        "state": msgspec.to_builtins(state),
    }
