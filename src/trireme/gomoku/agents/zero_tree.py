"""Gumbel search of one position, by the rules of zero's training, without its noise.

Sequential halving shares the simulations out among the moves of the highest logits at the root;
below it, visits follow the improved policy. The batched search of training
(`training/gumbel_search.py`) does the same in thousands of games. Beyond it, proofs are backed up
(MCTS-solver): a move that loses for certain is excluded, and a node is proven as soon as one move
wins or all lose.

A board is `int8[A]` with A points as the side to move sees it: 1 own stone, -1 the opponent's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trireme.gomoku.engine.threat_prover import PositionProof

from .sequential_halving import visit_schedule

Board = NDArray[np.int8]
Numbers = NDArray[np.float64]
Evaluate = Callable[[Board, int], tuple[Numbers, float]]
"""Logits `float[A]` and value of a board and the last move, A where there is none."""


class Prover(Protocol):
    """Exact knowledge of the position at hand; see `ThreatProver`."""

    def push(self, point: int) -> None: ...
    def pop(self) -> None: ...
    def prove(self, nodes: int) -> PositionProof: ...


class ZeroNode:
    """A position of the tree; every array is by point."""

    __slots__ = ("board", "children", "logits", "proven", "totals", "value", "visits")

    def __init__(self, board: Board, logits: Numbers, value: float, proven: float | None) -> None:
        self.board, self.value, self.proven = board, value, proven
        self.logits = logits
        """-inf where there is no move, or one that is excluded."""
        self.visits = np.zeros(len(board))
        self.totals = np.zeros(len(board))
        """The sum of the values that came back through each move, for its mover."""
        self.children: dict[int, ZeroNode] = {}

    def moves(self) -> NDArray[np.int64]:
        """The moves left, highest logit first."""
        order = np.argsort(-self.logits, kind="stable")
        return order[: int(np.isfinite(self.logits).sum())]

    def exclude(self, point: int) -> None:
        """Drop a move that loses for certain; the node is lost when none is left."""
        self.logits[point] = -np.inf
        self.visits[point] = self.totals[point] = 0
        if not np.isfinite(self.logits).any():
            self.proven = -1.0

    def completed(self) -> Numbers:
        """Q of visited moves; of the others, the node's value mixed with theirs."""
        seen = self.visits > 0
        q = self.totals / np.maximum(self.visits, 1)
        return np.where(seen, q, self._mixed(seen, q))

    def mixed_value(self) -> float:
        """The network's value mixed with the mean of visited moves, weighted by their priors."""
        return self._mixed(self.visits > 0, self.totals / np.maximum(self.visits, 1))

    def _mixed(self, seen: NDArray[np.bool_], q: Numbers) -> float:
        if not seen.any():
            return self.value
        prior = np.exp(self.logits[seen] - self.logits[seen].max())
        count = self.visits.sum()
        return float((self.value + count * (prior @ q[seen]) / prior.sum()) / (1 + count))


class GumbelTree:
    """Grows trees of nodes, with one evaluation or proof each."""

    def __init__(
        self,
        evaluate: Evaluate,
        prover: Prover,
        *,
        considered: int = 16,
        c_visit: float = 50.0,
        c_scale: float = 0.3,
        proof_nodes: int = 300,
    ) -> None:
        """`considered` moves share the simulations at the root; `c_visit` and `c_scale` weigh
        values against logits; `proof_nodes` limit the threat search at a node."""
        self.evaluate, self.prover, self.proof_nodes = evaluate, prover, proof_nodes
        self.considered, self.c_visit, self.c_scale = considered, c_visit, c_scale

    def node(self, board: Board, last: int) -> ZeroNode:
        """A new node for the prover's position; the network is asked unless it is proven."""
        proof = self.prover.prove(self.proof_nodes)
        if proof.value is not None:
            return ZeroNode(board, np.full(len(board), -np.inf), proof.value, proof.value)
        logits, value = self.evaluate(board, last)
        allowed = board == 0
        if proof.moves is not None:
            listed = np.zeros(len(board), np.bool_)
            listed[list(proof.moves)] = True
            allowed &= listed
        return ZeroNode(board, np.where(allowed, logits, -np.inf), value, None)

    def search(
        self, root: ZeroNode, simulations: int, over: Callable[[], bool] = lambda: False
    ) -> Numbers:
        """Add simulations until the root is proven or `over()`; the new visits by move."""
        before = root.visits.copy()
        candidates = root.moves()[: self.considered]
        for wanted in visit_schedule(len(candidates), simulations):
            if root.proven is not None or over():
                break
            candidates = candidates[np.isfinite(root.logits[candidates])]
            if not len(candidates):
                candidates = root.moves()[: self.considered]
            able = candidates[(root.visits - before)[candidates] == wanted]
            able = able if len(able) else candidates
            self._simulate(root, int(able[self.scores(root)[able].argmax()]))
        return np.where(np.isfinite(root.logits), root.visits - before, 0)

    def scores(self, node: ZeroNode) -> Numbers:
        """Logits of the improved policy: the network's, and completed Q on their scale."""
        scale = (self.c_visit + node.visits.max()) * self.c_scale
        return np.asarray(node.logits + scale * node.completed())

    def policy(self, node: ZeroNode) -> Numbers:
        """The improved policy of a node that has moves."""
        scores = self.scores(node)
        powers = np.exp(scores - scores.max())
        return np.asarray(powers / powers.sum())

    def value(self, node: ZeroNode) -> float:
        """What a node is worth to its side to move: proven, or by the improved policy."""
        if node.proven is not None:
            return node.proven
        return float(self.policy(node) @ node.completed())

    def ranking(self, node: ZeroNode, visits: Numbers) -> list[int]:
        """The moves of a node, best first: by `visits`, then by score."""
        scores = self.scores(node)
        return sorted(node.moves().tolist(), key=lambda p: (visits[p], scores[p]), reverse=True)

    def principal_variation(self, root: ZeroNode, visits: Numbers) -> list[int]:
        """The line of the best moves, as far as the tree goes; `visits` ranks those at the root."""
        line, node = [], root
        while node.proven is None:
            point = self.ranking(node, visits)[0]
            line.append(point)
            if point not in node.children:
                break
            node = node.children[point]
            visits = node.visits
        return line

    def _simulate(self, root: ZeroNode, point: int) -> None:
        """Descend to a leaf, add it, and back up its value."""
        path, node = [(root, point)], root
        self.prover.push(point)
        while (child := node.children.get(point)) is not None and child.proven is None:
            node, point = child, self._choose(child)
            path.append((node, point))
            self.prover.push(point)
        if child is None:
            board = node.board.copy()
            board[point] = 1
            child = node.children[point] = self.node(-board, point)
        for _ in path:
            self.prover.pop()
        _back_up(path, child)

    def _choose(self, node: ZeroNode) -> int:
        """The move whose share of visits falls behind the improved policy most."""
        behind = self.policy(node) - node.visits / (1 + node.visits.sum())
        return int(np.where(np.isfinite(node.logits), behind, -np.inf).argmax())


def _back_up(path: list[tuple[ZeroNode, int]], child: ZeroNode) -> None:
    """Add a leaf's value, seen by each mover, along the path, and what it proves."""
    value = child.value
    for node, point in reversed(path):
        value = -value
        if child.proven == -1:
            node.proven = value = 1.0
        if child.proven == 1:
            node.exclude(point)
            value = node.mixed_value() if node.proven is None else node.proven
        else:
            node.visits[point] += 1
            node.totals[point] += value
        child = node
