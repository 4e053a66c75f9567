"""The episode behind environments of whole games: seats choose numbers, the rules play the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from trireme.core.errors import BadSettings, IllegalAction, unknown
from trireme.core.forfeit import Forfeit
from trireme.core.game import AnyAgent, AnyGame, Seat
from trireme.core.record import Record
from trireme.core.registry import draw_text
from trireme.core.seeding import fresh_seed
from trireme.core.session import Opening, Session

from .checks import ResetNeeded, known_render_mode, known_seed, positive
from .encoding import encoder_of

RENDER_MODES = ["ansi", "human"]
ILLEGAL = ("forfeit", "raise")


class ZooEpisode:
    """One game with its encoder: seats choose, and the move is played once all have chosen.

    Actions that the encoder has no numbers for (fleets to be placed) are drawn at random from the
    legal ones, each seat from its own random stream; an opening sets them by hand.

    `agents` holds the seats that agents play: they are asked with their views, as in a match, and
    nobody chooses for them.
    """

    def __init__(
        self,
        game: AnyGame,
        render_mode: str | None,
        max_cycles: int | None,
        illegal: str,
        opening: Opening,
    ) -> None:
        if illegal not in ILLEGAL:
            raise BadSettings(str(unknown("illegal", str(illegal), ILLEGAL)))
        self.game = game
        self.encoder = encoder_of(game)
        self.illegal = illegal
        self.opening = opening
        self.render_mode = known_render_mode(render_mode, RENDER_MODES)
        self.max_cycles = None if max_cycles is None else positive(max_cycles, "max_cycles")
        self.players = [f"player_{seat}" for seat in range(game.seats)]
        self.agents: dict[Seat, AnyAgent] = {}
        self.chosen: dict[Seat, list[int]] = {}
        self.faults: dict[Seat, Forfeit] = {}
        self.moves = 0
        self._masks: dict[Seat, NDArray[np.int8]] = {}
        self._session: Session | None = None
        self._rng: np.random.Generator | None = None
        self.begin(0, None)
        self.width = max(self.choices(seat) for seat in self.session.to_move)
        sample = self.observe(0)
        self.observation_spaces = {
            player: spaces.Box(0, 1, sample.shape, sample.dtype.type) for player in self.players
        }
        self.simultaneous = len(self.session.to_move) == game.seats
        self._session, self._rng = None, None

    @property
    def session(self) -> Session:
        if self._session is None:
            raise ResetNeeded("call reset() first")
        return self._session

    @property
    def record(self) -> Record:
        """The episode so far as a record."""
        return self.session.record

    def begin(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """A new episode; `options["opening"]` holds moves made before anybody is asked."""
        if seed is None:
            if self._rng is None:
                self._rng = np.random.default_rng(fresh_seed())
            seed = int(self._rng.integers(2**32))
        else:
            seed = known_seed(seed)
            self._rng = np.random.default_rng(seed)
        opening = (options or {}).get("opening", self.opening)
        self._session = Session(self.game, self.players, seed=seed, opening=opening)
        self.moves = 0
        self._next_move()

    def choices(self, seat: Seat) -> int:
        """How many choices make up the next action of `seat`."""
        return self.encoder.choices(self.game.view(self.session.state, seat), seat)

    def observe(self, seat: Seat) -> NDArray[Any]:
        """What `seat` sees, its choices so far included."""
        view = self.game.view(self.session.state, seat)
        return self.encoder.observe(view, seat, self.chosen.get(seat, ()))

    def allowed(self, seat: Seat) -> NDArray[np.int8]:
        """The action mask of `seat`: all zeros where it has nothing to choose."""
        if seat not in self._masks:
            if seat in self.waiting():
                view = self.game.view(self.session.state, seat)
                self._masks[seat] = self.encoder.allowed(view, seat, self.chosen[seat])
            else:
                self._masks[seat] = np.zeros(self.encoder.num_actions, np.int8)
        return self._masks[seat].copy()

    def waiting(self) -> list[Seat]:
        """The seats that have choices left to make before the next move."""
        return [
            seat
            for seat in self.session.to_move
            if seat not in self.faults
            and seat not in self.agents
            and len(self.chosen[seat]) < self.choices(seat)
        ]

    def choose(self, seat: Seat, number: int) -> None:
        """One choice of a seat that has one to make."""
        if not 0 <= number < self.encoder.num_actions or not self.allowed(seat)[number]:
            fault = f"{number} is not allowed for {self.players[seat]} now: see its action_mask"
            if self.illegal == "raise":
                raise IllegalAction(fault)
            self.faults[seat] = Forfeit(seat, "illegal", fault)
            return
        self.chosen[seat].append(number)
        self._masks.pop(seat, None)

    def choose_together(self, numbers: Mapping[Seat, Sequence[int]]) -> None:
        """The choices of several seats; where one raises, none of them counts."""
        before = {seat: list(chosen) for seat, chosen in self.chosen.items()}
        try:
            for seat, chosen in numbers.items():
                for number in chosen:
                    if seat not in self.faults:
                        self.choose(seat, number)
        except IllegalAction:
            self.chosen = before
            self._masks = {}
            raise

    def resolve(self) -> tuple[float, ...]:
        """Play the chosen move, once no seat is waited for; returns the rewards of all seats."""
        session = self.session
        before = session.returns
        if self.faults:
            session.forfeit(*self.faults.values())
            self._masks = {}  # nothing may be chosen any more
        else:
            session.move({seat: self._decision(seat) for seat in session.to_move})
            self.moves += 1
            self._next_move()
        return tuple(now - then for now, then in zip(session.returns, before, strict=True))

    def out_of_cycles(self) -> bool:
        """Whether every seat has had its `max_cycles` turns, which truncates the episode."""
        if self.max_cycles is None:
            return False
        seats = 1 if self.simultaneous or self.agents else self.game.seats
        return self.moves // seats >= self.max_cycles

    def info(self, seat: Seat) -> dict[str, Any]:
        """PettingZoo's info of a seat: its action mask, and its choices left and made."""
        return {
            "action_mask": self.allowed(seat),
            "choices": self.choices(seat) if seat in self.session.to_move else 0,
            "chosen": tuple(self.chosen.get(seat, ())),
        }

    def draw(self) -> str:
        """The game as a spectator may see it."""
        return draw_text(self.game, self.session.state)

    def _decision(self, seat: Seat) -> Any:
        if seat in self.agents:
            return self.agents[seat].act(self.session.turn(seat))
        view = self.game.view(self.session.state, seat)
        return self.encoder.decide(view, seat, self.chosen[seat])

    def _next_move(self) -> None:
        """Clear the choices for the next move; play the moves that have no numbers."""
        session = self.session
        self.faults = {}
        while not session.over and not any(
            self.choices(seat) for seat in session.to_move if seat not in self.agents
        ):
            session.move({seat: self._unnumbered(seat) for seat in session.to_move})
        self.chosen = {seat: [] for seat in session.to_move}
        self._masks = {}

    def _unnumbered(self, seat: Seat) -> Any:
        """The action of a seat that nobody chooses numbers for: its agent's, or a random one."""
        if seat in self.agents:
            return self._decision(seat)
        turn = self.session.turn(seat)
        return turn.legal.sample(turn.rng)
