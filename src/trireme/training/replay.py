"""Replay buffer of Gomoku: transitions stored as games, sampled uniformly or by priority.

A transition is `(s, a, r, s', done, legal_next, game_id, move_no)`. It is stored as the order in
which the points of its game were filled: point p holds the stone of ply `order[p]`, so the stones
before ply t are those with `order < t`, and one row of numbers gives s, s', the last stones and the
legal moves of both. That is a quarter of the memory of planes, on the network's device.

With n-step returns, `r` is what the mover gains over up to n plies, `s'` is the position after
them, and `discount` is what `s'` counts for: `(-γ)^n`, as the opponent's gain is the mover's loss,
and 0 when the game is over.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .sum_tree import SumTree
from .symmetry import tables

UNFILLED = 9999
"""The `order` of a point that stays empty."""


@dataclass(frozen=True)
class Transitions:
    """New transitions for the buffer: T rows of plain arrays."""

    order: NDArray[np.int16]
    """[T, n * n]: the ply that filled each point, from 0, or UNFILLED."""
    action: NDArray[np.int16]
    reward: NDArray[np.float32]
    discount: NDArray[np.float32]
    move_no: NDArray[np.int16]
    """[T]: the ply of the action, from 0, which is also how many stones `s` has."""
    next_no: NDArray[np.int16]
    """[T]: how many stones `s'` has."""
    game_id: NDArray[np.int64]
    demonstrated: NDArray[np.bool_]
    """[T]: whether the heuristic chose the action."""

    def __len__(self) -> int:
        return len(self.action)


@dataclass(frozen=True)
class Sample:
    """B transitions on the learner's device."""

    planes: Tensor
    """float[B, 4, n, n]: s, as the mover sees it."""
    action: Tensor
    """int64[B]"""
    reward: Tensor
    """float[B]"""
    discount: Tensor
    """float[B]: negative where the opponent is to move in `s'`, 0 where the game is over."""
    next_planes: Tensor
    """float[B, 4, n, n]: s', as its own mover sees it."""
    weight: Tensor
    """float[B]: what each transition counts in the loss; 1 where drawn uniformly."""
    index: Tensor
    """int64[B]: the index of each in the buffer."""
    game_id: Tensor
    move_no: Tensor
    demonstrated: Tensor
    """bool[B]: whether the heuristic chose the action."""

    @property
    def done(self) -> Tensor:
        return self.discount == 0

    @property
    def legal_next(self) -> Tensor:
        """bool[B, n * n]: the legal moves of `s'`."""
        return (self.next_planes[:, 0] + self.next_planes[:, 1] == 0).flatten(1)


def planes_at(order: Tensor, ply: Tensor) -> Tensor:
    """The positions before `ply: int[B]` of the games `order: int[B, n * n]`, as four planes."""
    size = round(order.shape[1] ** 0.5)
    ply = ply.unsqueeze(1)
    filled = order < ply
    own = filled & ((order ^ ply) & 1 == 0)
    black = (ply & 1 == 0).expand_as(own)
    planes = torch.stack([own, filled & ~own, black, order == ply - 1], 1)
    return planes.view(-1, 4, size, size).float()


