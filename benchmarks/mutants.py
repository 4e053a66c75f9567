"""Mutation testing: change the code in one place at a time, and see whether a fast test notices.

    python benchmarks/mutants.py                          # every mutation (hours); or: make mutants
    python benchmarks/mutants.py --sample 60              # a random sample, the same for one seed
    python benchmarks/mutants.py --only gomoku/rules.py   # one file

Each mutation is tried by the fast tests that `TARGETS` names for its file, in a copy of the package
made of links, so the working tree is never touched. A mutation that no test notices is a survivor;
`benchmarks/mutants_explained.toml` says of each known survivor why no test can or need notice it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "trireme"
EXPLAINED = Path(__file__).with_name("mutants_explained.toml")
FAST = ["-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist"]
SLOWER = 5
"""A mutant whose tests take so many times longer than the unchanged code's hangs: it is noticed."""

TARGETS: dict[str, tuple[str, ...]] = {
    "core/record.py": ("tests/core/test_record.py", "tests/core/test_play.py"),
    "core/play.py": ("tests/core/test_play.py", "tests/core/test_record.py"),
    "core/registry.py": ("tests/core/test_registry.py",),
    "core/options.py": ("tests/core/test_registry.py",),
    "battleship/rules.py": ("tests/battleship/test_rules.py", "tests/battleship/test_variants.py"),
    "battleship/fleets.py": ("tests/battleship/test_placing.py", "tests/battleship/test_rules.py"),
    "gomoku/rules.py": ("tests/gomoku/test_rules.py", "tests/gomoku/test_counts.py"),
    "gomoku/formats.py": ("tests/gomoku/test_formats.py",),
    "navigation/rules.py": ("tests/navigation/test_cases.py", "tests/navigation/test_golden.py"),
    "navigation/plans.py": ("tests/navigation/test_plans.py",),
    "arena/schedule.py": ("tests/arena/test_schedule.py",),
    "arena/statistics/intervals.py": ("tests/arena/test_statistics.py",),
    "arena/statistics/ratings.py": ("tests/arena/test_statistics.py",),
    "arena/statistics/sprt.py": ("tests/arena/test_statistics.py",),
    "arena/statistics/comparisons.py": ("tests/arena/test_statistics.py",),
    "envs/battleship.py": ("tests/envs/test_battleship_env.py",),
    "server/rooms/table.py": ("tests/server/test_table.py",),
}
"""Files below `src/trireme`, and the tests that must notice a change in them."""

COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
ARITHMETIC = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "&"),
}
SWAPPED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutation:
    """One change of one file."""

    file: str
    line: int
    before: str
    """The line as it is."""
    after: str
    """The line as it becomes."""
    source: str
    """The whole changed file."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What an explanation names it by: line numbers change, lines seldom do."""
        return self.file, self.before, self.after

    def __str__(self) -> str:
        return f"{self.file}:{self.line}\n    - {self.before}\n    + {self.after}"


