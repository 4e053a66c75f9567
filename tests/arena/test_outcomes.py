"""Outcomes: what two runs are compared by."""

import dataclasses
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace

from trireme import make_game, play
from trireme.arena import Outcome, results_hash
from trireme.arena.outcome import played

GAME = make_game("gomoku", size=7)


@dataclass
class Fails:
    """Forfeits its first turn: by an exception of this text, or by an illegal action."""

    text: str | None
    name: str = "fails"

    def act(self, turn: Any) -> Any:
        if self.text is None:
            return "nonsense"
        raise RuntimeError(self.text)


def outcome(number: int, fingerprint: str) -> Outcome:
    return Outcome(number, (1.0, -1.0), 9, fingerprint, (0.0, 0.0), (5, 4))


def test_an_outcome_is_that_of_its_record() -> None:
    record = play(GAME, ["random", "random"], seed=4).record
    made = played(17, record, (0.5, 0.25), (6, 5))
    assert made.record == record.text
    assert made.outcome == Outcome(
        17, record.returns or (), len(record.moves), record.fingerprint(), (0.5, 0.25), (6, 5)
    )


def test_a_forfeit_is_part_of_the_outcome_and_of_its_fingerprint() -> None:
    raised, again, illegal = (
        played(0, play(GAME, ["random", Fails(text)], seed=4).record, (0.0, 0.0), (1, 1)).outcome
        for text in ("one reason", "in other words", None)
    )
    assert (raised.returns, raised.moves) == (illegal.returns, illegal.moves)
    assert [f.reason for f in (*raised.forfeits, *illegal.forfeits)] == ["exception", "illegal"]
    assert raised.fingerprint != illegal.fingerprint
    assert raised.fingerprint == again.fingerprint  # explanations may differ from run to run


def test_who_forfeited_is_part_of_the_fingerprint() -> None:
    record = play(GAME, [Fails("a"), "random"], seed=4).record
    assert record.end is not None
    (forfeit,) = record.end.forfeits
    end = replace(record.end, forfeits=(replace(forfeit, seat=1),))
    assert dataclasses.replace(record, end=end).fingerprint() != record.fingerprint()


@pytest.mark.parametrize(
    "changed",
    [
        [outcome(0, "a"), outcome(1, "c")],
        [outcome(0, "b"), outcome(1, "a")],
        [outcome(0, "a")],
        [outcome(0, "a"), outcome(2, "b")],
    ],
)
def test_other_games_give_another_hash(changed: list[Outcome]) -> None:
    base = [outcome(0, "a"), outcome(1, "b")]
    assert results_hash(changed) != results_hash(base)
    assert results_hash(base[::-1]) == results_hash(base)
    assert len(results_hash(base)) == 16
