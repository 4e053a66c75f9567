"""Training runs on disk: checkpoints, resuming, metadata, learning-rate schedule, stop signals."""

from __future__ import annotations

import json
import math
import os
import platform
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch

from trireme import __version__
from trireme.core.errors import BadSettings

from .config import fingerprint
from .settings import RunSettings

C = TypeVar("C", bound=RunSettings)


class TrainingRun(ABC, Generic[C]):
    """A training run in its folder. Subclasses hold the algorithm; this one, checkpoints."""

    def __init__(self, config: C, folder: Path) -> None:
        torch.set_num_threads(config.threads)
        self.config, self.folder = config, folder
        self.device = device_of(config.device)
        self.seconds = 0.0
        """Time spent by earlier runs in this folder, before the last `--resume`."""

    @abstractmethod
    def run(self, *, live: bool = True) -> None:
        """Train to the last step, or until asked to stop; the folder then holds a checkpoint."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """All that `restore` needs to continue, as tensors and plain values."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` gave."""

    @abstractmethod
    def save(self) -> None:
        """Write the weights as they are now, with their metadata."""

    def checkpoint(self, timer: RunTimer | None = None) -> Path:
        """Write `checkpoint.pt`, with all that another process needs to continue."""
        path = self.folder / "checkpoint.pt"
        seconds = self.seconds + (timer.seconds if timer else 0.0)
        save_checkpoint(path, {"config": run_hash(self.config), "seconds": seconds, **self.state()})
        return path

    def resume(self, path: Path) -> None:
        """Continue from a checkpoint; on a CPU, bit for bit as if the run had not stopped."""
        state = load_checkpoint(path)
        check_same_run(path, state, self.config)
        self.seconds = state["seconds"]
        self.restore(state)


def share_over(step: int, steps: int, seconds: float, schedule_minutes: float) -> float:
    """The share of a run that is over: of its minutes, or of its steps where they are 0."""
    return seconds / (60 * schedule_minutes) if schedule_minutes else step / steps


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
    """Write a checkpoint atomically: a run that is killed keeps the one before."""
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


RESUMABLE = frozenset(
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
        "evaluate_positions",
        "checkpoint_every",
        "checkpoint_replay",
        "schedule_minutes",
        "simulations",
        "simulations_end",
        "compile",
        "cuda_graph",
        "games_file",
        "keep_positions",
        "keep_policies",
        "snapshots",
        "executor",
        "actors",
        "actor_gpus",
        "address",
    }
)
"""Settings that a resumed run may change."""


def run_hash(config: RunSettings) -> str:
    """A hash of the settings that stay the same for all of a run."""
    return fingerprint(config, without=RESUMABLE)


def check_same_run(path: Path, state: dict[str, Any], config: RunSettings) -> None:
    """Refuse a checkpoint of other settings than `config`."""
    if state["config"] != run_hash(config):
        free = ", ".join(sorted(RESUMABLE & asdict(config).keys()))
        raise BadSettings(f"{str(path)!r} was made with other settings; only {free} may change")


def cosine_schedule(begin: float, end: float, share: float) -> float:
    """Cosine annealing from `begin` to `end`, as `share` of the run goes from 0 to 1."""
    return begin + (end - begin) * (1 - math.cos(math.pi * min(1.0, share))) / 2


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Use `rate` in all parameter groups from the next update on."""
    for group in optimizer.param_groups:
        group["lr"] = rate


def describe(config: RunSettings, **more: Any) -> dict[str, Any]:
    """The metadata of weights: the config with its hash, and the versions that made them."""
    return {
        **more,
        "config": asdict(config),
        "config_hash": fingerprint(config),
        "commit": commit(),
        "versions": {
            "trireme": __version__,
            "python": platform.python_version(),
            **{name: found for name in ("torch", "numpy", "onnx") if (found := _version(name))},
        },
    }


def commit() -> str:
    """The hash of the git commit that the running code is from; with `-dirty` where files were
    changed, empty where the code is not from a checkout."""
    source = Path(__file__)
    asked = ("ls-files", "--error-unmatch", source.name)  # the checkout may be another project's
    described = ("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    found = ""
    for command in (asked, described):
        try:
            done = subprocess.run(
                ["git", *command], cwd=source.parent, capture_output=True, text=True, check=False
            )
        except OSError:  # git is not installed
            return ""
        if done.returncode:
            return ""
        found = done.stdout.strip()
    return found


def write_json(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def read_metadata(folder: Path) -> dict[str, Any]:
    """The metadata of the weights in a run's folder."""
    path = folder / "metadata.json"
    if not path.is_file():
        raise BadSettings(f"{str(folder)!r} holds no trained network: metadata.json is missing")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


class RunTimer:
    """Measures a run, and says when it should stop: its minutes are over, or a signal came."""

    def __init__(self, minutes: float) -> None:
        self.started = time.monotonic()
        self.minutes = minutes
        self.stop_requested = False

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def over(self) -> bool:
        return self.stop_requested or bool(self.minutes and self.seconds > 60 * self.minutes)


@contextmanager
def stoppable(timer: RunTimer) -> Iterator[None]:
    """Let Ctrl-C (SIGINT) and SIGTERM end the run after the current update."""

    def request_stop(number: int, frame: Any) -> None:
        timer.stop_requested = True

    try:
        before = {n: signal.signal(n, request_stop) for n in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:  # not the main thread: whoever runs it stops it
        before = {}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
