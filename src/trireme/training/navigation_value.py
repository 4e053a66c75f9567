"""Battle Navigation's value network: TD(λ) in self-play of a simultaneous game.

Each step plays whole games, solves every turn as a matrix game with the network at the leaves, and
regresses the network onto λ-returns of the solved values and the results. The network is
antisymmetric in the seats and symmetric under mirroring by itself, so no position needs to be
repeated for that.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trireme.navigation.search.contact_kernels import RATES
from trireme.navigation.search.value_network import (
    CHANNELS,
    CONDITION_FEATURES,
    POSES,
    RELATIVE_FEATURES,
    SIDE,
    TERRAIN_FEATURES,
    ValueNetwork,
)

from .log import Log
from .navigation_games import (
    PlayedSea,
    SeaOfGames,
    SeaState,
    ValueSamples,
    join_samples,
    play_sea,
)
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
from .settings import NavigationValue

ERROR_BATCH = 4096
"""Positions evaluated at once for the log."""


class PositionValueModel(nn.Module):
    """The value network with gradients; `value_network` describes it."""

    def __init__(self, units: int, outputs: int, width: int) -> None:
        super().__init__()

        def weights(rows: int, columns: int, scale: float = 1.0) -> nn.Parameter:
            return nn.Parameter(torch.randn(rows, columns) * scale / rows**0.5)

        self.relative_in = weights(RELATIVE_FEATURES, width, 1.4)
        self.relative_bias = nn.Parameter(torch.zeros(width))
        self.relative_out = weights(width, units)
        self.relative_out_bias = nn.Parameter(torch.zeros(units))
        self.pose = nn.Parameter(torch.zeros(POSES, units))
        self.own = weights(TERRAIN_FEATURES, units, 0.5)
        self.other = weights(TERRAIN_FEATURES, units, 0.5)
        self.contact = weights(2 * RATES, units, 0.5)
        self.second = weights(units, outputs, 1.4)
        self.second_bias = nn.Parameter(torch.zeros(outputs))
        self.condition_in = weights(CONDITION_FEATURES, width, 1.4)
        self.condition_bias = nn.Parameter(torch.zeros(width))
        self.condition_out = nn.Parameter(torch.zeros(width, outputs + 1))
        self.condition_out_bias = nn.Parameter(torch.zeros(outputs + 1))
        self.index: Tensor
        self.sign: Tensor
        index, sign = mirror_index()
        self.register_buffer("index", torch.from_numpy(index), persistent=False)
        self.register_buffer("sign", torch.from_numpy(sign), persistent=False)

    def forward(
        self, relative: Tensor, poses: Tensor, terrain: Tensor, contacts: Tensor, conditions: Tensor
    ) -> Tensor:
        """Values to seat 0, float[B].

        `relative: float[B, 2 (seat), 2 (mirrored), RELATIVE_FEATURES]`, `poses: int[B, 2, 2]`,
        `terrain: float[B, 2, TERRAIN_FEATURES]`, `contacts: float[B, 2, RATES]`, `conditions:
        float[B, 2, CONDITION_FEATURES]`.
        """
        hidden = torch.relu(relative @ self.relative_in + self.relative_bias)
        units = hidden @ self.relative_out + self.relative_out_bias
        units = units + nn.functional.embedding(poses, self.pose)
        both = torch.stack([terrain, terrain[..., self.index] * self.sign], 2)
        rates = torch.cat([contacts, contacts.flip(1)], -1) @ self.contact
        units = units + both @ self.own + both.flip(1) @ self.other + rates.unsqueeze(2)
        units = torch.relu(torch.relu(units).sum(2) @ self.second + self.second_bias)
        outputs = torch.relu(conditions @ self.condition_in + self.condition_bias)
        outputs = outputs @ self.condition_out + self.condition_out_bias
        seen = (units * outputs[..., :-1]).sum(2) + outputs[..., -1]
        total = seen[:, 0] - seen[:, 1]
        return total / (1 + total.abs())

    def network(self) -> ValueNetwork:
        """The weights as they are now, as agents play with them."""
        return ValueNetwork(
            {k: v.detach().cpu().numpy().copy() for k, v in self.named_parameters()}
        )


def mirror_index() -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Where each terrain feature comes from in the mirror image, and its sign."""
    index = np.arange(TERRAIN_FEATURES)
    index[:-1] = index[:-1].reshape(CHANNELS, SIDE, SIDE)[:, :, ::-1].reshape(-1)
    sign = np.ones(TERRAIN_FEATURES, np.float32)
    sign[:-1].reshape(CHANNELS, -1)[[2, 4]] = -1
    return index, sign


def inputs(samples: ValueSamples, index: NDArray[np.int64]) -> tuple[Tensor, ...]:
    """What `PositionValueModel` takes, for the samples with these indices."""
    return (
        torch.from_numpy(samples.relative[index]),
        torch.from_numpy(samples.poses[index]),
        torch.from_numpy(samples.terrain[index]).float(),
        torch.from_numpy(samples.contacts[index]),
        torch.from_numpy(samples.conditions[index]),
    )


Spread: TypeAlias = Callable[
    [Callable[[SeaState], PlayedSea], Iterable[SeaState]], Iterable[PlayedSea]
]
"""Maps a function over seas, in order: `map`, or that of a pool of processes."""


