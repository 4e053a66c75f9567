"""The log of what agents print, kept to a bounded size."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

MAX_LOG = 8 << 20
"""Bytes of a log that are kept: its beginning."""
_NOTE = b"\n[the log is full: what agents print from here on is left out]\n"


def cap_log(path: Path | None) -> None:
    """Cut a log that has grown beyond `MAX_LOG`; those who append to it go on undisturbed."""
    with suppress(OSError):  # no log yet, or none wanted
        if path is not None and path.is_file() and path.stat().st_size > MAX_LOG:
            os.truncate(path, MAX_LOG - len(_NOTE))
            with path.open("ab") as log:
                log.write(_NOTE)
