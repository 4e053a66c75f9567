"""Start a training where only torch and NumPy are installed, as on a rented GPU machine.

`python -m trireme.training.standalone --config config/zero-gpu.yaml --out runs/gomoku-zero` with
`PYTHONPATH=src` is `trireme train gomoku-zero` without its dependencies: the same settings as
options, the same files. Of YAML it reads flat `key: value` lines.
"""

from __future__ import annotations

import argparse
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from trireme.core.errors import BadSettings, TriremeError, unknown
from trireme.core.options import Option, options_of

from .settings import GomokuZero, RunSettings

C = TypeVar("C", bound=RunSettings)


def read_flat(text: str) -> dict[str, str]:
    """The keys and values of a config without nesting, as text.

    >>> read_flat("# a comment\\ngames: 8  # in parallel\\n\\ndevice: cpu")
    {'games': '8', 'device': 'cpu'}
    """
    values = {}
    for line in text.splitlines():
        if content := line.partition("#")[0].strip():
            key, colon, value = content.partition(":")
            if not colon:
                raise BadSettings(f"expected `key: value`, not {line!r}")
            values[key.strip()] = value.strip()
    return values


def parse(option: Option, text: str) -> Any:
    """The value of an option that was written as text."""
    if choices := typing.get_args(option.type):
        if text not in choices:
            raise BadSettings(f"{option.name} must be {option.type_text}, not {text!r}")
        return text
    if option.type is bool:
        if text not in ("true", "false"):
            raise BadSettings(f"{option.name} must be true or false, not {text!r}")
        return text == "true"
    try:
        return option.type(text)
    except ValueError:
        raise BadSettings(f"{option.name} must be {option.type_text}, not {text!r}") from None


def read_command(
    cls: type[C], arguments: Sequence[str] | None, parser: argparse.ArgumentParser
) -> tuple[C, argparse.Namespace]:
    """Settings of `cls` from a command line, and the rest of what it gave.

    `parser` may bring arguments of its own; `config`, `out`, `resume` and all settings are added.
    """
    options = options_of(cls)
    parser.add_argument("--config", type=Path, help="a file of flat `key: value` lines")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the run")
    parser.add_argument("--resume", action="store_true", help="continue from its checkpoint")
    for option in options.values():
        text = f"{option.help} [{option.default}]".replace("%", "%%")
        parser.add_argument(f"--{option.name.replace('_', '-')}", help=text)
    given = parser.parse_args(arguments)
    texts = read_flat(given.config.read_text(encoding="utf-8")) if given.config else {}
    texts |= {name: text for name in options if (text := getattr(given, name)) is not None}
    for name in texts.keys() - options.keys():
        raise unknown("setting", name, options)
    return cls(**{name: parse(options[name], text) for name, text in texts.items()}), given


def train(
    cls: type[C],
    new_run: Callable[[C, argparse.Namespace], Any],
    arguments: Sequence[str] | None,
    parser: argparse.ArgumentParser,
) -> None:
    """Train as the command line says; `new_run` makes the run from settings and arguments."""
    try:
        config, given = read_command(cls, arguments, parser)
        training = new_run(config, given)
        if given.resume:
            training.resume(given.out / "checkpoint.pt")
    except (TriremeError, OSError) as error:
        parser.error(str(error))
    training.run()


def main(arguments: Sequence[str] | None = None) -> None:
    """Train gomoku-zero as the command line says."""
    from .gomoku_zero import ZeroTraining

    parser = argparse.ArgumentParser(description=GomokuZero.__doc__)
    train(GomokuZero, lambda config, given: ZeroTraining(config, given.out), arguments, parser)


if __name__ == "__main__":
    main()
