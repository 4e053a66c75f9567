"""Supervised training of the table network: value and policy of Gomoku positions from games.

Needs only torch and NumPy, so that it also runs on a bare GPU machine:
`PYTHONPATH=src python -m trireme.training.gomoku_table --games games.npz --out run`.

Only *quiet* positions are learnt, those in which the engine asks for a static evaluation: the side
to move has no five and no open four at hand, and no five of the other side to stop. Positions are
not turned or mirrored, nor colours exchanged, for variety: the model is symmetric by itself.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from trireme.core.errors import BadSettings

from .gomoku_games import POLICY_SLOTS, GameShard, join_games, read_games
from .log import Log
from .run import (
    RunTimer,
    TrainingRun,
    cosine_schedule,
    describe,
    set_learning_rate,
    share_over,
    stoppable,
    write_json,
)
from .settings import GomokuTable
from .standalone import train
from .table_model import LineReader, Lines, TableModel
from .table_reference import PatternEvaluation, reference_losses, typical_size
from .table_teacher import TaughtPositions, Teacher

READ_AT_ONCE = 8_192
"""Positions that are looked at together when positions are chosen or evaluated."""
LEAST_POINTS, MOST_POINTS = 50.0, 5000.0
"""Bounds of `points_per_logit`, for networks that hardly learnt."""


class TablePositions(NamedTuple):
    """Positions as the loss takes them, from the side to move; A points."""

    stones: Tensor
    """int32[B, n, n]: 0 empty, 1 own, 2 the other's."""
    outcome: Tensor
    """float[B]: 1 won, 0 drawn, -1 lost."""
    target: Tensor
    """float[B]: the outcome mixed with the root value, where one is known."""
    cells: Tensor
    """int64[B, 8]: points of the target policy."""
    weights: Tensor
    """float[B, 8]: their probabilities."""
    recent: Tensor
    """int64[B, 2]: the points of the last two stones, the newer first, or -1."""


