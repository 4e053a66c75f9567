"""Monte-Carlo tree search (MCTS, UCB1) over sampled fleets: the shooter against chance.

A node is a history of answers; it owns the fleets that agree with it, and considers the cells that
most of them cover. A simulation follows one fleet, a determinization: down the tree by upper
confidence bounds (UCB1) on the misses to come, one new node, then a greedy rollout to the end.

Shapes: n fleets, M nodes, A actions a node, R answers (miss, hit, sunk by size), Z the pool.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.battleship.belief.bitset_kernels import ONE, ZERO, mask_has, mask_with
from trireme.battleship.kernels import below
from trireme.core.jit import njit
from trireme.core.splitmix_kernels import GOLDEN_GAMMA, mix64

from .lookahead_kernels import FleetArrays, answer, most_probable_cell

U = np.uint64


class SearchTree(NamedTuple):
    """The nodes; node 0 is the root."""

    first: Any
    """int64[M]: where the node's fleets begin in the pool."""
    size: Any
    """int64[M]: how many they are."""
    seen: Any
    """uint64[M, 3]: cells shot at on the way to the node."""
    width: Any
    """int64[M]: how many actions the node considers; 0 when nothing is left to decide."""
    actions: Any
    """uint64[M, A]: the cells considered, likeliest first."""
    visits: Any
    """int64[M, A]: simulations that took the action."""
    misses: Any
    """float64[M, A]: their misses from here on."""
    child: Any
    """int32[M, A, R]: the node after an action and an answer, or 0."""
    pool: Any
    """uint64[Z]: the fleets of all nodes, end to end."""
    used: Any
    """int64[2]: nodes and places in the pool that are taken."""


@njit
def open_node(node: Any, tree: SearchTree, fleets: FleetArrays, chances: Any) -> None:
    """Find the actions that a new node considers: its most probable cells."""
    first, size = tree.first[node], tree.size[node]
    part = tree.pool[first : first + size]
    s0, s1, s2 = tree.seen[node, 0], tree.seen[node, 1], tree.seen[node, 2]
    tree.width[node] = 0
    if size <= 1:
        return
    most_probable_cell(part, s0, s1, s2, fleets, chances)
    for c in range(U(len(chances))):
        if mask_has(s0, s1, s2, c):
            chances[c] = 0.0
    for a in range(tree.actions.shape[1]):
        best = chances.argmax()
        if chances[best] <= 0.0:
            break
        tree.actions[node, a] = U(best)
        tree.width[node] = a + 1
        chances[best] = 0.0


@njit
def expand(
    node: Any, action: Any, said: Any, tree: SearchTree, fleets: FleetArrays, chances: Any
) -> Any:
    """Expansion: the new node after an answer, or 0 when the tree is full."""
    made, taken = tree.used[0], tree.used[1]
    size = tree.size[node]
    if made >= len(tree.first) or taken + size > len(tree.pool):
        return 0
    cell = tree.actions[node, action]
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
    tree.used[0], tree.used[1] = made + 1, kept
    tree.child[node, action, said] = made
    open_node(made, tree, fleets, chances)
    return made


@njit
def rollout(
    node: Any, fleet: Any, tree: SearchTree, fleets: FleetArrays, chances: Any, part: Any
) -> Any:
    """Rollout: the misses of the greedy policy from `node` on, when `fleet` is the true one."""
    n = tree.size[node]
    first = tree.first[node]
    part[:n] = tree.pool[first : first + n]
    s0, s1, s2 = tree.seen[node, 0], tree.seen[node, 1], tree.seen[node, 2]
    misses = 0.0
    while n > 1:
        cell, weight = most_probable_cell(part[:n], s0, s1, s2, fleets, chances)
        if weight <= 0.0:
            break
        s0, s1, s2 = mask_with(s0, s1, s2, cell)
        said = answer(fleet, cell, s0, s1, s2, fleets)
        misses += said == ZERO
        kept = 0
        for i in range(n):
            if answer(part[i], cell, s0, s1, s2, fleets) == said:
                part[kept] = part[i]
                kept += 1
        n = kept
    return misses


@njit
def select_ucb(node: Any, tree: SearchTree, explore: float) -> Any:
    """Selection by UCB1: the action with the lowest confidence bound on its mean misses.

    Progressive widening: less probable cells are admitted one by one as the node is visited more.
    """
    total = 0
    for a in range(tree.width[node]):
        total += tree.visits[node, a]
    admitted = min(tree.width[node], 1 + np.int64(np.sqrt(total) / 2))
    best, at = 1e18, 0
    for a in range(admitted):
        visits = tree.visits[node, a]
        if visits == 0:
            return a
        bound = tree.misses[node, a] / visits - explore * np.sqrt(np.log(total) / visits)
        if bound < best:
            best, at = bound, a
    return at


@njit
def simulate(
    rounds: int, state: Any, explore: float, tree: SearchTree, fleets: FleetArrays, chances: Any,
    part: Any, path: Any,
) -> Any:  # fmt: skip
    """Run `rounds` simulations, every fleet equally likely; returns the random state.

    Scratch: `chances` float64[N], `part` uint64[n], `path` int64[N, 3].
    """
    for _ in range(rounds):
        state += GOLDEN_GAMMA
        fleet = tree.pool[below(mix64(state), U(tree.size[0]))]
        node = np.int64(0)
        depth = 0
        while tree.width[node] > 0:
            action = select_ucb(node, tree, explore)
            cell = tree.actions[node, action]
            s0, s1, s2 = tree.seen[node, 0], tree.seen[node, 1], tree.seen[node, 2]
            s0, s1, s2 = mask_with(s0, s1, s2, cell)
            said = answer(fleet, cell, s0, s1, s2, fleets)
            path[depth, 0], path[depth, 1] = node, action
            path[depth, 2] = said == ZERO
            depth += 1
            following = np.int64(tree.child[node, action, said])
            if following:
                node = following
                continue
            node = expand(node, action, said, tree, fleets, chances)
            break
        misses = 0.0
        if node:
            misses = rollout(node, fleet, tree, fleets, chances, part)
        for i in range(depth - 1, -1, -1):
            misses += path[i, 2]
            tree.visits[path[i, 0], path[i, 1]] += 1
            tree.misses[path[i, 0], path[i, 1]] += misses
    return state
