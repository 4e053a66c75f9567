"""A random agent fires at a hidden fleet; the board is drawn as it goes."""

import argparse

from trireme import Session, draw_text, make_agent, make_game, play


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=25, help="draw after so many shots")
    args = parser.parse_args()

    game = make_game("battleship", "small")

    def show(session: Session) -> None:
        if session.moves % args.every == 0:
            print(draw_text(session.game, session.state, 0), end="\n\n")

    result = play(game, [make_agent(game, "random")], seed=args.seed, on_move=show)
    print(draw_text(game, result.state, 0))
    print(f"\nThe fleet went down after {-result.returns[0]:.0f} shots.")


if __name__ == "__main__":
    main()
