"""A captain of your own for Battle Navigation, and how it fares against the agents that ship."""

from dataclasses import dataclass

from trireme import option, play
from trireme.core.game import Turn
from trireme.navigation.plans import Plan
from trireme.navigation.rules import NavigationState


@dataclass
class Corsair:
    """Tries random plans against an enemy at rest and keeps the one that hurts most."""

    name = "corsair"
    tries: int = option(40, "plans that it looks at")

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        own, other = turn.seat, 1 - turn.seat
        rest = turn.game.read("--" * 4)

        def harm(plan: Plan) -> float:
            after: NavigationState = turn.game.apply(turn.view, {own: plan, other: rest})
            first, second = after.ships
            far = abs(first.x - second.x) + abs(first.y - second.y)
            return 100 * turn.game.returns(after)[own] - after.ships[other].hp - 0.1 * far

        return max((turn.legal.sample(turn.rng) for _ in range(self.tries)), key=harm)


if __name__ == "__main__":
    for opponent in ("random", "greedy", "planner"):
        results = [play("navigation", [Corsair(), opponent], seed=seed) for seed in range(6)]
        won = sum(result.returns[0] == 1 for result in results)
        print(f"corsair against {opponent}: {won} of {len(results)} won")
