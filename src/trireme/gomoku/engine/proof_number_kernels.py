"""Depth-first proof-number search (df-pn) for a victory by continuous threes (VCT), proven.

An *attack node* has the attacker to move (an OR node): one winning threat proves it. A *defence
node* has the defender to move (an AND node): every reply must lose. A node's proof number says how
many leaves must at least be won to prove it, its disproof number how many must be refuted. The
search descends to the leaf that changes them most cheaply, within thresholds that let it stay in
one subtree as long as that is (nearly) the best.

A threat is a move after which the attacker would have a five, an open four or a VCF if the defender
passed. Replies that do not answer it lose to that very sequence; those that may are all listed, the
defender's own fours among them, so a proof holds against every move. A disproof says only that
threats alone do not win.

The numbers live in the proof table, `int64[2**k, 3]`: a row is the hash of a node, its two numbers,
and distance, move, generation and work. Rows are facts about a position and an attacker, so the
table serves one analysis after another; a search that was cut goes on where it stopped. Losing a
row costs work, never soundness: a node counts as proven only while the rows of all that prove it
are there.
"""

from trireme.core.jit import linked_njit as njit

from .board_kernels import (
    as_int,
    count_of,
    first_of,
    kind_of,
    make_move,
    undo_move,
    zobrist,
)
from .memory_kernels import (
    BUILDING,
    DOUBLE_THREE,
    EMPTY,
    FIRST_GRADE,
    FIVE,
    FOUR_THREE,
    MAKES_FIVE,
    MAKES_FOUR,
    MAKES_OPEN_FOUR,
    MAKES_THREE,
    MAX_MOVES,
    MAX_PLY,
    MAX_PV,
    OPEN_THREE,
    THREE,
    WIDTH,
    EngineBoard,
    HashTables,
    Int64s,
    SearchMemory,
)
from .threat_search_kernels import add_once, list_attacks, makes_four, vcf, vcf_defences

FIRST_THREE, FIRST_OPEN_THREE = FIRST_GRADE[THREE], FIRST_GRADE[OPEN_THREE]
FIVE_GRADE = FIRST_GRADE[FIVE]
INFINITE = (1 << 31) - 1
"""The proof number of a disproven node, and the disproof number of a proven one."""
THREAT_VCF_NODES = 1000
"""Nodes that a VCF search may take to find out whether a move is a threat."""
REPAIR_NODES = 20_000
"""Nodes to prove a node of a winning line again whose row was lost."""

# Numbers of a node that was not searched yet. To prove a three takes more leaves than a four, which
# has one answer; a counter-four is rarely what refutes a threat, so other replies come first.
FOUR_PROOF, DOUBLE_THREE_PROOF, THREE_PROOF, QUIET_PROOF = 2, 2, 3, 6
COUNTER_FOUR_DISPROOF = 4
RANK_PROOF, COUNTED_RANKS = 8, 5
"""What each better threat of the same node by ordering score, up to so many, adds to the proof
number of a threat that was not searched yet: the search goes deep into the best before it goes
wide."""


@njit
def _node_key(position: int, attacker: int, attacking: bool) -> int:
    """The key of a node: the hash of its position, with the attacker and who is to move."""
    return position ^ (zobrist(attacker, 5) if attacking else zobrist(attacker, 9))


@njit
def _find(proofs: Int64s, key: int) -> int:
    """The row of a node, -1 if there is none."""
    row: int = key & (len(proofs) - 2)
    if proofs[row, 0] == key:
        return row
    if proofs[row + 1, 0] == key:
        return row + 1
    return -1


@njit
def _proof(proofs: Int64s, row: int) -> int:
    return as_int(proofs[row, 1] >> 32)


@njit
def _disproof(proofs: Int64s, row: int) -> int:
    return as_int(proofs[row, 1] & INFINITE)


@njit
def _distance(proofs: Int64s, row: int) -> int:
    """Plies to the five from a proven node, at most."""
    return as_int(proofs[row, 2] & 1023)


@njit
def _move(proofs: Int64s, row: int) -> int:
    """The winning move of a proven attack node, the longest reply of a defence node; 0 for none."""
    return as_int((proofs[row, 2] >> 10) & 2047)


