"""Battleship's heatmap: supervised learning of where ships are, from fleets the game places.

The label of a cell is whether a ship is there. The expected cross-entropy is least at the exact
probability given what is known, so the network learns the posterior without ever being shown one.
With `labels: posterior` it is shown the posterior: less noise, but more work for each position. It
plays while it learns (epsilon-greedy), so that it trains on the positions it will meet.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trireme.battleship.agents.heatmap_network import HeatmapNetwork
from trireme.battleship.agents.network_planes import CHANNELS, PLANES
from trireme.battleship.batch import BattleshipBatch, seeds
from trireme.battleship.belief.posterior import FleetInference
from trireme.battleship.rules import Battleship

from . import heatmap_kernels as kernels
from .log import Log
from .posterior_labels import posterior_labels
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
from .settings import BattleshipHeatmap


def facts_of(batch: BattleshipBatch) -> NDArray[np.int8]:
    """What the shooter knows of each board, `int8[B, N]`: 0 unknown, 1 water, 2 ship."""
    seas, board = batch.seas, batch.game.boards[0]
    out = np.empty(seas.board.shape, np.int8)
    kernels.known(seas.board, seas.owner, seas.afloat, board.rows, board.cols, board.touching, out)
    return out


def planes_of(batch: BattleshipBatch) -> NDArray[np.int8]:
    """What the network sees of boards of the default rules, `int8[B, 9, rows, cols]`: see
    `network_planes`."""
    seas, board = batch.seas, batch.game.boards[0]
    planes = np.zeros((batch.num, PLANES, board.rows * board.cols), np.int8)
    kernels.planes(seas.board, seas.owner, seas.afloat, planes)
    return planes.reshape(batch.num, PLANES, board.rows, board.cols)


def loss_of(odds: Tensor, ships: Tensor, unknown: Tensor) -> Tensor:
    """Mean cross-entropy over the unknown cells; all `[B, N]`."""
    each = nn.functional.binary_cross_entropy_with_logits(odds, ships, reduction="none")
    return (each * unknown).sum() / unknown.sum()


def best_cells(odds: Tensor, unknown: Tensor) -> Tensor:
    """The unknown cell of the highest logit on each board, `int64[B]`."""
    return odds.masked_fill(~unknown, -torch.inf).argmax(1)


def load(path: Path) -> HeatmapNetwork:
    """The network of a `.pt` file that a run saved."""
    found = torch.load(path, map_location="cpu", weights_only=True)
    network = HeatmapNetwork(found["filters"], found["blocks"])
    network.load_state_dict(found["weights"])
    return network.eval()


class HeatmapTraining(TrainingRun[BattleshipHeatmap]):
    """The training run of the heatmap network."""

    def __init__(self, config: BattleshipHeatmap, folder: Path) -> None:
        super().__init__(config, folder)
        torch.manual_seed(config.seed)
        self.game = Battleship()
        self.batch = BattleshipBatch(self.game, config.boards, config.seed)
        self.noise = seeds(config.seed, config.boards, stream=2)
        network = HeatmapNetwork(config.filters, config.blocks).to(self.device)
        self.network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        if config.start_from:
            self.network.load_state_dict(load(Path(config.start_from)).state_dict())
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self.inference = FleetInference(self.game.boards[0])
        self.step = 0
        self.stagger()

    def run(self, *, live: bool = True) -> None:
        config, timer = self.config, RunTimer(self.config.minutes)
        log = Log(self.folder, resume_at=self.step if self.step else None, live=live)
        with stoppable(timer), log:
            while (share := self.share(timer)) < 1 and not timer.over:
                loss = self.advance(share)
                row: dict[str, float] = {}
                if self.step % config.log_every == 0:
                    seconds = self.seconds + timer.seconds
                    row = {"loss": float(loss), "positions": self.step * config.boards}
                    row["positions_per_s"] = row["positions"] / seconds
                if config.evaluate_every and self.step % config.evaluate_every == 0:
                    row["shots"] = float(self.evaluate(config.evaluate_games).mean())
                if row:
                    seconds = self.seconds + timer.seconds
                    log.write({"step": self.step, "seconds": seconds, **row})
                if self.step % config.checkpoint_every == 0:
                    self.checkpoint(timer)
        self.checkpoint(timer)
        self.save()

    def stagger(self) -> None:
        """Play the first shots at random, of each board a different number: a batch shall show
        every stage of the game from the first update on."""
        rounds = self.game.rows * self.game.cols // 2
        first = np.arange(self.batch.num) * rounds // self.batch.num
        for turn in range(rounds):
            actions = np.zeros(self.batch.num, np.int64)
            kernels.explore(facts_of(self.batch), 1.0, self.noise, actions)
            actions[turn < first] = -1
            self.batch.step(actions)

    def share(self, timer: RunTimer | None = None) -> float:
        """The share of the whole run that is over: of its minutes, or else of its steps."""
        seconds = self.seconds + (timer.seconds if timer else 0.0)
        return share_over(self.step, self.config.steps, seconds, self.config.schedule_minutes)

    def advance(self, share: float) -> Tensor:
        """One update on the boards as they are, then one shot at each of them."""
        config = self.config
        facts = facts_of(self.batch)
        unknown = torch.from_numpy(facts == 0).to(self.device)
        labels = torch.from_numpy(self.labels()).to(self.device)
        rate = cosine_schedule(config.learning_rate, config.learning_rate_end, share)
        set_learning_rate(self.optimizer, rate)
        self.network.train()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            odds = self._odds(self.batch)
        # A GPU computes the gradients while the boards are stepped: nothing below waits for it.
        actions = best_cells(odds.detach(), unknown).cpu().numpy()
        loss = loss_of(odds, labels, unknown.float())
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), config.clip)
        self.optimizer.step()
        kernels.explore(facts, config.epsilon, self.noise, actions)
        self.batch.step(actions)
        self.step += 1
        return loss.detach()

    def labels(self) -> NDArray[np.float32]:
        """What the network should predict for each cell, `float32[B, N]`."""
        if self.config.labels == "posterior":
            rng = np.random.default_rng((self.config.seed, self.step))
            return posterior_labels(self.batch, self.inference, rng)
        return np.asarray(self.batch.seas.owner >= 0, np.float32)

    def _odds(self, batch: BattleshipBatch) -> Tensor:
        """The network's log-odds of a ship in each cell, `float[B, N]`."""
        planes = torch.from_numpy(planes_of(batch)).to(self.device).float()
        odds: Tensor = self.network(planes).flatten(1)
        return odds

    @torch.no_grad()
    def evaluate(self, games: int) -> NDArray[np.int32]:
        """Shots that the network needs on `games` boards, always firing the likeliest cell."""
        batch = BattleshipBatch(self.game, games, self.config.seed + 1_000_003)
        self.network.eval()
        while batch.seas.togo.any():
            unknown = torch.from_numpy(facts_of(batch) == 0).to(self.device)
            actions = best_cells(self._odds(batch), unknown).cpu().numpy()
            actions[batch.seas.togo == 0] = -1
            batch.step(actions, autoreset=False)
        return np.array(batch.seas.moves, np.int32)

    def state(self) -> dict[str, Any]:
        arrays = self._arrays()
        return {
            "step": self.step,
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "boards": {name: torch.from_numpy(array.copy()) for name, array in arrays.items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.step = state["step"]
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name, array in self._arrays().items():
            array[...] = state["boards"][name].numpy()

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """The boards and the random streams, as the arrays they live in."""
        return {**self.batch.seas._asdict(), "states": self.batch.states, "noise": self.noise}

    def save(self) -> None:
        config = self.config
        weights: dict[str, Any] = {k: v.cpu() for k, v in self.network.state_dict().items()}
        shape = {"filters": config.filters, "blocks": config.blocks}
        torch.save({**shape, "weights": weights}, self.folder / "network.pt")
        facts = describe(
            config,
            kind="battleship-heatmap",
            board_size=[self.game.rows, self.game.cols],
            channels=list(CHANNELS),
            seed=config.seed,
            steps=self.step,
            positions=self.step * config.boards,
        )
        write_json(self.folder / "metadata.json", facts)
