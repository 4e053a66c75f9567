"""Knowledge distillation: positions beside the games, labelled by a gomoku-zero network.

A search evaluates many positions that no good game contains, because it also looks at the moves
that it then rejects. Games alone do not teach the table network to value them. So from positions
of the games one or two moves are drawn from the teacher's policy, flattened, and the teacher's own
value and policy are the targets of what results.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from trireme.core.errors import BadSettings
from trireme.gomoku.engine.memory_kernels import MAKES_FIVE

from .gomoku_games import POLICY_SLOTS
from .table_model import LineReader
from .zero_network import ZeroNetwork, load, planes_of

TEMPERATURE = 2.0
"""What the teacher's logits are divided by when moves are drawn: above 1, more unlikely moves."""
AT_ONCE = 16_384
"""Positions that the teacher labels together on a GPU; 256 on a CPU."""


class TaughtPositions(NamedTuple):
    """Positions with the teacher's targets, from the side to move; A points."""

    stones: Tensor
    """int8[N, A]: 0 empty, 1 own, 2 the other's."""
    recent: Tensor
    """int16[N, 2]: the points of the last two stones, the newer first, or -1."""
    value: Tensor
    """float[N]: the value that the teacher expects, from -1 to 1."""
    cells: Tensor
    """int16[N, 8]: the teacher's likeliest moves."""
    weights: Tensor
    """float[N, 8]: their probabilities, which sum to 1."""


class Teacher:
    """A gomoku-zero network that labels boards of n × n points."""

    def __init__(self, path: Path, reader: LineReader, device: torch.device) -> None:
        try:
            network = load(path)
        except OSError as error:
            raise BadSettings(f"can't read the teacher {str(path)!r}: {error.strerror}") from None
        except Exception as error:  # torch raises what its unpickler meets
            raise BadSettings(f"{str(path)!r} holds no gomoku-zero network: {error}") from None
        self.dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
        self.network: ZeroNetwork = network.to(device, self.dtype)
        self.reader, self.device = reader, device
        self.at_once = AT_ONCE if device.type == "cuda" else 256

    def judge(self, stones: Tensor, last: Tensor) -> tuple[Tensor, Tensor]:
        """Policy logits float[B, A] and values float[B] of boards int32[B, n, n].

        `last: int64[B]` are the points of the last stones, -1 where they are not known.
        """
        size = stones.shape[1]
        board = stones.flatten(1)
        signed = ((board == 1).int() - (board == 2).int()).to(torch.int8)
        planes = planes_of(signed, torch.where(last < 0, size * size, last), size)
        logits, value = self.network(planes.to(self.dtype))
        return logits.float(), value.float()

    @torch.no_grad()
    def positions_beside(
        self, stones: Tensor, recent: Tensor, generator: torch.Generator
    ) -> TaughtPositions:
        """What one or two drawn moves make of quiet boards int32[B, n, n]; fewer than B are quiet.

        `recent: int64[B, 2]` as in `TaughtPositions`; `generator` is on the boards' device.
        """
        open_ended = torch.ones(len(stones), dtype=torch.bool, device=self.device)
        twice = torch.rand(len(stones), generator=generator, device=self.device) < 0.5
        for move in range(2):
            if move == 1:  # after a move a five may be at hand, which would end the game
                own, _ = self.reader(stones).kinds
                open_ended &= ~(own == MAKES_FIVE).any(1) | ~twice
            logits, _ = self.judge(stones, recent[:, 0])
            chance = torch.rand(logits.shape, generator=generator, device=self.device)
            noise = -torch.log(-torch.log(chance.clamp(1e-9, 1 - 1e-7)))
            chosen = (logits / TEMPERATURE + noise).argmax(1)
            played = stones.flatten(1).scatter(1, chosen[:, None], 1)
            after = torch.where(played > 0, 3 - played, 0).view_as(stones)
            then = torch.stack([chosen, recent[:, 0]], 1)
            moved = torch.ones_like(twice) if move == 0 else twice
            stones = torch.where(moved[:, None, None], after, stones)
            recent = torch.where(moved[:, None], then, recent)
        kept = open_ended & self.reader.quiet(stones)
        stones, recent = stones[kept], recent[kept]
        logits, value = self.judge(stones, recent[:, 0])
        weights, cells = logits.softmax(1).topk(POLICY_SLOTS)
        return TaughtPositions(
            stones.flatten(1).to(torch.int8),
            recent.short(),
            value,
            cells.short(),
            weights / weights.sum(1, keepdim=True),
        )
