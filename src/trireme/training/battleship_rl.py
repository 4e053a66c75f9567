"""Reinforcement learning on Battleship: PPO, DQN, A2C and MaskablePPO of Stable-Baselines3.

All four learn on the vector environment from the same planes with the same convolutional trunk,
from random weights or from those of a heatmap network. MaskablePPO masks known cells; the other
three have to learn to avoid them, and pay `reward_invalid` for every repeated shot until they do.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecMonitor
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from trireme.battleship.agents.heatmap_network import HeatmapNetwork, with_halo
from trireme.battleship.agents.network_planes import CHANNELS, PLANES
from trireme.core.errors import BadSettings
from trireme.core.options import build
from trireme.envs.battleship_vector import BattleshipVectorEnv
from trireme.envs.sb3 import BoardsVecEnv

from . import sb3_state
from .battleship_heatmap import load as load_heatmap
from .log import Log
from .run import RunTimer, TrainingRun, describe, device_of, share_over, stoppable, write_json
from .settings import BattleshipRL

SIDE = 10
SHARPNESS = 8.0
"""Logits of a policy that starts from a heatmap are so many times its log-odds: near to firing at
the best cell, while cells about as good are still explored."""

FOREVER = 1 << 60
"""Shots that no run reaches: it ends by its minutes."""


class Convolutions(BaseFeaturesExtractor):
    """The trunk that policy and value share; its features are `[filters, 10, 10]`, flat."""

    def __init__(self, space: spaces.Box, filters: int, blocks: int) -> None:
        super().__init__(space, filters * SIDE**2)
        self.trunk = nn.Sequential(
            nn.Conv2d(PLANES + 1, filters, 5, padding=2), nn.ReLU(), *_blocks(filters, blocks)
        )

    def forward(self, observation: Tensor) -> Tensor:
        planes = observation.float().view(-1, PLANES, SIDE, SIDE)
        features: Tensor = self.trunk(with_halo(planes)).flatten(1)
        return features


class PlainBlock(nn.Module):
    """A residual block of two convolutions without batch normalisation, whose statistics would lag
    behind a changing policy and distort PPO's probability ratios."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(filters, filters, 3, padding=1)
        self.second = nn.Conv2d(filters, filters, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.second(torch.relu(self.first(x))))


def _blocks(filters: int, blocks: int) -> list[nn.Module]:
    return [PlainBlock(filters) for _ in range(blocks)]


class CellHead(nn.Module):
    """One number a cell, by the same weights everywhere: the logits of the policy."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.layer = nn.Conv2d(filters, 1, 1)

    def forward(self, features: Tensor) -> Tensor:
        logits: Tensor = self.layer(features.view(len(features), -1, SIDE, SIDE)).flatten(1)
        return logits


class BoardHead(nn.Module):
    """One number a board: its value."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2 * filters, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, features: Tensor) -> Tensor:
        planes = features.view(len(features), -1, SIDE, SIDE)
        pooled = torch.cat([planes.mean((2, 3)), planes.amax((2, 3))], 1)
        value: Tensor = self.layers(pooled)
        return value


class Policy(nn.Module):
    """The trained policy alone, from planes to logits, on boards of any size.

    DQN's are its Q values: the best cell is the best cell.
    """

    def __init__(self, model: BaseAlgorithm) -> None:
        super().__init__()
        policy: Any = model.policy
        if isinstance(model, DQN):
            self.trunk = policy.q_net.features_extractor.trunk
            self.head = policy.q_net.q_net.layer
        else:
            self.trunk = policy.features_extractor.trunk
            self.head = policy.action_net.layer

    def forward(self, planes: Tensor) -> Tensor:
        """`float[B, rows * cols]` of `planes: float[B, 9, rows, cols]`."""
        logits: Tensor = self.head(self.trunk(with_halo(planes))).flatten(1)
        return logits


