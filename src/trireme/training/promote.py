"""Promotion: a trained network is exported, plays the gate, and ships if it passes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import torch

import trireme.battleship
import trireme.gomoku
import trireme.navigation
from trireme.arena import (
    Entrant,
    GateResult,
    Match,
    Progress,
    gate,
    run_match,
    start,
    write_reports,
)
from trireme.arena.standing import ShotsStanding
from trireme.battleship.rules import Battleship
from trireme.core.game import AnyGame
from trireme.core.options import settings
from trireme.gomoku.rules import Gomoku
from trireme.navigation.rules import Navigation

from .export import export
from .run import read_metadata, write_json
from .settings import Gate

ZERO_SIMULATIONS = 32
"""Simulations a move of zero in its trial: a limit without a clock, so that it can be repeated."""
OnGame = Callable[[Progress], object]

GOMOKU_EXAMPLE = {"planes": (torch.arange(2 * 4 * 15 * 15) % 7 == 0).float().view(2, 4, 15, 15)}
BATTLESHIP_EXAMPLE = {"planes": (torch.arange(2 * 9 * 100) % 3 == 0).float().view(2, 9, 10, 10)}
"""Inputs that a network and its ONNX file are compared on."""
PLANE_AXES = {"planes": {0: "batch", 2: "rows", 3: "cols"}}


@dataclass(frozen=True)
class Promotion:
    """The result of the gate, and where the weights are now."""

    passed: bool
    report: dict[str, Any]
    folder: Path
    """Where the weights are now: with those that ship, or still in the run's folder."""


def promote(
    folder: Path, config: Gate, *, models: Path | None = None, on_game: OnGame | None = None
) -> Promotion:
    """Play the promotion gate with the network in a run's folder; copy it to `models` if it passes.

    Without `models` it goes to where the agents look for the weights that ship. The report of the
    gate is kept in the run's folder either way.
    """
    kind = read_metadata(folder)["kind"]
    weights = export_run(folder, best=config.weights == "best")
    trial = {
        "gomoku-dqn": _gomoku_trial,
        "gomoku-zero": _gomoku_trial,
        "gomoku-table": _table_trial,
        "battleship-heatmap": _battleship_trial,
        "battleship-rl": _battleship_trial,
        "navigation-value": _value_trial,
    }[kind]
    report = {"gate": settings(config), **trial(folder, kind, config, on_game)}
    write_json(folder / "report.json", report)
    if not report["passed"]:
        return Promotion(False, report, folder)
    target = models or _home(kind)
    target.mkdir(parents=True, exist_ok=True)
    for name in (weights.name, "metadata.json", "report.json"):
        shutil.copyfile(folder / name, target / name)
    torch_weights = _torch_weights(folder, best=config.weights == "best")
    if torch_weights.is_file():  # for fine-tuning
        shutil.copyfile(torch_weights, target / "network.pt")
    return Promotion(True, report, target)


def export_run(folder: Path, *, best: bool = True) -> Path:
    """Write the trained network of a run's folder as `network.onnx` beside it.

    With `best`, of a run that evaluates, the weights of its best evaluation, not the last ones. The
    table network and the value network are in their final form, `network.npz`, already.
    """
    facts, path = read_metadata(folder), folder / "network.onnx"
    kind = facts["kind"]
    if kind in ("gomoku-table", "navigation-value"):
        return folder / "network.npz"
    if kind == "gomoku-dqn":
        from trireme.gomoku.agents.dqn_network import load as load_dqn

        network = load_dqn(_torch_weights(folder, best=best))
        export(network, GOMOKU_EXAMPLE, path, output="q", sizes=PLANE_AXES)
    elif kind == "gomoku-zero":
        from .zero_export import export_zero
        from .zero_network import load as load_zero

        size, exact = facts["board_size"], facts["rule"] == "standard"
        export_zero(load_zero(folder / "network.pt"), path, size=size, exact=exact)
    elif kind == "battleship-heatmap":
        from .battleship_heatmap import load as load_heatmap

        heatmap = load_heatmap(folder / "network.pt")
        export(heatmap, BATTLESHIP_EXAMPLE, path, output="odds", sizes=PLANE_AXES)
    else:
        from .battleship_rl import Policy
        from .battleship_rl import load as load_rl

        policy = Policy(load_rl(folder))
        export(policy, BATTLESHIP_EXAMPLE, path, output="logits", sizes=PLANE_AXES)
    return path


def _torch_weights(folder: Path, *, best: bool) -> Path:
    """The file of a run's weights for torch: the best ones where asked for and kept."""
    found = folder / "best.pt"
    return found if best and found.is_file() else folder / "network.pt"


