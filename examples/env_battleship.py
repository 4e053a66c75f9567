"""The Gymnasium environment of Battleship, played by a few lines of common sense.

python examples/env_battleship.py --episodes 20
"""

import argparse

import gymnasium
import numpy as np
from numpy.typing import NDArray

import trireme.envs  # registers trireme/Battleship-v0  # noqa: F401


def choose(board: NDArray[np.int8], mask: NDArray[np.int8], rng: np.random.Generator) -> int:
    """An open cell beside a hit where there is one, else any open cell."""
    hits = np.pad(board == 2, 1)
    beside = hits[:-2, 1:-1] | hits[2:, 1:-1] | hits[1:-1, :-2] | hits[1:-1, 2:]
    wanted = np.flatnonzero(beside.reshape(-1) & (mask == 1))
    return int(rng.choice(wanted if len(wanted) else np.flatnonzero(mask)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    env = gymnasium.make("trireme/Battleship-v0", render_mode="ansi")
    rng = np.random.default_rng(args.seed)
    shots = []
    for episode in range(args.episodes):
        observation, info = env.reset(seed=args.seed + episode)
        over = False
        while not over:
            action = choose(observation["attack_board"], info["action_mask"], rng)
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        shots.append(info["move_count"])
    print(env.render())
    print(f"mean shots over {args.episodes} episodes: {np.mean(shots):.1f}")


if __name__ == "__main__":
    main()
