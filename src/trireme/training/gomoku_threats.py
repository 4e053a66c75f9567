"""Threats on batches of Gomoku boards, in torch: who can make five, and wins proven by fours.

A board is `int8[B, n * n]` as the side to move sees it: 1 own stone, -1 the opponent's, 0 empty.
What a stone makes in a line depends on the five points to either side of it, which form a key of 20
bits; the engine's table of shapes gives the answer for every key.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from trireme.gomoku.engine.memory_kernels import FIVE, FOUR, OPEN_FOUR
from trireme.gomoku.engine.shape_tables import shape_table

MARGIN = 5
"""Points off the board around it, so that every line has five to either side."""


class Threats(NamedTuple):
    """Empty points by what a stone there makes: `bool[B, n * n]` each."""

    five: Tensor
    """The side to move makes five: it wins."""
    open_four: Tensor
    """It makes an open four or two fours, so that one answer does not stop the five."""
    other_five: Tensor
    """The opponent would make five."""


class Proof(NamedTuple):
    """What threats prove of positions."""

    value: Tensor
    """float[B]: 1 the side to move wins, -1 it loses, 0 nothing is proven."""
    proven: Tensor
    """bool[B]"""
    moves: Tensor
    """bool[B, n * n]: the moves that win; else those that do not lose at once; else, where all
    lose, the blocks; without threats every empty point."""


class ThreatDetector:
    """Finds the threats on boards of one size under one rule, on one device."""

    def __init__(self, size: int, exact: bool, device: torch.device) -> None:
        self.size, self.width = size, size + 2 * MARGIN
        self.table = torch.as_tensor(shape_table(exact), device=device)
        points = torch.arange(self.width**2, device=device).view(self.width, self.width)
        inner = points[MARGIN:-MARGIN, MARGIN:-MARGIN].flatten()
        self.steps = 1, self.width, self.width + 1, self.width - 1
        self.before = [inner - MARGIN * step for step in self.steps]
        self.after = [inner + step for step in self.steps]

    def line_keys(self, board: Tensor) -> Tensor:
        """The keys `int32[B, 4, n * n]` of all lines through all points, own stones as black."""
        codes = torch.where(board < 0, 2, board).int().view(-1, self.size, self.size)
        grid = torch.nn.functional.pad(codes, [MARGIN] * 4, value=3).flatten(1)
        keys = []
        for step, before, after in zip(self.steps, self.before, self.after, strict=True):
            two = grid[:, :-step] | grid[:, step:] << 2
            four = two[:, : -2 * step] | two[:, 2 * step :] << 4
            five = four[:, :-step] | grid[:, 4 * step :] << 8  # the points p, p + step, …
            keys.append(five.index_select(1, before) | five.index_select(1, after) << 10)
        return torch.stack(keys, 1)

    def threats(self, board: Tensor) -> Threats:
        """The threats of both sides."""
        keys = self.line_keys(board)
        made = self.table.index_select(0, keys.flatten()).view(keys.shape)
        own, other, empty = made & 15, made >> 4, board == 0
        return Threats(
            five=(own == FIVE).any(1) & empty,
            open_four=((own == OPEN_FOUR).any(1) | ((own == FOUR).sum(1) >= 2)) & empty,
            other_five=(other == FIVE).any(1) & empty,
        )

    def prove(self, board: Tensor) -> Proof:
        """Wins in one or three plies and losses in two, exactly.

        A five wins. Otherwise a five of the opponent must be blocked, and two of them can't be. An
        open four or a double four wins where the opponent has no five left: one stone can't take
        both completing points, and it changes neither's line.
        """
        five, open_four, other_five = self.threats(board)
        blocks = other_five.sum(1, keepdim=True)
        allowed = (board == 0) & (other_five | (blocks == 0))
        winning = five | (open_four & allowed & (blocks < 2))
        wins_now, wins = five.any(1, keepdim=True), winning.any(1, keepdim=True)
        lost = ~wins_now & (blocks >= 2)
        moves = torch.where(wins_now, five, torch.where(wins, winning, allowed))
        value = wins.float() - lost.float()
        return Proof(value.squeeze(1), (wins | lost).squeeze(1), moves)
