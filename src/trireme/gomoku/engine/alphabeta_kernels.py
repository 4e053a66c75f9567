"""Principal variation search (PVS): alpha-beta with a transposition table, LMR and a VCF search.

Values are for the side to move: the static evaluation, or, from PROVEN_WIN on, WIN less the plies
to the five. A value beyond PROVEN_WIN is a proof: where not every answer was tried, a loss counts
as LIKELY_WIN only.
"""

from trireme.core.jit import call_by_address
from trireme.core.jit import linked_njit as njit

from .board_kernels import as_int, count_of, first_of, make_move, undo_move, zobrist
from .memory_kernels import (
    DOUBLE_THREE,
    FOUR_THREE,
    LIKELY_WIN,
    MAKES_FIVE,
    MAKES_FOUR,
    MAKES_OPEN_FOUR,
    MAKES_THREE,
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
    is_quiet,
    late_move_reduction,
    pick_next,
    record_cutoff,
)
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


@njit
def _at_most(board: EngineBoard, colour: int, kind: int, most: int) -> int:
    return min(count_of(board, colour, kind), most)


@njit
def threat_index(board: EngineBoard, me: int) -> int:
    """The threats of both sides as an index into `threat_table`, `me` to move.

    How many points of a kind there are is counted up to one or two.
    """
    other = 3 - me
    index = _at_most(board, me, MAKES_FOUR, 2)
    index = index * 2 + _at_most(board, me, FOUR_THREE, 1)
    index = index * 2 + _at_most(board, me, DOUBLE_THREE, 1)
    index = index * 3 + _at_most(board, me, MAKES_THREE, 2)
    index = index * 2 + _at_most(board, other, MAKES_OPEN_FOUR, 1)
    index = index * 3 + _at_most(board, other, MAKES_FOUR, 2)
    index = index * 2 + _at_most(board, other, FOUR_THREE, 1)
    index = index * 2 + _at_most(board, other, DOUBLE_THREE, 1)
    return index * 3 + _at_most(board, other, MAKES_THREE, 2)


@njit
def evaluate(board: EngineBoard, me: int) -> int:
    """The static evaluation for `me`, to move, in a position without fives at hand."""
    value = as_int(board.mover_sums[me - 1]) - as_int(board.waiter_sums[2 - me])
    value += as_int(board.threat_table[threat_index(board, me)])
    return max(min(value, LIKELY_WIN - 1), 1 - LIKELY_WIN)


@njit
def static_value(board: EngineBoard, tables: HashTables, me: int) -> int:
    """The evaluation of patterns, or of the table network where one is loaded."""
    if tables.network.loaded == 0:
        return evaluate(board, me)
    network = tables.network
    return as_int(call_by_address(network.run_address, board, network, me))


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
def _list_answers(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    me: int,
    depth: int,
    first: int,
    ply: int,
) -> int:
    """List the moves of a node that is under a threat, `first` the hash move; all others lose.

    How many; 0 where no threat was found.
    """
    other = 3 - me
    if count_of(board, other, MAKES_FIVE) > 0:
        memory.moves[ply, 0] = first_of(board, other, MAKES_FIVE)
        return 1
    if count_of(board, other, MAKES_OPEN_FOUR) > 0:
        return max(defend_open_four(board, memory, tables.network, me, first, ply), 0)
    if depth >= 2 and _short_vcf(board, memory, tables, other, depth, ply + 1) > 0:
        return max(defend_vcf(board, memory, tables.network, me, first, ply), 0)
    return 0


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
        entry = probe(tables.transpositions, memory.generation, memory.kept_generations, key)
        value = cutoff_value(entry, depth, alpha, beta, ply)
        if value != UNKNOWN:
            return value, -1
    if count_of(board, other, MAKES_FIVE) == 0:
        plies = _short_vcf(board, memory, tables, me, depth, ply)
        if plies > 0:
            return WIN - ply - plies, -1
        memory.pv_lengths[ply] = 0
        quiet = count_of(board, other, MAKES_OPEN_FOUR) == 0
        static = static_value(board, tables, me)
        memory.static_evaluations[ply] = static
        if depth <= 0 and (quiet or depth <= -memory.quiescence_plies):
            return static, -1
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
    pv_node = beta > alpha + 1
    if first < 0 and depth >= memory.iterative_reduction_depth:
        depth -= 1
    size = _list_answers(board, memory, tables, me, depth, first, ply)
    complete = size > 0
    tried, futile = size, False
    if not complete:
        static = as_int(memory.static_evaluations[ply])
        if (
            not pv_node
            and depth <= memory.reverse_futility_depth
            and static - max(depth, 0) * memory.reverse_futility_margin >= beta
        ):
            return static
        size = generate_moves(board, memory, tables.network, me, first, ply)
        tried = _moves_to_try(memory, size, depth)
        futile = (
            not pv_node
            and depth <= memory.futility_depth
            and static + memory.futility_base + depth * memory.futility_margin <= alpha
        )
    best, best_move, floor = -WIN, -1, alpha
    for i in range(tried):
        move = pick_next(memory, ply, i, size)
        if futile and i > 0 and is_quiet(board, me, move):
            continue
        reduced = late_move_reduction(memory, depth, i)
        make_move(board, move, me)
        memory.path[ply] = move
        low = -beta if i == 0 else -alpha - 1  # after the first move, a null window
        value = -alphabeta(board, memory, tables, depth - 1 - reduced, low, -alpha, other, ply + 1)
        if i > 0 and value > alpha and (reduced > 0 or value < beta):
            value = -alphabeta(board, memory, tables, depth - 1, -beta, -alpha, other, ply + 1)
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
                    record_cutoff(memory, me, i, max(depth, 1), ply)
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


