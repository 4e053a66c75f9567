"""Start a training where only torch and NumPy are installed, as on a rented GPU machine.

`python -m trireme.training.standalone --config config/zero-gpu.yaml --out runs/gomoku-zero` with
`PYTHONPATH=src` is `trireme train gomoku-zero` without its dependencies: the same settings as
options, the same files. Of YAML it reads flat `key: value` lines.
"""

from __future__ import annotations

import argparse
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trireme.core.errors import BadSettings, TriremeError, unknown
from trireme.core.options import Option, options_of

from .gomoku_zero import ZeroTraining
from .settings import GomokuZero


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Train as the command line says."""
    options = options_of(GomokuZero)
    parser = argparse.ArgumentParser(description=GomokuZero.__doc__)
    parser.add_argument("--config", type=Path, help="a file of flat `key: value` lines")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the run")
    parser.add_argument("--resume", action="store_true", help="continue from its checkpoint")
    for option in options.values():
        text = f"{option.help} [{option.default}]".replace("%", "%%")
        parser.add_argument(f"--{option.name.replace('_', '-')}", help=text)
    given = vars(parser.parse_args(arguments))
    config, out, resume = (given.pop(name) for name in ("config", "out", "resume"))
    try:
        texts = read_flat(config.read_text(encoding="utf-8")) if config else {}
        texts |= {name: text for name, text in given.items() if text is not None}
        for name in texts.keys() - options.keys():
            raise unknown("setting", name, options)
        values = {name: parse(options[name], text) for name, text in texts.items()}
        training = ZeroTraining(GomokuZero(**values), out)
        if resume:
            training.resume(out / "checkpoint.pt")
    except (TriremeError, OSError) as error:
        parser.error(str(error))
    training.run()


if __name__ == "__main__":
    main()
