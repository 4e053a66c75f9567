"""Every setting of every training run, stated once: default, help, YAML key and option alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trireme.core.errors import BadSettings
from trireme.core.options import option


@dataclass(frozen=True)
class RunSettings:
    """What every training run has."""

    seed: int = option(1, "random seed; on a CPU the same seed gives the same run")
    device: str = option("auto", "cpu, cuda, or auto: cuda where there is one")
    threads: int = option(2, "CPU threads; more are faster only on idle cores")
    steps: int = option(0, "length of the run")
    minutes: float = option(0.0, "stop after so many minutes, with a checkpoint; 0: no limit")


@dataclass(frozen=True)
class GomokuDQN(RunSettings):
    """Double DQN with dueling heads on Gomoku, by self-play."""

    steps: int = option(200_000, "gradient updates in the whole run")

    size: int = option(15, "points along a side of the board")
    rule: Literal["standard", "freestyle"] = option(
        "standard", "standard: exactly five in a row win; freestyle: five or more"
    )
    filters: int = option(64, "filters of every convolution; more learn more and run slower")
    layers: int = option(4, "convolutions of the trunk; more learn more and run slower")
    normalisation: Literal["layer", "none"] = option(
        "layer",
        "layer: normalise the channels of each point, as acting and learning see it; none: do not",
    )
    start_from: str = option(
        "", "begin with the weights of this network.pt, of the same shape; empty: random weights"
    )

    games: int = option(256, "games played in parallel")
    plies_per_step: int = option(
        1, "plies in every game between two updates; more give fresher data per update"
    )
    opening_stones: int = option(
        4, "each game starts with 0 to this many random stones (at most 8); more vary openings"
    )
    epsilon_start: float = option(0.30, "epsilon-greedy: the explorer's random moves at the start")
    epsilon_end: float = option(0.02, "epsilon-greedy: the explorer's random moves at the end")
    epsilon_steps: int = option(200_000, "updates over which epsilon falls linearly")
    epsilon_first: float = option(0.25, "the explorer's epsilon with --self-play-only")
    epsilon_second: float = option(0.05, "epsilon of its opponents, constant")
    heuristic_share: float = option(0.2, "share of games against the heuristic agent")
    demonstration_share: float = option(
        0.0, "share of games in which the heuristic plays itself, as demonstrations"
    )
    snapshot_share: float = option(0.2, "share of games against past snapshots of the network")
    snapshots: int = option(5, "how many past snapshots are kept and played in turn")
    snapshot_every: int = option(5_000, "updates between two snapshots")
    step_penalty: float = option(
        0.0, "subtracted from the reward of every move, such as 0.001; more favours short games"
    )

    imitation_weight: float = option(
        0.0, "weight of the imitation loss on the heuristic's moves; 0: reinforcement only"
    )
    imitation_temperature: float = option(
        0.1, "softmax temperature over Q in the imitation loss; lower asks for smaller leads in Q"
    )

    capacity: int = option(200_000, "transitions in the replay buffer; the oldest are replaced")
    minimum: int = option(5_000, "transitions in the replay buffer before the first update")
    prioritised: bool = option(
        False, "prioritised experience replay: sample large TD errors more often"
    )
    priority_alpha: float = option(0.6, "exponent of the priorities; 0: uniform sampling")
    priority_beta: float = option(
        0.4, "importance-sampling exponent at the start, rising to 1; 1 corrects the bias fully"
    )

    gamma: float = option(0.99, "discount per ply; lower values early wins more")
    n_step: int = option(1, "plies of the n-step return before the bootstrapped value")
    batch_size: int = option(256, "transitions per update")
    learning_rate: float = option(1e-3, "Adam's learning rate at the start")
    learning_rate_end: float = option(1e-3, "learning rate at the end of the cosine schedule")
    clip: float = option(1.0, "gradients are clipped to this norm")
    target: Literal["soft", "hard"] = option(
        "soft", "target network: soft moves a little every update, hard is copied now and then"
    )
    tau: float = option(0.01, "soft: share of the way per update; higher follows faster")
    hard_every: int = option(2_000, "hard: updates between two copies; fewer follow faster")

    log_every: int = option(100, "updates between two rows of the log")
    evaluate_every: int = option(5_000, "updates between two evaluations; 0: none")
    evaluate_games: int = option(200, "games against random, and as many against the heuristic")
    checkpoint_every: int = option(5_000, "updates between two checkpoints")
    checkpoint_replay: bool = option(
        True, "store the replay buffer in checkpoints: large, but needed to resume exactly"
    )

    def __post_init__(self) -> None:
        check(self, at_least={"steps": 1, "games": 2, "threads": 1, "capacity": 1, "n_step": 1})
        check(self, at_least={"size": 5, "filters": 2, "layers": 1, "batch_size": 1})
        check(self, at_least={"log_every": 1, "checkpoint_every": 1, "snapshot_every": 1})
        if not self.imitation_temperature > 0:
            raise BadSettings(
                f"imitation_temperature must be more than 0, not {self.imitation_temperature:g}"
            )
        if not 0 <= self.opening_stones <= 8:
            raise BadSettings(f"opening_stones must be from 0 to 8, not {self.opening_stones}")
        if self.minimum > self.capacity:
            raise BadSettings(
                f"minimum ({self.minimum}) must not exceed capacity ({self.capacity})"
            )
        if not 0 <= self.heuristic_share + self.demonstration_share + self.snapshot_share <= 1:
            raise BadSettings(
                "heuristic_share, demonstration_share and snapshot_share must add up to 1 at most"
            )


@dataclass(frozen=True)
class GomokuTable(RunSettings):
    """The table network of Gomoku's engine, by supervised learning from games."""

    steps: int = option(20_000, "gradient updates in the whole run")
    schedule_minutes: float = option(
        0.0,
        "let the learning rate fall over so many minutes, not over the steps; 0: over the steps",
    )

    features: int = option(
        32, "numbers for each line window, half for each colour; the engine plays only with 32"
    )
    width: int = option(128, "hidden units of the mapping network; more learn more, train slower")

    batch_size: int = option(4_096, "positions per update")
    learning_rate: float = option(2e-3, "AdamW's learning rate at the start")
    learning_rate_end: float = option(2e-5, "learning rate at the end of the cosine schedule")
    warm_up: int = option(200, "updates over which the learning rate rises at first")
    weight_decay: float = option(1e-4, "AdamW's weight decay; more keeps weights smaller")
    clip: float = option(1.0, "gradients are clipped to this norm")
    outcome_share: float = option(
        0.5, "share of the game's outcome in the value target; the rest is the stored root value"
    )
    policy_weight: float = option(0.3, "weight of the policy loss beside the value loss")
    teacher: str = option(
        "",
        "a gomoku-zero network.pt that labels positions beside the games; empty: only the games",
    )
    taught_positions: int = option(
        4_000_000, "positions that the teacher labels, once at the start"
    )
    taught_share: float = option(0.5, "share of the teacher's positions in every update")
    held_out: float = option(0.05, "share of the games that are kept for evaluation")

    log_every: int = option(100, "updates between two rows of the log")
    evaluate_every: int = option(1_000, "updates between two evaluations; 0: none")
    evaluate_positions: int = option(50_000, "held-out positions in an evaluation, at most")
    checkpoint_every: int = option(2_000, "updates between two checkpoints")

    def __post_init__(self) -> None:
        check(self, at_least={"steps": 1, "threads": 1, "width": 1, "batch_size": 1, "warm_up": 0})
        check(self, at_least={"log_every": 1, "checkpoint_every": 1, "evaluate_positions": 1})
        check(self, at_least={"taught_positions": 1})
        if self.features < 2 or self.features % 2:
            raise BadSettings(f"features must be even and at least 2, not {self.features}")
        if not 0 <= self.outcome_share <= 1:
            raise BadSettings(f"outcome_share must be from 0 to 1, not {self.outcome_share:g}")
        if not 0 <= self.taught_share < 1:
            raise BadSettings(f"taught_share must be from 0 to below 1, not {self.taught_share:g}")
        if not 0 < self.held_out < 1:
            raise BadSettings(f"held_out must be between 0 and 1, not {self.held_out:g}")


