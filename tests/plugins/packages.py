"""Installed packages that bring games and agents, for tests and their child processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "connect_four"

HEAP = '''
"""A heap: take one to three, whoever takes the last one wins. It has nothing but the minimum."""
from dataclasses import dataclass
from typing import ClassVar
from trireme import BadText, Game, Listed, option
from trireme.core.registry import Slice

SLICE = Slice(summary="take the last one", game="heap_game:Heap", text="heap_game:text")

@dataclass(frozen=True)
class Heap(Game):
    name: ClassVar[str] = "heap"
    size: int = option(9, "how many there are at the start; more make longer games")
    seats = 2
    def start(self):
        return (self.size, 0)
    def to_move(self, state):
        return (state[1],) if state[0] else ()
    def legal(self, state, seat):
        return Listed(range(1, min(3, state[0]) + 1))
    def apply(self, state, actions):
        ((seat, taken),) = actions.items()
        return (state[0] - taken, 1 - seat)
    def view(self, state, seat):
        return state
    def returns(self, state):
        return (0.0, 0.0) if state[0] else ((-1.0, 1.0) if state[1] == 0 else (1.0, -1.0))
    def write(self, action):
        return str(action)
    def read(self, text):
        if text not in ("1", "2", "3"):
            raise BadText(f"expected 1, 2 or 3, not {text!r}")
        return int(text)

def text(game, view, colour=False):
    return f"{view[0]} left: " + "*" * view[0]

class Perfect:
    """Leaves a multiple of four."""
    name = "perfect"
    def act(self, turn):
        return turn.view[0] % 4 or 1
'''


def install_connect_four(folder: Path) -> Path:
    """The example package, built and installed by pip into a folder of its own, offline."""
    source, target = folder / "source", folder / "site"
    shutil.copytree(EXAMPLE, source)  # a build leaves files beside what it builds
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--no-compile"]
    subprocess.run([*pip, *offline, "--target", str(target), str(source)], check=True)
    return target


def write_package(
    folder: Path, name: str, code: str, entries: Mapping[str, Mapping[str, str]]
) -> None:
    """A package of one module with these entry points, as an installer would leave it."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(dedent(code))
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = []
    for group, names in entries.items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in names.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def write_heap(folder: Path) -> None:
    """A game with the three fields that a SLICE must have, and an agent in the other group."""
    games, agents = {"heap": "heap_game:SLICE"}, {"heap.perfect": "heap_game:Perfect"}
    write_package(folder, "heap-game", HEAP, {"trireme.games": games, "trireme.agents": agents})


def environment(*folders: Path) -> dict[str, str]:
    """The environment of a process that finds the packages in these folders."""
    paths = [*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "NO_COLOR": "1",
        "COLUMNS": "200",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
