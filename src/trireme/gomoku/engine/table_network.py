"""The table network's file: read, tabulated and loaded into the engine's memory.

A file is a small `.npz` of float32 weights, written by `trireme train gomoku-table`:

| array | shape | contents |
|---|---|---|
| `map1_weight`, `map1_bias` | [W, 33], [W] | mapping network: a line window, one-hot, to W units |
| `map2_weight`, `map2_bias` | [W, W], [W] | second layer |
| `map3_weight`, `map3_bias` | [16, W], [16] | output: half of a row of the table |
| `value1_weight`, `value1_bias` | [32, 32], [32] | value: pooled features, own half first |
| `threats` | [2, 6, 4, 32] | added there: by side (own, other), kind of move, count 0, 1, 2, 3+ |
| `value2_weight`, `value2_bias` | [32, 32], [32] | second layer |
| `value3_weight`, `value3_bias` | [1, 32], [1] | the logit of the expected result |
| `region_weight`, `region_bias` | [32, 32], [3, 32] | a region: biases by corner, side, middle |
| `value_regions` | [32, 32] | added to the value's first layer: from the sum over the regions |
| `policy_features` | [32] | policy: weights of a point's features, own half first |
| `policy_context` | [32, 32] | added to these weights: from the value's first layer |
| `policy_recent` | [2, 15, 15] | policy: by distances to the last stones, the smaller first |
| `policy_kinds` | [8, 8] | policy: by own and other kind of move at the point |
| `points_per_logit` | [] | pattern points for one unit of the logit |
| `rule` | [] | `standard` or `freestyle`: the games that it learnt from |

The mapping network has SiLU after its first two layers, the value head has ReLU.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trireme.core.errors import AgentNotReady
from trireme.core.jit import address_of

from .line_windows import ROWS, line_windows, one_hot
from .memory_kernels import KINDS, EngineBoard, record_dtype
from .network_memory_kernels import (
    CLAMP,
    DISTANCES,
    FEATURES,
    HALF,
    HIDDEN,
    RECENT,
    REGION_KINDS,
    THREAT_KINDS,
    THREAT_LEVELS,
    NetworkMemory,
)
from .table_network_kernels import run_network

Float32s = NDArray[np.float32]

SHIPPED = Path(__file__).parents[1] / "models" / "table" / "network.npz"
"""The network that ships."""
SHIPPED_RULE = "standard"
"""The rule of the games that it learnt from."""
FINEST_UNIT = 2000.0
"""Units in 1.0 of a feature, at most; fewer where large weights would not fit into 16 bits."""
CHUNK = 1000
"""Windows that are mapped at a time: their hidden layers stay in the processor's cache."""
SHAPES: dict[str, tuple[int | str, ...]] = {
    "map1_weight": ("width", 33),
    "map1_bias": ("width",),
    "map2_weight": ("width", "width"),
    "map2_bias": ("width",),
    "map3_weight": (HALF, "width"),
    "map3_bias": (HALF,),
    "value1_weight": (HIDDEN, FEATURES),
    "value1_bias": (HIDDEN,),
    "threats": (2, THREAT_KINDS, THREAT_LEVELS, HIDDEN),
    "value2_weight": (HIDDEN, HIDDEN),
    "value2_bias": (HIDDEN,),
    "value3_weight": (1, HIDDEN),
    "value3_bias": (1,),
    "region_weight": (HIDDEN, FEATURES),
    "region_bias": (REGION_KINDS, HIDDEN),
    "value_regions": (HIDDEN, HIDDEN),
    "policy_features": (FEATURES,),
    "policy_context": (FEATURES, HIDDEN),
    "policy_recent": (RECENT, DISTANCES, DISTANCES),
    "policy_kinds": (KINDS, KINDS),
    "points_per_logit": (),
}


class TableNetwork(NamedTuple):
    """A network that was read and tabulated; not to be written to."""

    weights: Mapping[str, Float32s]
    """The arrays of the file."""
    rule: str
    table: NDArray[np.int16]
    """int16[ROWS, FEATURES], by rows of `line_windows`, in units of 1 / `unit`."""
    unit: float


def load_table_network(path: Path = SHIPPED) -> TableNetwork:
    """Read and tabulate a network; once for each file a process."""
    try:
        return _load(path.absolute(), path.stat().st_mtime_ns)
    except OSError as error:
        raise AgentNotReady(f"can't read the network {str(path)!r}: {error.strerror}") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, TypeError, KeyError) as error:
        raise AgentNotReady(f"{str(path)!r} holds no table network: {error}") from None


