"""Who may import whom: the layers of the project, kept by reading every import statement."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import trireme
from trireme.core.registry import BUILT_IN

ROOT = Path(trireme.__file__).parent
SLICES = set(BUILT_IN)
LAYERS: dict[str, set[str]] = {
    "core": set(),
    "llm": {"core"},
    **{name: {"core", "llm"} for name in SLICES},
    "store": {"core"},
    "envs": {"core", *SLICES},
    "arena": {"core", "store", *SLICES},
    "training": {"core", "envs", "arena", "store", *SLICES},
    "server": {"core", "arena", "store"},
    "desktop": {"core", "arena", *SLICES},
    "testing": {"core"},
    "bench": {"core", "arena", "llm", *SLICES},
    "mcp": {"core", "server"},
    "cli": {
        *("core", "llm", "envs", "arena", "store", "training", "server", "desktop"),
        *("bench", "mcp", *SLICES),
    },
}
"""What each package may import beside itself and the top level."""
HEAVY = {
    "numba": lambda path: (
        path.stem.endswith("kernels")
        or path.name in ("jit.py", "kernel_compiler.py", "kernel_libraries.py")
    ),
    "torch": lambda path: path.parent.name == "training" or "network" in path.stem,
    "fastapi": lambda path: "server" in path.parts,
    "pydantic": lambda path: path.parent == ROOT / "server" / "protocol",
    "prometheus_client": lambda path: path == ROOT / "server" / "metrics.py",
    "alembic": lambda path: "store" in path.parts,
    "httpx": lambda path: (
        path.parent.name in ("llm", "mcp") or path.name in ("forwarding.py", "peer_positions.py")
    ),
    "mcp": lambda path: path.parent == ROOT / "mcp",
    "tkinter": lambda path: "desktop" in path.parts,
}
"""Libraries that stay where they belong."""
MODULES = sorted(ROOT.rglob("*.py"))
KERNELS = [path for path in MODULES if path.stem.endswith("kernels")]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[str]:
    """Full names of everything that a module imports, inside functions too."""
    package = ("trireme", *path.relative_to(ROOT).parent.parts)
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{origin}.{alias.name}" for alias in node.names)


@pytest.mark.slow
def test_a_module_imports_only_from_the_layers_below() -> None:
    layered = [path for path in MODULES if path.parent != ROOT]
    assert len(layered) > 100
    for path in layered:
        layer = path.relative_to(ROOT).parts[0]
        for name in imports(path):
            parts = name.split(".")
            if parts[0] == "trireme" and len(parts) > 1 and parts[1] in LAYERS:
                assert parts[1] in LAYERS[layer] | {layer}, f"{path} imports {name}"
            for library, allowed in HEAVY.items():
                assert parts[0] != library or allowed(path), f"{path} imports {name}"


def test_kernels_import_only_kernels() -> None:
    """Else compiled code would outlive a change of what it was compiled from (`core/jit.py`)."""
    assert len(KERNELS) > 10
    for path in KERNELS:
        for name in imports(path):
            if name.startswith("trireme."):
                module = name.rsplit(".", 1)[0]
                fits = module.endswith("kernels") or module == "trireme.core.jit"
                assert fits, f"{path} imports {name}"


def test_every_package_has_its_layer() -> None:
    packages = {p.parent.name for p in ROOT.glob("*/__init__.py")}
    assert packages <= set(LAYERS)


def test_importing_trireme_is_light() -> None:
    code = "import sys, trireme; print(' '.join(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(out.stdout.split())
    assert "trireme" in loaded
    heavy = {"numba", "torch", "fastapi", "gymnasium", "typer", "ray", "sqlalchemy", "httpx", "mcp"}
    assert not loaded & heavy
    assert not any(name.startswith(tuple(f"trireme.{g}" for g in SLICES)) for name in loaded)


@pytest.mark.slow
def test_a_class_name_means_one_thing() -> None:
    """Private classes may share a name; what one module offers to others may not."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert not {name: found for name, found in places.items() if len(found) > 1}