@njit
def _store(
    proofs: Int64s,
    generation: int,
    key: int,
    proof: int,
    disproof: int,
    distance: int,
    move: int,
    work: int,
) -> None:
    """Keep a node; of two other rows the one of an older analysis gives way, or of less work."""
    row = key & (len(proofs) - 2)
    if proofs[row, 0] != key:
        first, second = proofs[row, 2], proofs[row + 1, 2]
        first_new = (first >> 21) & 255 == generation
        second_new = (second >> 21) & 255 == generation
        keep_first = first >> 29 > second >> 29 if first_new == second_new else first_new
        if proofs[row + 1, 0] == key or keep_first:
            row += 1
    proofs[row, 0] = key
    proofs[row, 1] = (proof << 32) | disproof
    proofs[row, 2] = distance | (move << 10) | (generation << 21) | (work << 29)


@njit
def _list_threats(board: EngineBoard, memory: SearchMemory, attacker: int, ply: int) -> int:
    """List the attacker's fours and threes for `ply`, and moves that prepare two fours at once."""
    size = list_attacks(board, memory, attacker, ply, False)
    shift = 4 * (attacker - 1)
    for i in range(board.area):
        cell = as_int(board.points[i])
        if board.stones[cell] != EMPTY or kind_of(board, attacker, cell) != BUILDING:
            continue
        threes, grades = 0, as_int(board.grades[cell]) >> shift
        for d in range(4):
            grade = (grades >> (8 * d)) & 15
            threes += FIRST_THREE <= grade < FIRST_OPEN_THREE
        if threes >= 2 and size < MAX_MOVES:
            memory.moves[ply, size] = cell
            size += 1
    return size


@njit
def _mark_open_four(board: EngineBoard, memory: SearchMemory, attacker: int, cell: int) -> None:
    """Mark the points that stop an open four at `cell`: itself, and where it becomes five."""
    memory.mark += 1
    memory.marks[cell] = memory.mark
    for d in range(4):
        step = 1 if d == 0 else WIDTH - 2 + d
        for side in range(2):
            at = cell
            for distance in range(1, 5):
                at = at + step if side == 0 else at - step
                here = board.stones[at]
                if here == EMPTY:
                    place = 5 - distance if side == 0 else 4 + distance
                    key = board.line_keys[d, at] | (attacker << (2 * place))
                    grade = (board.grade_table[key] >> (4 * (attacker - 1))) & 15
                    if grade == FIVE_GRADE:
                        memory.marks[at] = memory.mark
                elif here != attacker:
                    break


@njit
def _list_marked_around(memory: SearchMemory, ply: int, cell: int) -> int:
    """List the marked points within four of `cell`, itself first; how many."""
    memory.moves[ply, 0] = cell
    size = 1
    for d in range(4):
        step = 1 if d == 0 else WIDTH - 2 + d
        for offset in range(-4, 5):
            at = cell + offset * step
            if offset != 0 and memory.marks[at] == memory.mark:
                memory.moves[ply, size] = at
                size += 1
    return size


@njit
def open_four_defences(board: EngineBoard, memory: SearchMemory, attacker: int, ply: int) -> int:
    """List, for `ply`, every reply that may stop all open fours of the attacker; how many.

    A reply must stop each of them, so only what stops all is listed, and the defender's fours.
    """
    other, size = 3 - attacker, -1
    for i in range(board.forcing_counts[attacker - 1]):
        cell = as_int(board.forcing[attacker - 1, i])
        if kind_of(board, attacker, cell) != MAKES_OPEN_FOUR:
            continue
        _mark_open_four(board, memory, attacker, cell)
        if size < 0:
            size = _list_marked_around(memory, ply, cell)
            continue
        kept = 0
        for j in range(size):
            reply = as_int(memory.moves[ply, j])
            if memory.marks[reply] == memory.mark:
                memory.moves[ply, kept] = reply
                kept += 1
        size = kept
    memory.mark += 1
    for i in range(size):
        memory.marks[memory.moves[ply, i]] = memory.mark
    for i in range(board.forcing_counts[other - 1]):
        cell = as_int(board.forcing[other - 1, i])
        if makes_four(kind_of(board, other, cell)):
            size = add_once(memory, ply, size, cell)
    return size