@dataclass(frozen=True)
class GomokuZero(RunSettings):
    """A policy-value network of Gomoku from nothing but the rules, by self-play with Gumbel search.

    A step is one move in every game, followed by `updates` gradient updates.
    """

    steps: int = option(20_000, "steps in the whole run: one move in every game each")

    size: int = option(15, "points along a side of the board")
    rule: Literal["standard", "freestyle"] = option(
        "standard", "standard: exactly five in a row win; freestyle: five or more"
    )
    blocks: int = option(6, "residual blocks of two convolutions; more learn more, run slower")
    channels: int = option(96, "channels of every convolution; more learn more and run slower")

    start_from: str = option(
        "", "begin with the weights of this network.pt, of the same shape; empty: random weights"
    )

    executor: Literal["local", "ray"] = option(
        "local", "where games are played: on the learner's device, or by actors of a Ray cluster"
    )
    actors: int = option(2, "ray: number of self-play actors; each plays `games` games in parallel")
    actor_gpus: float = option(0.0, "ray: GPUs of each actor, such as 0.5; 0: it plays on a CPU")
    address: str = option("", "ray: address of the cluster; empty: start one on this machine")

    games: int = option(1_024, "games played in parallel")
    opening_stones: int = option(
        5, "each game starts with 0 to this many random stones near the centre; 5 at most"
    )
    simulations: int = option(32, "simulations per move at the start; more play better, slower")
    simulations_end: int = option(32, "simulations per move at the end; they change linearly")
    considered: int = option(
        16, "root moves that sequential halving begins with; more explore more widely"
    )
    max_depth: int = option(10, "plies that a simulation descends at most; more cost time")
    fast_share: float = option(
        0.0, "share of moves searched briefly, which train only the value (playout cap)"
    )
    fast_simulations: int = option(8, "simulations of such a move")
    c_visit: float = option(50.0, "Gumbel search: higher trusts values more, priors less")
    c_scale: float = option(0.3, "Gumbel search: the factor of values against logits")

    capacity: int = option(400_000, "positions in the replay buffer; the oldest are replaced")
    minimum: int = option(20_000, "positions in the replay buffer before the first update")
    updates: int = option(4, "gradient updates per step; more use each position more often")
    batch_size: int = option(1_024, "positions per update")
    root_value_share: float = option(
        0.3, "weight of the search's value in the value target; the rest is the game's result"
    )
    learning_rate: float = option(1e-3, "AdamW's learning rate at the start")
    learning_rate_end: float = option(1e-4, "learning rate at the end of the cosine schedule")
    weight_decay: float = option(1e-4, "AdamW's weight decay; higher keeps weights smaller")
    clip: float = option(1.0, "gradients are clipped to this norm")
    schedule_minutes: float = option(
        0.0,
        "end the run after so many minutes over all sessions, and let schedules follow them; "
        "0: schedules follow the steps",
    )

    compile: Literal["none", "default", "max-autotune-no-cudagraphs"] = option(
        "none", "mode of torch.compile for the network; the later, the longer to start, the faster"
    )
    cuda_graph: bool = option(False, "replay each simulation as one CUDA graph; for small batches")

    games_file: str = option(
        "", "write the newest games for other trainings, as NAME-0.npz, NAME-1.npz, …; empty: none"
    )
    keep_positions: int = option(1_000_000, "positions of newest games that these files hold")
    keep_policies: int = option(
        500_000, "how many of them, the newest, keep their policies; fewer make smaller files"
    )
    snapshots: int = option(6, "past networks kept in history.pt, evenly over the run; 0: none")
    log_every: int = option(10, "steps between two rows of the log")
    evaluate_every: int = option(0, "steps between two evaluations; 0: none")
    evaluate_games: int = option(100, "games against random, and as many against the heuristic")
    checkpoint_every: int = option(500, "steps between two checkpoints")

    def __post_init__(self) -> None:
        check(self, at_least={"steps": 1, "threads": 1, "size": 5, "blocks": 1, "channels": 1})
        check(self, at_least={"games": 1, "opening_stones": 0, "considered": 1, "max_depth": 1})
        check(self, at_least={"actors": 1, "actor_gpus": 0})
        check(self, at_least={"simulations": 1, "simulations_end": 1, "fast_simulations": 1})
        check(self, at_least={"capacity": 1, "minimum": 1, "updates": 1, "batch_size": 1})
        check(self, at_least={"keep_positions": 0, "keep_policies": 0, "snapshots": 0})
        check(self, at_least={"log_every": 1, "checkpoint_every": 1, "evaluate_games": 2})
        for name in ("fast_share", "root_value_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadSettings(f"{name} must be from 0 to 1, not {getattr(self, name):g}")
        if self.opening_stones > 5:
            raise BadSettings(f"opening_stones must be from 0 to 5, not {self.opening_stones}")
        if self.games_file and self.size > 15:
            raise BadSettings(f"games_file needs a size of at most 15, not {self.size}")
        if self.minimum > self.capacity:
            raise BadSettings(
                f"minimum ({self.minimum}) must not exceed capacity ({self.capacity})"
            )

    @property
    def most_simulations(self) -> int:
        """The most simulations that any move of the run gets."""
        return max(self.simulations, self.simulations_end, self.fast_simulations)


@dataclass(frozen=True)
class BattleshipHeatmap(RunSettings):
    """A network that predicts where ships are, trained on fleets as the game places them."""

    steps: int = option(20_000, "gradient updates in the whole run")
    schedule_minutes: float = option(
        0.0,
        "end the run after so many minutes over all sessions, and let the learning rate follow "
        "them; 0: it follows the steps",
    )

    filters: int = option(64, "filters of every convolution; more learn more and run slower")
    blocks: int = option(6, "residual blocks of two convolutions; more learn more, run slower")

    start_from: str = option(
        "", "begin with the weights of this network.pt, of the same shape; empty: random weights"
    )

    labels: Literal["fleet", "posterior"] = option(
        "fleet",
        "what it learns: fleet, where the ships lie; posterior, how probable they are there, which "
        "takes milliseconds a position, and fewer positions",
    )
    boards: int = option(512, "boards played in parallel; each gives one position per update")
    epsilon: float = option(0.1, "share of random shots; more show it more unusual positions")
    learning_rate: float = option(1e-3, "Adam's learning rate at the start")
    learning_rate_end: float = option(1e-5, "learning rate at the end of the cosine schedule")
    clip: float = option(1.0, "gradients are clipped to this norm")

    log_every: int = option(100, "updates between two rows of the log")
    evaluate_every: int = option(2_000, "updates between two evaluations; 0: none")
    evaluate_games: int = option(1_000, "boards in an evaluation")
    checkpoint_every: int = option(2_000, "updates between two checkpoints")

    def __post_init__(self) -> None:
        check(self, at_least={"steps": 1, "boards": 1, "threads": 1})
        check(self, at_least={"log_every": 1, "checkpoint_every": 1, "filters": 1, "blocks": 1})


@dataclass(frozen=True)
class BattleshipRL(RunSettings):
    """An algorithm of Stable-Baselines3 on the vector environment of Battleship."""

    algorithm: Literal["ppo", "dqn", "a2c", "maskable-ppo"] = option(
        "maskable-ppo", "the algorithm; only maskable-ppo is kept from repeating shots"
    )
    steps: int = option(2_000_000, "shots in the whole run")
    schedule_minutes: float = option(
        0.0,
        "end the run after so many minutes over all sessions, and let the learning rate follow "
        "them; 0: it follows the steps",
    )

    filters: int = option(64, "filters of every convolution; more learn more and run slower")
    blocks: int = option(3, "residual blocks of two convolutions; more learn more, run slower")

    start_from: str = option(
        "",
        "begin with the weights of this network.pt of a heatmap, of the same shape; empty: random "
        "weights",
    )

    critic: Literal["shared", "separate"] = option(
        "shared",
        "ppo, a2c: whether the value uses the policy's convolutions or its own; its own leave the "
        "policy's alone, and take twice the time",
    )
    critic_warm_up: int = option(
        0, "shots in which only a separate critic learns; then the policy learns from its values"
    )

    boards: int = option(256, "boards played in parallel")
    reward_miss: float = option(-0.1, "reward of a miss")
    reward_hit: float = option(0.0, "reward of a hit")
    reward_sunk: float = option(0.0, "reward of sinking a ship")
    reward_won: float = option(0.0, "reward of sinking the last ship")
    reward_invalid: float = option(
        -0.5, "reward of a repeated shot, which maskable-ppo never makes"
    )
    gamma: float = option(0.99, "discount per shot; lower values early hits more")
    learning_rate: float = option(1e-3, "Adam's learning rate at the start")
    learning_rate_end: float = option(1e-4, "learning rate at the end of the linear schedule")
    batch_size: int = option(2_048, "shots per update")
    rollout: int = option(32, "ppo, a2c: shots on each board before the policy is updated")
    epochs: int = option(4, "ppo: passes over each rollout")
    gae_lambda: float = option(
        0.95, "ppo, a2c: lambda of the advantage estimate; lower has less variance, more bias"
    )
    clip_range: float = option(
        0.2, "ppo: how far the probability ratio may move in one update; lower is more cautious"
    )
    entropy: float = option(
        0.005, "ppo, a2c: weight of the entropy bonus; higher keeps the policy more random"
    )
    buffer: int = option(200_000, "dqn: shots in the replay buffer")
    epsilon_end: float = option(0.05, "dqn: share of random shots at the end of epsilon-greedy")

    evaluate_every: int = option(200_000, "shots between two evaluations; 0: none")
    evaluate_games: int = option(200, "boards in an evaluation")
    checkpoint_every: int = option(500_000, "shots between two checkpoints")

    def __post_init__(self) -> None:
        check(self, at_least={"steps": 1, "boards": 1, "threads": 1, "batch_size": 1, "rollout": 1})
        check(self, at_least={"checkpoint_every": 1})
        if self.algorithm == "dqn" and self.schedule_minutes:
            raise BadSettings("schedule_minutes is not for dqn: its exploration follows the steps")
        if self.critic_warm_up and (self.critic == "shared" or self.algorithm == "dqn"):
            raise BadSettings("critic_warm_up needs a policy with critic: separate")


@dataclass(frozen=True)
class NavigationValue(RunSettings):
    """The value network of Battle Navigation, by TD(lambda) with the turn's solver."""

    steps: int = option(600, "steps: each plays games, then updates the network")
    schedule_minutes: float = option(
        0.0,
        "end the run after so many minutes over all sessions, and let the learning rate follow "
        "them; 0: it follows the steps",
    )

    units: int = option(
        32, "units of the first layer, a multiple of 4; more learn more and search slower"
    )
    outputs: int = option(
        32, "units of the second layer, a multiple of 4; more learn more and search slower"
    )
    width: int = option(128, "hidden units of the two small networks; more learn more")

    warm_up: int = option(
        400, "updates on the formula's values before the first step; 0: begin with random weights"
    )
    seas: int = option(24, "seas that are played on together, each with ships and rules of its own")
    games: int = option(2, "games on each sea in one step; fewer use a newer network")
    turns: int = option(
        60,
        "turns of a game that begins with drawn poses, before it is cut off; fewer: more positions "
        "near the enemy, and less of what games end with",
    )
    renewed: float = option(0.3, "share of the seas drawn anew after each step; more vary more")
    near: float = option(0.85, "share of games that begin with drawn poses, hit points and turns")
    exploration: float = option(
        0.1, "share of plans that are drawn evenly from all candidates; more vary positions"
    )
    trace: float = option(
        0.8,
        "lambda of TD(lambda) at the start: share of a target that comes from the rest of its "
        "game, not from its solved turn; more: less bias, more noise",
    )
    trace_end: float = option(
        0.8, "lambda at the end; less: values that agree better with the turns solved from them"
    )
    rounds: int = option(5, "double-oracle iterations of a turn at most; more: truer targets")
    tolerance: float = option(
        0.06, "equilibrium gap at which a turn is solved; less: truer targets"
    )

    capacity: int = option(15_000, "positions in the replay buffer; the oldest are replaced")
    updates: int = option(80, "gradient updates per step; more use each position more often")
    batch_size: int = option(256, "positions per update")
    learning_rate: float = option(2e-3, "Adam's learning rate at the start")
    learning_rate_end: float = option(2e-4, "learning rate at the end of the cosine schedule")
    clip: float = option(1.0, "gradients are clipped to this norm")

    log_every: int = option(1, "steps between two rows of the log")
    checkpoint_every: int = option(10, "steps between two checkpoints")

    def __post_init__(self) -> None:
        check(self, at_least={"steps": 1, "threads": 1, "seas": 1, "games": 1, "turns": 1})
        check(self, at_least={"units": 4, "outputs": 4, "width": 1, "rounds": 1, "updates": 1})
        check(self, at_least={"batch_size": 1})
        check(self, at_least={"capacity": 1, "log_every": 1, "checkpoint_every": 1, "warm_up": 0})
        for name in ("units", "outputs"):
            if getattr(self, name) % 4:
                raise BadSettings(f"{name} must be a multiple of 4, not {getattr(self, name)}")
        for name in ("renewed", "near", "exploration", "trace", "trace_end"):
            if not 0 <= getattr(self, name) <= 1:
                raise BadSettings(f"{name} must be from 0 to 1, not {getattr(self, name):g}")


@dataclass(frozen=True)
class Gate:
    """The promotion gate: what a trained network has to show in the arena before it ships."""

    against: str = option("heuristic", "gomoku: the agent to beat")
    weights: Literal["best", "last"] = option(
        "best", "gomoku-dqn: promote the weights of the best evaluation, or the last ones"
    )
    games: int = option(500, "games against it, or boards of Battleship")
    threshold: float = option(
        0.55, "gomoku, navigation: the score to reach against it; higher is stricter"
    )
    random_games: int = option(200, "gomoku: games against random")
    random_threshold: float = option(0.95, "gomoku: the score to reach against random")
    epsilon: float = option(0.02, "gomoku: share of random moves of both sides, so that games vary")
    tree_games: int = option(0, "gomoku: games of dqn+mcts against dqn, for the report; 0: none")
    seconds: float = option(
        0.1, "gomoku-table: seconds a move of the engines with the network and with patterns"
    )
    rounds: int = option(
        16,
        "navigation-value: double-oracle iterations a plan, with the network and with the formula",
    )
    most_shots: float = option(50.0, "battleship: the mean shots to stay below; lower is stricter")
    seed: int = option(0, "random seed of the schedule")
    executor: Literal["serial", "processes", "ray"] = option(
        "processes", "where games run: in this process, in many, or on a Ray cluster"
    )
    workers: int = option(0, "worker processes; 0: one per core")

    def __post_init__(self) -> None:
        check(self, at_least={"games": 1, "random_games": 1, "tree_games": 0, "workers": 0})
        check(self, at_least={"rounds": 1})


@dataclass(frozen=True)
class Ladder:
    """The ladder: ratings of a run's past networks against each other and against other agents."""

    games: int = option(20, "games of every two agents; more give narrower intervals")
    simulations: int = option(32, "simulations a move of every network; more are slower")
    opponents: str = option(
        "heuristic dqn easy=search:level=easy,depth=2 medium=search:level=medium,depth=4 "
        "search=search:nodes=20000",
        "agents that the networks meet, separated by spaces, with or without NAME=",
    )
    seed: int = option(0, "random seed of the schedule")
    executor: Literal["serial", "processes", "ray"] = option(
        "processes", "where games run: in this process, in many, or on a Ray cluster"
    )
    workers: int = option(0, "worker processes; 0: one per core")

    def __post_init__(self) -> None:
        check(self, at_least={"games": 1, "simulations": 1, "workers": 0})


def check(settings: object, at_least: dict[str, int]) -> None:
    """Refuse settings that are below their bounds."""
    for name, least in at_least.items():
        value = getattr(settings, name)
        if value < least:
            raise BadSettings(f"{name} must be at least {least}, not {value}")
