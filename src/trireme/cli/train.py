"""`trireme train`: train networks, and promote those that pass the gate."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress as Bar
from rich.table import Table

from trireme.core.extras import require
from trireme.core.options import Option, options_of
from trireme.training.config import load
from trireme.training.settings import (
    BattleshipHeatmap,
    BattleshipRL,
    Gate,
    GomokuDQN,
    GomokuTable,
    GomokuZero,
    Ladder,
    NavigationValue,
)

from .common_options import Json

if TYPE_CHECKING:
    from trireme.arena import Progress
    from trireme.training.run import TrainingRun

app = typer.Typer(
    help="Train networks, and promote them to agents.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Config = Annotated[
    Path | None,
    typer.Option(
        help="A YAML file of settings, or the name of one that ships, such as cpu; options override"
        " it."
    ),
]


@dataclass(frozen=True)
class RunOptions:
    """Where a training run goes, and how it begins and shows itself."""

    out: Annotated[Path, typer.Option(help="The folder of the run.")]
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the folder's checkpoint.")
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no live table.")] = False

    def train(self, training: TrainingRun[Any]) -> None:
        """Run to the end, or to a stop signal."""
        if self.resume:
            training.resume(self.out / "checkpoint.pt")
        training.run(live=not self.quiet)
        typer.echo(f"Log, curves, checkpoint and weights: {self.out}")
        typer.echo(f"Continue: add --resume   ·   Next: trireme train promote {self.out}")


def with_settings(
    cls: type[Any], out: Path | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make every setting of `cls` an option of a command, with the help that the setting has.

    The command is written as `command(config, …)`; on the command line `config` is the YAML file.
    With `out`, the default folder of a run, it also takes `run: RunOptions`.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(function, eval_str=True).parameters.values()
        fixed = [p.replace(kind=p.KEYWORD_ONLY) for p in own if p.name not in ("config", "run")]
        options, run_options = options_of(cls), _run_parameters(out)
        parameters = [p for p in fixed if p.default is p.empty]
        parameters += [_parameter("config", Config, None), *run_options]
        parameters += [p for p in fixed if p.default is not p.empty]
        parameters += [_setting_parameter(option) for option in options.values()]

        def command(**given: Any) -> None:
            require("learn", "training", "torch")
            path = given.pop("config")
            values = {name: given.pop(name) for name in options}
            chosen = {name: value for name, value in values.items() if value is not None}
            if run_options:
                given["run"] = RunOptions(**{p.name: given.pop(p.name) for p in run_options})
            owner = function.__name__.replace("_", "-")
            function(config=load(cls, path, chosen, owner=owner), **given)

        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in parameters}
        command.__name__, command.__doc__ = function.__name__, function.__doc__
        return command

    return decorate


def _run_parameters(out: Path | None) -> list[inspect.Parameter]:
    """The fields of `RunOptions` as options of a command; none without a default folder."""
    if out is None:
        return []
    known = inspect.signature(RunOptions, eval_str=True).parameters.values()
    defaults = {"out": out}
    return [_parameter(p.name, p.annotation, defaults.get(p.name, p.default)) for p in known]


def _setting_parameter(option: Option) -> inspect.Parameter:
    """A setting as an option that is None where it is not given."""
    shown = typer.Option(help=f"{option.help} [{option.default}]", show_default=False)
    typed: Any = operator.getitem(Annotated, (option.type | None, shown))  # not checked as a type
    return _parameter(option.name, typed, None)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


@app.command("gomoku-dqn")
@with_settings(GomokuDQN, out=Path("runs/gomoku-dqn"))
def gomoku_dqn(
    config: GomokuDQN,
    run: RunOptions,
    self_play_only: Annotated[
        bool, typer.Option("--self-play-only", help="Only play, and write the replay buffer.")
    ] = False,
    episodes: Annotated[int, typer.Option(help="Games of --self-play-only.")] = 50,
    json: Json = False,
) -> None:
    """Train a Q network on Gomoku by self-play (double DQN).

    Examples: `trireme train gomoku-dqn --config config/train.yaml` · `trireme train gomoku-dqn
    --config config/cpu.yaml --minutes 5` · `trireme train gomoku-dqn --self-play-only
    --episodes 50`
    """
    from trireme.training import gomoku_dqn as dqn

    if self_play_only:
        _print(dqn.self_play_only(config, episodes, run.out), json)
        return
    run.train(dqn.DQNTraining(config, run.out))


@app.command("gomoku-zero")
@with_settings(GomokuZero, out=Path("runs/gomoku-zero"))
def gomoku_zero(config: GomokuZero, run: RunOptions) -> None:
    """Train a policy-value network on Gomoku from nothing but the rules (Gumbel AlphaZero).

    Examples: `trireme train gomoku-zero --config config/zero-gpu.yaml` · `trireme train gomoku-zero
    --config config/zero-cpu.yaml --minutes 5`
    """
    from trireme.training.gomoku_zero import ZeroTraining

    run.train(ZeroTraining(config, run.out))


@app.command("gomoku-table")
@with_settings(GomokuTable, out=Path("runs/gomoku-table"))
def gomoku_table(
    config: GomokuTable,
    run: RunOptions,
    games: Annotated[
        list[Path] | None,
        typer.Option(
            help="A file of games to learn from: a shard (.npz) or JSON lines (.jsonl); once for "
            "each file.",
        ),
    ] = None,
) -> None:
    """Train the table network that Gomoku's engine evaluates with, from games.

    Example: `trireme train gomoku-table --config config/table.yaml --games games.npz`
    """
    from trireme.training.gomoku_table import TableTraining

    run.train(TableTraining(config, run.out, games or []))


@app.command("battleship-heatmap")
@with_settings(BattleshipHeatmap, out=Path("runs/battleship-heatmap"))
def battleship_heatmap(config: BattleshipHeatmap, run: RunOptions) -> None:
    """Train a network to predict where Battleship's ships are.

    Example: `trireme train battleship-heatmap --config config/heatmap.yaml`
    """
    from trireme.training.battleship_heatmap import HeatmapTraining

    run.train(HeatmapTraining(config, run.out))


@app.command("battleship-rl")
@with_settings(BattleshipRL, out=Path("runs/battleship-rl"))
def battleship_rl(config: BattleshipRL, run: RunOptions) -> None:
    """Train PPO, DQN, A2C or MaskablePPO of Stable-Baselines3 on Battleship.

    Examples: `trireme train battleship-rl --config config/rl-maskable-ppo.yaml` · `trireme train
    battleship-rl --config config/rl-a2c.yaml --steps 100000`
    """
    require("learn", "training by Stable-Baselines3", "stable_baselines3", "sb3_contrib")
    from trireme.training.battleship_rl import RLTraining

    run.train(RLTraining(config, run.out))


@app.command("navigation-value")
@with_settings(NavigationValue, out=Path("runs/navigation-value"))
def navigation_value(config: NavigationValue, run: RunOptions) -> None:
    """Train the value network of Battle Navigation in self-play, by TD(lambda).

    Example: `trireme train navigation-value --config config/navigation.yaml`
    """
    from trireme.training.navigation_value import ValueTraining

    run.train(ValueTraining(config, run.out))


@app.command("promote")
@with_settings(Gate)
def promote(
    folder: Annotated[Path, typer.Argument(help="The folder of a training run.")],
    config: Gate,
    models: Annotated[
        Path | None, typer.Option(help="Folder for the weights; by default where agents look.")
    ] = None,
    json: Json = False,
) -> None:
    """Test a trained network in the arena; if it passes the gate, its agent plays with it.

    Example: `trireme train promote runs/gomoku-dqn --config config/eval.yaml`
    """
    require("learn", "promotion to an agent", "onnx", "onnxruntime")
    from trireme.training.promote import promote as run_gate

    with _game_bar() as on_game:
        result = run_gate(folder, config, models=models, on_game=on_game)
    _print(result.report, json)
    if not result.passed:
        typer.echo(f"Not promoted; the report is in {folder / 'report.json'}", err=True)
        raise typer.Exit(1)
    typer.echo(f"Promoted to {result.folder}", err=True)


@app.command("ladder")
@with_settings(Ladder)
def ladder(
    folder: Annotated[Path, typer.Argument(help="The folder of a gomoku-zero run.")],
    config: Ladder,
    json: Json = False,
) -> None:
    """Rate the past networks of a gomoku-zero run: Elo over the minutes of training.

    Games, ratings and the curve go to the run's folder `ladder`; the same command goes on where it
    was stopped. Example: `trireme train ladder runs/gomoku-zero --games 20`
    """
    require("learn", "the ladder", "onnx", "onnxruntime")
    from trireme.training.ladder import climb

    with _game_bar() as on_game:
        rungs = climb(folder, config, on_game=on_game)
    if json:
        _print({"agents": [asdict(rung) for rung in rungs]}, json)
        return
    table = Table("agent", "minutes", "Elo", "95 % interval", "score", "games")
    for rung in rungs:
        low, high = rung.elo_ci95
        minutes = "" if rung.minutes is None else f"{rung.minutes:.1f}"
        interval, score = f"{low:.0f} to {high:.0f}", f"{rung.score:.0%}"
        table.add_row(rung.name, minutes, f"{rung.elo:.0f}", interval, score, str(rung.games))
    Console().print(table)
    typer.echo(f"Ratings, curve and games: {folder / 'ladder'}", err=True)


@contextmanager
def _game_bar() -> Iterator[Callable[[Progress], None]]:
    """A progress bar of a match, as a function to call after every game."""
    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("games", total=None)
        yield lambda p: bar.update(task, total=len(p.fixtures), completed=len(p.outcomes))


def _print(facts: dict[str, Any], json: bool) -> None:
    text = msgspec.json.encode(facts)
    typer.echo(text if json else msgspec.json.format(text, indent=2))
