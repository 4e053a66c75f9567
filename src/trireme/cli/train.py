"""`trireme train`: learn to play, and promote what has learnt enough."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.progress import Progress as Bar

from trireme.core.errors import BadSpec
from trireme.core.options import options_of
from trireme.training.config import load
from trireme.training.settings import BattleshipHeatmap, BattleshipRL, Gate, GomokuDQN

app = typer.Typer(
    help="Train networks, and promote them to agents.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Config = Annotated[
    Path | None,
    typer.Option(
        help="A YAML file of settings, or the name of one that ships, such as cpu; options given "
        "beside it win."
    ),
]
Out = Annotated[Path, typer.Option(help="The folder of the run.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the folder's checkpoint.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show no live table.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def with_settings(cls: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make every setting of `cls` an option of a command, with the help that the setting has.

    The command is written as `run(config, …)`; on the command line `config` is the YAML file.
    """

    def decorate(run: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(run, eval_str=True).parameters
        fixed = [p.replace(kind=p.KEYWORD_ONLY) for p in own.values() if p.name != "config"]
        options = options_of(cls)
        arguments = [p for p in fixed if p.default is p.empty]
        parameters = [*arguments, _parameter("config", Config, None)]
        parameters += [p for p in fixed if p.default is not p.empty]
        for option in options.values():
            note = f"{option.help} [{option.default}]"
            shown = typer.Option(help=note, show_default=False)
            typed: Any = Annotated.__class_getitem__((option.type | None, shown))  # type: ignore[attr-defined]
            parameters.append(_parameter(option.name, typed, None))

        def command(**given: Any) -> None:
            path = given.pop("config")
            values = {name: given.pop(name) for name in options}
            chosen = {name: value for name, value in values.items() if value is not None}
            owner = run.__name__.replace("_", "-")
            run(config=load(cls, path, chosen, owner=owner), **given)

        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in parameters}
        command.__name__, command.__doc__ = run.__name__, run.__doc__
        return command

    return decorate


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


@app.command("gomoku-dqn")
@with_settings(GomokuDQN)
def gomoku_dqn(
    config: GomokuDQN,
    out: Out = Path("runs/gomoku-dqn"),
    resume: Resume = False,
    quiet: Quiet = False,
    self_play_only: Annotated[
        bool, typer.Option("--self-play-only", help="Only play, and write the replay memory.")
    ] = False,
    episodes: Annotated[int, typer.Option(help="Games of --self-play-only.")] = 50,
    json: Json = False,
) -> None:
    """Train a Q network on Gomoku by self-play.

    Examples: `trireme train gomoku-dqn --config config/train.yaml` · `trireme train gomoku-dqn
    --config config/cpu.yaml --minutes 5` · `trireme train gomoku-dqn --self-play-only
    --episodes 50`
    """
    _needs_torch()
    from trireme.training import gomoku_dqn as dqn

    if self_play_only:
        _tell(dqn.self_play_only(config, episodes, out), json)
        return
    _train(dqn.Training(config, out), out, resume, quiet)


@app.command("battleship-heatmap")
@with_settings(BattleshipHeatmap)
def battleship_heatmap(
    config: BattleshipHeatmap,
    out: Out = Path("runs/battleship-heatmap"),
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Train a network to see where Battleship's fleets lie.

    Example: `trireme train battleship-heatmap --config config/heatmap.yaml`
    """
    _needs_torch()
    from trireme.training.battleship_heatmap import Training

    _train(Training(config, out), out, resume, quiet)


@app.command("battleship-rl")
@with_settings(BattleshipRL)
def battleship_rl(
    config: BattleshipRL,
    out: Out = Path("runs/battleship-rl"),
    resume: Resume = False,
    quiet: Quiet = False,
) -> None:
    """Train PPO, DQN, A2C or MaskablePPO of Stable-Baselines3 on Battleship.

    Examples: `trireme train battleship-rl --config config/rl-maskable-ppo.yaml` · `trireme train
    battleship-rl --config config/rl-a2c.yaml --steps 100000`
    """
    _needs_torch()
    from trireme.training.battleship_rl import Training

    _train(Training(config, out), out, resume, quiet)


@app.command("promote")
@with_settings(Gate)
def promote(
    folder: Annotated[Path, typer.Argument(help="The folder of a training run.")],
    config: Gate,
    models: Annotated[
        Path | None, typer.Option(help="Where to put the weights; else where agents look.")
    ] = None,
    json: Json = False,
) -> None:
    """Let a trained network meet the gate in the arena; if it passes, its agent plays with it.

    Example: `trireme train promote runs/gomoku-dqn --config config/eval.yaml`
    """
    _needs_torch()
    from trireme.training.promote import promote as try_gate

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("games", total=None)
        result = try_gate(
            folder,
            config,
            models=models,
            on_game=lambda p: bar.update(task, total=len(p.fixtures), completed=len(p.outcomes)),
        )
    _tell(result.report, json)
    if not result.passed:
        typer.echo(f"Not promoted; the report is in {folder / 'report.json'}", err=True)
        raise typer.Exit(1)
    typer.echo(f"Promoted to {result.folder}", err=True)


def _needs_torch() -> None:
    try:
        importlib.import_module("torch")
    except ImportError:
        raise BadSpec("training needs torch: pip install 'trireme-lab[learn]'") from None


def _tell(facts: dict[str, Any], json: bool) -> None:
    text = msgspec.json.encode(facts)
    typer.echo(text if json else msgspec.json.format(text, indent=2))


def _train(training: Any, out: Path, resume: bool, quiet: bool) -> None:
    if resume:
        training.resume(out / "checkpoint.pt")
    training.run(live=not quiet)
    typer.echo(f"Log, curves, checkpoint and weights: {out}")
    typer.echo(f"Go on: the same command with --resume   ·   trireme train promote {out}")
