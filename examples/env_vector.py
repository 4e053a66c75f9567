"""A thousand boards of Battleship at once: random play through `make_vec`, masks and all.

python examples/env_vector.py --steps 2000
"""

import argparse
import time

import gymnasium
import numpy as np

import trireme.envs  # registers trireme/Battleship-v0  # noqa: F401


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--boards", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=2000)
    args = parser.parse_args()

    envs = gymnasium.make_vec(
        "trireme/Battleship-v0", num_envs=args.boards, autoreset_mode="SameStep"
    )
    rng = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)
    shots: list[int] = []
    began = time.perf_counter()
    for _ in range(args.steps):
        tickets = rng.random(infos["action_mask"].shape, np.float32) * infos["action_mask"]
        _, _, terminated, _, infos = envs.step(tickets.argmax(axis=1))
        if terminated.any():
            shots += infos["final_info"]["move_count"][terminated].tolist()
    rate = args.boards * args.steps / (time.perf_counter() - began)
    print(f"{len(shots)} games of random play, {np.mean(shots):.1f} shots each")
    print(f"{rate:,.0f} steps a second, drawing the random numbers included")


if __name__ == "__main__":
    main()
