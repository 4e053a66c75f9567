"""Mutation testing: change the code in one place at a time, and see whether a fast test notices.

    python benchmarks/mutants.py                          # every mutation (hours); or: make mutants
    python benchmarks/mutants.py --sample 12              # a random sample of every file
    python benchmarks/mutants.py --only gomoku/rules.py   # one file; --without leaves some out
    python benchmarks/mutants.py --results run.jsonl      # keep results; continues a stopped run
    python benchmarks/mutants.py --again run.jsonl        # only the survivors of that run
    python benchmarks/mutants.py --kernels --sample 2     # kernels, each compiled anew

Each mutation is tried by the fast tests that `mutant_targets.py` names for its file, in a process
whose functions get the changed code: no file is ever touched (see `mutant_server.py`). A mutation
that no test notices is a survivor; `benchmarks/mutants_explained.toml` says of each known survivor
why no test can or need notice it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from mutant_targets import KERNELS, POSTGRES_TESTS, TARGETS
from mutator import Mutation, Mutator
from postgres_server import postgres_server
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "trireme"
SERVER = Path(__file__).with_name("mutant_server.py")
EXPLAINED = Path(__file__).with_name("mutants_explained.toml")
FAST = ["-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist"]
SLOWER = 6
"""A mutant whose tests take so many times longer than the unchanged code's hangs: it is noticed."""
PATIENCE = 15
"""Seconds of processor time that tests may always take before they count as hanging."""

KERNEL_SECONDS = 300
"""The same for tests of kernels, which are compiled first."""


class BrokenTests(Exception):
    """Tests that fail without any mutation, or whose process has ended: they can notice none."""


class Runner:
    """A process that has collected some tests, and tries one mutation after another with them."""

    def __init__(self, tests: Sequence[str], folder: Path, **variables: str) -> None:
        environment = {
            **os.environ,
            **variables,
            "PYTHONPATH": str(PACKAGE.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
            "TMPDIR": str(folder),
        }
        self._process = subprocess.Popen(
            [sys.executable, str(SERVER), *FAST, *tests],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        self._tests, self._seconds = tests, 600

    def prepare(self) -> None:
        """Collect the tests, and see how long they take without a mutation."""
        status, took = self._ask("", "")
        if status != "passed":
            raise BrokenTests(f"{' '.join(self._tests)}: {status} without any mutation")
        self._seconds = max(PATIENCE, round(SLOWER * took))

    def terminate(self) -> None:
        """End the process; who waits for its answer gets `BrokenTests`."""
        self._process.terminate()

    def close(self) -> None:
        self.terminate()
        with suppress(BrokenPipeError):
            self._process.communicate()

    def survives(self, mutation: Mutation) -> bool:
        """Whether no test notices the mutation."""
        status, _ = self._ask(str(PACKAGE / mutation.file), mutation.source)
        return status in ("passed", "unfit")

    def _ask(self, file: str, source: str) -> tuple[str, float]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"file": file, "source": source, "seconds": self._seconds}
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        answer = self._process.stdout.readline().split()
        if not answer:
            raise BrokenTests(f"{' '.join(self._tests)}: their process has ended")
        return answer[0], float(answer[1])


@contextmanager
def started_runner(tests: Sequence[str], folder: Path) -> Iterator[Runner]:
    """A runner of these tests, with a database server where they need one."""
    with ExitStack() as stack:
        variables = {}
        if tests == POSTGRES_TESTS:
            url = stack.enter_context(postgres_server(folder)).url
            variables["TRIREME_TEST_POSTGRES"] = url.removesuffix("/postgres")
        yield stack.enter_context(closing(Runner(tests, folder, **variables)))


class Results:
    """Whether each mutation that was tried survived; a file keeps it line by line, if there is one,
    so that a run that was stopped goes on where it was."""

    def __init__(self, path: Path | None, mutations: Sequence[Mutation]) -> None:
        rows = result_rows(path) if path is not None and path.exists() else []
        known = {_identity(row): row["survived"] for row in rows}
        self.survived = {m: known[i] for m in mutations if (i := _identity(_row(m))) in known}
        self._path, self._lock = path, threading.Lock()

    def add(self, mutation: Mutation, survived: bool) -> None:
        self.survived[mutation] = survived
        if self._path is not None:
            line = json.dumps({**_row(mutation), "survived": survived})
            with self._lock, self._path.open("a", encoding="utf-8") as file:
                file.write(f"\n{line}")  # in a line of its own, even if the last one was cut off


def result_rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of results, less one that was cut off."""
    rows = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SystemExit(f"{path} can't be read: {error.strerror}") from None
    for line in lines:
        with suppress(ValueError):
            rows.append(json.loads(line))
    return rows


def _row(mutation: Mutation) -> dict[str, Any]:
    return {name: getattr(mutation, name) for name in ("file", "line", "before", "after")}


def _identity(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["file"], row["line"], row["before"], row["after"]


def all_mutations(
    targets: Mapping[str, Sequence[str]], only: Sequence[str], without: Sequence[str]
) -> list[Mutation]:
    files = [
        file
        for file in targets
        if (not only or any(part in file for part in only))
        and not any(part in file for part in without)
    ]
    if not files:
        raise SystemExit(f"no target matches {', '.join(only)}; there are {', '.join(targets)}")
    return [
        mutation
        for file in files
        for mutation in Mutator(file, (PACKAGE / file).read_text(encoding="utf-8")).mutations()
    ]


def sample(mutations: Sequence[Mutation], each: int, seed: int) -> list[Mutation]:
    """Draw `each` mutations of every file, as far as it has them; other files change nothing."""
    files: dict[str, list[Mutation]] = {}
    for mutation in mutations:
        files.setdefault(mutation.file, []).append(mutation)
    drawn: list[Mutation] = []
    for file, found in files.items():
        chosen = random.Random(f"{seed} {file}").sample(found, min(each, len(found)))
        drawn += sorted(chosen, key=lambda m: (m.line, m.after))
    return drawn


def explanations() -> dict[tuple[str, str, str], str]:
    """Why known survivors survive, by file, line before and line after."""
    known = tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))["survivor"]
    return {(s["file"], s["before"], s["after"]): s["why"] for s in known}


def try_all(
    mutations: Sequence[Mutation],
    targets: Mapping[str, Sequence[str]],
    workers: int,
    results: Results,
    console: Console,
) -> None:
    """See whether each mutation survives; Ctrl-C ends it with the results so far."""
    groups: dict[tuple[str, ...], list[Mutation]] = {}
    for mutation in mutations:
        groups.setdefault(tuple(targets[mutation.file]), []).append(mutation)
    stopped = threading.Event()
    with (
        tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder,
        Progress(console=console, disable=not console.is_terminal) as progress,
        ThreadPoolExecutor(workers) as pool,
    ):
        task = progress.add_task("Mutations", total=len(mutations))
        running: set[Runner] = set()

        def try_group(tests: tuple[str, ...]) -> None:
            try:
                with started_runner(tests, Path(folder)) as runner:
                    running.add(runner)
                    runner.prepare()
                    for mutation in groups[tests]:
                        survived = runner.survives(mutation)
                        results.add(mutation, survived)
                        if survived:
                            progress.console.print(str(mutation), markup=False, soft_wrap=True)
                        progress.advance(task)
                    running.discard(runner)
            except (BrokenTests, SystemExit) as broken:  # the others go on: it may be hours old
                if not stopped.is_set():
                    progress.console.print(str(broken), style="red", markup=False, soft_wrap=True)

        try:
            list(pool.map(try_group, groups))
        except KeyboardInterrupt:
            console.print("stopped")
            stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for runner in tuple(running):
                runner.terminate()


def try_kernels(
    mutations: Sequence[Mutation],
    targets: Mapping[str, Sequence[str]],
    results: Results,
    console: Console,
) -> None:
    """See whether each mutation of a kernel survives; each is compiled in a copy of the package."""
    for file in {m.file: None for m in mutations}:
        source = (PACKAGE / file).read_text(encoding="utf-8")
        if not kernel_passes(file, source, targets[file]):
            raise SystemExit(f"{' '.join(targets[file])}: failed without any mutation")
    for mutation in mutations:
        survived = kernel_passes(mutation.file, mutation.source, targets[mutation.file])
        results.add(mutation, survived)
        if survived:
            console.print(str(mutation), markup=False, soft_wrap=True)


def kernel_passes(file: str, source: str, tests: Sequence[str]) -> bool:
    """Whether the tests pass in time where the kernel file `file` has this source."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copied = shutil.copytree(PACKAGE, Path(folder) / PACKAGE.name)
        (copied / file).write_text(source, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", *FAST, *tests]
        environment = {**os.environ, "PYTHONPATH": folder, "TMPDIR": folder}
        with suppress(subprocess.TimeoutExpired):
            run = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
                preexec_fn=_limit_processor_time,
                timeout=20 * KERNEL_SECONDS,
            )
            return run.returncode == 0
    return False


def _limit_processor_time() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (KERNEL_SECONDS, KERNEL_SECONDS))


