"""Threat-space search: victory by continuous fours (VCF), and every defence against one.

Every move of the attacker threatens five, so the defender has one answer, or none: the search is a
walk over single lines. Nothing here trusts a pattern that it has not played out: fours and fives
come from tables that are exact for the rule in force. `vcf_defences` collects every move that may
refute a VCF, so that a win proven against each of them is a win against every move;
`proof_number_kernels` builds the search for a victory by continuous threes (VCT) on both.
"""

from trireme.core.jit import linked_njit as njit

from .board_kernels import (
    as_int,
    count_of,
    first_of,
    five_near,
    kind_of,
    make_move,
    move_score,
    undo_move,
    zobrist,
)
from .memory_kernels import (
    EMPTY,
    FOUR_THREE,
    MAKES_FIVE,
    MAKES_FOUR,
    MAKES_OPEN_FOUR,
    MAX_MOVES,
    MAX_PLY,
    MAX_PV,
    WIDTH,
    EngineBoard,
    HashTables,
    SearchMemory,
)


@njit
def extend_pv(memory: SearchMemory, ply: int, length: int) -> None:
    """Continue the PV at `ply`, of which `length` moves are set, with the PV after them."""
    more = min(as_int(memory.pv_lengths[ply + length]), MAX_PV - length)
    for i in range(more):
        memory.pv[ply, length + i] = memory.pv[ply + length, i]
    memory.pv_lengths[ply] = length + more


@njit
def _set_pv(memory: SearchMemory, ply: int, cell: int) -> None:
    memory.pv[ply, 0] = cell
    memory.pv_lengths[ply] = 1


@njit
def _out_of_nodes(board: EngineBoard, memory: SearchMemory) -> bool:
    """Whether threat search must end without a result: its nodes are used up, or all must stop."""
    if board.nodes >= memory.threat_node_limit or memory.stop != 0:
        memory.threats_cut = 1
    return memory.threats_cut != 0


@njit
def makes_four(kind: int) -> bool:
    """Whether a move of this kind threatens five, or makes it."""
    return kind == MAKES_FOUR or kind >= FOUR_THREE


@njit
def _insert_sorted(memory: SearchMemory, ply: int, size: int, cell: int, score: int) -> int:
    """Add a move to the list of `ply`, best score first, up to MAX_MOVES; the new size."""
    moves, scores = memory.moves, memory.move_scores
    if size == MAX_MOVES:
        if scores[ply, size - 1] >= score:
            return size
        size -= 1
    i = size
    while i > 0 and (
        scores[ply, i - 1] < score or (scores[ply, i - 1] == score and moves[ply, i - 1] > cell)
    ):
        moves[ply, i] = moves[ply, i - 1]
        scores[ply, i] = scores[ply, i - 1]
        i -= 1
    moves[ply, i] = cell
    scores[ply, i] = score
    return size + 1


@njit
def list_attacks(
    board: EngineBoard, memory: SearchMemory, attacker: int, ply: int, only_fours: bool
) -> int:
    """List the attacker's forcing moves for `ply`, highest score first; how many."""
    size = 0
    for i in range(board.forcing_counts[attacker - 1]):
        cell = as_int(board.forcing[attacker - 1, i])
        if not only_fours or makes_four(kind_of(board, attacker, cell)):
            score = move_score(board, attacker, cell)
            size = _insert_sorted(memory, ply, size, cell, score)
    return size


