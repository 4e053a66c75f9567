"""MaskablePPO of Stable-Baselines3 on batches of Battleship boards.

python examples/env_maskable_ppo.py --steps 100000
"""

import argparse

import numpy as np
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from trireme.envs import BattleshipVecEnv


def mean_shots(model: MaskablePPO, env: VecEnv, episodes: int) -> float:
    """How many shots the model needs, over so many episodes."""
    shots: list[int] = []
    observations = env.reset()
    while len(shots) < episodes:
        actions, _ = model.predict(observations, action_masks=get_action_masks(env))  # type: ignore[arg-type]
        observations, _, ended, infos = env.step(actions)
        shots += [infos[board]["episode"]["l"] for board in np.flatnonzero(ended)]
    return float(np.mean(shots))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--steps", type=int, default=300_000)
    parser.add_argument("--boards", type=int, default=64)
    parser.add_argument("--side", type=int, default=6, help="rows and columns of the board")
    parser.add_argument("--episodes", type=int, default=200, help="episodes of each evaluation")
    args = parser.parse_args()

    rewards = {"miss": -1.0, "hit": 1.0, "sunk": 1.0, "won": 1.0}
    env = VecMonitor(BattleshipVecEnv(args.boards, (args.side, args.side), rewards=rewards))
    env.seed(0)
    model = MaskablePPO(
        "MultiInputPolicy",
        env,
        n_steps=32,
        batch_size=min(512, 32 * args.boards),
        n_epochs=6,
        gamma=0.9,
        learning_rate=1e-3,
        policy_kwargs={"net_arch": [128, 128]},
        seed=0,
        device="cpu",
    )
    print(f"untrained: {mean_shots(model, env, args.episodes):.1f} shots")
    model.learn(args.steps)
    print(f"after {model.num_timesteps:,} steps: {mean_shots(model, env, args.episodes):.1f} shots")


if __name__ == "__main__":
    main()