class _Heads:
    """A mixin: replaces Stable-Baselines3's linear layers by the two heads."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)  # type: ignore[misc]
        policy: Any = self
        filters = policy.features_dim // SIDE**2
        policy.action_net = CellHead(filters).to(policy.device)
        policy.value_net = BoardHead(filters).to(policy.device)
        nn.init.zeros_(policy.action_net.layer.weight)
        policy.optimizer = policy.optimizer_class(
            policy.parameters(), lr=lr_schedule(1), **policy.optimizer_kwargs
        )


class MaskedPolicy(_Heads, MaskableActorCriticPolicy):
    """The policy of MaskablePPO."""


class UnmaskedPolicy(_Heads, ActorCriticPolicy):
    """The policy of PPO and A2C."""


class CellValues(DQNPolicy):
    """The Q network of DQN: one value a cell, by the same weights everywhere."""

    def make_q_net(self) -> QNetwork:
        made = super().make_q_net()
        made.q_net = CellHead(made.features_dim // SIDE**2).to(self.device)  # type: ignore[assignment]
        return made


def start_from_heatmap(model: BaseAlgorithm, heatmap: HeatmapNetwork) -> None:
    """Give the policy, and the trunk of a separate critic, the weights of a heatmap network of the
    same shape.

    Batch normalisation is folded into the convolutions. DQN's values are then log-odds, not
    returns, so that this makes sense for policies alone.
    """
    if isinstance(model, DQN):
        raise BadSettings("start_from gives a policy its weights, and dqn has none")
    policy: Any = model.policy
    _copy_trunk(heatmap, policy.features_extractor.trunk)
    if not policy.share_features_extractor:
        _copy_trunk(heatmap, policy.vf_features_extractor.trunk)
    last: Any = heatmap.layers[-1]
    with torch.no_grad():
        policy.action_net.layer.weight.copy_(SHARPNESS * last.weight)
        policy.action_net.layer.bias.copy_(SHARPNESS * last.bias)


def _copy_trunk(heatmap: HeatmapNetwork, trunk: Any) -> None:
    """Give a trunk the heatmap's weights."""
    layers: Any = heatmap.layers
    first, norm, _, *blocks, _ = layers
    pairs: list[tuple[Any, Any]] = [(trunk[0], fuse_conv_bn_eval(first, norm))]
    for block, given in zip(trunk[2:], blocks, strict=False):
        body: Any = given.body
        pairs.append((block.first, fuse_conv_bn_eval(body[0], body[1])))
        pairs.append((block.second, fuse_conv_bn_eval(body[3], body[4])))
    same = trunk[0].weight.shape == first.weight.shape and len(trunk) - 2 == len(blocks)
    if not same:
        raise BadSettings(
            f"start_from has {first.out_channels} filters and {len(blocks)} blocks, the policy "
            f"{trunk[0].out_channels} and {len(trunk) - 2}"
        )
    with torch.no_grad():
        for ours, theirs in pairs:
            ours.weight.copy_(theirs.weight)
            ours.bias.copy_(theirs.bias)


class UnknownCellsVectorEnv(BattleshipVectorEnv):
    """Boards of the default rules whose masks leave out known water, too: the cells around sunk
    ships, as ships can't touch."""

    def action_masks(self) -> NDArray[np.bool_]:
        """Which cells of every board may hold a ship and were not shot at, bool[B, cells]."""
        sunk = np.pad(self._sunk_cells.reshape(-1, SIDE, SIDE) > 0, ((0, 0), (1, 1), (1, 1)))
        around = np.zeros((self.num_envs, SIDE, SIDE), np.bool_)
        for row in range(3):
            for col in range(3):
                around |= sunk[:, row : row + SIDE, col : col + SIDE]
        return super().action_masks() & ~around.reshape(self.num_envs, -1)


def make_boards(boards: int, **settings: Any) -> BoardsVecEnv:
    """Boards that are observed as planes, for Stable-Baselines3."""
    mode = AutoresetMode.SAME_STEP
    planes = UnknownCellsVectorEnv(
        boards, autoreset_mode=mode, flat=True, observation="planes", **settings
    )
    return BoardsVecEnv(planes)


def make_env(config: BattleshipRL) -> VecMonitor:
    """The boards to train on."""
    rewards = {
        "miss": config.reward_miss,
        "hit": config.reward_hit,
        "sunk": config.reward_sunk,
        "won": config.reward_won,
        "invalid": config.reward_invalid,
    }
    env = make_boards(config.boards, rewards=rewards)
    env.seed(config.seed)
    return VecMonitor(env)


