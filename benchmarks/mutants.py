"""Mutation testing: change the code in one place at a time, and see whether a fast test notices.

    python benchmarks/mutants.py                          # every mutation (hours); or: make mutants
    python benchmarks/mutants.py --sample 60              # a random sample, the same for one seed
    python benchmarks/mutants.py --only gomoku/rules.py   # one file
    python benchmarks/mutants.py --again survivors.json   # those that an earlier run found (--json)
    python benchmarks/mutants.py --kernels --sample 30    # kernels, run as plain Python

Each mutation is tried by the fast tests that `TARGETS` names for its file, in a copy of the package
made of links, so the working tree is never touched. A mutation that no test notices is a survivor;
`benchmarks/mutants_explained.toml` says of each known survivor why no test can or need notice it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from mutator import Mutation, Mutator
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "trireme"
EXPLAINED = Path(__file__).with_name("mutants_explained.toml")
FAST = ["-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist"]
SLOWER = 6
"""A mutant whose tests take so many times longer than the unchanged code's hangs: it is noticed."""
PATIENCE = 15.0
"""Seconds that tests may take before they hang, however short they usually are."""

STATISTICS = ("tests/arena/test_references.py", "tests/arena/test_statistics.py")
RECORDS = ("tests/core/test_record.py", "tests/core/test_play.py")
ENGINE = ("tests/gomoku/test_engine.py",)
TABLE = ("tests/server/test_table.py",)

TARGETS: dict[str, tuple[str, ...]] = {
    "core/intervals.py": STATISTICS,
    "core/record.py": RECORDS,
    "core/play.py": RECORDS[::-1],
    "core/registry.py": ("tests/core/test_registry.py",),
    "core/options.py": ("tests/core/test_registry.py",),
    "core/spec.py": ("tests/core/test_registry.py",),
    "core/seeding.py": ("tests/core/test_play.py", "tests/core/test_isolation.py"),
    "core/board.py": ("tests/core/test_board.py", "tests/gomoku/test_rules.py"),
    "battleship/rules.py": ("tests/battleship/test_rules.py", "tests/battleship/test_variants.py"),
    "battleship/fleets.py": ("tests/battleship/test_placing.py", "tests/battleship/test_rules.py"),
    "battleship/board.py": ("tests/battleship/test_rules.py", "tests/battleship/test_placing.py"),
    "battleship/notation.py": (
        "tests/battleship/test_rules.py",
        "tests/battleship/test_placing.py",
    ),
    "battleship/shots.py": ("tests/battleship/test_rules.py", "tests/battleship/test_variants.py"),
    "battleship/belief/constraints.py": ("tests/battleship/test_belief.py",),
    "battleship/belief/determinization.py": ("tests/battleship/test_determinization.py",),
    "gomoku/rules.py": ("tests/gomoku/test_rules.py", "tests/gomoku/test_counts.py"),
    "gomoku/formats.py": ("tests/gomoku/test_formats.py",),
    "gomoku/swap2.py": ("tests/gomoku/test_swap2.py",),
    "gomoku/engine/iterative_deepening.py": ENGINE,
    "gomoku/engine/analysis.py": ENGINE,
    "gomoku/engine/engine.py": ENGINE,
    "gomoku/engine/patterns.py": ("tests/gomoku/test_patterns.py",),
    "navigation/rules.py": ("tests/navigation/test_cases.py", "tests/navigation/test_golden.py"),
    "navigation/plans.py": ("tests/navigation/test_plans.py",),
    "navigation/geometry.py": ("tests/navigation/test_cases.py", "tests/navigation/test_golden.py"),
    "navigation/ships.py": ("tests/navigation/test_cases.py", "tests/navigation/test_golden.py"),
    "navigation/maps.py": ("tests/navigation/test_maps.py",),
    "navigation/phase_log.py": ("tests/navigation/test_phase_log.py",),
    "navigation/search/matrix_game.py": ("tests/navigation/test_search.py",),
    "navigation/search/double_oracle.py": ("tests/navigation/test_search.py",),
    "arena/schedule.py": ("tests/arena/test_schedule.py",),
    "arena/match.py": ("tests/arena/test_schedule.py",),
    "arena/outcome.py": ("tests/arena/test_outcomes.py",),
    "arena/history.py": ("tests/arena/test_history.py",),
    "arena/standing.py": ("tests/arena/test_statistics.py", "tests/arena/test_history.py"),
    "arena/statistics/bootstrap.py": STATISTICS,
    "arena/statistics/ratings.py": STATISTICS,
    "arena/statistics/sprt.py": STATISTICS,
    "arena/statistics/comparisons.py": STATISTICS[1:],
    "envs/battleship.py": ("tests/envs/test_battleship_env.py",),
    "envs/vector.py": ("tests/envs/test_battleship_vector.py",),
    "envs/zoo_episode.py": ("tests/envs/test_zoo.py",),
    "server/rooms/table.py": TABLE,
    "server/rooms/views.py": (*TABLE, "tests/server/test_secrecy.py"),
    "server/rooms/recording.py": TABLE,
    "server/rooms/events.py": TABLE,
}
"""Files below `src/trireme`, and the tests that must notice a change in them."""

