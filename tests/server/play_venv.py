"""A virtual environment with what `make play` installs and nothing else, made without a download.

The packages of this environment that the extra `play` of `pyproject.toml` leads to are linked into
a new one; the others can't be imported there.
"""

from __future__ import annotations

import tomllib
import venv
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
OURS = "trireme-lab"


def make_play_venv(folder: Path) -> Path:
    """Make the environment; gives its Python."""
    venv.create(folder, symlinks=True, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    for found in needed("play"):
        for name in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (site / name).exists():
                (site / name).symlink_to(Path(str(found.locate_file(name))))
    (site / "trireme.pth").write_text(f"{ROOT / 'src'}\n", encoding="utf-8")
    return folder / "bin" / "python"


def needed(extra: str) -> list[Distribution]:
    """The installed packages that the project needs with `extra`, and all that they need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras: dict[str, list[str]] = project["optional-dependencies"]
    found: dict[str, Distribution] = {}
    asked: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(text) for text in (*project["dependencies"], *extras[extra])]
    while waiting:
        wanted = waiting.pop()
        if wanted.name == OURS:
            waiting += [Requirement(text) for name in wanted.extras for text in extras[name]]
            continue
        key = wanted.name.lower(), frozenset(wanted.extras)
        if key in asked:
            continue
        asked.add(key)
        try:
            found[key[0]] = distribution(wanted.name)
        except PackageNotFoundError:
            continue  # of another platform, or not needed where its like is installed
        parts = map(Requirement, found[key[0]].requires or ())
        waiting += [part for part in parts if _applies(part, wanted.extras)]
    return list(found.values())


def _applies(part: Requirement, extras: set[str]) -> bool:
    marker = part.marker
    return marker is None or any(marker.evaluate({"extra": name}) for name in ("", *extras))
