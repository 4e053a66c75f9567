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
HIDDEN = FEATURES
"""Units of the value head's layers: as many as features, so that one product serves all layers."""
CLAMP = 2.0
"""A point's features are clamped to 0…CLAMP."""
REGION_ROWS = 3
REGIONS = REGION_ROWS**2
"""The board's regions, 3 × 3 of them, each of whose features are pooled."""
REGION_KINDS = 3
"""Regions in a corner, at a side and in the middle have biases of their own."""
DISTANCES = 15
"""Distances along a row or column from a recent stone that are told apart; the last: or more."""
RECENT = 2
"""Recent stones that the policy sees: the other side's last one, and the one before it."""
FIRST_REGION = 3
POLICY_LAYER = FIRST_REGION + 2 * REGIONS
"""Rows of `hidden`: two layers of the value head, the sum over the regions, the regions for black
and for white to move, and the policy's weights of features for the node whose moves are scored."""
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
    run_address: Annotated[int, np.int64]
    """Where `run_network` lies: it is called by address, see `call_by_address`."""
    current: Annotated[int, np.int64]
    """Not 0: the accumulators are those of `stones`; 0: to be computed from scratch."""
    first_layer_key: Annotated[int, np.int64]
    """The hash of the board and the side to move that the first row of `hidden` belongs to."""
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
    region_of: Annotated[Int32s, np.int32, CELLS]
    """The region that a cell lies in, row by row."""
    pooled: Annotated[Float32s, np.float32, (REGIONS, FEATURES)]
    """The sum of the clamped features over the cells of each region."""
    pooled_changed: Annotated[Int32s, np.int32, REGIONS]
    """Bits: 1 and 2 where the region's layer for black and for white to move is out of date."""
    hidden_units: Annotated[int, np.int64]
    """HIDDEN. LLVM vectorises a loop whose length it does not know, and unrolls one that it does:
    from here the layers get their speed."""
    hidden: Annotated[Float32s, np.float32, (POLICY_LAYER + 1, HIDDEN)]
    """Room for layers, see POLICY_LAYER; own features come first."""
    inputs: Annotated[Float32s, np.float32, HIDDEN]
    """What a layer is computed from."""
    region: Annotated[Float32s, np.float32, (FEATURES, HIDDEN)]
    region_bias: Annotated[Float32s, np.float32, (REGION_KINDS, HIDDEN)]
    value_regions: Annotated[Float32s, np.float32, (HIDDEN, HIDDEN)]
    """What the sum over the regions' layers adds to the first layer."""
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
    policy_context: Annotated[Float32s, np.float32, (HIDDEN, FEATURES)]
    """What the value head's first layer adds to these weights."""
    policy_recent: Annotated[Float32s, np.float32, (RECENT, DISTANCES, DISTANCES)]
    """By the distances to a recent stone, the smaller one first."""
    policy_kinds: Annotated[Float32s, np.float32, (8, 8)]
    """By own and other kind of move at a point."""
    half_index: Annotated[NDArray[np.int16], np.int16, (2, 1024)]
    """The number of the five points before and after a cell, by their half of the line key."""
    table: Annotated[NDArray[np.int16], np.int16, (WINDOWS, FEATURES)]


def new_network_memory() -> NetworkMemory:
    """Memory without a network; what is never written to takes no room."""
    return cast(NetworkMemory, new_record(cast(Any, NetworkMemory)))
