"""Environments through their public APIs, on one core, in one run: steps per CPU-second.

Random legal play with reset. Ours are the single environment from `gymnasium.make`, Gymnasium's
own `SyncVectorEnv` of it, and the batched one from `make_vec`, with fresh observations and masks in
every step. Beside them stand two naive environments, one with numpy and the same observations, one
of Python lists, and OpenSpiel's games where `open_spiel` is installed: its battleship is a duel, in
its gomoku overlines win, and on its clock are only the moves, neither legal actions nor
observations.

    python benchmarks/envs_throughput.py
"""

import argparse
import json
import random
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

import trireme.envs
from trireme.core.game import AnyGame
from trireme.core.registry import make_game
from trireme.core.seeding import stream

Work = Callable[[float], tuple[int, float]]
"""Runs for about so many CPU-seconds; returns the steps made and the CPU-seconds on the clock."""


class NaiveBattleship:
    """Battleship as one writes it in an afternoon: a numpy board, a list of sets of cells, and the
    same observations and infos as the environment."""

    def __init__(self) -> None:
        self.rng = random.Random(0)
        self.reset()

    def reset(self) -> tuple[dict[str, Any], dict[str, Any]]:
        self.board = np.zeros((10, 10), np.int8)
        self.moves = 0
        self.ships: list[tuple[int, set[tuple[int, int]]]] = []
        for size in (5, 4, 3, 3, 2):
            while True:
                down = self.rng.random() < 0.5
                row = self.rng.randrange(11 - size if down else 10)
                col = self.rng.randrange(10 if down else 11 - size)
                ship = {(row + i * down, col + i * (not down)) for i in range(size)}
                near = {(r + i, c + j) for r, c in ship for i in (-1, 0, 1) for j in (-1, 0, 1)}
                if not any(near & other for _, other in self.ships):
                    self.ships.append((size, ship))
                    break
        return self.observation(), self.info(None)

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        row, col = divmod(action, 10)
        if not 0 <= action < 100 or self.board[row, col]:
            return self.observation(), -50.0, False, False, self.info("invalid")
        self.moves += 1
        reward, result = -1.0, "miss"
        self.board[row, col] = 1
        for size, ship in self.ships:
            if (row, col) in ship:
                self.board[row, col] = 2
                ship.remove((row, col))
                reward, result = (5.0 if ship else 10.0), "hit"
                if not ship:
                    self.ships.remove((size, ship))
                break
        if not self.ships:
            reward, result = 100.0, "win"
        return self.observation(), reward, not self.ships, False, self.info(result)

    def observation(self) -> dict[str, Any]:
        remaining = np.zeros(5, np.int8)
        remaining[: len(self.ships)] = [size for size, _ in self.ships]
        return {
            "attack_board": self.board.copy(),
            "remaining_ships": remaining,
            "move_count": np.array([self.moves], np.int32),
        }

    def info(self, result: str | None) -> dict[str, Any]:
        return {
            "result": result,
            "ships_remaining": len(self.ships),
            "total_ships": 5,
            "move_count": self.moves,
            "action_mask": (self.board == 0).reshape(-1).astype(np.int8),
        }


class ListBattleship:
    """The same with Python lists, without numpy: no learner could use its answers as they are."""

    def __init__(self) -> None:
        self.ships: list[set[tuple[int, int]]] = []
        self.places = NaiveBattleship()
        self.reset()

    def reset(self) -> list[list[int]]:
        self.places.reset()
        self.board = [[0] * 10 for _ in range(10)]
        self.ships = [ship for _, ship in self.places.ships]
        return [row[:] for row in self.board]

    def step(self, action: int) -> tuple[list[list[int]], float, bool, list[bool]]:
        row, col = divmod(action, 10)
        reward = -1.0
        self.board[row][col] = 1
        for ship in self.ships:
            if (row, col) in ship:
                self.board[row][col] = 2
                ship.remove((row, col))
                reward = 5.0 if ship else 10.0
        self.ships = [ship for ship in self.ships if ship]
        mask = [cell == 0 for row in self.board for cell in row]
        return [row[:] for row in self.board], reward, not self.ships, mask


