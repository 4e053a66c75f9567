"""Inference of networks in ONNX files by onnxruntime, without torch."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import BadSpec, MissingExtra

Floats = NDArray[np.float32]


class Network:
    """A network loaded from a file: named arrays in, arrays out."""

    def __init__(self, path: Path) -> None:
        try:
            import onnxruntime  # type: ignore[import-untyped]
        except ImportError:
            raise MissingExtra("nets", "a network", "onnxruntime") from None
        if not path.is_file():
            raise BadSpec(f"there is no network {str(path)!r}")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # arenas run a process a core
        options.inter_op_num_threads = 1
        try:
            self._session: Any = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise BadSpec(f"{str(path)!r} is no ONNX network: {error}") from None

    def __call__(self, **inputs: NDArray[Any]) -> Floats:
        """The output of a network that has one."""
        (output,) = self.outputs(**inputs)
        return output

    def outputs(self, **inputs: NDArray[Any]) -> list[Floats]:
        """All outputs, in the order of the file."""
        found: list[Floats] = self._session.run(
            None, {name: np.ascontiguousarray(i, np.float32) for name, i in inputs.items()}
        )
        return found


@cache
def load_network(path: Path) -> Network:
    """The network of a file, loaded once a process."""
    return Network(path)
