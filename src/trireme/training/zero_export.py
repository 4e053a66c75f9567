"""Export of gomoku-zero's network to ONNX with 8-bit weights and activations (quantisation).

One core evaluates the 8-bit network more than three times as often as the float one, which is worth
far more to the search than the rounding costs. Activations are scaled by what they reach in games
of the network's own policy (static calibration).
"""

from __future__ import annotations

import logging
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trireme.core.errors import TriremeError
from trireme.core.onnx import Network

from .export import export
from .gomoku_threats import ThreatDetector
from .zero_network import ZeroNetwork, folded_copy, planes_of

GAMES, PLIES = 24, 24
"""Games of the calibration, and the most moves of each."""
RANDOM_MOVES = 0.1
"""The share of random moves in them, for variety."""
MAX_VALUE_ERROR = 0.1
MAX_POLICY_ERROR = 0.2
"""The mean errors of an export, at most; see `QuantisationError`."""


class QuantisationError(NamedTuple):
    """How far the 8-bit network is from the float one, on average over positions."""

    value: float
    """The absolute difference of values."""
    policy: float
    """The total variation distance of policies: 0 equal, 1 disjoint."""


def export_zero(network: ZeroNetwork, path: Path, *, size: int, exact: bool) -> QuantisationError:
    """Write `network` to `path`; returns the error on positions that it was not calibrated with.

    `size` and `exact` are the board and the rule that it was trained on.
    """
    folded = folded_copy(network)
    calibration = sample_planes(folded, size, exact, seed=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "float.onnx"
        axes = {"planes": {0: "batch", 2: "rows", 3: "cols"}}
        example = {"planes": calibration[:2]}
        export(folded, example, plain, output=("policy", "value"), sizes=axes)
        _quantise(plain, path, calibration.numpy())
    error = quantisation_error(folded, path, sample_planes(folded, size, exact, seed=1))
    if not (error.value <= MAX_VALUE_ERROR and error.policy <= MAX_POLICY_ERROR):
        raise TriremeError(f"{path.name} differs from its network too much: {error}")
    return error


@torch.no_grad()
def sample_planes(network: ZeroNetwork, size: int, exact: bool, seed: int) -> Tensor:
    """Inputs `float[N, 4, n, n]` from games by the network's policy, with some random moves.

    Positions with a proven result are left out: nobody asks the network about them.
    """
    generator = torch.Generator().manual_seed(seed)
    detector = ThreatDetector(size, exact, torch.device("cpu"))
    board = torch.zeros((GAMES, size * size), dtype=torch.int8)
    last = torch.full((GAMES,), size * size)
    found = []
    for _ in range(min(PLIES, size * size)):
        proof = detector.prove(board)
        board, last, allowed = (x[~proof.proven] for x in (board, last, proof.moves))
        if not len(board):
            break
        planes = planes_of(board, last, size).float().contiguous()
        found.append(planes)
        policy = network(planes)[0].masked_fill(~allowed, -torch.inf).softmax(1)
        uniform = allowed / allowed.sum(1, keepdim=True)
        mixed = torch.lerp(policy, uniform, RANDOM_MOVES)
        last = torch.multinomial(mixed, 1, generator=generator).squeeze(1)
        board = -board.scatter(1, last.unsqueeze(1), 1)
    return torch.cat(found)


def quantisation_error(network: ZeroNetwork, path: Path, planes: Tensor) -> QuantisationError:
    """The error of the network in a file on `planes: float[N, 4, n, n]`."""
    logits, value = (torch.from_numpy(x) for x in Network(path).outputs(planes=planes.numpy()))
    with torch.no_grad():
        true_logits, true_value = network(planes)
    apart = (logits.softmax(1) - true_logits.softmax(1)).abs().sum(1) / 2
    return QuantisationError(float((value - true_value).abs().mean()), float(apart.mean()))


def _quantise(plain: Path, path: Path, planes: NDArray[np.float32]) -> None:
    """Write the float network `plain` to `path` with 8-bit convolutions."""
    import onnx
    from onnxruntime.quantization import (  # type: ignore[import-untyped]
        QuantFormat,
        QuantType,
        quantize_static,
    )

    # Heads stay as they are: they take no time, and their output is what is compared.
    nodes = onnx.load(plain).graph.node
    heads = [node.name for node in nodes if any(i.startswith("policy") for i in node.input)]
    logging.disable(logging.WARNING)  # it recommends a preparation that changes nothing here
    try:
        quantize_static(
            plain,
            path,
            _batches(planes),
            quant_format=QuantFormat.QDQ,
            op_types_to_quantize=["Conv", "Add", "Relu"],
            nodes_to_exclude=heads,
            per_channel=True,
            reduce_range=True,  # 7 bits of weights: sums of 8 overflow on CPUs without VNNI
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
    finally:
        logging.disable(logging.NOTSET)


def _batches(planes: NDArray[np.float32]) -> Any:
    """The calibration data as onnxruntime reads it."""
    from onnxruntime.quantization import CalibrationDataReader

    class Batches(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self.rows = iter(np.array_split(planes, -(-len(planes) // 32)))

        def get_next(self) -> dict[str, NDArray[np.float32]] | None:
            rows = next(self.rows, None)
            return None if rows is None else {"planes": rows}

    return Batches()
