"""What a language model adds to a network, and a network to the model: rl+llm, dqn+llm, zero+llm.

    python benchmarks/llm_hybrids.py --boards 100 --games 40 --skill 0.8

The model is scripted, so that the figures need no key and can be had again. It reads the prompt
alone. With probability `--skill` it compares the options that it looks at and names the best: in
Battleship by the posterior under the rules in the prompt, in Gomoku by a search of `--nodes` nodes
after each. Else it names the first. It looks at all of a network's proposals, which come best
first; alone at a few legal actions in random order, as a model that can't search widely does.

Battleship is played twice: by the rules that the network was trained for, and with ships that may
touch, of which the model reads and the network does not know.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from dataclasses import dataclass, field

import numpy as np

from trireme.battleship.agents.posterior import Posterior
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
PARENTS = {"rl+llm": "rl", "dqn+llm": "dqn", "zero+llm": "zero:simulations=64"}
"""Each hybrid, and its network alone."""
GOMOKU = Gomoku()
SEAS = {"battleship": Battleship(), "ships may touch": Battleship(touching=True)}


def options_of(prompt: str, rng: random.Random) -> list[str]:
    """The proposals of a prompt, or some of its legal actions."""
    if found := re.search(r"<candidates>\n(.*?)\n</candidates>", prompt, re.S):
        return [line.rsplit(": ", 1)[0] for line in found[1].split("\n")]
    found = re.search(r"<legal_actions>\n(.*?)\n</legal_actions>", prompt, re.S)
    assert found is not None
    legal = found[1].split(", ")
    return rng.sample(legal, min(ATTENTION, len(legal)))


@dataclass(frozen=True)
class ModelScript:
    """The model."""

    skill: float
    """How often it compares its options; else it takes the first."""
    nodes: int
    """Nodes of a search after each move that it compares."""
    sea: Battleship = field(default_factory=Battleship)
    """The rules of Battleship that the prompt describes."""
    shooter: Posterior = field(default_factory=lambda: Posterior(limit=50_000, samples=5_000))

    def __call__(self, asked: Asked) -> str:
        rng = random.Random(asked.prompt)
        options = options_of(asked.prompt, rng)
        if rng.random() >= self.skill:
            return json.dumps({"action": options[0]})
        best = self.best_shot if "Battleship" in asked.system[:400] else self.best_move
        return json.dumps({"action": best(asked.prompt, options)})

    def best_shot(self, prompt: str, options: list[str]) -> str:
        """The shot that most probably hits."""
        (line,) = re.findall(r"Your shots in order: (.*)\.\n", prompt)
        shots = []
        for told in [] if line == "none" else line.split(", "):
            cell, said = told.split(": ")
            result, _, ship = said.partition(" the ")
            shots.append(Shot(read_cell(cell), result, ship))  # type: ignore[arg-type]
        target = TargetView(self.sea.boards[0], tuple(shots), self.sea.placement == "uniform")
        chances = self.shooter.belief(target, np.random.default_rng(len(shots))).cells

        def chance(text: str) -> float:
            row, col = read_cell(text)
            return float(chances[row * self.sea.cols + col])

        return max(options, key=chance)

    def best_move(self, prompt: str, options: list[str]) -> str:
        """The option after which the other side has least."""
        stones = re.findall(r"\d+\. (?:black|white) ([a-z]\d+)", prompt)
        game = Gomoku(position="".join(stones))
        state = game.start()
        (seat,) = game.to_move(state)
        engine = Search(nodes=self.nodes)

        def worth(text: str) -> int:
            after = game.apply(state, {seat: game.read(text)})
            return 10**9 if after.winner else -engine.analyse(game, after).value

        return max(options, key=worth)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--boards", type=int, default=100, help="Battleship boards for each agent")
    parser.add_argument("--games", type=int, default=40, help="Gomoku games for each pairing")
    parser.add_argument("--first", type=int, default=0, help="number of the first board and game")
    parser.add_argument("--skill", type=float, default=0.8, help="how often it compares, 0 to 1")
    parser.add_argument(
        "--nodes", type=int, default=10_000, help="its search in Gomoku; more: better"
    )
    parser.add_argument("--k", type=int, default=5, help="proposals of the network")
    parser.add_argument("--only", nargs="+", default=list(PARENTS), choices=list(PARENTS))
    given = parser.parse_args()
    boards = range(given.first, given.first + given.boards)
    games = range(given.first, given.first + given.games)
    for name in given.only:
        for title, sea in SEAS.items() if name == "rl+llm" else [("gomoku", Battleship())]:
            with ScriptedEndpoint(ModelScript(given.skill, given.nodes, sea)) as endpoint:
                model = f"model=script,provider=compatible,url={endpoint.url}"
                hybrid = f"{name}:{model},k={given.k}"
                parents = (PARENTS[name], f"llm:{model},listed=1000")
                print(f"{title}, skill {given.skill:g}", flush=True)
                if name == "rl+llm":
                    battleship(sea, boards, hybrid, parents)
                else:
                    gomoku(games, hybrid, parents)


def battleship(sea: Battleship, boards: range, hybrid: str, parents: tuple[str, str]) -> None:
    """Shots of the three on the same boards, and what each parent needs more than the hybrid."""
    ours = shots_of(hybrid, sea, boards)
    print(f"rl+llm {np.mean(ours):.1f} ± {mean_half_width(ours):.1f} shots", flush=True)
    for parent in parents:
        shots = shots_of(parent, sea, boards)
        more = shots - ours
        name = parent.partition(":")[0]
        print(
            f"{name} {np.mean(shots):.1f} ± {mean_half_width(shots):.1f} shots, "
            f"{np.mean(more):+.2f} ± {mean_half_width(more):.2f} against rl+llm",
            flush=True,
        )


def shots_of(agent: str, sea: Battleship, boards: range) -> np.ndarray:
    return np.array([-play(sea, [agent], seed=seed).returns[0] for seed in boards])


def gomoku(numbers: range, hybrid: str, parents: tuple[str, str]) -> None:
    """The hybrid's score against each parent, from the same openings with both colours."""
    ours = hybrid.partition(":")[0]
    for parent in parents:
        points = 0.0
        for number in numbers:
            pair = [hybrid, parent] if number % 2 == 0 else [parent, hybrid]
            rng = np.random.default_rng(number // 2)
            opening = [GOMOKU.write((5 + int(p) // 5, 5 + int(p) % 5)) for p in rng.permutation(25)]
            result = play("gomoku", pair, seed=number, opening=opening[:4])
            points += (result.returns[number % 2] + 1) / 2
        low, high = wilson(points, len(numbers))
        name = parent.partition(":")[0]
        print(f"{ours} against {name} {points:g}/{len(numbers)} ({low:.2f}–{high:.2f})", flush=True)


if __name__ == "__main__":
    main()
