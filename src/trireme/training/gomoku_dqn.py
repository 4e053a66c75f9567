"""Double DQN with dueling heads on Gomoku: self-play, replay buffer, target network, evaluation.

The value of a position is that of the side to move. After one ply the other side is to move, so the
next position's value enters with a minus sign: the target of a move is

    y = r - γ · Q_target(s', argmax over legal a' of Q(s', a'))

and, as an n-step return, `r + (-γ)^n · Q_target(…)` with rewards whose signs alternate likewise.
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

from trireme.core.errors import BadSettings
from trireme.gomoku.agents.dqn_network import SHAPE, QNetwork, load, save

from .log import Log
from .opponents import heuristic_moves, random_moves
from .replay import ReplayBuffer, Sample
from .run import (
    RunTimer,
    TrainingRun,
    cosine_schedule,
    describe,
    set_learning_rate,
    stoppable,
    write_json,
)
from .selfplay import Rules, SelfPlay, chooser, match
from .settings import GomokuDQN

SNAPSHOT_TURN = 200
"""Updates for which one snapshot stays the opponent, before the next one takes its place."""


def targets(sample: Sample, network: nn.Module, target: nn.Module) -> Tensor:
    """The Double DQN targets of a sample's moves, `float[B]`, seen from their movers.

    The online network selects the next move, the target network evaluates it. Values lie between a
    loss (-1) and a win (1), so targets beyond them are overestimates, and are clipped.
    """
    with torch.no_grad():
        best = network(sample.next_planes).argmax(1, keepdim=True)
        then = target(sample.next_planes).gather(1, best).squeeze(1)
        then = torch.where(sample.done, 0.0, then)
        return (sample.reward + sample.discount * then).clamp(-1, 1)


def imitation_loss(q: Tensor, action: Tensor, temperature: float) -> Tensor:
    """The behaviour-cloning loss of demonstrated actions, `float[B]`.

    `q: float[B, A]`, `action: int64[B]`. The cross-entropy of a softmax over `q / temperature`: the
    demonstrated action should have the highest Q.
    """
    return nn.functional.cross_entropy(q / temperature, action, reduction="none")


class UpdateStats(NamedTuple):
    """Statistics of one gradient update."""

    losses: Tensor
    """float[3]: total loss, TD loss, weighted imitation loss."""
    q: Tensor
    """float[B]: Q of the moves made."""
    errors: Tensor
    """float[B]: TD errors, Q minus target."""


@dataclass
class Learner:
    """The online network, the target network, and Adam."""

    config: GomokuDQN
    device: torch.device

    def __post_init__(self) -> None:
        torch.manual_seed(self.config.seed)
        self.network = self.new_network()
        if self.config.start_from:
            self._start_from(Path(self.config.start_from))
        self.target = self.new_network()
        self.target.load_state_dict(self.network.state_dict())
        self.optimizer = torch.optim.Adam(
            self.network.parameters(),
            lr=self.config.learning_rate,
            fused=self.device.type == "cuda",
        )

    def _start_from(self, path: Path) -> None:
        """Begin with the weights of a file, for a network of the same shape."""
        given = load(path)
        ours, theirs = ({name: getattr(n, name) for name in SHAPE} for n in (self.network, given))
        if ours != theirs:
            raise BadSettings(f"start_from is a network of {theirs}, and the settings say {ours}")
        self.network.load_state_dict(given.state_dict())

    def new_network(self) -> QNetwork:
        """A network of the shape that the settings say, with random weights."""
        config = self.config
        made = QNetwork(config.filters, config.layers, config.normalisation).to(self.device)
        return made.to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]

    def learn(self, sample: Sample, step: int) -> UpdateStats:
        """One gradient update on a sample."""
        config = self.config
        share = step / config.steps
        rate = cosine_schedule(config.learning_rate, config.learning_rate_end, share)
        set_learning_rate(self.optimizer, rate)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            wanted = targets(sample, self.network, self.target)
            every = self.network(sample.planes)
        q = every.gather(1, sample.action.unsqueeze(1)).squeeze(1)
        errors = nn.functional.smooth_l1_loss(q, wanted, reduction="none", beta=0.5)
        td_loss = loss = (errors * sample.weight).mean()
        imitation = torch.zeros_like(loss)
        if config.imitation_weight:
            each = imitation_loss(every, sample.action, config.imitation_temperature)
            imitation = (
                config.imitation_weight * (each * sample.demonstrated * sample.weight).mean()
            )
            loss = loss + imitation
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), config.clip)
        self.optimizer.step()
        self._update_target(step)
        losses = torch.stack([loss, td_loss, imitation]).detach()
        return UpdateStats(losses, q.detach(), (q - wanted).detach())

    @torch.no_grad()
    def _update_target(self, step: int) -> None:
        """Move the target network towards the online network (soft), or copy it (hard)."""
        config = self.config
        if config.target == "hard":
            if (step + 1) % config.hard_every == 0:
                self.target.load_state_dict(self.network.state_dict())
            return
        ours: list[Tensor] = list(self.target.parameters())
        theirs: list[Tensor] = list(self.network.parameters())
        torch._foreach_lerp_(ours, theirs, config.tau)

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


class DQNTraining(TrainingRun[GomokuDQN]):
    """The training run of Gomoku's DQN."""

    def __init__(self, config: GomokuDQN, folder: Path) -> None:
        super().__init__(config, folder)
        self.rules = Rules(config.size, config.rule == "standard", config.opening_stones)
        self.learner = Learner(config, self.device)
        self.replay = self.new_replay()
        self.play = self.new_games(config.games)
        self.generator = torch.Generator(self.device).manual_seed(config.seed)
        self.snapshots: deque[dict[str, Tensor]] = deque(maxlen=config.snapshots)
        self.snapshot = self.learner.new_network()
        self.losses = torch.zeros(3, device=self.device)
        """The sum of `UpdateStats.losses` over the updates since the last row of the log."""
        self.losses_summed = 0
        """The number of these updates."""
        self.best: dict[str, Any] = {}
        """The best evaluation so far: its step, its scores, and the weights it was made with."""
        self.step = 0

    def new_replay(self) -> ReplayBuffer:
        """An empty replay buffer."""
        config = self.config
        return ReplayBuffer(
            config.capacity,
            config.size,
            self.device,
            prioritised=config.prioritised,
            alpha=config.priority_alpha,
        )

    def new_games(self, games: int) -> SelfPlay:
        """So many games at their beginning, with the players that the settings say."""
        config = self.config
        return SelfPlay(
            self.rules,
            games,
            config.seed,
            self.device,
            demonstration_share=config.demonstration_share,
            heuristic_share=config.heuristic_share,
            snapshot_share=config.snapshot_share,
            threads=config.threads,
        )

    def run(self, *, live: bool = True) -> None:
        timer = RunTimer(self.config.minutes)
        log = Log(self.folder, resume_at=self.step if self.step else None, live=live)
        with stoppable(timer), log:
            while self.step < self.config.steps and not timer.over:
                stats = self.advance()
                if stats is not None:
                    self._log(log, timer, stats.q)
                if self.step and self.step % self.config.checkpoint_every == 0 and stats:
                    self.checkpoint(timer)
        self.checkpoint(timer)
        self.seconds += timer.seconds
        self.save()

    def advance(self) -> UpdateStats | None:
        """Some plies in all games and, once the replay buffer holds `minimum`, one update.

        On a GPU the games go on here while the update runs there.
        """
        config = self.config
        snapshot = self._snapshot()
        stats = None
        for ply in range(config.plies_per_step):
            pending = self.play.request_moves(self.learner.network, snapshot)
            if ply == 0 and len(self.replay) >= config.minimum:
                stats = self._update()
            ended = self.play.apply_moves(pending, self._epsilons())
            if ended:
                new = self.play.collect(ended, config.n_step, config.gamma, config.step_penalty)
                self.replay.add(new)
        if stats is not None:
            self.step += 1
            if self.step % config.snapshot_every == 0:
                weights = self.learner.network.state_dict()
                self.snapshots.append({k: v.clone() for k, v in weights.items()})
        return stats

    def _update(self) -> UpdateStats:
        config = self.config
        beta = config.priority_beta + (1 - config.priority_beta) * self.step / config.steps
        sample = self.replay.sample(config.batch_size, self.generator, beta)
        stats = self.learner.learn(sample, self.step)
        self.replay.update(sample.index, stats.errors)
        if self.step % config.log_every == 0:
            self.losses.zero_()
            self.losses_summed = 0
        self.losses += stats.losses
        self.losses_summed += 1
        return stats

    def _epsilons(self) -> NDArray[np.float64]:
        """Epsilon of every kind of player, in the order of `selfplay_kernels`."""
        others = self.config.epsilon_second
        return np.array([_epsilon(self.config, self.step), others, others, others])

    def _snapshot(self) -> QNetwork | None:
        """The past snapshot that is the opponent now; there is none at first."""
        if not self.snapshots or not self.play.snapshots:
            return None
        if self.step % SNAPSHOT_TURN == 0:
            turn = self.step // SNAPSHOT_TURN % len(self.snapshots)
            self.snapshot.load_state_dict(self.snapshots[turn])
        return self.snapshot

    def _log(self, log: Log, timer: RunTimer, q: Tensor) -> None:
        config = self.config
        row: dict[str, float] = {}
        if self.step % config.log_every == 0:
            row = {
                **self._mean_losses(),
                "q_mean": float(q.mean()),
                "q_std": float(q.std()),
                "epsilon": _epsilon(config, self.step),
                "steps_per_s": self.step / (self.seconds + timer.seconds),
                "positions": self.play.plies,
                "games": self.play.games_ended,
            }
        if config.evaluate_every and self.step % config.evaluate_every == 0:
            scores = self.evaluate(config.evaluate_games)
            self.keep_best(scores)
            row |= scores
        if row:
            log.write({"step": self.step, "seconds": self.seconds + timer.seconds, **row})

    def _mean_losses(self) -> dict[str, float]:
        """The mean losses since the last row; with imitation, its part and the TD part too."""
        loss, td_loss, imitation = (self.losses / self.losses_summed).tolist()
        if not self.config.imitation_weight:
            return {"loss": loss}
        return {"loss": loss, "td_loss": td_loss, "imitation_loss": imitation}

    def evaluate(self, games: int) -> dict[str, float]:
        """Evaluation: the network's score against random and the heuristic, without exploration."""
        ours = chooser(self.learner.network, self.device)
        rules = Rules(self.rules.size, self.rules.exact, 6)

        def heuristic(batch: Any, places: NDArray[np.int64]) -> NDArray[np.int64]:
            return heuristic_moves(batch, places, rules.exact, self.config.threads)

        seed = self.config.seed + self.step
        return {
            "vs_random": match(ours, random_moves, games, rules, seed).rate,
            "vs_heuristic": match(ours, heuristic, games, rules, seed).rate,
        }

    def keep_best(self, scores: dict[str, float]) -> None:
        """Keep the weights if no evaluation was better: against the heuristic, then random."""

        def rank(scores: dict[str, float]) -> tuple[float, float]:
            return scores["vs_heuristic"], scores["vs_random"]

        if not self.best or rank(scores) > rank(self.best["scores"]):
            weights = {k: v.cpu().clone() for k, v in self.learner.network.state_dict().items()}
            self.best = {"step": self.step, "scores": scores, "weights": weights}

    def state(self) -> dict[str, Any]:
        state = {
            "step": self.step,
            "best": self.best,
            "learner": self.learner.state(),
            "play": self.play.state(),
            "snapshots": list(self.snapshots),
            "snapshot": self.snapshot.state_dict(),
            "generator": self.generator.get_state(),
            "losses": self.losses,
            "losses_summed": self.losses_summed,
        }
        if self.config.checkpoint_replay:
            state["replay"] = self.replay.state()
        return state

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from `state`: exactly, if it holds the replay buffer and the device is a CPU."""
        self.step, self.best = state["step"], state["best"]
        self.learner.restore(state["learner"])
        self.play.restore(state["play"])
        for weights in state["snapshots"]:
            self.snapshots.append({k: v.to(self.device) for k, v in weights.items()})
        self.snapshot.load_state_dict(state["snapshot"])
        self.losses.copy_(state["losses"])
        self.losses_summed = state["losses_summed"]
        if "replay" in state:
            self.replay.restore(state["replay"])
        if state["generator"].shape == self.generator.get_state().shape:
            self.generator.set_state(state["generator"])

    def save(self) -> None:
        """Write the weights as they are now and, once there was an evaluation, the best ones."""
        save(self.learner.network, self.folder / "network.pt")
        evaluated = {}
        if self.best:
            network = self.learner.new_network()
            network.load_state_dict(self.best["weights"])
            save(network, self.folder / "best.pt")
            evaluated = {"best": {"step": self.best["step"], **self.best["scores"]}}
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
            **evaluated,
        )
        write_json(self.folder / "metadata.json", facts)


def self_play_only(config: GomokuDQN, episodes: int, folder: Path) -> dict[str, float]:
    """Play `episodes` games with an untrained or the folder's network; write the replay buffer.

    Which games count is fixed before they are played, so many at each place: the first ones to end
    would be the short ones. Returns statistics of lengths and results.
    """
    training = DQNTraining(config, folder)
    if (folder / "checkpoint.pt").exists():
        training.resume(folder / "checkpoint.pt")
    training.replay = training.new_replay()
    places = min(config.games, episodes)
    play = training.new_games(places)
    left = np.bincount(np.arange(episodes) * places // episodes, minlength=places)
    epsilons = np.array([config.epsilon_first, *[config.epsilon_second] * 3])
    lengths: list[int] = []
    results: list[int] = []
    while left.any():
        ended = play.apply_moves(play.request_moves(training.learner.network, None), epsilons)
        rows = np.flatnonzero(left[play.finished.places[:ended]])
        left[play.finished.places[rows]] -= 1
        kept = play.keep_finished(rows)
        lengths += play.finished.lengths[:kept].tolist()
        results += play.finished.results[:kept].tolist()
        training.replay.add(play.collect(kept, config.n_step, config.gamma, config.step_penalty))
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
