"""Game shards: many Gomoku games in one `.npz` file, as training data; needs only NumPy.

| array | type and shape | contents |
|---|---|---|
| `size` | int | points along a side of the board, 5 to 15 |
| `rule` | str | `standard` (exactly five) or `freestyle` |
| `moves` | uint8[G, L] | `row * size + col` of every stone, 255 after the last one |
| `lengths` | int16[G] | stones of each game |
| `results` | int8[G] | 1 black won, 0 draw, -1 white won |
| `first` | int16[G] | index of the first move that a player chose; a random opening before it |
| `values` | float16[G, L] | root value before each move, for the side to move, in [-1, 1]; or NaN |
| `policy_cells` | uint8[G, L, 8] | optional: the points that a search preferred |
| `policy_weights` | float16[G, L, 8] | their shares of the visits; all 0 where none are known |
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trireme.core.errors import TriremeError

Array = NDArray[Any]

PADDING = 255
"""Stands in `moves` after the last stone."""
POLICY_SLOTS = 8
"""Points of a stored policy."""
MIN_SIZE, MAX_SIZE = 5, 15
RULES = ("standard", "freestyle")
TYPES: dict[str, Any] = {
    "moves": np.uint8,
    "lengths": np.int16,
    "results": np.int8,
    "first": np.int16,
    "values": np.float16,
    "policy_cells": np.uint8,
    "policy_weights": np.float16,
}
POLICY = ("policy_cells", "policy_weights")


@dataclass(frozen=True)
class GameShard:
    """Games of one board size and rule; the arrays are described at the top of this file.

    Making one checks the arrays and raises `TriremeError` where they do not fit together.
    """

    size: int
    rule: str
    moves: Array
    lengths: Array
    results: Array
    first: Array
    values: Array
    policy_cells: Array | None = None
    policy_weights: Array | None = None

    def __post_init__(self) -> None:
        _check_types(self)
        _check_games(self)
        _check_values(self)

    def __len__(self) -> int:
        return len(self.moves)

    def positions(self) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
        """The positions in which a player chose a move: `(game, ply)`, each of length N."""
        ply = np.arange(self.moves.shape[1])
        game, at = np.nonzero((ply >= self.first[:, None]) & (ply < self.lengths[:, None]))
        return game.astype(np.int32), at.astype(np.int16)

    def boards(self, game: Array, ply: Array) -> NDArray[np.int8]:
        """The boards before move `ply[i]` of `game[i]`, int8[N, size²]: 1 black, -1 white."""
        shown = np.arange(self.moves.shape[1]) < ply[:, None]
        board = np.zeros((len(game), self.size**2), np.int8)
        row, at = np.nonzero(shown)
        board[row, self.moves[game[row], at]] = 1 - 2 * (at % 2)
        return board


def write_games(path: Path, shard: GameShard) -> None:
    """Write a shard, compressed and atomically: a reader sees the old file or all of the new."""
    arrays = {name: getattr(shard, name) for name in TYPES if getattr(shard, name) is not None}
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            np.savez_compressed(file, size=shard.size, rule=shard.rule, **arrays)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def read_games(path: Path, *, size: int = MAX_SIZE) -> GameShard:
    """Read a shard, or games as JSON lines where the name ends in `.jsonl` (see `parse_games`).

    `size` is the board of JSON lines; a shard knows its own.
    """
    try:
        if path.suffix == ".jsonl":
            return parse_games(path.read_text(encoding="utf-8").splitlines(), size=size)
        with path.open("rb") as file, np.load(file) as found:
            return _from_arrays({name: found[name] for name in found.files})
    except OSError as error:
        raise TriremeError(f"can't read games from {str(path)!r}: {error}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, TypeError) as error:
        raise TriremeError(f"{str(path)!r} holds no games: {error}") from None


def parse_games(lines: Iterable[str], *, size: int = MAX_SIZE, rule: str = "standard") -> GameShard:
    """A shard of games that are written as JSON, one a line; empty lines are skipped.

    A line has `moves` (points as `row * size + col` or `[row, col]`), `result` (1 black won, 0, -1)
    and perhaps `first` and `values` (numbers or null), as the arrays of a shard have them.
    """
    games = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            games.append(_parse_game(json.loads(line), size))
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise TriremeError(f"line {number} is not a game: {what}") from None
    return pack_games(games, size=size, rule=rule)


@dataclass(frozen=True)
class PlayedGame:
    """One game, as `pack_games` takes it."""

    moves: Sequence[int]
    result: int
    first: int = 0
    values: Sequence[float] = ()
    """A root value for every move, NaN where unknown; or nothing."""


def pack_games(
    games: Sequence[PlayedGame], *, size: int = MAX_SIZE, rule: str = "standard"
) -> GameShard:
    """A shard of these games."""
    width = max((len(game.moves) for game in games), default=0)
    moves = np.full((len(games), width), PADDING, np.int64)
    values = np.full((len(games), width), np.nan, np.float16)
    for i, game in enumerate(games):
        if len(game.values) > len(game.moves):
            raise TriremeError(f"game {i} has more values than moves")
        moves[i, : len(game.moves)] = game.moves
        values[i, : len(game.values)] = game.values
    return GameShard(
        size,
        rule,
        _narrow(moves, "moves"),
        _narrow([len(game.moves) for game in games], "lengths"),
        _narrow([game.result for game in games], "results"),
        _narrow([game.first for game in games], "first"),
        values,
    )


def join_games(shards: Sequence[GameShard]) -> GameShard:
    """All games of several shards of one board size and rule, in order."""
    if not shards:
        raise TriremeError("no games to join")
    kinds = {(shard.size, shard.rule) for shard in shards}
    if len(kinds) > 1:
        raise TriremeError(f"games of different boards or rules don't mix: {sorted(kinds)}")
    if len(shards) == 1:
        return shards[0]
    width = max(shard.moves.shape[1] for shard in shards)
    policies = any(shard.policy_cells is not None for shard in shards)
    joined = {
        name: np.concatenate([_widened(shard, name, width) for shard in shards])
        for name in TYPES
        if policies or name not in POLICY
    }
    return GameShard(shards[0].size, shards[0].rule, **joined)


def _widened(shard: GameShard, name: str, width: int) -> Array:
    """An array of a shard, padded to `width` moves; an absent policy has weights 0."""
    array = getattr(shard, name)
    if array is None:
        return np.zeros((len(shard), width, POLICY_SLOTS), TYPES[name])
    if array.ndim == 1:
        return np.asarray(array)
    fill = {"moves": PADDING, "values": np.nan}.get(name, 0)
    missing = width - array.shape[1]
    pads = ((0, 0), (0, missing), (0, 0))[: array.ndim]
    return np.pad(array, pads, constant_values=fill)


def _parse_game(found: Any, size: int) -> PlayedGame:
    if not isinstance(found, Mapping):
        raise TypeError(f"expected keys and values, not {found!r:.60}")
    values = found.get("values") or ()
    return PlayedGame(
        moves=[_point(move, size) for move in found["moves"]],
        result=_integer(found["result"]),
        first=_integer(found.get("first", 0)),
        values=[np.nan if value is None else float(value) for value in values],
    )


def _point(move: Any, size: int) -> int:
    if isinstance(move, list) and len(move) == 2:
        row, col = map(_integer, move)
        if not (0 <= row < size and 0 <= col < size):
            raise ValueError(f"the point {move} is not on the board")
        return row * size + col
    return _integer(move)


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"expected a whole number, not {value!r:.60}")
    return value


def _narrow(numbers: Any, name: str) -> Array:
    """Numbers as the type that a shard keeps them in, which must hold them."""
    wide, type_ = np.asarray(numbers, np.int64), TYPES[name]
    limits = np.iinfo(type_)
    if wide.size and not (limits.min <= wide.min() and wide.max() <= limits.max):
        raise TriremeError(f"{name} must be from {limits.min} to {limits.max}")
    return wide.astype(type_)


def _from_arrays(found: Mapping[str, Array]) -> GameShard:
    wanted = {"size", "rule", *TYPES} - set(POLICY)
    if missing := sorted(wanted - found.keys()):
        raise TriremeError(f"{', '.join(missing)} missing")
    arrays = {name: found[name] for name in TYPES if name in found}
    return GameShard(int(found["size"]), str(found["rule"]), **arrays)


def _check_types(shard: GameShard) -> None:
    if not MIN_SIZE <= shard.size <= MAX_SIZE:
        raise TriremeError(f"size must be from {MIN_SIZE} to {MAX_SIZE}, not {shard.size}")
    if shard.rule not in RULES:
        raise TriremeError(f"rule must be {' or '.join(RULES)}, not {shard.rule!r:.40}")
    if (shard.policy_cells is None) != (shard.policy_weights is None):
        raise TriremeError("policy_cells and policy_weights come together")
    games, width = shard.moves.shape if shard.moves.ndim == 2 else (0, 0)
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("moves", "values"), (games, width))
    shapes |= dict.fromkeys(("lengths", "results", "first"), (games,))
    shapes |= dict.fromkeys(POLICY, (games, width, POLICY_SLOTS))
    for name, shape in shapes.items():
        array = getattr(shard, name)
        if array is not None and (array.shape != shape or array.dtype != TYPES[name]):
            wanted, found = f"{np.dtype(TYPES[name])}{shape}", f"{array.dtype}{array.shape}"
            raise TriremeError(f"{name} must be {wanted}, not {found}")


def _check_games(shard: GameShard) -> None:
    width = shard.moves.shape[1]
    ends = (shard.lengths < 0) | (shard.lengths > width)
    _refuse("lengths", ends, f"from 0 to {width}")
    _refuse("first", (shard.first < 0) | (shard.first > shard.lengths), "within the game")
    _refuse("results", np.abs(shard.results) > 1, "1, 0 or -1")
    inside = np.arange(width) < shard.lengths[:, None]
    on_board = shard.moves < shard.size**2
    _refuse("moves", (inside & ~on_board).any(1), "points of the board")
    _refuse("moves", (~inside & (shard.moves != PADDING)).any(1), f"{PADDING} after the end")
    ordered = np.sort(shard.moves, 1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != PADDING)
    _refuse("moves", twice.any(1), "all different in a game")


def _check_values(shard: GameShard) -> None:
    with np.errstate(invalid="ignore"):
        _refuse("values", (np.abs(shard.values) > 1).any(1), "from -1 to 1, or NaN")
    if shard.policy_cells is None or shard.policy_weights is None:
        return
    weights = shard.policy_weights
    _refuse(
        "policy_weights", ~(np.isfinite(weights) & (weights >= 0)).all((1, 2)), "finite, 0 or more"
    )
    outside = (weights > 0) & (shard.policy_cells >= shard.size**2)
    _refuse("policy_cells", outside.any((1, 2)), "points of the board")


def _refuse(name: str, wrong: Any, wanted: str) -> None:
    if wrong.any():
        raise TriremeError(f"game {int(np.argmax(wrong))}: {name} must be {wanted}")