@njit
def _expand_attack(
    board: EngineBoard, memory: SearchMemory, attacker: int, ply: int
) -> tuple[int, int, int]:
    """The moves of an attack node: how many, and, where it is won at once, the distance and move.

    No moves and no distance: it is disproven.
    """
    if count_of(board, attacker, MAKES_FIVE) > 0:
        return 0, 1, first_of(board, attacker, MAKES_FIVE)
    threatened = count_of(board, 3 - attacker, MAKES_FIVE)
    if threatened > 1:
        return 0, 0, 0
    if threatened == 1:
        memory.moves[ply, 0] = first_of(board, 3 - attacker, MAKES_FIVE)
        return 1, 0, 0
    if count_of(board, attacker, MAKES_OPEN_FOUR) > 0:
        return 0, 3, first_of(board, attacker, MAKES_OPEN_FOUR)
    return _list_threats(board, memory, attacker, ply), 0, 0


@njit
def _expand_defence(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    attacker: int,
    ply: int,
    node_limit: int,
) -> tuple[int, int, int]:
    """The replies at a defence node: how many, and plies to the five after all others.

    No replies: every one loses, or, where the distance is 0, too, there is no threat.
    """
    if count_of(board, 3 - attacker, MAKES_FIVE) > 0:
        return 0, 0, 0
    fives = count_of(board, attacker, MAKES_FIVE)
    if fives > 1:
        return 0, 2, 0
    if fives == 1:
        memory.moves[ply, 0] = first_of(board, attacker, MAKES_FIVE)
        return 1, 2, 0
    if count_of(board, attacker, MAKES_OPEN_FOUR) > 0:
        size = open_four_defences(board, memory, attacker, ply)
        return (size, 4, 0) if size >= 0 else (0, 0, 0)
    memory.threats_cut = 0
    memory.threat_node_limit = min(node_limit, board.nodes + THREAT_VCF_NODES)
    plies = vcf(board, memory, tables, attacker, ply)
    if plies == 0:
        return 0, 0, 0
    size = vcf_defences(board, memory, attacker, ply, ply)
    return (size, plies + 1, 0) if size > 0 else (0, 0, 0)


@njit
def _first_numbers(
    board: EngineBoard, attacker: int, cell: int, rank: int, attacking: bool
) -> tuple[int, int]:
    """Proof and disproof number of the node after a move, the `rank`-th of its list from 0, before
    it is searched."""
    if attacking:
        kind, proof = kind_of(board, attacker, cell), QUIET_PROOF
        if kind >= FOUR_THREE:
            proof = 1
        elif kind == MAKES_FOUR:
            proof = FOUR_PROOF
        elif kind == DOUBLE_THREE:
            proof = DOUBLE_THREE_PROOF
        elif kind == MAKES_THREE:
            proof = THREE_PROOF
        return proof + RANK_PROOF * min(rank, COUNTED_RANKS), 1
    four = kind_of(board, 3 - attacker, cell) == MAKES_FOUR
    return 1, COUNTER_FOUR_DISPROOF if four else 1


@njit
def _cut(board: EngineBoard, memory: SearchMemory, node_limit: int) -> bool:
    """Whether the search must end: its nodes are used up, or all must stop."""
    return board.nodes >= node_limit or memory.stop != 0