@dataclass
class LinearSchedule:
    """The learning rate over a run, as Stable-Baselines3 asks for it."""

    begin: float
    end: float
    share: float | None = None
    """The share of the run that is over; None: as Stable-Baselines3 counts its steps."""

    def __call__(self, left: float) -> float:
        """The rate when `left` of all steps are left, a share from 1 to 0."""
        left = left if self.share is None else max(0.0, 1 - self.share)
        return self.end + (self.begin - self.end) * left


def make_model(config: BattleshipRL, env: VecMonitor) -> BaseAlgorithm:
    """The algorithm that the config names, untrained."""
    trunk = {"filters": config.filters, "blocks": config.blocks}
    policy: dict[str, Any] = {
        "features_extractor_class": Convolutions,
        "features_extractor_kwargs": trunk,
        "net_arch": [],
        "normalize_images": False,
        "ortho_init": False,
    }
    common: dict[str, Any] = {
        "env": env,
        "seed": config.seed,
        "device": device_of(config.device),
        "gamma": config.gamma,
        "learning_rate": LinearSchedule(config.learning_rate, config.learning_rate_end),
    }
    rollout: dict[str, Any] = {
        "n_steps": config.rollout,
        "gae_lambda": config.gae_lambda,
        "ent_coef": config.entropy,
    }
    clipped: dict[str, Any] = {
        "batch_size": config.batch_size,
        "n_epochs": config.epochs,
        "clip_range": config.clip_range,
    }
    if config.algorithm != "dqn":
        policy["share_features_extractor"] = config.critic == "shared"
    match config.algorithm:
        case "maskable-ppo":
            return MaskablePPO(MaskedPolicy, policy_kwargs=policy, **rollout, **clipped, **common)
        case "ppo":
            return PPO(UnmaskedPolicy, policy_kwargs=policy, **rollout, **clipped, **common)
        case "a2c":
            return A2C(
                UnmaskedPolicy, policy_kwargs=policy, normalize_advantage=True, **rollout, **common
            )
        case _:
            del policy["ortho_init"]
            return DQN(
                CellValues,
                policy_kwargs=policy,
                batch_size=config.batch_size,
                buffer_size=config.buffer,
                learning_starts=config.boards * 20,
                train_freq=1,
                target_update_interval=32 * config.boards,
                exploration_final_eps=config.epsilon_end,
                **common,
            )


@torch.no_grad()
def scores(model: BaseAlgorithm, observation: NDArray[np.int8]) -> Tensor:
    """The policy's score of every cell, `float[B, cells]`: logits, or Q values of DQN."""
    policy: Any = model.policy
    policy.set_training_mode(False)
    tensors, _ = policy.obs_to_tensor(observation)
    if isinstance(model, DQN):
        values: Tensor = policy.q_net(tensors)
        return values
    logits: Tensor = policy.action_net(policy.features_extractor(tensors))
    return logits


def evaluate(model: BaseAlgorithm, games: int, seed: int) -> NDArray[np.int64]:
    """Shots on `games` boards, firing the best open cell each time."""
    env = make_boards(games)
    env.seed(seed)
    observation = env.reset()
    shots = np.zeros(games, np.int64)
    while not shots.all():
        wanted = scores(model, observation).cpu().numpy()
        wanted[~env.boards.action_masks()] = -np.inf
        observation, _, ended, infos = env.step(wanted.argmax(1))
        for board in np.flatnonzero(ended):
            if not shots[board]:
                shots[board] = infos[board]["move_count"]
    return shots


def freeze_policy(model: BaseAlgorithm, frozen: bool) -> None:
    """Let only the separate critic of a policy learn, or both."""
    policy: Any = model.policy
    for part in (policy.features_extractor, policy.action_net):
        part.requires_grad_(not frozen)


class Stopped(Exception):
    """The run is over or was asked to stop, and is between two rollouts."""