def _gomoku_trial(folder: Path, kind: str, config: Gate, on_game: OnGame | None) -> dict[str, Any]:
    """Against the heuristic and against random, with a little noise where an agent takes it."""
    game, agent = Gomoku(), kind.removeprefix("gomoku-")
    weights = f'model="{(folder / "network.onnx").absolute()}"'
    noise = f"epsilon={config.epsilon}"
    options = noise if agent == "dqn" else f"simulations={ZERO_SIMULATIONS}"
    ours = Entrant(agent, f"{agent}:{weights},{options}")
    common: dict[str, Any] = {
        "seed": config.seed,
        "executor": config.executor,
        "workers": config.workers or None,
        "on_game": on_game,
    }
    rival = Entrant(config.against, _noisy(config.against, noise))
    main = gate(
        game,
        ours,
        rival,
        threshold=config.threshold,
        games=config.games,
        out=_arena(folder, config.against),
        **common,
    )
    easy = gate(
        game,
        ours,
        "random",
        threshold=config.random_threshold,
        games=config.random_games,
        out=_arena(folder, "random"),
        **common,
    )
    report = {
        "passed": main.passed and easy.passed,
        "against": {config.against: _without_folder(main), "random": _without_folder(easy)},
    }
    if config.tree_games and agent == "dqn":
        tree = Entrant("dqn+mcts", f"dqn+mcts:{weights}")
        bare = Entrant("dqn", f"dqn:{weights}")
        place = _arena(folder, "tree")
        over = gate(game, tree, bare, threshold=0.5, games=config.tree_games, out=place, **common)
        report["dqn+mcts against dqn"] = _without_folder(over)
    return report


def _table_trial(folder: Path, kind: str, config: Gate, on_game: OnGame | None) -> dict[str, Any]:
    """The engine with the network against the engine with patterns, at equal time."""
    weights = (folder / "network.npz").absolute()
    seconds = f"seconds={config.seconds}"
    ours = Entrant("network", f'search:evaluation=network,model="{weights}",{seconds}')
    rival = Entrant("patterns", f"search:evaluation=patterns,{seconds}")
    game = Gomoku(rule=read_metadata(folder)["rule"])
    return _evaluation_trial(folder, game, ours, rival, config, on_game)


def _value_trial(folder: Path, kind: str, config: Gate, on_game: OnGame | None) -> dict[str, Any]:
    """Nash with the network against nash with the formula, after as many iterations.

    Both play their equilibria: what they could exploit in each other says nothing about values.
    """
    weights, limits = (folder / "network.npz").absolute(), f"rounds={config.rounds},exploit=false"
    ours = Entrant("learned", f'nash:model="{weights}",{limits}')
    rival = Entrant("formula", f"nash:value=formula,{limits}")
    return _evaluation_trial(folder, Navigation(), ours, rival, config, on_game)


def _evaluation_trial(
    folder: Path,
    game: AnyGame,
    ours: Entrant,
    rival: Entrant,
    config: Gate,
    on_game: OnGame | None,
) -> dict[str, Any]:
    """An agent with the network against the same agent without it."""
    result = gate(
        game,
        ours,
        rival,
        threshold=config.threshold,
        games=config.games,
        out=_arena(folder, rival.name),
        seed=config.seed,
        executor=config.executor,
        workers=config.workers or None,
        on_game=on_game,
    )
    return {"passed": result.passed, "against": {rival.name: _without_folder(result)}}


def _battleship_trial(
    folder: Path, kind: str, config: Gate, on_game: OnGame | None
) -> dict[str, Any]:
    """Mean shots on boards of the default rules."""
    agent = kind.removeprefix("battleship-")
    weights = f'model="{(folder / "network.onnx").absolute()}"'
    match = Match(Battleship(), (Entrant(agent, f"{agent}:{weights}"),), config.games, config.seed)
    place = start(match, _arena(folder, "boards"))
    progress = run_match(
        place, executor=config.executor, workers=config.workers or None, on_game=on_game
    )
    standing = write_reports(place, progress).agents[0].standing
    assert isinstance(standing, ShotsStanding)
    return {"passed": standing.shots_mean <= config.most_shots, "shots": asdict(standing)}


def _arena(folder: Path, name: str) -> Path:
    """Where a trial's games and reports are kept: in the run's folder."""
    return folder / "arena" / f"{datetime.now():%Y%m%d-%H%M%S}-{name.replace(':', '-')}"


def _noisy(spec: str, noise: str) -> str:
    """A spec with noise, where the agent is one that takes it."""
    return f"{spec}:{noise}" if spec == "heuristic" else spec


def _without_folder(result: GateResult) -> dict[str, Any]:
    """A result without the folder, which means nothing elsewhere."""
    return {name: value for name, value in asdict(result).items() if name != "folder"}


def _home(kind: str) -> Path:
    """Where the agent of this kind looks for its weights."""
    game, _, agent = kind.partition("-")
    package = {
        "gomoku": trireme.gomoku,
        "battleship": trireme.battleship,
        "navigation": trireme.navigation,
    }[game]
    return Path(package.__path__[0]) / "models" / agent