class ReplayBuffer:
    """A ring buffer of transitions; the newest replace the oldest.

    With `prioritised` it is prioritised experience replay (Schaul et al.), with exponent `alpha`.
    """

    def __init__(
        self,
        capacity: int,
        size: int,
        device: torch.device,
        *,
        prioritised: bool = False,
        alpha: float = 0.6,
    ) -> None:
        self.capacity, self.size, self.device = capacity, size, device
        self.prioritised, self.alpha = prioritised, alpha
        self.added = 0
        """How many transitions were ever added."""
        self.sources, self.targets = tables(size, device)
        self.order = torch.empty((capacity, size * size), dtype=torch.int16, device=device)
        self.columns = {
            "action": torch.empty(capacity, dtype=torch.int16, device=device),
            "reward": torch.empty(capacity, dtype=torch.float32, device=device),
            "discount": torch.empty(capacity, dtype=torch.float32, device=device),
            "move_no": torch.empty(capacity, dtype=torch.int16, device=device),
            "next_no": torch.empty(capacity, dtype=torch.int16, device=device),
            "game_id": torch.empty(capacity, dtype=torch.int64, device=device),
            "demonstrated": torch.empty(capacity, dtype=torch.bool, device=device),
            "priority": torch.zeros(capacity, dtype=torch.float32, device=device),
        }
        self.tree = SumTree(capacity, device)
        """The priorities to the power of alpha; empty unless `prioritised`."""
        self.highest = torch.ones((), device=device)
        """The priority of a new transition: the highest seen, so that each is sampled soon."""

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, new: Transitions) -> None:
        """Add transitions, in place of the oldest."""
        if len(new) > self.capacity:
            new = Transitions(*(getattr(new, f)[-self.capacity :] for f in new.__annotations__))
        at = (torch.arange(len(new), device=self.device) + self.added) % self.capacity
        self.order[at] = torch.as_tensor(new.order, device=self.device)
        for name in sorted(self.columns.keys() - {"priority"}):
            self.columns[name][at] = torch.as_tensor(getattr(new, name), device=self.device)
        self._set_priorities(at, self.highest.expand(len(new)))
        self.added += len(new)

    def sample(self, batch: int, generator: torch.Generator, beta: float = 1.0) -> Sample:
        """Sample `batch` transitions, each under a random symmetry of the board.

        By priority, transition i is sampled with probability `p_i^α / Σ p^α`; its importance
        weight is `(N · probability)^-β`, over the largest such weight in the batch.
        """
        index, weight = self._draw(batch, generator, beta)
        turn = torch.randint(8, (batch,), generator=generator, device=self.device)
        taken = {name: column[index] for name, column in self.columns.items()}
        order = self.order[index].gather(1, self.sources[turn])
        action = self.targets[turn, taken["action"].long()]
        return Sample(
            planes=planes_at(order, taken["move_no"]),
            action=action,
            reward=taken["reward"],
            discount=taken["discount"],
            next_planes=planes_at(order, taken["next_no"]),
            weight=weight,
            index=index,
            game_id=taken["game_id"],
            move_no=taken["move_no"],
            demonstrated=taken["demonstrated"],
        )

    def _draw(self, batch: int, generator: torch.Generator, beta: float) -> tuple[Tensor, Tensor]:
        if not self.prioritised:
            index = torch.randint(len(self), (batch,), generator=generator, device=self.device)
            return index, torch.ones(batch, device=self.device)
        share = torch.rand(batch, generator=generator, device=self.device, dtype=torch.float64)
        index = self.tree.find(share * self.tree.total)
        weight = (self.tree.get(index) / self.tree.total * len(self)) ** -beta
        return index, (weight / weight.max()).float()

    def update(self, index: Tensor, error: Tensor) -> None:
        """Set the priorities of sampled transitions to the size of their TD errors."""
        if self.prioritised:
            priority = error.detach().abs() + 1e-3
            self._set_priorities(index, priority)
            self.highest = torch.maximum(self.highest, priority.max())

    def _set_priorities(self, index: Tensor, priority: Tensor) -> None:
        self.columns["priority"][index] = priority
        if self.prioritised:
            self.tree.set(index, self.columns["priority"][index].double() ** self.alpha)

    def state(self) -> dict[str, Any]:
        """All that `restore` needs, on the CPU."""
        filled = len(self)
        columns = {name: c[:filled].cpu().clone() for name, c in self.columns.items()}
        return {
            "order": self.order[:filled].cpu().clone(),
            "columns": columns,
            "added": self.added,
            "highest": self.highest.cpu(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the contents that `state` gave; the capacity must suffice."""
        filled = len(state["order"])
        self.order[:filled] = state["order"].to(self.device)
        for name, column in state["columns"].items():
            self.columns[name][:filled] = column.to(self.device)
        self._set_priorities(
            torch.arange(filled, device=self.device), self.columns["priority"][:filled].clone()
        )
        self.added, self.highest = state["added"], state["highest"].to(self.device)

    def save(self, path: Path) -> None:
        """Write a snapshot to disk."""
        torch.save(self.state(), path)

    def load(self, path: Path) -> None:
        """Read a snapshot that `save` wrote."""
        self.restore(torch.load(path, weights_only=True))
