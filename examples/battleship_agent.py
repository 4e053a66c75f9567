"""An agent of one's own in ten lines, measured against one that ships."""

from typing import Any

from trireme import make_game, play


class Diagonal:
    """Fires along diagonals, and next to its last hit while there is an open cell."""

    name = "diagonal"

    def act(self, turn: Any) -> Any:
        shots = turn.view.target.shots
        hits = [shot.cell for shot in shots if shot.result == "hit"][-1:]
        near = {(r + i, c + j) for r, c in hits for i, j in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        legal = sorted(turn.legal, key=lambda a: (sum(a.cells[0]) % 3, a.cells))
        return next((action for action in legal if action.cells[0] in near), legal[0])


def main() -> None:
    game = make_game("battleship", rows=8, cols=8)
    for agent in (Diagonal(), "hunt"):
        shots = [-play(game, [agent], seed=seed).returns[0] for seed in range(20)]
        name = agent if isinstance(agent, str) else agent.name
        print(f"{name}: {sum(shots) / len(shots):.1f} shots on average")


if __name__ == "__main__":
    main()