class RunCallback(BaseCallback):
    """Writes log and checkpoints, evaluates, and stops the run when asked to.

    All of it happens before a rollout begins: the previous one has been learnt from then, so that
    the state is consistent.
    """

    def __init__(self, run: RLTraining, log: Log, timer: RunTimer) -> None:
        super().__init__()
        self.run, self.log, self.timer = run, log, timer

    def _on_rollout_start(self) -> None:
        run = self.run
        share = run.share(self.timer)
        if share >= 1:
            raise Stopped
        if run.config.schedule_minutes:
            rate: Any = self.model.learning_rate
            rate.share = share
        if self.num_timesteps >= run.next_evaluation and run.config.evaluate_every:
            run.next_evaluation = self.num_timesteps + run.config.evaluate_every
            self.evaluate()
        if self.timer.over:
            raise Stopped
        if run.config.critic_warm_up:
            freeze_policy(self.model, self.num_timesteps < run.config.critic_warm_up)
        if self.num_timesteps >= run.next_checkpoint:
            run.checkpoint(self.timer)

    def _on_step(self) -> bool:
        return True

    def evaluate(self) -> None:
        """Write one row: recent training episodes, and a fresh evaluation."""
        run, recent = self.run, list(self.model.ep_info_buffer or ())
        row = {"step": self.num_timesteps, "seconds": run.seconds + self.timer.seconds}
        if recent:
            row["reward"] = float(np.mean([episode["r"] for episode in recent]))
            row["length"] = float(np.mean([episode["l"] for episode in recent]))
        shots = evaluate(self.model, run.config.evaluate_games, run.config.seed + 1)
        self.log.write({**row, "shots": float(shots.mean())})


def load(folder: Path) -> BaseAlgorithm:
    """The trained model of a run's folder.

    It is built from its config and takes only the weights from its file, because the file's pickled
    parts can't be read by another version of Python.
    """
    facts = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
    idle = {"device": "cpu", "boards": 1, "rollout": 2, "batch_size": 2, "buffer": 2}
    config = build(BattleshipRL, {**facts["config"], **idle}, owner="rl")
    model = make_model(config, make_env(config))
    model.set_parameters(str(folder / "model.zip"), device="cpu")
    return model


class RLTraining(TrainingRun[BattleshipRL]):
    """The training run of an algorithm of Stable-Baselines3."""

    def __init__(self, config: BattleshipRL, folder: Path) -> None:
        super().__init__(config, folder)
        self.env = make_env(config)
        self.model = make_model(config, self.env)
        if config.start_from:
            start_from_heatmap(self.model, load_heatmap(Path(config.start_from)))
        # The default logger leaves a folder behind in the temporary one.
        self.model.set_logger(Logger(None, []))
        self.next_evaluation = 0
        """The shot at which the next evaluation is due."""
        self.next_checkpoint = config.checkpoint_every
        """The shot at which the next checkpoint is due."""

    @property
    def step(self) -> int:
        """Shots so far."""
        return self.model.num_timesteps

    def run(self, *, live: bool = True, timer: RunTimer | None = None) -> None:
        timer = timer or RunTimer(self.config.minutes)
        begun = self.step
        log = Log(self.folder, resume_at=begun if begun else None, live=live)
        callback = RunCallback(self, log, timer)
        left = FOREVER if self.config.schedule_minutes else max(0, self.config.steps - begun)
        with stoppable(timer), log:
            with suppress(Stopped):
                self.model.learn(left, callback=callback, reset_num_timesteps=not begun)
            if self.config.evaluate_every and self.share(timer) >= 1:
                callback.evaluate()
        self.checkpoint(timer)
        self.save()

    def share(self, timer: RunTimer) -> float:
        """The share of the whole run that is over: of its minutes, or else of its steps."""
        seconds = self.seconds + timer.seconds
        return share_over(self.step, self.config.steps, seconds, self.config.schedule_minutes)

    def checkpoint(self, timer: RunTimer | None = None) -> Path:
        """Write `checkpoint.pt`; the state is exact only between two rollouts."""
        self.next_checkpoint = self.step + self.config.checkpoint_every
        return super().checkpoint(timer)

    def state(self) -> dict[str, Any]:
        return {
            "next_evaluation": self.next_evaluation,
            "next_checkpoint": self.next_checkpoint,
            "model": sb3_state.state(self.model, self.env),
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.next_evaluation = state["next_evaluation"]
        self.next_checkpoint = state["next_checkpoint"]
        sb3_state.restore(self.model, self.env, state["model"])

    def save(self) -> None:
        self.model.save(self.folder / "model.zip")
        facts = describe(
            self.config,
            kind="battleship-rl",
            board_size=[SIDE, SIDE],
            channels=list(CHANNELS),
            seed=self.config.seed,
            steps=self.step,
        )
        write_json(self.folder / "metadata.json", facts)
