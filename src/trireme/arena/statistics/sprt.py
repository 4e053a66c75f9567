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

_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The mean score of a pair's two games, for each of the five results."""
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

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise BadSpec(f"expected elo0 < elo1, not {self.elo0:g} and {self.elo1:g}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise BadSpec(f"{name} must be between 0 and 0.5, not {value:g}")

    @classmethod
    def parse(cls, text: str) -> Sprt:
        """Read `elo0,elo1` or `elo0,elo1,alpha,beta`.

        >>> Sprt.parse("0,10")
        Sprt(elo0=0.0, elo1=10.0, alpha=0.05, beta=0.05)
        """
        try:
            numbers = [float(part) for part in text.split(",")]
        except ValueError:
            numbers = []
        if len(numbers) not in (2, 4):
            raise BadSpec(f"expected elo0,elo1 or elo0,elo1,alpha,beta, not {text!r}")
        return cls(*numbers)

    def to_plain(self) -> dict[str, Any]:
        return asdict(self)

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
        zero, one = (_constrained(shares, expected_score(e)) for e in (self.elo0, self.elo1))
        return float(seen.sum() * (shares @ np.log(one / zero)))

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


def _constrained(shares: Floats, mean: float) -> Floats:
    """The maximum-likelihood frequencies, given observed `shares`, whose mean score is `mean`.

    They are shares / (1 + t·(score - mean)); t is found by bisection, as the mean falls with t.
    """
    # Plain floats: five of them are too few for arrays to be quicker.
    terms = [(share, score - mean) for share, score in zip(shares.tolist(), _SCORES, strict=True)]
    low, high = -1 / terms[-1][1], -1 / terms[0][1]
    for _ in range(60):
        middle = (low + high) / 2
        if sum(share * away / (1 + middle * away) for share, away in terms) > 0:
            low = middle
        else:
            high = middle
    tilt = (low + high) / 2
    return np.array([share / (1 + tilt * away) for share, away in terms])
