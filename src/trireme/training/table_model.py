"""The table network as a torch module: line windows to features, features to value and policy.

A small *mapping network* turns each line window into `features` numbers; a point's features are the
clamped sum over its four lines. Because a point's window in a line is one of 199,290, the trained
mapping network is replaced by a table, and an engine updates a few rows of it for each stone.

Everything is seen from the side to move, whose stones count as black: half of a row is computed
from the window, half from the window with colours exchanged, so that exchanging all stones and the
side to move changes nothing. Mirrored windows have the same row, so that neither do the board's
symmetries.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from trireme.gomoku.engine.line_windows import KEY_BITS, OFF_BOARD, RADIUS, line_windows
from trireme.gomoku.engine.memory_kernels import KINDS, MAKES_FIVE, MAKES_OPEN_FOUR, MAKES_THREE
from trireme.gomoku.engine.network_memory_kernels import (
    CLAMP,
    DISTANCES,
    HIDDEN,
    POOL_SCALE,
    RECENT,
    REGION_KINDS,
    REGION_ROWS,
    REGIONS,
    THREAT_KINDS,
    THREAT_LEVELS,
)
from trireme.gomoku.engine.shape_tables import grade_table, kind_table

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
OFFSETS = (-5, -4, -3, -2, -1, 1, 2, 3, 4, 5)


class Lines(NamedTuple):
    """What the model reads off boards of A points, from the side to move."""

    rows: Tensor
    """int32[B, A, 4]: the row of the window in each line."""
    grades: Tensor
    """int32[2, B, A]: the grades of the shapes that an own and an opponent's stone there would
    make, four bits each."""
    kinds: Tensor
    """int64[2, B, A]: the kind of such a move; QUIET where there is a stone."""
    empty: Tensor
    """bool[B, A]."""


class LineReader(nn.Module):
    """Reads windows and kinds of moves off boards, on any device."""

    row_of_line: Tensor
    grade_table: Tensor
    kind_table: Tensor

    def __init__(self, exact: bool) -> None:
        super().__init__()
        self.register_buffer("row_of_line", torch.from_numpy(line_windows().row_of_line))
        self.register_buffer("grade_table", torch.from_numpy(grade_table(exact)))
        self.register_buffer("kind_table", torch.from_numpy(kind_table()))

    def forward(self, stones: Tensor) -> Lines:
        """Read `stones: int32[B, n, n]`: 0 empty, 1 of the side to move, 2 of the other."""
        batch, n, _ = stones.shape
        edge = (RADIUS,) * 4
        padded = functional.pad(stones, edge, value=OFF_BOARD)
        rows, own, other = [], torch.zeros_like(stones), torch.zeros_like(stones)
        for d, (down, right) in enumerate(DIRECTIONS):
            key = torch.zeros_like(stones)
            for place, offset in enumerate(OFFSETS):
                top, left = RADIUS + offset * down, RADIUS + offset * right
                key |= padded[:, top : top + n, left : left + n] << (2 * place)
            rows.append(self.row_of_line[stones << KEY_BITS | key])
            both = self.grade_table[key].int()
            own |= (both & 15) << (4 * d)
            other |= (both >> 4) << (4 * d)
        empty = stones == 0
        grades = torch.stack([own, other])
        kinds = self.kind_table[grades].long() * empty
        return Lines(
            torch.stack(rows, -1).view(batch, n * n, 4),
            grades.view(2, batch, n * n),
            kinds.view(2, batch, n * n),
            empty.view(batch, n * n),
        )

    def quiet(self, stones: Tensor) -> Tensor:
        """bool[B]: whether the engine evaluates each board statically."""
        own, other = self(stones).kinds
        busy: Tensor = ((own >= MAKES_OPEN_FOUR) | (other == MAKES_FIVE)).any(1)
        return ~busy


def _look_up(weights: Tensor, index: Tensor) -> Tensor:
    """Single weights by their index in the flattened tensor.

    The gradient of plain indexing adds up equal indices one after the other on a GPU; here they
    are millions, and few differ.
    """
    return functional.embedding(index, weights.view(-1, 1)).squeeze(-1)


class TableModel(nn.Module):
    """Value and policy of positions; `to_arrays` gives what the engine loads."""

    points: Tensor
    swapped: Tensor

    def __init__(self, features: int = 32, width: int = 128) -> None:
        super().__init__()
        self.features = features
        self.map1 = nn.Linear(33, width)
        self.map2 = nn.Linear(width, width)
        self.map3 = nn.Linear(width, features // 2)
        nn.init.constant_(self.map3.bias, 0.1)  # features begin inside the clamp, where they learn
        self.value1 = nn.Linear(features, HIDDEN)
        self.threats = nn.Parameter(torch.zeros(2, THREAT_KINDS, THREAT_LEVELS, HIDDEN))
        self.value2 = nn.Linear(HIDDEN, HIDDEN)
        self.value3 = nn.Linear(HIDDEN, 1)
        self.region = nn.Linear(features, HIDDEN, bias=False)
        self.region_bias = nn.Parameter(torch.zeros(REGION_KINDS, HIDDEN))
        self.value_regions = nn.Parameter(torch.zeros(HIDDEN, HIDDEN))
        self.policy_context = nn.Parameter(torch.zeros(features, HIDDEN))
        self.policy_recent = nn.Parameter(torch.zeros(RECENT, DISTANCES, DISTANCES))
        self.policy_features = nn.Parameter(torch.zeros(features))
        self.policy_kinds = nn.Parameter(torch.zeros(KINDS, KINDS))
        windows = line_windows()
        self.register_buffer("points", torch.from_numpy(windows.points), persistent=False)
        self.register_buffer("swapped", torch.from_numpy(windows.swapped), persistent=False)

    def table(self, rows: Tensor | None = None) -> Tensor:
        """float[N, features]: all rows of the table, or those of `rows: int[N]`, differentiably."""
        if rows is None:
            half = self._map(self.points)
            return torch.cat([half, half.index_select(0, self.swapped)], 1)
        both = torch.stack([rows, self.swapped[rows]])
        known, places = both.unique(return_inverse=True)  # type: ignore[no-untyped-call]
        half = self._map(self.points[known])
        return torch.cat([half[places[0]], half[places[1]]], 1)

    def _map(self, points: Tensor) -> Tensor:
        """The mapping network on windows int8[N, 11], the mean over both directions."""
        letters = torch.tensor([1, 2, OFF_BOARD], dtype=torch.int8, device=points.device)
        sides: list[Tensor] = []
        for windows in (points, points.flip(1)):
            x = (windows[:, :, None] == letters).flatten(1).to(self.map1.weight.dtype)
            x = functional.silu(self.map1(x))
            sides.append(self.map3(functional.silu(self.map2(x))))
        return (sides[0] + sides[1]) / 2

    def forward(self, lines: Lines, recent: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Value logits float[B], for the side to move, and policy logits float[B, A].

        `recent: int64[B, 2]` are the points of the last two stones, the newer first, -1 where they
        are not known. On a GPU the whole table is computed; on a CPU only the rows that occur.
        """
        rows = lines.rows
        batch, area, _ = rows.shape
        if rows.is_cuda:
            with torch.autocast("cuda", torch.bfloat16):
                table = self.table()
        else:
            known, rows = rows.unique(return_inverse=True)  # type: ignore[no-untyped-call]
            table = self.table(known)
        summed = functional.embedding_bag(rows.reshape(-1, 4), table.float(), mode="sum")
        features = summed.view(batch, area, self.features).clamp(0, CLAMP)
        first = self._first_layer(features, lines.kinds)
        policy = self._policy(features, functional.relu(first), lines)
        if recent is not None:
            policy = policy + self._near_recent(recent, math.isqrt(area))
        value: Tensor = self.value3(functional.relu(self.value2(functional.relu(first))))
        return value.squeeze(1), policy

    def _regions(self, features: Tensor) -> Tensor:
        """float[B, HIDDEN]: the sum over the regions of what each one's pooled features say."""
        n = math.isqrt(features.shape[1])
        place = torch.arange(n, device=features.device)
        at = (place >= n // 3).long() + (place >= n - n // 3).long()
        region = (at[:, None] * REGION_ROWS + at).view(-1)
        of_point = functional.one_hot(region, REGIONS).to(features.dtype)
        pooled = of_point.T @ features * (POOL_SCALE * REGIONS / n**2)
        middle = torch.arange(REGION_ROWS, device=features.device) == REGION_ROWS // 2
        kinds = (middle[:, None].long() + middle.long()).view(-1)
        return functional.relu(self.region(pooled) + self.region_bias[kinds]).sum(1)

    def _near_recent(self, recent: Tensor, n: int) -> Tensor:
        """float[B, A]: what the recent stones add to the policy logits of points near them."""
        at = torch.arange(n * n, device=recent.device)
        rows = (at // n - recent[:, :, None] // n).abs().clamp(max=DISTANCES - 1)
        columns = (at % n - recent[:, :, None] % n).abs().clamp(max=DISTANCES - 1)
        place = torch.arange(RECENT, device=recent.device)[None, :, None]
        at = torch.minimum(rows, columns) * DISTANCES + torch.maximum(rows, columns)
        near = _look_up(self.policy_recent, place * DISTANCES**2 + at)
        return (near * (recent >= 0)[:, :, None]).sum(1)

    def _first_layer(self, features: Tensor, kinds: Tensor) -> Tensor:
        """float[B, HIDDEN]: the first layer of the value head, before its ReLU."""
        hidden: Tensor = self.value1(features.mean(1) * POOL_SCALE)
        hidden = hidden + self._regions(features) @ self.value_regions.T
        counted = MAKES_THREE + torch.arange(THREAT_KINDS, device=kinds.device)
        counts = (kinds[..., None] == counted).sum(2).clamp(max=THREAT_LEVELS - 1)
        counts = counts.transpose(0, 1).flatten(1)
        rows = counts + THREAT_LEVELS * torch.arange(2 * THREAT_KINDS, device=kinds.device)
        return hidden + functional.embedding_bag(rows, self.threats.flatten(0, 2), mode="sum")

    def _policy(self, features: Tensor, context: Tensor, lines: Lines) -> Tensor:
        weights = self.policy_features + context @ self.policy_context.T
        logits = (features @ weights[:, :, None]).squeeze(2)
        logits = logits + _look_up(self.policy_kinds, lines.kinds[0] * KINDS + lines.kinds[1])
        return logits.masked_fill(~lines.empty, -1e9)

    def to_arrays(self) -> dict[str, NDArray[np.float32]]:
        """All weights by name, as `gomoku.engine.table_network` describes them."""
        return {
            name.replace(".", "_"): value.detach().float().cpu().numpy()
            for name, value in self.named_parameters()
        }
