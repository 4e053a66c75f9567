"""Monte-Carlo tree search (MCTS) over sampled fleets: the shooter against chance.

A node is a history of shots and answers; it owns the fleets that agree with it. A simulation goes
down the tree, by upper confidence bounds (UCB1) where the shooter chooses and in proportion to
probability where chance answers, and adds one node. The new node's shots are valued by rollouts of
the greedy policy over all of its fleets at once, and the values above it are backed up (Bellman):
the cost of a shot is the sum over its answers, that of a node its least. Costs are the misses to
come times their probability, so they never rise as the tree grows: they are those of a policy that
is at least as good as the greedy one, exactly so where the fleets are all there are.

Shapes: n fleets, M nodes, A shots a node, R answers (miss, hit, sunk by size), N cells, Z the pool.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.battleship.belief.bitset_kernels import ONE, mask_has, mask_with
from trireme.core.jit import njit

from .lookahead_kernels import (
    FleetArrays,
    Scratch,
    answer,
    expected_misses,
    make_scratch,
    most_probable_cell,
)

U = np.uint64
CERTAIN = 1 - 1e-9
FEW = 2
"""So many fleets need no search: rollouts are optimal with them."""


class SearchTree(NamedTuple):
    """The nodes; node 0 is the root."""

    first: Any
    """int64[M]: where the node's fleets begin in the pool."""
    size: Any
    """int64[M]: how many they are."""
    weight: Any
    """float64[M]: their probability."""
    seen: Any
    """uint64[M, 3]: cells shot at on the way to the node."""
    width: Any
    """int64[M]: how many shots the node considers."""
    actions: Any
    """uint64[M, A]: the cells considered, most probable first."""
    visits: Any
    """int64[M, A]: simulations that took the shot."""
    cost: Any
    """float64[M, A]: misses to come after the shot, times their probability."""
    unsolved: Any
    """float64[M, A, R]: the probability of the fleets that give an answer; 0 where nothing below
    is left to search."""
    followed: Any
    """int64[M, A, R]: simulations that took the shot and met the answer."""
    child: Any
    """int32[M, A, R]: the node after a shot and an answer, or 0."""
    pool: Any
    """uint64[Z]: the fleets of all nodes, end to end."""
    used: Any
    """int64[2]: nodes and places in the pool that are taken."""


@njit
def open_node(
    node: Any, ratio: float, tree: SearchTree, fleets: FleetArrays, scratch: Scratch
) -> None:
    """Choose the shots that a new node considers, its most probable cells, and value them.

    A cell that holds a ship in every fleet is the only one considered: it costs nothing. Others
    need `ratio` times the probability of the best.
    """
    part = tree.pool[tree.first[node] : tree.first[node] + tree.size[node]]
    s0, s1, s2 = tree.seen[node, 0], tree.seen[node, 1], tree.seen[node, 2]
    odds = np.zeros(fleets.owner.shape[1])
    _, best = most_probable_cell(part, s0, s1, s2, fleets, odds)
    for c in range(U(len(odds))):
        if mask_has(s0, s1, s2, c):
            odds[c] = 0.0
    least = best if best >= CERTAIN * tree.weight[node] else ratio * best
    nothing, again = np.zeros(0), np.empty_like(part)
    for a in range(tree.actions.shape[1]):
        cell = U(odds.argmax())
        if odds[cell] < least or odds[cell] <= 0.0 or (a and least == best):
            break
        odds[cell] = 0.0
        tree.actions[node, a] = cell
        tree.width[node] = a + 1
        again[:] = part
        tree.cost[node, a] = expected_misses(cell, tree.seen[node], fleets, again, nothing, scratch)
        weigh_answers(node, a, tree, fleets)


@njit
def weigh_answers(node: Any, a: Any, tree: SearchTree, fleets: FleetArrays) -> None:
    """The probability of each answer to a shot that leaves more than a few fleets."""
    cell = tree.actions[node, a]
    s0, s1, s2 = mask_with(tree.seen[node, 0], tree.seen[node, 1], tree.seen[node, 2], cell)
    counts = np.zeros(tree.child.shape[2], np.int64)
    for i in range(tree.first[node], tree.first[node] + tree.size[node]):
        f = tree.pool[i]
        said = answer(f, cell, s0, s1, s2, fleets)
        counts[said] += 1
        tree.unsolved[node, a, said] += fleets.weights[f]
    for said in range(len(counts)):
        if counts[said] <= FEW:
            tree.unsolved[node, a, said] = 0.0


