"""The ladder of a gomoku-zero run: Elo ratings of its past networks, and their curve over time.

Every network of `history.pt` meets every other and some fixed opponents in the arena, with the same
number of simulations a move. The folder `ladder/` of the run gets the networks, the match, the
ratings (`ladder.json`) and the curve (`ladder.svg`); a ladder that was stopped goes on there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from trireme.arena import Folder, Match, Progress, entrants, resume, run_match, start
from trireme.arena import write_reports as write_match_reports
from trireme.arena.match import to_plain
from trireme.arena.standing import ScoreStanding
from trireme.core import svg_plot
from trireme.core.errors import BadSettings
from trireme.core.intervals import Interval
from trireme.gomoku.rules import Gomoku

from .run import load_checkpoint, read_metadata, write_json
from .settings import Ladder
from .zero_export import export_zero
from .zero_network import ZeroNetwork, unpacked

WIDTH, HEIGHT, LEGEND = 760, 360, 150


@dataclass(frozen=True)
class Rung:
    """A rated agent of the ladder."""

    name: str
    elo: float
    """The mean of all agents is 0."""
    elo_ci95: Interval
    games: int
    score: float
    minutes: float | None = None
    """Minutes of training before this network was kept; None for an opponent."""


@dataclass(frozen=True)
class Snapshot:
    """A network of a run's history."""

    name: str
    minutes: float
    network: ZeroNetwork


def climb(
    folder: Path, config: Ladder, *, on_game: Callable[[Progress], object] | None = None
) -> list[Rung]:
    """Rate the history of the run in `folder`; opponents first, then its networks by age.

    A ladder of the same settings that was stopped goes on with the games that are left.
    """
    facts = read_metadata(folder)
    if facts["kind"] != "gomoku-zero":
        raise BadSettings(f"only gomoku-zero has a ladder, not {facts['kind']}")
    minutes: dict[str, float] = {}
    agents = config.opponents.split()
    for snapshot in snapshots(folder, facts):
        path = (folder / "ladder" / "networks" / f"{snapshot.name}.onnx").absolute()
        if not path.is_file():
            exact = facts["rule"] == "standard"
            export_zero(snapshot.network, path, size=facts["board_size"], exact=exact)
        minutes[snapshot.name] = snapshot.minutes
        options = f'model="{path}",simulations={config.simulations}'
        agents.append(f"{snapshot.name}=zero:{options}")
    game = Gomoku(size=facts["board_size"], rule=facts["rule"])
    match = Match(game, entrants(game, agents), config.games, config.seed)
    place = _place(match, folder / "ladder" / "match")
    workers = config.workers or None
    progress = run_match(place, executor=config.executor, workers=workers, on_game=on_game)
    rungs = [_rung(name, s, minutes.get(name)) for name, s in _standings(place, progress)]
    rungs.sort(key=lambda rung: (-1.0 if rung.minutes is None else rung.minutes, rung.elo))
    _write(folder / "ladder", config, rungs)
    return rungs


def snapshots(folder: Path, facts: dict[str, Any]) -> Iterator[Snapshot]:
    """The networks of a run's history, the untrained one first unless it began with weights."""
    path, config = folder / "history.pt", facts["config"]
    if not path.is_file():
        raise BadSettings(f"{str(folder)!r} has no history.pt: train with snapshots")
    kept = load_checkpoint(path)["networks"]
    if not config["start_from"]:
        torch.manual_seed(facts["seed"])
        untrained = ZeroNetwork(config["blocks"], config["channels"]).eval()
        yield Snapshot("untrained", 0.0, untrained)
    for number, found in enumerate(kept, start=1):
        yield Snapshot(f"snapshot-{number}", found["seconds"] / 60, unpacked(found))


def _place(match: Match, path: Path) -> Folder:
    """The folder of the match: a new one, or that of the same match, to go on."""
    if not (path / "match.json").exists():
        return start(match, path)
    folder = resume(path)
    if to_plain(folder.match) != to_plain(match):
        raise BadSettings(
            f"{str(path)!r} is a ladder of other networks or settings: to begin anew, remove "
            f"{str(path.parent)!r}"
        )
    return folder


def _standings(place: Folder, progress: Progress) -> Iterator[tuple[str, ScoreStanding]]:
    for agent in write_match_reports(place, progress).agents:
        assert isinstance(agent.standing, ScoreStanding)
        yield agent.name, agent.standing


def _rung(name: str, standing: ScoreStanding, minutes: float | None) -> Rung:
    return Rung(name, standing.elo, standing.elo_ci95, standing.games, standing.score, minutes)


def _write(folder: Path, config: Ladder, rungs: list[Rung]) -> None:
    facts = {"settings": asdict(config), "agents": [asdict(rung) for rung in rungs]}
    write_json(folder / "ladder.json", facts)
    (folder / "ladder.svg").write_text(curve(rungs), encoding="utf-8")


def curve(rungs: list[Rung]) -> str:
    """An SVG file: Elo of the networks over minutes, with a level line for every opponent."""
    points = [(r.minutes, r.elo) for r in rungs if r.minutes is not None]
    end = max(minutes for minutes, _ in points)
    series = [svg_plot.Series("zero", points)]
    opponents = sorted((r for r in rungs if r.minutes is None), key=lambda r: -r.elo)
    for number, rung in enumerate(opponents, start=1):
        colour = svg_plot.COLOURS[number % len(svg_plot.COLOURS)]
        series.append(svg_plot.Series(rung.name, [(0.0, rung.elo), (end, rung.elo)], colour))
    chart = svg_plot.line_chart(
        series, WIDTH, HEIGHT, title="Elo", x_label="minutes of training", legend=LEGEND
    )
    return svg_plot.document(WIDTH, HEIGHT, [chart], "Elo over minutes of training")
