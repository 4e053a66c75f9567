"""Ask the engine about a position: the best moves, their values, and the line it expects.

python examples/gomoku_analyse.py "h8 i9 h9 h10 g8" --nodes 200000
"""

import argparse

from trireme.gomoku.agents.search import Search
from trireme.gomoku.rules import Gomoku
from trireme.gomoku.show.draw import text
from trireme.gomoku.show.insight import in_words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("stones", nargs="?", default="h8 i9 h9 h10 g8", help="in order of play")
    parser.add_argument("--nodes", type=int, default=100_000)
    args = parser.parse_args()
    game = Gomoku(position=args.stones)
    found = Search(nodes=args.nodes).analyse(game, game.start(), top=5)
    print(text(game, game.start()))
    for candidate in found.moves:
        print(f"{game.write(candidate.move):>4}  {in_words(candidate)}")
    print("line:", " ".join(game.write(point) for point in found.line))


if __name__ == "__main__":
    main()
