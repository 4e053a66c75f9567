"""The engine's memory: the board and all that a search keeps, as records of named arrays.

A record is one block of memory (a NumPy structured scalar): a kernel takes it as one pointer and
reads `board.stones[cell]` at an offset that is known when it is compiled. A recursive kernel hands
its arguments down at every node; a tuple of twenty arrays in place of the pointer is four times
slower, because numba counts a reference to each of them at every call. `EngineBoard` and
`SearchMemory` state names, types and shapes of the fields; the hash tables, whose sizes vary, stay
arrays.

A *cell* is an index into a grid 32 wide with a margin of five walls around the board, so that a
step off the board always meets a wall; one margin serves both the end of a row and the beginning of
the next. A *colour* is 1 (black) or 2 (white); an axis of 2 has black at 0 and white at 1. A *ply*
counts moves from the root of the search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast, get_type_hints

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .network_memory_kernels import NetworkMemory

Bytes = NDArray[np.uint8]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

WIDTH = 32
MARGIN = 5
CELLS = WIDTH * 36 + 2 * MARGIN
MAX_POINTS = 26 * 26
"""The points of the largest board."""
MAX_MOVES = 128
"""Moves of one node, at most."""
MAX_PLY = 240
MAX_PV = 64
"""Moves of a principal variation, at most."""
LINE_KEYS = 1 << 20
"""Ten points of two bits."""
SHAPE_SETS = 1 << 16
"""The shapes, or their grades, in four directions, of four bits each."""
THREAT_SETS = 36 * 72
"""What the threats of both sides may be together, see `alphabeta_kernels.threat_index`."""
EMPTY, BLACK, WHITE, WALL = 0, 1, 2, 3

# The shapes that one stone makes in one line, weakest first.
NOTHING, ONE, OPEN_ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(10)
GRADES = 15
"""The evaluation tells apart, for some shapes, whether many points of the line lead on from it or
few: its *grades* are the shapes, weakest first, with two for each of those, few before many."""
FIRST_GRADE = (0, 1, 2, 4, 6, 8, 10, 12, 13, 14)
"""The grade of each shape, where it has two the one with few ways on."""
MANY_WAYS = (99, 99, 5, 3, 3, 2, 2, 99, 99, 99)
"""For each shape: how many points that lead to its best successor count as many."""

# The kinds of moves, by the shapes in all four lines together, weakest first. An open four and a
# double four are one kind, MAKES_OPEN_FOUR: after either, one answer does not stop the five.
QUIET, BUILDING, MAKES_THREE, MAKES_FOUR, DOUBLE_THREE, FOUR_THREE, MAKES_OPEN_FOUR, MAKES_FIVE = (
    range(8)
)
KINDS = 8

# Values of positions, for the side to move.
WIN = 30_000
"""A proven win counts WIN less the plies to the five, a proven loss the negative of that."""
PROVEN_WIN = 20_000
"""Values from here on are proven wins."""
LIKELY_WIN = 10_000
"""Above every static evaluation. The negative of it is the value of a position where every move
that was searched loses, but not every move was searched."""


class EngineBoard:
    """A position with its patterns, kept up to date as moves are made and undone."""

    hash: Annotated[int, np.int64]
    """The Zobrist hash."""
    nodes: Annotated[int, np.int64]
    """Moves made since the analysis began."""
    stone_count: Annotated[int, np.int64]
    area: Annotated[int, np.int64]
    """How many points the board has."""
    stones: Annotated[Int32s, np.int32, CELLS]
    """EMPTY, BLACK, WHITE or WALL."""
    line_keys: Annotated[Int32s, np.int32, (4, CELLS)]
    """By direction: the ten points around a cell in that line, two bits each."""
    grades: Annotated[Int32s, np.int32, CELLS]
    """A byte for each direction, the grades of the shapes that a stone there would make: a black
    one's in the low half, a white one's in the high half."""
    ratings: Annotated[Int64s, np.int64, (2, CELLS)]
    """What a move of this colour there would be, packed, see `patterns.rating_table`; on a
    taken cell as it was when the stone was put."""
    kind_counts: Annotated[Int32s, np.int32, (2, KINDS)]
    """How many empty points are of each kind for this colour."""
    mover_sums: Annotated[Int32s, np.int32, 2]
    """The sum over empty points of what they are worth to this colour when it is to move."""
    waiter_sums: Annotated[Int32s, np.int32, 2]
    """The same for when the other side is to move."""
    forcing_counts: Annotated[Int32s, np.int32, 2]
    """How many empty points there are where this colour makes an open three or more."""
    forcing: Annotated[Int32s, np.int32, (2, MAX_POINTS)]
    """These points' cells, in no order."""
    forcing_index: Annotated[Int32s, np.int32, (2, CELLS)]
    """Where in `forcing` such a cell is."""
    points: Annotated[Int32s, np.int32, MAX_POINTS]
    """The cells of the board, nearest the centre first, `area` of them."""
    grade_table: Annotated[Bytes, np.uint8, LINE_KEYS]
    """The grades of both colours by line key, as a byte of `grades`."""
    rating_table: Annotated[Int64s, np.int64, SHAPE_SETS]
    """The rating of a move by the grades that it makes in the four directions, four bits each."""
    threat_table: Annotated[Int32s, np.int32, THREAT_SETS]
    """What the threats of both sides together are worth to the side to move."""


