"""Double DQN on Gomoku: self-play fills the replay, the learner follows, evaluation tells how far.

The value of a position belongs to the side to move. After one ply the other side is to move, so a
gain of the next position is a loss of this one: the target of a move is

    y = r - γ · Q_target(s', argmax over legal a' of Q(s', a'))

and, over n plies, `r + (-γ)^n · Q_target(…)` with rewards whose signs alternate likewise.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trireme.gomoku.agents.dqn_network import QNetwork, save

from .log import Log
from .opponents import heuristic_moves, random_moves
from .replay import Replay, Sample
from .run import (
    Clock,
    check_same_run,
    cosine,
    describe,
    device_of,
    load_checkpoint,
    run_hash,
    save_checkpoint,
    stoppable,
    write_json,
)
from .selfplay import Rules, SelfPlay, chooser, match
from .settings import GomokuDQN


def targets(sample: Sample, network: nn.Module, target: nn.Module) -> Tensor:
    """What the moves of `sample` are worth to their movers, `float[B]`, by Double DQN.

    The network chooses the next move and the target network says what it is worth. Values lie
    between a loss and a win, so targets beyond them are estimates gone astray, and are clipped.
    """
    with torch.no_grad():
        best = network(sample.next_planes).argmax(1, keepdim=True)
        then = target(sample.next_planes).gather(1, best).squeeze(1)
        then = torch.where(sample.done, 0.0, then)
        return (sample.reward + sample.discount * then).clamp(-1, 1)


def unlikeness(q: Tensor, action: Tensor, scale: float) -> Tensor:
    """How far the values are from preferring each action: `float[B]`, 0 where nothing compares.

    `q: float[B, A]`, `action: int64[B]`. The cross-entropy of a choice that takes a move e times as
    often as another that is worth `scale` less: what a teacher's move asks of the values.
    """
    return nn.functional.cross_entropy(q / scale, action, reduction="none")


class Figures(NamedTuple):
    """What one update came to."""

    losses: Tensor
    """float[3]: the whole loss, the part of the errors and that of the lessons."""
    q: Tensor
    """float[B]: the values of the moves made."""
    errors: Tensor
    """float[B]: by how much they missed their targets."""


@dataclass
class Learner:
    """The network that plays, the target that it chases, and Adam."""

    config: GomokuDQN
    device: torch.device

    def __post_init__(self) -> None:
        torch.manual_seed(self.config.seed)
        self.network = self._new()
        self.target = self._new()
        self.target.load_state_dict(self.network.state_dict())
        self.network.eval()
        self.target.eval()
        self.optimizer = torch.optim.Adam(
            self.network.parameters(),
            lr=self.config.learning_rate,
            fused=self.device.type == "cuda",
        )

    def _new(self) -> QNetwork:
        made = QNetwork(self.config.filters, self.config.layers).to(self.device)
        return made.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]

    def learn(self, sample: Sample, step: int) -> Figures:
        """One update."""
        config = self.config
        rate = cosine(config.learning_rate, config.learning_rate_end, step / config.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            wanted = targets(sample, self.network, self.target)
            self.network.train()
            every = self.network(sample.planes)
            self.network.eval()
        q = every.gather(1, sample.action.unsqueeze(1)).squeeze(1)
        errors = nn.functional.smooth_l1_loss(q, wanted, reduction="none", beta=0.5)
        surprise = loss = (errors * sample.weight).mean()
        lesson = torch.zeros_like(loss)
        if self.config.lesson_weight:
            apart = unlikeness(every, sample.action, self.config.lesson_scale)
            lesson = self.config.lesson_weight * (apart * sample.taught * sample.weight).mean()
            loss = loss + lesson
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), self.config.clip)
        self.optimizer.step()
        self._follow(step)
        losses = torch.stack([loss, surprise, lesson]).detach()
        return Figures(losses, q.detach(), (q - wanted).detach())

    @torch.no_grad()
    def _follow(self, step: int) -> None:
        """Move the target network towards the network."""
        config = self.config
        if config.target == "hard":
            if (step + 1) % config.hard_every == 0:
                self.target.load_state_dict(self.network.state_dict())
            return
        ours: list[Tensor] = list(self.target.parameters())
        theirs: list[Tensor] = list(self.network.parameters())
        torch._foreach_lerp_(ours, theirs, config.tau)
        for mine, other in zip(self.target.buffers(), self.network.buffers(), strict=True):
            mine.copy_(other)

    def state(self) -> dict[str, Any]:
        return {
            "network": self.network.state_dict(),
            "target": self.target.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.network.load_state_dict(state["network"])
        self.target.load_state_dict(state["target"])
        self.optimizer.load_state_dict(state["optimizer"])


class Training:
    """A run in its folder: everything that a checkpoint must hold, and the loop over it."""

    def __init__(self, config: GomokuDQN, folder: Path) -> None:
        torch.set_num_threads(config.threads)
        self.config, self.folder = config, folder
        self.device = device_of(config.device)
        self.rules = Rules(config.size, config.rule == "standard", config.opening_stones)
        self.learner = Learner(config, self.device)
        self.replay = Replay(
            config.capacity,
            config.size,
            self.device,
            prioritised=config.prioritised,
            alpha=config.priority_alpha,
        )
        self.play = SelfPlay(
            self.rules,
            config.games,
            config.seed,
            self.device,
            lesson_share=config.lesson_share,
            teacher_share=config.heuristic_share,
            elder_share=config.elder_share,
            threads=config.threads,
        )
        self.generator = torch.Generator(self.device).manual_seed(config.seed)
        self.elders: deque[dict[str, Tensor]] = deque(maxlen=config.elders)
        self.elder = QNetwork(config.filters, config.layers).to(self.device).eval()
        self.elder.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.losses = torch.zeros(3, device=self.device)
        """The sum of `Figures.losses` over the updates since the last line of the log."""
        self.summed = 0
        """How many these are."""
        self.step = 0
        self.seconds = 0.0
        """Time spent by the runs before this one."""

    def run(self, *, live: bool = True) -> None:
        """Train to the last step, or until asked to stop; the folder then holds a checkpoint."""
        clock = Clock(self.config.minutes)
        log = Log(self.folder, resume_at=self.step if self.step else None, live=live)
        with stoppable(clock), log:
            while self.step < self.config.steps and not clock.over:
                figures = self.advance()
                if figures is not None:
                    self._tell(log, clock, figures.q)
                if self.step and self.step % self.config.checkpoint_every == 0 and figures:
                    self.checkpoint(clock)
        self.checkpoint(clock)
        self.seconds += clock.seconds
        self.save()

    def advance(self) -> Figures | None:
        """Some plies in all games and, once there is enough to learn from, one update.

        On a GPU the games go on here while the update is under way there.
        """
        config = self.config
        elder = self._elder()
        figures = None
        for ply in range(config.plies_per_step):
            wanted = self.play.ask(self.learner.network, elder)
            if ply == 0 and len(self.replay) >= config.minimum:
                figures = self._update()
            ended = self.play.make(wanted, self._epsilons())
            if ended:
                new = self.play.collect(ended, config.n_step, config.gamma, config.step_penalty)
                self.replay.add(new)
        if figures is not None:
            self.step += 1
            if self.step % config.elder_every == 0:
                weights = self.learner.network.state_dict()
                self.elders.append({k: v.clone() for k, v in weights.items()})
        return figures

    def _update(self) -> Figures:
        config = self.config
        beta = config.priority_beta + (1 - config.priority_beta) * self.step / config.steps
        sample = self.replay.sample(config.batch_size, self.generator, beta)
        figures = self.learner.learn(sample, self.step)
        self.replay.update(sample.index, figures.errors)
        if self.step % config.log_every == 0:
            self.losses.zero_()
            self.summed = 0
        self.losses += figures.losses
        self.summed += 1
        return figures

    def _epsilons(self) -> NDArray[np.float64]:
        """The noise of every kind of player, in the order of `selfplay_kernels`."""
        others = self.config.epsilon_second
        return np.array([_epsilon(self.config, self.step), others, others, others])

    def _elder(self) -> QNetwork | None:
        """The snapshot whose turn it is; there is none at first."""
        if not self.elders or not self.play.elders:
            return None
        if self.step % 200 == 0:
            self.elder.load_state_dict(self.elders[self.step // 200 % len(self.elders)])
        return self.elder

    def _tell(self, log: Log, clock: Clock, q: Tensor) -> None:
        config = self.config
        row: dict[str, float] = {}
        if self.step % config.log_every == 0:
            row = {
                **self._mean_losses(),
                "q_mean": float(q.mean()),
                "q_std": float(q.std()),
                "epsilon": _epsilon(config, self.step),
                "steps_per_s": self.step / (self.seconds + clock.seconds),
                "positions": self.play.plies,
                "games": self.play.games_ended,
            }
        if config.evaluate_every and self.step % config.evaluate_every == 0:
            row |= self.evaluate(config.evaluate_games)
        if row:
            log.write({"step": self.step, "seconds": self.seconds + clock.seconds, **row})

    def _mean_losses(self) -> dict[str, float]:
        """The mean losses of the updates since the last line; where there are lessons, apart."""
        loss, errors, lessons = (self.losses / self.summed).tolist()
        if not self.config.lesson_weight:
            return {"loss": loss}
        return {"loss": loss, "td_loss": errors, "lesson_loss": lessons}

    def evaluate(self, games: int) -> dict[str, float]:
        """The network's score against random and against the heuristic, without noise."""
        ours = chooser(self.learner.network, self.device)
        rules = Rules(self.rules.size, self.rules.exact, 6)

        def heuristic(table: Any, places: NDArray[np.int64]) -> NDArray[np.int64]:
            return heuristic_moves(table, places, rules.exact, self.config.threads)

        seed = self.config.seed + self.step
        return {
            "vs_random": match(ours, random_moves, games, rules, seed).rate,
            "vs_heuristic": match(ours, heuristic, games, rules, seed).rate,
        }

    def checkpoint(self, clock: Clock | None = None) -> Path:
        """Write all that is needed to go on elsewhere."""
        path = self.folder / "checkpoint.pt"
        state = {
            "config": run_hash(self.config),
            "step": self.step,
            "seconds": self.seconds + (clock.seconds if clock else 0.0),
            "learner": self.learner.state(),
            "play": self.play.state(),
            "elders": list(self.elders),
            "elder": self.elder.state_dict(),
            "generator": self.generator.get_state(),
            "losses": self.losses,
            "summed": self.summed,
        }
        if self.config.checkpoint_replay:
            state["replay"] = self.replay.state()
        save_checkpoint(path, state)
        return path

    def resume(self, path: Path) -> None:
        """Go on from a checkpoint: exactly, where it holds the replay and the device is a CPU."""
        state = load_checkpoint(path)
        check_same_run(path, state, self.config)
        self.step, self.seconds = state["step"], state["seconds"]
        self.learner.restore(state["learner"])
        self.play.restore(state["play"])
        self.elders.extend({k: v.to(self.device) for k, v in e.items()} for e in state["elders"])
        self.elder.load_state_dict(state["elder"])
        self.losses.copy_(state["losses"])
        self.summed = state["summed"]
        if "replay" in state:
            self.replay.restore(state["replay"])
        if state["generator"].shape == self.generator.get_state().shape:
            self.generator.set_state(state["generator"])

    def save(self) -> None:
        """Write the weights as they are now, with their metadata."""
        save(self.learner.network, self.folder / "network.pt")
        facts = describe(
            self.config,
            kind="gomoku-dqn",
            board_size=self.config.size,
            channels=["own", "opponent", "black to move", "last move"],
            rule=self.config.rule,
            seed=self.config.seed,
            steps=self.step,
            positions=self.play.plies,
            games=self.play.games_ended,
            seconds=round(self.seconds, 1),
        )
        write_json(self.folder / "metadata.json", facts)


