"""Networks as ONNX files, so that players need no torch, checked against the originals."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from trireme.core.errors import TriremeError


def export(
    network: nn.Module,
    example: dict[str, Tensor],
    path: Path,
    *,
    output: str | Sequence[str],
    sizes: dict[str, dict[int, str]],
) -> float:
    """Write `network` to `path`; returns the largest difference that the check found.

    `example` are the network's inputs by name, in order; `output` names its outputs; `sizes` names
    the axes of each input that may vary. The check runs both on the example.
    """
    network = network.eval().cpu().float()
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter warns about its own innards
        torch.onnx.export(
            network,
            tuple(example.values()),
            str(path),
            input_names=list(example),
            output_names=[output] if isinstance(output, str) else list(output),
            dynamic_axes=sizes,
            opset_version=17,
            dynamo=False,
        )
    return difference(network, example, path)


def difference(network: nn.Module, inputs: dict[str, Tensor], path: Path) -> float:
    """How far the ONNX file's outputs are from the network's, at most."""
    import onnxruntime  # type: ignore[import-untyped]

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    theirs = session.run(None, {name: value.numpy() for name, value in inputs.items()})
    with torch.no_grad():
        found = network(*inputs.values())
    ours = [found] if isinstance(found, Tensor) else found
    apart = max(
        float(np.abs(mine.numpy() - other).max()) for mine, other in zip(ours, theirs, strict=True)
    )
    if not apart < 1e-3:
        raise TriremeError(f"{path.name} differs from its network by {apart:g}")
    return apart
