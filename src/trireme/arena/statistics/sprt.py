"""Pentanomial GSPRT: the generalised sequential probability ratio test over pairs of games.

The two games of a pair share their start, so the pair is the unit: its five possible scores (0, ½,
1, 1½, 2 points) have frequencies of their own, and no independence of the two games is assumed. The
log-likelihood ratio (LLR) is the generalised one: under each hypothesis the frequencies are the
maximum-likelihood ones among all with the hypothesis' mean. The test stops at Wald's bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from trireme.core.errors import BadSpec

from .bootstrap import Floats
from .normalized_elo import SCORES, constrained_to_mean, constrained_to_normalized

_UNSEEN = 1e-3
"""The count of a result that has not occurred: the likelihood needs all five to be possible."""

SprtVerdict = Literal["stronger", "not stronger"]


@dataclass(frozen=True)
class Sprt:
    """Is the first agent stronger by `elo1` rather than by `elo0`?"""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """The largest chance of `stronger` when the truth is `elo0`."""
    beta: float = 0.05
    """The largest chance of `not stronger` when the truth is `elo1`."""
    normalized: bool = False
    """Whether `elo0` and `elo1` are normalised Elo (`normalized_elo.py`): tests by it take about as
    many games at any draw rate."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise BadSpec(f"expected elo0 < elo1, not {self.elo0:g} and {self.elo1:g}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise BadSpec(f"{name} must be between 0 and 0.5, not {value:g}")

    @classmethod
    def parse(cls, text: str, *, normalized: bool = False) -> Sprt:
        """Read `elo0,elo1` or `elo0,elo1,alpha,beta`.

        >>> Sprt.parse("0,10")
        Sprt(elo0=0.0, elo1=10.0, alpha=0.05, beta=0.05, normalized=False)
        """
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 4):
            raise BadSpec(f"expected elo0,elo1 or elo0,elo1,alpha,beta, not {text!r}")
        elo0, elo1, *errors = numbers
        alpha, beta = errors or (0.05, 0.05)
        return cls(elo0, elo1, alpha, beta, normalized)

    def to_plain(self) -> dict[str, Any]:
        plain = asdict(self)
        if not self.normalized:  # as in the files of older versions
            del plain["normalized"]
        return plain

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test stops: Wald's bounds."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[int] | Floats) -> float:
        """The log-likelihood ratio (LLR) of `elo1` over `elo0`, from counts of the pair scores."""
        seen = np.asarray(counts, np.float64)
        if not seen.sum():
            return 0.0
        filled = np.where(seen > 0, seen, _UNSEEN)
        shares = filled / filled.sum()
        zero, one = (self._likeliest(shares, elo) for elo in (self.elo0, self.elo1))
        return float(seen.sum() * (shares @ np.log(one / zero)))

    def _likeliest(self, shares: Floats, elo: float) -> Floats:
        if self.normalized:
            return constrained_to_normalized(shares, elo)
        return constrained_to_mean(shares, SCORES, expected_score(elo))

    def verdict(self, counts: Sequence[int] | Floats) -> SprtVerdict | None:
        """The verdict on the results so far; None while more games are needed."""
        low, high = self.bounds
        llr = self.llr(counts)
        return "stronger" if llr >= high else "not stronger" if llr <= low else None


def expected_score(elo: float) -> float:
    """The expected score at a difference in Elo rating (logistic).

    >>> expected_score(0), round(expected_score(400), 4)
    (0.5, 0.9091)
    """
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of(score: float) -> float | None:
    """The difference in Elo rating of an expected score; None for 0 and 1, which have none.

    >>> round(elo_of(0.6), 1), elo_of(1.0)
    (70.4, None)
    """
    return 400 * math.log10(score / (1 - score)) if 0 < score < 1 else None


def pair_counts(scores: Sequence[float]) -> Floats:
    """Counts of the five results among pair scores (means of two games)."""
    counts = np.zeros(5)
    for score in scores:
        counts[round(score * 4)] += 1
    return counts
