"""A compiler for groups of kernels that call one another, such as a search: `linked_njit` uses it.

numba compiles a kernel anew for every combination of argument types, optimises it and translates it
into machine code, and then does all of this again in every kernel that calls it. Here

- an argument that is annotated `int` or `bool` is an int64 or a boolean whatever a caller passes;
- a kernel that kernels call stays LLVM IR. Only an *entry*, a kernel that is called from Python or
  by its address, is optimised and translated, with all kernels that it calls, and kept on disk;
- passes for what such kernels do not use (closures, `with`, array expressions, counting references)
  are left out;
- the types of operators are looked up once, not at every place where they stand;
- an element of a record's array, `board.stones[cell]`, is read and written at its address. numba
  makes an array of seven fields of it first. Indices count from the front: -1 is not the last.
"""

from __future__ import annotations

import gc
import hashlib
import inspect
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from llvmlite import ir as llvm_ir  # type: ignore[import-untyped]
from numba.core import cgutils, errors, event, ir, sigutils, types
from numba.core.compiler import CompilerBase
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.funcdesc import default_mangler
from numba.core.ir_utils import build_definitions
from numba.core.lowering import Lower
from numba.core.registry import CPUDispatcher
from numba.core.ssa import reconstruct_ssa
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import (
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.typeinfer import TypeInferer
from numba.core.typing.context import Context
from numba.core.untyped_passes import FixupArgs, ReconstructSSA, TranslateByteCode
from numba.cpython.builtins import do_minmax
from numba.np.arrayobj import load_item, store_item

from .kernel_libraries import CalledLibrary, EntryLibrary

FIXED = {int: types.int64, "int": types.int64, bool: types.boolean, "bool": types.boolean}
"""numba's types of annotations."""

APART = "compiled_apart"
"""The attribute of functions that are not to be inlined."""
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


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelSSA(ReconstructSSA):
    """Static single assignment; numba also finds out when variables end, to count references."""

    _name = "kernel_ssa"

    def run_pass(self, state: Any) -> bool:
        state.func_ir.blocks = canonicalize_cfg(state.func_ir.blocks)
        state.func_ir = reconstruct_ssa(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelStripPhis(PreLowerStripPhis):
    """From phi nodes to assignments; numba also finds out when variables end."""

    _name = "kernel_strip_phis"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


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


class KernelLower(Lower):
    """From the typed code of one kernel to LLVM IR."""

    context: Any
    builder: Any
    fndesc: Any
    _singly_assigned_vars: set[str]
    """Variables of one block, assigned once."""
    _blk_local_varmap: dict[str, Any]
    """The values of those that have been assigned."""

    def pre_lower(self) -> None:
        super().pre_lower()
        self._typing = RememberingContext(self.context.typing_context)
        self._fields: dict[str, tuple[Any, Any]] = {}
        """Of variables of one block that are an array of a record: the code and the address."""
        self._tuples: dict[str, list[Any]] = {}
        """The items of variables of one block that are tuples."""

    def lower_inst(self, inst: Any) -> None:
        value = inst.value if isinstance(inst, ir.Assign) else None
        if isinstance(value, ir.Expr) and inst.target.name in self._singly_assigned_vars:
            name = inst.target.name
            if value.op == "build_tuple":
                self._tuples[name] = value.items
            elif value.op == "getattr" and isinstance(self.typeof(name), types.NestedArray):
                self._fields[name] = value, self._address(value, self.typeof(name))
                return
        super().lower_inst(inst)

    def _address(self, attribute: Any, array: Any) -> Any:
        """Where an array of a record begins."""
        layout = self.context.get_data_type(array.dtype)
        for length in reversed(array.shape):
            layout = llvm_ir.ArrayType(layout, length)
        record = attribute.value.name
        offset = self.typeof(record).offset(attribute.attr)
        return cgutils.get_record_member(self.builder, self.loadvar(record), offset, layout)

    def loadvar(self, name: str) -> Any:
        if name in self._fields and name not in self._blk_local_varmap:  # needed as a whole
            expression, _ = self._fields[name]
            self._blk_local_varmap[name] = self.lower_expr(self.typeof(name), expression)
        return super().loadvar(name)

    def _element(self, array: Any, index: Any) -> Any:
        """The address of an element of a record's array; None for other arrays and for slices."""
        if array.name not in self._fields:
            return None
        names = [item.name for item in self._tuples.get(index.name, [index])]
        kinds = [types.unliteral(self.typeof(name)) for name in names]
        single = len(names) == self.typeof(array.name).ndim
        if not single or not all(isinstance(kind, types.Integer) for kind in kinds):
            return None
        places = [
            self.context.cast(self.builder, self.loadvar(name), kind, types.intp)
            for name, kind in zip(names, kinds, strict=True)
        ]
        _, start = self._fields[array.name]
        return self.builder.gep(start, [llvm_ir.IntType(64)(0), *places], inbounds=True)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        element = self._element(value, index)
        if element is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        found = load_item(self.context, self.builder, self.typeof(value.name), element)
        return self.context.cast(self.builder, found, signature.return_type, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        element = self._element(target_var, index_var)
        if element is None:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        array, kind = self.typeof(target_var.name), self.typeof(value_var.name)
        value = self.context.cast(self.builder, self.loadvar(value_var.name), kind, array.dtype)
        return store_item(self.context, self.builder, array, value, element)

    def _lower_call_normal(self, fnty: Any, expr: Any, signature: Any) -> Any:
        if not _is_choice(fnty, signature.args):
            return super()._lower_call_normal(fnty, expr, signature)
        values = self.fold_call_args(fnty, signature, expr.args, expr.vararg, expr.kws)
        better = CHOICES[fnty.typing_key]
        return do_minmax(self.context, self.builder, signature.args, values, better)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Assign a variable; numba loads what it was before, to count references."""
        self._alloca_var(name, self.typeof(name))
        if name in self._singly_assigned_vars:
            self._blk_local_varmap[name] = value
        else:
            self.builder.store(value, self.getvar(name))

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """Apply an operator; numba looks up its types again, four times."""
        typed = self.fndesc.calltypes[expr]
        function = self._typing.resolve_value_type(op)
        signature = self._typing.resolve_function_type(function, typed.args, {})
        operands = [
            self.context.cast(self.builder, self.loadvar(side.name), self.typeof(side.name), kind)
            for side, kind in zip((expr.lhs, expr.rhs), typed.args, strict=True)
        ]
        result = self.context.get_function(function, signature)(self.builder, operands)
        return self.context.cast(self.builder, result, signature.return_type, resty)


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """From typed code to LLVM IR, in one of the two kinds of libraries."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> type[KernelLower]:
        return KernelLower

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

    numba tries all implementations of an operator in turn, dozens for a plus. The types of
    attributes are remembered, too.
    """

    def __init__(self, context: Context) -> None:
        self.__dict__ = context.__dict__

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        if not kws and _is_choice(func, args):
            kind = self.unify_types(*map(types.unliteral, args))
            return kind(kind, kind)
        if kws or _is_foreign(func) or not all(isinstance(arg, types.Type) for arg in args):
            return super().resolve_function_type(func, args, kws)
        key = (func, tuple(args))
        if key not in _signatures:
            found = super().resolve_function_type(func, args, kws)
            if found is None:
                return None
            _signatures[key] = found
        return _signatures[key]

    def resolve_getattr(self, typ: Any, attr: str) -> Any:
        if (typ, attr) not in _attributes:
            found = super().resolve_getattr(typ, attr)
            if found is None:
                return None
            _attributes[typ, attr] = found
        return _attributes[typ, attr]


CHOICES = {min: operator.lt, max: operator.gt}
"""By function of two numbers: what must hold between the second and the first for the second to be
the result. numba would compile a kernel for each pair of types."""


def _is_choice(function: Any, args: Any) -> bool:
    """Whether a call is `min` or `max` of two numbers."""
    return (
        isinstance(function, types.Function)
        and function.typing_key in CHOICES
        and len(args) == 2
        and all(isinstance(types.unliteral(arg), types.Number) for arg in args)
    )


def _is_foreign(function: Any) -> bool:
    """Whether a function is neither one of numba's own nor a kernel of this module."""
    if isinstance(function, types.Dispatcher):
        return not isinstance(function.dispatcher, KernelDispatcher)
    known = (types.Function, types.NumberClass)
    return isinstance(function, types.Type | CPUDispatcher) and not isinstance(function, known)


_signatures: dict[Any, Any] = {}
"""By function and types of arguments: what `RememberingContext` remembers."""
_attributes: dict[Any, Any] = {}
"""By type and name of the attribute."""


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
        KernelSSA,
        KernelTypeInference,
        KernelStripPhis,
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
