"""The agent that plays every game from its rules: better than random, legal, repeatable."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.random import Generator

from trireme import CHANCE, Game, Listed, Seat, TriremeError, Turn, make_agent, play
from trireme.core.agents import Random
from trireme.core.monte_carlo import Arm, MonteCarlo, _candidates, _ucb1
from trireme.core.registry import GAMES, agents_of

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


@dataclass(frozen=True)
class TicTacToe(Game[str, int, str]):
    name: ClassVar[str] = "tic_tac_toe"

    @property
    def seats(self) -> int:
        return 2

    def start(self) -> str:
        return "." * 9

    def winner(self, state: str) -> int | None:
        won = {state[int(line[0])] for line in LINES if len({state[int(c)] for c in line}) == 1}
        return next((int(mark) for mark in "01" if mark in won), None)

    def to_move(self, state: str) -> tuple[Seat, ...]:
        over = self.winner(state) is not None or "." not in state
        return () if over else ((9 - state.count(".")) % 2,)

    def legal(self, state: str, seat: Seat) -> Listed[int]:
        return Listed(at for at, mark in enumerate(state) if mark == ".")

    def apply(self, state: str, actions: Mapping[Seat, int]) -> str:
        ((seat, at),) = actions.items()
        return f"{state[:at]}{seat}{state[at + 1 :]}"

    def view(self, state: str, seat: Seat | None) -> str:
        return state

    def returns(self, state: str) -> tuple[float, ...]:
        won = self.winner(state)
        return (0.0, 0.0) if won is None else ((1.0, -1.0) if won == 0 else (-1.0, 1.0))

    def write(self, action: int) -> str:
        return str(action)

    def read(self, text: str) -> int:
        return int(text)


@dataclass(frozen=True)
class Deal:
    card: int | None = None
    bids: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Bid(Game[Deal, int, Deal]):
    """Both bid at once; seat 0 wins with a bid that equals a hidden card, which is mostly 2."""

    name: ClassVar[str] = "bid"

    @property
    def seats(self) -> int:
        return 2

    def start(self) -> Deal:
        return Deal()

    def to_move(self, state: Deal) -> tuple[Seat, ...]:
        if state.card is None:
            return (CHANCE,)
        return (0, 1) if state.bids is None else ()

    def legal(self, state: Deal, seat: Seat) -> Listed[int]:
        return Listed(range(5))

    def apply(self, state: Deal, actions: Mapping[Seat, int]) -> Deal:
        if CHANCE in actions:
            return Deal(card=actions[CHANCE])
        return replace(state, bids=(actions[0], actions[1]))

    def view(self, state: Deal, seat: Seat | None) -> Deal:
        return state if state.bids else Deal()

    def determinize(self, view: Deal, rng: Generator) -> Deal:
        return view if view.bids else Deal(card=int(rng.choice([0, 2, 2, 2, 2])))

    def returns(self, state: Deal) -> tuple[float, ...]:
        if state.bids is None:
            return (0.0, 0.0)
        return (1.0, -1.0) if state.bids[0] == state.card else (-1.0, 1.0)

    def write(self, action: int) -> str:
        return str(action)

    def read(self, text: str) -> int:
        return int(text)


def turn(game: Any, view: Any, seat: Seat, legal: Any, **more: Any) -> Turn[Any, Any]:
    return Turn(game, seat, view, legal, np.random.default_rng(3), **more)


@pytest.mark.parametrize(("seat", "least"), [(0, 10), (1, 5)])
def test_it_beats_random_in_tic_tac_toe(seat: Seat, least: float) -> None:
    agents: list[Any] = [Random(), Random()]
    agents[seat] = MonteCarlo(playouts=100)
    score = sum(play(TicTacToe(), agents, seed=seed).returns[seat] for seed in range(12))
    assert score >= least


def test_it_beats_random_in_gomoku() -> None:
    specs = ["montecarlo:playouts=60", "random"]
    assert play("gomoku:size=7", specs, seed=1).returns == (1.0, -1.0)


def test_it_takes_a_win_and_blocks_a_loss() -> None:
    game = TicTacToe()
    for state, seat, best in (("00.11....", 0, 2), ("00.1.....", 1, 2)):
        legal = game.legal(state, seat)
        assert MonteCarlo(playouts=300).act(turn(game, state, seat, legal)) == best


def test_it_samples_hidden_parts_and_the_moves_of_others() -> None:
    legal = Listed(range(5))
    assert MonteCarlo(playouts=200).act(turn(Bid(), Deal(), 0, legal)) == 2


def test_the_same_seed_gives_the_same_action() -> None:
    game = TicTacToe()
    legal = game.legal(game.start(), 0)
    acts = [MonteCarlo(playouts=30).act(turn(game, game.start(), 0, legal)) for _ in range(2)]
    assert acts[0] == acts[1]


def test_as_many_actions_as_it_may_look_at_are_all_looked_at() -> None:
    rng = np.random.default_rng(0)
    for most, every in ((9, True), (8, False)):
        looked_at = [arm.action for arm in _candidates(Listed(range(9)), most, rng)]
        assert (looked_at == list(range(9))) is every


def test_where_actions_are_many_it_looks_at_a_sample_of_them() -> None:
    """Every candidate gets its playouts, however many actions there are."""
    game = TicTacToe()
    seen = []

    class Counting(TicTacToe):
        def apply(self, state: str, actions: Mapping[Seat, int]) -> str:
            if state == game.start():
                seen.append(actions[0])
            return super().apply(state, actions)

    MonteCarlo(playouts=9).act(turn(Counting(), game.start(), 0, game.legal(game.start(), 0)))
    assert len(seen) == 9
    assert len(set(seen)) <= 3


def test_out_of_time_it_still_gives_a_legal_action() -> None:
    game = TicTacToe()
    legal = game.legal(game.start(), 0)
    assert MonteCarlo(playouts=10**9).act(turn(game, game.start(), 0, legal, seconds=0.0)) in legal


def test_a_playout_ends_at_its_depth() -> None:
    """Scored as it stands: with one move nothing is decided, so the first candidate is as good."""
    game = TicTacToe()
    legal = game.legal("00.11....", 0)
    assert MonteCarlo(playouts=30, depth=1).act(turn(game, "00.11....", 0, legal)) == 2
    assert MonteCarlo(playouts=30, depth=1).act(turn(game, game.start(), 0, legal)) == 2


def test_playouts_go_to_the_highest_upper_confidence_bound() -> None:
    """The means differ by 0.1, the bounds above them by s √(½ ln 12) (1/√2 - 1/√10) = 0.436 s for
    values that spread over s: the second is tried where s is above 0.2295."""
    arms = [Arm("a", 10, 5.0), Arm("b", 2, 0.8)]
    assert [_ucb1(arms, 12, spread).action for spread in (0.0, 0.229, 0.23, 1.0)] == list("aabb")
    assert [_ucb1(arms, number, 0.0).action for number in range(2)] == list("ab"), "untried first"
    assert Arm("untried").mean == -math.inf
    assert arms[1].mean == 0.4


def test_one_playout_is_enough_for_an_action() -> None:
    game = TicTacToe()
    legal = game.legal(game.start(), 0)
    assert MonteCarlo(playouts=1, depth=1).act(turn(game, game.start(), 0, legal)) in legal


@pytest.mark.parametrize("spec", ["montecarlo:playouts=0", "montecarlo:depth=0"])
def test_options_that_make_no_sense_are_refused(spec: str) -> None:
    with pytest.raises(TriremeError, match="at least 1"):
        make_agent("gomoku", spec)


def test_every_game_lists_it_second() -> None:
    assert all(list(agents_of(name))[:2] == ["random", "montecarlo"] for name in GAMES)
