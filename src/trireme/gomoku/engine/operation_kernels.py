"""All that Python asks of the compiled engine, in one kernel.

Every kernel that Python calls becomes machine code of its own, with a copy of all that it calls.
One kernel for all operations means one copy, and a fraction of the time to compile.
"""

from trireme.core.jit import linked_njit as njit

from .alphabeta_kernels import root_moves, search_root
from .board_kernels import clear_board, count_of, first_of, make_move, undo_move
from .memory_kernels import EngineBoard, HashTables, Int32s, Int64s, SearchMemory
from .proof_number_kernels import prove_vct
from .threat_search_kernels import vcf, vcf_defences

(
    CLEAR_BOARD,
    MAKE_MOVE,
    UNDO_MOVE,
    COUNT_OF,
    FIRST_OF,
    VCF,
    VCF_DEFENCES,
    PROVE_VCT,
    ROOT_MOVES,
    SEARCH_ROOT,
) = range(10)


@njit(nogil=True)
def run_operation(
    operation: int,
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    proofs: Int64s,
    a: int,
    b: int,
    c: int,
    d: int,
    cells: Int32s,
    jitter: Int32s,
    values: Int32s,
) -> int:
    """Run the kernel that `operation` names, with those of the arguments that it takes."""
    if operation == CLEAR_BOARD:
        clear_board(board, a, cells)
    elif operation == MAKE_MOVE:
        make_move(board, a, b)
    elif operation == UNDO_MOVE:
        undo_move(board, a)
    elif operation == COUNT_OF:
        return count_of(board, a, b)
    elif operation == FIRST_OF:
        return first_of(board, a, b)
    elif operation == VCF:
        return vcf(board, memory, tables, a, b)
    elif operation == VCF_DEFENCES:
        return vcf_defences(board, memory, a, b, c)
    elif operation == PROVE_VCT:
        return prove_vct(board, memory, tables, proofs, a, b)
    elif operation == ROOT_MOVES:
        return root_moves(board, memory, tables, a, values)
    elif operation == SEARCH_ROOT:
        return search_root(board, memory, tables, a, b, cells, jitter, c, d, values)
    return 0
