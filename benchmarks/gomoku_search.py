"""Speed of the Gomoku engine on one core: nodes per CPU-second, and a move from a cold start.

A node is a stone put on the board, in the search or in the threat search. The cold start runs a new
process that imports, loads its cached kernels and answers with a move of 2000 nodes, and gives the
least CPU time of three. Positions come from the openings that ship.
"""

import argparse
import subprocess
import sys
import time

from trireme.gomoku.engine.analysis import SearchLimits
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.engine.table_network import shipped_network
from trireme.gomoku.openings import balanced
from trireme.gomoku.rules import GomokuState

COLD = """
import time
from trireme.gomoku.agents.search import Search
from trireme.gomoku.rules import Gomoku
game = Gomoku(position="h8i9h9")
Search(nodes=2000).analyse(game, game.start())
print(time.process_time(), flush=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--nodes", type=int, default=1_000_000, help="for each position")
    parser.add_argument("--positions", type=int, default=8)
    parser.add_argument("--patterns", action="store_true", help="evaluate by patterns")
    args = parser.parse_args()
    engine = Engine(network=None if args.patterns else shipped_network("standard"))
    total, spent, depths = 0, 0.0, []
    for opening in balanced(15)[: args.positions + 1]:
        state = GomokuState(opening)
        engine.set_position(state.board().items(), state.colour)
        warm = not depths and total == 0
        began = time.process_time()
        found = engine.analyse(SearchLimits(nodes=20_000 if warm else args.nodes))
        if warm:  # the first position only loads the kernels
            depths.append(0)
            continue
        total, spent = total + found.nodes, spent + time.process_time() - began
        depths.append(found.depth)
    print(f"{total / spent / 1e6:.2f} M nodes per CPU-second, depths {depths[1:]}")
    cold = min(
        float(subprocess.run([sys.executable, "-c", COLD], capture_output=True, check=True).stdout)
        for _ in range(3)
    )
    print(f"first move from a cold start: {cold:.2f} CPU-seconds")


if __name__ == "__main__":
    main()
