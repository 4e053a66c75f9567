"""Make a list of balanced Gomoku openings from random stones that the engine finds even.

    python benchmarks/gomoku_openings.py --count 32 --nodes 100000 > src/trireme/gomoku/openings.txt

Three to six random stones are put near the middle of the board. An opening is kept when the engine
sees no forced win and values the position about equal at its last two depths, then plays itself
from it, first quick games and then two slower ones, and neither time one colour wins them all. No
two kept openings are mirror images or turns of one another.
"""

import argparse
import sys

import numpy as np

from trireme.core.play import play
from trireme.gomoku.agents.search import Search
from trireme.gomoku.encode import board_array, symmetric
from trireme.gomoku.engine.analysis import EngineAnalysis, SearchLimits
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.rules import Gomoku, GomokuState

GAME = Gomoku()


def random_opening(rng: np.random.Generator) -> GomokuState:
    """Three to six stones within a square of nine by nine around a point near the centre."""
    middle = 7 + rng.integers(-2, 3, 2)
    points: list[tuple[int, int]] = []
    for _ in range(int(rng.integers(3, 7))):
        while True:
            row, col = (int(i) for i in middle + rng.integers(-4, 5, 2))
            if (row, col) not in points and min(row, col) >= 0 and max(row, col) < 15:
                break
        points.append((row, col))
    return GomokuState(tuple(points))


def even(engine: Engine, state: GomokuState, nodes: int, margin: int) -> bool:
    """Whether the last two depths of a search see an equal position."""
    reports: list[EngineAnalysis] = []
    engine.set_position(state.board().items(), state.colour)
    last = engine.analyse(SearchLimits(nodes=nodes), report=reports.append)
    values = [a.value for a in reports[-2:]]
    return not last.proven and len(values) == 2 and abs(sum(values)) <= 2 * margin


def contested(state: GomokuState, games: int, nodes: int) -> bool:
    """Whether both colours win when the engine plays itself."""
    opening = [GAME.write(p) for p in state.stones]
    players = [Search(nodes=nodes, variety=60), Search(nodes=nodes, variety=60)]
    ends = {play(GAME, players, seed=seed, opening=opening).returns[0] for seed in range(games)}
    return len(ends) > 1 or ends == {0.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=32)
    parser.add_argument("--nodes", type=int, default=100_000, help="node limit for an opening")
    parser.add_argument("--margin", type=int, default=40, help="pattern points that count as equal")
    parser.add_argument("--games", type=int, default=4, help="the engine plays against itself")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, engine = np.random.default_rng(args.seed), Engine()
    seen: set[bytes] = set()
    kept = tried = 0
    while kept < args.count:
        state = random_opening(rng)
        tried += 1
        board = board_array(GAME, state)
        if board.tobytes() in seen or not even(engine, state, args.nodes, args.margin):
            continue
        seen |= {symmetric(board, s).tobytes() for s in range(8)}
        if contested(state, args.games, args.nodes // 30) and contested(state, 2, args.nodes // 4):
            kept += 1
            print("".join(GAME.write(p) for p in state.stones), flush=True)
    print(f"kept {kept} of {tried}", file=sys.stderr)


if __name__ == "__main__":
    main()
