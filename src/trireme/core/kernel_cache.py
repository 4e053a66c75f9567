"""Keeping compiled kernels true to their sources.

numba compiles again when the file of a kernel has changed, but not when a file that the kernel
imports has: constants and inlined functions of the old one would live on in its cache. Where
kernels are spread over several files, this is asked first.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

STAMP = "kernels.sum"


def forget_stale_kernels(sources: Iterable[Path], folder: Path | None = None) -> bool:
    """Remove the compiled kernels of one folder if any of `sources` has changed.

    Without `folder` it is the one that the sources lie in; kernels that are made from sources of
    other folders too name their own. Gives whether it did. Call it before a kernel is first used.
    Several programs may do so at once: the worst that happens is that one of them compiles again.
    """
    files = sorted(sources)
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    cache = (folder or files[0].parent) / "__pycache__"
    stamp = cache / STAMP
    with suppress(OSError):
        if stamp.read_text(encoding="ascii") == digest.hexdigest():
            return False
    with suppress(OSError):
        cache.mkdir(exist_ok=True)
        for compiled in [*cache.glob("*.nbi"), *cache.glob("*.nbc")]:
            compiled.unlink(missing_ok=True)
        fresh = cache / f"{STAMP}.{os.getpid()}"
        fresh.write_text(digest.hexdigest(), encoding="ascii")
        fresh.replace(stamp)
    return True
