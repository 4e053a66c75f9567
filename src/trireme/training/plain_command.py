"""Training runs as plain modules, where the command line's packages are not installed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from trireme.core.errors import TriremeError

from .run import TrainingRun
from .settings import RunSettings

C = TypeVar("C", bound=RunSettings)


def parser_of(cls: type[RunSettings], name: str) -> argparse.ArgumentParser:
    """A parser with `--out`, `--resume` and an option for every setting, named as elsewhere."""
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=cls.__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder of the run")
    parser.add_argument("--resume", action="store_true", help="continue from its checkpoint")
    for field in fields(cls):
        parser.add_argument(
            f"--{field.name.replace('_', '-')}",
            type=type(field.default),
            help=f"{field.metadata['help']} [{field.default}]".replace("%", "%%"),
        )
    return parser


def settings_from(cls: type[C], given: argparse.Namespace) -> C:
    """The settings that `parser_of` read; defaults where none were given."""
    chosen = {f.name: getattr(given, f.name) for f in fields(cls)}
    values: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    return cls(**values)


def train(training: TrainingRun[Any], folder: Path, resume: bool) -> None:
    """Run to the end, or to a stop signal."""
    if resume:
        training.resume(folder / "checkpoint.pt")
    training.run()


def exit_with_message(error: TriremeError) -> None:
    """End the program with what was wrong, and no traceback."""
    sys.exit(f"error: {error}")


Arguments = Sequence[str] | None
"""Command-line arguments; None: those of the program."""
