"""Failures of the surroundings, such as a full disk, as one line and an exit status."""

from __future__ import annotations

import errno

_WORDS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would exceed the size limit",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.ENOTDIR: "a file stands where a folder is expected",
    errno.EEXIST: "a file stands where a folder is expected",
}
INPUT_STATUS, FAILURE_STATUS = 2, 1
"""Exit statuses: the user's input is wrong; the command failed for another reason."""


class CommandFailed(Exception):
    """The command can't go on, for a reason that its text gives in one line."""


def describe_os_error(error: OSError) -> str:
    """What the operating system refused, in one line that names the file."""
    words = _WORDS.get(error.errno or 0) or error.strerror or str(error) or type(error).__name__
    return f"{error.filename!r}: {words}" if error.filename is not None else words


def failure(error: BaseException) -> str | None:
    """The line for an error that is no mistake of the program; None for any other."""
    if isinstance(error, CommandFailed):
        return str(error)
    if isinstance(error, OSError):
        return describe_os_error(error)
    if isinstance(error, RecursionError):
        return "the input is nested too deeply"
    if isinstance(error, UnicodeError):
        return f"text that is not valid Unicode: {error}"
    if type(error).__module__.startswith("sqlalchemy."):
        return f"the database failed: {getattr(error, 'orig', None) or error}".splitlines()[0]
    return None
