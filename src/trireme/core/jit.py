"""Just-in-time compilation: numba's `njit`, cached on disk, with a cache that notices every change.

numba compiles a cached kernel again when the kernel's own file has changed, but not when a file it
imports from has: constants and inlined functions of the old one would live on. Kernels import from
files named `*kernels.py` only, so the first kernel of a package to be defined compares these files
with those that the compiled code was made from, and removes the code if any of them differs.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast, overload

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import event as numba_events
from numba.core import types
from numba.core.event import Event, Listener
from numba.extending import intrinsic

from .kernel_compiler import APART, KernelCompiler, KernelDispatcher, compiling

F = TypeVar("F", bound=Callable[..., Any])
STAMP = "kernels.sum"


@overload
def njit(function: F) -> F: ...
@overload
def njit(*, inline: str = ..., nogil: bool = ..., makes_arrays: bool = ...) -> Callable[[F], F]: ...
def njit(function: Any = None, *, makes_arrays: bool = True, **options: Any) -> Any:
    """`numba.njit` with `cache=True`: `@njit`, `@njit(inline="always")`, `@njit(nogil=True)`.

    Kernels for which `makes_arrays` is false count no references to the arrays that they are given
    and pass on. In a kernel that is called from an inner loop that may be most of its time.
    """
    compile_options: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True, **options}
    if not makes_arrays:
        compile_options["_nrt"] = False

    def compiled(kernel: Any) -> Any:
        _check_package(_package_of(kernel))
        return numba.njit(kernel, **compile_options)

    return compiled if function is None else compiled(function)


@overload
def linked_njit(function: F) -> F: ...
@overload
def linked_njit(*, nogil: bool = ..., apart: bool = ...) -> Callable[[F], F]: ...
def linked_njit(function: Any = None, *, apart: bool = False, **options: Any) -> Any:
    """`njit` for kernels that call one another, of many branches, such as a tree search.

    They are compiled in one piece for each kernel that Python calls, see `kernel_compiler`, at
    LLVM's level 1 and without vectorisation: in much less time, and they run as fast. Arguments
    annotated `int` are int64. They make no arrays, division by zero raises nothing, and an index
    into an array of a record is not negative.
    `apart` keeps a kernel from being inlined: one copy, however many call it.
    """
    if function is None:
        return lambda decorated: _linked_kernel(decorated, apart, options)
    return _linked_kernel(function, apart, options)


def _linked_kernel(function: Any, apart: bool, options: dict[str, Any]) -> Any:
    setattr(function, APART, apart)
    _check_package(_package_of(function))
    _linked.add(f"{function.__module__}.{function.__qualname__}")
    fixed = {"nopython": True, "no_cfunc_wrapper": True, **_LINKED_OPTIONS}
    kernel: Any = KernelDispatcher(function, targetoptions={**fixed, **options})
    kernel.enable_caching()
    return kernel


def _package_of(function: Any) -> str:
    names = function.__module__.split(".")
    return ".".join(names[: 2 if names[0] == "trireme" else 1])


_LINKED_OPTIONS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
"""Such kernels divide by no zero, and make no arrays whose references would have to be counted."""
_linked: set[str] = set()
_CONFIG: Any = numba.config
_LEVEL = type(_CONFIG.OPT)
_LIGHT = {"OPT": _LEVEL(1), "LOOP_VECTORIZE": 0, "SLP_VECTORIZE": 0}
"""numba's settings for kernels of `linked_njit`."""
_VECTORISED = {"OPT": _LEVEL(3), "LOOP_VECTORIZE": 1, "SLP_VECTORIZE": 0}
"""Its settings for kernels that are called by address."""


def _configure(settings: dict[str, Any]) -> dict[str, Any]:
    """Change numba's settings; gives what they were."""
    before = {key: getattr(_CONFIG, key) for key in settings}
    for key, value in settings.items():
        setattr(_CONFIG, key, value)
    return before


