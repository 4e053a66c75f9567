"""Choose the settings of the named opponents: from the top down, each step near 240 Elo.

A game has candidates, each with a guess of its Elo. From the top
the candidate is taken whose guess is nearest to a step below, the two play, and where the step is
too small or too large, guesses are corrected and another candidate tries. The settings go into
opponents.json; `opponents.py` then measures the ladder.

    python benchmarks/choose_opponents.py gomoku --workers 2 --played games.jsonl
    python benchmarks/opponents.py gomoku --pairs 24 --first 2000 --workers 2 --played games.jsonl
"""

from __future__ import annotations

import argparse
import itertools
import math
from pathlib import Path

import msgspec
import numpy as np
from opponents import Meeting, opponents_path, play_all

from trireme.core.opponents import opponent_file

STEP, LEAST, MOST = 240, 165, 285
"""The step to aim at, and the ends of what is taken, in Elo: inside 150 to 300, for chance."""
FIRST_PAIRS = 8
SECONDS = 10.0
"""The limit of a move: nodes, depth or rounds limit all candidates but `nash` long before."""


def seconds_of(spec: str) -> float:
    """The seconds a move of a candidate."""
    return 0.5 if spec == "nash" else SECONDS


def _careless(agent: str, slip: float) -> str:
    return f'careless:agent="{agent}",slip={slip}'


def gomoku() -> dict[str, float]:
    """Candidates of Gomoku and guesses of their Elo; those without a network first."""
    found: dict[str, float] = {f"heuristic:epsilon={e}": 600 - 2000 * e for e in _EPSILONS}
    for slip, elo in ((0.15, 280), (0.12, 340), (0.1, 380), (0.08, 420), (0.06, 480)):
        found[_careless("search:depth=1,evaluation=patterns", slip)] = elo
    for slip, elo in ((0.08, 480), (0.06, 520), (0.04, 570), (0.03, 600), (0.02, 635), (0.01, 680)):
        found[_careless("search:depth=2,evaluation=patterns", slip)] = elo
    found["search:depth=2,evaluation=patterns"] = 720
    for nodes in (2000, 5000, 10_000, 20_000):
        found[f"search:nodes={nodes},evaluation=patterns"] = 770 + 60 * math.log2(nodes / 2000)
    for nodes in (300, 500, 700, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 12_000):
        found[f"search:nodes={nodes}"] = 1126 + 80 * math.log2(nodes / 3000)
    found["search:nodes=50000"] = 1450
    return found


_EPSILONS = (0.3, 0.27, 0.25, 0.22, 0.2, 0.17, 0.15, 0.12)


def navigation() -> dict[str, float]:
    """Candidates of Battle Navigation and guesses of their Elo, all without a clock or a network.

    Slips to random plans weaken `planner`. They hardly weaken `nash`, which plays a mixture anyway:
    its slips are plans of `planner`, which whoever exploits mistakes predicts.
    """
    found: dict[str, float] = {"moored": 0}
    for slip, elo in ((0.9, 110), (0.85, 205), (0.8, 250), (0.7, 330), (0.6, 410), (0.5, 490)):
        found[f"careless:agent=planner,slip={slip}"] = elo
    for slip, elo in ((0.4, 550), (0.3, 610), (0.2, 660), (0.1, 710)):
        found[f"careless:agent=planner,slip={slip}"] = elo
    found["planner"] = 770
    for slip in (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1):
        careless = _careless("nash:rounds=4,value=formula", slip)
        found[f"{careless},instead=planner"] = 1300 - 550 * slip
    found["nash"] = 1400
    return found


CANDIDATES = {"gomoku": gomoku, "navigation": navigation}


class LadderSearch:
    """Finds candidates that stand one step apart, by games."""

    def __init__(self, game: str, pairs: int, workers: int, played: Path | None) -> None:
        self.game, self.pairs, self.workers, self.played = game, pairs, workers, played
        guesses = CANDIDATES[game]()
        self.guesses = dict(sorted(guesses.items(), key=lambda candidate: candidate[1]))

    def ladder(self, rungs: int) -> list[str]:
        """The settings of all rungs, weakest first."""
        found = [max(self.guesses, key=self.guesses.__getitem__)]
        while len(found) < rungs:
            found.append(self.below(found[-1]))
        return found[::-1]

    def below(self, high: str, tries: int = 5) -> str:
        """The candidate that stands one step below another one."""
        steps: dict[str, float] = {}
        for _ in range(tries):
            aim = self.guesses[high] - STEP
            left = [c for c in self.guesses if c not in steps and self._open(c, high, steps)]
            if not left:
                break
            low = min(left, key=lambda c: abs(self.guesses[c] - aim))
            steps[low] = step = self.step(low, high)
            print(f"{step:5.0f} Elo: {low} below {high}", flush=True)
            if LEAST <= step <= MOST:
                return low
            shift = self.guesses[high] - step - self.guesses[low]
            for candidate, guess in self.guesses.items():
                if guess <= self.guesses[low]:
                    self.guesses[candidate] = guess + shift
        return min(steps, key=lambda c: abs(steps[c] - STEP))

    def _open(self, candidate: str, high: str, steps: dict[str, float]) -> bool:
        """Whether it is weaker than `high`, and between those that were too near and too far."""
        names = list(self.guesses)
        place = names.index(candidate)
        near = [names.index(c) for c, step in steps.items() if step < LEAST]
        far = [names.index(c) for c, step in steps.items() if step > MOST]
        return max(far, default=-1) < place < min([*near, names.index(high)])

    def step(self, low: str, high: str) -> float:
        """How far apart two candidates are, in Elo; after few pairs where that is plain."""
        score = 0.5
        for pairs in (FIRST_PAIRS, self.pairs):
            sides = (low, seconds_of(low)), (high, seconds_of(high))
            meetings = [Meeting(self.game, *sides, pair) for pair in range(pairs)]
            file = opponent_file(self.game)
            assert file is not None
            results = play_all(meetings, file.variant, self.workers, self.played)
            score = float(np.mean(np.sign([results[m] for m in meetings])) / 2 + 0.5)
            if not 0.55 <= score <= 0.97:
                break
        score = min(max(score, 0.02), 0.98)
        return 400 * math.log10(score / (1 - score))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", choices=CANDIDATES)
    parser.add_argument("--pairs", type=int, default=24, help="pairs of games to judge a step by")
    parser.add_argument("--workers", type=int, default=1, help="games at once")
    parser.add_argument("--played", type=Path, help="file of pairs that are played, to go on from")
    chosen = parser.parse_args()
    file = opponent_file(chosen.game)
    assert file is not None
    search = LadderSearch(chosen.game, chosen.pairs, chosen.workers, chosen.played)
    specs = search.ladder(len(file.opponents))
    named = [
        msgspec.structs.replace(o, spec=spec, think=seconds_of(spec))
        for o, spec in zip(file.opponents, specs, strict=True)
    ]
    for low, high in itertools.pairwise(specs):
        print(f"{low} < {high}")
    changed = msgspec.structs.replace(file, opponents=tuple(named))
    text = msgspec.json.format(msgspec.json.encode(changed), indent=2)
    opponents_path(chosen.game).write_bytes(text + b"\n")


if __name__ == "__main__":
    main()
