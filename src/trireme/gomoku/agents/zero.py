"""The zero agent: Gumbel search over a policy-value network that learnt from nothing but the rules.

At the root the engine's exact threat search comes first: a proven win (VCF, or VCT by df-pn) is
played, and moves after which the opponent has one are excluded as long as others are left. Leaves
are tested for both, with few nodes. Everything else is decided by the network and the tree
(`zero_tree.py`).

Why Gumbel search and not PUCT: a move gets hundreds of simulations on one core, not many thousands,
and sequential halving was made for that; and the network learnt by the same rules. Why leaves are
evaluated one by one: on one core a batch of 8 costs only 2 % less per position (8 bits; 7 % in
floating point).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cache
from math import isqrt
from pathlib import Path
from typing import ClassVar

import numpy as np

from trireme.core.errors import BadSpec
from trireme.core.game import AnyGame, Turn
from trireme.core.onnx import load_network
from trireme.core.options import option
from trireme.gomoku.encode import board_array
from trireme.gomoku.engine.threat_prover import ThreatProver, WinningLine
from trireme.gomoku.openings import first_stone
from trireme.gomoku.rules import Action, Gomoku, GomokuState, Point
from trireme.gomoku.swap2 import opening_action

from .zero_tree import Board, Evaluate, GumbelTree, Numbers, ZeroNode

MODEL = Path(__file__).parent.parent / "models" / "zero" / "network.onnx"
DEFAULT_SECONDS = 1.0
"""The time for a move where nothing else limits the search."""
SHARE_OF_TIME = 0.95
"""The part of the time budget that is spent on searching."""
PROOF_NODES = 200
"""Nodes of a threat search at the root for every simulation planned."""
MIN_PROOF_NODES = 5_000
REPLY_SHARE = 0.25
"""The part of these nodes that a search for the opponent's win gets after each of many moves; after
the move to be played it gets all."""
BALANCED = 0.1
"""Under swap2, a value nearer to 0 than this counts as balanced."""
MIN_SAMPLE = 4
"""Simulations from which the time that one takes is estimated, at least."""


@dataclass(frozen=True)
class ZeroMove:
    """One move as zero judges it."""

    move: Point
    value: float
    """From -1 lost to 1 won, for the side that makes it."""
    visits: int
    """Simulations that began with it, in this search."""
    plies: int | None = None
    """For a proven win or loss: plies to the five at most."""


@dataclass(frozen=True)
class ZeroAnalysis:
    """What zero found out about a position, for the side to move."""

    value: float
    """From -1 lost to 1 won."""
    proven: bool
    line: tuple[Point, ...]
    """The principal variation, beginning with the move to play."""
    moves: tuple[ZeroMove, ...]
    """The best moves, best first."""
    simulations: int

    @property
    def best(self) -> Point:
        return self.moves[0].move


@dataclass
class Zero:
    """Gumbel tree search over a network that learnt by self-play alone, with proofs of threats."""

    simulations: int | None = option(
        None, "simulations a move at most; more are stronger and slower"
    )
    seconds: float | None = option(
        None,
        "seconds a move at most; none: the game's budget, or 1 second, or no clock with "
        "simulations",
    )
    model: str = option("", "a network's .onnx file; empty: the one that ships")

    name: ClassVar[str] = "zero"
    extra: ClassVar[str] = "nets"

    _prover: ThreatProver | None = field(default=None, init=False, repr=False, compare=False)
    _tree: tuple[GomokuState, ZeroNode] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    """The last position searched, and its tree."""
    _pace: float = field(default=0.0, init=False, repr=False, compare=False)
    """Seconds that a simulation takes."""

    def __post_init__(self) -> None:
        for what in ("simulations", "seconds"):
            value = getattr(self, what)
            if value is not None and value <= 0:
                raise BadSpec(f"{what} must be more than 0, not {value}")

    @property
    def timed(self) -> bool:
        """Whether a clock of its own stops the search, so that results depend on the machine."""
        return self.seconds is not None or self.simulations is None

    def fits(self, game: AnyGame) -> None:
        evaluator(self.model)

    def prepare(self, game: AnyGame) -> None:
        """Load network and kernels, compiling them when they are not cached yet."""
        assert isinstance(game, Gomoku)
        middle = game.size // 2
        state = GomokuState(((middle, middle), (middle, middle + 1)))
        _ZeroSearch(self, game, state, None, simulations=4).run(top=1)
        self._pace = _measured_pace(evaluator(self.model), game.size**2)
        self._tree = None

    def act(self, turn: Turn[Action, GomokuState]) -> Action:
        game, view = turn.game, turn.view
        assert isinstance(game, Gomoku)
        opening = self.opening_move(turn, turn.seconds)
        if opening is not None:
            return opening
        return self.analyse(game, view, seconds=turn.seconds).best

    def opening_move(self, turn: Turn[Action, GomokuState], seconds: float | None) -> Action | None:
        """What swap2 asks for, or one of the first two stones; None: a move to search for."""
        game, view = turn.game, turn.view
        assert isinstance(game, Gomoku)
        opening = opening_action(
            game,
            view,
            turn.rng,
            lambda: self.analyse(game, view, seconds=seconds).value,
            BALANCED,
        )
        if opening is None and len(view.stones) < 2:
            return first_stone(game.size, game.size, view.stones, turn.rng)
        return opening

    def analyse(
        self, game: Gomoku, view: GomokuState, *, seconds: float | None = None, top: int = 1
    ) -> ZeroAnalysis:
        """Zero's judgement of a position in which a stone is to be put, with its `top` moves."""
        budgets = [s for s in (self.seconds, seconds) if s is not None]
        budget = min(budgets) if budgets else (DEFAULT_SECONDS if self.timed else None)
        return _ZeroSearch(self, game, view, budget, self.simulations).run(top)

    def prover(self, game: Gomoku) -> ThreatProver:
        exact = game.rule == "standard"
        if self._prover is None or (self._prover.size, self._prover.exact) != (game.size, exact):
            self._prover = ThreatProver(game.size, exact)
            self._tree = None
        return self._prover


