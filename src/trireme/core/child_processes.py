"""Child processes that end with their parent, however it ends (a watchdog over process groups).

One small watchdog process reads a pipe from this one and learns from it which process groups are
ours. The pipe closes when this program ends, be it by SIGKILL; the watchdog then kills the groups
that are left.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from contextlib import suppress

_WATCHDOG = """
import os, signal, sys
groups = set()
for line in sys.stdin:
    word, number = line.split()
    (groups.add if word == "add" else groups.discard)(int(number))
for group in groups:
    for kill in (os.killpg, os.kill):
        try:
            kill(group, signal.SIGKILL)
        except OSError:
            pass
"""
_lock = threading.Lock()
_watchdog: subprocess.Popen[str] | None = None
_owner: int | None = None


def end_with_parent(group: int) -> None:
    """From now on process group `group` (and the process of that number) ends with this one."""
    _send(f"add {group}\n")


def forget(group: int) -> None:
    """The group has ended; the system may give its number to another process."""
    _send(f"remove {group}\n")


@atexit.register
def _close_pipe() -> None:
    """At a regular exit, wait until the watchdog has killed what is left and has ended itself."""
    if _watchdog is not None and _owner == os.getpid():
        with suppress(BrokenPipeError):
            _watchdog.communicate()


def _send(line: str) -> None:
    global _watchdog, _owner
    if os.name != "posix":
        return
    with _lock:
        if _watchdog is None or _owner != os.getpid() or _watchdog.poll() is not None:
            # A session of its own: a signal to our process group leaves the watchdog alive.
            _watchdog = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _WATCHDOG],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                text=True,
                bufsize=1,
            )
            _owner = os.getpid()
        with suppress(BrokenPipeError):
            assert _watchdog.stdin is not None
            _watchdog.stdin.write(line)
