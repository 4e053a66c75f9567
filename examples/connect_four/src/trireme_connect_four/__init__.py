"""Connect Four as a plugin for Trireme."""

from trireme.core.registry import Slice

SLICE = Slice(
    summary="four in a row, discs fall: the classic of 1974",
    game="trireme_connect_four.rules:ConnectFour",
    text="trireme_connect_four.draw:text",
    board="trireme_connect_four.draw:board",
    agents={"alphabeta": "trireme_connect_four.alphabeta:AlphaBeta"},
    opponent="alphabeta",
    variants={"standard": {}, "small": {"rows": 4, "cols": 5}, "five": {"cols": 9, "connect": 5}},
    terminal="trireme_connect_four.terminal:ConnectFourTerminal",
)
