"""Fit the engine's static evaluation and move ordering to games of its own.

    python benchmarks/gomoku_tune.py --games 20000 --jobs 2 --out evaluation.npz
    python benchmarks/gomoku_tune.py --data games.jsonl more.npz --out evaluation.npz

The first plays quick games from random openings, some thousand nodes a move with a little chance in
the choice, and writes them to `games.jsonl` beside the result; Ctrl-C keeps those played so far.
The second takes games from such files (JSON lines or shards, see `training/gomoku_games.py`). Every
tenth game is held out: the table at the end compares the new weights with a constant and with those
that ship, on games learnt from and on games held out. To ship the new weights, put the file into
`src/trireme/gomoku/engine/` after a match has shown that they play better.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from rich.progress import track

from trireme.core.errors import TriremeError
from trireme.gomoku.engine.analysis import SearchLimits
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.engine.evaluation_weights import evaluation_weights, write_weights
from trireme.gomoku.rules import Gomoku, GomokuState
from trireme.training.evaluation_fit import (
    TOP,
    FitPositions,
    constant_loss,
    fit_evaluation,
    judge,
    read_positions,
)
from trireme.training.gomoku_games import join_games, read_games

GAME = Gomoku()
OPENING_STONES = (1, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8)
OPENING_REACH = (2, 3, 3, 4)
"""How many stones an opening has and how far from a point near the centre they lie."""
EARLY, EARLY_JITTER, LATE_JITTER = 14, 60, 20
"""Up to so many stones the choice varies by more pattern points than later."""
LONGEST = 180
"""Stones after which a game counts as drawn."""

engine: Engine
"""The engine of a worker process."""


def start_worker() -> None:
    """Make the process's engine; Ctrl-C is the parent's business."""
    global engine
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    engine = Engine(GAME.size, rows=1 << 16)


def random_opening(rng: np.random.Generator) -> GomokuState:
    """A few stones at random points near the centre."""
    reach, middle = int(rng.choice(OPENING_REACH)), 7 + rng.integers(-1, 2, 2)
    side = 2 * reach + 1
    cells = rng.permutation(side * side)[: rng.choice(OPENING_STONES)]
    points = [divmod(int(cell), side) for cell in cells]
    row, col = (int(at) - reach for at in middle)
    return GomokuState(tuple((row + r, col + c) for r, c in points))


def play_game(number: int, *, seed: int, nodes: int) -> str:
    """One game of the engine against itself, as a line of JSON; depends only on its arguments."""
    rng = np.random.default_rng([seed, number])
    state = random_opening(rng)
    first, result = len(state.stones), 0
    while GAME.to_move(state) and len(state.stones) < LONGEST:
        engine.set_position(state.board().items(), state.colour)
        jitter = EARLY_JITTER if len(state.stones) < EARLY else LATE_JITTER
        limits = SearchLimits(nodes=int(nodes * rng.uniform(0.5, 1.5)))
        found = engine.analyse(limits, jitter=(rng, jitter))
        if found.proven:
            result = state.colour if found.value > 0 else -state.colour
            break
        state = GAME.apply(state, {0: found.best})
    moves = [row * GAME.size + col for row, col in state.stones]
    return json.dumps({"moves": moves, "first": first, "result": result or state.winner})


def self_play(path: Path, games: int, jobs: int, seed: int, nodes: int) -> None:
    """Play games in processes and write them to `path`, in order, until Ctrl-C at the latest."""
    if path.exists():
        raise TriremeError(f"{str(path)!r} exists: fit it by --data, or remove it to play anew")
    task = partial(play_game, seed=seed, nodes=nodes)
    with (
        path.open("w", encoding="utf-8") as file,
        multiprocessing.get_context("spawn").Pool(jobs, start_worker) as pool,
    ):
        try:
            for line in track(pool.imap(task, range(games)), "self-play", total=games):
                print(line, file=file)
        except KeyboardInterrupt:
            file.flush()
            sys.exit(f"stopped; fit the games played so far by: --data {path}")


def report(positions: FitPositions, out: Path) -> Iterator[str]:
    """Fit, write the file, and give the lines of the comparison."""
    fitted = fit_evaluation(positions)
    write_weights(out, fitted)
    top = "".join(f"{f'top {k}':>8}" for k in TOP)
    yield f"{'':10}{'games':>10}{'positions':>11}{'log loss':>10}{'sign':>7}{top}"
    for held_out in (False, True):
        games = "held out" if held_out else "learnt"
        yield f"{'constant':10}{games:>10}{'':11}{constant_loss(positions, held_out):10.4f}"
        for name, weights in (("shipped", evaluation_weights()), ("fitted", fitted)):
            found = judge(positions, weights, held_out)
            shares = "".join(f"{share:8.3f}" for share in found.top)
            yield (
                f"{name:10}{games:>10}{found.positions:11}{found.log_loss:10.4f}"
                f"{found.sign_accuracy:7.3f}{shares}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--games", type=int, default=20_000, help="how many games to play")
    source.add_argument("--data", type=Path, nargs="+", help="files of games, instead of playing")
    parser.add_argument("--nodes", type=int, default=3000, help="nodes a move, on average")
    parser.add_argument("--jobs", type=int, default=1, help="processes that play at once")
    parser.add_argument("--seed", type=int, default=1, help="another seed plays other games")
    parser.add_argument("--out", type=Path, default=Path("evaluation.npz"), help="the new weights")
    args = parser.parse_args()
    try:
        paths = args.data
        if not paths:
            paths = [args.out.with_name("games.jsonl")]
            self_play(paths[0], args.games, args.jobs, args.seed, args.nodes)
        shard = join_games([read_games(path) for path in paths])
        positions = read_positions(shard, lambda games: track(games, "positions"))
        for line in report(positions, args.out):
            print(line, flush=True)
    except TriremeError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
