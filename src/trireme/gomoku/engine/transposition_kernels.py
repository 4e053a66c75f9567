"""The transposition table: what was found out about a position, by its key.

`table: int64[2**k, 2]` holds a key and a packed entry a row, two rows a bucket. An entry counts
only within the search that wrote it, told by its age: no search depends on those before it.
"""

from typing import Any

from trireme.core.jit import njit

from .memory_kernels import AGE, PROVEN

EXACT, LOWER, UPPER = 0, 1, 2
UNKNOWN = 1 << 30
"""A value that no position has."""


@njit
def remember(
    control: Any, table: Any, key: int, depth: int, flag: int, value: int, move: int, ply: int
) -> None:
    """Store a result; of two entries the shallower or older one gives way.

    Distances to a win are kept from the position, not from the root.
    """
    if value >= PROVEN:
        value += ply
    elif value <= -PROVEN:
        value -= ply
    slot = key & (table.shape[0] - 2)
    kept = table[slot, 1]
    fresh = (kept >> 44) & 255 == control[AGE]
    if fresh and table[slot, 0] != key and (kept & 255) > depth:
        slot += 1
    entry = depth | (flag << 8) | (move << 10) | ((value + 65536) << 24) | (control[AGE] << 44)
    table[slot, 0] = key
    table[slot, 1] = entry


@njit
def recall(control: Any, table: Any, key: int) -> Any:
    """The entry of a position, -1 when there is none from this search."""
    slot = key & (table.shape[0] - 2)
    for i in range(2):
        if table[slot + i, 0] == key and (table[slot + i, 1] >> 44) & 255 == control[AGE]:
            return table[slot + i, 1]
    return -1


@njit
def hint_of(entry: int) -> int:
    """The move that was best in a recalled entry; -1 where there is no entry."""
    return (entry >> 10) & 2047 if entry >= 0 else -1


@njit
def settled(entry: int, depth: int, alpha: int, beta: int, ply: int) -> int:
    """The value of a recalled entry if it is deep and sharp enough to be used, else UNKNOWN."""
    if entry < 0:
        return UNKNOWN
    value, flag = ((entry >> 24) & 0xFFFFF) - 65536, (entry >> 8) & 3
    proof = abs(value) >= PROVEN
    if proof:
        value += ply if value < 0 else -ply
    if (entry & 255) < depth and not proof:
        return UNKNOWN
    if flag == EXACT or (flag == LOWER and value >= beta) or (flag == UPPER and value <= alpha):
        return value
    return UNKNOWN
