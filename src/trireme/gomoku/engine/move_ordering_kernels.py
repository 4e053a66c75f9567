"""Move ordering: which moves a node tries, and in what order; it decides how deep a search gets.

The hash move comes first, then pattern scores with the killer and history heuristics. The moves of
a node lie at its ply in `memory.moves`, with a score each in `memory.move_scores`.
"""

import math

from trireme.core.jit import call_by_address
from trireme.core.jit import linked_njit as njit

from .board_kernels import as_int, first_of, kind_of, move_score
from .memory_kernels import (
    EMPTY,
    MAKES_OPEN_FOUR,
    MAKES_THREE,
    MAX_MOVES,
    QUIET,
    EngineBoard,
    SearchMemory,
)
from .network_memory_kernels import NetworkMemory
from .table_network_kernels import PREPARE_POLICY, policy_score
from .threat_search_kernels import vcf_defences

HASH_MOVE_SCORE = 1_000_000


@njit
def _prior(
    board: EngineBoard,
    memory: SearchMemory,
    network: NetworkMemory,
    me: int,
    cell: int,
    ply: int,
) -> int:
    """A move's score by patterns, or by the policy of the table network where one is loaded."""
    if network.loaded == 0:
        return move_score(board, me, cell)
    last = as_int(memory.path[ply - 1]) if ply > 0 else -1
    before = as_int(memory.path[ply - 2]) if ply > 1 else -1
    return policy_score(board, network, me, cell, last, before)


@njit
def _prepare_priors(board: EngineBoard, network: NetworkMemory, me: int) -> None:
    """Make the network see the board as it is, before `_prior` is asked for its moves."""
    if network.loaded != 0:
        call_by_address(network.run_address, board, network, me + PREPARE_POLICY)


@njit
def _ordering_score(
    board: EngineBoard,
    memory: SearchMemory,
    network: NetworkMemory,
    me: int,
    cell: int,
    hash_move: int,
    ply: int,
) -> int:
    """How early a move should be tried: the higher, the earlier."""
    score = _prior(board, memory, network, me, cell, ply)
    score += as_int(memory.history[me - 1, cell])
    if cell == hash_move:
        score += HASH_MOVE_SCORE
    elif cell == memory.killers[2 * ply] or cell == memory.killers[2 * ply + 1]:
        score += memory.killer_score
    return score


@njit
def _append_move(
    board: EngineBoard,
    memory: SearchMemory,
    network: NetworkMemory,
    me: int,
    cell: int,
    hash_move: int,
    ply: int,
    size: int,
) -> int:
    memory.moves[ply, size] = cell
    score = _ordering_score(board, memory, network, me, cell, hash_move, ply)
    memory.move_scores[ply, size] = score
    return size + 1


@njit
def generate_moves(
    board: EngineBoard,
    memory: SearchMemory,
    network: NetworkMemory,
    me: int,
    hash_move: int,
    ply: int,
) -> int:
    """List the moves that build or prevent a shape for `ply`, in no order; how many."""
    _prepare_priors(board, network, me)
    size = 0
    area = board.area
    for i in range(area):
        cell = as_int(board.points[i])
        if board.stones[cell] != EMPTY or size == MAX_MOVES:
            continue
        if kind_of(board, me, cell) != QUIET or kind_of(board, 3 - me, cell) != QUIET:
            size = _append_move(board, memory, network, me, cell, hash_move, ply, size)
    if size > 0:
        return size
    for i in range(area):
        cell = as_int(board.points[i])
        if board.stones[cell] == EMPTY:
            return _append_move(board, memory, network, me, cell, hash_move, ply, 0)
    return 0


@njit
def _score_defences(
    board: EngineBoard,
    memory: SearchMemory,
    network: NetworkMemory,
    me: int,
    hash_move: int,
    ply: int,
    count: int,
) -> int:
    """Take the defences listed at the next ply over to this ply, scored; how many."""
    _prepare_priors(board, network, me)
    size = 0
    for i in range(count):
        cell = as_int(memory.moves[ply + 1, i])
        size = _append_move(board, memory, network, me, cell, hash_move, ply, size)
    return size


@njit
def defend_open_four(
    board: EngineBoard,
    memory: SearchMemory,
    network: NetworkMemory,
    me: int,
    hash_move: int,
    ply: int,
) -> int:
    """List every move that may stop the other side's open or double four; how many."""
    memory.pv[ply, 0] = first_of(board, 3 - me, MAKES_OPEN_FOUR)
    memory.pv_lengths[ply] = 1
    count = vcf_defences(board, memory, 3 - me, ply, ply + 1)
    memory.pv_lengths[ply] = 0
    return _score_defences(board, memory, network, me, hash_move, ply, count)


@njit
def defend_vcf(
    board: EngineBoard,
    memory: SearchMemory,
    network: NetworkMemory,
    me: int,
    hash_move: int,
    ply: int,
) -> int:
    """List every move that may stop the other side's VCF, its sequence left at the next ply.

    How many; 0 or less where there are too many to list.
    """
    count = vcf_defences(board, memory, 3 - me, ply + 1, ply + 1)
    return _score_defences(board, memory, network, me, hash_move, ply, count)


@njit
def pick_next(memory: SearchMemory, ply: int, i: int, size: int) -> int:
    """The move of the highest score from place `i` on, swapped to place `i`.

    Sorting as one goes: most nodes are cut after a move or two.
    """
    moves, scores = memory.moves, memory.move_scores
    best = i
    for j in range(i + 1, size):
        if scores[ply, j] > scores[ply, best]:
            best = j
    moves[ply, i], moves[ply, best] = moves[ply, best], moves[ply, i]
    scores[ply, i], scores[ply, best] = scores[ply, best], scores[ply, i]
    return as_int(moves[ply, i])


@njit
def _add_history(memory: SearchMemory, me: int, cell: int, bonus: int) -> None:
    """Move a history score towards the maximum (or, for a malus, its negative), never past it."""
    old = as_int(memory.history[me - 1, cell])
    memory.history[me - 1, cell] = old + bonus - old * abs(bonus) // memory.max_history


@njit
def record_cutoff(memory: SearchMemory, me: int, index: int, depth: int, ply: int) -> None:
    """Update killers and history after a beta cutoff by the move at `index`.

    The moves before it, tried in vain, lose what it gains.
    """
    cell = as_int(memory.moves[ply, index])
    if memory.killers[2 * ply] != cell:
        memory.killers[2 * ply + 1] = memory.killers[2 * ply]
        memory.killers[2 * ply] = cell
    bonus = min(depth * depth, memory.max_history)
    _add_history(memory, me, cell, bonus)
    for i in range(index):
        _add_history(memory, me, as_int(memory.moves[ply, i]), -bonus)


@njit
def is_quiet(board: EngineBoard, me: int, cell: int) -> bool:
    """Whether a move neither makes nor prevents a three or more."""
    return kind_of(board, me, cell) < MAKES_THREE and kind_of(board, 3 - me, cell) < MAKES_THREE


@njit
def late_move_reduction(memory: SearchMemory, depth: int, index: int) -> int:
    """Late move reduction (LMR): by how many plies less a late move is tried at first."""
    if index < memory.reduction_start or depth < 2:
        return 0
    plies = as_int(0.5 + math.log(depth) * math.log(index) * 100.0 / memory.reduction_divisor)
    return max(0, min(plies, depth - 1))
