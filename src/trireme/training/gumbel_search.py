"""Gumbel search (Danihelka et al., 2022) over a batch of Gomoku games, in torch on one device.

At the root, Gumbel noise on the logits samples moves without replacement, and sequential halving
shares the simulations out among them; below it, visits follow the improved policy. One simulation
in all games has fixed shapes and no branch on data: it descends `max_depth` plies at most, with
games that have reached their leaf masked, evaluates all leaves in one batch, and adds their values
along the paths by one `scatter_add_`. So the host never waits for the device, and a simulation can
be captured as a CUDA graph.

Boards are as in `gomoku_threats.py`: `int8[G, A]` as the side to move sees them, with A points.
Every position is tested for the proofs there: proven ones are leaves with an exact value, and moves
that lose at once are masked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from trireme.gomoku.agents.sequential_halving import visit_schedule

from .gomoku_threats import ThreatDetector
from .zero_network import NEVER

Evaluate = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""Logits `float[G, A]` and values `float[G]` of boards `int8[G, A]`, last moves `int64[G]`."""


class SearchResult(NamedTuple):
    """What a search found, for every game."""

    action: Tensor
    """int64[G]: the move to play."""
    policy: Tensor
    """float[G, A]: the improved policy, the target of the network's."""
    value: Tensor
    """float[G]: the value of the improved policy, for the side to move."""


class _Row(NamedTuple):
    """One node of every game: float[G, A] each, `value` float[G]."""

    logits: Tensor
    visits: Tensor
    completed: Tensor
    """Q where visited, elsewhere the node's mixed value."""
    bonus: Tensor
    """The completed Q on the scale of logits."""


