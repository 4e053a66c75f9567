"""An agent of ten lines, measured: a match against two others, with ratings and a report page.

Run it with: python examples/arena_match.py
"""

import tempfile
from pathlib import Path
from typing import Any

from trireme import Turn, make_game
from trireme.arena import Match, entrants, run_match, start, write_reports
from trireme.arena.standing import ScoreStanding


class Neighbour:
    """Puts its stone next to one that is there."""

    name = "neighbour"

    def act(self, turn: Turn[Any, Any]) -> Any:
        def gap(point: Any) -> int:
            return min((max(abs(point[0] - r), abs(point[1] - c)) for r, c in stones), default=0)

        stones = turn.view.stones
        near = [p for p in turn.legal if gap(p) <= 1]
        return near[int(turn.rng.integers(len(near)))]


def main(games: int = 40) -> None:
    game = make_game("gomoku", size=9)
    match = Match(game, entrants(game, [Neighbour(), "random", "heuristic"]), games=games)
    folder = start(match, Path(tempfile.mkdtemp()) / "match")
    report = write_reports(folder, run_match(folder))
    for agent in report.agents:
        assert isinstance(agent.standing, ScoreStanding)
        low, high = agent.standing.elo_ci95
        print(f"{agent.name:<10} {agent.standing.elo:+6.0f} Elo  (95 % {low:+.0f} … {high:+.0f})")
    print(f"Report: {folder.path / 'report.html'}")


if __name__ == "__main__":
    main()
