"""How fast zero is on one core: its network by batch size, and a move with its simulations.

Times are CPU seconds of this process, so that other programs disturb them less.
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np

from trireme.core.onnx import Network
from trireme.gomoku.agents.zero import MODEL, Zero
from trireme.gomoku.openings import balanced
from trireme.gomoku.rules import Gomoku, GomokuState

REPEATS = 30


def evaluation(network: Network, batch: int) -> float:
    """CPU milliseconds a position, the least of some repetitions."""
    planes = np.random.default_rng(0).random((batch, 4, 15, 15)) > 0.8
    taken = []
    for _ in range(REPEATS):
        began = time.process_time()
        network.outputs(planes=planes)
        taken.append(time.process_time() - began)
    return 1000 * min(taken) / batch


def move(agent: Zero, game: Gomoku, state: GomokuState) -> float:
    """CPU milliseconds a simulation, the threat search at the root included."""
    began = time.process_time()
    made = agent.analyse(game, state).simulations
    return 1000 * (time.process_time() - began) / max(made, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=MODEL, help="a network's .onnx file")
    parser.add_argument("--simulations", type=int, default=300)
    parser.add_argument("--positions", type=int, default=12, help="balanced openings to search")
    args = parser.parse_args()
    network = Network(args.model)
    for batch in (1, 8):
        print(f"network, batch of {batch}: {evaluation(network, batch):.2f} ms a position")
    game = Gomoku()
    agent = Zero(simulations=args.simulations, model=str(args.model))
    agent.prepare(game)
    openings = balanced(game.size)[: args.positions]
    each = statistics.median(move(agent, game, GomokuState(o)) for o in openings)
    print(f"a simulation: {each:.2f} ms (median of moves), so {500 / each:.0f} in half a second")


if __name__ == "__main__":
    main()
