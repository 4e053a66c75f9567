"""Actions as bots give them: the game's own type, text, an index, or a cell."""

from typing import Any

import numpy as np
import pytest

from trireme import BadSpec, IllegalAction, Session, make_game, play
from trireme.battleship.shots import Salvo
from trireme.core.action_input import as_action, cell_of, why_unread
from trireme.core.board import EMPTY, CellBoard
from trireme.gomoku.agents.heuristic import Heuristic
from trireme.gomoku.rules import Gomoku

GOMOKU = make_game("gomoku", size=9)


class Answers:
    """Gives the same answer to every turn."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, turn: Any) -> Any:
        return self.answer


class Last:
    """The last legal action, in a form of its own."""

    def __init__(self, form: Any) -> None:
        self.form, self.name = form, "last"

    def act(self, turn: Any) -> Any:
        return self.form(turn, list(turn.legal)[-1])


FORMS = {
    "own": lambda _, action: action,
    "text": lambda turn, action: turn.game.write(action).upper(),
    "index": lambda turn, action: action[0] * turn.game.size + action[1],
    "numpy index": lambda turn, action: np.int64(action[0] * turn.game.size + action[1]),
    "list": lambda _, action: list(action),
    "array": lambda _, action: np.array(action),
    "pair of numpy": lambda _, action: (np.int32(action[0]), np.int32(action[1])),
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_a_point_play_the_same_game(form: str) -> None:
    games = [play(GOMOKU, [Last(FORMS[f]), "random"], seed=3) for f in ("own", form)]
    assert not games[1].forfeits
    assert games[0].record.fingerprint() == games[1].record.fingerprint()
    assert all(type(i) is int for point in games[1].state.stones for i in point)


@pytest.mark.parametrize("form", ["B7", " b7 ", (1, 6), [1, 6], 16, np.int8(16), [(1, 6)]])
def test_a_shot_may_be_text_a_cell_or_its_index(form: Any) -> None:
    session = Session(make_game("battleship"), ["me"], seed=1).play(form)
    assert session.record.moves[-1] == {0: "B7"}


def test_a_salvo_may_be_a_list_of_cells() -> None:
    session = Session(make_game("battleship", salvo=True, rows=6, cols=6), ["me"], seed=1)
    session.play([(0, 0), (3, 3)])
    assert session.record.moves[-1] == {0: "A1+D4"}


def test_an_index_counts_on_the_board_that_the_seat_fires_at() -> None:
    game = make_game("battleship", "handicap")
    assert game.convert(13, 0) == Salvo(((1, 4),))  # ten rows of nine
    assert game.convert(13, 1) == Salvo(((1, 1),))  # eight rows of twelve


def test_a_plan_may_be_text_or_a_list_of_orders() -> None:
    game = make_game("navigation")
    plans = Session(game, ["a", "b"], seed=1).play("F-F-F-F-", list(game.read("--------")))
    assert plans.record.moves == ({0: "F-F-F-F-", 1: "--------"},)


def test_cells_that_are_none() -> None:
    for value in ("b2", (1,), (1, 2, 3), (1.5, 2), None, True, {}):
        assert cell_of(value, 9, 9) is None
    with pytest.raises(IllegalAction, match="expected an index from 0 to 80, not 81"):
        cell_of(81, 9, 9)
    with pytest.raises(IllegalAction, match="not -1"):
        cell_of(-1, 9, 9)
    assert cell_of(80, 9, 9) == (8, 8)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (81, "expected an index from 0 to 80, not 81"),
        ("z99", "'z99' is not on the board, which goes from a1 to i9"),
        ("nonsense", "expected a point such as h8"),
        (None, "expected tuple, such as"),
        (True, "a point (row, col) or its index row × size + col"),
        (3.0, "not the float 3.0"),
        ({"row": 1}, "not the dict {'row': 1}"),
        ((0, 0, 0), "(0, 0, 0) is not on the 9×9 board"),
        ((8, 9), "(8, 9) is not on the 9×9 board"),
    ],
)
def test_a_wrong_answer_is_told_what_this_game_expects(answer: Any, said: str) -> None:
    (fault,) = play(GOMOKU, [Answers(answer), "random"], seed=1).forfeits
    assert fault.reason == "illegal"
    assert said in fault.detail
    with pytest.raises(IllegalAction) as refused:
        Session(GOMOKU, ["a", "b"], seed=1).play(answer)
    assert said in str(refused.value)


def test_values_whose_methods_fail_are_illegal_and_no_crash() -> None:
    class Hostile(str):
        def __eq__(self, other: object) -> bool:
            raise SystemExit

        __hash__ = str.__hash__

    class Unpaired(list[int]):
        def __len__(self) -> int:
            raise RuntimeError

    for answer in (Hostile("h8"), Unpaired()):
        (fault,) = play(GOMOKU, [Answers(answer), "random"], seed=1).forfeits
        assert fault.reason == "illegal"


def test_a_file_without_a_class_is_refused_with_what_is_missing() -> None:
    with pytest.raises(BadSpec, match=r"'my_bot.py' is a file: .* my_bot.py:Bot"):
        play(GOMOKU, ["my_bot.py", "random"])


def test_an_agent_of_another_game_is_refused_by_name() -> None:
    with pytest.raises(BadSpec, match="agent 'heuristic' plays gomoku, not battleship"):
        play("battleship", [Heuristic()])


def test_a_class_in_place_of_an_agent_is_named() -> None:
    with pytest.raises(BadSpec, match=r"not its class: write Answers\(\)"):
        play(GOMOKU, [Answers, "random"])


def test_an_agent_without_a_name_has_that_of_its_class() -> None:
    assert play(GOMOKU, [Answers("e5"), "random"], seed=1).record.header.seats[0] == "Answers"


def test_every_seat_to_move_needs_its_action() -> None:
    with pytest.raises(IllegalAction, match="one action for each of seats 0, not 2"):
        Session(GOMOKU, ["a", "b"], seed=1).play("e5", "e6")
    with pytest.raises(IllegalAction, match="one action for each of seats 0, 1, not 1"):
        Session(make_game("navigation"), ["a", "b"], seed=1).play("F-F-F-F-")


def test_a_cell_of_a_board_is_the_one_legal_action_that_a_click_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Columns(Gomoku):
        """Knows no cells itself; its board has two actions on a cell, or one."""

        def convert(self, value: Any, seat: int) -> None:
            return None

    game = Columns(size=5)
    board = CellBoard(
        cells=((EMPTY,) * 3,),
        actions={"a1": ((0, 0), (0, 1)), "b1": ((0, 1),), "c1": ((0, 2),)},
    )
    monkeypatch.setattr("trireme.core.board.draw_board", lambda *_: board)
    assert Session(game, ["a", "b"], seed=1).play([0, 2]).state.stones == ((0, 2),)
    session = Session(game, ["a", "b"], seed=1).play("a1")
    assert session.play([0, 1]).state.last == (0, 1)  # b1: a1 is taken
    with pytest.raises(IllegalAction):
        Session(game, ["a", "b"], seed=1).play([0, 1])  # a1 or b1


def test_only_text_and_indices_are_said_to_be_unreadable() -> None:
    class Strict(Gomoku):
        def convert(self, value: Any, seat: int) -> Any:
            raise IllegalAction("no index")

    assert [why_unread(Strict(), 0, value) for value in (7, np.int8(7))] == ["no index"] * 2
    assert [why_unread(Strict(), 0, value) for value in (True, 7.0, None)] == [None] * 3


def test_ctrl_c_while_a_value_is_read_stops_the_program() -> None:
    class Interrupted(Gomoku):
        def convert(self, value: Any, seat: int) -> Any:
            raise KeyboardInterrupt

    def interrupted() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        as_action(Gomoku(), 0, interrupted, interrupted, 7)
    with pytest.raises(KeyboardInterrupt):
        why_unread(Interrupted(), 0, 7)
