"""The contract of every game and agent: `Game`, `Turn`, `Agent`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar, cast

from numpy.random import Generator

from .errors import IllegalAction

Seat = int
CHANCE: Seat = -1
"""The seat of the chance player (nature): it places, deals and draws, and its moves are recorded
like any other."""

S = TypeVar("S")  # the full state
A = TypeVar("A")  # one seat's action
V = TypeVar("V")  # what one seat may know
A_co = TypeVar("A_co", covariant=True)


class Actions(Protocol[A_co]):
    """The legal actions of one seat, perhaps too many to list: iterate, test or sample them."""

    def __iter__(self) -> Iterator[A_co]: ...
    def __contains__(self, action: object) -> bool: ...
    def sample(self, rng: Generator) -> A_co:
        """One legal action drawn at random; uniform unless the game says otherwise."""
        ...


class Listed(tuple[A_co, ...]):
    """Legal actions that are few enough to list."""

    __slots__ = ()

    def sample(self, rng: Generator) -> A_co:
        return self[int(rng.integers(len(self)))]


class Game(ABC, Generic[S, A, V]):
    """Rules only: no clock, no randomness of its own, no drawing.

    A game is a frozen dataclass whose fields are its settings, so two games with equal settings
    are equal, and a record needs nothing else to be played again. States are immutable values.
    """

    name: ClassVar[str]
    rules_version: ClassVar[int] = 1
    """Rises when the same actions would lead to another state than before; records quote it."""
    undoable: ClassVar[bool] = False
    """Whether a move may be taken back: never where it would take back what a seat has learnt."""
    action_forms: ClassVar[str] = ""
    """Other forms of an action that `convert` takes, in words, for error messages."""

    @property
    @abstractmethod
    def seats(self) -> int:
        """How many seats there are, nature not counted."""

    @abstractmethod
    def start(self) -> S:
        """The position before anybody, nature included, has moved."""

    @abstractmethod
    def to_move(self, state: S) -> tuple[Seat, ...]:
        """Who acts now: `()` the game is over, `(CHANCE,)` nature draws, `(1,)` a turn,
        `(0, 1)` together."""

    @abstractmethod
    def legal(self, state: S, seat: Seat) -> Actions[A]:
        """What `seat`, which is to move, may do; depends only on what the seat may know."""

    def check(self, state: S, seat: Seat, action: A) -> None:
        """Raise `IllegalAction`, saying why, unless `action` is legal for `seat` now."""
        if seat not in self.to_move(state):
            raise IllegalAction(f"it is not the turn of seat {seat}")
        if action not in self.legal(state, seat):
            raise IllegalAction(f"{self.write(action)} is not legal now")

    def draw(self, state: S, rng: Generator) -> A:
        """Nature's move, with the probabilities of the rules."""
        return self.legal(state, CHANCE).sample(rng)

    @abstractmethod
    def apply(self, state: S, actions: Mapping[Seat, A]) -> S:
        """The next state: pure and deterministic. `actions` holds one checked action for each
        seat to move."""

    @abstractmethod
    def view(self, state: S, seat: Seat | None) -> V:
        """What `seat` may know of `state`; for `None`, what a spectator may know."""

    def determinize(self, view: V, rng: Generator) -> S:
        """A determinization: a full state that is consistent with `view`, its hidden parts drawn
        at random.

        It is given the view alone, so it can't leak what the view hides: a conformance test holds
        `view(determinize(v)) == v`. The agent `montecarlo` plays every game through it. By
        default the view is the state, which is right where nothing is hidden.
        """
        return cast(S, view)

    @abstractmethod
    def returns(self, state: S) -> tuple[float, ...]:
        """One number a seat, more is better; where seats compete, 1 won, 0 drawn, -1 lost."""

    def forfeit(self, state: S, culprits: Collection[Seat]) -> tuple[float, ...]:
        """The returns when `culprits` break the rules or their clocks in `state`: for them no
        better than any end that play could have reached."""
        if len(culprits) == self.seats:
            return (0.0,) * self.seats
        return tuple(-1.0 if seat in culprits else 1.0 for seat in range(self.seats))

    def hides(self, actor: Seat, action: A, viewer: Seat | None) -> bool:
        """Whether this action of `actor` stays unknown to `viewer` until the game is over."""
        return False

    @abstractmethod
    def write(self, action: A) -> str:
        """The action as short text, such as `h8`; `read` gives it back."""

    @abstractmethod
    def read(self, text: str) -> A:
        """The action that a person or a file wrote; raises `BadText`, saying what is wrong."""

    def convert(self, value: Any, seat: Seat) -> A | None:
        """The action of `seat` that an index, a list or a tuple stands for, such as a cell
        `(row, col)`; None where it stands for none. Text is left to `read`."""
        return None

    def details(self, state: S, seat: Seat, action: A) -> dict[str, int | str]:
        """What a record says of this action, taken in `state`, beside its text."""
        return {}

    def _repr_html_(self) -> str:
        """A notebook shows the position at the start."""
        from .notebook import picture

        return picture(self, self.start())


AnyGame = Game[Any, Any, Any]


@dataclass(frozen=True)
class Turn(Generic[A, V]):
    """One decision, put to one agent: all that it may know and use."""

    game: AnyGame
    """The rules and their settings, which are public."""
    seat: Seat
    view: V
    legal: Actions[A]
    rng: Generator
    """The agent's own stream: no other seat's choices alter what it gives."""
    seconds: float | None = None
    """The time budget of this decision; None when there is none. With a match clock it is advice:
    a share of what the clock has left."""
    clock: float | None = None
    """Seconds that are left for the whole game, where a match clock decides; None where not."""


class Agent(Protocol[A, V]):
    """Anything that maps a turn to an action: program, network, person, remote engine."""

    name: str

    def act(self, turn: Turn[A, V]) -> A: ...


AnyAgent = Agent[Any, Any]


def close(agents: Iterable[object]) -> None:
    """Let agents that hold a process or a connection give it back."""
    for agent in agents:
        finish = getattr(agent, "close", None)
        if callable(finish):
            finish()
