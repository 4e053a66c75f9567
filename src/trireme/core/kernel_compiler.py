"""A compiler for groups of kernels that call one another, such as a search: `linked_njit` uses it.

numba compiles a kernel anew for every combination of argument types, optimises it and translates it
into machine code, and then does all of this again in every kernel that calls it. Here

- an argument that is annotated `int` or `bool` is an int64 or a boolean whatever a caller passes;
- a kernel that kernels call stays LLVM IR. Only an *entry*, a kernel that is called from Python or
  by its address, is optimised and translated, with all kernels that it calls, and kept on disk;
- passes for what such kernels do not use (closures, `with`, array expressions) are left out;
- the types of operators are looked up once, not at every place where they stand.
"""

from __future__ import annotations

import gc
import hashlib
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba
from llvmlite import binding  # type: ignore[import-untyped]
from numba.core import cgutils, errors, event, sigutils, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.funcdesc import default_mangler
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.typeinfer import TypeInferer
from numba.core.typing.context import Context
from numba.core.untyped_passes import (
    FixupArgs,
    IRProcessing,
    ReconstructSSA,
    TranslateByteCode,
)

FIXED = {int: types.int64, "int": types.int64, bool: types.boolean, "bool": types.boolean}
"""numba's types of annotations."""

APART = "compiled_apart"
"""The attribute of functions that are not to be inlined."""
_CONFIG: Any = numba.config
_ERRORS: Any = errors
_depth = 0
"""How many kernels are being compiled, one inside the other."""


@contextmanager
def compiling() -> Iterator[bool]:
    """While a kernel is compiled; gives whether that is for a kernel that calls it."""
    global _depth
    with global_compiler_lock:
        collecting = gc.isenabled()
        gc.disable()  # the compiler makes millions of small objects and keeps most of them
        _depth += 1
        try:
            yield _depth > 1
        finally:
            _depth -= 1
            if collecting:
                gc.enable()


class CalledLibrary(JITCodeLibrary):
    """The LLVM IR of a kernel that kernels call."""

    def add_ir_module(self, ir_module: Any) -> None:
        text = cgutils.normalize_ir_text(str(ir_module))
        self._final_module = binding.parse_assembly(text)  # the only one: there are no wrappers

    def finalize(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = (
                    "weak_odr"  # not linkonce_odr: linking drops what nobody uses yet
                )
        self._finalized = True


class EntryLibrary(JITCodeLibrary):
    """The machine code of an entry and of all kernels that it calls."""

    def finalize(self) -> None:
        others = []
        for library in _with_called(self._linking_libraries):
            if isinstance(library, CalledLibrary):
                self._final_module.link_in(library._final_module, preserve=True)
            else:
                others.append(library)
        for function in self._final_module.functions:
            if function.linkage == binding.Linkage.weak_odr:
                function.linkage = "linkonce_odr"
        self._linking_libraries = others
        super().finalize()

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        if _CONFIG.LOOP_VECTORIZE:  # needs loops in the shape that numba's first passes give them
            super()._optimize_final_module()
            return
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


def _with_called(libraries: list[Any]) -> list[Any]:
    """Libraries and all that they call, each once."""
    found: dict[Any, None] = {}
    left = list(libraries)
    while left:
        library = left.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, CalledLibrary):
                left += library._linking_libraries
    return list(found)


