"""A leash for child processes: whatever ends this program, they do not outlive it.

One small watcher process holds a pipe to this one. It is told which process groups belong to us;
when the pipe closes, because this program ended in whatever way, it kills those that are left.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from contextlib import suppress

_WATCHER = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    word, number = line.split()
    (groups.add if word == "hold" else groups.discard)(int(number))
for group in groups:
    for kill in (os.killpg, os.kill):
        try:
            kill(group, signal.SIGKILL)
        except OSError:
            pass
"""
_lock = threading.Lock()
_watcher: subprocess.Popen[str] | None = None
_owner: int | None = None


def hold(group: int) -> None:
    """From now on process group `group` (and the process of that number) ends with this one."""
    _tell(f"hold {group}\n")


def release(group: int) -> None:
    """The group has ended; its number may soon belong to somebody else."""
    _tell(f"release {group}\n")


@atexit.register
def _let_go() -> None:
    """Leave in order: the watcher ends whatever is still held, then itself."""
    if _watcher is not None and _owner == os.getpid():
        with suppress(BrokenPipeError):
            _watcher.communicate()


def _tell(line: str) -> None:
    global _watcher, _owner
    if os.name != "posix":
        return
    with _lock:
        if _watcher is None or _owner != os.getpid() or _watcher.poll() is not None:
            # A session of its own: what interrupts or kills our group leaves the watcher alive.
            _watcher = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _WATCHER],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                text=True,
                bufsize=1,
            )
            _owner = os.getpid()
        with suppress(BrokenPipeError):
            assert _watcher.stdin is not None
            _watcher.stdin.write(line)
