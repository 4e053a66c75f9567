"""Linked kernels: each is compiled once, and only what Python calls becomes machine code."""

import gc
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.errors import TypingError

from trireme.core.jit import linked_njit, njit
from trireme.core.kernel_libraries import CalledLibrary, EntryLibrary

F = TypeVar("F", bound=Callable[..., Any])


def uncached(function: F) -> F:
    """A linked kernel that is not kept on disk: each run of the tests compiles it."""
    kernel: Any = linked_njit(function)
    kernel._cache = NullCache()
    return cast(F, kernel)


def compiled(kernel: Any) -> list[Any]:
    """The libraries of a kernel's specialisations."""
    return [found.library for found in kernel.overloads.values()]


@uncached
def _twice(number: int, add_one: bool) -> int:
    return number + number + (1 if add_one else 0)


@uncached
def _sum_of_many_types(bytes_: Any, numbers: Any) -> int:
    total = _twice(3, False) + _twice(bytes_[0], True)
    return total + _twice(numbers[0], numbers[0] > 0) + _twice(np.uint64(5), False)


def test_arguments_annotated_int_are_int64_whatever_is_passed() -> None:
    bytes_, numbers = np.array([255], np.uint8), np.array([2**31 - 1], np.int32)
    total = _sum_of_many_types(bytes_, numbers)
    assert total == 6 + 511 + 2 * (2**31 - 1) + 1 + 10, "nothing overflows"
    assert len(_twice.overloads) == 1  # type: ignore[attr-defined]


@uncached
def _inner(x: int) -> int:
    return x * x


@uncached
def _outer(x: int) -> int:
    return _inner(x) + _inner(x + 1)


@uncached
def _only_called(x: int) -> int:
    return x * x


@uncached
def _only_caller(x: int) -> int:
    return _only_called(x) + _only_called(x + 1)


def test_only_what_python_calls_becomes_machine_code() -> None:
    """With kernels of its own: another test may have made an entry of any other."""
    assert _only_caller(3) == 25
    assert [type(library) for library in compiled(_only_called)] == [CalledLibrary]
    assert [type(library) for library in compiled(_only_caller)] == [EntryLibrary]
    assert _only_called(5) == 25
    assert [type(library) for library in compiled(_only_called)] == [EntryLibrary], "now an entry"
    assert _only_caller(4) == 41


@uncached
def _shared(x: int) -> int:
    return x + 7


@uncached
def _left(x: int) -> int:
    return _shared(x) * 2


@uncached
def _right(x: int) -> int:
    return _shared(x) * 3


@uncached
def _both(x: int) -> int:
    return _left(x) + _right(x) + _shared(x)


def test_a_kernel_is_linked_whichever_of_its_callers_was_an_entry_before() -> None:
    assert _left(1) == 16
    assert _both(1) == 16 + 24 + 8
    assert _right(1) == 24


@uncached
def _fibonacci(n: int, start: int) -> int:
    if n < 2:
        return n + start
    return _fibonacci(n - 1, 0) + _fibonacci(np.int32(n - 2), start)


@uncached
def _call_fibonacci(n: int) -> int:
    return _fibonacci(n, 0) + _fibonacci(0, n)


def test_recursion_with_arguments_of_other_types_is_one_kernel() -> None:
    assert _call_fibonacci(10) == 55 + 10
    assert _fibonacci(10, 0) == 55
    assert len(_fibonacci.overloads) == 1  # type: ignore[attr-defined]


@linked_njit(apart=True)
def _kept_apart(x: int) -> int:
    return x + 1


@uncached
def _calls_apart(x: int) -> int:
    return _kept_apart(x) * _inner(x)


def test_a_kernel_that_is_kept_apart_is_not_inlined() -> None:
    assert _calls_apart(2) == 12
    functions = " ".join(f.name for f in compiled(_calls_apart)[0].get_defined_functions())
    assert "_kept_apart" in functions
    assert "_inner" not in functions


@njit
def _plain(x: int) -> int:
    return _inner(x) - 1


def test_a_plain_kernel_can_call_a_linked_one() -> None:
    assert _plain(6) == 35


@uncached
def _mixed(x: Any, y: Any) -> Any:
    return x / y + x // y + x % y


def test_operators_of_several_types_are_told_apart() -> None:
    assert _mixed(7, 2) == 3.5 + 3 + 1
    assert _mixed(7.5, 2.0) == 3.75 + 3.0 + 1.5
    assert _mixed(np.float32(1), np.float32(4)) == 0.25 + 0 + 1
    assert _mixed(7, 2) == 7.5


RECORD = np.dtype(
    [
        ("count", np.int64),
        ("bytes", np.uint8, 4),
        ("grid", np.int32, (2, 3)),
        ("cube", np.float32, (2, 3, 4)),
    ],
    align=True,
)


