"""Mutation testing: change the code in one place at a time, and see whether a fast test notices.

    python benchmarks/mutants.py                          # every mutation (hours); or: make mutants
    python benchmarks/mutants.py --sample 12              # a random sample of every file
    python benchmarks/mutants.py --only gomoku/rules.py   # one file; --without leaves some out
    python benchmarks/mutants.py --again survivors.json   # those that an earlier run found (--json)
    python benchmarks/mutants.py --kernels --sample 2     # kernels, each compiled anew

Each mutation is tried by the fast tests that `TARGETS` names for its file, in a process whose
functions get the changed code: no file is ever touched (see `mutant_server.py`). A mutation that no
test notices is a survivor; `benchmarks/mutants_explained.toml` says of each known survivor why no
test can or need notice it.
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
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from mutator import Mutation, Mutator
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

STATISTICS = ("tests/arena/test_references.py", "tests/arena/test_statistics.py")
RECORDS = ("tests/core/test_record.py", "tests/core/test_play.py", "tests/core/test_notes.py")
PLAYS = (*RECORDS[::-1], "tests/core/test_action_input.py", "tests/core/test_notebook.py")
ENGINE = ("tests/gomoku/test_engine.py",)
LINE_TABLES = ("tests/gomoku/test_line_tables.py",)
NAVIGATION = (
    "tests/navigation/test_cases.py",
    "tests/navigation/test_golden.py",
    "tests/navigation/test_maps.py::test_bad_settings_are_refused",
    "tests/navigation/test_maps.py::test_an_unknown_way_to_turn_is_refused",
)
TABLE = ("tests/server/test_requests.py", "tests/server/test_table.py")

TARGETS: dict[str, tuple[str, ...]] = {
    "core/intervals.py": STATISTICS,
    "core/record.py": RECORDS,
    "core/play.py": PLAYS,
    "core/session.py": PLAYS,
    "core/forfeit.py": PLAYS,
    "core/registry.py": ("tests/core/test_registry.py", "tests/plugins/test_discovery.py"),
    "core/action_input.py": ("tests/core/test_action_input.py",),
    "core/options.py": ("tests/core/test_registry.py",),
    "core/spec.py": ("tests/core/test_registry.py", "tests/cli/test_agent_specs.py"),
    "core/seeding.py": ("tests/core/test_seeding.py",),
    "core/simulation.py": ("tests/core/test_simulation.py",),
    "core/board.py": ("tests/core/test_board.py", "tests/gomoku/test_rules.py"),
    "battleship/rules.py": ("tests/battleship/test_rules.py", "tests/battleship/test_variants.py"),
    "battleship/fleets.py": ("tests/battleship/test_placing.py", "tests/battleship/test_rules.py"),
    "battleship/board.py": ("tests/battleship/test_rules.py", "tests/battleship/test_placing.py"),
    "battleship/notation.py": (
        "tests/battleship/test_rules.py",
        "tests/battleship/test_placing.py",
    ),
    "battleship/shots.py": ("tests/battleship/test_rules.py", "tests/battleship/test_variants.py"),
    "battleship/belief/constraints.py": (
        "tests/battleship/test_determinization.py",
        "tests/battleship/test_belief.py::test_a_fleet_explains_the_answers_that_it_gives",
    ),
    "battleship/belief/determinization.py": ("tests/battleship/test_determinization.py",),
    "gomoku/rules.py": ("tests/gomoku/test_rules.py", "tests/gomoku/test_counts.py"),
    "gomoku/formats.py": ("tests/gomoku/test_formats.py",),
    "gomoku/swap2.py": ("tests/gomoku/test_swap2.py",),
    "gomoku/engine/iterative_deepening.py": ENGINE,
    "gomoku/engine/analysis.py": ENGINE,
    "gomoku/engine/engine.py": ENGINE,
    "gomoku/proof_checker.py": ("tests/gomoku/test_proofs.py",),
    "gomoku/engine/patterns.py": ("tests/gomoku/test_patterns.py",),
    "gomoku/engine/orientation.py": ("tests/gomoku/test_symmetry.py",),
    "gomoku/engine/line_windows.py": LINE_TABLES,
    "gomoku/engine/shape_tables.py": LINE_TABLES,
    "gomoku/engine/table_network.py": ("tests/gomoku/test_table_network.py",),
    "gomoku/engine/evaluation_weights.py": ("tests/training/test_evaluation_fit.py",),
    "navigation/rules.py": NAVIGATION,
    "navigation/plans.py": ("tests/navigation/test_plans.py",),
    "navigation/geometry.py": NAVIGATION,
    "navigation/ships.py": NAVIGATION,
    "navigation/maps.py": ("tests/navigation/test_maps.py",),
    "navigation/phase_log.py": ("tests/navigation/test_phase_log.py",),
    "navigation/search/matrix_game.py": (
        "tests/navigation/test_exploitability.py::test_known_matrix_games_have_their_values",
        "tests/navigation/test_exploitability.py::test_optimal_mixtures_leave_nothing_to_gain",
    ),
    "navigation/search/double_oracle.py": ("tests/navigation/test_search.py",),
    "arena/schedule.py": (
        "tests/arena/test_schedule.py",
        "tests/arena/test_formats.py",
        "tests/arena/test_conditions.py",
    ),
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
    "envs/battleship_vector.py": ("tests/envs/test_battleship_vector.py",),
    "envs/duel_vector.py": ("tests/envs/test_duel_vector.py",),
    "envs/gomoku_vector.py": ("tests/envs/test_gomoku_vector.py",),
    "envs/navigation_vector.py": ("tests/envs/test_navigation_vector.py",),
    "envs/opponent.py": ("tests/envs/test_opponent.py",),
    "envs/zoo_episode.py": ("tests/envs/test_zoo.py",),
    "server/rooms/table.py": TABLE,
    "server/rooms/views.py": TABLE,
    "server/rooms/recording.py": TABLE,
    "training/gomoku_games.py": ("tests/training/test_gomoku_games.py",),
    "training/gumbel_search.py": ("tests/training/test_zero_search.py",),
    "training/replay.py": ("tests/training/test_replay.py",),
}
"""Files below `src/trireme`, and the tests that must notice a change in them."""

KERNELS: dict[str, tuple[str, ...]] = {
    "battleship/kernels.py": ("tests/battleship/test_kernels.py",),
    "gomoku/kernels.py": ("tests/gomoku/test_kernels.py",),
    "navigation/kernels.py": ("tests/navigation/test_kernels.py",),
}
"""Kernels with a plain twin. Each mutant is compiled, which takes up to a minute: try a handful."""


class Runner:
    """A process that has collected some tests, and tries one mutation after another with them."""

    def __init__(self, tests: Sequence[str], folder: Path) -> None:
        environment = {
            **os.environ,
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
        self._seconds = 600
        status, took = self._ask("", "")
        if status != "passed":
            self.close()
            raise SystemExit(f"{' '.join(tests)}: {status} without any mutation")
        self._seconds = max(PATIENCE, round(SLOWER * took))

    def close(self) -> None:
        self._process.terminate()
        self._process.communicate()

    def survives(self, mutation: Mutation) -> bool:
        """Whether no test notices the mutation."""
        status, _ = self._ask(str(PACKAGE / mutation.file), mutation.source)
        return status in ("passed", "unfit")

    def _ask(self, file: str, source: str) -> tuple[str, float]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        request = {"file": file, "source": source, "seconds": self._seconds}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        status, took = (self._process.stdout.readline() or "broken 0").split()
        return status, float(took)


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
    console: Console,
) -> dict[Mutation, bool]:
    """Whether each mutation survives; after Ctrl-C, of those that were tried."""
    groups: dict[tuple[str, ...], list[Mutation]] = {}
    for mutation in mutations:
        groups.setdefault(tuple(targets[mutation.file]), []).append(mutation)
    results: dict[Mutation, bool] = {}
    stopped = threading.Event()
    with (
        tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder,
        Progress(console=console, disable=not console.is_terminal) as progress,
        ThreadPoolExecutor(workers) as pool,
    ):
        task = progress.add_task("Mutations", total=len(mutations))

        def try_group(tests: tuple[str, ...]) -> None:
            runner = Runner(tests, Path(folder))
            try:
                for mutation in groups[tests]:
                    if stopped.is_set():
                        break
                    results[mutation] = runner.survives(mutation)
                    if results[mutation]:
                        progress.console.print(str(mutation), markup=False, soft_wrap=True)
                    progress.advance(task)
            finally:
                runner.close()

        try:
            list(pool.map(try_group, groups))
        except KeyboardInterrupt:
            console.print("stopped")
        finally:
            stopped.set()
            pool.shutdown(cancel_futures=True)
    return {m: results[m] for m in mutations if m in results}


def try_kernels(
    mutations: Sequence[Mutation], targets: Mapping[str, Sequence[str]], console: Console
) -> dict[Mutation, bool]:
    """Whether each mutation of a kernel survives; each is compiled in a copy of the package."""
    for file in {m.file: None for m in mutations}:
        source = (PACKAGE / file).read_text(encoding="utf-8")
        if not kernel_passes(file, source, targets[file]):
            raise SystemExit(f"{' '.join(targets[file])}: failed without any mutation")
    results: dict[Mutation, bool] = {}
    for mutation in mutations:
        survived = kernel_passes(mutation.file, mutation.source, targets[mutation.file])
        results[mutation] = survived
        if survived:
            console.print(str(mutation), markup=False, soft_wrap=True)
    return results


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
    mutations = all_mutations(targets, options.only, options.without)
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
        console.print(f"{mutation}\n    {why}", markup=False, soft_wrap=True)
    share = 1 - len(survivors) / len(mutations) if mutations else 1.0
    console.print(
        f"{len(mutations) - len(survivors)} of {len(mutations)} mutations noticed ({share:.1%}), "
        f"{sum(m.key not in known for m in survivors)} survivors not explained"
    )
    return share


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--sample", type=int, help="how many mutations to try of every file")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--only", nargs="*", default=[], help="files, such as gomoku/rules.py")
    parser.add_argument("--without", nargs="*", default=[], help="files to leave out, likewise")
    parser.add_argument("--again", type=Path, help="try the survivors in this file of --json only")
    parser.add_argument("--kernels", action="store_true", help="kernels in place of plain code")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--least", type=float, default=0.9, help="share that must be noticed")
    parser.add_argument("--json", type=Path, help="write the survivors to this file")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # report, as after Ctrl-C
    console = Console()
    targets = KERNELS if options.kernels else TARGETS
    mutations = chosen(options, targets)
    if options.kernels:
        results = try_kernels(mutations, targets, console)
    else:
        results = try_all(mutations, targets, options.workers, console)
    survivors = [m for m, survived in results.items() if survived]
    if options.json:
        rows = [{"file": m.file, "before": m.before, "after": m.after} for m in survivors]
        result = {"mutations": len(results), "survivors": rows}
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    share = report(list(results), survivors, console)
    sys.exit(0 if share >= options.least else 1)


if __name__ == "__main__":
    main()
