"""What a language model adds to a network, and a network to the model: rl+llm and dqn+llm.

    python benchmarks/llm_hybrids.py --boards 40 --games 20

The model is scripted, so that the figures need no key and can be had again: it reads the prompt,
and knows some tactics, but alone it looks at a few random actions only, as a model that can't
search widely does. In Battleship it counts placements (density); in Gomoku it looks two plies
ahead.
The same script plays alone (`llm`) and chooses among a network's proposals.
"""

from __future__ import annotations

import argparse
import json
import random
import re

import numpy as np

from trireme.battleship.agents.density import placement_density
from trireme.battleship.agents.shooting_agent import TargetView
from trireme.battleship.board import read_cell
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Shot
from trireme.core.intervals import mean_half_width, wilson
from trireme.core.play import play
from trireme.gomoku.agents.search import Search
from trireme.gomoku.rules import Gomoku
from trireme.llm.scripted import Asked, ScriptedEndpoint

ATTENTION = 8
"""Legal actions that the script looks at when it has no proposals."""
GOMOKU = Gomoku()
ENGINE = Search(depth=2)
SEA = Battleship()


def options_of(prompt: str, rng: random.Random) -> list[str]:
    """The proposals of a prompt, or some of its legal actions."""
    if found := re.search(r"<candidates>\n(.*?)\n</candidates>", prompt, re.S):
        return [line.rsplit(": ", 1)[0] for line in found[1].split("\n")]
    found = re.search(r"<legal_actions>\n(.*?)\n</legal_actions>", prompt, re.S)
    assert found is not None
    legal = found[1].split(", ")
    return rng.sample(legal, min(ATTENTION, len(legal)))


def shoot(prompt: str, options: list[str]) -> str:
    """The shot with the highest density of placements."""
    (line,) = re.findall(r"Your shots in order: (.*)\.\n", prompt)
    shots = []
    for told in [] if line == "none" else line.split(", "):
        cell, said = told.split(": ")
        result, _, ship = said.partition(" the ")
        shots.append(Shot(read_cell(cell), result, ship))  # type: ignore[arg-type]
    target = TargetView(SEA.boards[0], tuple(shots))
    weights = 100.0 ** np.arange(1 + max(target.board.sizes), dtype=np.float64)
    scores = placement_density(target, weights, exclude_impossible=True)
    return max(options, key=lambda text: scores[_flat(text)])


def _flat(text: str) -> int:
    row, col = read_cell(text)
    return row * SEA.cols + col


def put(prompt: str, options: list[str]) -> str:
    """The option after which the other side has least, two plies deep."""
    stones = re.findall(r"\d+\. (?:black|white) ([a-z]\d+)", prompt)
    state = Gomoku(position="".join(stones)).start()

    def worth(text: str) -> int:
        after = GOMOKU.apply(state, {0: GOMOKU.read(text)})
        return 10**9 if after.winner else -ENGINE.analyse(GOMOKU, after).value

    return max(options, key=worth)


def scripted(asked: Asked) -> str:
    """The model."""
    rng = random.Random(asked.prompt)
    options = options_of(asked.prompt, rng)
    choose = shoot if "Battleship" in asked.system[:400] else put
    return json.dumps({"action": choose(asked.prompt, options)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--boards", type=int, default=40, help="Battleship boards for each agent")
    parser.add_argument("--games", type=int, default=20, help="Gomoku games for each pairing")
    parser.add_argument("--k", type=int, default=8, help="proposals of the network")
    given = parser.parse_args()
    with ScriptedEndpoint(scripted) as endpoint:
        model = f"model=script,provider=compatible,url={endpoint.url},listed=1000"
        hybrid = f"{model},k={given.k}".replace(",listed=1000", "")
        battleship(given.boards, ["rl", f"llm:{model}", f"rl+llm:{hybrid}"])
        gomoku(given.games, f"dqn+llm:{hybrid}", ["dqn", f"llm:{model}"])


def battleship(boards: int, agents: list[str]) -> None:
    for agent in agents:
        shots = [-play("battleship", [agent], seed=seed).returns[0] for seed in range(boards)]
        name = agent.partition(":")[0]
        print(f"{name:8} {np.mean(shots):5.1f} ± {mean_half_width(shots):.1f} shots", flush=True)


def gomoku(games: int, hybrid: str, parents: list[str]) -> None:
    for parent in parents:
        points = 0.0
        for number in range(games):
            pair = [hybrid, parent] if number % 2 == 0 else [parent, hybrid]
            rng = np.random.default_rng(number // 2)
            opening = [GOMOKU.write((5 + int(p) // 5, 5 + int(p) % 5)) for p in rng.permutation(25)]
            result = play("gomoku", pair, seed=number, opening=opening[:4])
            points += (result.returns[number % 2] + 1) / 2
        low, high = wilson(points, games)
        name = parent.partition(":")[0]
        print(f"dqn+llm against {name:4} {points:g}/{games} ({low:.2f}–{high:.2f})", flush=True)


if __name__ == "__main__":
    main()