@contextmanager
def workers(count: int) -> Iterator[Spread]:
    """So many processes that play; one is this process."""
    if count == 1:
        yield map
        return
    # Libraries read this when a process starts; each would take all cores for itself.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, spawn, _leave_signals_to_the_parent) as pool:
        yield pool.map


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C reaches every process of a terminal: the parent alone ends the run, in order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class ValueTraining(TrainingRun[NavigationValue]):
    """The training run of the value network."""

    def __init__(self, config: NavigationValue, folder: Path) -> None:
        super().__init__(config, folder)
        torch.manual_seed(config.seed)
        self.model = PositionValueModel(config.units, config.outputs, config.width).to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=config.learning_rate)
        self.rng = np.random.default_rng(config.seed)
        self.seas = [self._new_sea() for _ in range(config.seas)]
        self.buffer = ValueSamples.empty(config.capacity)
        self.filled = 0
        """Positions ever written into the replay buffer, a ring."""
        self.step = 0

    def _new_sea(self) -> SeaState:
        return SeaState(int(self.rng.integers(2**62)))

    def run(self, *, live: bool = True) -> None:
        config, timer = self.config, RunTimer(self.config.minutes)
        log = Log(self.folder, resume_at=self.step if self.step else None, live=live)
        with stoppable(timer), log, workers(config.threads) as spread:
            while self.step < config.steps and self._share(timer) < 1 and not timer.over:
                row = self.advance(spread, self._share(timer))
                if self.step % config.log_every == 0:
                    seconds = self.seconds + timer.seconds
                    log.write({"step": self.step, "seconds": seconds, **row})
                if self.step % config.checkpoint_every == 0:
                    self.checkpoint(timer)
        self.checkpoint(timer)
        self.seconds += timer.seconds
        self.save()

    def _share(self, timer: RunTimer) -> float:
        """The share of the whole run that is over: of its minutes, or else of its steps."""
        seconds = self.seconds + timer.seconds
        return share_over(self.step, self.config.steps, seconds, self.config.schedule_minutes)

    def advance(self, spread: Spread, share: float) -> dict[str, float]:
        """Play, solve and learn; `share` of the run is over."""
        rate = cosine_schedule(self.config.learning_rate, self.config.learning_rate_end, share)
        set_learning_rate(self.optimizer, rate)
        if self.step == 0 and self.config.warm_up:
            self._learn_formula()
        config = self.config
        trace = config.trace + share * (config.trace_end - config.trace)
        play = partial(play_sea, config=config, network=self.model.network(), trace=trace)
        played = list(spread(play, self.seas))
        self.seas = [
            sea._replace(rng=result.rng) for sea, result in zip(self.seas, played, strict=True)
        ]
        fresh = join_samples([result.samples for result in played])
        self._store(fresh)
        error = self._error(fresh)
        loss = np.mean([self._update(self.buffer) for _ in range(config.updates)])
        for number in range(config.seas):
            if self.rng.random() < config.renewed:
                self.seas[number] = self._new_sea()
        self.step += 1
        return {
            "positions": self.filled,
            "loss": float(loss),
            "fresh_error": error,
            "target_size": float(np.abs(fresh.values).mean()),
        }

    def _store(self, samples: ValueSamples) -> None:
        index = (self.filled + np.arange(len(samples))) % self.config.capacity
        for name, array in self.buffer.arrays().items():
            array[index] = samples.arrays()[name]
        self.filled += len(samples)

    @torch.no_grad()
    def _error(self, fresh: ValueSamples) -> float:
        """The mean absolute difference between the network and targets it has not seen yet."""
        parts = np.array_split(np.arange(len(fresh)), len(fresh) // ERROR_BATCH + 1)
        values = [self.model(*(i.to(self.device) for i in inputs(fresh, part))) for part in parts]
        return float(np.abs(torch.cat(values).cpu().numpy() - fresh.values).mean())

    def _learn_formula(self) -> None:
        """Begin with the formula's values: nearer to the truth than none, they spread faster."""
        seas = [SeaOfGames(sea.seed, self.config) for sea in self.seas]
        samples = join_samples([sea.formula_samples() for sea in seas])
        for _ in range(self.config.warm_up):
            self._update(samples)

    def _update(self, samples: ValueSamples) -> float:
        """One gradient update."""
        config = self.config
        known = min(self.filled, config.capacity) if samples is self.buffer else len(samples)
        index = self.rng.integers(known, size=config.batch_size)
        values = self.model(*(i.to(self.device) for i in inputs(samples, index)))
        targets = torch.from_numpy(samples.values[index]).to(self.device)
        loss = nn.functional.mse_loss(values, targets)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), config.clip)
        self.optimizer.step()
        return float(loss.detach())

    def state(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "filled": self.filled,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "rng": self.rng.bit_generator.state,
            "seas": [sea._asdict() for sea in self.seas],
            "buffer": {n: torch.from_numpy(a) for n, a in self.buffer.arrays().items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.step, self.filled = state["step"], state["filled"]
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rng.bit_generator.state = state["rng"]
        self.seas = [SeaState(**sea) for sea in state["seas"]]
        for name, array in self.buffer.arrays().items():
            array[...] = state["buffer"][name].numpy()

    def save(self) -> None:
        """Write `network.npz`, which agents load, and its metadata."""
        self.folder.mkdir(parents=True, exist_ok=True)
        arrays: dict[str, Any] = dict(self.model.network().weights)
        np.savez_compressed(self.folder / "network.npz", **arrays)
        facts = describe(
            self.config,
            kind="navigation-value",
            seed=self.config.seed,
            steps=self.step,
            positions=self.filled,
            seconds=round(self.seconds, 1),
        )
        write_json(self.folder / "metadata.json", facts)
