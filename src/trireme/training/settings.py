"""Every setting of every training run, stated once: defaults, help, YAML keys and options alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trireme.core.errors import BadSettings
from trireme.core.options import option


@dataclass(frozen=True)
class GomokuDQN:
    """Double DQN with dueling heads on Gomoku, by self-play."""

    seed: int = option(1, "the same seed gives the same run on a CPU")
    device: str = option("auto", "cpu, cuda, or auto: cuda where there is one")
    threads: int = option(2, "threads on the CPU")
    steps: int = option(200_000, "updates of the network in the whole run")
    minutes: float = option(0.0, "stop after so many minutes, with a checkpoint; 0: don't")

    size: int = option(15, "points along a side of the board")
    rule: Literal["standard", "freestyle"] = option("standard", "exactly five win, or five or more")
    filters: int = option(64, "filters of every convolution")
    layers: int = option(4, "convolutions of the trunk")

    games: int = option(256, "games in play at once")
    plies_per_step: int = option(1, "plies that every game goes on between two updates")
    opening_stones: int = option(4, "a game begins with up to so many random stones, at most 8")
    epsilon_start: float = option(0.30, "the explorer's share of random moves at the beginning")
    epsilon_end: float = option(0.02, "and at the end")
    epsilon_steps: int = option(200_000, "updates over which it falls")
    epsilon_first: float = option(0.25, "the explorer's, where only self-play is asked for")
    epsilon_second: float = option(0.05, "the partner's, and that of all other opponents")
    heuristic_share: float = option(0.2, "share of games against the heuristic")
    lesson_share: float = option(
        0.0, "share of games where the heuristic plays itself, to learn from"
    )
    elder_share: float = option(0.2, "share of games against older snapshots of the network")
    elders: int = option(5, "how many snapshots are kept, to be met in turn")
    elder_every: int = option(5_000, "updates between two snapshots")
    step_penalty: float = option(0.0, "taken from the reward at every move, such as 0.001")

    lesson_weight: float = option(0.0, "how much it counts to prefer the heuristic's own moves")
    lesson_scale: float = option(0.1, "the lead in Q that makes a move e times as likely there")

    capacity: int = option(200_000, "transitions in the replay memory")
    minimum: int = option(5_000, "transitions that must be there before learning begins")
    prioritised: bool = option(False, "draw transitions by their errors, not uniformly")
    priority_alpha: float = option(0.6, "how much errors count in drawing")
    priority_beta: float = option(0.4, "how much weights make up for it at first; 1 at the end")

    gamma: float = option(0.99, "discount a ply")
    n_step: int = option(1, "plies of play that a target looks ahead")
    batch_size: int = option(256, "transitions an update")
    learning_rate: float = option(1e-3, "Adam's, at the beginning")
    learning_rate_end: float = option(1e-3, "and at the end, reached along a cosine")
    clip: float = option(1.0, "the largest norm of a gradient")
    target: Literal["soft", "hard"] = option("soft", "how the target network follows")
    tau: float = option(0.01, "soft: the part of the way that it follows at every update")
    hard_every: int = option(2_000, "hard: updates between two copies")

    log_every: int = option(100, "updates between two lines of the log")
    evaluate_every: int = option(5_000, "updates between two evaluations; 0: none")
    evaluate_games: int = option(200, "games against random, and as many against the heuristic")
    checkpoint_every: int = option(5_000, "updates between two checkpoints")
    checkpoint_replay: bool = option(True, "keep the replay too: needed to resume exactly")

    def __post_init__(self) -> None:
        check(self, at_least={"steps": 1, "games": 2, "threads": 1, "capacity": 1, "n_step": 1})
        check(self, at_least={"size": 5, "filters": 2, "layers": 1, "batch_size": 1})
        check(self, at_least={"log_every": 1, "checkpoint_every": 1, "elder_every": 1})
        if not 0 <= self.opening_stones <= 8:
            raise BadSettings(f"opening_stones must be from 0 to 8, not {self.opening_stones}")
        if self.minimum > self.capacity:
            raise BadSettings(
                f"minimum ({self.minimum}) must not exceed capacity ({self.capacity})"
            )
        if not 0 <= self.heuristic_share + self.lesson_share + self.elder_share <= 1:
            raise BadSettings(
                "heuristic_share, lesson_share and elder_share must add up to 1 at most"
            )


@dataclass(frozen=True)
class BattleshipHeatmap:
    """A network that sees where ships lie, trained on fleets as the game places them."""

    seed: int = option(1, "the same seed gives the same run on a CPU")
    device: str = option("auto", "cpu, cuda, or auto: cuda where there is one")
    threads: int = option(2, "threads on the CPU")
    steps: int = option(20_000, "updates of the network in the whole run")
    minutes: float = option(0.0, "stop after so many minutes, with a checkpoint; 0: don't")

    filters: int = option(64, "filters of every convolution")
    blocks: int = option(6, "residual blocks of two convolutions")

    boards: int = option(512, "boards in play at once; each gives every update one position")
    epsilon: float = option(0.1, "share of shots that are drawn at random, so that it sees more")
    learning_rate: float = option(1e-3, "Adam's, at the beginning")
    learning_rate_end: float = option(1e-5, "and at the end, reached along a cosine")
    clip: float = option(1.0, "the largest norm of a gradient")

    log_every: int = option(100, "updates between two lines of the log")
    evaluate_every: int = option(2_000, "updates between two evaluations; 0: none")
    evaluate_games: int = option(1_000, "boards of an evaluation")
    checkpoint_every: int = option(2_000, "updates between two checkpoints")

    def __post_init__(self) -> None:
        check(self, at_least={"steps": 1, "boards": 1, "threads": 1})
        check(self, at_least={"log_every": 1, "checkpoint_every": 1, "filters": 1, "blocks": 1})


@dataclass(frozen=True)
class BattleshipRL:
    """An algorithm of Stable-Baselines3 on the vector environment of Battleship."""

    algorithm: Literal["ppo", "dqn", "a2c", "maskable-ppo"] = option(
        "maskable-ppo", "which algorithm"
    )
    seed: int = option(1, "the same seed gives the same run on a CPU")
    device: str = option("auto", "cpu, cuda, or auto: cuda where there is one")
    threads: int = option(2, "threads on the CPU")
    steps: int = option(2_000_000, "shots in the whole run")
    minutes: float = option(0.0, "stop after so many minutes, with a checkpoint; 0: don't")

    filters: int = option(64, "filters of every convolution")
    blocks: int = option(3, "residual blocks of two convolutions")

    boards: int = option(256, "boards in play at once")
    reward_miss: float = option(-0.1, "reward of a miss")
    reward_hit: float = option(0.0, "reward of a hit")
    reward_sunk: float = option(0.0, "reward of a sinking")
    reward_won: float = option(0.0, "reward of the last sinking")
    reward_invalid: float = option(-0.5, "reward of an invalid shot, where nothing masks it")
    gamma: float = option(0.99, "discount a shot")
    learning_rate: float = option(1e-3, "Adam's, at the beginning")
    learning_rate_end: float = option(1e-4, "and at the end, reached along a line")
    batch_size: int = option(2_048, "shots an update")
    rollout: int = option(32, "ppo, a2c: shots on each board between two rounds of learning")
    epochs: int = option(4, "ppo: passes over each rollout")
    gae_lambda: float = option(0.95, "ppo, a2c: how far advantages look ahead")
    clip_range: float = option(0.2, "ppo: how far the policy may move in one round")
    entropy: float = option(0.005, "ppo, a2c: bonus for an open mind")
    buffer: int = option(200_000, "dqn: shots in the replay memory")
    epsilon_end: float = option(0.05, "dqn: share of random shots in the end")

    evaluate_every: int = option(200_000, "shots between two evaluations; 0: none")
    evaluate_games: int = option(200, "boards of an evaluation")
    checkpoint_every: int = option(500_000, "shots between two checkpoints")

    def __post_init__(self) -> None:
        check(self, at_least={"steps": 1, "boards": 1, "threads": 1, "batch_size": 1, "rollout": 1})
        check(self, at_least={"checkpoint_every": 1})


@dataclass(frozen=True)
class Gate:
    """What a trained network has to show in the arena before it ships."""

    against: str = option("heuristic", "gomoku: the agent to beat")
    games: int = option(500, "games against it, or boards of Battleship")
    threshold: float = option(0.55, "gomoku: the score to reach against it")
    random_games: int = option(200, "gomoku: games against random")
    random_threshold: float = option(0.95, "gomoku: the score to reach against random")
    epsilon: float = option(0.02, "gomoku: share of random moves of both sides, so that games vary")
    tree_games: int = option(0, "gomoku: games of dqn+mcts against dqn, for the report; 0: none")
    most_shots: float = option(50.0, "battleship: the mean shots that must not be exceeded")
    seed: int = option(0, "seed of the schedule")
    executor: Literal["serial", "processes", "ray"] = option("processes", "where games run")
    workers: int = option(0, "processes; 0: one a core")

    def __post_init__(self) -> None:
        check(self, at_least={"games": 1, "random_games": 1, "tree_games": 0, "workers": 0})


def check(settings: object, at_least: dict[str, int]) -> None:
    """Refuse settings that are below their bounds."""
    for name, least in at_least.items():
        value = getattr(settings, name)
        if value < least:
            raise BadSettings(f"{name} must be at least {least}, not {value}")
