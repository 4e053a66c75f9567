"""Make the set of forced wins: positions of self-play in which the side to move is proven to win.

    python benchmarks/gomoku_forced_make.py --count 220 > benchmarks/gomoku_forced_wins.jsonl

The engine plays itself with few nodes from the shipped openings. In every position the proof-number
search looks for a win; a proof enters the set when an independent checker, plain Python on the
rules, confirms it against every legal reply. Lengths are spread: no length fills more than its
share of the set, and of one game at most three positions are taken. The sets of several seeds can
be joined.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping

import numpy as np

from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.analysis import SearchLimits
from trireme.gomoku.engine.board_kernels import clear_board, make_move
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.engine.proof_number_kernels import prove_vct
from trireme.gomoku.openings import balanced
from trireme.gomoku.proof_checker import ProofChecker
from trireme.gomoku.rules import Gomoku, GomokuState, Point

GAME = Gomoku()
MOST_OF_A_LENGTH = 24
MOST_OF_A_GAME = 3


class ProofSearch:
    """Proof-number search on any position, with a proof table of its own."""

    def __init__(self, nodes: int) -> None:
        self.engine, self.nodes = Engine(), nodes

    def prove(self, stones: Mapping[Point, int], colour: int) -> tuple[int, Point | None]:
        """Plies to the five and the first move; (0, None) when no win was proven."""
        engine = self.engine
        clear_board(engine.board, GAME.size, np.zeros(0, np.int32))
        for point, mark in stones.items():
            make_move(engine.board, mem.cell_of(point), mem.BLACK if mark == 1 else mem.WHITE)
        engine.board.nodes = engine.memory.stop = 0
        side = mem.BLACK if colour == 1 else mem.WHITE
        plies = prove_vct(
            engine.board, engine.memory, engine.tables, engine.proofs, side, self.nodes
        )
        if plies <= 0:
            return 0, None
        return int(plies), mem.point_of(engine.memory.pv[0, 0])

    def strategy(self, stones: Mapping[Point, int], colour: int) -> Point | None:
        return self.prove(stones, colour)[1]

    def forget(self) -> None:
        self.engine.proofs[:] = 0
        self.engine.tables.no_win[:] = 0


def self_play(opening: tuple[Point, ...], nodes: int, rng: np.random.Generator) -> list[Point]:
    """The stones of one quick game from an opening."""
    engine, state = Engine(rows=1 << 14), GomokuState(opening)
    while GAME.to_move(state):
        engine.set_position(state.board().items(), state.colour)
        limits = SearchLimits(nodes=nodes, fours=True, threats=False)
        state = GAME.apply(state, {0: engine.analyse(limits, jitter=(rng, 60)).best})
    return list(state.stones)


def confirmed(search: ProofSearch, state: GomokuState, plies: int) -> bool:
    """Whether the checker finds no reply that escapes the proven win."""
    stones: dict[Point, int] = dict(state.board().items())
    checker = ProofChecker(GAME.size, GAME.rule)
    return checker.escapes(stones, state.colour, search.strategy, plies) is None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=220)
    parser.add_argument("--nodes", type=int, default=60_000, help="for a proof, at most")
    parser.add_argument("--play", type=int, default=1500, help="nodes a move of self-play")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, search = np.random.default_rng(args.seed), ProofSearch(args.nodes)
    lengths: Counter[int] = Counter()
    games = refused = 0
    book = balanced(GAME.size)
    while lengths.total() < args.count:
        stones = self_play(book[games % len(book)], args.play, rng)
        games += 1
        taken = 0
        for number in range(8, len(stones) - 3):
            state = GomokuState(tuple(stones[:number]))
            search.forget()
            plies, _ = search.prove(state.board(), state.colour)
            if plies < 3 or lengths[plies] >= MOST_OF_A_LENGTH or lengths.total() >= args.count:
                continue
            if not confirmed(search, state, plies):
                refused += 1
                continue
            case = {
                "id": lengths.total(),
                "stones": "".join(GAME.write(p) for p in state.stones),
                "side": 1 if state.colour == 1 else 2,
                "mate_plies": plies,
            }
            print(json.dumps(case), flush=True)
            lengths[plies] += 1
            taken += 1
            if taken == MOST_OF_A_GAME:
                break
    print(f"{games} games, {refused} proofs not confirmed, {dict(lengths)}", file=sys.stderr)


if __name__ == "__main__":
    main()
