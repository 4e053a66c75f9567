"""Gomoku positions as text, for terminals, logs and golden files."""

from trireme.core.game import AnyGame
from trireme.gomoku.rules import BLACK, COLOUR_NAMES, Gomoku, GomokuState, Point, winning_line

_BLACK, _WHITE, _MARK, _DIM, _PLAIN = "\x1b[1;36m", "\x1b[1;33m", "\x1b[7m", "\x1b[2m", "\x1b[0m"


def text(game: AnyGame, view: GomokuState, colour: bool = False) -> str:
    """The board with row 1 at the bottom: `X` black, `O` white, the last stone in brackets.

    A line below says whose turn it is or how the game ended. With `colour`, ANSI colours tell
    the stones apart and mark the five that won.
    """
    assert isinstance(game, Gomoku)
    letters = " ".join(chr(ord("a") + col) for col in range(game.size))
    header = f"    {letters}"
    rows = [_row(game, view, row, colour) for row in reversed(range(game.size))]
    return "\n".join([header, *rows, header, status(game, view)])


def status(game: Gomoku, view: GomokuState) -> str:
    """One line: whose turn it is, or how the game ended."""
    if view.winner:
        name = COLOUR_NAMES[view.winner]
        line = winning_line(game, view)
        return f"{name} wins: {game.write(line[0])}-{game.write(line[-1])}"
    to_move = game.to_move(view)
    if not to_move:
        return "drawn: the board is full"
    if choices := game.choosing(view):
        return f"seat {to_move[0]} chooses: {', '.join(choices)}"
    mark = "X" if view.colour == BLACK else "O"
    name = COLOUR_NAMES[view.colour]
    return f"move {len(view.stones) + 1}: {name} ({mark}) to play, seat {to_move[0]}"


def _row(game: Gomoku, view: GomokuState, row: int, colour: bool) -> str:
    board = view.board()
    won = set(winning_line(game, view)) if colour else set()
    cells = []
    for col in range(game.size):
        point = (row, col)
        cells.append(_cell(game, board.get(point), point, colour, point in won))
    number = f"{row + 1:>2}"
    inside = " " + " ".join(cells) + " "
    if view.last is not None and view.last[0] == row:
        inside = _bracketed(cells, view.last[1])
    return f"{number} {inside}{row + 1}"


def _bracketed(cells: list[str], col: int) -> str:
    gaps = [" "] * (len(cells) + 1)
    gaps[col], gaps[col + 1] = "(", ")"
    return "".join(gap + cell for gap, cell in zip(gaps, [*cells, ""], strict=True))


def _cell(game: Gomoku, stone: int | None, point: Point, colour: bool, won: bool) -> str:
    if stone is None:
        mark = "+" if point in stars(game.size) else "·"
        return f"{_DIM}{mark}{_PLAIN}" if colour else mark
    mark = "X" if stone == BLACK else "O"
    if not colour:
        return mark
    return f"{_BLACK if stone == BLACK else _WHITE}{_MARK if won else ''}{mark}{_PLAIN}"


def stars(size: int) -> set[Point]:
    """The dotted points of a printed board: the centre and, where there is room, four more."""
    if size % 2 == 0:
        return set()
    middle = size // 2
    if size < 13:
        return {(middle, middle)}
    near, far = 3, size - 4
    return {(middle, middle), *((r, c) for r in (near, far) for c in (near, far))}