class GumbelSearch:
    """Search trees of G games in fixed arrays: node 0 is the root, simulation i adds node i + 1."""

    def __init__(
        self,
        evaluate: Evaluate,
        detector: ThreatDetector,
        games: int,
        *,
        simulations: int,
        considered: int,
        max_depth: int,
        c_visit: float,
        c_scale: float,
        cuda_graph: bool = False,
    ) -> None:
        self.evaluate, self.detector = evaluate, detector
        self.games, self.area, self.nodes = games, detector.size**2, simulations + 1
        self.considered, self.max_depth = min(considered, self.area), max_depth
        self.c_visit, self.c_scale = c_visit, c_scale
        self.device = device = detector.table.device
        shape = (games, self.nodes, self.area)
        self.board = torch.zeros(shape, dtype=torch.int8, device=device)
        self.logits = torch.zeros(shape, device=device)
        self.visits = torch.zeros(shape, device=device)
        self.totals = torch.zeros(shape, device=device)
        """The sum of the values that came back through each move, for its mover."""
        self.child = torch.zeros(shape, dtype=torch.int16, device=device)
        """The node that a move leads to, -1 where there is none yet."""
        self.value = torch.zeros(shape[:2], device=device)
        self.leaf = torch.zeros(shape[:2], dtype=torch.bool, device=device)
        """Proven positions and full boards, which are never descended through."""
        self.noisy = torch.zeros((games, self.area), device=device)
        """The root's logits with Gumbel noise; `-inf` where a move is not considered."""
        self.number = torch.zeros(games, dtype=torch.int64, device=device)
        """How many root moves are considered."""
        self.schedules = torch.zeros(
            (self.considered + 1, simulations), dtype=torch.int64, device=device
        )
        self.done = torch.zeros(1, dtype=torch.int64, device=device)
        """The simulations made; a tensor, so that a captured simulation reads it anew."""
        self.row = torch.arange(games, device=device)
        self.cuda_graph = cuda_graph and device.type == "cuda"
        self.graph: torch.cuda.CUDAGraph | None = None
        self.warm = False

    @torch.no_grad()
    def run(
        self, board: Tensor, last: Tensor, simulations: int, gumbel: Tensor | None = None
    ) -> SearchResult:
        """Search every game; `gumbel: float[G, A]` is the noise, none for the strongest play.

        `simulations` may be fewer than the arrays have room for.
        """
        self._set_root(board, last, simulations, gumbel)
        if self.cuda_graph and self.warm and self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self._simulate()
        for _ in range(simulations):
            if self.graph is not None:
                self.graph.replay()
            else:
                self._simulate()
        self.warm = True
        return self._result(board)

    def _set_root(
        self, board: Tensor, last: Tensor, simulations: int, gumbel: Tensor | None
    ) -> None:
        self.visits.zero_()
        self.totals.zero_()
        self.child.fill_(-1)
        self.done.zero_()
        lists = [visit_schedule(m, simulations) for m in range(self.considered + 1)]
        self.schedules[:, :simulations] = torch.tensor(lists, device=self.device)
        logits, value = self.evaluate(board, last)
        proof = self.detector.prove(board)
        self.board[:, 0] = board
        self.logits[:, 0] = logits = logits.masked_fill(~proof.moves, NEVER)
        self.value[:, 0] = value
        noisy = logits if gumbel is None else logits + gumbel
        noisy = noisy.masked_fill(~proof.moves, -math.inf)
        least = noisy.topk(self.considered, 1).values[:, -1:]
        self.noisy.copy_(noisy.masked_fill(noisy < least, -math.inf))
        self.number.copy_((self.noisy > -math.inf).sum(1).clamp(max=self.considered))

    def _simulate(self) -> None:
        """One simulation in every game: descend, expand, evaluate, back up."""
        nodes, actions, active = self._descend()
        node, action = nodes[-1], actions[-1]
        edge = (node * self.area + action).unsqueeze(1)
        old = self.child.view(self.games, -1).gather(1, edge).squeeze(1).long()
        known = old >= 0  # a leaf visited again, or the limit of depth
        board = self.board[self.row, node]
        board = -board.scatter(1, action.unsqueeze(1), 1)
        value = torch.where(known, self.value[self.row, old.clamp(min=0)], self._add(board, action))
        made = torch.where(known, old, self.done + 1).short()
        self.child.view(self.games, -1).scatter_(1, edge, made.unsqueeze(1))
        self._back_up(torch.stack(nodes, 1), torch.stack(actions, 1), torch.stack(active, 1), value)
        self.done += 1

    def _descend(self) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
        """The path of a simulation: node and action by depth, and whether it got that deep."""
        node, active = torch.zeros_like(self.number), torch.ones_like(self.number, dtype=torch.bool)
        action = self._root_action()
        nodes, actions, actives = [node], [action], [active]
        for _ in range(self.max_depth - 1):
            child = self.child[self.row, node, action].long()
            inner = child.clamp(min=0)
            active = active & (child >= 0) & ~self.leaf[self.row, inner]
            node = torch.where(active, inner, node)
            action = torch.where(active, self._inner_action(node), action)
            nodes.append(node)
            actions.append(action)
            actives.append(active)
        return nodes, actions, actives

    def _root_action(self) -> Tensor:
        """Among considered moves with the visits that sequential halving asks for, the best."""
        at = self._read(torch.zeros_like(self.number))
        wanted = self.schedules.index_select(1, self.done).squeeze(1)[self.number]
        score = self.noisy + at.bonus
        return score.masked_fill(at.visits != wanted.unsqueeze(1), -math.inf).argmax(1)

    def _inner_action(self, node: Tensor) -> Tensor:
        """The move whose share of visits falls behind the improved policy most."""
        at = self._read(node)
        policy = (at.logits + at.bonus).softmax(1)
        share = at.visits / (1 + at.visits.sum(1, keepdim=True))
        return (policy - share).masked_fill(at.logits <= NEVER / 2, -math.inf).argmax(1)

    def _read(self, node: Tensor) -> _Row:
        """The statistics of one node in every game, with completed Q values."""
        logits, visits = self.logits[self.row, node], self.visits[self.row, node]
        q = self.totals[self.row, node] / visits.clamp(min=1)
        seen = visits > 0
        prior = logits.softmax(1) * seen
        count = visits.sum(1)
        mean = (prior * q).sum(1) / prior.sum(1).clamp(min=1e-6)
        mixed = (self.value[self.row, node] + count * mean) / (1 + count)
        completed = torch.where(seen, q, mixed.unsqueeze(1))
        scale = (self.c_visit + visits.amax(1, keepdim=True)) * self.c_scale
        return _Row(logits, visits, completed, scale * completed)

    def _add(self, board: Tensor, last: Tensor) -> Tensor:
        """Evaluate positions and store them as the next node; returns their values."""
        logits, value = self.evaluate(board, last)
        proof = self.detector.prove(board)
        full = (board != 0).all(1)
        value = torch.where(proof.proven | full, proof.value, value)
        node = self.done + 1
        self.board.index_copy_(1, node, board.unsqueeze(1))
        self.logits.index_copy_(1, node, logits.masked_fill(~proof.moves, NEVER).unsqueeze(1))
        self.value.index_copy_(1, node, value.unsqueeze(1))
        self.leaf.index_copy_(1, node, (proof.proven | full).unsqueeze(1))
        return value

    def _back_up(self, nodes: Tensor, actions: Tensor, active: Tensor, value: Tensor) -> None:
        """Add the leaf's value, seen by each mover, along the paths `[G, max_depth]`."""
        depth = active.sum(1, keepdim=True)  # of the leaf, where the value is its side to move's
        above = depth - torch.arange(nodes.shape[1], device=self.device)
        sign = 1 - 2 * (above & 1)
        index = nodes * self.area + actions
        self.visits.view(self.games, -1).scatter_add_(1, index, active.float())
        gains = torch.where(active, sign * value.unsqueeze(1), 0.0)
        self.totals.view(self.games, -1).scatter_add_(1, index, gains)

    def _result(self, board: Tensor) -> SearchResult:
        """The most visited considered move, best by noisy logit and Q; the improved policy."""
        at = self._read(torch.zeros_like(self.number))
        proof = self.detector.prove(board)
        most = at.visits.amax(1, keepdim=True)
        score = self.noisy + at.bonus
        action = score.masked_fill(at.visits < most, -math.inf).argmax(1)
        policy = (at.logits + at.bonus).masked_fill(~proof.moves, -math.inf).softmax(1)
        value = (policy * at.completed).sum(1)
        # A proven root needs no search: its moves are known, and its value is exact.
        known = at.logits.masked_fill(~proof.moves, -math.inf).softmax(1)
        proven = proof.proven.unsqueeze(1)
        return SearchResult(
            action,
            torch.where(proven, known, policy),
            torch.where(proof.proven, proof.value, value),
        )