def shipped_network(rule: str) -> TableNetwork | None:
    """The network that ships where it fits the rule, else None."""
    return load_table_network() if rule == SHIPPED_RULE else None


@lru_cache(maxsize=4)
def _load(path: Path, changed: int) -> TableNetwork:
    with path.open("rb") as file, np.load(file) as found:
        weights, rule = {name: found[name] for name in SHAPES}, str(found["rule"])
    _check(weights)
    return TableNetwork(weights, rule, *tabulate(weights))


def _check(weights: Mapping[str, Any]) -> None:
    width = len(np.atleast_2d(weights["map1_weight"]))
    for name, wanted in SHAPES.items():
        shape = tuple(width if size == "width" else size for size in wanted)
        array = weights[name]
        if array.shape != shape:
            raise ValueError(f"{name} must have the shape {shape}, not {array.shape}")
        if array.dtype != np.float32 or not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite float32 numbers")


def tabulate(weights: Mapping[str, Float32s]) -> tuple[NDArray[np.int16], float]:
    """The rows of all line windows, int16[ROWS, FEATURES], by the mapping network; and their unit.

    The second half of a row is the first one of the window with black and white exchanged.
    """
    windows = line_windows()
    half = np.empty((ROWS, HALF), np.float32)
    for start in range(0, ROWS, CHUNK):
        points = windows.points[start : start + CHUNK]
        both = _map(weights, one_hot(points)) + _map(weights, one_hot(points[:, ::-1]))
        half[start : start + CHUNK] = both / 2
    rows, unit = quantise(half)
    return np.concatenate([rows, rows[windows.swapped]], 1), unit


def _map(weights: Mapping[str, Float32s], x: Float32s) -> Float32s:
    for layer in ("map1", "map2"):
        x = x @ weights[f"{layer}_weight"].T + weights[f"{layer}_bias"]
        divisor = np.negative(x)  # SiLU, x / (1 + exp(-x)), in place; exp of more than 88 overflows
        np.exp(np.minimum(divisor, 80, out=divisor), out=divisor)
        divisor += 1
        x /= divisor
    return np.asarray(x @ weights["map3_weight"].T + weights["map3_bias"])


def quantise(table: Float32s) -> tuple[NDArray[np.int16], float]:
    """The table in 16 bits, and its unit: whole, so that clamped sums are whole numbers, too."""
    largest = float(np.abs(table).max())
    unit = np.floor(min(FINEST_UNIT, np.iinfo(np.int16).max / max(largest, 1e-9)))
    if unit < 1:
        raise ValueError(f"a row of its table reaches {largest:g}, which no 16 bits hold")
    return np.round(table * unit).astype(np.int16), float(unit)


def install(network: TableNetwork, memory: NetworkMemory) -> None:
    """Make `memory` evaluate with `network` from now on."""
    weights, windows = network.weights, line_windows()
    types = (record_dtype(EngineBoard), record_dtype(NetworkMemory), int)
    memory.run_address = address_of(run_network, *types)
    memory.loaded, memory.current = 1, 0
    memory.unit, memory.clamp = network.unit, CLAMP * network.unit
    memory.points_per_logit = weights["points_per_logit"]
    memory.table[:] = network.table[windows.row_of_window]
    memory.half_index[:] = windows.half_index
    memory.hidden_units = HIDDEN
    memory.value1[:] = weights["value1_weight"].T
    memory.value1_bias[:] = weights["value1_bias"]
    memory.threats[:] = weights["threats"]
    memory.value2[:] = weights["value2_weight"].T
    memory.value2_bias[:] = weights["value2_bias"]
    memory.value3[:] = weights["value3_weight"][0]
    memory.value3_bias = weights["value3_bias"][0]
    memory.region[:] = weights["region_weight"].T
    memory.region_bias[:] = weights["region_bias"]
    memory.value_regions[:] = weights["value_regions"].T
    memory.policy_context[:] = weights["policy_context"].T / network.unit
    memory.policy_recent[:] = weights["policy_recent"]
    memory.policy[:] = weights["policy_features"] / network.unit
    memory.policy_kinds[:] = weights["policy_kinds"]