class SearchMemory:
    """Limits, flags and what a search keeps, by ply and for the whole analysis."""

    stop: Annotated[int, np.int64]
    """Not 0: end the search. Another thread may set it while a kernel runs."""
    node_limit: Annotated[int, np.int64]
    """The value of `EngineBoard.nodes` at which the search stops."""
    threat_node_limit: Annotated[int, np.int64]
    """The value at which a threat search ends without a result."""
    threats_cut: Annotated[int, np.int64]
    """Not 0: the last threat search did so."""
    generation: Annotated[int, np.int64]
    """The number of this analysis modulo 256, which its entries in the transposition table bear."""
    kept_generations: Annotated[int, np.int64]
    """How many analyses, this one and those just before it, have entries that count."""
    leaf_vcf_nodes: Annotated[int, np.int64]
    """Nodes that a VCF search may take at a leaf."""
    inner_vcf_nodes: Annotated[int, np.int64]
    """The same at an inner node."""
    moves_base: Annotated[int, np.int64]
    """Late move pruning: how many moves a node tries at depth 0."""
    moves_per_depth: Annotated[int, np.int64]
    """How many more it tries for every ply of depth."""
    quiescence_plies: Annotated[int, np.int64]
    """How many plies below depth 0 open fours are still defended against."""
    reverse_futility_depth: Annotated[int, np.int64]
    """Up to this depth a node whose static evaluation is far above beta counts as failing high."""
    reverse_futility_margin: Annotated[int, np.int64]
    """How far above, in pattern points for every ply of depth."""
    futility_depth: Annotated[int, np.int64]
    """Up to this depth a quiet move that can hardly reach alpha is not tried."""
    futility_base: Annotated[int, np.int64]
    futility_margin: Annotated[int, np.int64]
    """It is not when the static evaluation is below alpha by the base and this for every ply."""
    reduction_start: Annotated[int, np.int64]
    """Late move reductions (LMR) begin with the move of this index."""
    reduction_divisor: Annotated[int, np.int64]
    """The higher, the smaller they are: log(depth) * log(index) * 100 over this."""
    killer_score: Annotated[int, np.int64]
    """What a killer move scores on top in the ordering."""
    max_history: Annotated[int, np.int64]
    """The most that the history heuristic adds to or takes from a move's ordering score."""
    iterative_reduction_depth: Annotated[int, np.int64]
    """From this depth on, a node without a hash move is searched a ply less deep (IIR)."""
    aspiration: Annotated[int, np.int64]
    """Half the width of the first window at the root; 0: no aspiration window."""
    moves: Annotated[Int32s, np.int32, (MAX_PLY, MAX_MOVES)]
    """The moves of the node at each ply."""
    move_scores: Annotated[Int32s, np.int32, (MAX_PLY, MAX_MOVES)]
    """Their ordering scores."""
    pv: Annotated[Int32s, np.int32, (MAX_PLY, MAX_PV)]
    """The principal variation (PV) from each ply on, or the winning sequence that a threat search
    found there."""
    pv_lengths: Annotated[Int32s, np.int32, MAX_PLY]
    killers: Annotated[Int32s, np.int32, 2 * MAX_PLY]
    """The two killer moves of each ply, at 2 * ply."""
    static_evaluations: Annotated[Int32s, np.int32, MAX_PLY]
    """The static evaluation of the node at each ply, for its side to move."""
    path: Annotated[Int32s, np.int32, MAX_PLY]
    """The moves from the root to the node that is searched, by ply."""
    history: Annotated[Int32s, np.int32, (2, CELLS)]
    """The history heuristic: how well a colour's move has cut elsewhere."""
    mark: Annotated[int, np.int64]
    """The newest mark of `marks`."""
    marks: Annotated[Int64s, np.int64, CELLS]
    """The mark of the set of defences that a cell was last added to."""


class HashTables(NamedTuple):
    """The tables whose size the user may choose; rows are powers of two."""

    transpositions: Int64s
    """int64[2**k, 2]: the transposition table, see `transposition_kernels`."""
    no_win: Int64s
    """int64[2**k]: hashes of positions from which a threat search found no win."""
    network: NetworkMemory
    """The table network, if one is loaded."""


def record_dtype(layout: type) -> np.dtype[Any]:
    """The type of a record with the fields that a class states as `Annotated[_, dtype, shape]`."""
    hints = get_type_hints(layout, include_extras=True)
    fields = [(name, *hint.__metadata__) for name, hint in hints.items()]
    return np.dtype(fields, align=True)


def new_record(layout: type) -> Any:
    """A record of that type, all zero."""
    return np.zeros(1, record_dtype(layout)).view(np.recarray)[0]


def copy_record(source: Any, target: Any) -> None:
    """Copy all fields of a record into another of the same layout."""
    for name in source.dtype.names:
        target[name] = source[name]


def new_board(grade_table: Bytes, rating_table: Int64s, threat_table: Int32s) -> EngineBoard:
    """A board under the pattern tables of a rule, for `clear_board` to set up."""
    board = cast(EngineBoard, new_record(EngineBoard))
    board.grade_table[:] = grade_table
    board.rating_table[:] = rating_table
    board.threat_table[:] = threat_table
    return board


def new_search_memory() -> SearchMemory:
    """Memory for a search, all zero."""
    return cast(SearchMemory, new_record(SearchMemory))


def new_hash_tables(rows: int, threat_rows: int, network: NetworkMemory) -> HashTables:
    """Empty tables; both numbers are powers of two."""
    return HashTables(np.zeros((rows, 2), np.int64), np.zeros(threat_rows, np.int64), network)


def cell_of(point: tuple[int, int]) -> int:
    """The cell of a point (row, col) of the board."""
    return (point[0] + MARGIN) * WIDTH + point[1] + MARGIN


def point_of(cell: int) -> tuple[int, int]:
    """The point (row, col) of a cell."""
    return int(cell) // WIDTH - MARGIN, int(cell) % WIDTH - MARGIN
