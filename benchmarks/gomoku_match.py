"""Two Gomoku agents against each other: wins of the first with a 95 % Wilson interval.

Every opening is played twice with swapped colours. Examples:

    python benchmarks/gomoku_match.py heuristic random --games 200
    python benchmarks/gomoku_match.py search heuristic --seconds 0.3 --openings FILE

A file of openings has one a line, as `h8i9g6`, black first; without one the openings that ship are
used. Only the two agents' own moves are on the clock.
"""

import argparse
from pathlib import Path

from trireme.core.game import close
from trireme.core.intervals import wilson
from trireme.core.play import play
from trireme.core.registry import make_agent
from trireme.gomoku.openings import balanced
from trireme.gomoku.rules import Gomoku, read_points


def openings(game: Gomoku, path: Path | None) -> list[tuple[str, ...]]:
    """The openings as lists of moves."""
    if path is None:
        return [tuple(game.write(p) for p in o) for o in balanced(game.size)]
    lines = path.read_text(encoding="utf-8").split()
    return [tuple(game.write(p) for p in read_points(game, line)) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=None, help="a move")
    parser.add_argument("--openings", type=Path, default=None)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    game = Gomoku()
    starts = openings(game, args.openings)
    agents = [make_agent(game, spec) for spec in (args.first, args.second)]
    won = drawn = lost = forfeits = 0
    slowest, spent, moves = 0.0, 0.0, 0
    for number in range(args.games):
        swap = number % 2
        opening = starts[number // 2 % len(starts)]
        seated = [agents[swap], agents[1 - swap]]
        result = play(game, seated, seed=args.seed + number, seconds=args.seconds, opening=opening)
        score = result.returns[swap]
        won, drawn, lost = won + (score > 0), drawn + (score == 0), lost + (score < 0)
        forfeits += len(result.forfeits)
        for forfeit in result.forfeits:
            who = (args.first, args.second)[forfeit.seat ^ swap]
            print(f"game {number + 1}: {who} forfeits: {forfeit.detail}", flush=True)
        if result.decisions[swap]:
            slowest = max(slowest, result.seconds[swap] / result.decisions[swap])
        spent, moves = spent + result.seconds[swap], moves + result.decisions[swap]
        if (number + 1) % 20 == 0:
            print(f"{number + 1} games: +{won} ={drawn} -{lost}", flush=True)
    close(agents)
    low, high = wilson(won, args.games)
    print(f"{args.first} against {args.second}, {args.games} games: +{won} ={drawn} -{lost}")
    print(f"won {won / args.games:.1%}, 95 % interval {low:.1%} to {high:.1%}; forfeits {forfeits}")
    print(
        f"{spent / max(moves, 1):.3f} s a move on average; slowest game's average {slowest:.3f} s"
    )


if __name__ == "__main__":
    main()
