"""Principal variation search (PVS): alpha-beta with a transposition table, LMR and a VCF search.

Values are for the side to move: the static evaluation, or, from PROVEN_WIN on, WIN less the plies
to the five. A value beyond PROVEN_WIN is a proof: where not every answer was tried, a loss counts
as LIKELY_WIN only.
"""

from trireme.core.jit import njit

from .board_kernels import as_int, count_of, first_of, make_move, undo_move, zobrist
from .memory_kernels import (
    DOUBLE_THREE,
    FOUR_THREE,
    LIKELY_WIN,
    MAKES_FIVE,
    MAKES_FOUR,
    MAKES_OPEN_FOUR,
    MAX_PLY,
    PROVEN_WIN,
    WIN,
    EngineBoard,
    HashTables,
    Int32s,
    SearchMemory,
)
from .move_ordering_kernels import (
    defend_open_four,
    defend_vcf,
    generate_moves,
    late_move_reduction,
    pick_next,
    record_cutoff,
)
from .table_network_kernels import network_value
from .threat_search_kernels import extend_pv, vcf
from .transposition_kernels import (
    EXACT,
    LOWER_BOUND,
    UNKNOWN,
    UPPER_BOUND,
    cutoff_value,
    hash_move,
    probe,
    store,
)

TEMPO = 250
"""The value of the right to move in a quiet position."""
DOUBLE_THREE_BONUS = 200
"""The value of a double three at hand when the other side has no four."""


@njit
def evaluate(board: EngineBoard, me: int) -> int:
    """The static evaluation for `me`, to move, in a position without fives at hand."""
    other = 3 - me
    value = as_int(board.score_sums[me - 1]) - as_int(board.score_sums[other - 1]) + TEMPO
    quiet = count_of(board, other, MAKES_FOUR) + count_of(board, other, FOUR_THREE) == 0
    if quiet and count_of(board, me, DOUBLE_THREE) > 0:
        value += DOUBLE_THREE_BONUS
    return max(min(value, LIKELY_WIN - 1), 1 - LIKELY_WIN)


@njit
def static_value(board: EngineBoard, tables: HashTables, me: int) -> int:
    """The evaluation of patterns, or of the table network where one is loaded."""
    if tables.network.enabled != 0:
        return network_value(board, tables.network, me)
    return evaluate(board, me)


@njit
def _terminal_value(board: EngineBoard, tables: HashTables, me: int, ply: int) -> int:
    """The value of a position that needs no search, else UNKNOWN."""
    if board.stone_count == board.area:
        return 0
    if count_of(board, me, MAKES_FIVE) > 0:
        return WIN - ply - 1
    threatened = count_of(board, 3 - me, MAKES_FIVE)
    if threatened > 1:
        return ply + 2 - WIN
    if threatened == 0 and count_of(board, me, MAKES_OPEN_FOUR) > 0:
        return WIN - ply - 3
    if ply + 8 > MAX_PLY // 2:
        return static_value(board, tables, me)
    return UNKNOWN


@njit
def _short_vcf(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    attacker: int,
    depth: int,
    ply: int,
) -> int:
    """Plies to the five of a VCF that a few nodes find, its sequence left at `ply`; else 0."""
    if count_of(board, attacker, MAKES_FOUR) + count_of(board, attacker, FOUR_THREE) == 0:
        return 0
    allowed = memory.inner_vcf_nodes if depth > 0 else memory.leaf_vcf_nodes
    memory.threat_node_limit, memory.threats_cut = board.nodes + allowed, 0
    return vcf(board, memory, tables, attacker, ply)


@njit
def _list_moves(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    me: int,
    depth: int,
    first: int,
    ply: int,
) -> tuple[int, bool]:
    """List the moves of a node, `first` the hash move.

    How many, and whether all others are known to lose.
    """
    other = 3 - me
    if count_of(board, other, MAKES_FIVE) > 0:
        memory.moves[ply, 0] = first_of(board, other, MAKES_FIVE)
        return 1, True
    size = 0
    if count_of(board, other, MAKES_OPEN_FOUR) > 0:
        size = defend_open_four(board, memory, me, first, ply)
    elif depth >= 2 and _short_vcf(board, memory, tables, other, depth, ply + 1) > 0:
        size = defend_vcf(board, memory, me, first, ply)
    if size > 0:
        return size, True
    return generate_moves(board, memory, me, first, ply), False


@njit
def _moves_to_try(memory: SearchMemory, size: int, depth: int) -> int:
    """Late move pruning: how many of a node's moves are tried."""
    return min(size, memory.moves_base + memory.moves_per_depth * max(depth, 0))


