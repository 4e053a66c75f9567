"""The transposition table: what was found out about a position, by its Zobrist hash.

`table: int64[2**k, 2]` holds a key and a packed entry a row, two rows a bucket. An entry packs
depth, bound, best move, value and generation. It counts within the game that it was written in, by
its generation: no analysis depends on other games.

Threads share the table without locks. The key is the hash XOR the entry: if two threads write a row
at once and their halves mix, the row matches no hash and counts as empty.
"""

from trireme.core.jit import linked_njit as njit

from .board_kernels import as_int
from .memory_kernels import PROVEN_WIN, Int64s

EXACT, LOWER_BOUND, UPPER_BOUND = 0, 1, 2
"""What the value of an entry is: exact, at least so much (a beta cutoff), or at most so much."""
UNKNOWN = 1 << 30
"""A value that no position has."""


@njit
def store(
    table: Int64s,
    generation: int,
    key: int,
    depth: int,
    bound: int,
    value: int,
    move: int,
    ply: int,
) -> None:
    """Store a result; of two entries the shallower or older one gives way.

    Distances to a win are kept from the position, not from the root.
    """
    if value >= PROVEN_WIN:
        value += ply
    elif value <= -PROVEN_WIN:
        value -= ply
    row = key & (len(table) - 2)
    old = table[row, 1]
    other = table[row, 0] ^ old != key
    if _generation(old) == generation and other and (old & 255) > depth:
        row += 1
    entry = depth | (bound << 8) | (move << 10) | ((value + 65536) << 24) | (generation << 44)
    table[row, 0] = key ^ entry
    table[row, 1] = entry


@njit
def probe(table: Int64s, generation: int, kept: int, key: int) -> int:
    """The entry of a position, -1 when none of the last `kept` analyses wrote one."""
    row = key & (len(table) - 2)
    for i in range(2):
        entry = table[row + i, 1]  # read once: another thread may write it meanwhile
        if table[row + i, 0] ^ entry == key:
            age = (generation - _generation(entry)) & 255
            if age < kept:
                return as_int(entry)
    return -1


@njit
def _generation(entry: int) -> int:
    return (entry >> 44) & 255


@njit
def hash_move(entry: int) -> int:
    """The best move of an entry; -1 where there is no entry."""
    return (entry >> 10) & 2047 if entry >= 0 else -1


@njit
def cutoff_value(entry: int, depth: int, alpha: int, beta: int, ply: int) -> int:
    """The value of an entry if its depth and bound suffice to use it, else UNKNOWN."""
    if entry < 0:
        return UNKNOWN
    value, bound = ((entry >> 24) & 0xFFFFF) - 65536, (entry >> 8) & 3
    proven = abs(value) >= PROVEN_WIN
    if proven:
        value += ply if value < 0 else -ply
    if (entry & 255) < depth and not proven:
        return UNKNOWN
    if (
        bound == EXACT
        or (bound == LOWER_BOUND and value >= beta)
        or (bound == UPPER_BOUND and value <= alpha)
    ):
        return value
    return UNKNOWN
