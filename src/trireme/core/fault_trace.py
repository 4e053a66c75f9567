"""Tracebacks of failing agents: where in the agent's own code an error was raised."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path
from types import TracebackType

MAX_TRACEBACK = 8000
"""Characters of a traceback that are kept: its end, where the error is."""
_TRIREME = str(Path(__file__).parents[1])
_LIBRARIES = tuple(
    sysconfig.get_paths()[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")
)


def fault_location(error: BaseException) -> str:
    """The innermost line of the agent's own code, as `my_bot.py, line 12`; of any code where the
    agent has none on the stack, and "" where nothing is known."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not f.filename.startswith((_TRIREME, *_LIBRARIES))]
    for frame in reversed(own or frames):
        return f"{Path(frame.filename).name}, line {frame.lineno}"
    return ""


def fault_traceback(error: BaseException) -> str:
    """The traceback as Python prints it, without the frames that called the agent; its end where
    it is long."""
    try:
        lines = traceback.format_exception(type(error), error, _agents_part(error.__traceback__))
        text = "".join(lines).encode("utf-8", "replace").decode()
    except Exception as fault:  # an error whose text can't be had
        text = f"{type(error).__name__}: (an error whose text can't be had: {type(fault).__name__})"
    return text if len(text) <= MAX_TRACEBACK else f"…{text[1 - MAX_TRACEBACK :]}"


def _agents_part(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame outside Trireme on; all of it where there is none."""
    at = trace
    while at is not None and at.tb_frame.f_code.co_filename.startswith(_TRIREME):
        at = at.tb_next
    return at or trace
