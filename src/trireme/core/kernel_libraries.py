"""Compiled kernels as LLVM sees them: IR to be linked, or the machine code of all that was linked.

See `kernel_compiler`.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import binding  # type: ignore[import-untyped]
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary

_CONFIG: Any = numba.config


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
