"""Finished games of zero's self-play: as positions in a replay buffer, and kept for game files."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .gomoku_games import PADDING, POLICY_SLOTS, GameShard, write_games
from .replay import UNFILLED
from .symmetry import tables

SHARD_POSITIONS = 600_000
"""Positions with policies in one file, about 14 MB compressed."""
BARE_SHARD_POSITIONS = 3_000_000
"""Positions without policies in one file."""
LEAST_WEIGHT = 1 / 512
"""Moves of less weight are left out of stored policies, which then compress well."""


def boards_at(order: Tensor, ply: Tensor) -> tuple[Tensor, Tensor]:
    """Positions of games: `int8[B, A]` as the side to move sees them, and last moves `int64[B]`.

    `order: int16[B, A]` has the ply that filled each point, from 0, or UNFILLED; `ply: int64[B]`
    is how many stones the position has. The last move of an empty board is A.
    """
    ply = ply.short().unsqueeze(1)
    filled = order < ply
    own = filled & ((order ^ ply) & 1 == 0)
    board = own.to(torch.int8) - (filled & ~own).to(torch.int8)
    newest = (order == ply - 1).int().argmax(1)
    return board, torch.where(ply.squeeze(1) > 0, newest, order.shape[1])


class EndedGames(NamedTuple):
    """K games that ended, with what their searches found; T = A + 1 plies."""

    order: Tensor
    """int16[K, A]: see `boards_at`."""
    begin: Tensor
    """int64[K]: the stones of the random opening."""
    length: Tensor
    """int64[K]: all stones."""
    labelled: Tensor
    """int64[K]: the positions with a target have fewer stones than this. It is one more than
    `length` where the last position is proven and not played on."""
    result: Tensor
    """float[K]: 1 black won, 0 draw, -1 white won."""
    policy: Tensor
    """half[K, T, A]: the improved policy by ply."""
    value: Tensor
    """half[K, T]: the root value by ply, for the side to move."""
    full: Tensor
    """bool[K, T]: whether the policy is that of a full search, fit to learn from."""


class PositionSample(NamedTuple):
    """B positions with their targets."""

    board: Tensor
    """int8[B, A], as the side to move sees it."""
    last: Tensor
    """int64[B]"""
    policy: Tensor
    """float[B, A]"""
    full: Tensor
    """bool[B]: whether to learn from the policy."""
    value: Tensor
    """float[B]: the target, for the side to move."""


class PositionBuffer:
    """A replay buffer of positions on the learner's device; the newest replace the oldest."""

    def __init__(self, capacity: int, size: int, device: torch.device) -> None:
        self.capacity, self.device = capacity, device
        self.added = 0
        """How many positions were ever added."""
        area = size * size
        self.columns = {
            "board": torch.zeros((capacity, area), dtype=torch.int8, device=device),
            "last": torch.zeros(capacity, dtype=torch.int16, device=device),
            "policy": torch.zeros((capacity, area), dtype=torch.half, device=device),
            "full": torch.zeros(capacity, dtype=torch.bool, device=device),
            "value": torch.zeros(capacity, dtype=torch.half, device=device),
        }
        self.sources, targets = tables(size, device)
        none = torch.full((8, 1), area, device=device)
        self.targets = torch.cat([targets, none], 1)

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, games: EndedGames, root_value_share: float) -> None:
        """Add all labelled positions of games that ended.

        The value target mixes the game's result with the root value of the search.
        """
        plies = torch.arange(games.value.shape[1], device=self.device)
        chosen = (plies >= games.begin.unsqueeze(1)) & (plies < games.labelled.unsqueeze(1))
        game, ply = (found[-self.capacity :] for found in chosen.nonzero(as_tuple=True))
        board, last = boards_at(games.order[game], ply)
        result = games.result[game] * (1 - 2 * (ply & 1))
        value = games.value[game, ply]
        new = {
            "board": board,
            "last": last.short(),
            "policy": games.policy[game, ply],
            "full": games.full[game, ply],
            "value": torch.lerp(result, value.float(), root_value_share).half(),
        }
        at = (torch.arange(len(game), device=self.device) + self.added) % self.capacity
        for name, column in self.columns.items():
            column[at] = new[name]
        self.added += len(game)

    def sample(self, batch: int, generator: torch.Generator) -> PositionSample:
        """Sample uniformly, each position under a random symmetry of its own."""
        index = torch.randint(len(self), (batch,), generator=generator, device=self.device)
        turn = torch.randint(8, (batch,), generator=generator, device=self.device)
        taken = {name: column[index] for name, column in self.columns.items()}
        sources = self.sources[turn]
        return PositionSample(
            board=taken["board"].gather(1, sources),
            last=self.targets[turn, taken["last"].long()],
            policy=taken["policy"].gather(1, sources).float(),
            full=taken["full"],
            value=taken["value"].float(),
        )

    def state(self) -> dict[str, Any]:
        """All that `restore` needs, on the CPU."""
        filled = len(self)
        columns = {name: c[:filled].cpu().clone() for name, c in self.columns.items()}
        return {"added": self.added, **columns}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the contents that `state` gave."""
        self.added = state["added"]
        for name, column in self.columns.items():
            column[: len(self)] = state[name].to(self.device)


@dataclass
class GameArchive:
    """The newest games, up to `capacity` positions, on the host, to be written as game shards."""

    size: int
    rule: str
    capacity: int
    games: dict[str, NDArray[Any]] = field(init=False)
    """Of each game: moves uint8[G, A], lengths, first, results. In turn, of all positions in which
    a move was chosen: values, policy_cells, policy_weights."""
    pending: list[dict[str, NDArray[Any]]] = field(default_factory=list)
    """Games that are not in `games` yet."""

    def __post_init__(self) -> None:
        self.games = {
            "moves": np.zeros((0, self.size**2), np.uint8),
            "lengths": np.zeros(0, np.int16),
            "first": np.zeros(0, np.int16),
            "results": np.zeros(0, np.int8),
            "values": np.zeros(0, np.float16),
            "policy_cells": np.zeros((0, POLICY_SLOTS), np.uint8),
            "policy_weights": np.zeros((0, POLICY_SLOTS), np.float16),
        }

    def add(self, ended: EndedGames) -> None:
        """Keep games that ended."""
        plies = torch.arange(ended.value.shape[1], device=ended.order.device)
        chosen = (plies >= ended.begin.unsqueeze(1)) & (plies < ended.length.unsqueeze(1))
        game, ply = chosen.nonzero(as_tuple=True)
        weights, cells = ended.policy[game, ply].topk(POLICY_SLOTS, 1)
        named = weights >= LEAST_WEIGHT
        order = ended.order
        moves = torch.where(order.sort(1).values == UNFILLED, PADDING, order.argsort(1))
        new = {
            "moves": moves,
            "lengths": ended.length,
            "first": ended.begin,
            "results": ended.result,
            "values": ended.value[game, ply].clamp(-1, 1),
            "policy_cells": torch.where(named, cells, 0),
            "policy_weights": torch.where(named, weights, 0),
        }
        self.pending.append(
            {k: v.cpu().numpy().astype(self.games[k].dtype) for k, v in new.items()}
        )
        if len(self.pending) >= 100:
            self._merge()

    def _merge(self) -> None:
        """Join what is pending, and drop the oldest games beyond the capacity."""
        parts = [self.games, *self.pending]
        joined = {name: np.concatenate([part[name] for part in parts]) for name in self.games}
        self.pending.clear()
        kept = _newest(joined, self.capacity)
        self.games = _slice(joined, len(joined["lengths"]) - kept, len(joined["lengths"]))

    def write(self, path: Path, policies: int) -> list[Path]:
        """Write shards `NAME-0.npz`, `NAME-1.npz`, …, the newest games first.

        Only the newest games, up to `policies` positions, keep their policies.
        """
        self._merge()
        end = len(self.games["lengths"])
        written: list[Path] = []
        bare_from = end - _newest(self.games, policies)
        while end > 0:
            with_policies = end > bare_from
            most = SHARD_POSITIONS if with_policies else BARE_SHARD_POSITIONS
            begin = end - max(1, _newest(_slice(self.games, 0, end), most))
            if with_policies:
                begin = max(begin, bare_from)
            shard = self._shard(_slice(self.games, begin, end), with_policies)
            written.append(path.with_name(f"{path.stem}-{len(written)}.npz"))
            write_games(written[-1], shard)
            end = begin
        return written

    def _shard(self, games: dict[str, NDArray[Any]], with_policies: bool) -> GameShard:
        count, length = len(games["lengths"]), int(games["lengths"].max(initial=0))
        plies = np.arange(length)
        chosen = (plies >= games["first"][:, None]) & (plies < games["lengths"][:, None])
        values = np.full((count, length), np.nan, np.float16)
        values[chosen] = games["values"]
        shard = {k: games[k] for k in ("lengths", "first", "results")}
        shard |= {"moves": games["moves"][:, :length], "values": values}
        if with_policies:
            for name in ("policy_cells", "policy_weights"):
                shard[name] = np.zeros((count, length, POLICY_SLOTS), games[name].dtype)
                shard[name][chosen] = games[name]
        return GameShard(self.size, self.rule, **shard)

    def state(self) -> dict[str, Tensor]:
        """All that `restore` needs."""
        self._merge()
        return {name: torch.from_numpy(array) for name, array in self.games.items()}

    def restore(self, state: dict[str, Tensor]) -> None:
        """Take over the games that `state` gave."""
        self.pending.clear()
        self.games = {name: array.numpy() for name, array in state.items()}


def _newest(games: dict[str, NDArray[Any]], positions: int) -> int:
    """How many of the newest games have `positions` chosen moves at most together."""
    counts = (games["lengths"] - games["first"])[::-1].astype(np.int64).cumsum()
    return int(np.searchsorted(counts, positions, side="right"))


def _slice(games: dict[str, NDArray[Any]], begin: int, end: int) -> dict[str, NDArray[Any]]:
    """The games `begin` to `end` with their positions."""
    at = np.concatenate([[0], (games["lengths"] - games["first"]).astype(np.int64).cumsum()])
    by_position = {"values", "policy_cells", "policy_weights"}
    return {
        name: array[at[begin] : at[end]] if name in by_position else array[begin:end]
        for name, array in games.items()
    }
