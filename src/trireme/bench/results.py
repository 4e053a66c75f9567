"""Results: every item's number, merged over files and summarised with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from trireme.core.errors import TriremeError, unknown, why_unreadable
from trireme.core.intervals import mean_half_width, wilson

from .tasks import LADDER, VERSION, task_data, task_sizes


class BenchScore(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One item as it was played."""

    task: str
    number: int
    value: float
    decisions: int = 0
    seconds: float = 0.0
    """Thinking time of the agent."""
    forfeit: str = ""
    """Why the agent forfeited, if it did."""
    requests: int = 0
    """Requests to a language model, and what came of them."""
    ok: int = 0
    unreadable: int = 0
    illegal: int = 0
    truncated: int = 0
    transport: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0


class BenchRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All items of one agent in one game."""

    agent: str
    game: str
    spec: str | None
    seconds: float | None
    """The time budget of a decision."""
    items: list[BenchScore]
    version: str = ""
    """The version of Trireme that played; empty in files from before it was kept."""


class BenchResults(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A results file: runs of one version of the tasks, which can be merged."""

    bench: int
    runs: list[BenchRun]


@dataclass(frozen=True)
class TaskSummary:
    """A task's estimate with its 95 % interval."""

    task: str
    items: int
    value: float
    low: float
    high: float
    unit: str
    note: str = ""


def load_results(path: Path) -> BenchResults:
    """The results in a file; those of another version are refused."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=BenchResults)
    except OSError as error:
        raise TriremeError(f"can't read {str(path)!r}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TriremeError(
            f"{str(path)!r} holds no results of trireme bench: {why_unreadable(error)}"
        ) from None
    if found.bench != VERSION:
        raise TriremeError(
            f"{str(path)!r} has results of version {found.bench} of the tasks, not {VERSION}"
        )
    for run in found.runs:
        _check_items(path, run)
    return found


def _check_items(path: Path, run: BenchRun) -> None:
    """Refuse a run whose game or items are not those of the tasks."""
    if run.game not in LADDER:
        raise unknown("game with a benchmark", run.game, LADDER)
    sizes = task_sizes(run.game)
    for item in run.items:
        if not 0 <= item.number < sizes.get(item.task, 0):
            raise TriremeError(
                f"{str(path)!r}: version {VERSION} of the tasks has no item {item.number} of "
                f"{item.task!r} in {run.game}"
            )


def save_results(path: Path, results: BenchResults) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")


def merge(files: Iterable[BenchResults]) -> BenchResults:
    """Runs of the same agent in the same game become one; of an item that several files hold, the
    first counts."""
    merged: dict[tuple[str, str], BenchRun] = {}
    for run in (run for file in files for run in file.runs):
        known = merged.get((run.agent, run.game))
        if known is None:
            merged[run.agent, run.game] = run
            continue
        if _conditions(known) != _conditions(run):
            raise TriremeError(
                f"{run.agent!r} is {_conditions(known)} in one file and {_conditions(run)} in "
                "another: give one of them another name"
            )
        have = {(item.task, item.number) for item in known.items}
        more = [item for item in run.items if (item.task, item.number) not in have]
        merged[run.agent, run.game] = msgspec.structs.replace(known, items=[*known.items, *more])
    return BenchResults(VERSION, list(merged.values()))


def _conditions(run: BenchRun) -> str:
    """What must be equal where items of two files become one run."""
    budget = "no time budget" if run.seconds is None else f"{run.seconds:g} s a decision"
    return f"{run.spec!r} of Trireme {run.version or '(unknown)'} with {budget}"


def summaries(run: BenchRun) -> list[TaskSummary]:
    """Every task of a run."""
    tasks: dict[str, list[BenchScore]] = {}
    for item in sorted(run.items, key=lambda item: item.number):
        tasks.setdefault(item.task, []).append(item)
    return [_summary(task, items) for task, items in tasks.items()]


def _summary(task: str, items: list[BenchScore]) -> TaskSummary:
    values = [item.value for item in items]
    mean = float(np.mean(values))
    if task == "shots":
        half = mean_half_width(values)
        boards = task_data()["battleship"]
        more = [item.value - boards[item.number]["posterior"] for item in items]
        note = f"{np.mean(more):+.2f} ± {mean_half_width(more):.2f} against the exact posterior"
        return TaskSummary(task, len(items), mean, mean - half, mean + half, "shots", note)
    if task == "regret":
        half = mean_half_width(values)
        return TaskSummary(task, len(items), mean, max(0.0, mean - half), mean + half, "regret")
    low, high = wilson(sum(values), len(values))
    unit = "solved" if task.startswith("puzzle") else "score"
    return TaskSummary(task, len(items), mean, low, high, unit)


def counters(run: BenchRun) -> Mapping[str, float]:
    """Costs, legality and retries of a run.

    `legal` is the share of answers that could be played as they were; without a language model, of
    decisions that were not forfeited as illegal. `retries` is how many answers had to be asked for
    again, for each decision.
    """
    total = {
        name: float(sum(getattr(item, name) for item in run.items))
        for name in (
            *("decisions", "seconds", "requests", "ok", "unreadable", "illegal", "truncated"),
            *("transport", "tokens_in", "tokens_out", "cost"),
        )
    }
    refused = total["unreadable"] + total["illegal"] + total["truncated"]
    forfeits = sum(item.forfeit == "illegal" for item in run.items)
    decisions = max(total["decisions"], 1.0)
    answers = total["ok"] + refused
    total["legal"] = total["ok"] / answers if answers else 1 - forfeits / decisions
    total["retries"] = refused / decisions
    total["forfeits"] = float(sum(bool(item.forfeit) for item in run.items))
    return total
