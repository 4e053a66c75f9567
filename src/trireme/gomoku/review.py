"""The reviewer of Gomoku: the winning chance that a move loses, and forced wins missed and allowed.

The engine analyses the position before a move. Where the played move is another than its best, it
analyses the positions after both, each with the same nodes, and the cost is the difference. Every
analysis starts from an empty memory, so that a judgement depends on its position alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from numpy.random import Generator

from trireme.core.game import AnyGame
from trireme.core.review import Decision, Judgement

from .agents.search import Search
from .engine.analysis import PROVEN_WIN, EngineAnalysis, SearchLimits, scaled_value
from .openings import balanced
from .proof_checker import Stones
from .rules import Action, Choice, Gomoku, GomokuState, Point
from .verified_wins import ForcedWin, WinVerifier

NODES = 3_000_000
"""Nodes for a whole game."""
MOST_NODES, LEAST_NODES = 50_000, 4_000
"""Nodes for one analysis."""
ANALYSES = 3.5
"""Analyses that a move takes on average: before it, after it, after the best and a random one."""
CHECKED_POSITIONS = 3_000
"""Positions that the checker may look at in a whole game."""
MOST_CHECKED, LEAST_CHECKED = 200, 30
"""Positions for one claim."""
LOST = 0.01
"""Below this winning chance nothing is at stake any more."""


@dataclass(frozen=True)
class MoveValue:
    """What a move is worth to the side that makes it."""

    chance: float
    """The winning chance, 0 to 1."""
    forced: bool
    """Whether it is a proven win or loss."""
    line: tuple[Point, ...]
    """The principal variation after the move."""
    plies: int | None
    """Plies of that line to the five, where it is proven."""


class GomokuReviewer:
    """Judges stones and, under swap2, the choice of a colour."""

    unit: ClassVar[str] = "winning chance"
    about: ClassVar[str] = (
        "A move costs the winning chance that it loses against the engine's best move, both "
        "searched with the same number of nodes. Forced wins are proven by continuous fours and "
        "threes. Stones of shipped openings and of swap2, and the choice of two more stones, are "
        "not reviewed."
    )

    def __init__(self, game: AnyGame, moves: int) -> None:
        """The nodes of a game are shared by its moves."""
        assert isinstance(game, Gomoku)
        self.game = game
        self.nodes = max(LEAST_NODES, min(MOST_NODES, int(NODES / ANALYSES / max(moves, 1))))
        share = CHECKED_POSITIONS // max(moves, 1)
        self.checked = max(LEAST_CHECKED, min(MOST_CHECKED, share))
        self._engine = Search(variety=0).engine(game)
        self._verifier = WinVerifier(game.size, game.rule)
        openings = balanced(game.size)
        self._book = {opening[:n] for opening in openings for n in range(1, len(opening) + 1)}
        """The shipped openings and their beginnings: the arena places these stones, no player."""

    def judge(self, decision: Decision, rng: Generator) -> Judgement | None:
        """The judgement of a stone or a choice; None for a stone of an opening."""
        view: GomokuState = decision.view
        action: Action = decision.action
        if isinstance(action, str):
            return self._judge_choice(view, action)
        if self.game.opening == "swap2" and view.black_seat() is None:
            return None
        if (*view.stones, action) in self._book:
            return None
        return self._judge_stone(view, action, decision.after, rng)

    def _judge_stone(
        self, view: GomokuState, played: Point, after: GomokuState, rng: Generator
    ) -> Judgement:
        before = self._analyse(view) if view.stones else None
        empty = [point for point in self.game.points if point not in set(view.stones)]
        drawn = empty[int(rng.integers(len(empty)))]
        if before is not None and before.value >= PROVEN_WIN:
            random_cost = 1.0 - self._after(self._moved(view, drawn)).chance
            return replace(self._judge_win(view, before, played, after), random_cost=random_cost)
        middle = self.game.size // 2, self.game.size // 2
        best = middle if before is None else before.best
        then = self._after(after)
        at_best = then if played == best else self._after(self._moved(view, best))
        value = max(at_best.chance, then.chance)
        at_stake = value > LOST and len(empty) > 1
        random_cost = value - self._after(self._moved(view, drawn)).chance if at_stake else 0.0
        allowed = _allowed(then) if at_stake else ()
        note = "lost, whatever is played" if value <= LOST else ""
        if allowed:
            note = f"allows a forced win in {then.plies} plies"
        verified = bool(allowed) and self._verified(after, allowed, then.plies)
        cost = value - then.chance
        return Judgement(
            best, cost, random_cost, value, note=note, allowed=allowed, verified=verified
        )

    def _judge_win(
        self, view: GomokuState, before: EngineAnalysis, played: Point, after: GomokuState
    ) -> Judgement:
        """The judgement of a move in a position with a forced win, but for the random cost."""
        plies = before.moves[0].plies
        if played == before.best:
            note = f"wins by force in {plies} plies"
            return Judgement(played, 0.0, 0.0, value=1.0, note=note)
        then = self._after(after)
        if then.chance == 1.0:
            note = "keeps the forced win"
            return Judgement(before.best, 0.0, 0.0, value=1.0, note=note)
        allowed = _allowed(then)
        return Judgement(
            before.best,
            1.0 - then.chance,
            0.0,
            value=1.0,
            note=f"misses a forced win in {plies} plies",
            missed=before.line,
            allowed=allowed,
            verified=self._verified(view, before.line, plies)
            and (not allowed or self._verified(after, allowed, then.plies)),
        )

    def _judge_choice(self, view: GomokuState, choice: Choice) -> Judgement | None:
        """The judgement of a colour: white, to move, has the engine's value, black the rest."""
        if choice == "more":
            return None
        white = chance_of(self._analyse(view).value)
        chances: dict[Choice, float] = {"white": white, "black": 1.0 - white}
        best: Choice = "white" if white >= 0.5 else "black"
        loss = chances[best] - chances[choice]
        return Judgement(best, loss, chances[best] - 0.5, value=chances[best])

    def _verified(self, state: GomokuState, line: tuple[Point, ...], plies: int | None) -> bool:
        """Whether the independent checker confirms the forced win of the side to move."""
        stones: Stones = dict(state.board())
        win = ForcedWin(plies or 0, line, by_fours=False)
        return self._verifier.confirms(stones, state.colour, win, win.plies, self.checked) is True

    def _moved(self, view: GomokuState, move: Point) -> GomokuState:
        return self.game.apply(view, {self.game.to_move(view)[0]: move})

    def _after(self, after: GomokuState) -> MoveValue:
        """What a position is worth to the side that has just moved."""
        if not self.game.to_move(after):
            return MoveValue(1.0 if after.winner else 0.5, True, (), None)
        found = self._analyse(after)
        chance = 1.0 - chance_of(found.value)
        return MoveValue(chance, found.proven, found.line, found.moves[0].plies)

    def _analyse(self, view: GomokuState) -> EngineAnalysis:
        """The engine's analysis of a position, independent of those before."""
        self._engine.set_position([], 1)
        self._engine.set_position(view.board().items(), view.colour)
        return self._engine.analyse(SearchLimits(nodes=self.nodes))


def chance_of(points: int) -> float:
    """The winning chance, 0 to 1, of a value in the engine's pattern points."""
    return (scaled_value(points) + 1.0) / 2.0


def _allowed(then: MoveValue) -> tuple[Point, ...]:
    """The line of the other side's forced win after a move, where it is proven."""
    return then.line if then.forced and then.chance == 0.0 else ()
