"""Game shards: what is written is read, garbage is refused, and games expand to positions."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trireme.core.errors import TriremeError
from trireme.training.gomoku_games import (
    GameShard,
    PlayedGame,
    join_games,
    pack_games,
    parse_games,
    read_games,
    write_games,
)

NAN = float("nan")


def two_games() -> GameShard:
    return pack_games(
        [
            PlayedGame([40, 41, 31, 50, 22], 1, first=2, values=[NAN, NAN, 0.5, -0.5, 1.0]),
            PlayedGame([0, 80, 1], 0),
        ],
        size=9,
    )


def with_policy(shard: GameShard) -> GameShard:
    shape = (*shard.moves.shape, 8)
    cells, weights = np.zeros(shape, np.uint8), np.zeros(shape, np.float16)
    cells[0, 2, :2], weights[0, 2, :2] = (31, 32), (0.75, 0.25)
    return dataclasses.replace(shard, policy_cells=cells, policy_weights=weights)


def same(a: GameShard, b: GameShard) -> bool:
    ours, theirs = dataclasses.asdict(a), dataclasses.asdict(b)
    return all(
        np.array_equal(ours[k], theirs[k], equal_nan=k == "values")
        if isinstance(ours[k], np.ndarray)
        else ours[k] == theirs[k]
        for k in ours
    )


def test_what_is_written_is_read(tmp_path: Path) -> None:
    for shard in (two_games(), with_policy(two_games())):
        write_games(tmp_path / "games.npz", shard)
        assert same(read_games(tmp_path / "games.npz"), shard)
    assert [path.name for path in tmp_path.iterdir()] == ["games.npz"]


def test_a_failed_write_keeps_the_file_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.npz"
    write_games(path, two_games())

    def fail(file: Any, **arrays: Any) -> None:
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(OSError, match="disk full"):
        write_games(path, with_policy(two_games()))
    assert same(read_games(path), two_games())
    assert [found.name for found in tmp_path.iterdir()] == ["games.npz"]


def test_positions_are_those_in_which_a_player_chose() -> None:
    shard = two_games()
    game, ply = shard.positions()
    assert list(zip(game.tolist(), ply.tolist(), strict=True)) == [
        (0, 2),
        (0, 3),
        (0, 4),
        (1, 0),
        (1, 1),
        (1, 2),
    ]
    boards = shard.boards(game, ply)
    assert boards.shape == (6, 81)
    assert {i: int(v) for i, v in enumerate(boards[2]) if v} == {40: 1, 41: -1, 31: 1, 50: -1}
    assert not boards[3].any()
    assert boards[5][0] == 1
    assert boards[5][80] == -1


def test_shards_are_joined_in_order_and_padded() -> None:
    long = pack_games([PlayedGame(range(7), -1)], size=9)
    joined = join_games([with_policy(two_games()), long])
    assert joined.moves.shape == (3, 7)
    assert joined.moves[0].tolist() == [40, 41, 31, 50, 22, 255, 255]
    assert joined.lengths.tolist() == [5, 3, 7]
    assert joined.results.tolist() == [1, 0, -1]
    assert np.isnan(joined.values[0, 5:].astype(float)).all()
    assert joined.policy_weights is not None
    assert joined.policy_weights[0, 2, :2].tolist() == [0.75, 0.25]
    assert not joined.policy_weights[2].any()
    assert join_games([two_games(), long]).policy_cells is None
    assert same(join_games([two_games()]), two_games())


def test_games_of_different_boards_or_rules_are_not_joined() -> None:
    for other in (pack_games([], size=10), pack_games([], size=9, rule="freestyle")):
        with pytest.raises(TriremeError, match="don't mix"):
            join_games([two_games(), other])
    with pytest.raises(TriremeError, match="no games"):
        join_games([])


def test_json_lines_hold_points_as_numbers_or_pairs(tmp_path: Path) -> None:
    first = {"moves": [40, 41, 31, 50, 22], "result": 1, "first": 2, "players": ["a", "b"]}
    first["values"] = [None, None, 0.5, -0.5, 1.0]
    second = {"moves": [[0, 0], [8, 8], [0, 1]], "result": 0}
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(first) + "\n\n" + json.dumps(second) + "\n")
    assert same(read_games(path, size=9), two_games())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 is not a game"),
        ("[1]", "expected keys and values"),
        ('{"moves": [1]}', "'result' is missing"),
        ('{"moves": [1.5], "result": 0}', "whole number, not 1.5"),
        ('{"moves": [true], "result": 0}', "whole number, not True"),
        ('{"moves": [[0, 15]], "result": 0}', "not on the board"),
        ('{"moves": [225], "result": 0}', "points of the board"),
        ('{"moves": [300], "result": 0}', "from 0 to 255"),
        ('{"moves": [-1], "result": 0}', "from 0 to 255"),
        ('{"moves": [3, 4, 3], "result": 0}', "all different"),
        ('{"moves": [3], "result": 2}', "1, 0 or -1"),
        ('{"moves": [3], "result": 0, "first": 2}', "within the game"),
        ('{"moves": [3], "result": 0, "values": [1.5]}', "from -1 to 1"),
        ('{"moves": [3], "result": 0, "values": [0, 0]}', "game 0 has more values than moves"),
    ],
)
def test_garbage_lines_are_refused(line: str, message: str) -> None:
    with pytest.raises(TriremeError, match=message):
        parse_games([line])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 4}, "size must be from 5 to 15, not 4"),
        ({"size": 16}, "not 16"),
        ({"rule": "renju"}, "rule must be standard or freestyle, not 'renju'"),
        ({"moves": np.zeros(3, np.uint8)}, r"moves must be uint8\(0, 0\), not uint8\(3,\)"),
        ({"moves": np.zeros((2, 5), np.int64)}, "not int64"),
        ({"lengths": np.array([5, 6], np.int16)}, "game 1: lengths must be from 0 to 5"),
        ({"lengths": np.array([4, 3], np.int16)}, "game 0: moves must be 255 after the end"),
        ({"lengths": np.array([5, 4], np.int16)}, "game 1: moves must be points of the board"),
        ({"first": np.array([0, -1], np.int16)}, "game 1: first"),
        ({"policy_cells": np.zeros((2, 5, 8), np.uint8)}, "come together"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(TriremeError, match=message):
        dataclasses.replace(two_games(), **change)


def test_policies_are_checked() -> None:
    good = with_policy(two_games())
    assert good.policy_weights is not None
    assert good.policy_cells is not None
    for wrong in (-0.5, NAN, float("inf")):
        weights = good.policy_weights.copy()
        weights[1, 0, 0] = wrong
        with pytest.raises(TriremeError, match="game 1: policy_weights"):
            dataclasses.replace(good, policy_weights=weights)
    cells = good.policy_cells.copy()
    cells[0, 2, 1] = 81
    with pytest.raises(TriremeError, match="game 0: policy_cells"):
        dataclasses.replace(good, policy_cells=cells)


def test_files_that_hold_no_games_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.npz"
    with pytest.raises(TriremeError, match="can't read games from"):
        read_games(path)
    path.write_bytes(b"no archive")
    with pytest.raises(TriremeError, match="holds no games"):
        read_games(path)
    np.savez(path, moves=np.zeros((1, 1), np.uint8))
    with pytest.raises(TriremeError, match="first, lengths, results, rule, size, values missing"):
        read_games(path)
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(TriremeError, match="holds no games"):
        read_games(path)
    write_games(path, two_games())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(TriremeError, match="holds no games"):
        read_games(path)