@njit
def _value_without_moves(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    key: int,
    depth: int,
    alpha: int,
    beta: int,
    me: int,
    ply: int,
) -> tuple[int, int]:
    """The value of a node that needs no moves to be tried, else UNKNOWN; and its hash move or -1.

    At depth 0 and below, quiescence: the static evaluation, unless a five or an open four is to be
    answered.
    """
    value, entry, other = _terminal_value(board, tables, me, ply), -1, 3 - me
    if value != UNKNOWN:
        return value, -1
    if depth > 0:
        entry = probe(tables.transpositions, memory.generation, key)
        value = cutoff_value(entry, depth, alpha, beta, ply)
        if value != UNKNOWN:
            return value, -1
    if count_of(board, other, MAKES_FIVE) == 0:
        plies = _short_vcf(board, memory, tables, me, depth, ply)
        if plies > 0:
            return WIN - ply - plies, -1
        memory.pv_lengths[ply] = 0
        quiet = count_of(board, other, MAKES_OPEN_FOUR) == 0
        if depth <= 0 and (quiet or depth <= -memory.quiescence_plies):
            return static_value(board, tables, me), -1
    return UNKNOWN, hash_move(entry)


@njit
def alphabeta(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    depth: int,
    alpha: int,
    beta: int,
    me: int,
    ply: int,
) -> int:
    """Principal variation search (PVS): the value for `me`, to move, within (alpha, beta).

    Searches `depth` plies and leaves the PV at `ply`. 0 when the search is stopped.
    """
    other = 3 - me
    memory.pv_lengths[ply] = 0
    if board.nodes >= memory.node_limit:
        memory.stop = 1
    if memory.stop != 0:
        return 0
    key = board.hash ^ zobrist(me, 1)
    value, first = _value_without_moves(board, memory, tables, key, depth, alpha, beta, me, ply)
    if value != UNKNOWN:
        return value
    left = depth if count_of(board, other, MAKES_FIVE) > 0 else depth - 1
    size, complete = _list_moves(board, memory, tables, me, depth, first, ply)
    tried = size if complete else _moves_to_try(memory, size, depth)
    best, best_move, floor = -WIN, -1, alpha
    for i in range(tried):
        move = pick_next(memory, ply, i, size)
        reduced = 0 if complete else late_move_reduction(board, me, move, depth, i)
        make_move(board, move, me)
        low = -beta if i == 0 else -alpha - 1  # after the first move, a null window
        value = -alphabeta(board, memory, tables, left - reduced, low, -alpha, other, ply + 1)
        if i > 0 and value > alpha and (reduced > 0 or value < beta):
            value = -alphabeta(board, memory, tables, left, -beta, -alpha, other, ply + 1)
        undo_move(board, move)
        if memory.stop != 0:
            return 0
        if value > best:
            best, best_move = value, move
            if value > alpha:
                alpha = value
                memory.pv[ply, 0] = move
                extend_pv(memory, ply, 1)
                if alpha >= beta:
                    record_cutoff(memory, me, move, max(depth, 1), ply)
                    break
    if best <= -PROVEN_WIN and not complete:
        best = -LIKELY_WIN
    if depth > 0:
        bound = LOWER_BOUND if best >= beta else (EXACT if best > floor else UPPER_BOUND)
        store(tables.transpositions, memory.generation, key, depth, bound, best, best_move, ply)
    return best


@njit
def _nth_best(values: Int32s, size: int, n: int) -> int:
    """The n-th highest, from 1, of the first `size` values; of equals the earlier counts more."""
    for j in range(size):
        rank = 1
        for k in range(size):
            rank += values[k] > values[j] or (values[k] == values[j] and k < j)
        if rank == n:
            return as_int(values[j])
    return -WIN


@njit(nogil=True)
def search_root(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    depth: int,
    me: int,
    moves: Int32s,
    jitter: Int32s,
    top: int,
    values: Int32s,
) -> int:
    """Search `moves: int32[m]` to `depth`, writing `values: int32[m]`; how many were finished.

    The best `top` get exact values, the rest upper bounds below them. `jitter: int32[m]` is added
    to the values of moves that are not proven. The PV is left at ply 0. When the search is stopped,
    the values of moves that were not finished are -WIN.
    """
    values[:] = -WIN
    best, ply = -WIN, as_int(1)  # a literal 1 would compile the recursion twice, uncacheably
    for i in range(moves.size):
        move, bonus = as_int(moves[i]), as_int(jitter[i])
        alpha = -WIN if i < top else _nth_best(values, i, top)
        low = max(alpha - bonus, -WIN)
        make_move(board, move, me)
        value = -WIN
        if i >= top:  # a null window first: is it better than the worst of the best `top`?
            value = -alphabeta(board, memory, tables, depth - 1, -low - 1, -low, 3 - me, ply)
        if i < top or value > low:
            value = -alphabeta(board, memory, tables, depth - 1, -WIN, -low, 3 - me, ply)
        undo_move(board, move)
        if memory.stop != 0:
            return i
        values[i] = value if abs(value) >= PROVEN_WIN else value + bonus
        if values[i] > best:
            best = as_int(values[i])
            memory.pv[0, 0] = move
            extend_pv(memory, 0, 1)
    return moves.size


@njit
def root_moves(board: EngineBoard, memory: SearchMemory, me: int, out: Int32s) -> int:
    """Write the root's moves into `out: int32[MAX_MOVES]`, highest score first; how many."""
    size = generate_moves(board, memory, me, -1, 0)
    for i in range(size):
        out[i] = pick_next(memory, 0, i, size)
    return size
