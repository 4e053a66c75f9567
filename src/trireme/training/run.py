"""A training run on disk: its checkpoints, its metadata, and how it stops without loss."""

from __future__ import annotations

import json
import math
import os
import platform
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

from trireme import __version__
from trireme.core.errors import BadSettings
from trireme.core.options import settings

from .config import fingerprint


def device_of(name: str) -> torch.device:
    """The torch device that a config names."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        raise BadSettings(f"device must be cpu, cuda or auto, not {name!r}") from None
    if device.type == "cuda":
        torch.backends.cudnn.benchmark = True  # batches have one shape all along
    return device


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write a checkpoint whole or not at all: a run that is killed keeps the one before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    torch.save(state, part)
    os.replace(part, path)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """What `save_checkpoint` wrote, on the CPU."""
    if not path.is_file():
        raise BadSettings(f"there is no checkpoint {str(path)!r} to go on from")
    found: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return found


FREE = frozenset(
    {
        "steps",
        "minutes",
        "device",
        "threads",
        "learning_rate",
        "learning_rate_end",
        "log_every",
        "evaluate_every",
        "evaluate_games",
        "checkpoint_every",
        "checkpoint_replay",
    }
)
"""Settings that a resumed run may change."""


def run_hash(config: object) -> str:
    """A hash of the settings that stay the same for all of a run."""
    return fingerprint(config, without=FREE)


def check_same_run(path: Path, state: dict[str, Any], config: object) -> None:
    """Refuse a checkpoint of other settings than `config`."""
    if state["config"] != run_hash(config):
        free = ", ".join(sorted(FREE & settings(config).keys()))
        raise BadSettings(f"{str(path)!r} was made with other settings; only {free} may change")


def cosine(begin: float, end: float, share: float) -> float:
    """From `begin` to `end` along half a wave, as `share` of the way goes from 0 to 1."""
    return begin + (end - begin) * (1 - math.cos(math.pi * min(1.0, share))) / 2


def describe(config: object, **more: Any) -> dict[str, Any]:
    """The metadata of weights: the config with its hash, and the versions that made them."""
    return {
        **more,
        "config": settings(config),
        "config_hash": fingerprint(config),
        "versions": {
            "trireme": __version__,
            "python": platform.python_version(),
            **{name: found for name in ("torch", "numpy", "onnx") if (found := _version(name))},
        },
    }


def write_json(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


class Clock:
    """Whether a run should stop: its minutes are over, or somebody asked it to."""

    def __init__(self, minutes: float) -> None:
        self.started = time.monotonic()
        self.minutes = minutes
        self.asked = False

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def over(self) -> bool:
        return self.asked or bool(self.minutes and self.seconds > 60 * self.minutes)


@contextmanager
def stoppable(clock: Clock) -> Iterator[None]:
    """Let Ctrl-C and a polite kill end the run after the update that is under way."""

    def ask(number: int, frame: Any) -> None:
        clock.asked = True

    try:
        before = {n: signal.signal(n, ask) for n in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread: whoever runs it stops it
        before = {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
