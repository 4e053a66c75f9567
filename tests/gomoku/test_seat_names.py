"""What players call the seats while swap2 has not decided the colours."""

from trireme.core.registry import make_game
from trireme.gomoku.show.terminal import GomokuTerminal


def test_players_are_counted_until_swap2_has_given_them_colours() -> None:
    game = make_game("gomoku", opening="swap2")
    texts, state = GomokuTerminal(), game.start()
    said = []
    for text in ("a1", "b2", "c3", "white"):
        (seat,) = game.to_move(state)
        actions = {seat: game.read(text)}
        after = game.apply(state, actions)
        said += texts.sentences(game, state, actions, after, None)
        state = after
    assert said == [
        "first player: a1",
        "first player: b2",
        "first player: c3",
        "second player: white",
    ]
    assert [texts.seat_name(game, state, seat) for seat in (0, 1)] == ["black", "white"]
