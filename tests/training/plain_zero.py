"""Plain twins of zero's search and proofs: one game, plain Python, by the rules alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from trireme.gomoku.agents.sequential_halving import visit_schedule

Board = tuple[int, ...]
"""By point: 1 a stone of the side to move, -1 of the opponent, 0 empty."""
Evaluate = Callable[[Board, int], tuple[list[float], float]]


def wins(board: Board, point: int, colour: int, *, exact: bool) -> bool:
    """Whether a stone of `colour` on `point` makes five."""
    size = math.isqrt(len(board))
    row, col = divmod(point, size)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        run = 1
        for sign in (1, -1):
            r, c = row + sign * down, col + sign * right
            while 0 <= r < size and 0 <= c < size and board[r * size + c] == colour:
                run, r, c = run + 1, r + sign * down, c + sign * right
        if run == 5 or (run > 5 and not exact):
            return True
    return False


def put(board: Board, point: int, colour: int) -> Board:
    return (*board[:point], colour, *board[point + 1 :])


def empties(board: Board) -> list[int]:
    return [point for point, stone in enumerate(board) if stone == 0]


def fives(board: Board, colour: int, *, exact: bool) -> list[int]:
    return [p for p in empties(board) if wins(board, p, colour, exact=exact)]


def wins_in_three(board: Board, point: int, *, exact: bool) -> bool:
    """Whether, after `point`, the opponent has no five and no reply stops one."""
    after = put(board, point, 1)
    replies = empties(after)
    return (
        bool(replies)
        and not fives(after, -1, exact=exact)
        and all(fives(put(after, reply, -1), 1, exact=exact) for reply in replies)
    )


@dataclass
class PlainProof:
    value: int
    moves: list[int]


def prove(board: Board, *, exact: bool) -> PlainProof:
    """A game-tree search three plies deep."""
    if now := fives(board, 1, exact=exact):
        return PlainProof(1, now)
    threats = fives(board, -1, exact=exact)
    if len(threats) >= 2:
        return PlainProof(-1, threats)
    allowed = threats or empties(board)
    winning = [point for point in allowed if wins_in_three(board, point, exact=exact)]
    return PlainProof(1, winning) if winning else PlainProof(0, allowed)


@dataclass
class Node:
    board: Board
    logits: dict[int, float]
    value: float
    leaf: bool
    children: dict[int, Node] = field(default_factory=dict)
    visits: dict[int, int] = field(default_factory=dict)
    totals: dict[int, float] = field(default_factory=dict)

    def completed(self) -> dict[int, float]:
        """Q of visited moves; of the others, a mix of the node's value and theirs."""
        highest = max(self.logits.values())
        priors = {a: math.exp(logit - highest) for a, logit in self.logits.items()}
        q = {a: self.totals[a] / n for a, n in self.visits.items()}
        count = sum(self.visits.values())
        mean = sum(priors[a] * q[a] for a in q) / sum(priors[a] for a in q) if q else 0.0
        mixed = (self.value + count * mean) / (1 + count)
        return {a: q.get(a, mixed) for a in self.logits}


@dataclass
class PlainSearch:
    evaluate: Evaluate
    exact: bool
    simulations: int
    considered: int
    max_depth: int
    c_visit: float
    c_scale: float

    def run(
        self, board: Board, last: int, gumbel: list[float]
    ) -> tuple[int, dict[int, float], float]:
        """The move, the improved policy and its value."""
        proof = prove(board, exact=self.exact)
        root = self.node(board, last)
        noisy = {a: root.logits[a] + gumbel[a] for a in root.logits}
        considered = sorted(noisy, key=noisy.__getitem__)[-self.considered :]
        for wanted in visit_schedule(len(considered), self.simulations):
            bonus = self.bonus(root)
            able = [a for a in considered if root.visits.get(a, 0) == wanted]
            self.simulate(root, max(able, key=lambda a: noisy[a] + bonus[a]))
        bonus = self.bonus(root)
        most = max(root.visits.values())
        final = [a for a, n in root.visits.items() if n == most]
        action = max(final, key=lambda a: noisy[a] + bonus[a])
        if proof.value:
            return action, softmax(root.logits), proof.value
        policy = softmax({a: root.logits[a] + bonus[a] for a in root.logits})
        completed = root.completed()
        return action, policy, sum(policy[a] * completed[a] for a in policy)

    def node(self, board: Board, last: int) -> Node:
        logits, value = self.evaluate(board, last)
        proof = prove(board, exact=self.exact)
        full = not empties(board)
        known = float(proof.value) if proof.value or full else value
        return Node(board, {a: logits[a] for a in proof.moves}, known, bool(proof.value) or full)

    def bonus(self, node: Node) -> dict[int, float]:
        scale = (self.c_visit + max(node.visits.values(), default=0)) * self.c_scale
        return {a: scale * q for a, q in node.completed().items()}

    def simulate(self, root: Node, action: int) -> None:
        node, path = root, [(root, action)]
        while (child := node.children.get(action)) and len(path) < self.max_depth:
            if child.leaf:
                break
            node, action = child, self.choose(child)
            path.append((node, action))
        if action not in node.children:
            board = tuple(-stone for stone in put(node.board, action, 1))
            node.children[action] = self.node(board, action)
        value = node.children[action].value
        for node, action in reversed(path):
            value = -value
            node.visits[action] = node.visits.get(action, 0) + 1
            node.totals[action] = node.totals.get(action, 0.0) + value

    def choose(self, node: Node) -> int:
        bonus = self.bonus(node)
        policy = softmax({a: node.logits[a] + bonus[a] for a in node.logits})
        count = 1 + sum(node.visits.values())
        return max(policy, key=lambda a: policy[a] - node.visits.get(a, 0) / count)


def softmax(logits: dict[int, float]) -> dict[int, float]:
    highest = max(logits.values())
    powers = {a: math.exp(logit - highest) for a, logit in logits.items()}
    return {a: power / sum(powers.values()) for a, power in powers.items()}
