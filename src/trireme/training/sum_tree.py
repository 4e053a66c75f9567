"""A sum tree: sampling in proportion to priorities, and changing some of them, in O(log n)."""

from __future__ import annotations

import torch
from torch import Tensor


class SumTree:
    """A binary tree whose leaves are weights and whose inner nodes are the sums of their children.

    Batches of weights are set, and batches of draws descend, level by level: a dozen small
    operations on the device, where cumulative sums read every weight for every draw.
    """

    def __init__(self, capacity: int, device: torch.device) -> None:
        self.depth = max(1, (capacity - 1).bit_length())
        self.leaves = 1 << self.depth
        self.nodes = torch.zeros(2 * self.leaves, dtype=torch.float64, device=device)
        """float64[2 * leaves]: node 1 is the root, `2i` and `2i + 1` the children of node `i`."""

    @property
    def total(self) -> Tensor:
        """float64[]: the sum of all weights."""
        return self.nodes[1]

    def get(self, index: Tensor) -> Tensor:
        """The weights `float64[B]` of the leaves `index: int64[B]`."""
        return self.nodes[self.leaves + index]

    def set(self, index: Tensor, weights: Tensor) -> None:
        """Set the weights of the leaves `index: int64[B]`, none of them negative."""
        node = self.leaves + index
        self.nodes[node] = weights.double()
        for _ in range(self.depth):
            node = node >> 1
            self.nodes[node] = self.nodes[2 * node] + self.nodes[2 * node + 1]

    def find(self, heights: Tensor) -> Tensor:
        """The leaf in which each of `heights: float64[B]` falls, `int64[B]`.

        Laid end to end, the weights cover the heights from 0 to `total`; leaf i covers those from
        the sum before it up to, and not including, the sum with it.
        """
        left, node = heights.double(), torch.ones_like(heights, dtype=torch.int64)
        for _ in range(self.depth):
            child = 2 * node
            below = self.nodes[child]
            # Rounding may lead past the last weight; an empty subtree is never entered.
            right = (left >= below) & (self.nodes[child + 1] > 0)
            left = torch.where(right, left - below, left)
            node = child + right.long()
        return node - self.leaves