def new_record() -> Any:
    """A record whose elements all differ."""
    record = np.zeros(1, RECORD).view(np.recarray)[0]
    record.bytes[:] = [250, 251, 252, 253]
    record.grid[:] = np.arange(-3, 3).reshape(2, 3)
    record.cube[:] = np.arange(24).reshape(2, 3, 4) / 8
    return record


@uncached
def _element(record: Any, row: int, column: Any) -> float:
    return record.grid[row, column] * 100 + record.cube[row, column, 3] + record.bytes[column]


@pytest.mark.parametrize("kind", [int, np.uint8, np.int32, np.uint64])
def test_elements_of_a_records_arrays_are_read_by_indices_of_any_type(kind: Any) -> None:
    record = new_record()
    for row in range(2):
        for column in range(3):
            expected = record.grid[row, column] * 100 + record.cube[row, column, 3]
            assert _element(record, row, kind(column)) == expected + record.bytes[column]


@uncached
def _change(record: Any, place: int) -> None:
    record.grid[1, place] = 2.75
    record.bytes[place] = 256 + 7
    record.bytes[place + 1] -= 1
    record.cube[0, record.grid[1, place], place] += 1
    record.count = record.bytes[place]


def test_elements_are_written_in_the_type_of_their_array_and_no_others() -> None:
    record, expected = new_record(), new_record()
    _change(record, 1)
    expected.grid[1, 1] = 2
    expected.bytes[1:3] = 7, 251
    expected.cube[0, 2, 1] += 1
    expected.count = 7
    assert record == expected


@uncached
def _sum_of(numbers: Any) -> int:
    total = 0
    for i in range(numbers.size):
        total += numbers[i]
    return total


@uncached
def _whole_arrays(record: Any, first: bool) -> int:
    chosen = record.grid[0] if first else record.grid[1]
    grid, place = record.grid, (1, 1 if first else 2)
    for i in range(2):
        grid[i, 0], grid[i, 1] = grid[i, 1], grid[i, 0]
    return _sum_of(chosen) * 1000 + _sum_of(record.bytes) + grid[place] + record.grid[1, 1:].size


def test_arrays_of_a_record_are_values_as_well() -> None:
    for first, expected in ((True, -6 * 1000 + 1006 + 0 + 2), (False, 3 * 1000 + 1006 + 2 + 2)):
        record = new_record()
        assert _whole_arrays(record, first) == expected
        assert record.grid.tolist() == [[-2, -3, -1], [1, 0, 2]]


@uncached
def _least_and_most(x: Any, y: Any, z: Any) -> Any:
    return min(x, y), max(x, y), min(max(x, 2), 3), max(x, y, z), min(x, y, z)


def test_min_and_max_are_those_of_python() -> None:
    cases = [(1, 2, 0), (5, -5, 7), (1.5, 1, 2), (np.float32(0.5), np.float32(3), 1)]
    for x, y, z in cases:
        expected = min(x, y), max(x, y), min(max(x, 2), 3), max(x, y, z), min(x, y, z)
        assert _least_and_most(x, y, z) == expected
    assert math.isnan(_least_and_most(math.nan, 1.0, 1.0)[0]), "the first, as in Python"
    assert _least_and_most(1.0, math.nan, 1.0)[1] == 1.0


@uncached
def _wrong(x: int) -> Any:
    return x.no_such_field  # type: ignore[attr-defined]


@uncached
def _calls_wrong(x: int) -> Any:
    return _wrong(x)


def test_a_failure_leaves_the_compiler_as_it_was() -> None:
    assert gc.isenabled()
    with pytest.raises(TypingError, match="no_such_field"):
        _calls_wrong(1)
    assert gc.isenabled()
    assert _outer(3) == 25


MODULE = """
import json
from trireme.core.jit import linked_njit, watch_compilation

@linked_njit
def inner(x: int) -> int:
    return x + 1

@linked_njit
def outer(x: int) -> int:
    return inner(x) * 2

seen = []
if __name__ == "__main__":
    with watch_compilation(lambda count, name: seen.append(name)):
        print(json.dumps([outer(3), outer(4), inner(1)]))
    print(json.dumps(seen))
"""


@pytest.mark.slow
def test_entries_are_kept_on_disk_and_need_none_of_their_callees(tmp_path: Path) -> None:
    (tmp_path / "linked.py").write_text(MODULE)

    def run() -> Any:
        command = [sys.executable, "linked.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    assert run() == [[8, 10, 2], ["__main__.outer", "__main__.inner", "__main__.inner"]]
    assert run() == [[8, 10, 2], []]