def one_board(env: Any, seconds: float) -> tuple[int, float]:
    """Random legal play on an environment of one board."""
    order, steps, fired = orders(1, 100)[0].tolist(), 0, 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        for _ in range(500):
            over = env.step(order[fired])[2]
            fired = 0 if over else fired + 1
            if over:
                env.reset()
        steps += 500
    return steps, time.process_time() - began


def naive(seconds: float) -> tuple[int, float]:
    return one_board(NaiveBattleship(), seconds)


def naive_lists(seconds: float) -> tuple[int, float]:
    return one_board(ListBattleship(), seconds)


def single(seconds: float) -> tuple[int, float]:
    env = gymnasium.make("trireme/Battleship-v0")
    env.reset(seed=0)
    return one_board(env, seconds)


def single_duel(seconds: float) -> tuple[int, float]:
    env = gymnasium.make("trireme/Battleship-v0", opponent="random")
    env.reset(seed=0)
    return one_board(env, seconds)


def orders(boards: int, actions: int) -> NDArray[np.int64]:
    """For every board all actions in an order of its own."""
    return np.argsort(np.random.default_rng(0).random((boards, actions)), axis=1)


def batched(
    id_: str,
    boards: int,
    choose: Callable[[int, dict[str, Any]], NDArray[np.int64]],
    **options: Any,
) -> Work:
    """A vector environment; on the clock are its steps, which reset boards by themselves.

    `choose(round, infos)` gives the actions, off the clock.
    """

    def work(seconds: float) -> tuple[int, float]:
        env = gymnasium.make_vec(id_, num_envs=boards, **options)
        rounds, clock = 0, 0.0
        _, infos = env.reset(seed=0)
        while clock < seconds:
            chosen = choose(rounds, infos)
            began = time.process_time()
            *_, infos = env.step(chosen)
            clock += time.process_time() - began
            rounds += 1
        return rounds * boards, clock

    return work


def boards_in_order(id_: str, boards: int, **options: Any) -> Work:
    """Every board plays all actions in a random order of its own."""
    actions, rows = orders(boards, 100 if "Battleship" in id_ else 225), np.arange(boards)

    def choose(_: int, infos: dict[str, Any]) -> NDArray[np.int64]:
        return actions[rows, np.minimum(infos["move_count"], actions.shape[1] - 1)]

    return batched(id_, boards, choose, **options)


def open_cells(boards: int, **options: Any) -> Work:
    """Every board of Battleship plays a random cell that its mask allows."""
    rng = np.random.default_rng(0)

    def choose(_: int, infos: dict[str, Any]) -> NDArray[np.int64]:
        mask = infos["action_mask"]
        chosen: NDArray[np.int64] = (rng.random(mask.shape, np.float32) * mask).argmax(1)
        return chosen

    return batched("trireme/Battleship-v0", boards, choose, **options)


def random_plans(boards: int) -> Work:
    """Random plans for both seats of Battle Navigation."""
    plans = np.random.default_rng(0).integers(0, 28, (64, boards, 2, 4))
    return batched("trireme/Navigation-v0", boards, lambda rounds, _: plans[rounds % 64])


def plain_rules(game: AnyGame) -> Work:
    """The plain rules of a game, random legal play, drawing the moves included."""

    def work(seconds: float) -> tuple[int, float]:
        rng, state, steps = stream(0, 0), game.start(), 0
        began = time.process_time()
        while time.process_time() - began < seconds:
            for _ in range(100):
                movers = game.to_move(state)
                moves = {seat: game.legal(state, seat).sample(rng) for seat in movers}
                state = game.apply(state, moves) if movers else game.start()
                steps += bool(movers)
        return steps, time.process_time() - began

    return work