KERNELS: dict[str, tuple[str, ...]] = {
    "battleship/kernels.py": ("tests/battleship/test_kernels.py",),
    "gomoku/kernels.py": ("tests/gomoku/test_kernels.py",),
    "navigation/kernels.py": ("tests/navigation/test_kernels.py",),
}
"""Kernels with a plain twin; their tests run without compilation, as a mutant lives for seconds."""

SERVE = """
import os, signal, sys, time
import gymnasium, hypothesis, msgspec, numba, numpy, pettingzoo, pytest, sqlalchemy
parent = os.getppid()
for line in sys.stdin:
    seconds, *arguments = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        quiet = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(quiet, number)
        os._exit(int(pytest.main(arguments)))
    began = time.monotonic()
    ended, status = 0, 0
    while not ended and time.monotonic() - began < float(seconds) and os.getppid() == parent:
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if not ended:
        os.waitpid(child, 0)
    if os.getppid() != parent:
        break
    took = time.monotonic() - began
    print(os.waitstatus_to_exitcode(status) if ended else "hang", f"{took:.2f}", flush=True)
"""
"""Runs pytest in a fork for every line it reads, so that the libraries are imported only once. It
ends with its parent, also where that was killed, and with it all that the tests have started."""


class Runner:
    """A copy of the package made of links, and a process that tries mutations in it."""

    def __init__(self, folder: Path, plain: bool) -> None:
        self._package = folder / "trireme"
        for path, folders, files in os.walk(PACKAGE):
            here = self._package / Path(path).relative_to(PACKAGE)
            here.mkdir(parents=True)
            if "__pycache__" in folders:
                folders.remove("__pycache__")
                if not plain:  # else what is compiled there would be thrown away as stale
                    (here / "__pycache__").symlink_to(Path(path) / "__pycache__")
            for file in files:
                (here / file).symlink_to(Path(path) / file)
        environment = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
            "NUMBA_DISABLE_JIT": str(int(plain)),
            "TMPDIR": str(folder),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def test(self, tests: Sequence[str], seconds: float) -> tuple[str, float]:
        """Run these tests: (pytest's exit status or "hang", seconds)."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\t".join([f"{seconds:.1f}", *FAST, *tests]) + "\n")
        self._process.stdin.flush()
        status, took = self._process.stdout.readline().split()
        return status, float(took)

    def survives(self, mutation: Mutation, tests: Sequence[str], seconds: float) -> bool:
        """Whether no test notices the mutation."""
        place = self._package / mutation.file
        original = place.readlink()
        place.unlink()
        place.write_text(mutation.source, encoding="utf-8")
        try:
            return self.test(tests, seconds)[0] == "0"
        finally:
            place.unlink()
            place.symlink_to(original)


def all_mutations(targets: Mapping[str, Sequence[str]], only: Sequence[str]) -> list[Mutation]:
    files = [file for file in targets if not only or any(file.endswith(o) for o in only)]
    if not files:
        raise SystemExit(f"no target matches {', '.join(only)}; there are {', '.join(targets)}")
    return [
        mutation
        for file in files
        for mutation in Mutator(file, (PACKAGE / file).read_text(encoding="utf-8")).mutations()
    ]


def sample(mutations: Sequence[Mutation], count: int, seed: int) -> list[Mutation]:
    """Draw `count` mutations: as many from every file, as far as it has them."""
    rng = random.Random(seed)
    files: dict[str, list[Mutation]] = {}
    for mutation in mutations:
        files.setdefault(mutation.file, []).append(mutation)
    for of_file in files.values():
        rng.shuffle(of_file)
    ranked = sorted(
        (rank, file, mutation)
        for file, of_file in files.items()
        for rank, mutation in enumerate(of_file)
    )
    return sorted((m for _, _, m in ranked[:count]), key=lambda m: (m.file, m.line, m.after))


def explanations() -> dict[tuple[str, str, str], str]:
    """Why known survivors survive, by file, line before and line after."""
    known = tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))["survivor"]
    return {(s["file"], s["before"], s["after"]): s["why"] for s in known}


class Trial:
    """Tries mutations side by side, each in the copy of a free runner."""

    def __init__(self, targets: Mapping[str, Sequence[str]], workers: int, plain: bool) -> None:
        self._targets, self._workers = targets, workers
        self._folder = Path(tempfile.mkdtemp(prefix="mutants-"))
        self._runners: Queue[Runner] = Queue()
        self._usual: dict[tuple[str, ...], float] = {}
        for number in range(workers):
            self._runners.put(Runner(self._folder / str(number), plain))

    def __enter__(self) -> Trial:
        return self

    def __exit__(self, *_: object) -> None:
        while not self._runners.empty():
            self._runners.get().close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def survivors(self, mutations: Sequence[Mutation], console: Console) -> list[Mutation]:
        """Those that no test notices, in the order given; each is shown as soon as it is known."""
        with (
            ThreadPoolExecutor(self._workers) as pool,
            Progress(console=console, disable=not console.is_terminal) as progress,
        ):
            files = dict.fromkeys(m.file for m in mutations)
            list(pool.map(self._time, dict.fromkeys(tuple(self._targets[f]) for f in files)))
            task = progress.add_task("Mutations", total=len(mutations))

            def survives(mutation: Mutation) -> bool:
                survived = self._survives(mutation)
                progress.advance(task)
                if survived:
                    progress.console.print(str(mutation), markup=False, highlight=False)
                return survived

            try:
                results = list(pool.map(survives, mutations))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return [m for m, survived in zip(mutations, results, strict=True) if survived]

    def _time(self, tests: tuple[str, ...]) -> None:
        """How long these tests usually take; without a mutation they must pass."""
        runner = self._runners.get()
        try:
            status, self._usual[tests] = runner.test(tests, 600)
        finally:
            self._runners.put(runner)
        if status != "0":
            raise SystemExit(f"{' '.join(tests)} fails without any mutation: {status}")

    def _survives(self, mutation: Mutation) -> bool:
        tests = tuple(self._targets[mutation.file])
        runner = self._runners.get()
        try:
            seconds = max(PATIENCE, SLOWER * self._usual[tests])
            return runner.survives(mutation, tests, seconds)
        finally:
            self._runners.put(runner)


def chosen(options: argparse.Namespace, targets: Mapping[str, Sequence[str]]) -> list[Mutation]:
    mutations = all_mutations(targets, options.only)
    if options.again is not None:
        wanted = {
            (m["file"], m["before"], m["after"])
            for m in json.loads(options.again.read_text(encoding="utf-8"))["survivors"]
        }
        mutations = [m for m in mutations if m.key in wanted]
    if options.sample is not None:
        mutations = sample(mutations, options.sample, options.seed)
    return mutations


def report(mutations: Sequence[Mutation], survivors: Sequence[Mutation], console: Console) -> float:
    """Print the shares and the survivors with their explanations; gives the share noticed."""
    tried, lived = Counter(m.file for m in mutations), Counter(m.file for m in survivors)
    table = Table("file", "mutations", "noticed", "share")
    for file, count in tried.items():
        noticed = count - lived[file]
        table.add_row(file, str(count), str(noticed), f"{noticed / count:.0%}")
    console.print(table)
    known = explanations()
    for mutation in survivors:
        why = known.get(mutation.key, "NOT EXPLAINED")
        console.print(f"{mutation}\n    {why}", markup=False, highlight=False)
    share = 1 - len(survivors) / len(mutations) if mutations else 1.0
    console.print(
        f"{len(mutations) - len(survivors)} of {len(mutations)} mutations noticed ({share:.1%}), "
        f"{sum(m.key not in known for m in survivors)} survivors not explained"
    )
    return share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--sample", type=int, help="how many mutations to draw, evenly over files")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--only", nargs="*", default=[], help="files, such as gomoku/rules.py")
    parser.add_argument("--again", type=Path, help="try the survivors in this file of --json only")
    parser.add_argument("--kernels", action="store_true", help="kernels in place of plain code")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--least", type=float, default=0.9, help="share that must be noticed")
    parser.add_argument("--json", type=Path, help="write the survivors to this file")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # clean up, as after Ctrl-C
    console = Console()
    targets = KERNELS if options.kernels else TARGETS
    mutations = chosen(options, targets)
    with Trial(targets, options.workers, options.kernels) as trial:
        survivors = trial.survivors(mutations, console)
    if options.json:
        rows = [{"file": m.file, "before": m.before, "after": m.after} for m in survivors]
        result = {"mutations": len(mutations), "survivors": rows}
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    sys.exit(0 if report(mutations, survivors, console) >= options.least else 1)


if __name__ == "__main__":
    main()