class TableGames:
    """The games on the training device, and their quiet positions, split by game."""

    def __init__(self, shard: GameShard, config: GomokuTable, device: torch.device) -> None:
        self.size, self.rule, self.device = shard.size, shard.rule, device
        self.outcome_share = config.outcome_share
        self.reader = LineReader(shard.rule == "standard").to(device)
        self.moves = torch.from_numpy(shard.moves).to(device)
        self.results = torch.from_numpy(shard.results).to(device).float()
        self.values = torch.from_numpy(shard.values).to(device)
        self.policy_cells = _on(device, shard.policy_cells)
        self.policy_weights = _on(device, shard.policy_weights)
        game, ply = shard.positions()
        self.game = torch.from_numpy(game).to(device)
        self.ply = torch.from_numpy(ply).to(device).long()
        checksums = game_checksums(shard)
        self.checksum = zlib.crc32(np.sort(checksums).tobytes())
        kept = torch.from_numpy(checksums % 10_000 < round(config.held_out * 10_000)).to(device)
        quiet = self._quiet()
        self.held_out = torch.nonzero(quiet & kept[self.game]).squeeze(1)
        self.training = torch.nonzero(quiet & ~kept[self.game]).squeeze(1)
        if not len(self.held_out) or not len(self.training):
            raise BadSettings(
                f"too few games: {len(self.training)} quiet positions to learn from, "
                f"{len(self.held_out)} held out"
            )

    def _quiet(self) -> Tensor:
        """bool[N]: whether each position is one that the engine evaluates statically."""
        found = []
        for start in range(0, len(self.game), READ_AT_ONCE):
            index = torch.arange(
                start, min(start + READ_AT_ONCE, len(self.game)), device=self.device
            )
            found.append(self.reader.quiet(self.stones(index)))
        return torch.cat(found) if found else torch.zeros(0, dtype=torch.bool, device=self.device)

    def stones(self, index: Tensor) -> Tensor:
        """int32[B, n, n]: the boards of positions, from the side to move."""
        moves, ply = self.moves[self.game[index]].long(), self.ply[index, None]
        at = torch.arange(moves.shape[1], device=self.device)
        area = self.size**2
        cells = torch.where(at < ply, moves, area)  # stones to come fall beside the board
        colours = (1 + (ply - at) % 2).int()  # the side to move made every second move before it
        board = torch.zeros(len(index), area + 1, dtype=torch.int32, device=self.device)
        return board.scatter_(1, cells, colours)[:, :area].reshape(-1, self.size, self.size)

    def batch(self, index: Tensor) -> TablePositions:
        """The positions `index: int64[B]` of all."""
        game, ply = self.game[index], self.ply[index]
        outcome = self.results[game] * (1 - 2 * (ply % 2))
        value = self.values[game, ply].float()
        mixed = self.outcome_share * outcome + (1 - self.outcome_share) * value
        cells = self.moves[game, ply].long()[:, None].expand(-1, POLICY_SLOTS)
        weights = torch.zeros(len(index), POLICY_SLOTS, device=self.device)
        weights[:, 0] = 1.0
        if self.policy_cells is not None and self.policy_weights is not None:
            stored = self.policy_weights[game, ply].float()
            known = stored.sum(1, keepdim=True) > 0
            cells = torch.where(known, self.policy_cells[game, ply].long(), cells)
            weights = torch.where(known, stored / stored.sum(1, keepdim=True), weights)
        target = torch.where(torch.isnan(value), outcome, mixed)
        stones, recent = self.stones(index), self.recent(index)
        return TablePositions(stones, outcome, target, cells, weights, recent)

    def recent(self, index: Tensor) -> Tensor:
        """int64[B, 2]: the points of the last two stones of positions, the newer first, or -1."""
        back = self.ply[index, None] - torch.tensor([1, 2], device=self.device)
        recent = self.moves[self.game[index, None], back.clamp(min=0)].long()
        return torch.where(back >= 0, recent, -1)

    def taught(self, teacher: Teacher, count: int, seed: int) -> TaughtPositions:
        """`count` positions beside those that are learnt, with the teacher's targets."""
        generator = torch.Generator(self.device).manual_seed(seed)
        parts: list[TaughtPositions] = []
        found = 0
        while found < count:
            many = (teacher.at_once,)
            drawn = torch.randint(len(self.training), many, generator=generator, device=self.device)
            index = self.training[drawn]
            part = teacher.positions_beside(self.stones(index), self.recent(index), generator)
            if not len(part.value):
                raise BadSettings("the teacher's moves lead to no position without threats")
            parts.append(part)
            found += len(part.value)
        return TaughtPositions(*(torch.cat(column)[:count] for column in zip(*parts, strict=True)))


def game_checksums(shard: GameShard) -> NDArray[np.int64]:
    """int64[G]: a checksum of each game's moves, so that equal games are on one side of a split."""
    rows = zip(shard.moves, shard.lengths, strict=True)
    return np.array([zlib.crc32(moves[:length].tobytes()) for moves, length in rows], np.int64)


def _on(device: torch.device, array: NDArray[Any] | None) -> Tensor | None:
    return None if array is None else torch.from_numpy(array).to(device)


def mixed(some: TablePositions, more: TaughtPositions, index: Tensor) -> TablePositions:
    """The positions of `some`, and those of `more` at `index: int64[B]`."""
    value = more.value[index]
    taught = TablePositions(
        more.stones[index].int().view(-1, *some.stones.shape[1:]),
        value,
        value,
        more.cells[index].long(),
        more.weights[index],
        more.recent[index].long(),
    )
    return TablePositions(*(torch.cat(pair) for pair in zip(some, taught, strict=True)))


def losses(
    model: TableModel, lines: Lines, positions: TablePositions
) -> tuple[Tensor, Tensor, Tensor]:
    """Value loss, policy loss (means over the positions), and the value logits float[B]."""
    value, policy = model(lines, positions.recent)
    wanted = (positions.target + 1) / 2
    value_loss = functional.binary_cross_entropy_with_logits(value, wanted)
    chosen = functional.log_softmax(policy, 1).gather(1, positions.cells)
    policy_loss = -(positions.weights * chosen.clamp(min=-30)).sum(1).mean()
    return value_loss, policy_loss, value


