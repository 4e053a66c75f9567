"""The promotion gate: a candidate must reach a score against a baseline, and the match is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import msgspec

from trireme.core.errors import BadSpec
from trireme.core.game import AnyGame

from .match import Match, entrants
from .report import write_reports
from .run import Progress, new_path, run_match, start
from .standing import ScoreStanding, WinDrawLoss


@dataclass(frozen=True, kw_only=True)
class GateResult(WinDrawLoss):
    """Whether the candidate passed, and on what evidence; games are counted from its side."""

    passed: bool
    candidate: str
    against: str
    threshold: float
    evidence: str
    elo_change: float
    """The candidate's rating minus the opponent's; only a bound where one won everything."""
    folder: str
    """The run folder with the report, every record, and this result as gate.json."""


def gate(
    game: AnyGame,
    candidate: Any,
    against: Any,
    *,
    threshold: float = 0.55,
    games: int = 500,
    evidence: Literal["score", "interval"] = "score",
    seed: int = 0,
    seconds: float | None = None,
    executor: str = "processes",
    workers: int | None = None,
    out: Path | None = None,
    on_game: Callable[[Progress], object] | None = None,
) -> GateResult:
    """Play `candidate` against `against` (specs or agents); it passes if it scores `threshold`.

    With `evidence="interval"` the lower bound of the score's 95 % interval has to reach it.
    """
    if game.seats != 2:
        raise BadSpec(f"a gate is a match of two agents; {game.name} has {game.seats} seat here")
    if not 0 < threshold < 1:
        raise BadSpec(f"the threshold is a score between 0 and 1, not {threshold:g}")
    match = Match(game, entrants(game, (candidate, against)), games, seed, seconds)
    folder = start(match, out or new_path(f"gate-{game.name}"))
    progress = run_match(folder, executor=executor, workers=workers, on_game=on_game)
    report = write_reports(folder, progress)
    standings = {a.name: a.standing for a in report.agents}
    ours, theirs = (standings[name] for name in match.names)
    assert isinstance(ours, ScoreStanding)
    assert isinstance(theirs, ScoreStanding)
    reached = ours.score if evidence == "score" else ours.score_ci95[0]
    counts = {field.name: getattr(ours, field.name) for field in fields(WinDrawLoss)}
    result = GateResult(
        **counts,
        passed=reached >= threshold,
        candidate=match.names[0],
        against=match.names[1],
        threshold=threshold,
        evidence=evidence,
        elo_change=ours.elo - theirs.elo,
        folder=str(folder.path),
    )
    text = msgspec.json.format(msgspec.json.encode(asdict(result)), indent=2)
    (folder.path / "gate.json").write_bytes(text + b"\n")
    return result
