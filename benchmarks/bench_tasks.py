"""Makes the tasks of `trireme bench`: boards, puzzles and equilibria, with their reference values.

    python benchmarks/bench_tasks.py > src/trireme/bench/tasks_v1.json

A task file never changes once results were published: another set of tasks is another version.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from trireme.core.play import play
from trireme.gomoku.agents.search import Search
from trireme.gomoku.engine.analysis import PROVEN_WIN
from trireme.gomoku.rules import Gomoku, GomokuState, Point, makes_five
from trireme.navigation.arrays import pack_ships
from trireme.navigation.maps import BadMap, Rock, SeaMap, Spawn
from trireme.navigation.rules import Navigation
from trireme.navigation.search.exploitability import BackwardInduction
from trireme.navigation.search.matrix_game import optimal_mixtures

BOARDS, PUZZLES, SEAS = 100, 12, 24
FIRST_SEED = 41_000
WINS = Path(__file__).with_name("gomoku_forced_wins.jsonl")


def battleship() -> list[dict[str, int]]:
    """Boards by their seeds, with the shots that the exact posterior needs on each."""
    found = []
    for seed in range(FIRST_SEED, FIRST_SEED + BOARDS):
        shots = -int(play("battleship", ["posterior"], seed=seed).returns[0])
        found.append({"seed": seed, "posterior": shots})
        print(f"board {len(found)} of {BOARDS}", file=sys.stderr)
    return found


def fives(game: Gomoku, view: GomokuState, colour: int) -> list[Point]:
    """The points where a stone of `colour` would make five."""
    own = {point for point, stone in view.board().items() if stone == colour}
    free = (point for point in game.points if point not in view.stones)
    return [point for point in free if makes_five(own | {point}, point, game.rule)]


def gomoku() -> list[dict[str, Any]]:
    """Fives to make, fives to stop, and wins to force (`solutions` null: a proof decides)."""
    kinds: dict[str, list[dict[str, Any]]] = {"make five": [], "stop five": []}
    game, seed = Gomoku(), 0
    while any(len(found) < PUZZLES for found in kinds.values()):
        record = play(game, ["heuristic", "heuristic"], seed=seed, opening=opening(seed)).record
        seed += 1
        for state in list(record.states())[8:-1]:
            make, stop = (fives(game, state, c) for c in (state.colour, -state.colour))
            kind, points = ("make five", make) if make else ("stop five", stop)
            if points and len(kinds[kind]) < PUZZLES and (make or len(stop) == 1):
                solutions = [game.write(p) for p in points]
                stones = "".join(map(game.write, state.stones))
                kinds[kind].append({"kind": kind, "stones": stones, "solutions": solutions})
                break
    wins = [json.loads(line) for line in WINS.read_text().splitlines()]
    wins.sort(key=lambda win: (win["mate_plies"], win["id"]))
    forced = (
        {"kind": "force win", "stones": win["stones"], "solutions": None}
        for win in wins
        if needs_the_right_move(win["stones"])
    )
    return [*kinds["make five"], *kinds["stop five"], *islice(forced, PUZZLES)]


def needs_the_right_move(stones: str) -> bool:
    """Whether the win is lost by most moves: a position that any move wins measures nothing."""
    game = Gomoku(position=stones)
    state = game.start()
    rng, (seat,) = np.random.default_rng(0), game.to_move(state)
    legal = game.legal(state, seat)
    tried = (game.apply(state, {seat: legal.sample(rng)}) for _ in range(5))
    engine = Search(nodes=100_000)
    return not any(
        after.winner or engine.analyse(game, after).value <= -PROVEN_WIN for after in tried
    )


def opening(seed: int) -> list[str]:
    """Four stones near the centre, so that no two games are alike."""
    rng = np.random.default_rng(seed)
    points = rng.permutation(25)[:4]
    return [Gomoku().write((5 + int(p) // 5, 5 + int(p) % 5)) for p in points]


def sea(rng: np.random.Generator) -> SeaMap:
    """A small sea with two ships close to each other and some rocks."""
    tiles = [divmod(int(t), 6) for t in rng.permutation(36)]
    spawns = tuple(Spawn(x, y, "NESW"[int(rng.integers(4))]) for x, y in tiles[:2])
    rocks = tuple(Rock(x, y, ("small", "large")[int(rng.integers(2))]) for x, y in tiles[2:6])
    return SeaMap("bench", "bench", 6, 6, spawns, (), rocks)


def navigation() -> list[dict[str, Any]]:
    """One-turn games of two phases in which a plan matters, with the exact equilibrium: what the
    other seat plays, and the most that a plan can earn against it."""
    rng, found = np.random.default_rng(7), []
    while len(found) < SEAS:
        try:
            chart = sea(rng)
        except BadMap:
            continue
        game = Navigation(ships=("cutter", "cutter"), map=chart, turn_limit=1, phases=2)
        solver = BackwardInduction(game)
        start = game.start()
        matrix = solver.matrix(pack_ships(start.ships, chart.width), 0, lambda *_: 0.0)
        rows, rows_at = np.unique(matrix, axis=0, return_index=True)
        _, columns_at = np.unique(rows, axis=1, return_index=True)
        _, answer = optimal_mixtures(matrix[np.ix_(rows_at, columns_at)])
        worth = matrix[:, columns_at] @ answer
        if worth.max() - worth.mean() < 0.25 or (answer > 1e-6).sum() < 2:
            continue
        answers = [
            [game.write(solver.plans[1][int(columns_at[i])]), round(float(answer[i]), 9)]
            for i in np.flatnonzero(answer > 1e-6)
        ]
        plain = {k: v for k, v in msgspec.to_builtins(chart).items() if v not in ("", [])}
        found.append({"map": plain, "answers": answers, "best": round(float(worth.max()), 9)})
        print(f"sea {len(found)} of {SEAS}", file=sys.stderr)
    return found


def main() -> None:
    argparse.ArgumentParser(description=__doc__.split("\n")[0]).parse_args()
    tasks = {"version": 1, "gomoku": gomoku(), "navigation": navigation()}
    tasks["battleship"] = battleship()
    lines = [f'"{key}": {json.dumps(value)}' for key, value in tasks.items() if key == "version"]
    for key in ("battleship", "gomoku", "navigation"):
        items = ",\n  ".join(json.dumps(item) for item in tasks[key])  # type: ignore[arg-type]
        lines.append(f'"{key}": [\n  {items}\n]')
    print("{\n" + ",\n".join(lines) + "\n}")


if __name__ == "__main__":
    main()