@njit
def _root_value(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    depth: int,
    low: int,
    guess: int,
    me: int,
) -> int:
    """The value of the root move that was made last, if it is above `low`; else an upper bound.

    Where the value is likely near `guess`, a narrow window around it is searched first (aspiration
    window), and opened on the side where the value turns out to lie.
    """
    ply = as_int(1)  # a literal 1 would compile the recursion twice, uncacheably
    width = memory.aspiration
    high = WIN
    if width > 0 and abs(guess) < LIKELY_WIN and guess - width > low:
        bottom, high = guess - width, guess + width
        value = -alphabeta(board, memory, tables, depth - 1, -high, -bottom, 3 - me, ply)
        if bottom < value < high or memory.stop != 0:
            return value
        if value >= high:
            low, high = max(low, bottom), WIN
    return -alphabeta(board, memory, tables, depth - 1, -high, -low, 3 - me, ply)


@njit
def search_root(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    depth: int,
    me: int,
    moves: Int32s,
    jitter: Int32s,
    top: int,
    guess: int,
    values: Int32s,
) -> int:
    """Search `moves: int32[m]` to `depth`, writing `values: int32[m]`; how many were finished.

    The best `top` get exact values, the rest upper bounds below them. `jitter: int32[m]` is added
    to the values of moves that are not proven. `guess` is what the first move is likely worth,
    UNKNOWN where nothing is known. The PV is left at ply 0. When the search is stopped, the values
    of moves that were not finished are -WIN.
    """
    for i in range(values.size):
        values[i] = -WIN
    best, ply = -WIN, as_int(1)
    for i in range(moves.size):
        move, bonus = as_int(moves[i]), as_int(jitter[i])
        alpha = -WIN if i < top else _nth_best(values, i, top)
        low = max(alpha - bonus, -WIN)
        make_move(board, move, me)
        memory.path[0] = move
        value = -WIN
        if i >= top:  # a null window first: is it better than the worst of the best `top`?
            value = -alphabeta(board, memory, tables, depth - 1, -low - 1, -low, 3 - me, ply)
        if i < top or (value > low and memory.stop == 0):
            first = guess if i == 0 else as_int(UNKNOWN)
            value = _root_value(board, memory, tables, depth, low, first, me)
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
def root_moves(
    board: EngineBoard, memory: SearchMemory, tables: HashTables, me: int, out: Int32s
) -> int:
    """Write the root's moves into `out: int32[MAX_MOVES]`, highest score first; how many."""
    size = generate_moves(board, memory, tables.network, me, -1, 0)
    for i in range(size):
        out[i] = pick_next(memory, 0, i, size)
    return size
