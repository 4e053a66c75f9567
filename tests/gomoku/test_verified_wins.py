"""Forced wins that the engine finds: the independent checker confirms them, long ones too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trireme.gomoku.engine.threat_prover import ThreatProver
from trireme.gomoku.proof_checker import CheckTooLong, ProofChecker, Stones
from trireme.gomoku.rules import Gomoku, GomokuState, read_points
from trireme.gomoku.verified_wins import ForcedWin, WinVerifier

from .brute_force import scattered

FORCED_WINS = Path(__file__).parents[2] / "benchmarks" / "gomoku_forced_wins.jsonl"
OPEN_THREE = "g8a1h8c15i8o5"
"""Black to move has an open three, white nothing."""
DOUBLE_THREE = "g8a1i8c15h9o5h7k1"
"""Black to move makes two open threes at h8."""


def stones_of(moves: str) -> Stones:
    return dict(GomokuState(tuple(read_points(Gomoku(), moves))).board())


def forced_win(plies: int) -> GomokuState:
    """The first position of the shipped set that is won in so many plies."""
    cases = [json.loads(line) for line in FORCED_WINS.read_text(encoding="utf-8").splitlines()]
    case = next(case for case in cases if case["mate_plies"] == plies)
    return Gomoku(position=case["stones"]).start()


@pytest.fixture(scope="module")
def verifier() -> WinVerifier:
    return WinVerifier(rows=1 << 14)


@pytest.mark.parametrize("plies", [13, 17, 21, 25])
def test_long_claims_are_confirmed_against_every_reply(verifier: WinVerifier, plies: int) -> None:
    state = forced_win(plies)
    stones: Stones = dict(state.board())
    win = verifier.find(stones, state.colour, 60_000)
    assert win is not None
    assert verifier.confirms(stones, state.colour, win, win.plies, 400) is True
    assert stones == state.board()


@pytest.mark.parametrize("number", [3, 118])
def test_a_line_is_followed_only_where_each_stone_is_its_owners(
    verifier: WinVerifier, number: int
) -> None:
    """Here a defender can take points of the line in another order, which gives the same points in
    other colours."""
    case = json.loads(FORCED_WINS.read_text(encoding="utf-8").splitlines()[number])
    state = Gomoku(position=case["stones"]).start()
    stones: Stones = dict(state.board())
    win = verifier.find(stones, state.colour, 60_000)
    assert win is not None
    assert verifier.confirms(stones, state.colour, win, win.plies, 600) is True


def test_false_claims_are_refused(verifier: WinVerifier) -> None:
    stones = stones_of(DOUBLE_THREE)
    win = verifier.find(stones, 1, 10_000)
    assert win is not None
    assert (win.plies, win.line[0], win.by_fours) == (5, (7, 7), False)
    assert verifier.confirms(stones, 1, win, 5) is True
    assert verifier.confirms(stones, 1, win, 3) is False  # it takes longer
    wrong = ForcedWin(5, ((0, 7),), by_fours=False)
    assert verifier.confirms(stones, 1, wrong, 5) is False
    taken = ForcedWin(5, (next(iter(stones)),), by_fours=False)
    assert verifier.confirms(stones, 1, taken, 5) is False


def test_a_check_that_takes_too_long_says_nothing(verifier: WinVerifier) -> None:
    state = forced_win(25)
    stones: Stones = dict(state.board())
    win = verifier.find(stones, state.colour, 60_000)
    assert win is not None
    assert verifier.confirms(stones, state.colour, win, win.plies, limit=3) is None
    with pytest.raises(CheckTooLong, match="more than 0"):
        ProofChecker(limit=0).escapes(stones, state.colour, lambda *_: win.line[0], win.plies)


def test_what_was_confirmed_for_one_strategy_is_no_proof_for_another() -> None:
    stones, checker = stones_of(OPEN_THREE), ProofChecker()
    assert checker.escapes(stones, 1, lambda *_: (7, 5), 3) is None
    assert checker.escapes(stones, 1, lambda *_: (0, 5), 3) is not None


def test_nothing_is_found_where_nothing_wins(verifier: WinVerifier) -> None:
    assert verifier.find(stones_of("h8a1"), 1, 1000) is None
    assert verifier.find({}, 1, 1000) is None


def test_replies_that_are_left_out_change_nothing() -> None:
    """A reply that the checker does not try loses to the win that it has seen."""
    left_out = 0
    for seed in range(60):
        stones, checker = scattered(seed, 11, 16 + seed % 9), ProofChecker(11)
        if checker.fives(stones, 1) or checker.fives(stones, -1):
            continue
        line, replies = checker._replies(stones, 1, 7)
        for point in checker.points:
            if not line or point in stones or point in replies:
                continue
            stones[point] = -1
            assert checker._still_wins(stones, 1, checker.fives(stones, -1), line, 7)
            del stones[point]
            left_out += 1
    assert left_out > 100


def test_a_search_that_ends_without_a_win_is_told_from_one_that_was_cut() -> None:
    prover = ThreatProver(15, exact=True, rows=1 << 12)
    prover.set_position(stones_of("h8a1").items(), 1)
    assert prover.no_win(1000)
    prover.set_position(stones_of(OPEN_THREE).items(), 1)
    assert not prover.no_win(1000)
    prover.set_position(stones_of("g8a1h8c15").items(), 1)
    assert prover.no_win(20_000)
    prover.set_position(stones_of("g8a1h8c15").items(), -1)
    prover.set_position(stones_of("g8a1h8c15").items(), 1)
    assert not prover.no_win(1)
    prover.push(0)
    prover.push(5)
    prover.pop_all()
    assert not prover.taken(0)
    assert not prover.taken(5)