class CompilationListener(Listener):
    """Sets the level of optimisation for each kernel, and counts those compiled.

    Kernels are compiled one inside the other, a callee while its caller is; numba holds a lock
    meanwhile, so that the settings are those of one thread.
    """

    def __init__(self) -> None:
        self.compiled = 0
        self.watchers: list[Callable[[int, str], object]] = []
        self._outer: list[dict[str, Any]] = []

    def on_start(self, event: Event) -> None:
        function = event.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__qualname__}"
        self._outer.append(_configure(_LIGHT if name in _linked else _NORMAL))
        self.compiled += 1
        for watcher in self.watchers:
            watcher(self.compiled, name)

    def on_end(self, event: Event) -> None:
        _configure(self._outer.pop())


_NORMAL = {key: getattr(_CONFIG, key) for key in _LIGHT}
_listener = CompilationListener()
_EVENTS: Any = numba_events
_EVENTS.register("numba:compile", _listener)


@contextmanager
def watch_compilation(watcher: Callable[[int, str], object]) -> Iterator[None]:
    """Call `watcher` for every kernel that is compiled meanwhile, before it is.

    It gets how many this process has begun to compile so far, and the kernel's name. Kernels that
    are loaded from the disk do not count.
    """
    _listener.watchers.append(watcher)
    try:
        yield
    finally:
        _listener.watchers.remove(watcher)


def _call_by_address(_context: Any, _address: Any, first: Any, second: Any, _number: Any) -> Any:
    """In a kernel: call what `address_of` gave, with two records and an int; its result is an int.

    numba puts the code of every kernel that a kernel calls into its own, and optimises it again. A
    large kernel that many call is compiled only once if they call it by its address.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address, *values = args
        kinds = [context.get_value_type(kind) for kind in signature.args[1:]]
        function = ir.FunctionType(context.get_value_type(types.int64), kinds)
        return builder.call(builder.inttoptr(address, function.as_pointer()), values)

    return types.int64(types.int64, first, second, types.int64), generate


call_by_address = cast("Callable[[int, Any, Any, int], int]", intrinsic(_call_by_address))


@cache
def address_of(kernel: Any, *arguments: Any) -> int:
    """The address of a kernel that returns an int64, compiled for arguments of these types.

    A type is `int` or the dtype of a record. Its loops are vectorised.
    """
    kinds = [types.int64 if kind is int else numba.from_dtype(kind) for kind in arguments]
    with compiling():
        before = _configure(_VECTORISED)
        try:
            compile_callback = numba.cfunc(
                types.int64(*kinds), cache=True, pipeline_class=KernelCompiler, **_LINKED_OPTIONS
            )
            compiled: Any = compile_callback(kernel.py_func)
        finally:
            _configure(before)
    _addressed.append(compiled)
    return int(compiled.address)


_addressed: list[Any] = []
"""Keeps compiled code alive whose address is known."""

COMPILED_PER_KERNEL = 2
"""About how often a kernel of `njit` is compiled: for several types of arguments, and with
functions of numba's own. Those of `linked_njit` are compiled once."""


@cache
def expected_compilations(package: str) -> int:
    """About how many kernels are compiled for a package such as `gomoku`: what a progress bar is
    measured by. They are counted in its files; nothing is imported or compiled."""
    home = Path(__file__).parent.parent / package
    found = 0
    for path in home.rglob("*kernels.py"):
        text = path.read_text(encoding="utf-8")
        each = 1 if "linked_njit" in text else COMPILED_PER_KERNEL
        found += each * len(re.findall(r"^@njit", text, re.MULTILINE))
    return max(found, 1)


@cache
def _check_package(package: str) -> None:
    """Remove what is stale of one package, such as `trireme.gomoku`; once a process."""
    file = getattr(sys.modules.get(package), "__file__", None)
    if file is None or Path(file).name != "__init__.py":
        return  # a lone module: numba itself notices when it changes
    core = Path(__file__).parent
    home = Path(file).parent
    roots = {home, core} if (home / "rules.py").exists() else {home, core.parent}
    sources = {path for root in roots for path in root.rglob("*kernels.py")}
    remove_stale_kernels(home, {*sources, *core.glob("kernel_*.py")})


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
