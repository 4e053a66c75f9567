"""Moored: a ship that repeats one plan, for lessons, puzzles and tests of what others do to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from trireme.core.game import Turn
from trireme.core.options import option
from trireme.navigation.plans import Order, Plan
from trireme.navigation.rules import NavigationState, as_navigation


@dataclass(frozen=True)
class Moored:
    """Stays where it is and does nothing, or repeats a plan: a target to practise on."""

    plan: str = option("", "the plan of every turn, such as FpL-Rs1-h; empty: stay and do nothing")

    name: ClassVar[str] = "moored"

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        if self.plan:
            return as_navigation(turn.game).read(self.plan)
        return (Order(),) * as_navigation(turn.game).phases
