"""Who beats whom at Battle Navigation: one agent against others, mirrored maps, seats and ships.

Games come in pairs. A pair has one procedural sea (half of them mirrored; --seas shifts to others),
two ships (all 21 combinations in turn) and one seed, and is played twice with the seats exchanged,
so neither luck with seas nor with ships favours anybody, and no game repeats. Reported are wins,
draws, losses and forfeits, the share of wins and the score (a draw counts half) with 95 % Wilson
intervals, and the CPU time of a plan. Where both agents tell their mixed strategies, also the score
without the luck of their draws: less by what the plans drawn are worth beyond expectation, by the
value network and by the turns of the positions that matter most, which are solved; so its
expectation is the same and its interval narrower (AIVAT). With --out every
game is appended to a file at once; running again goes on from there.

    python benchmarks/navigation_strength.py planner greedy
    python benchmarks/navigation_strength.py nash:seconds=1 planner greedy --games 400
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from trireme import make_agent, play
from trireme.core.game import AnyAgent, AnyGame, Turn
from trireme.core.intervals import mean_half_width, wilson
from trireme.navigation.agents.mixed_strategy import DisclosedAgent
from trireme.navigation.arrays import pack_plan
from trireme.navigation.map_generator import find_map
from trireme.navigation.maps import mirrored_map
from trireme.navigation.rules import Navigation
from trireme.navigation.search.double_oracle import TurnSolver
from trireme.navigation.search.value_network import load_network
from trireme.navigation.ships import SHIPS

LUCK_LEAVES = 60
"""Positions after a turn that are solved to tell the luck of its draws."""
PAIRS = list(itertools.combinations_with_replacement(sorted(SHIPS), 2))


class Timed:
    """An agent whose CPU time is taken, decision by decision."""

    def __init__(self, agent: AnyAgent) -> None:
        self.agent = agent
        self.name = agent.name
        self.times: list[float] = []

    def prepare(self, game: AnyGame) -> None:
        prepare = getattr(self.agent, "prepare", None)
        if prepare is not None:
            prepare(game)

    def act(self, turn: Turn[Any, Any]) -> Any:
        began = time.process_time()
        action = self.agent.act(turn)
        self.times.append(time.process_time() - began)
        return action


def game_of(pair: int, seas: int) -> Navigation:
    """The sea and the ships of a pair of games."""
    name = f"procedural:{seas + pair}"
    sea = mirrored_map(find_map(name)) if pair % 2 else name
    return Navigation(ships=PAIRS[pair % len(PAIRS)], map=sea)


def luck_of(game: Navigation, seats: list[DisclosedAgent]) -> float | None:
    """How much better than expected for seat 0 the plans drawn were; None without mixtures."""
    solver, luck = TurnSolver(game, load_network()), 0.0
    first, second = seats
    for (view, own), (_, theirs), i, j in zip(
        first.told, second.told, first.drawn, second.drawn, strict=False
    ):
        if i is None or j is None:
            return None
        plans = [
            np.stack([pack_plan(plan, ship) for plan, _ in mixture])
            for mixture, ship in zip((own, theirs), game.types, strict=True)
        ]
        chances = [np.array([w for _, w in mixture]) for mixture in (own, theirs)]
        oracle = solver.double_oracle(view, 0).with_bonus(None)
        oracle.search_reached((plans[0], chances[0]), (plans[1], chances[1]), LUCK_LEAVES)
        values = oracle.payoffs(*plans)
        expected = chances[0] @ values @ chances[1]
        luck += float(values[i, j] - expected)
    return luck if first.told and second.told else None


def play_game(first: str, second: str, number: int, seas: int) -> dict[str, Any]:
    """Game `number` of a match: the pair's first game seats `first` at 0, its second at 1."""
    pair, side = divmod(number, 2)
    game = game_of(pair, seas)
    disclosed = [DisclosedAgent(make_agent(game, spec)) for spec in (first, second)]
    agents = [Timed(agent) for agent in disclosed]
    for agent in agents:
        agent.prepare(game)
        agent.times.clear()
    result = play(game, agents if side == 0 else agents[::-1], seed=pair)
    verdict = result.state.verdict
    luck = luck_of(game, disclosed if side == 0 else disclosed[::-1])
    return {
        "luck": None if luck is None else luck * (1 - 2 * side),
        "first": first,
        "second": second,
        "number": number,
        "ships": game.ships,
        "result": result.returns[side],
        "reason": verdict.reason if verdict else "forfeit",
        "turns": result.state.turn,
        "times": [[round(t, 5) for t in agent.times] for agent in agents],
    }


def report(games: list[dict[str, Any]]) -> str:
    """One line for the games of two agents."""
    n = len(games)
    wins, losses = (sum(g["result"] == value for g in games) for value in (1, -1))
    draws = n - wins - losses
    share, score = wins / n, (wins + draws / 2) / n
    intervals = [f"{low:.1%}–{high:.1%}" for low, high in (wilson(wins, n), wilson(score * n, n))]
    times = [np.array([t for g in games for t in g["times"][who]]) * 1e3 for who in (0, 1)]
    cpu = ", ".join(
        f"mean {t.mean():.1f} p95 {np.quantile(t, 0.95):.1f} ms" if len(t) else "none"
        for t in times
    )
    forfeits = sum(g["reason"] == "forfeit" for g in games)
    adjusted = ""
    if n > 3 and all(g.get("luck") is not None for g in games):
        ordered = sorted(games, key=lambda g: int(g["number"]))
        results = np.array([g["result"] - g["luck"] for g in ordered[: n - n % 2]]).reshape(-1, 2)
        mean, half = (1 + results.mean()) / 2, mean_half_width(results.mean(axis=1)) / 2
        adjusted = f"without luck {mean:.1%} ({mean - half:.1%}–{mean + half:.1%}); "
    return (
        f"{games[0]['first']} – {games[0]['second']}: {wins} won, {draws} drawn, {losses} lost of "
        f"{n}; wins {share:.1%} ({intervals[0]}), score {score:.1%} ({intervals[1]}); {adjusted}"
        f"{forfeits} forfeits; {np.mean([g['turns'] for g in games]):.1f} turns; CPU a plan: {cpu}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("first", help="agent spec")
    parser.add_argument("others", nargs="+", help="agent specs that it meets")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seas", type=int, default=5_000_000, help="the first sea's seed")
    parser.add_argument("--out", type=Path, help="a file of games, appended to and gone on with")
    options = parser.parse_args()
    known: list[dict[str, Any]] = []
    if options.out is not None and options.out.exists():
        known = [json.loads(line) for line in options.out.read_text().splitlines()]
    for other in options.others:
        games = [g for g in known if (g["first"], g["second"]) == (options.first, other)]
        done = {g["number"] for g in games}
        for number in (n for n in range(options.games) if n not in done):
            games.append(play_game(options.first, other, number, options.seas))
            if options.out is not None:
                with options.out.open("a") as file:
                    file.write(json.dumps(games[-1]) + "\n")
        print(report(games), flush=True)


if __name__ == "__main__":
    main()
