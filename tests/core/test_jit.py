"""Compiled kernels do not outlive the sources that they were made from."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trireme.core.jit import address_of, call_by_address, njit, remove_stale_kernels


def test_compiled_files_stay_until_a_source_changes(tmp_path: Path) -> None:
    sources = [tmp_path / "a_kernels.py", tmp_path / "b" / "kernels.py"]
    for source in sources:
        source.parent.mkdir(exist_ok=True)
        source.write_text("X = 1\n")
    assert remove_stale_kernels(tmp_path, sources)
    compiled = tmp_path / "b" / "__pycache__" / "kernels.f-1.py311.1.nbc"
    compiled.parent.mkdir()
    compiled.write_bytes(b"machine code")
    assert not remove_stale_kernels(tmp_path, reversed(sources))
    assert compiled.exists()
    sources[0].write_text("X = 2\n")
    assert remove_stale_kernels(tmp_path, sources)
    assert not compiled.exists()
    assert not remove_stale_kernels(tmp_path, sources)


def test_other_files_of_the_cache_are_left_alone(tmp_path: Path) -> None:
    source = tmp_path / "kernels.py"
    source.write_text("")
    (tmp_path / "__pycache__").mkdir()
    kept = tmp_path / "__pycache__" / "kernels.cpython-311.pyc"
    kept.write_bytes(b"bytecode")
    assert remove_stale_kernels(tmp_path, [source])
    assert kept.exists()


@pytest.mark.slow
def test_a_constant_changed_in_another_kernel_file_is_noticed(tmp_path: Path) -> None:
    package = tmp_path / "stale_game"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "constant_kernels.py").write_text("STEP = 1\n")
    (package / "kernels.py").write_text(
        "from trireme.core.jit import njit\n"
        "from .constant_kernels import STEP\n"
        "@njit\n"
        "def after(x):\n"
        "    return x + STEP\n"
    )

    def after(x: int) -> str:
        code = f"from stale_game.kernels import after; print(after({x}))"
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert after(5) == "6"
    (package / "constant_kernels.py").write_text("STEP = 20\n")
    assert after(5) == "25"


LEVELS = """
import json
import numba
from trireme.core.jit import linked_njit, njit, watch_compilation

@njit
def inner(x):
    return x + 1

@linked_njit
def outer(x):
    return inner(x) * 2

def level():
    config = numba.config
    return [int(config.OPT), int(config.LOOP_VECTORIZE), int(config.SLP_VECTORIZE)]

seen = []
if __name__ == "__main__":
    usual = level()
    with watch_compilation(lambda count, name: seen.append([count, name, level()])):
        assert outer(3) == 8
        assert outer(4) == 10
    assert outer(2.5) == 7
    print(json.dumps([seen, usual, level()]))
"""


@pytest.mark.slow
def test_each_kernel_is_compiled_at_its_level_and_reported(tmp_path: Path) -> None:
    """A normal kernel that a linked one calls is compiled meanwhile, at its own level."""
    (tmp_path / "levels.py").write_text(LEVELS)

    def run() -> Any:
        command = [sys.executable, "levels.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    seen, usual, after = run()
    assert seen == [[1, "__main__.outer", [1, 0, 0]], [2, "__main__.inner", usual]]
    assert usual != [1, 0, 0]
    assert after == usual
    assert run()[0] == []  # loaded from the disk


@njit
def _weigh(left: Any, right: Any, factor: int) -> int:
    right.x += 1
    return int(left.x * 100 + right.x * 10 + factor)


@njit
def _weigh_by_address(address: int, left: Any, right: Any, factor: int) -> int:
    return call_by_address(address, left, right, factor)


def test_a_kernel_called_by_its_address_gets_its_arguments_in_order() -> None:
    fields = np.dtype([("x", np.int64)], align=True)
    left, right = (np.zeros(1, fields).view(np.recarray)[0] for _ in range(2))
    left.x, right.x = 3, 4
    address = address_of(_weigh, fields, fields, int)
    assert _weigh_by_address(address, left, right, 7) == 357
    assert (left.x, right.x) == (3, 5)
    assert address_of(_weigh, fields, fields, int) == address
