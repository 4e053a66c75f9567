"""The table network's memory in the engine: its weights, and the accumulators of one board.

One record, as `memory_kernels` explains, so that a search hands it down as one pointer.
"""

from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import NDArray

from .memory_kernels import CELLS, Int32s, new_record

Float32s = NDArray[np.float32]

WINDOWS = 397_488
HALVES = 364
"""Line windows, and the cases of the five points to one side, see `line_windows`."""
FEATURES = 32
"""Numbers in a row: the first half sees black's stones as own, the second half white's."""
HALF = FEATURES // 2
HIDDEN = 32
"""Units of the value head's layers."""
CLAMP = 2.0
"""A point's features are clamped to 0…CLAMP."""
POOL_SCALE = 4.0
"""The value head sees the mean over the board's points times this."""
THREAT_KINDS = 6
"""Kinds of moves that are counted for the value: MAKES_THREE to MAKES_FIVE."""
THREAT_LEVELS = 4
"""Counts from 0 on that are told apart; the last stands for itself and more."""


class NetworkMemory:
    """The table network and its accumulators, which follow the board from evaluation to evaluation.

    Features are whole numbers in units of 1 / `unit`, so that sums are exact in any order.
    """

    loaded: Annotated[int, np.int64]
    """0: there is no network, patterns evaluate."""
    current: Annotated[int, np.int64]
    """Not 0: the accumulators are those of `stones`; 0: to be computed from scratch."""
    first_cell: Annotated[int, np.int64]
    last_cell: Annotated[int, np.int64]
    """Where the board's cells begin and end."""
    clamp: Annotated[Any, np.float32]
    """CLAMP in units."""
    pool: Annotated[Any, np.float32]
    """What turns the sum of features into the value head's input."""
    points_per_logit: Annotated[Any, np.float32]
    unit: Annotated[Any, np.float32]
    stones: Annotated[Int32s, np.int32, CELLS]
    """The board that was evaluated last."""
    windows: Annotated[Int32s, np.int32, (CELLS, 4)]
    """By direction: the line window around a cell, a row of the table."""
    sums: Annotated[Float32s, np.float32, (CELLS, FEATURES)]
    """The sum of a cell's four rows, not clamped."""
    pooled: Annotated[Float32s, np.float32, FEATURES]
    """The sum of the clamped features over all cells."""
    hidden_units: Annotated[int, np.int64]
    """HIDDEN. LLVM vectorises a loop whose length it does not know, and unrolls one that it does:
    from here the value head gets its speed."""
    hidden: Annotated[Float32s, np.float32, (2, HIDDEN)]
    """Room for the value head's layers."""
    value1: Annotated[Float32s, np.float32, (FEATURES, HIDDEN)]
    value1_bias: Annotated[Float32s, np.float32, HIDDEN]
    threats: Annotated[Float32s, np.float32, (2, THREAT_KINDS, THREAT_LEVELS, HIDDEN)]
    """By side (own, other), kind and count: added to the first layer."""
    value2: Annotated[Float32s, np.float32, (HIDDEN, HIDDEN)]
    value2_bias: Annotated[Float32s, np.float32, HIDDEN]
    value3: Annotated[Float32s, np.float32, HIDDEN]
    value3_bias: Annotated[Any, np.float32]
    policy: Annotated[Float32s, np.float32, FEATURES]
    """Weights of a point's features in units, own half first."""
    policy_kinds: Annotated[Float32s, np.float32, (8, 8)]
    """By own and other kind of move at a point."""
    half_index: Annotated[NDArray[np.int16], np.int16, (2, 1024)]
    """The number of the five points before and after a cell, by their half of the line key."""
    table: Annotated[NDArray[np.int16], np.int16, (WINDOWS, FEATURES)]


def new_network_memory() -> NetworkMemory:
    """Memory without a network; what is never written to takes no room."""
    return cast(NetworkMemory, new_record(cast(Any, NetworkMemory)))
