"""Battleship: find and sink a fleet that you can't see."""

from trireme.core.registry import Slice

SLICE = Slice(
    summary="hidden information: find and sink a fleet that you can't see",
    game="trireme.battleship.rules:Battleship",
    text="trireme.battleship.show.draw:text",
    picture="trireme.battleship.show.pictures:board_html",
    agents={
        "random": "trireme.battleship.agents.common:BattleshipRandom",
        "montecarlo": "trireme.battleship.agents.common:BattleshipMonteCarlo",
        "hunt": "trireme.battleship.agents.hunt:Hunt",
        "density": "trireme.battleship.agents.density:Density",
        "density+": "trireme.battleship.agents.density_plus:DensityPlus",
        "rl": "trireme.battleship.agents.rl:RLPolicy",
        "rl+llm": "trireme.battleship.agents.rl_llm:RLWithModel",
        "heatmap": "trireme.battleship.agents.heatmap:Heatmap",
        "hybrid": "trireme.battleship.agents.hybrid:Hybrid",
        "posterior": "trireme.battleship.agents.posterior:Posterior",
        "mcts": "trireme.battleship.agents.mcts:Mcts",
        "lookahead": "trireme.battleship.agents.lookahead:Lookahead",
    },
    opponent="posterior",
    references=("random", "hunt", "density"),
    variants={
        "solo": {},
        "duel": {"duel": True},
        "simultaneous": {"duel": True, "simultaneous": True},
        "salvo": {"duel": True, "salvo": True},
        "mines": {"mines": 5},
        "small": {"rows": 6, "cols": 6},
        "large": {"rows": 12, "cols": 12},
        "classic": {"touching": True, "placement": "uniform"},
        "handicap": {"duel": True, "rows": 8, "cols": 12, "rival_rows": 10, "rival_cols": 9},
    },
    encoder="trireme.battleship.encode:encoder",
    opening_move="trireme.battleship.hunting:opening_move",
    scene="trireme.battleship.show.scene:scene",
    insight="trireme.battleship.show.insight:insight",
    prose="trireme.battleship.show.prose:prose",
    notation=(
        "A shot is a row letter and a column number: B7. A salvo joins its shots by +: B7+C4. A\n"
        "fleet names the two ends of each ship, largest ship first, then its mines: "
        "A1-A5 C3-F3 *J10."
    ),
    versus="duel",
    terminal="trireme.battleship.show.terminal:BattleshipTerminal",
    rulebook="trireme.battleship.show.rulebook:rulebook",
    opponents="trireme.battleship:opponents.json",
    lessons="trireme.battleship:lessons.json",
    positions="trireme.battleship.show.positions:marked_boards",
    puzzles="trireme.battleship:puzzles.jsonl.gz",
    puzzle_maker="trireme.battleship.puzzles:BattleshipPuzzles",
    goals="trireme.battleship.show.goals:goal_met",
    review="trireme.battleship.review:BattleshipReviewer",
    own_page=True,
)
