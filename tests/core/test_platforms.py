"""Every module can be imported on systems without POSIX, such as Windows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import trireme

POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
FILES = sorted(Path(trireme.__file__).parent.rglob("*.py"))


def imported(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    return {node.module or ""} if isinstance(node, ast.ImportFrom) and not node.level else set()


@pytest.mark.slow
def test_no_module_needs_posix_to_be_imported() -> None:
    assert len(FILES) > 100
    for file in FILES:
        unconditional = ast.parse(file.read_text("utf-8")).body  # those in `try:` may fail
        needed = {name for node in unconditional for name in imported(node)}
        assert not needed & POSIX_ONLY, file
