"""Gomoku: exactly five in a row on 15×15, with perfect information."""

from trireme.core.registry import Slice

SLICE = Slice(
    summary="exactly five in a row on 15×15: a deep game of perfect information",
    game="trireme.gomoku.rules:Gomoku",
    text="trireme.gomoku.show.draw:text",
    agents={
        "random": "trireme.core.agents:Random",
        "heuristic": "trireme.gomoku.agents.heuristic:Heuristic",
        "dqn": "trireme.gomoku.agents.dqn:DQN",
        "dqn+llm": "trireme.gomoku.agents.dqn_llm:DQNWithModel",
        "dqn+mcts": "trireme.gomoku.agents.dqn_mcts:DQNTree",
        "zero": "trireme.gomoku.agents.zero:Zero",
        "search": "trireme.gomoku.agents.search:Search",
        "gomocup": "trireme.gomoku.agents.gomocup:Gomocup",
    },
    opponent="search",
    variants={
        "standard": {},
        "freestyle": {"rule": "freestyle"},
        "swap2": {"opening": "swap2"},
        "small": {"size": 9},
    },
    terminal="trireme.gomoku.show.terminal:GomokuTerminal",
    encoder="trireme.gomoku.encode:encoder",
    starts="trireme.gomoku.openings:starts",
    insight="trireme.gomoku.show.insight:insight",
    prose="trireme.gomoku.show.prose:prose",
    notation="A point is a column letter and a row number: h8. Choices of swap2 are words: black.",
    rulebook="trireme.gomoku.show.rulebook:rulebook",
    review="trireme.gomoku.review:GomokuReviewer",
    opponents="trireme.gomoku:opponents.json",
    lessons="trireme.gomoku:lessons.json",
    own_page=True,
)
