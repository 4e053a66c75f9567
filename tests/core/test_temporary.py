"""A test session leaves nothing in the system's temporary folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CONFTEST = Path(__file__).parents[1] / "conftest.py"
UNTIDY = """
import subprocess, sys, tempfile
from pathlib import Path

def test_forgets_its_folders(tmp_path):
    (tmp_path / "file").write_text("x")
    Path(tempfile.mkdtemp(), "file").write_text("x")
    program = "import tempfile; tempfile.mkdtemp()"
    subprocess.run([sys.executable, "-c", program], check=True)
"""


def session(folder: Path, test: str, *arguments: str) -> tuple[int, list[str]]:
    """The status of a session with this test, and what it leaves in its system's folder."""
    system = folder / "system"
    system.mkdir()
    (folder / "tests").mkdir()
    shutil.copy(CONFTEST, folder / "tests" / "conftest.py")
    (folder / "tests" / "test_it.py").write_text(test)
    (folder / "pytest.ini").write_text("[pytest]\n")
    variables = {**os.environ, "CI": "1", **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(system))}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, "tests"]
    ran = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    return ran.returncode, sorted(os.listdir(system))


@pytest.mark.parametrize("arguments", [(), ("-n", "1")], ids=["alone", "with a worker"])
def test_folders_that_tests_forget_are_removed(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert session(tmp_path, UNTIDY, *arguments) == (0, [])


def test_what_is_left_beside_the_private_folder_is_reported(tmp_path: Path) -> None:
    beside = "import tempfile; from pathlib import Path\n" + (
        "def test_it(): Path(tempfile.gettempdir()).with_name('beside').touch()\n"
    )
    assert session(tmp_path, beside) == (1, ["beside"])
