"""Costs of moves: proofs are checked independently, and accuracy rises with strength."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import trireme
from trireme.core.review import Review, ReviewedMove, review
from trireme.gomoku import review as module
from trireme.gomoku.engine.analysis import PROVEN_WIN
from trireme.gomoku.engine.threat_prover import ThreatProver
from trireme.gomoku.openings import balanced
from trireme.gomoku.proof_checker import ProofChecker, Strategy
from trireme.gomoku.review import GomokuReviewer, MoveValue, chance_of
from trireme.gomoku.rules import Gomoku, GomokuState, Point

SIZE = 11
LONGEST = 11
"""Plies of the longest claim that is checked twice."""
THREE = "f6 a1 g6 a3 h6"
"""Black has an open three, white is to move."""


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NODES", 2_000)
    monkeypatch.setattr(module, "LEAST_NODES", 1_500)


pytestmark = pytest.mark.usefixtures("_quick")


def played(moves: str, size: int = SIZE, **settings: object) -> Review:
    game = Gomoku(size, **settings)  # type: ignore[arg-type]
    return review(
        trireme.Session(game, ["a", "b"], seed=0, opening=moves.split()).record, seat=None
    )


def last_of(moves: str) -> ReviewedMove:
    """The last decision of a game, which need not be over."""
    stones = moves.split()
    record = trireme.Session(Gomoku(SIZE), ["a", "b"], seed=0, opening=stones).record
    found = review(record, seat=(len(stones) - 1) % 2).moves[-1]
    assert found.move == len(stones)
    return found


def test_a_five_left_undone_is_a_win_missed() -> None:
    last = last_of("f6 e6 g6 a3 h6 a5 i6 a7 k1")
    assert (last.best, last.missed) == ("j6", ("j6",))
    assert last.note == "misses a forced win in 1 plies"
    assert last.value == 1.0
    assert last.cost > 0.05


def test_a_slower_win_is_still_a_win() -> None:
    last = last_of(f"{THREE} a5 i6 a7 k1")
    assert (last.note, last.cost, last.missed) == ("keeps the forced win", 0.0, ())


def test_a_five_made_costs_nothing() -> None:
    found = played(f"{THREE} a5 i6 a7 j6")
    last = found.moves[-1]
    assert (last.played, last.cost) == ("j6", 0.0)
    assert last.accuracy in (100.0, None)  # None: an open four wins after a random stone, too
    assert found.finished
    assert found.seats[0].curve[-1] == (9, 1.0)
    assert found.seats[1].curve[-1] == (9, 0.0)


def test_an_open_three_ignored_allows_a_forced_win() -> None:
    answer = last_of("f6 f7 g6 g8 h6 a5")
    assert answer.played == "a5"
    assert answer.best in ("e6", "i6", "d6", "j6")
    assert answer.note.startswith("allows a forced win in ")
    assert answer.cost > 0.05
    assert answer.allowed[0] in ("e6", "i6")


def test_nothing_is_at_stake_in_a_lost_position() -> None:
    answer = last_of(f"{THREE} a5 i6 a7")
    assert answer.accuracy is None
    assert answer.cost == 0.0
    assert answer.note == "lost, whatever is played"


LOST = MoveValue(0.0, True, ((1, 1),), 3)
OPEN = MoveValue(0.0, False, ((1, 1),), None)
DRAWN = MoveValue(0.5, True, ((1, 1),), None)


@pytest.mark.parametrize(
    ("then", "missed", "allowed", "verified"),
    [
        (LOST, True, True, True),
        (LOST, True, False, False),
        (LOST, False, True, False),
        (OPEN, True, None, True),
        (DRAWN, True, None, True),
        (DRAWN, False, None, False),
    ],
)
def test_a_missed_win_is_verified_together_with_the_win_that_it_allows(
    then: MoveValue,
    missed: bool,
    allowed: bool | None,
    verified: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reviewer, state = GomokuReviewer(Gomoku(SIZE), 0), GomokuState()
    before: Any = SimpleNamespace(best=(5, 9), line=((5, 9),), moves=[SimpleNamespace(plies=1)])
    claims = {((5, 9),): missed, ((1, 1),): allowed}
    monkeypatch.setattr(reviewer, "_after", lambda _: then)
    monkeypatch.setattr(reviewer, "_verified", lambda _state, line, _plies: claims[line])
    found = reviewer._judge_win(state, before, (0, 0), state)
    assert found.verified is verified
    assert found.allowed == (() if allowed is None else ((1, 1),))


def strategy(size: int) -> Strategy:
    """The engine's threat search as a strategy for the checker."""
    prover = ThreatProver(size, exact=True)

    def choose(stones: Mapping[Point, int], colour: int) -> Point | None:
        prover.set_position(stones.items(), colour)
        line = prover.winning_line(50_000)
        return None if line is None else divmod(line.points[0], size)

    return choose