class _ZeroSearch:
    """One analysis under way."""

    def __init__(
        self,
        agent: Zero,
        game: Gomoku,
        view: GomokuState,
        seconds: float | None,
        simulations: int | None,
    ) -> None:
        self.agent, self.game, self.view = agent, game, view
        self.simulations = simulations
        self.deadline = None
        if seconds is not None:
            self.deadline = time.monotonic() + max(seconds * SHARE_OF_TIME - 0.005, 0.001)
        self.prover = agent.prover(game)
        self.prover.set_position(view.board().items(), view.colour)
        self.tree = GumbelTree(evaluator(agent.model), self.prover)

    def run(self, top: int) -> ZeroAnalysis:
        nodes = max(MIN_PROOF_NODES, PROOF_NODES * self._planned())
        if won := self.prover.winning_line(nodes):
            return self._proven(1.0, won)
        known = self.prover.prove(nodes)
        if known.value is not None and known.moves:
            return self._proven(known.value, WinningLine(2, known.moves))
        root = self._root()
        self._restrict(root, known.moves)
        if len(root.moves()) > 1 and self.prover.threat(nodes):
            points = root.moves().tolist()[: self.tree.considered]
            self._refute(root, points, int(nodes * REPLY_SHARE))
        visits = self._search(root)
        while root.proven is None and len(root.moves()) > 1 and not self._over():
            if not self._refute(root, self.tree.ranking(root, visits)[:1], nodes):
                break
        self.agent._tree = (self.view, root)
        return self._analysis(root, visits, top)

    def _planned(self) -> int:
        """How many simulations the limits allow."""
        limits = [] if self.simulations is None else [self.simulations]
        if self.deadline is not None:
            if not self.agent._pace:
                area = self.game.size**2
                self.agent._pace = _measured_pace(evaluator(self.agent.model), area)
            limits.append(int((self.deadline - time.monotonic()) / self.agent._pace))
        return max(1, min(limits))

    def _over(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def _root(self) -> ZeroNode:
        """The tree's node for the position, if it was searched before; else a new one."""
        found = self._kept()
        if found is not None and found.proven is None:
            return found
        board = board_array(self.game, self.view).ravel() * np.int8(self.view.colour)
        last = self.view.last
        flat = self.game.size**2 if last is None else last[0] * self.game.size + last[1]
        return self.tree.node(board, flat)

    def _kept(self) -> ZeroNode | None:
        if self.agent._tree is None:
            return None
        view, node = self.agent._tree
        before, now = view.stones, self.view.stones
        if len(now) <= len(before) or now[: len(before)] != before:
            return None
        reached: ZeroNode | None = node
        for row, col in now[len(before) :]:
            if reached is not None:
                reached = reached.children.get(row * self.game.size + col)
        return reached

    def _restrict(self, root: ZeroNode, moves: tuple[int, ...] | None) -> None:
        """Exclude all but these moves, if any of them is left."""
        left = root.moves().tolist()
        if moves is not None and set(left) & set(moves):
            for point in set(left) - set(moves):
                root.exclude(point)

    def _refute(self, root: ZeroNode, points: list[int], nodes: int) -> bool:
        """Exclude those of the moves after which the opponent has a proven win, but never all.

        Returns whether any was excluded.
        """
        excluded = False
        for point in points:
            if len(root.moves()) == 1 or self._over():
                break
            self.prover.push(point)
            lost = self.prover.winning_line(nodes)
            self.prover.pop()
            if lost:
                root.exclude(point)
                excluded = True
        return excluded

    def _search(self, root: ZeroNode) -> Numbers:
        """Simulate as long as the limits allow; the new visits by move."""
        if len(root.moves()) <= 1:
            return np.zeros(len(root.board))
        began = time.monotonic()
        visits = self.tree.search(root, self._planned(), self._over)
        if self.deadline is not None and (made := visits.sum()) >= MIN_SAMPLE:
            self.agent._pace += (float((time.monotonic() - began) / made) - self.agent._pace) / 3
        return visits

    def _analysis(self, root: ZeroNode, visits: Numbers, top: int) -> ZeroAnalysis:
        if root.proven == 1:
            won = next(p for p, child in root.children.items() if child.proven == -1)
            return self._proven(1.0, WinningLine(None, (won,)))
        if root.proven == -1:  # what took longest to refute is hardest for the opponent, too
            last = max(root.children, key=lambda p: root.children[p].visits.sum())
            return self._proven(-1.0, WinningLine(None, (last,)))
        worth = root.completed()
        moves = (
            ZeroMove(self._point(p), float(worth[p]), int(visits[p]))
            for p in self.tree.ranking(root, visits)[:top]
        )
        line = self.tree.principal_variation(root, visits)
        return ZeroAnalysis(
            value=self.tree.value(root),
            proven=False,
            line=tuple(self._point(p) for p in line),
            moves=tuple(moves),
            simulations=int(visits.sum()),
        )

    def _proven(self, value: float, line: WinningLine) -> ZeroAnalysis:
        """The analysis of a position that is proven to be won or lost."""
        points = tuple(self._point(p) for p in line.points)
        return ZeroAnalysis(
            value=value,
            proven=True,
            line=points,
            moves=(ZeroMove(points[0], value, 0, line.plies),),
            simulations=0,
        )

    def _point(self, flat: int) -> Point:
        return divmod(flat, self.game.size)


@cache
def evaluator(model: str) -> Evaluate:
    """The network of a file, or the one that ships, as a function of one position."""
    network = load_network(Path(model) if model else MODEL)

    def evaluate(board: Board, last: int) -> tuple[Numbers, float]:
        logits, value = network.outputs(planes=planes_of(board, last)[None])
        return logits[0].astype(np.float64), float(value[0])

    return evaluate


def planes_of(board: Board, last: int) -> Board:
    """The network's input, `int8[4, n, n]`, as of `encode.GomokuEncoder`.

    `board: int8[n * n]` as the side to move sees it, `last` the newest stone, `n * n` for none.
    """
    size = isqrt(len(board))
    planes = np.zeros((4, len(board) + 1), np.int8)
    planes[0, :-1], planes[1, :-1] = board > 0, board < 0
    planes[2] = board.sum() == 0
    planes[3, last] = 1
    return planes[:, :-1].reshape(4, size, size)


def _measured_pace(evaluate: Evaluate, area: int) -> float:
    """Seconds that the network takes for a position."""
    board = np.zeros(area, np.int8)
    evaluate(board, area)
    began = time.monotonic()
    for _ in range(MIN_SAMPLE):
        evaluate(board, area)
    return max((time.monotonic() - began) / MIN_SAMPLE, 1e-5)
