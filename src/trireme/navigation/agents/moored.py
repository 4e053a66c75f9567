"""Moored: a ship at anchor, for lessons and for tests of what others do to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from trireme.core.game import Turn
from trireme.navigation.plans import Order, Plan
from trireme.navigation.rules import NavigationState, as_navigation


@dataclass(frozen=True)
class Moored:
    """Stays where it is and does nothing: a target to practise on."""

    name: ClassVar[str] = "moored"

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        return (Order(),) * as_navigation(turn.game).phases
