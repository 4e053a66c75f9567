"""The dqn+mcts agent: a shallow tree search over the values of the dqn network.

The network proposes a few moves at every node and says what a position is worth; the tree corrects
it by looking ahead. A five is seen by the rules, not by the network: who can make one wins, and who
faces one must stop it.
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
from trireme.gomoku.swap2 import choose, opening_stone

from .dqn import Evaluate, Floats, evaluator, values
from .dqn_kernels import fives

WIDTH = 12
"""Moves that are considered at a node: the network's best."""
SHARPNESS = 0.1
"""The difference in Q at which one move is looked at e times as eagerly as another."""
EAGERNESS = 1.0
"""How much proposals count against results in choosing where to look next."""
AT_ONCE = 8
"""Positions that the network judges together."""
SHARE_OF_TIME = 0.8
"""The part of the time budget that may pass before the last batch."""


@dataclass
class Node:
    """A position of the tree, for its side to move."""

    moves: NDArray[np.int64]
    prior: Floats
    visits: NDArray[np.int64]
    total: NDArray[np.float64]
    """The sum of results of each move."""
    certain: float | None = None
    """What the position is worth where the rules settle it: 1 won, -1 lost, 0 drawn."""
    children: dict[int, Node] = field(default_factory=dict)

    def pick(self) -> int:
        """The move to look at next, by its number."""
        seen = self.visits.sum()
        mean = self.total / np.maximum(self.visits, 1)
        mean = np.where(self.visits > 0, mean, mean[self.visits > 0].mean() if seen else 0.0)
        bonus = EAGERNESS * self.prior * np.sqrt(seen + 1) / (1 + self.visits)
        return int((mean + bonus).argmax())


@dataclass(frozen=True)
class TreePosition:
    """A board on the way down the tree."""

    board: NDArray[np.int8]
    colour: int
    last: int
    exact: bool

    def after(self, point: int) -> TreePosition:
        board = self.board.copy()
        board.reshape(-1)[point] = self.colour
        return TreePosition(board, -self.colour, point, self.exact)

    def planes(self) -> NDArray[np.int8]:
        planes = np.zeros((4, *self.board.shape), np.int8)
        planes[0], planes[1] = self.board == self.colour, self.board == -self.colour
        planes[2] = self.colour == 1
        if self.last >= 0:
            planes[3].reshape(-1)[self.last] = 1
        return planes

    def forced(self) -> tuple[NDArray[np.int64], float | None]:
        """The moves that the rules leave, none for all, and the result where it is certain."""
        found = np.empty(self.board.size, np.int64)
        number = fives(self.board, self.colour, self.exact, found)
        if number:
            return found[:1].copy(), 1.0
        number = fives(self.board, -self.colour, self.exact, found)
        if number:
            return found[:number].copy(), -1.0 if number > 1 else None
        full = not (self.board == 0).any()
        return found[:0], 0.0 if full else None


@dataclass(frozen=True)
class DQNTree:
    """Searches a small tree over the values of the dqn network."""

    simulations: int = option(160, "positions looked at for a move, at most")
    model: str = option("", "a file of weights, .onnx or .pt (torch); empty: those that ship")

    name: ClassVar[str] = "dqn+mcts"

    def prepare(self, game: AnyGame) -> None:
        if isinstance(game, Gomoku):
            evaluator(self.model)
            TreePosition(np.zeros((game.size, game.size), np.int8), 1, -1, True).forced()

    def act(self, turn: Turn[Action, GomokuState]) -> Action:
        game, view = turn.game, turn.view
        assert isinstance(game, Gomoku)
        if stone := opening_stone(game, view, turn.rng):
            return stone
        if options := game.choosing(view):
            return choose(options, float(values(game, view, self.model).max()))
        last = -1 if view.last is None else view.last[0] * game.size + view.last[1]
        exact = game.rule == "standard"
        root = TreePosition(board_array(game, view), view.colour, last, exact)
        until = None if turn.seconds is None else time.monotonic() + SHARE_OF_TIME * turn.seconds
        tree = search(root, evaluator(self.model), self.simulations, until)
        return divmod(best_move(tree), game.size)


def best_move(tree: Node) -> int:
    """The move looked at most; of equals the one with the better results."""
    mean = tree.total / np.maximum(tree.visits, 1)
    return int(tree.moves[np.lexsort((tree.prior, mean, tree.visits))[-1]])


def search(root: TreePosition, evaluate: Evaluate, simulations: int, until: float | None) -> Node:
    """Grow a tree of up to `simulations` positions, or until the clock says so."""
    (tree,), _ = _expand([root], evaluate)
    if len(tree.moves) == 1:
        return tree
    done = 0
    while done < simulations and (until is None or time.monotonic() < until):
        batch = min(AT_ONCE, simulations - done)
        paths = [_descend(tree, root) for _ in range(batch)]
        fresh = [position for _, node, position in paths if node is None]
        nodes, worths = _expand(fresh, evaluate) if fresh else ([], [])
        grown = iter(zip(nodes, worths, strict=True))
        for path, node, _ in paths:
            if node is None:
                made, worth = next(grown)
                parent, chosen = path[-1]
                parent.children.setdefault(chosen, made)
            else:
                assert node.certain is not None
                worth = node.certain
            _back_up(path, worth)
        done += batch
    return tree


def _descend(
    tree: Node, position: TreePosition
) -> tuple[list[tuple[Node, int]], Node | None, TreePosition]:
    """Walk down to a position that is new (no node yet) or certain; moves on the way count as
    lost until the result is known, so that walks of one batch part."""
    path: list[tuple[Node, int]] = []
    node = tree
    while True:
        chosen = node.pick()
        path.append((node, chosen))
        node.visits[chosen] += 1
        node.total[chosen] -= 1
        position = position.after(int(node.moves[chosen]))
        if chosen not in node.children:
            return path, None, position
        node = node.children[chosen]
        if node.certain is not None:
            return path, node, position


def _back_up(path: list[tuple[Node, int]], worth: float) -> None:
    """Tell all moves on the way what the position they led to is worth to its side to move."""
    for node, chosen in reversed(path):
        worth = -worth
        node.total[chosen] += 1 + worth


def _expand(positions: list[TreePosition], evaluate: Evaluate) -> tuple[list[Node], list[float]]:
    """New nodes, and what they are worth to their sides to move."""
    q = evaluate(np.stack([p.planes() for p in positions]))
    nodes, worths = [], []
    for position, row in zip(positions, q, strict=True):
        moves, certain = position.forced()
        if not len(moves):
            order = np.argsort(-row, kind="stable")[:WIDTH]
            moves = order[position.board.reshape(-1)[order] == 0]
        likely = np.exp((row[moves] - row[moves].max(initial=-1e9)) / SHARPNESS)
        prior = (likely / max(float(likely.sum()), 1e-9)).astype(np.float32)
        node = Node(moves, prior, np.zeros(len(moves), np.int64), np.zeros(len(moves)), certain)
        nodes.append(node)
        worth = float(row[moves].max(initial=-1.0)) if certain is None else certain
        worths.append(float(np.clip(worth, -1, 1)))
    return nodes, worths