class KernelTypeInferer(TypeInferer):
    """numba's type inference, which takes the result of a recursive call from the annotation.

    numba infers the types of the whole kernel without its recursive calls at each of them.
    """

    returned: Any = None

    def return_types_from_partial(self) -> Any:
        return self.returned or super().return_types_from_partial()


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelTypeInference(NopythonTypeInference):
    """The types of all variables and calls of a kernel."""

    _name = "kernel_type_inference"

    def run_pass(self, state: Any) -> bool:
        found = _ERRORS.WarningsFixer(errors.NumbaWarning)
        inferer = KernelTypeInferer(state.typingctx, state.func_ir, found)
        inferer.returned = FIXED.get(inspect.get_annotations(state.func_id.func).get("return"))
        target, stack = state.targetctx.target, state.typingctx.callstack
        with stack.register(target, inferer, state.func_id, state.args), found:
            for index, name in enumerate(state.func_ir.arg_names):
                inferer.seed_argument(name, index, state.args[index])
            if state.return_type is not None:
                inferer.seed_return(state.return_type)
            inferer.build_constraint()
            state.typing_errors = inferer.propagate()
            state.typemap, state.return_type, state.calltypes = inferer.unify()
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """From typed code to LLVM IR, in one of the two kinds of libraries."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        called = _depth > 1
        kind = CalledLibrary if called else EntryLibrary
        state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        if not called:
            return bool(super().run_pass(state))
        state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = True
        state.flags.no_compile = True
        super().run_pass(state)
        lowered = state["cr"]
        if getattr(state.func_id.func, APART, False):
            state.library.get_function(lowered.fndesc.mangled_name).add_function_attribute(
                "noinline"
            )
        key = object()  # what callers find it by, in place of machine code
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class RememberingContext(Context):
    """numba's typing context with a memory: which types a call of a function has.

    numba tries all implementations of an operator in turn, dozens for a plus.
    """

    def __init__(self, context: Context) -> None:
        self.__dict__ = context.__dict__

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        if kws or _is_foreign(func) or not all(isinstance(arg, types.Type) for arg in args):
            return super().resolve_function_type(func, args, kws)
        key = (func, tuple(args))
        if key not in _signatures:
            found = super().resolve_function_type(func, args, kws)
            if found is None:
                return None
            _signatures[key] = found
        return _signatures[key]


def _is_foreign(function: Any) -> bool:
    """Whether a function is neither one of numba's own nor a kernel of this module."""
    if isinstance(function, types.Dispatcher):
        return not isinstance(function.dispatcher, KernelDispatcher)
    known = (types.Function, types.NumberClass)
    return isinstance(function, types.Type | CPUDispatcher) and not isinstance(function, known)


_signatures: dict[Any, Any] = {}
"""By function and types of arguments: what `RememberingContext` remembers."""


class KernelCompiler(CompilerBase):
    """numba's compiler with what this module changes."""

    def __init__(self, typingctx: Context, *args: Any) -> None:
        super().__init__(typingctx, *args)
        self.state.typingctx = RememberingContext(typingctx)
        self.state.targetctx.mangler = _short_symbol

    def define_pipelines(self) -> list[PassManager]:
        return [_pass_manager()]


class KernelPassManager(PassManager):
    """numba's passes without events, timers and a check of the code after each of them."""

    def _runPass(self, index: int, pss: Any, internal_state: Any) -> None:  # noqa: N802
        pss.analysis = self._analysis
        pss.run_pass(internal_state)


@cache
def _pass_manager() -> PassManager:
    manager = KernelPassManager("kernel")
    for step in (
        TranslateByteCode,
        FixupArgs,
        IRProcessing,
        ReconstructSSA,
        KernelTypeInference,
        PreLowerStripPhis,
        IRLegalization,
        KernelLowering,
        NoPythonBackend,
    ):
        manager.add_pass(step, step.name())
    manager.finalize()
    return manager


def _short_symbol(name: str, kinds: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
    """The symbol of a kernel. numba spells every field of every record: 3,000 letters a call."""
    return str(default_mangler(name, (_digest(tuple(kinds)),), abi_tags=abi_tags, uid=uid))


@cache
def _digest(kinds: tuple[Any, ...]) -> str:
    return "t" + hashlib.sha256(repr(kinds).encode()).hexdigest()[:16]


class KernelDispatcher(CPUDispatcher):
    """A kernel, compiled when it is called first, from Python or by another one."""

    _compiler: Any

    def __init__(
        self,
        py_func: Callable[..., Any],
        locals: Any = None,
        targetoptions: Any = None,
        pipeline_class: Any = KernelCompiler,
    ) -> None:
        super().__init__(py_func, locals, targetoptions, pipeline_class)
        annotations = inspect.get_annotations(py_func)
        self._fixed = [FIXED.get(annotations.get(name)) for name in self._compiler.pysig.parameters]

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        signature, args = super().fold_argument_types(args, kws)
        pairs = zip(self._fixed, args, strict=True)
        return signature, tuple(kind or types.unliteral(arg) for kind, arg in pairs)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(self.fold_argument_types(args, kws)[1], {})

    def compile(self, sig: Any) -> Any:
        with compiling() as called:
            args, return_type = sigutils.normalize_signature(sig)
            found: Any = self.overloads.get(tuple(args))
            if not called:
                if found is not None and isinstance(found.library, CalledLibrary):
                    del self.overloads[tuple(args)]  # from now on it is an entry as well
                return super().compile(sig)
            if found is None:
                details = {"dispatcher": self, "args": args, "return_type": return_type}
                with self._compiling_counter, event.trigger_event("numba:compile", data=details):
                    found = self._compiler.compile(args, return_type)
                self.overloads[tuple(args)] = found
            return found.entry_point