def self_play_only(config: GomokuDQN, episodes: int, folder: Path) -> dict[str, float]:
    """Play `episodes` games with an untrained or the folder's network; write the replay.

    Returns statistics of lengths and results.
    """
    training = Training(config, folder)
    if (folder / "checkpoint.pt").exists():
        training.resume(folder / "checkpoint.pt")
    epsilons = np.array([config.epsilon_first, *[config.epsilon_second] * 3])
    lengths: list[int] = []
    results: list[int] = []
    play = training.play
    while len(lengths) < episodes:
        ended = play.make(play.ask(training.learner.network, None), epsilons)
        ended = min(ended, episodes - len(lengths))
        lengths += play.finished.lengths[:ended].tolist()
        results += play.finished.results[:ended].tolist()
        training.replay.add(play.collect(ended, config.n_step, config.gamma, config.step_penalty))
    folder.mkdir(parents=True, exist_ok=True)
    training.replay.save(folder / "replay.pt")
    return {
        "games": len(lengths),
        "transitions": len(training.replay),
        "length_mean": float(np.mean(lengths)),
        "length_min": min(lengths),
        "length_max": max(lengths),
        "black_won": results.count(1),
        "white_won": results.count(-1),
        "drawn": results.count(0),
    }


def _epsilon(config: GomokuDQN, step: int) -> float:
    done = min(1.0, step / max(1, config.epsilon_steps))
    return config.epsilon_start + (config.epsilon_end - config.epsilon_start) * done
