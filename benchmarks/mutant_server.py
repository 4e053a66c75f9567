"""A pytest session that stops before its first test, and runs its tests in a fork per mutation.

    python benchmarks/mutant_server.py [pytest's arguments]

Imports and collection are paid once. The fork swaps the code of the functions that a mutation
changes in the live process. Standard input has a JSON line a mutation: `file` (a path), `source`
(the file as it becomes; empty to run the tests as they are) and `seconds` of processor time, which
a busy machine does not shorten. The answer is a line with `passed`, `failed`, `hang` or `unfit`
(where code can't be swapped) and the seconds it took. It ends with its parent, also where that was
killed, and with it all that the tests have started.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import time
from collections import defaultdict
from contextlib import suppress
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.main import pytest_runtestloop as run_tests

PASSED, FAILED, UNFIT = 0, 1, 2
ANSWERS = {PASSED: "passed", FAILED: "failed", UNFIT: "unfit", -signal.SIGXCPU: "hang"}
WAITING = 20
"""A process that waits for so many times its processor time hangs too."""


class MutantServer:
    """The plugin that takes the place of pytest's loop over the tests."""

    def __init__(self, requests: int, answers: int) -> None:
        self._requests, self._answers = os.fdopen(requests), os.fdopen(answers, "w")
        self._parent = os.getppid()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what would start a database server: it outlives the fork, and takes seconds."""
        if "TRIREME_TEST_POSTGRES" in os.environ:
            return
        items[:] = [
            item
            for item in items
            if "postgres_server" not in getattr(item, "fixturenames", ())
            and "postgresql" not in item.nodeid
        ]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for line in self._requests:
            request = json.loads(line)
            child = os.fork()
            if child == 0:
                os.setpgid(0, 0)
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                resource.setrlimit(resource.RLIMIT_CPU, (request["seconds"],) * 2)
                os._exit(run_mutated(session, request))
            answer, took = self._wait(child, WAITING * request["seconds"])
            if os.getppid() != self._parent:
                break
            print(answer, f"{took:.2f}", file=self._answers, flush=True)
        return True

    def _wait(self, child: int, seconds: float) -> tuple[str, float]:
        """How the child ended, and the processor time that it took."""
        began = time.monotonic()
        ended, status, used = os.wait4(child, os.WNOHANG)
        try:
            while not ended and time.monotonic() - began < seconds and os.getppid() == self._parent:
                time.sleep(0.005)
                ended, status, used = os.wait4(child, os.WNOHANG)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
        took = used.ru_utime + used.ru_stime
        if not ended:
            os.waitpid(child, 0)
            return "hang", took
        return ANSWERS.get(os.waitstatus_to_exitcode(status), "failed"), took


def run_mutated(session: pytest.Session, request: dict[str, str]) -> int:
    try:
        if request["source"]:
            swap_code(Path(request["file"]), request["source"])
    except ValueError:  # other free variables: functions can't take such code
        return UNFIT
    try:
        run_tests(session)
    except BaseException:
        return FAILED
    return FAILED if session.testsfailed else PASSED


def swap_code(file: Path, source: str) -> None:
    """Give every live function of a file the code that it has in `source`."""
    old = code_by_name(file, file.read_text(encoding="utf-8"))
    new = code_by_name(file, source)
    changed = {
        before: after
        for name, codes in old.items()
        for before, after in zip(codes, new[name], strict=False)
        if before != after
    }
    gc.unfreeze()  # `tests/conftest.py` hides what was there when all tests were collected
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename == str(file):
            thing.__code__ = changed.get(thing.__code__, thing.__code__)
        elif isinstance(thing, _lru_cache_wrapper) and thing.__module__.startswith("trireme"):
            thing.cache_clear()  # what the old code has computed during collection
    gc.freeze()


def code_by_name(file: Path, source: str) -> dict[str, list[CodeType]]:
    """All code below a module's by its qualified name, in the order of the source."""
    found: dict[str, list[CodeType]] = defaultdict(list)
    # Without the `__future__` statements of this file, which would make every code differ.
    pending = [compile(source, str(file), "exec", dont_inherit=True)]
    for code in pending:
        found[code.co_qualname].append(code)
        pending += [c for c in code.co_consts if isinstance(c, CodeType)]
    return found


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    requests, answers = os.dup(0), os.dup(1)
    quiet = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(quiet, number)
    sys.exit(pytest.main(sys.argv[1:], plugins=[MutantServer(requests, answers)]))


if __name__ == "__main__":
    main()
