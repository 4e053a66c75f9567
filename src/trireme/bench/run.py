"""Running the benchmark: items through an arena executor into a folder, from which it resumes.

bench.json             whose results these are
GAME.jsonl             one line for every item that is done
GAME-records/          records, and transcripts of language models
results.json           everything, for `trireme bench table`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from trireme import __version__
from trireme.arena.executors import make_executor
from trireme.arena.match import Entrant, entrants
from trireme.arena.outcome import Played
from trireme.arena.preflight import preflight
from trireme.core.errors import TriremeError, why_unreadable
from trireme.core.record import parse_record
from trireme.core.registry import make_game
from trireme.core.stop_signals import watched
from trireme.core.transcript import read_transcript, totals, transcript_path

from .results import BenchResults, BenchRun, BenchScore, save_results
from .scoring import score
from .tasks import LADDER, VERSION, BenchItem, BenchPlan, bench_plan

LIMIT = 900.0
"""Seconds for a decision: a language model may reason long and be repeated."""


Kept = TypeVar("Kept", bound=msgspec.Struct)


class BenchHead(msgspec.Struct, frozen=True):
    """Whose results a folder holds."""

    bench: int
    agent: str
    spec: str | None
    seconds: float | None
    version: str = ""


class BenchFolder:
    """The folder of one agent's benchmark."""

    def __init__(self, path: Path, head: BenchHead) -> None:
        self.path, self.head = path, head
        file = path / "bench.json"
        if file.exists():
            found = _decoded(file, file.read_bytes(), BenchHead)
            if found != head:
                raise TriremeError(
                    f"{str(path)!r} holds the results of {found.agent!r} ({found.spec}) with other "
                    "settings, or of another version of Trireme: choose another folder"
                )
        path.mkdir(parents=True, exist_ok=True)
        file.write_bytes(msgspec.json.encode(head) + b"\n")

    def done(self, game: str) -> list[BenchScore]:
        """The items that were played; a last line that was cut off is removed."""
        file = self.path / f"{game}.jsonl"
        data = file.read_bytes() if file.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            file.write_bytes(whole)
        return [_decoded(file, line, BenchScore) for line in whole.splitlines()]

    def add(self, game: str, item: BenchItem, played: Played) -> BenchScore:
        """Keep an item: its record first, so that every line has one."""
        name = f"{item.task}-{item.number:03d}.jsonl".replace(" ", "-").replace(":", "-")
        record = self.path / f"{game}-records" / name
        record.parent.mkdir(exist_ok=True)
        record.write_text(played.record, encoding="utf-8")
        if played.transcript:
            transcript_path(record).write_text(played.transcript, encoding="utf-8")
        made = scored(item, played)
        with (self.path / f"{game}.jsonl").open("ab") as file:
            file.write(msgspec.json.encode(made) + b"\n")
        return made

    def results(self) -> BenchResults:
        """Everything that is done; also written to `results.json`."""
        head = self.head
        runs = [
            BenchRun(head.agent, game, head.spec, head.seconds, items, head.version)
            for game in LADDER
            if (items := self.done(game))
        ]
        made = BenchResults(VERSION, runs)
        save_results(self.path / "results.json", made)
        return made


def _decoded(file: Path, data: bytes, kind: type[Kept]) -> Kept:
    """What a file of the folder holds, or one of its lines."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TriremeError(
            f"{str(file)!r} is damaged: {why_unreadable(error)}; remove it or choose another folder"
        ) from None


def scored(item: BenchItem, played: Played) -> BenchScore:
    """The item's line."""
    outcome = played.outcome
    counted = totals(e for e in read_transcript(played.transcript) if e.seat == item.seat)
    faults = [f.reason for f in outcome.forfeits if f.seat == item.seat]
    record = parse_record(played.record)
    return BenchScore(
        item.task,
        item.number,
        score(item, record),
        outcome.decisions[item.seat],
        outcome.seconds[item.seat],
        faults[0] if faults else "",
        **counted,
    )


def run_bench(
    agent: str | Entrant,
    games: Sequence[str],
    path: Path,
    *,
    share: float = 1.0,
    seconds: float | None = None,
    limit: float = LIMIT,
    executor: str = "processes",
    workers: int | None = None,
    on_item: Callable[[str, int, int], object] | None = None,
) -> BenchResults:
    """Play what is left of the tasks of `games`, and give all results of the folder.

    `on_item` is called with the game, the items done and the items planned. An interruption leaves
    a folder from which the same call goes on; a larger `share` adds the items that it lacks.
    """
    plans: list[BenchPlan] = []
    for game in games:
        (entrant,) = entrants(make_game(game), [agent])
        plans.append(bench_plan(game, entrant, share=share, seconds=seconds, limit=limit))
        preflight(plans[-1].match)
    first = plans[0].match.entrants[0]
    folder = BenchFolder(path, BenchHead(VERSION, first.name, first.spec, seconds, __version__))
    with watched():
        try:
            for plan in plans:
                _play(folder, plan, executor, workers, on_item)
        finally:
            results = folder.results()
    return results


def _play(
    folder: BenchFolder,
    plan: BenchPlan,
    executor: str,
    workers: int | None,
    on_item: Callable[[str, int, int], object] | None,
) -> None:
    have = {(item.task, item.number) for item in folder.done(plan.game)}
    left = {i.fixture.number: i for i in plan.items if (i.task, i.number) not in have}
    if not left:
        return
    log = folder.path.absolute() / "workers.log"
    done = len(plan.items) - len(left)
    with make_executor(executor, plan.job, workers=workers, log=log) as games:
        for played in games.run([item.fixture for item in left.values()]):
            folder.add(plan.game, left[played.outcome.number], played)
            done += 1
            if on_item is not None:
                on_item(plan.game, done, len(plan.items))
