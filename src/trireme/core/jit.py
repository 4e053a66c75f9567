"""Just-in-time compilation: numba's `njit`, cached on disk, with a cache that notices every change.

numba compiles a cached kernel again when the kernel's own file has changed, but not when a file it
imports from has: constants and inlined functions of the old one would live on. Kernels import from
files named `*kernels.py` only, so the first kernel of a package to be defined compares these files
with those that the compiled code was made from, and removes the code if any of them differs.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

import numba

F = TypeVar("F", bound=Callable[..., Any])
STAMP = "kernels.sum"


@overload
def njit(function: F) -> F: ...
@overload
def njit(*, inline: str = ..., nogil: bool = ...) -> Callable[[F], F]: ...
def njit(function: Any = None, **options: Any) -> Any:
    """`numba.njit` with `cache=True`: `@njit`, `@njit(inline="always")`, `@njit(nogil=True)`."""
    if function is None:
        return lambda decorated: njit(decorated, **options)
    names = function.__module__.split(".")
    _check_package(".".join(names[: 2 if names[0] == "trireme" else 1]))
    return numba.njit(function, cache=True, **options)


@cache
def _check_package(package: str) -> None:
    """Remove what is stale of one package, such as `trireme.gomoku`; once a process."""
    file = getattr(sys.modules.get(package), "__file__", None)
    if file is None or Path(file).name != "__init__.py":
        return  # a lone module: numba itself notices when it changes
    core = Path(__file__).parent
    home = Path(file).parent
    roots = {home, core} if (home / "rules.py").exists() else {home, core.parent}
    remove_stale_kernels(home, {path for root in roots for path in root.rglob("*kernels.py")})


def remove_stale_kernels(home: Path, sources: Iterable[Path]) -> bool:
    """Remove all compiled kernels below `home` if any of `sources` has changed; gives whether.

    Several programs may do so at once: the worst that happens is that one of them compiles again.
    """
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    stamp = home / "__pycache__" / STAMP
    with suppress(OSError):
        if stamp.read_text(encoding="ascii") == digest.hexdigest():
            return False
    with suppress(OSError):
        for folder in home.rglob("__pycache__"):
            for compiled in [*folder.glob("*.nbi"), *folder.glob("*.nbc")]:
                compiled.unlink(missing_ok=True)
        stamp.parent.mkdir(exist_ok=True)
        fresh = stamp.with_name(f"{STAMP}.{os.getpid()}")
        fresh.write_text(digest.hexdigest(), encoding="ascii")
        fresh.replace(stamp)
    return True
