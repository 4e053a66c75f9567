"""Whether a shell command of the manual exists: program, subcommand, options and files."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shlex
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from typer.main import get_command

from trireme.cli import app

from .blocks import ROOT


class Wrong(ValueError):
    """Why a command of the manual would fail."""


def command_lines(text: str) -> list[list[str]]:
    """The commands of a shell block as words: comments gone, pipes and `&&` split.

    >>> command_lines("cd web && npm test  # quick\\nmake \\\\\\n  docs > log")
    [['cd', 'web'], ['npm', 'test'], ['make', 'docs']]
    """
    found: list[list[str]] = []
    for line in text.replace("\\\n", " ").splitlines():
        words: list[str] = []
        for word in [*shlex.split(line, comments=True), "&&"]:
            if word in ("&&", "|"):
                if words:
                    found.append(words[: words.index(">")] if ">" in words else words)
                words = []
            else:
                words.append(word)
    return found


def check(words: list[str]) -> None:
    """Raise `Wrong` unless the command exists with these options."""
    program, *rest = words
    if program == "trireme":
        _trireme(rest)
    elif program == "make":
        for target in rest:
            if "=" not in target and target not in make_targets():
                raise Wrong(f"the Makefile has no target {target!r}")
    elif program == "python":
        _python(rest)
    elif program == "pip":
        _pip(rest)
    elif program == "pytest":
        for word in rest:
            if not word.startswith("-") and not (ROOT / word).exists():
                raise Wrong(f"there is no {word!r} to test")
    elif program == "npm":
        if rest[0] not in ("ci", "test") and rest[:2] != ["run", rest[-1]]:
            raise Wrong(f"unknown npm command {rest}")
        if rest[0] != "ci" and rest[-1] not in npm_scripts():
            raise Wrong(f"web/package.json has no script {rest[-1]!r}")
    elif program in ("cd", "node") or program.startswith("scripts/"):
        path = ROOT / (program if program.startswith("scripts/") else rest[0])
        if not path.exists() or (program.startswith("scripts/") and not os.access(path, os.X_OK)):
            raise Wrong(f"there is no {path.name!r} to run or enter")
    elif program != "pre-commit":
        raise Wrong(f"no rule checks the command {program!r}; mark the block `text`")


def _trireme(words: list[str]) -> None:
    command: Any = command_tree()
    context: Any = command.context_class(command, info_name="trireme")
    rest = list(words)
    while hasattr(command, "list_commands") and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        if (child := command.get_command(context, name)) is None:
            raise Wrong(f"there is no command {context.command_path} {name}")
        context = child.context_class(child, info_name=name, parent=context)
        command = child
    if {"-h", "--help"} & set(rest) or (not rest and hasattr(command, "list_commands")):
        return
    try:
        command.make_context(context.info_name, rest, parent=context.parent)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        raise Wrong(f"{context.command_path}: {error.format_message()}") from None


def _python(words: list[str]) -> None:
    if words[0] == "-m":
        if words[1] not in ("pip", "venv") and importlib.util.find_spec(words[1]) is None:
            raise Wrong(f"there is no module {words[1]}")
        return
    script = ROOT / words[0]
    if script.is_dir():
        script /= "__main__.py"
    if not script.is_file():
        raise Wrong(f"there is no script {words[0]}")
    for word in words[1:]:
        option = word.split("=", 1)[0]
        if re.match(r"--[a-z]", option) and option not in script_options(script):
            raise Wrong(f"{words[0]} has no option {option}")


def _pip(words: list[str]) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for word in words:
        for extra in re.findall(r"[\w-]+", word.partition("[")[2]):
            if extra not in extras:
                raise Wrong(f"the package has no extra {extra!r}")


@cache
def command_tree() -> Any:
    return get_command(app)


@cache
def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@cache
def npm_scripts() -> set[str]:
    scripts: dict[str, str] = json.loads((ROOT / "web" / "package.json").read_text())["scripts"]
    return set(scripts)


@cache
def script_options(script: Path) -> set[str]:
    """The options that a script, or a module beside it that it imports, gives to argparse."""
    tree = ast.parse(script.read_text("utf-8"))
    found = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.startswith("--")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            beside = script.parent / f"{node.module.rpartition('.')[2]}.py"
            if beside.is_file() and beside != script:
                found |= script_options(beside)
    return found
