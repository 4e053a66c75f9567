"""The dqn+mcts agent: Monte Carlo tree search (PUCT) over the values of the dqn network.

The network proposes a few moves at every node and evaluates positions; the tree corrects it by
looking ahead. A five is seen by the rules, not by the network: who can make one wins, and who faces
one must stop it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trireme.core.game import AnyGame, Turn
from trireme.core.options import option
from trireme.gomoku.encode import board_array
from trireme.gomoku.rules import Action, Gomoku, GomokuState
from trireme.gomoku.swap2 import opening_action

from .dqn import MODEL_HELP, Evaluate, Floats, evaluator, values
from .dqn_kernels import fives

MAX_CHILDREN = 12
"""Moves that are considered at a node: the network's best."""
TEMPERATURE = 0.1
"""The difference in Q at which one move's prior is e times that of another (softmax)."""
EXPLORATION = 1.0
"""PUCT's c: how much priors count against results in choosing where to look next."""
BATCH = 8
"""Positions that the network evaluates together."""
SHARE_OF_TIME = 0.8
"""The part of the time budget that may pass before the last batch."""


@dataclass
class TreeNode:
    """A position of the tree, for its side to move; K moves."""

    moves: NDArray[np.int64]
    """int64[K]: flat points."""
    prior: Floats
    """float32[K]: the softmax of the network's Q values."""
    visits: NDArray[np.int64]
    """int64[K]"""
    total: NDArray[np.float64]
    """float64[K]: the sum of results of each move."""
    proven: float | None = None
    """The value where the rules decide it: 1 won, -1 lost, 0 drawn."""
    children: dict[int, TreeNode] = field(default_factory=dict)

    def select(self) -> int:
        """The index of the move with the highest PUCT score; unvisited ones have the mean value."""
        visits = self.visits.sum()
        mean = self.total / np.maximum(self.visits, 1)
        mean = np.where(self.visits > 0, mean, mean[self.visits > 0].mean() if visits else 0.0)
        bonus = EXPLORATION * self.prior * np.sqrt(visits + 1) / (1 + self.visits)
        return int((mean + bonus).argmax())


@dataclass(frozen=True)
class TreePosition:
    """A board on the way down the tree."""

    board: NDArray[np.int8]
    """int8[n, n]: 0 empty, 1 black, -1 white."""
    colour: int
    last: int
    """The flat point of the last stone, -1 if there is none."""
    exact: bool

    def after(self, point: int) -> TreePosition:
        board = self.board.copy()
        board.reshape(-1)[point] = self.colour
        return TreePosition(board, -self.colour, point, self.exact)

    def planes(self) -> NDArray[np.int8]:
        """The network's input, `int8[4, n, n]`, as of `encode.GomokuEncoder`."""
        planes = np.zeros((4, *self.board.shape), np.int8)
        planes[0], planes[1] = self.board == self.colour, self.board == -self.colour
        planes[2] = self.colour == 1
        if self.last >= 0:
            planes[3].reshape(-1)[self.last] = 1
        return planes

    def forced(self) -> tuple[NDArray[np.int64], float | None]:
        """The moves that fives force, none for any, and the value where the rules decide it."""
        found = np.empty(self.board.size, np.int64)
        count = fives(self.board, self.colour, self.exact, found)
        if count:
            return found[:1].copy(), 1.0
        count = fives(self.board, -self.colour, self.exact, found)
        if count:
            return found[:count].copy(), -1.0 if count > 1 else None
        full = not (self.board == 0).any()
        return found[:0], 0.0 if full else None


