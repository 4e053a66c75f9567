"""Self-play throughput of Gomoku's DQN: positions a second, and how long the network is busy.

Prints one line for self-play alone and one for self-play with an update after every ply. "Busy" is
the share of the wall clock in which the network computes (on a GPU: in which its stream does, by
CUDA events); the rest is the games' kernels, the heuristic opponent and Python.

    python benchmarks/training_throughput.py --device cpu --games 256 --threads 1
    python benchmarks/training_throughput.py --device cuda --games 4096 --threads 8
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

from trireme.training.gomoku_dqn import DQNTraining
from trireme.training.settings import GomokuDQN


class Busy:
    """Adds up the time that calls keep the network busy."""

    def __init__(self, device: torch.device) -> None:
        self.device, self.seconds = device, 0.0
        self.spans: list[tuple[torch.cuda.Event, torch.cuda.Event]] = []

    def timed(self, call: Callable[..., object]) -> Callable[..., object]:
        def wrapped(*args: object) -> object:
            if self.device.type == "cuda":
                ends = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                ends[0].record()
                result = call(*args)
                ends[1].record()
                self.spans.append(ends)
            else:
                began = time.perf_counter()
                result = call(*args)
                self.seconds += time.perf_counter() - began
            return result

        return wrapped

    def total(self) -> float:
        if self.spans:
            torch.cuda.synchronize()
        return self.seconds + sum(a.elapsed_time(b) for a, b in self.spans) / 1000


def measure(config: GomokuDQN, seconds: float, learn: bool) -> tuple[float, float]:
    """Positions a second and the share of time that the network is busy."""
    training = DQNTraining(config, Path(tempfile.mkdtemp()))
    busy = Busy(training.device)
    training.play.request_moves = busy.timed(training.play.request_moves)  # type: ignore[assignment, method-assign]
    training._update = busy.timed(training._update)  # type: ignore[assignment, method-assign]
    play, noise = training.play, training._epsilons()

    def advance() -> None:
        if learn:
            training.advance()
        elif ended := play.apply_moves(play.request_moves(training.learner.network, None), noise):
            play.collect(ended, config.n_step, config.gamma, config.step_penalty)

    while learn and len(training.replay) < config.minimum:
        advance()
    for _ in range(5):
        advance()
    busy.seconds, busy.spans = 0.0, []
    plies, began = training.play.plies, time.perf_counter()
    while time.perf_counter() - began < seconds:
        advance()
    busy_for = busy.total()
    wall = time.perf_counter() - began
    return (training.play.plies - plies) / wall, busy_for / wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--filters", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    print(f"{'':24}{'positions/s':>14}{'network busy':>16}")
    for learn in (False, True):
        config = GomokuDQN(
            device=options.device,
            games=options.games,
            threads=options.threads,
            filters=options.filters,
            batch_size=options.games,
            capacity=max(20_000, 50 * options.games),
            minimum=4 * options.games,
            snapshot_share=0.0,
        )
        speed, share = measure(config, options.seconds, learn)
        name = "self-play and learning" if learn else "self-play alone"
        print(f"{name:24}{speed:>14,.0f}{share:>16.0%}", flush=True)


if __name__ == "__main__":
    main()
