"""PettingZoo: a duel of Battleship turn by turn, and Battle Navigation with both captains at once.

python examples/env_zoo.py --seed 3
"""

import argparse

import numpy as np

from trireme.envs import aec, parallel


def duel(seed: int) -> None:
    """Seats in turn: random shots, as the mask allows them."""
    env = aec("battleship", "duel")
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        if terminated or truncated:
            print(f"{agent} ends with {reward:+.0f}")
            env.step(None)
        else:
            env.step(rng.choice(np.flatnonzero(info["action_mask"])))


def sea_battle(seed: int) -> None:
    """Seats together: whole plans of four orders, drawn from the structured space."""
    env = parallel("navigation", max_cycles=30)
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed)
    _, infos = env.reset(seed=seed)
    rewards: dict[str, float] = {}
    while env.agents:
        plans = {a: env.action_space(a).sample(tuple(infos[a]["action_mask"])) for a in env.agents}
        _, rewards, _, _, infos = env.step(plans)
    print(f"{len(env.record.moves)} turns, {rewards}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    duel(args.seed)
    sea_battle(args.seed)


if __name__ == "__main__":
    main()
