"""Gomoku from zero: self-play by Gumbel search in a batch of games, and training on the results.

The network learns from nothing but the rules (AlphaZero with the search of Gumbel MuZero). A step
searches every game and makes a move in it; games that ended become training positions, whose policy
target is the search's improved policy and whose value target mixes the result with the search's
value. Wins by fives, open fours and double fours are proven (`gomoku_threats.py`): games end there
with an exact result, so that the network learns position and not how to finish.

Only torch and NumPy are needed, see `standalone.py`.
"""

from __future__ import annotations

import math
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from trireme.core.errors import BadSettings, TrainingDiverged

from .log import Log
from .run import (
    RunTimer,
    TrainingRun,
    cosine_schedule,
    describe,
    save_checkpoint,
    set_learning_rate,
    share_over,
    stoppable,
    write_json,
)
from .settings import GomokuZero
from .zero_games import EndedGames, GameArchive, PositionBuffer, PositionSample
from .zero_network import ZeroNetwork, fold, load, packed, planes_of, save
from .zero_selfplay import SelfPlayExecutor, ZeroPlayer, ZeroSelfPlay, new_network

MEASURED_SECONDS = 1.0
"""How long the network evaluates for its speed in the metadata, whenever a run is saved."""


def losses(network: nn.Module, sample: PositionSample, size: int) -> tuple[Tensor, Tensor]:
    """The policy's cross-entropy and the value's mean squared error, of a sample."""
    logits, value = network(planes_of(sample.board, sample.last, size).float())
    entropy = -(sample.policy * logits.log_softmax(1)).sum(1)
    learnt = sample.full.float()
    policy_loss = (entropy * learnt).sum() / learnt.sum().clamp(min=1)
    return policy_loss, nn.functional.mse_loss(value, sample.value)


def _copy_weights(path: Path, network: ZeroNetwork) -> None:
    """Take the weights of a `network.pt` over."""
    if not path.is_file():
        raise BadSettings(f"there is no network {str(path)!r} to start from")
    found = load(path)
    shape, wanted = ((n.blocks, n.channels) for n in (found, network))
    if shape != wanted:
        raise BadSettings(f"{str(path)!r} has (blocks, channels) {shape}, not {wanted}")
    network.load_state_dict(found.state_dict())


def _without_places(config: GomokuZero) -> GomokuZero:
    """The settings with bare file names and no address: metadata ships with the weights."""
    start_from, games_file = Path(config.start_from).name, Path(config.games_file).name
    return replace(config, address="", start_from=start_from, games_file=games_file)


@dataclass
class _Speed:
    """The speed of self-play since the last row of the log."""

    evaluations: int = 0
    play_seconds: float = 0.0
    since: float = field(default_factory=time.perf_counter)
    last: float = 0.0
    """Evaluations per second of self-play, in the last row."""

    def row(self, *, overlapped: bool) -> dict[str, float]:
        """Its columns in the log; `play_share` is the share of the time that self-play took.

        `overlapped` self-play goes on during updates: its speed is that of all the time, and the
        share is that of waiting for it.
        """
        now = time.perf_counter()
        elapsed = now - self.since
        self.last = self.evaluations / (elapsed if overlapped else self.play_seconds)
        share = self.play_seconds / elapsed
        self.evaluations, self.play_seconds, self.since = 0, 0.0, now
        return {"evaluations_per_s": self.last, "play_share": share}


