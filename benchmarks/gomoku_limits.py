"""A factorial experiment over the limits of Gomoku's search tree: what each value is worth in Elo.

In every pair of games both engines get their own random values of all limits; one logistic
regression over all games then estimates each value against the one that ships. So every game tells
something of every limit, which takes far fewer games than a match for each.

    python benchmarks/gomoku_limits.py --minutes 10 --nodes 15000 --workers 2 --out limits.jsonl
    python benchmarks/gomoku_limits.py --show limits.jsonl

Games are appended to the file; it may be stopped at any time.
"""

import argparse
import json
import time
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from trireme.gomoku.engine import iterative_deepening
from trireme.gomoku.engine.analysis import SearchLimits
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.engine.table_network import load_table_network
from trireme.gomoku.openings import balanced
from trireme.gomoku.rules import Gomoku, GomokuState, Point

Values = dict[str, float]
SHARES = ("ATTACK_SHARE", "DEFENCE_SHARE")
SHIPPED: Values = {
    **{name: getattr(iterative_deepening, name) for name in SHARES},
    **iterative_deepening.TREE_LIMITS,
}
SMALLER, LARGER = 0.6, 1.6
"""Factors of the two other values that a limit gets."""
MOST_STONES = 160
"""A game with more stones is a draw."""
ELO_PER_LOGIT = 400 / np.log(10)


def other_values(shipped: float) -> list[float]:
    """A smaller and a larger value of a limit, of the same type.

    >>> other_values(5), other_values(0.5)
    ([3, 8], [0.3, 0.8])
    """
    if isinstance(shipped, int):
        return [
            min(round(shipped * SMALLER), shipped - 1),
            max(round(shipped * LARGER), shipped + 1),
        ]
    return [round(shipped * SMALLER, 3), round(shipped * LARGER, 3)]


def use(values: Values) -> None:
    """Let the next analysis use these limits."""
    for name in SHARES:
        setattr(iterative_deepening, name, values[name])
    limits = {name: int(value) for name, value in values.items() if name not in SHARES}
    iterative_deepening.TREE_LIMITS = limits


def play_game(
    engines: list[Engine], sides: list[Values], opening: list[Point], nodes: int
) -> float:
    """A game from an opening, `sides` black's and white's: 1 black won, 0 white won, 0.5 drawn."""
    game = Gomoku()
    state = GomokuState(tuple(opening))
    for engine in engines:
        engine.set_position([], 1)
    while game.to_move(state) and len(state.stones) <= MOST_STONES:
        side = len(state.stones) % 2
        use(sides[side])
        engine = engines[side]
        engine.set_position(state.board().items(), state.colour)
        found = engine.analyse(SearchLimits(nodes=nodes))
        if found.proven:
            return float((found.value > 0) == (side == 0))
        state = game.apply(state, {side: found.best})
    return state.winner / 2 + 0.5


def work(seed: int, path: Path, until: float, nodes: int) -> None:
    """Play pairs of games with swapped colours until the time is over."""
    rng, network = np.random.default_rng(seed), load_table_network()
    engines = [Engine(network=network, rows=1 << 18) for _ in range(2)]
    openings = balanced(15)
    while time.time() < until:
        drawn = [
            {
                name: [value, *other_values(value)][rng.integers(3)]
                for name, value in SHIPPED.items()
            }
            for _ in range(2)
        ]
        opening = list(openings[rng.integers(len(openings))])
        for sides in (drawn, drawn[::-1]):
            score = play_game(engines, sides, opening, nodes)
            row = {"score": score, "black": sides[0], "white": sides[1]}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


def estimates(rows: list[dict[str, Values]]) -> list[tuple[str, float, float, float]]:
    """Values that do not ship: limit, value, Elo against the one that ships, half a 95 % interval.

    A logistic regression of the result on the difference of the two sides' values, with a weak
    prior that nothing matters.
    """
    columns = [(name, v) for name, shipped in SHIPPED.items() for v in other_values(shipped)]
    x = np.array(
        [[float(r["black"][n] == v) - float(r["white"][n] == v) for n, v in columns] for r in rows]
    )
    x = np.column_stack([np.ones(len(rows)), x])  # black's advantage
    y = np.array([row["score"] for row in rows], float)
    weights = np.zeros(x.shape[1])
    prior = np.eye(x.shape[1]) * 1e-2
    for _ in range(25):  # Newton's method
        p = 1 / (1 + np.exp(-x @ weights))
        hessian = x.T @ (x * (p * (1 - p))[:, None]) + prior
        weights += np.linalg.solve(hessian, x.T @ (y - p) - prior @ weights)
    errors = np.sqrt(np.diag(np.linalg.inv(hessian)))
    return [
        (name, value, ELO_PER_LOGIT * weight, 1.96 * ELO_PER_LOGIT * error)
        for (name, value), weight, error in zip(columns, weights[1:], errors[1:], strict=True)
    ]


def show(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    known = {name: {v, *other_values(v)} for name, v in SHIPPED.items()}
    fit = [r for r in rows if all(r[s][n] in known[n] for s in ("black", "white") for n in known)]
    if not fit:
        raise SystemExit(f"{path}: no games with the limits of this version")
    print(f"{len(fit)} games; Elo against the value that ships, with 95 % intervals")
    for name, value, elo, half in estimates(fit):
        print(f"{name:28} {value:>6g} for {SHIPPED[name]:>5g}: {elo:+6.1f} ± {half:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--nodes", type=int, default=15_000, help="a move")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("limits.jsonl"))
    parser.add_argument("--show", type=Path, help="only show the estimates of this file")
    args = parser.parse_args()
    if args.show is None:
        until = time.time() + 60 * args.minutes
        workers = [
            get_context("spawn").Process(target=work, args=(seed, args.out, until, args.nodes))
            for seed in range(args.seed, args.seed + args.workers)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    show(args.show or args.out)


if __name__ == "__main__":
    main()