@dataclass(frozen=True)
class DQNTree:
    """Monte Carlo tree search (PUCT) over the values of the dqn network."""

    simulations: int = option(160, "positions searched for a move; more play stronger and slower")
    model: str = option("", MODEL_HELP)

    name: ClassVar[str] = "dqn+mcts"
    extra: ClassVar[str] = "nets"

    def fits(self, game: AnyGame) -> None:
        evaluator(self.model)

    def prepare(self, game: AnyGame) -> None:
        if isinstance(game, Gomoku):
            evaluator(self.model)
            TreePosition(np.zeros((game.size, game.size), np.int8), 1, -1, True).forced()

    def act(self, turn: Turn[Action, GomokuState]) -> Action:
        game, view = turn.game, turn.view
        assert isinstance(game, Gomoku)
        if opening := opening_action(
            game, view, turn.rng, lambda: float(values(game, view, self.model).max())
        ):
            return opening
        last = -1 if view.last is None else view.last[0] * game.size + view.last[1]
        exact = game.rule == "standard"
        root = TreePosition(board_array(game, view), view.colour, last, exact)
        deadline = None if turn.seconds is None else time.monotonic() + SHARE_OF_TIME * turn.seconds
        tree = search(root, evaluator(self.model), self.simulations, deadline)
        return divmod(best_move(tree), game.size)


def best_move(tree: TreeNode) -> int:
    """The most visited move; of equals the one with the better results."""
    mean = tree.total / np.maximum(tree.visits, 1)
    return int(tree.moves[np.lexsort((tree.prior, mean, tree.visits))[-1]])


def search(
    root: TreePosition, evaluate: Evaluate, simulations: int, deadline: float | None
) -> TreeNode:
    """Grow a tree of up to `simulations` positions, or until `deadline` of `time.monotonic`."""
    (tree,), _ = _expand([root], evaluate)
    if len(tree.moves) == 1:
        return tree
    done = 0
    while done < simulations and (deadline is None or time.monotonic() < deadline):
        batch = min(BATCH, simulations - done)
        paths = [_descend(tree, root) for _ in range(batch)]
        leaves = [position for _, node, position in paths if node is None]
        nodes, leaf_values = _expand(leaves, evaluate) if leaves else ([], [])
        expanded = iter(zip(nodes, leaf_values, strict=True))
        for path, node, _ in paths:
            if node is None:
                child, value = next(expanded)
                parent, chosen = path[-1]
                parent.children.setdefault(chosen, child)
            else:
                assert node.proven is not None
                value = node.proven
            _back_up(path, value)
        done += batch
    return tree


def _descend(
    tree: TreeNode, position: TreePosition
) -> tuple[list[tuple[TreeNode, int]], TreeNode | None, TreePosition]:
    """Select down to a leaf (no node yet) or a proven position; moves on the way get a virtual
    loss until the result is known, so that the paths of one batch differ."""
    path: list[tuple[TreeNode, int]] = []
    node = tree
    while True:
        chosen = node.select()
        path.append((node, chosen))
        node.visits[chosen] += 1
        node.total[chosen] -= 1
        position = position.after(int(node.moves[chosen]))
        if chosen not in node.children:
            return path, None, position
        node = node.children[chosen]
        if node.proven is not None:
            return path, node, position


def _back_up(path: list[tuple[TreeNode, int]], value: float) -> None:
    """Back up a position's value, for its side to move, to all moves that led to it."""
    for node, chosen in reversed(path):
        value = -value
        node.total[chosen] += 1 + value  # and the virtual loss is taken back


def _expand(
    positions: list[TreePosition], evaluate: Evaluate
) -> tuple[list[TreeNode], list[float]]:
    """New nodes, and their values for their sides to move."""
    q = evaluate(np.stack([p.planes() for p in positions]))
    nodes, node_values = [], []
    for position, row in zip(positions, q, strict=True):
        moves, proven = position.forced()
        if not len(moves):
            order = np.argsort(-row, kind="stable")[:MAX_CHILDREN]
            moves = order[position.board.reshape(-1)[order] == 0]
        weights = np.exp((row[moves] - row[moves].max(initial=-1e9)) / TEMPERATURE)
        prior = (weights / max(float(weights.sum()), 1e-9)).astype(np.float32)
        nodes.append(
            TreeNode(moves, prior, np.zeros(len(moves), np.int64), np.zeros(len(moves)), proven)
        )
        value = float(row[moves].max(initial=-1.0)) if proven is None else proven
        node_values.append(float(np.clip(value, -1, 1)))
    return nodes, node_values