class Mutator:
    """All mutations of one file: changes inside functions, never in texts or annotations."""

    def __init__(self, file: str, source: str) -> None:
        self.file, self.source = file, source
        self._lines = source.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def mutations(self) -> list[Mutation]:
        found: dict[tuple[int, str], Mutation] = {}
        for start, end, new in self._changes():
            made = self.source[:start] + new + self.source[end:]
            try:
                ast.parse(made)
            except SyntaxError:
                continue
            mutation = self._mutation(start, made)
            if mutation.before != mutation.after:
                found.setdefault((start, new), mutation)
        return list(found.values())

    def _mutation(self, start: int, made: str) -> Mutation:
        line = self.source.count("\n", 0, start)
        after = made.splitlines()[line]
        return Mutation(self.file, line + 1, self._lines[line].strip(), after.strip(), made)

    def _changes(self) -> Iterator[tuple[int, int, str]]:
        for node in ast.walk(ast.parse(self.source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for statement in node.body:
                    yield from self._of(statement)

    def _of(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        """Changes of a node and all below it, as (start, end, new text)."""
        if isinstance(node, ast.JoinedStr | ast.FunctionDef | ast.AsyncFunctionDef | ast.Import):
            return
        if isinstance(node, ast.Raise | ast.Assert):
            yield self._whole(node, "pass")
            return
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                yield from self._of(node.value)
            return
        yield from self._own(node)
        for child in ast.iter_child_nodes(node):
            yield from self._of(child)

    def _own(self, node: ast.AST) -> Iterator[tuple[int, int, str]]:
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                old, new = COMPARISONS[type(op)]
                yield from self._between(left, right, old, new)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                if not (_is_text(left) or _is_text(right)):
                    yield from self._between(left, right, *ARITHMETIC[type(op)])
            case ast.BoolOp(op=op, values=[first, second, *_]):
                words = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                yield from self._between(first, second, *words)
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
                start, end = self._span(node)
                yield start, end, self._text(operand)
            case ast.Constant(value=bool() as value):
                yield self._whole(node, str(not value))
            case ast.Constant(value=int() as value):
                yield self._whole(node, str(value + 1))
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield self._whole(test, f"(not ({self._text(test)}))")
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Break() | ast.Continue():
                yield self._whole(node, "pass")
            case ast.Call(func=ast.Name(id=name) as func) if name in SWAPPED_CALLS:
                yield self._whole(func, SWAPPED_CALLS[name])

    def _between(
        self, left: ast.AST, right: ast.AST, old: str, new: str
    ) -> Iterator[tuple[int, int, str]]:
        start, end = self._span(left)[1], self._span(right)[0]
        at = self.source.find(old, start, end)
        if at >= 0:
            yield at, at + len(old), new

    def _whole(self, node: ast.AST, new: str) -> tuple[int, int, str]:
        return (*self._span(node), new)

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self.source[start:end]

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self._at(node.lineno, node.col_offset),
            self._at(node.end_lineno, node.end_col_offset),
        )

    def _at(self, line: int, column: int) -> int:
        """The place of a byte column of a line in the text."""
        text = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(text)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


SERVE = """
import os, signal, sys, time
import gymnasium, msgspec, numba, numpy, pytest
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
    while not ended and time.monotonic() - began < float(seconds):
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    if not ended:
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    took = time.monotonic() - began
    print(os.waitstatus_to_exitcode(status) if ended else "hang", f"{took:.2f}", flush=True)
"""
"""Runs pytest in a fork for every line it reads, so that the libraries are imported only once."""


class Runner:
    """A copy of the package made of links, and a process that tries mutations in it."""

    def __init__(self, folder: Path) -> None:
        self._package = folder / "trireme"
        for path, folders, files in os.walk(PACKAGE):
            here = self._package / Path(path).relative_to(PACKAGE)
            here.mkdir(parents=True)
            if "__pycache__" in folders:
                folders.remove("__pycache__")
                (here / "__pycache__").symlink_to(Path(path) / "__pycache__")
            for file in files:
                (here / file).symlink_to(Path(path) / file)
        environment = {
            **os.environ,
            "PYTHONPATH": str(folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
            start_new_session=True,
        )

    def close(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def test(self, file: str, seconds: float) -> tuple[str, float]:
        """Run the tests of a file: (pytest's exit status or "hang", seconds)."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        words = [f"{seconds:.1f}", *FAST, *TARGETS[file]]
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()
        status, took = self._process.stdout.readline().split()
        return status, float(took)

    def survives(self, mutation: Mutation, seconds: float) -> bool:
        """Whether no test notices the mutation."""
        place = self._package / mutation.file
        original = place.readlink()
        place.unlink()
        place.write_text(mutation.source, encoding="utf-8")
        try:
            return self.test(mutation.file, seconds)[0] == "0"
        finally:
            place.unlink()
            place.symlink_to(original)


def all_mutations(only: Sequence[str]) -> list[Mutation]:
    files = [file for file in TARGETS if not only or any(file.endswith(o) for o in only)]
    if not files:
        raise SystemExit(f"no target matches {', '.join(only)}; there are {', '.join(TARGETS)}")
    return [
        mutation
        for file in files
        for mutation in Mutator(file, (PACKAGE / file).read_text(encoding="utf-8")).mutations()
    ]


def explanations() -> dict[tuple[str, str, str], str]:
    """Why known survivors survive, by file, line before and line after."""
    if not EXPLAINED.exists():
        return {}
    told = tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))["survivor"]
    return {(s["file"], s["before"], s["after"]): s["why"] for s in told}


def try_all(mutations: list[Mutation], workers: int, console: Console) -> list[Mutation]:
    """The survivors, in the order of the mutations."""
    folder = Path(tempfile.mkdtemp(prefix="mutants-"))
    runners: Queue[Runner] = Queue()
    made = []
    try:
        for number in range(workers):
            made.append(Runner(folder / str(number)))
            runners.put(made[-1])
        usual: dict[str, float] = {}
        for file in dict.fromkeys(m.file for m in mutations):
            status, took = made[0].test(file, 600)
            if status != "0":
                raise SystemExit(f"the tests of {file} fail without any mutation: {status}")
            usual[file] = took
        with Progress(console=console, disable=not console.is_terminal) as progress:
            task = progress.add_task("Mutations", total=len(mutations))

            def survives(mutation: Mutation) -> bool:
                runner = runners.get()
                try:
                    return runner.survives(mutation, 20 + SLOWER * usual[mutation.file])
                finally:
                    runners.put(runner)
                    progress.advance(task)

            with ThreadPoolExecutor(workers) as pool:
                results = list(pool.map(survives, mutations))
        return [m for m, survived in zip(mutations, results, strict=True) if survived]
    finally:
        for runner in made:
            runner.close()
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--sample", type=int, help="how many mutations to draw at random")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--only", nargs="*", default=[], help="files, such as gomoku/rules.py")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--least", type=float, default=0.9, help="share that must be noticed")
    parser.add_argument("--json", type=Path, help="write the result to this file")
    options = parser.parse_args()
    console = Console()
    mutations = all_mutations(options.only)
    if options.sample is not None and options.sample < len(mutations):
        mutations = random.Random(options.seed).sample(mutations, options.sample)
        mutations.sort(key=lambda m: (m.file, m.line))
    began = time.monotonic()
    survivors = try_all(mutations, options.workers, console)
    known = explanations()
    new = [m for m in survivors if m.key not in known]
    tried, lived = Counter(m.file for m in mutations), Counter(m.file for m in survivors)
    table = Table("file", "mutations", "noticed", "share")
    for file, count in tried.items():
        noticed = count - lived[file]
        table.add_row(file, str(count), str(noticed), f"{noticed / count:.0%}")
    console.print(table)
    by_file: dict[str, list[Mutation]] = defaultdict(list)
    for mutation in survivors:
        by_file[mutation.file].append(mutation)
    for group in by_file.values():
        for mutation in group:
            why = known.get(mutation.key, "NOT EXPLAINED")
            console.print(f"{mutation}\n    {why}", markup=False, highlight=False)
    share = 1 - len(survivors) / len(mutations)
    console.print(
        f"{len(mutations) - len(survivors)} of {len(mutations)} mutations noticed ({share:.1%}), "
        f"{len(new)} survivors not explained, {time.monotonic() - began:.0f} s"
    )
    if options.json:
        rows = [{"file": m.file, "before": m.before, "after": m.after} for m in survivors]
        options.json.write_text(
            json.dumps({"mutations": len(mutations), "survivors": rows}, indent=1) + "\n"
        )
    sys.exit(0 if share >= options.least else 1)


if __name__ == "__main__":
    main()