def chosen(options: argparse.Namespace, targets: Mapping[str, Sequence[str]]) -> list[Mutation]:
    if options.again is None:
        mutations = all_mutations(targets, options.only, options.without)
    else:
        wanted = {
            (row["file"], row["before"], row["after"])
            for row in result_rows(options.again)
            if row["survived"]
        }
        files = {file for file, _, _ in wanted}
        targets = {file: tests for file, tests in targets.items() if file in files}
        mutations = all_mutations(targets, options.only, options.without)
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
        console.print(f"{mutation}\n    {why}", markup=False, soft_wrap=True)
    share = 1 - len(survivors) / len(mutations) if mutations else 1.0
    console.print(
        f"{len(mutations) - len(survivors)} of {len(mutations)} mutations noticed ({share:.1%}), "
        f"{sum(m.key not in known for m in survivors)} survivors not explained"
    )
    return share


def _report_once(*_: object) -> None:
    """SIGTERM ends a run as Ctrl-C does; another one, as `timeout` sends it, does not cut the
    report short."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--sample", type=int, help="how many mutations to try of every file")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--only", nargs="*", default=[], help="files, such as gomoku/rules.py")
    parser.add_argument("--without", nargs="*", default=[], help="files to leave out, likewise")
    parser.add_argument(
        "--again", type=Path, help="try only the survivors in this file of --results"
    )
    parser.add_argument("--kernels", action="store_true", help="kernels in place of plain code")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--least", type=float, default=0.9, help="share that must be noticed")
    parser.add_argument(
        "--results",
        type=Path,
        help="add each result to this file; what it holds is not tried again",
    )
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, _report_once)
    console = Console()
    targets = KERNELS if options.kernels else TARGETS
    mutations = chosen(options, targets)
    results = Results(options.results, mutations)
    left = [m for m in mutations if m not in results.survived]
    if len(left) < len(mutations):
        console.print(f"{len(mutations) - len(left)} results are in {options.results}")
    if options.kernels:
        try_kernels(left, targets, results, console)
    else:
        try_all(left, targets, options.workers, results, console)
    tried = [m for m in mutations if m in results.survived]
    share = report(tried, [m for m in tried if results.survived[m]], console)
    untried = len(mutations) - len(tried)
    if untried:
        console.print(f"{untried} mutations were not tried")
    sys.exit(0 if share >= options.least and not untried else 1)


if __name__ == "__main__":
    main()
