"""Gomoku against oneself in batches: one network for both colours, here stood in for by chance.

python examples/env_selfplay.py --moves 300
"""

import argparse

import gymnasium
import numpy as np

import trireme.envs  # registers trireme/Gomoku-v0  # noqa: F401
from trireme.envs.gomoku_vector import WON


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--boards", type=int, default=256)
    parser.add_argument("--moves", type=int, default=300)
    args = parser.parse_args()

    envs = gymnasium.make_vec(
        "trireme/Gomoku-v0", num_envs=args.boards, size=9, autoreset_mode="SameStep"
    )
    rng = np.random.default_rng(0)
    observations, infos = envs.reset(seed=0)
    wins = {"black": 0, "white": 0, "nobody": 0}
    for _ in range(args.moves):
        black_moves = observations["black"][:, 0] == 1
        tickets = rng.random(infos["action_mask"].shape, np.float32) * infos["action_mask"]
        observations, rewards, terminated, _, infos = envs.step(tickets.argmax(axis=1))
        if terminated.any():
            won = terminated & (infos["final_info"]["outcome"] == WON)
            assert (rewards[won] == 1).all()  # the reward belongs to the side that has moved
            wins["black"] += int((won & black_moves).sum())
            wins["white"] += int((won & ~black_moves).sum())
            wins["nobody"] += int((terminated & ~won).sum())
    print(", ".join(f"{who} {count}" for who, count in wins.items()))


if __name__ == "__main__":
    main()