@pytest.mark.parametrize(
    ("agent", "seed"),
    [("heuristic:epsilon=0.3", 2), pytest.param("random", 1, marks=pytest.mark.slow)],
)
def test_forced_wins_missed_and_allowed_are_proven(agent: str, seed: int) -> None:
    """Claims are verified; short ones are played out once more, with another strategy."""
    record = trireme.play(Gomoku(SIZE), [agent, agent], seed=seed).record
    states = list(record.states())
    checker = ProofChecker(SIZE)
    checked = 0
    for move in review(record).moves:
        if not (move.missed or move.allowed):
            assert not move.verified
            continue
        plies = [int(word) for word in move.note.split() if word.isdecimal()]
        if plies[0] > LONGEST:
            continue
        assert move.verified
        state: GomokuState = states[move.move - 1 if move.missed else move.move]
        first = record.game.read((move.missed or move.allowed)[0])
        assert first not in state.stones
        escape = checker.escapes(dict(state.board()), state.colour, strategy(SIZE), plies[0])
        assert escape is None, (move, escape)
        checked += 1
    assert checked


def test_a_claim_that_does_not_hold_is_not_verified() -> None:
    game = Gomoku(SIZE)
    reviewer = GomokuReviewer(game, 10)
    state = trireme.Session(game, ["a", "b"], seed=0, opening=f"{THREE} a5".split()).state
    e6, a11 = game.read("e6"), game.read("a11")
    assert reviewer._verified(state, (e6,), 3)
    assert not reviewer._verified(state, (e6,), 1)
    assert not reviewer._verified(state, (a11,), 3)
    assert not reviewer._verified(state, (), None)


def test_the_effort_of_a_move_is_bounded() -> None:
    assert GomokuReviewer(Gomoku(), 1).checked == module.MOST_CHECKED
    assert GomokuReviewer(Gomoku(), 10_000).checked == module.LEAST_CHECKED
    assert GomokuReviewer(Gomoku(), 1).nodes == module.MOST_NODES
    assert GomokuReviewer(Gomoku(), 10_000).nodes == module.LEAST_NODES


def test_winning_chances_are_symmetric() -> None:
    assert chance_of(0) == 0.5
    assert chance_of(PROVEN_WIN) == 1.0
    assert chance_of(-PROVEN_WIN) == 0.0
    assert chance_of(300) == pytest.approx(1 - chance_of(-300))


def test_under_swap2_the_choice_of_a_colour_is_reviewed_and_opening_stones_are_not() -> None:
    game = Gomoku(15, opening="swap2")
    opening = ["h8", "a1", "i9", "black", "a2"]
    record = trireme.Session(game, ["a", "b"], seed=0, opening=opening).record
    assert [move.played for move in review(record, seat=0).moves] == ["a2"]
    choice = review(record, seat=1).moves[0]
    assert (choice.played, choice.best, choice.cost) == ("black", "black", 0.0)
    wrong = trireme.Session(game, ["a", "b"], seed=0, opening=[*opening[:3], "white"]).record
    found = review(wrong, seat=1).moves[0]
    assert found.best == "black"
    assert found.cost > 0.02


def test_stones_of_the_arenas_openings_are_not_reviewed() -> None:
    opening = next(stones for stones in balanced(15) if len(stones) == 5)
    game = Gomoku()
    moves = [game.write(point) for point in opening]
    far = [game.write(p) for p in ((0, 0), (14, 14)) if p not in opening]
    record = trireme.Session(game, ["a", "b"], seed=0, opening=[*moves, *far]).record
    assert [move.move for move in review(record, seat=0).moves] == [7]
    assert [move.move for move in review(record, seat=1).moves] == [6]
    record = trireme.Session(game, ["a", "b"], seed=0, opening=[*moves[:2], *far]).record
    assert [move.move for move in review(record, seat=0).moves] == [3]  # the opening was left


def test_a_move_is_judged_alike_whatever_was_judged_before() -> None:
    record = trireme.play(Gomoku(9), ["heuristic", "random"], seed=1).record
    assert review(record, seat=1).moves == tuple(m for m in review(record).moves if m.seat == 1)


@pytest.mark.slow
def test_accuracy_rises_with_strength() -> None:
    means = []
    for agent in ("random", "heuristic:epsilon=0.3", "search:nodes=30000"):
        found = [
            review(trireme.play("gomoku", [agent, "search:depth=4"], seed=seed).record).seats[0]
            for seed in (1, 2)
        ]
        means.append(np.mean([seat.accuracy for seat in found]))
    assert means == sorted(means)
    assert means[0] < 50
    assert means[-1] > 75