@njit
def expand(
    node: Any, a: Any, said: Any, ratio: float, tree: SearchTree, fleets: FleetArrays,
    scratch: Scratch,
) -> Any:  # fmt: skip
    """Expansion: the new node after an answer, or 0 when the tree is full."""
    made, taken = tree.used[0], tree.used[1]
    size = tree.size[node]
    if made >= len(tree.first) or taken + size > len(tree.pool):
        return 0
    cell = tree.actions[node, a]
    tree.seen[made, :] = tree.seen[node, :]
    tree.seen[made, cell >> U(6)] |= ONE << (cell & U(63))
    s0, s1, s2 = tree.seen[made, 0], tree.seen[made, 1], tree.seen[made, 2]
    kept = taken
    for i in range(tree.first[node], tree.first[node] + size):
        f = tree.pool[i]
        if answer(f, cell, s0, s1, s2, fleets) == said:
            tree.pool[kept] = f
            kept += 1
    tree.first[made], tree.size[made] = taken, kept - taken
    tree.weight[made] = tree.unsolved[node, a, said]
    tree.used[0], tree.used[1] = made + 1, kept
    tree.child[node, a, said] = made
    open_node(made, ratio, tree, fleets, scratch)
    return made


@njit
def solved(node: Any, tree: SearchTree) -> bool:
    """Whether nothing is left to search below a node."""
    return not (tree.unsolved[node, : tree.width[node]] > 0.0).any()


@njit
def select_ucb(node: Any, tree: SearchTree, explore: float) -> Any:
    """Selection by UCB1: the shot, of those not solved, with the lowest bound on its cost."""
    total = 1 + tree.visits[node, : tree.width[node]].sum()
    best, at = np.inf, -1
    for a in range(tree.width[node]):
        if (tree.unsolved[node, a] > 0.0).any():
            cost = tree.cost[node, a] / tree.weight[node]
            bound = cost - explore * np.sqrt(np.log(total) / (1 + tree.visits[node, a]))
            if bound < best:
                best, at = bound, a
    return at


@njit
def back_up(depth: Any, path: Any, tree: SearchTree) -> None:
    """Backup from the node that was added at the end of `path`: costs, and what is solved."""
    node = tree.used[0] - 1
    change = tree.cost[node, : tree.width[node]].min() - tree.cost[node, 0]
    for i in range(depth - 1, -1, -1):
        done = solved(node, tree)
        node, a, said = path[i, 0], path[i, 1], path[i, 2]
        if done:
            tree.unsolved[node, a, said] = 0.0
        before = tree.cost[node, : tree.width[node]].min()
        tree.cost[node, a] += change
        change = tree.cost[node, : tree.width[node]].min() - before


@njit
def simulate(
    rounds: int, explore: float, ratio: float, tree: SearchTree, fleets: FleetArrays
) -> int:
    """Run up to `rounds` simulations; returns how many, fewer where the tree is solved or full.

    The first call opens the root.
    """
    scratch = make_scratch(len(fleets.weights), fleets.owner.shape[1])
    path = np.zeros((fleets.owner.shape[1] + 1, 3), np.int64)
    if tree.width[0] == 0:
        open_node(0, ratio, tree, fleets, scratch)
    for done in range(rounds):
        if solved(0, tree):
            return done
        node, depth = np.int64(0), 0
        while True:
            a = select_ucb(node, tree, explore)
            said = np.argmax(tree.unsolved[node, a] / (1 + tree.followed[node, a]))
            tree.visits[node, a] += 1
            tree.followed[node, a, said] += 1
            path[depth, 0], path[depth, 1], path[depth, 2] = node, a, said
            depth += 1
            if not tree.child[node, a, said]:
                break
            node = np.int64(tree.child[node, a, said])
        if not expand(node, a, U(said), ratio, tree, fleets, scratch):
            return done
        back_up(depth, path, tree)
    return rounds