@njit
def search_proof(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    proofs: Int64s,
    attacker: int,
    ply: int,
    proof_limit: int,
    disproof_limit: int,
    node_limit: int,
) -> None:
    """Search a node until a number reaches its limit, or the nodes are used up; keep its row.

    Attack nodes have even plies. A node that was cut before it was expanded leaves no row.
    """
    attacking = ply % 2 == 0
    if _cut(board, memory, node_limit):
        return
    before, key = board.nodes, _node_key(board.hash, attacker, attacking)
    generation, reachable = memory.generation, ply + 8 <= MAX_PLY
    size, known, move = 0, 0, 0
    if reachable and attacking:
        size, known, move = _expand_attack(board, memory, attacker, ply)
    elif reachable:
        size, known, move = _expand_defence(board, memory, tables, attacker, ply, node_limit)
        if size == 0 and known == 0 and _cut(board, memory, node_limit):
            return
    if size == 0:
        won = known > 0
        proof, disproof = (0, INFINITE) if won else (INFINITE, 0)
        _store(proofs, generation, key, proof, disproof, known, move, board.nodes - before)
        return
    me = attacker if attacking else 3 - attacker
    while True:
        # `least` and `second` are of the number that the side to move keeps low, `total` sums up
        # the other one.
        least, second, total, chosen, chosen_other = INFINITE, INFINITE, 0, 0, 0
        distance, move, longest = known, 0, 0
        for i in range(size):
            cell = as_int(memory.moves[ply, i])
            row = _find(proofs, _node_key(board.hash ^ zobrist(cell, me), attacker, not attacking))
            plies = 0
            if row >= 0:
                proof, disproof = _proof(proofs, row), _disproof(proofs, row)
                plies = _distance(proofs, row) + 1
            else:
                proof, disproof = _first_numbers(board, attacker, cell, i, attacking)
            low, high = (proof, disproof) if attacking else (disproof, proof)
            # only a solved node makes the sum infinite; transpositions count more than once
            solved = high == INFINITE or total == INFINITE
            total = INFINITE if solved else min(total + high, INFINITE - 1)
            if low < least:
                second, least, chosen, chosen_other = least, low, cell, high
                if attacking:
                    distance, move = plies, cell
            elif low < second:
                second = low
            if not attacking and (move == 0 or plies > longest):
                longest, move = plies, cell
        distance = max(distance, longest)
        proof, disproof = (least, total) if attacking else (total, least)
        done = proof >= proof_limit or disproof >= disproof_limit or proof == 0 or disproof == 0
        if done or _cut(board, memory, node_limit):
            work = board.nodes - before
            _store(proofs, generation, key, proof, disproof, distance, move, work)
            return
        low_limit = second + max(1, second // 2)  # 1 + epsilon: stay while it is nearly the best
        if attacking:
            child_proof = min(proof_limit, low_limit)
            child_disproof = disproof_limit - total + chosen_other
        else:
            child_proof = proof_limit - total + chosen_other
            child_disproof = min(disproof_limit, low_limit)
        make_move(board, chosen, me)
        search_proof(
            board,
            memory,
            tables,
            proofs,
            attacker,
            ply + 1,
            child_proof,
            child_disproof,
            node_limit,
        )
        undo_move(board, chosen)


@njit
def prove_vct(
    board: EngineBoard,
    memory: SearchMemory,
    tables: HashTables,
    proofs: Int64s,
    attacker: int,
    node_limit: int,
) -> int:
    """Victory by continuous threes (VCT) of `attacker`, to move, until `board.nodes` is the limit.

    Gives the plies to the five at most, 0 when nothing was proven, -1 when threats do not win. The
    sequence against the longest defence is left at ply 0.
    """
    root = _node_key(board.hash, attacker, True)
    row = _find(proofs, root)
    if row < 0 or (_proof(proofs, row) != 0 and _disproof(proofs, row) != 0):
        ply, limit = as_int(0), as_int(INFINITE)  # no literals: one signature, or caching fails
        search_proof(board, memory, tables, proofs, attacker, ply, limit, limit, node_limit)
        row = _find(proofs, root)
    if row < 0:
        return 0
    if _proof(proofs, row) != 0:
        return -1 if _disproof(proofs, row) == 0 else 0
    plies = _distance(proofs, row)
    _collect_line(board, memory, tables, proofs, attacker)
    return plies


@njit
def _collect_line(
    board: EngineBoard, memory: SearchMemory, tables: HashTables, proofs: Int64s, attacker: int
) -> None:
    """Leave the line of a proven attack node against the longest defence at ply 0.

    It ends with the five, or with a move after which no reply is left.
    """
    length, made, attacking = 0, 0, True
    while length < MAX_PV:
        key = _node_key(board.hash, attacker, attacking)
        row = _find(proofs, key)
        if row < 0:
            ply, limit = length + 2, as_int(INFINITE)  # ply 0 has the line itself
            nodes = board.nodes + REPAIR_NODES
            search_proof(board, memory, tables, proofs, attacker, ply, limit, limit, nodes)
            row = _find(proofs, key)
        if row < 0 or _proof(proofs, row) != 0 or _move(proofs, row) == 0:
            break
        memory.pv[0, length] = _move(proofs, row)
        length += 1
        if _distance(proofs, row) == 1:
            break
        make_move(board, _move(proofs, row), attacker if attacking else 3 - attacker)
        made += 1
        attacking = not attacking
    memory.pv_lengths[0] = length
    for i in range(made - 1, -1, -1):
        undo_move(board, as_int(memory.pv[0, i]))