def zoo(name: str) -> Work:
    """The PettingZoo environment of a game; on the clock are `last` and `step`."""

    def work(seconds: float) -> tuple[int, float]:
        env = trireme.envs.aec(name)
        rng, steps, clock = random.Random(0), 0, 0.0
        while clock < seconds:
            env.reset(seed=steps)
            while not any(env.terminations.values()):
                began = time.process_time()
                mask = env.last()[4]["action_mask"]
                clock += time.process_time() - began
                chosen = rng.choice(np.flatnonzero(mask).tolist())
                began = time.process_time()
                env.step(chosen)
                clock += time.process_time() - began
                steps += 1
        return steps, clock

    return work


def open_spiel(text: str) -> Work | None:
    """A game of OpenSpiel; on the clock is `apply_action`, and nothing else."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game(text)

    def work(seconds: float) -> tuple[int, float]:
        rng, steps, clock, spent = random.Random(0), 0, 0.0, time.process_time()
        while clock < seconds and time.process_time() - spent < 20 * seconds:
            state = game.new_initial_state()
            while not state.is_terminal():
                action = rng.choice(state.legal_actions())
                began = time.process_time()
                state.apply_action(action)
                clock += time.process_time() - began
                steps += 1
        return steps, clock

    return work


def contestants(boards: int) -> dict[str, dict[str, Work | None]]:
    """What is measured, by game; the first of each game is what ratios are against."""
    battleship, gomoku = "trireme/Battleship-v0", "trireme/Gomoku-v0"
    duel = "battleship(num_shots=100,allow_repeated_shots=False)"
    return {
        "battleship": {
            "single environment": single,
            "naive numpy": naive,
            "naive lists": naive_lists,
            "OpenSpiel battleship": open_spiel(duel),
            "SyncVectorEnv of the single one": boards_in_order(
                battleship, boards, vectorization_mode="sync"
            ),
            "make_vec": boards_in_order(battleship, boards),
            "make_vec, same-step reset": boards_in_order(
                battleship, boards, autoreset_mode="SameStep"
            ),
            "make_vec, own buffers": boards_in_order(battleship, boards, copy=False),
            "make_vec, salvos": open_cells(boards, salvo=True),
        },
        "battleship, duel": {
            "single environment against random": single_duel,
            "make_vec against random": open_cells(boards, opponent="random"),
            "make_vec, self-play": open_cells(boards, duel=True),
        },
        "gomoku": {
            "plain rules": plain_rules(make_game("gomoku")),
            "OpenSpiel gomoku": open_spiel("gomoku"),
            "PettingZoo": zoo("gomoku"),
            "make_vec": boards_in_order(gomoku, boards),
            "make_vec, planes": boards_in_order(gomoku, boards, observation="planes"),
            "make_vec, same-step reset": boards_in_order(gomoku, boards, autoreset_mode="SameStep"),
        },
        "navigation, joint turns": {
            "plain rules": plain_rules(make_game("navigation")),
            "make_vec": random_plans(boards),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--boards", type=int, default=1024, help="boards of vector environments")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU-seconds a measurement")
    parser.add_argument("--repeats", type=int, default=3, help="measurements; the best counts")
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()

    found: dict[str, dict[str, float]] = {}
    for game, works in contestants(args.boards).items():
        present = {name: work for name, work in works.items() if work is not None}
        for work in present.values():
            work(min(0.2, args.seconds))  # kernels compile here
        best = dict.fromkeys(present, 0.0)
        for _ in range(args.repeats):  # in turn, so that a busy spell hits all of them
            for name, work in present.items():
                steps, clock = work(args.seconds)
                best[name] = max(best[name], steps / clock)
        found[game] = best
        if not args.json:
            first = next(iter(best.values()))
            for name, rate in best.items():
                print(f"{game:24} {name:32} {rate:14,.0f} steps/s {rate / first:10,.1f}×")
    if args.json:
        print(json.dumps({"boards": args.boards, "steps_per_cpu_second": found}))


if __name__ == "__main__":
    main()