class ZeroTraining(TrainingRun[GomokuZero]):
    """The training run of gomoku-zero."""

    def __init__(self, config: GomokuZero, folder: Path) -> None:
        super().__init__(config, folder)
        on_gpu = self.device.type == "cuda"
        torch.manual_seed(config.seed)
        self.network = new_network(config, self.device, folded=False)
        if config.start_from:
            _copy_weights(Path(config.start_from), self.network)
        self.player = ZeroPlayer(config, self.device)
        fold(self.network, self.player.network)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(),
            lr=config.learning_rate,
            weight_decay=config.weight_decay,
            fused=on_gpu,
        )
        self.play = self._self_play()
        self.replay = PositionBuffer(config.capacity, config.size, self.device)
        kept = config.keep_positions if config.games_file else 0
        self.archive = GameArchive(config.size, config.rule, kept)
        self.history: list[dict[str, Any]] = []
        """Past networks in half precision, with their step and seconds."""
        self.tally = torch.zeros(7, dtype=torch.float64, device=self.device)
        """Sums since the last row of the log: policy loss, value loss, updates; games ended, won by
        black, drawn, their stones."""
        self.step = self.evaluations = self.games_ended = 0
        self.speed = _Speed()

    def _self_play(self) -> SelfPlayExecutor:
        if self.config.executor == "ray":
            from .zero_ray import RaySelfPlay

            return RaySelfPlay(self.config, self.player.network, self.device)
        return ZeroSelfPlay(self.config, self.player.search, self.config.seed)

    def run(self, *, live: bool = True) -> None:
        timer = RunTimer(self.config.minutes)
        log = Log(self.folder, resume_at=self.step if self.step else None, live=live)
        with closing(self.play):
            with stoppable(timer), log:
                while self.share(timer) < 1 and self.step < self.config.steps and not timer.over:
                    self.advance(self.share(timer))
                    self._keep_snapshot(timer)
                    self._log(log, timer)
                    if self.step % self.config.checkpoint_every == 0:
                        self.checkpoint(timer)
            self.checkpoint(timer)
        self.seconds += timer.seconds
        self.save()

    def share(self, timer: RunTimer) -> float:
        """The share of the whole run that is over: of its minutes, or else of its steps."""
        seconds = self.seconds + timer.seconds
        return share_over(self.step, self.config.steps, seconds, self.config.schedule_minutes)

    def advance(self, share: float) -> None:
        """One step: a move in every game and, once the buffer holds `minimum`, the updates."""
        config = self.config
        started = time.perf_counter()
        spread = config.simulations_end - config.simulations
        simulations = round(config.simulations + spread * min(1.0, share))
        full = self._is_full()
        if not full:
            simulations = min(simulations, config.fast_simulations)
        ended = self.play.advance(simulations, full=full)
        if ended is not None:
            self._take(ended)
        evaluations = self.play.games * (simulations + 1)
        self.evaluations += evaluations
        self.speed.evaluations += evaluations
        self.speed.play_seconds += self._elapsed(started)
        if len(self.replay) >= config.minimum:
            set_learning_rate(
                self.optimizer,
                cosine_schedule(config.learning_rate, config.learning_rate_end, share),
            )
            for _ in range(config.updates):
                self._update()
            fold(self.network, self.player.network)
        self.step += 1

    def _is_full(self) -> bool:
        """Playout cap randomisation: whether all games get the full search in this step."""
        if not self.config.fast_share:
            return True
        drawn = torch.rand((), generator=self.play.generator, device=self.device)
        return bool(drawn >= self.config.fast_share)

    def _take(self, ended: EndedGames) -> None:
        """Store games that ended."""
        self.replay.add(ended, self.config.root_value_share)
        if self.archive.capacity:
            self.archive.add(ended)
        self.games_ended += len(ended.length)
        wins, draws = ended.result > 0, ended.result == 0
        counted = [torch.ones_like(wins), wins, draws, ended.length]
        self.tally[3:] += torch.stack([c.sum() for c in counted])

    def _update(self) -> None:
        """One gradient update."""
        sample = self.replay.sample(self.config.batch_size, self.play.generator)
        self.network.train()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            policy_loss, value_loss = losses(self.network, sample, self.config.size)
        self.optimizer.zero_grad(set_to_none=True)
        (policy_loss + value_loss).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), self.config.clip)
        self.optimizer.step()
        self.tally[:3] += torch.stack(
            [policy_loss.detach(), value_loss.detach(), torch.ones_like(value_loss)]
        )

    def _elapsed(self, started: float) -> float:
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - started

    def _keep_snapshot(self, timer: RunTimer) -> None:
        """Keep the network for the history of the run, at even shares of it."""
        number = self.config.snapshots
        if number and self.share(timer) >= (len(self.history) + 1) / number:
            facts = {"step": self.step, "seconds": self.seconds + timer.seconds}
            self.history.append(facts | packed(self.network, half=True))

    def _log(self, log: Log, timer: RunTimer) -> None:
        config = self.config
        row: dict[str, float] = {}
        if self.step % config.log_every == 0:
            policy_loss, value_loss, updates, games, black, drawn, stones = self.tally.tolist()
            self.tally.zero_()
            row = {"positions": self.step * self.play.games, "games": self.games_ended}
            if not math.isfinite(policy_loss + value_loss):
                raise TrainingDiverged(
                    f"the loss is {policy_loss + value_loss} at step {self.step}: try a lower "
                    "learning_rate, or compile: none"
                )
            if updates:
                row |= {"policy_loss": policy_loss / updates, "value_loss": value_loss / updates}
            if games:
                row |= {"black": black / games, "drawn": drawn / games, "length": stones / games}
            row |= self.speed.row(overlapped=self.play.overlapped)
        if config.evaluate_every and self.step % config.evaluate_every == 0:
            from .zero_evaluation import evaluate

            row |= evaluate(self.player.search, config, self.step)
        if row:
            log.write({"step": self.step, "seconds": self.seconds + timer.seconds, **row})

    def network_evaluations_per_s(self) -> float:
        """What the network alone evaluates, batch after batch: the ceiling of self-play."""
        board = torch.zeros_like(self.player.search.board[:, 0])
        last = torch.full_like(self.player.search.row, board.shape[1])
        batches, started = 0, time.perf_counter()
        with torch.no_grad():
            while not batches or self._elapsed(started) < MEASURED_SECONDS:
                self.player.evaluate(board, last)
                batches += 1
        return batches * len(board) / self._elapsed(started)

    def state(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "evaluations": self.evaluations,
            "games_ended": self.games_ended,
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "play": self.play.state(),
            "replay": self.replay.state(),
            "archive": self.archive.state(),
            "history": self.history,
            "tally": self.tally,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from `state`: on a CPU exactly."""
        self.step, self.evaluations = state["step"], state["evaluations"]
        self.games_ended = state["games_ended"]
        self.network.load_state_dict(state["network"])
        fold(self.network, self.player.network)
        self.optimizer.load_state_dict(state["optimizer"])
        self.play.restore(state["play"])
        self.replay.restore(state["replay"])
        self.archive.restore(state["archive"])
        self.history = state["history"]
        self.tally.copy_(state["tally"])

    def save(self) -> None:
        config = self.config
        self.folder.mkdir(parents=True, exist_ok=True)
        save(self.network, self.folder / "network.pt")
        if self.history:
            save_checkpoint(self.folder / "history.pt", {"networks": self.history})
        if config.games_file:
            self.archive.write(Path(config.games_file), config.keep_policies)
        facts = describe(
            _without_places(config),
            kind="gomoku-zero",
            board_size=config.size,
            channels=["own", "opponent", "black to move", "last move"],
            rule=config.rule,
            seed=config.seed,
            steps=self.step,
            positions=self.step * self.play.games,
            games=self.games_ended,
            seconds=round(self.seconds, 1),
            evaluations=self.evaluations,
            self_play_evaluations_per_s=round(self.speed.last),
            network_evaluations_per_s=round(self.network_evaluations_per_s()),
        )
        write_json(self.folder / "metadata.json", facts)
