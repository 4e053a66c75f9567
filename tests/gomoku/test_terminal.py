"""What Gomoku adds to the prompt."""

import pytest

from trireme.core.errors import TriremeError
from trireme.core.play import Session
from trireme.core.registry import find, load
from trireme.gomoku.insight import as_share, insight
from trireme.gomoku.rules import Gomoku
from trireme.gomoku.terminal import GomokuTerminal


class Paper:
    """A screen that keeps what was said, and has answers ready."""

    def __init__(self, session: Session, *answers: str) -> None:
        self.session, self.seat, self.colour = session, 0, False
        self.said: list[str] = []
        self.answers = list(answers)

    def say(self, text: str) -> None:
        self.said.append(text)

    def ask(self, question: str) -> str:
        return self.answers.pop(0)

    def run(self, word: str, text: str = "") -> str:
        self.said.clear()
        GomokuTerminal.commands[word].run(self, text)
        return "\n".join(self.said)


def paper(*moves: str, game: Gomoku | None = None) -> Paper:
    return Paper(Session(game or Gomoku(), ["human", "human"], seed=1, opening=moves))


FOUR = ("h8", "a1", "i8", "b5", "j8", "c9", "k8", "d13")


def test_a_hint_names_the_winning_move() -> None:
    said = paper(*FOUR).run("hint", "0.2")
    assert "g8 wins in 1" in said or "l8 wins in 1" in said


def test_hints_give_several_moves_with_values() -> None:
    assert paper("h8", "i9").run("hint", "0.2").count("·") == 4


def test_analysis_shows_depths_values_and_the_line() -> None:
    lines = paper("h8", "i9", "h9").run("analyse", "0.3").splitlines()
    assert lines[0].split() == ["depth", "nodes", "value", "line"]
    assert len(lines) > 4
    assert int(lines[1].split()[0]) == 2


def test_a_position_is_set_up_in_the_same_record() -> None:
    screen = paper("h8", "h9")
    drawn = screen.run("setup", "a1 b2 c3")
    assert "(X)" in drawn
    assert screen.session.state.stones == ((0, 0), (1, 1), (2, 2))
    assert screen.session.to_move == (1,)
    record = screen.session.record
    assert [list(m.values()) for m in record.moves] == [["a1"], ["b2"], ["c3"]]
    record.verify()


def test_the_stones_are_asked_for_where_none_are_given() -> None:
    screen = paper()
    screen.answers.append("h8")
    screen.run("setup")
    assert screen.session.state.stones == ((7, 7),)


@pytest.mark.parametrize(
    ("word", "text"),
    [("setup", "h8 h8"), ("setup", "x"), ("hint", "soon"), ("hint", "-1"), ("analyse", "1e9")],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(word: str, text: str) -> None:
    screen = paper("h8", "h9")
    with pytest.raises(TriremeError):
        screen.run(word, text)
    assert len(screen.session.state.stones) == 2


def test_seats_are_called_by_their_colours_once_these_are_settled() -> None:
    name = load(find("gomoku").terminal)().seat_name
    plain, swap2 = Gomoku(), Gomoku(opening="swap2")
    assert [name(plain, plain.start(), s) for s in (0, 1)] == ["black", "white"]
    assert name(swap2, swap2.start(), 0) == "seat 0"
    swapped = paper("h8", "h9", "i9", "black", game=swap2).session.state
    assert [name(swap2, swapped, s) for s in (0, 1)] == ["white", "black"]


def test_insight_is_plain_and_knows_what_is_won() -> None:
    import numpy as np

    session = paper(*FOUR).session
    told = insight(session.game, session.state, 0, 0.2, np.random.default_rng(1))
    assert told["value"] == 1.0
    assert told["moves"][0]["action"] in ("g8", "l8")
    assert told["moves"][0]["plies"] == 1
    assert as_share(0) == 0.0
    assert -1 < as_share(-5000) < as_share(100) < 1
    with pytest.raises(TriremeError):
        insight(session.game, session.state, 1, 0.2, np.random.default_rng(1))
