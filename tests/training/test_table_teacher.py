"""Knowledge distillation of the table network: positions beside the games, and their targets."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from trireme.core.errors import BadSettings
from trireme.training.gomoku_games import write_games
from trireme.training.gomoku_table import TableGames, TableTraining, mixed
from trireme.training.table_teacher import Teacher
from trireme.training.zero_network import ZeroNetwork, save

from .test_table import CPU, SIZE, one_game, some_games
from .tiny import tiny_table

AREA = SIZE * SIZE


@pytest.fixture
def teacher_file(tmp_path: Path) -> Path:
    torch.manual_seed(5)
    save(ZeroNetwork(1, 4), tmp_path / "teacher.pt")
    return tmp_path / "teacher.pt"


def teacher_of(games: TableGames, path: Path) -> Teacher:
    return Teacher(path, games.reader, CPU)


def favours(teacher: Teacher, *cells: int) -> None:
    """Make the teacher surely choose the first of `cells` that is empty."""

    def judge(stones: torch.Tensor, last: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits = torch.full((len(stones), AREA), -1e6)
        for rank, cell in enumerate(cells):
            logits[:, cell] = -1000.0 * rank
        logits[stones.flatten(1) > 0] = -1e9
        return logits, torch.full((len(stones),), 0.25)

    teacher.judge = judge  # type: ignore[method-assign]


def test_one_or_two_moves_are_made_and_seen_from_the_side_that_is_then_to_move(
    teacher_file: Path,
) -> None:
    games = one_game([40, 41, 42, 43])
    teacher = teacher_of(games, teacher_file)
    favours(teacher, 10, 70)
    index = torch.full((40,), 2)  # black to move, own 40, white's 41
    found = teacher.positions_beside(
        games.stones(index), games.recent(index), torch.Generator().manual_seed(1)
    )
    seen = {
        tuple((i, int(v)) for i, v in enumerate(board) if v): tuple(recent.tolist())
        for board, recent in zip(found.stones, found.recent, strict=True)
    }
    assert seen == {
        ((10, 2), (40, 2), (41, 1)): (10, 41),
        ((10, 1), (40, 1), (41, 2), (70, 2)): (70, 10),
    }
    assert found.value.tolist() == [0.25] * 40
    assert found.weights.sum(1).tolist() == pytest.approx([1.0] * 40)
    after_one = found.recent[:, 0] == 10
    assert set(found.cells[after_one, 0].tolist()) == {70}


def test_no_move_follows_a_five_and_what_is_not_quiet_is_left_out(teacher_file: Path) -> None:
    # black has an open three; a fourth stone makes a position that white must answer at once
    games = one_game([38, 0, 39, 2, 40, 4])
    teacher = teacher_of(games, teacher_file)
    favours(teacher, 41)
    index = torch.full((20,), 6 - 1)  # white to move: it stops the three itself, at 41
    kept = teacher.positions_beside(
        games.stones(index), games.recent(index), torch.Generator().manual_seed(1)
    )
    assert len(kept.value) > 0
    games.ply[5] = 6  # the same stones and black to move: 41 makes an open four
    gone = teacher.positions_beside(
        games.stones(index), games.recent(index), torch.Generator().manual_seed(1)
    )
    assert len(gone.value) == 0


def test_the_teacher_sees_own_stones_the_others_and_the_last_one(teacher_file: Path) -> None:
    games = one_game([40, 41, 42, 43])
    teacher = teacher_of(games, teacher_file)
    planes: list[torch.Tensor] = []
    network = teacher.network

    def look(found: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        planes.append(found)
        answer: tuple[torch.Tensor, torch.Tensor] = ZeroNetwork.forward(network, found)
        return answer

    network.forward = look  # type: ignore[method-assign]
    index = torch.tensor([3, 0])
    teacher.judge(games.stones(index), games.recent(index)[:, 0])
    on = [[set(torch.nonzero(p.flatten()).flatten().tolist()) for p in b] for b in planes[0]]
    assert on[0] == [{41}, {40, 42}, set(), {42}]
    assert on[1] == [set(), set(), set(range(AREA)), set()]


def test_a_batch_has_its_share_of_taught_positions(tmp_path: Path, teacher_file: Path) -> None:
    write_games(tmp_path / "games.npz", some_games())
    config = tiny_table(teacher=str(teacher_file), taught_positions=30, taught_share=0.25)
    training = TableTraining(config, tmp_path, [tmp_path / "games.npz"])
    assert training.taught is not None
    assert len(training.taught.value) == 30
    batch = mixed(
        training.games.batch(training.games.training[:3]), training.taught, torch.tensor([4, 9])
    )
    assert batch.target[3:].tolist() == training.taught.value[[4, 9]].tolist()
    assert batch.stones[3:].flatten(1).tolist() == training.taught.stones[[4, 9]].tolist()
    drawn: list[int] = []
    draw = training._draw
    training._draw = lambda among, count: drawn.append(count) or draw(among, count)  # type: ignore
    training.advance(0.0)
    assert drawn == [config.batch_size - config.batch_size // 4, config.batch_size // 4]


def test_resuming_with_a_teacher_equals_not_having_stopped(
    tmp_path: Path, teacher_file: Path
) -> None:
    write_games(tmp_path / "games.npz", some_games())
    games = [tmp_path / "games.npz"]
    config = tiny_table(teacher=str(teacher_file), taught_positions=20)
    whole = TableTraining(config, tmp_path / "whole", games)
    whole.run(live=False)
    half = TableTraining(config, tmp_path / "half", games)
    for _ in range(5):
        half.advance(half.step / 8)
    half.checkpoint()
    rest = TableTraining(config, tmp_path / "half", games)
    rest.resume(tmp_path / "half" / "checkpoint.pt")
    rest.run(live=False)
    theirs = whole.model.state_dict()
    assert all(torch.equal(value, theirs[name]) for name, value in rest.model.state_dict().items())


def test_a_teacher_whose_moves_lead_nowhere_does_not_run_for_ever(teacher_file: Path) -> None:
    games = one_game([38, 0, 39, 2, 40, 4])
    games.training, games.ply[5] = torch.tensor([5]), 6  # black to move, who makes an open four
    teacher = teacher_of(games, teacher_file)
    favours(teacher, 41)
    with pytest.raises(BadSettings, match="no position without threats"):
        games.taught(teacher, 10, seed=1)


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "can't read the teacher"), (b"nonsense", "holds no gomoku-zero network")],
)
def test_a_teacher_that_is_none_is_refused(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "teacher.pt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadSettings, match=message):
        Teacher(path, one_game([40]).reader, CPU)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"taught_share": 1.0}, "taught_share must be from 0 to below 1, not 1"),
        ({"taught_positions": 0}, "taught_positions must be at least 1"),
    ],
)
def test_shares_out_of_range_are_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(BadSettings, match=message):
        tiny_table(**changes)
