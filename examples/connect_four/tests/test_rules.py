"""The rules of Connect Four, and the agent that plays it."""

import pytest
from trireme_connect_four.draw import board
from trireme_connect_four.rules import ConnectFour, State

from trireme import BadSettings, BadText, IllegalAction, draw_text, make_agent, make_game, play


def after(moves: str, game: ConnectFour | None = None) -> State:
    """The position after some moves, checked one by one."""
    game = game or ConnectFour()
    state = game.start()
    for letter in moves:
        (seat,) = game.to_move(state)
        game.check(state, seat, game.read(letter))
        state = game.apply(state, {seat: game.read(letter)})
    return state


@pytest.mark.parametrize(
    ("moves", "line"),
    [
        ("aabbccd", "horizontal"),
        ("abababa", "vertical"),
        ("abbccdcddgd", "diagonal up"),
        ("gffeededdad", "diagonal down"),
    ],
)
def test_four_in_any_line_win(moves: str, line: str) -> None:
    game = ConnectFour()
    state = after(moves)
    assert state.winner == 0, f"{line}\n{draw_text(game, state)}"
    assert game.to_move(state) == ()
    assert game.returns(state) == (1.0, -1.0)
    assert len(game.winning_cells(state)) == 4
    assert after(moves[:-1]).winner is None


def test_a_full_grid_without_a_line_is_drawn() -> None:
    game = ConnectFour(rows=2, cols=2, connect=2)
    assert after("ab", game).winner is None
    wide = ConnectFour(rows=1, cols=4, connect=4)
    state = after("abcd", wide)
    assert wide.to_move(state) == ()
    assert wide.returns(state) == (0.0, 0.0)
    assert "drawn" in draw_text(wide, state)


def test_the_number_of_positions_after_every_move_is_the_published_one() -> None:
    """OEIS A212693: distinct positions after n discs."""
    game = ConnectFour()
    states = {game.start().columns: game.start()}
    counts = []
    for _ in range(6):
        following = {}
        for state in states.values():
            for seat in game.to_move(state):
                for col in game.legal(state, seat):
                    state_after = game.apply(state, {seat: col})
                    following[state_after.columns] = state_after
        states = following
        counts.append(len(states))
    assert counts == [7, 49, 238, 1120, 4263, 16422]


def test_columns_are_letters_or_numbers() -> None:
    game = ConnectFour()
    assert game.read("d") == game.read(" D ") == game.read("4") == 3
    for nonsense in ("h", "8", "0", "", "dd", "4.", "٤", "-1"):
        with pytest.raises(BadText, match="expected a column, a to g or 1 to 7"):
            game.read(nonsense)


def test_what_is_wrong_is_said() -> None:
    game = ConnectFour()
    with pytest.raises(IllegalAction, match="column a is full"):
        game.check(after("aaaaaa"), 0, 0)
    with pytest.raises(IllegalAction, match="not the turn of seat 1"):
        game.check(game.start(), 1, 0)
    with pytest.raises(IllegalAction, match="no column 9"):
        game.check(game.start(), 0, 9)
    for settings in ({"rows": 0}, {"cols": 21}, {"connect": 8}, {"connect": 1}):
        with pytest.raises(BadSettings):
            make_game("connect_four", **settings)


def test_the_board_shows_discs_where_they_fell() -> None:
    game = ConnectFour()
    shown = board(game, after("dda"))
    assert (shown.rows, shown.cols) == (6, 7)
    assert [shown.cells[row][3].piece for row in (3, 4, 5)] == [None, 1, 0]
    assert shown.cells[4][3].label == "yellow"
    assert shown.cells[5][0].marked
    assert not shown.cells[4][3].marked
    assert shown.actions["d"] == tuple((row, 3) for row in range(6))


def test_the_winning_line_is_marked() -> None:
    shown = board(ConnectFour(), after("aabbccd"))
    assert [cell.marked for cell in shown.cells[5]] == [True] * 4 + [False] * 3


def test_the_agent_wins_at_once_and_blocks() -> None:
    game = ConnectFour()
    agent = make_agent(game, "alphabeta")
    for moves, answer in {"aabbcc": "d", "ababa": "a"}.items():
        result = play(game, [agent, agent], seed=0, opening=list(moves))
        made = [next(iter(m.values())) for m in result.record.moves]
        assert made[len(moves)] == answer, moves


def test_the_agent_beats_random() -> None:
    results = [play("connect_four", ["alphabeta", "random"], seed=s).returns[0] for s in range(5)]
    assert results == [1.0] * 5