class TableTraining(TrainingRun[GomokuTable]):
    """The training run of the table network."""

    def __init__(self, config: GomokuTable, folder: Path, games: Sequence[Path]) -> None:
        super().__init__(config, folder)
        self.games = TableGames(read_all(games), config, self.device)
        self.taught: TaughtPositions | None = None
        """Positions beside the games, where there is a teacher."""
        if config.teacher:
            teacher = Teacher(Path(config.teacher), self.games.reader, self.device)
            self.taught = self.games.taught(teacher, config.taught_positions, config.seed)
        torch.manual_seed(config.seed)
        self.model = TableModel(config.features, config.width).to(self.device)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(),
            lr=config.learning_rate,
            weight_decay=config.weight_decay,
            fused=self.device.type == "cuda",
        )
        self.generator = torch.Generator().manual_seed(config.seed)
        self.losses = torch.zeros(2, device=self.device)
        """The sums of value and policy loss since the last row of the log."""
        self.step = 0
        self.reference = self._reference()
        """The held-out value losses of a constant and of the pattern evaluation."""

    def run(self, *, live: bool = True) -> None:
        config, timer = self.config, RunTimer(self.config.minutes)
        log = Log(self.folder, resume_at=self.step if self.step else None, live=live)
        with stoppable(timer), log:
            while self.step < config.steps and self._share(timer) < 1 and not timer.over:
                self.advance(self._share(timer))
                self._log(log, timer)
                if self.step % config.checkpoint_every == 0:
                    self.checkpoint(timer)
        self.checkpoint(timer)
        self.seconds += timer.seconds
        self.save()

    def _share(self, timer: RunTimer) -> float:
        """The share of the whole run that is over: of its minutes, or else of its steps."""
        seconds = self.seconds + timer.seconds
        return share_over(self.step, self.config.steps, seconds, self.config.schedule_minutes)

    def advance(self, share: float) -> None:
        """One gradient update, when `share` of the run is over."""
        config, games = self.config, self.games
        rate = cosine_schedule(config.learning_rate, config.learning_rate_end, share)
        rate *= min(1.0, (self.step + 1) / max(1, config.warm_up))
        set_learning_rate(self.optimizer, rate)
        taught = round(config.taught_share * config.batch_size) if self.taught else 0
        positions = games.batch(
            games.training[self._draw(games.training, config.batch_size - taught)]
        )
        if self.taught and taught:
            positions = mixed(positions, self.taught, self._draw(self.taught.value, taught))
        value_loss, policy_loss, _ = losses(self.model, games.reader(positions.stones), positions)
        self.optimizer.zero_grad(set_to_none=True)
        (value_loss + config.policy_weight * policy_loss).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), config.clip)
        self.optimizer.step()
        self.losses += torch.stack([value_loss, policy_loss]).detach()
        self.step += 1

    def _draw(self, among: Tensor, count: int) -> Tensor:
        """int64[count]: random places in `among`."""
        return torch.randint(len(among), (count,), generator=self.generator).to(self.device)

    def _log(self, log: Log, timer: RunTimer) -> None:
        config = self.config
        row: dict[str, float] = {}
        if self.step % config.log_every == 0:
            value_loss, policy_loss = (self.losses / config.log_every).tolist()
            self.losses.zero_()
            row = {
                "train_value_loss": value_loss,
                "train_policy_loss": policy_loss,
                "steps_per_s": self.step / (self.seconds + timer.seconds),
            }
        last = self.step == config.steps
        if config.evaluate_every and (self.step % config.evaluate_every == 0 or last):
            row |= self.evaluate()
        if row:
            log.write({"step": self.step, "seconds": self.seconds + timer.seconds, **row})

    def _evaluated(self) -> Iterator[tuple[TablePositions, Lines]]:
        """The held-out positions of an evaluation, spread evenly over all, in parts."""
        held_out = self.games.held_out
        stride = -(-len(held_out) // self.config.evaluate_positions)
        for part in torch.split(held_out[::stride], READ_AT_ONCE):
            positions = self.games.batch(part)
            yield positions, self.games.reader(positions.stones)

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Losses on held-out games, and how often the value has the sign of the outcome."""
        sums, count, right, decided = np.zeros(2), 0, 0, 0
        for positions, lines in self._evaluated():
            value_loss, policy_loss, value = losses(self.model, lines, positions)
            sums += np.array([value_loss.item(), policy_loss.item()]) * len(value)
            count += len(value)
            right += int((value * positions.outcome > 0).sum())
            decided += int((positions.outcome != 0).sum())
        value_mean, policy_mean = (sums / count).tolist()
        return {
            "value_loss": value_mean,
            "policy_loss": policy_mean,
            "sign_accuracy": right / max(decided, 1),
            **self.reference,
        }

    def _reference(self) -> dict[str, float]:
        wanted = [(positions.target + 1) / 2 for positions, _ in self._evaluated()]
        return reference_losses(self._pattern_values(), torch.cat(wanted).double().cpu().numpy())

    def _pattern_values(self) -> NDArray[np.float64]:
        """float64[N]: the pattern evaluation of the held-out positions."""
        evaluation = PatternEvaluation().to(self.device)
        found = [evaluation(lines) for _, lines in self._evaluated()]
        return torch.cat(found).double().cpu().numpy()

    @torch.no_grad()
    def points_per_logit(self) -> float:
        """How many pattern points are as far from typical as one unit of the network's logit.

        With it, margins in pattern points mean about the same for both evaluations.
        """
        logits = torch.cat([self.model(lines)[0] for _, lines in self._evaluated()])
        ours = typical_size(logits.double().cpu().numpy())
        points = typical_size(self._pattern_values()) / max(ours, 1e-9)
        return min(max(points, LEAST_POINTS), MOST_POINTS)

    def state(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "games": self.games.checksum,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "generator": self.generator.get_state(),
            "losses": self.losses,
        }

    def restore(self, state: dict[str, Any]) -> None:
        if state["games"] != self.games.checksum:
            raise BadSettings("the checkpoint was made with other games")
        self.step = state["step"]
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["generator"])
        self.losses.copy_(state["losses"])

    def save(self) -> None:
        """Write `network.npz`, which the engine loads, and its metadata."""
        self.folder.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = {**self.model.to_arrays()}
        arrays["points_per_logit"] = np.array(self.points_per_logit(), np.float32)
        path = self.folder / "network.npz"
        np.savez_compressed(path, **arrays, rule=np.array(self.games.rule))
        facts = describe(
            self.config,
            kind="gomoku-table",
            rule=self.games.rule,
            board_size=self.games.size,
            seed=self.config.seed,
            steps=self.step,
            games=len(self.games.results),
            positions=len(self.games.training),
            held_out_positions=len(self.games.held_out),
            seconds=round(self.seconds, 1),
            evaluation=self.evaluate(),
        )
        write_json(self.folder / "metadata.json", facts)


def read_all(paths: Sequence[Path]) -> GameShard:
    """The games of all files: shards or JSON lines."""
    if not paths:
        raise BadSettings("no files of games were named: --games FILE, once for each file")
    return join_games([read_games(path) for path in paths])


def main(arguments: Sequence[str] | None = None) -> None:
    """Train as the command line says, without the packages that `trireme` needs."""
    parser = argparse.ArgumentParser(description=GomokuTable.__doc__)
    parser.add_argument("--games", type=Path, nargs="+", required=True, help="files of games")
    train(
        GomokuTable,
        lambda config, given: TableTraining(config, given.out, given.games),
        arguments,
        parser,
    )


if __name__ == "__main__":
    main()
