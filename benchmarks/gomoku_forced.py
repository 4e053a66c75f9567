"""How many forced wins the search agent finds within a budget, verified by playing them out.

    python benchmarks/gomoku_forced.py --seconds 1

The positions are those of gomoku_forced_wins.jsonl, which gomoku_forced_make.py made, or of another
file. Each line is a position with a forced win for the side to move: `{"id": 0, "stones":
"h8i9…", "side": 1, "mate_plies": 9}`, stones in order of play. The agent's first move is played,
then the game goes on between the agent and the engine as defender. A position is solved when the
agent wins; it is proven when the agent knew from the first move. Where a proven win is not brought
home within the budget, the play-out is tried again with five million nodes a move: a proof that
does not win then is wrong.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from trireme.gomoku.agents.search import Search
from trireme.gomoku.engine.analysis import EngineAnalysis
from trireme.gomoku.rules import Gomoku, GomokuState

SHIPPED = Path(__file__).with_name("gomoku_forced_wins.jsonl")


def played_out(
    game: Gomoku, state: GomokuState, first: EngineAnalysis, attack: Search, defend: Search
) -> bool:
    """Whether the attacker wins from `state` with the move that `first` gives."""
    mine, move = state.colour, first.best
    while True:
        state = game.apply(state, {0: move})
        if not game.to_move(state):
            return state.winner == mine
        move = (attack if state.colour == mine else defend).analyse(game, state).best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("file", type=Path, nargs="?", default=SHIPPED)
    parser.add_argument("--seconds", type=float, default=1.0, help="for the attacker, a move")
    parser.add_argument("--defence", type=float, default=0.3, help="seconds for the defender")
    parser.add_argument("--nodes", type=int, default=None, help="instead of seconds")
    parser.add_argument("--only-proofs", action="store_true", help="do not play unproven ones out")
    parser.add_argument("--limit", type=int, default=None, help="only the first N positions")
    args = parser.parse_args()
    attack, defend = Search(seconds=args.seconds), Search(seconds=args.defence)
    if args.nodes is not None:
        attack, defend = Search(nodes=args.nodes), Search(nodes=args.nodes // 3)
    attack.prepare(Gomoku())
    lines = args.file.read_text(encoding="utf-8").splitlines()[: args.limit]
    solved = proven = wrong = 0
    took, nodes = [], []
    for line in lines:
        case = json.loads(line)
        game = Gomoku(position=case["stones"])
        began = time.perf_counter()
        found = attack.analyse(game, game.start())
        took.append(time.perf_counter() - began)
        nodes.append(found.nodes)
        sure = found.proven and found.value > 0
        proven += sure
        won = (sure or not args.only_proofs) and played_out(
            game, game.start(), found, attack, defend
        )
        solved += won
        if sure and not won:
            patient = Search(nodes=5_000_000)
            wrong += not played_out(game, game.start(), found, patient, defend)
        if not (sure and won):
            outcome = f"proven {sure}, played out {'won' if won else 'not won'}"
            print(f"id {case['id']}, {case['mate_plies']} plies: {outcome}", flush=True)
    many = len(lines)
    print(f"solved {solved} of {many} ({solved / many:.1%}), proven {proven} ({proven / many:.1%})")
    print(f"wrong proofs: {wrong}")
    seconds = f"mean {np.mean(took):.3f}, median {np.median(took):.3f}, most {max(took):.3f}"
    print(f"seconds for the first move: {seconds}")
    print(f"nodes for the first move: mean {np.mean(nodes):.0f}, median {np.median(nodes):.0f}")


if __name__ == "__main__":
    main()
