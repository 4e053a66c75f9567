"""Optional extras: which packages each of them installs, and the check that they are there."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

from .errors import MissingExtra

EXTRAS: Mapping[str, tuple[str, ...]] = {
    "desktop": ("sv_ttk",),
    "learn": ("torch", "stable_baselines3", "sb3_contrib", "onnx", "onnxruntime", "yaml"),
    "llm": ("httpx",),
    "mcp": ("mcp", "httpx", "websockets"),
    "nets": ("onnxruntime",),
    "postgres": ("psycopg", "httpx"),
    "ray": ("ray",),
    "web": ("fastapi", "prometheus_client", "pydantic", "segno", "uvicorn", "websockets"),
    "zoo": ("pettingzoo",),
}
"""The extras of `pyproject.toml` that users need, with the packages that they bring."""


def missing_package(extra: str, *packages: str) -> str | None:
    """The first of the extra's `packages` (default: all) that is not installed; nothing is imported
    to find out."""
    for package in packages or EXTRAS[extra]:
        if importlib.util.find_spec(package) is None:
            return package
    return None


def missing_extra(name: str, cls: type[object]) -> str | None:
    """What to install before the agent `name` of class `cls` can play, as a sentence; None:
    nothing. A class names the extra that it needs in `extra`."""
    extra = getattr(cls, "extra", None)
    package = None if extra is None else missing_package(extra)
    return None if extra is None or package is None else str(MissingExtra(extra, name, package))


def require(extra: str, what: str, *packages: str) -> None:
    """Raise `MissingExtra` unless the extra's `packages` (default: all) are installed, as `what`
    needs them."""
    package = missing_package(extra, *packages)
    if package is not None:
        raise MissingExtra(extra, what, package)
