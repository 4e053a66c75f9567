"""Adaptive: models the opponent from its past turns, and exploits it within a safety margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from trireme.core.options import option

from .nash import Nash


@dataclass
class Adaptive(Nash):
    """Nash that may risk more value to exploit whoever it takes the enemy for.

    Over a whole game no opponent can take more than `margin` from what the equilibrium guarantees,
    beyond what its own mistakes gave away before.
    """

    name: ClassVar[str] = "adaptive"
    bold: ClassVar[bool] = False

    margin: float = option(
        0.6,
        "0 to 2: value that may be risked in a game, beyond what the enemy's mistakes gave away; "
        "higher: exploits more, and is easier to exploit",
    )

    def beliefs(self) -> Mapping[str, float]:
        """How probable each kind of opponent is, by spec; `rational`: none of the known."""
        return {} if self._memory is None else dict(self._memory.model.beliefs)