@njit
def vcf(
    board: EngineBoard, memory: SearchMemory, tables: HashTables, attacker: int, ply: int
) -> int:
    """Victory by continuous fours (VCF) of `attacker`, to move: plies to the five, 0 if none.

    The winning sequence is left at `ply`; it ends with the five or with a move that makes two.
    """
    other = 3 - attacker
    if count_of(board, attacker, MAKES_FIVE) > 0:
        _set_pv(memory, ply, first_of(board, attacker, MAKES_FIVE))
        return 1
    threatened = count_of(board, other, MAKES_FIVE)
    if threatened > 1 or ply + 4 > MAX_PLY:
        return 0
    if threatened == 0 and count_of(board, attacker, MAKES_OPEN_FOUR) > 0:
        _set_pv(memory, ply, first_of(board, attacker, MAKES_OPEN_FOUR))
        return 3
    total = count_of(board, attacker, MAKES_FOUR) + count_of(board, attacker, FOUR_THREE)
    if total + count_of(board, attacker, MAKES_OPEN_FOUR) == 0:
        return 0
    key = board.hash ^ zobrist(attacker, 1)
    slot = key & (tables.no_win.size - 1)
    if tables.no_win[slot] == key or _out_of_nodes(board, memory):
        return 0
    if threatened == 1:
        forced = first_of(board, other, MAKES_FIVE)
        kind = kind_of(board, attacker, forced)
        if kind == MAKES_OPEN_FOUR:
            _set_pv(memory, ply, forced)
            return 3
        size = 1 if makes_four(kind) else 0
        memory.moves[ply, 0] = forced
    else:
        size = list_attacks(board, memory, attacker, ply, True)
    for i in range(size):
        move = as_int(memory.moves[ply, i])
        make_move(board, move, attacker)
        answer = five_near(board, attacker, move)
        make_move(board, answer, other)
        found = vcf(board, memory, tables, attacker, ply + 2)
        undo_move(board, answer)
        undo_move(board, move)
        if found > 0:
            memory.pv[ply, 0], memory.pv[ply, 1] = move, answer
            extend_pv(memory, ply, 2)
            return found + 2
        if memory.threats_cut != 0:
            return 0
    tables.no_win[slot] = key
    return 0


@njit
def add_once(memory: SearchMemory, ply: int, size: int, cell: int) -> int:
    """Add a cell to the set at `ply` unless it is in; -1 when there is no room for it."""
    mark = memory.mark
    if size < 0 or memory.marks[cell] == mark:
        return size
    if size == MAX_MOVES:
        return -1
    memory.marks[cell] = mark
    memory.moves[ply, size] = cell
    return size + 1


@njit
def _add_fours_in_line(
    board: EngineBoard,
    memory: SearchMemory,
    ply: int,
    size: int,
    cell: int,
    colour: int,
    least: int,
) -> int:
    """Add the empty points in line with `cell` where `colour` makes a four or, for `least`
    MAKES_FIVE, a five."""
    for d in range(4):
        step = 1 if d == 0 else WIDTH - 2 + d
        for side in range(2):
            at = cell
            for _ in range(4):
                at = at + step if side == 0 else at - step
                here = board.stones[at]
                if here != EMPTY and here != colour:
                    break
                if here == EMPTY:
                    kind = kind_of(board, colour, at)
                    if kind >= least and makes_four(kind):
                        size = add_once(memory, ply, size, at)
    return size


@njit
def vcf_defences(
    board: EngineBoard, memory: SearchMemory, attacker: int, line: int, ply: int
) -> int:
    """List, for `ply`, every move that could refute the attacker's VCF left at the ply `line`.

    These are the points of the sequence, all points where one of its fours could become five, and
    the defender's own fours, now or with the stones that the sequence makes it put. With any other
    stone on the board the same sequence still wins. How many, or -1 when there are too many to
    list.
    """
    other = 3 - attacker
    size, length = 0, as_int(memory.pv_lengths[line])
    memory.mark += 1
    for i in range(length):
        cell = as_int(memory.pv[line, i])
        size = add_once(memory, ply, size, cell)
        if i % 2 == 0:
            make_move(board, cell, attacker)
            size = _add_fours_in_line(board, memory, ply, size, cell, attacker, MAKES_FIVE)
        else:
            make_move(board, cell, other)
            size = _add_fours_in_line(board, memory, ply, size, cell, other, MAKES_FOUR)
    for i in range(length - 1, -1, -1):
        undo_move(board, as_int(memory.pv[line, i]))
    for i in range(board.forcing_counts[other - 1]):
        cell = as_int(board.forcing[other - 1, i])
        if makes_four(kind_of(board, other, cell)):
            size = add_once(memory, ply, size, cell)
    return size
