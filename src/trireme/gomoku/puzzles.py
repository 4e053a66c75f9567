"""Puzzles of Gomoku: forced wins by continuous fours (VCF) whose first move is the only one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log2
from typing import TYPE_CHECKING, cast

from numpy.random import Generator

from trireme.core.errors import BadPuzzle
from trireme.core.game import AnyGame
from trireme.core.lessons import LEARNER, LessonGoal, LessonMove, goal_state
from trireme.core.puzzles import MoveMark, Puzzle, PuzzleReview

from .openings import balanced
from .proof_checker import ProofChecker, Stones
from .rules import BLACK, Gomoku, GomokuState, Point, makes_five, read_points

if TYPE_CHECKING:
    from .engine.engine import Engine
    from .engine.threat_prover import ThreatProver

PLAY_NODES = 250
"""Nodes of a move of self-play: so few that forced wins arise and are overlooked."""
JITTER = 90
"""Noise of self-play, in the engine's units of evaluation."""
VCF_NODES = 4000
"""Nodes of the search for a win by fours."""
NODES = 200
"""Nodes of each search for a win after another first move, by fours (VCF) and by threes (VCT)."""
ROWS = 1 << 12
"""Rows of the search tables: small, since every position clears them."""
SHORTEST, LONGEST = 2, 8
"""How many stones of the solver a win may take, the five included."""
VARIATIONS = 24
"""Positions tried of one game: those with a win by fours, with a few stones left out."""
REPAIRS = 8
"""How often a white stone is moved to another first move that wins."""
FEWEST_STONES = 8
MOST_OF_A_LENGTH = 0.35
"""The share of the puzzles that may have the same length."""
MOST_OF_A_GAME = 5
"""Puzzles of one game, each with another first move."""
OPPONENT = "search"


class GomokuPuzzles:
    """Makes puzzles from self-play of a weak engine, and checks them.

    A checker in plain Python plays the win against every reply. After every other first move the
    opponent must have a reply after which the engine finds no win within `NODES` nodes.
    """

    def __init__(self) -> None:
        self.game = Gomoku()
        self._prover: ThreatProver | None = None

    @property
    def prover(self) -> ThreatProver:
        """The engine's threat searches; compiled when they are first needed."""
        if self._prover is None:
            from .engine.threat_prover import ThreatProver

            self._prover = ThreatProver(self.game.size, exact=True, rows=ROWS)
        return self._prover

    def puzzles(self, rng: Generator) -> Iterator[Puzzle | None]:
        from .engine.engine import Engine

        engine, book = Engine(rows=1 << 14), balanced(self.game.size)
        lengths: Counter[int] = Counter()
        while True:
            opening = book[int(rng.integers(len(book)))]
            stones = _self_play(self.game, engine, opening, rng)
            firsts: set[Point] = set()
            won = self._won_lengths(stones)
            for _ in range(VARIATIONS if won else 0):
                state = _variation(stones[: won[int(rng.integers(len(won)))]], rng)
                found = self._repaired(state, rng, firsts)
                if found is not None and not _enough(lengths, len(found[1])):
                    state, line = found
                    lengths[len(line)] += 1
                    firsts.add(line[0])
                    yield self._puzzle(state, line)
                if len(firsts) == MOST_OF_A_GAME:
                    break
            yield None

    def check(self, puzzle: Puzzle) -> None:
        game, state, line = _claim(puzzle)
        if game != Gomoku(position=game.position):
            raise BadPuzzle("a puzzle is played on 15×15 by the standard rule")
        moves = line[::2]
        shortest = self._shortest(state, len(moves))
        if shortest is None or len(shortest) != len(moves) or puzzle.goal.within != len(moves) + 1:
            raise BadPuzzle(f"the shortest win by fours is not {len(moves) + 1} moves long")
        if not _wins(state, line):
            raise BadPuzzle("the opponent has a reply that escapes the solution")
        if self._other_win(state, moves[0]) is not None:
            raise BadPuzzle(f"another first move than {puzzle.solution[0]} may win as well")

    def review(self, game: AnyGame, moves: Sequence[LessonMove], puzzle: Puzzle) -> PuzzleReview:
        own = [game.write(m.actions[LEARNER]) for m in moves if LEARNER in m.actions]
        if goal_state(game, moves, puzzle.goal) == "met":
            good: MoveMark = "good"
            return PuzzleReview((good,) * len(own), f"Won in {len(own)} moves.")
        marks: list[MoveMark] = []
        for number, move in enumerate(own):
            follows = puzzle.solution[2 * number : 2 * number + 1] == (move,)
            marks.append("good" if follows and "bad" not in marks else "bad")
        return PuzzleReview(tuple(marks), "The win was missed.")

    def _repaired(
        self, state: GomokuState, rng: Generator, firsts: set[Point]
    ) -> tuple[GomokuState, list[Point]] | None:
        """The position, and black's moves of the shortest win by fours up to one that makes two.

        Where another first move wins too, a white stone is moved there, a few times at most. None:
        there is no win, or none with another first move than `firsts`.
        """
        for _ in range(REPAIRS):
            fours = self._fours(state)
            if fours is None or fours[0] in firsts:
                return None
            first, most = fours
            other = self._other_win(state, first)
            if other is None:
                line = self._shortest(state, most)
                return None if line is None else (state, line)
            repaired = _with_white_at(state, other, rng)
            if repaired is None:
                return None
            state = repaired
        return None

    def _won_lengths(self, stones: Sequence[Point]) -> list[int]:
        """The numbers of stones after which the side to move has a win by fours."""
        lengths = range(FEWEST_STONES, len(stones) + 1)
        return [n for n in lengths if self._fours(GomokuState(tuple(stones[:n]))) is not None]

    def _fours(self, state: GomokuState) -> tuple[Point, int] | None:
        """The first move of a win by fours of the side to move, and how many moves it takes before
        the five; None: there is none of a fit length, or the other side threatens five."""
        self.prover.set_position(state.board().items(), state.colour)
        found = self.prover.winning_fours(VCF_NODES)
        if found is None or found.plies is None or self.prover.fives_threatened()[0]:
            return None
        moves = (found.plies - 1) // 2
        fits = SHORTEST <= moves + 1 <= LONGEST
        return (divmod(found.points[0], self.game.size), moves) if fits else None

    def _shortest(self, state: GomokuState, most: int) -> list[Point] | None:
        checker = ProofChecker(self.game.size, self.game.rule)
        stones = cast(Stones, state.board())
        for moves in range(1, most + 1):
            line = checker.vcf(stones, BLACK, 2 * moves + 1, [])
            if line is not None:
                return line
        return None

    def _other_win(self, state: GomokuState, best: Point) -> Point | None:
        """Another first move than `best` that may win: no reply was found after which no win is."""
        prover, size = self.prover, self.game.size
        prover.set_position(state.board().items(), BLACK)
        reply: int | None = None
        taken = set(state.stones) | {best}
        likely = set(ProofChecker().line_points(cast(Stones, state.board()), BLACK, 3))
        others = [p for p in self.game.points if p not in taken]
        for point in sorted(others, key=lambda p: p not in likely):  # most fours come first
            prover.push(point[0] * size + point[1])
            reply = _refutation(prover, reply)
            prover.pop()
            if reply is None:
                return point
        return None

    def _puzzle(self, state: GomokuState, line: list[Point]) -> Puzzle:
        game = self.game
        stones = cast(Stones, state.board())
        fours = _four_points(stones)
        written = [game.write(point) for point in _with_replies(stones, line)]
        within = len(line) + 1
        return Puzzle(
            kind="vcf",
            rating=round(640 + 210 * (within - SHORTEST) + 70 * log2(max(1, len(fours)))),
            title=f"Win in {within}",
            text=f"Black to move wins with **{within} stones** at most, whatever white answers.",
            goal=LessonGoal("win", within=within),
            solution=tuple(written),
            settings={"position": "".join(game.write(point) for point in state.stones)},
            opponent=OPPONENT,
        )


def _enough(lengths: Counter[int], length: int) -> bool:
    return lengths[length] > MOST_OF_A_LENGTH * (lengths.total() + 10)


def _refutation(prover: ThreatProver, likely: int | None) -> int | None:
    """A reply after which the attacker, who has just moved, has no win within the nodes."""
    fives, block = prover.fives_threatened()
    if block is not None:
        return block if fives == 1 and _stops(prover, block) else None
    if likely is not None and _stops(prover, likely):
        return likely
    proof = prover.prove(NODES)
    if proof.value is not None and proof.value < 0:
        return None
    if proof.value is not None:
        return proof.moves[0] if proof.moves else None
    replies = proof.moves
    if replies is None:
        threat = prover.threat(NODES)
        replies = _any_reply(prover) if threat is None else threat.points
    return next((reply for reply in replies if _stops(prover, reply)), None)


def _any_reply(prover: ThreatProver) -> tuple[int, ...]:
    """Corners and edges first: any reply will do where nothing is threatened."""
    size = prover.size
    return tuple(sorted(range(size * size), key=lambda p: -abs(2 * (p // size) - size + 1)))


def _stops(prover: ThreatProver, reply: int) -> bool:
    if prover.taken(reply):
        return False
    prover.push(reply)
    won = prover.winning_line(NODES) is not None
    prover.pop()
    return not won


def _self_play(
    game: Gomoku, engine: Engine, opening: tuple[Point, ...], rng: Generator
) -> tuple[Point, ...]:
    """The stones of one quick game from an opening, without the one that ended it."""
    from .engine.analysis import SearchLimits

    state = GomokuState(opening)
    limits = SearchLimits(nodes=PLAY_NODES, fours=False, threats=False)
    while game.to_move(state):
        engine.set_position(state.board().items(), state.colour)
        state = game.apply(state, {0: engine.analyse(limits, jitter=(rng, JITTER)).best})
    return state.stones[:-1]


def _variation(stones: Sequence[Point], rng: Generator) -> GomokuState:
    """The position with a few stones left out, black to move; where white was to move, with
    colours exchanged."""
    turn = len(stones) % 2
    own, other = list(stones[turn::2]), list(stones[1 - turn :: 2])
    kept = min(len(own), len(other)) - int(rng.integers(3))
    for group in (own, other):
        while len(group) > kept:
            del group[int(rng.integers(len(group)))]
    return GomokuState(tuple(point for pair in zip(own, other, strict=True) for point in pair))


def _with_white_at(state: GomokuState, point: Point, rng: Generator) -> GomokuState | None:
    """The position with one white stone moved to `point`; None where that makes a line of five."""
    black, white = state.stones[::2], list(state.stones[1::2])
    white[int(rng.integers(len(white)))] = point
    if makes_five(set(white), point, "freestyle"):
        return None
    return GomokuState(tuple(p for pair in zip(black, white, strict=True) for p in pair))


def _claim(puzzle: Puzzle) -> tuple[Gomoku, GomokuState, list[Point]]:
    """The game, the position and the line that a puzzle claims."""
    game = Gomoku(**puzzle.settings)
    if puzzle.kind != "vcf" or puzzle.goal.kind != "win" or puzzle.opening:
        raise BadPuzzle(f"expected a win by fours (vcf) without an opening, not {puzzle.kind!r}")
    state = game.start()
    if state.colour != BLACK:
        raise BadPuzzle("black must be to move")
    line = [point for text in puzzle.solution for point in read_points(game, text)]
    if len(line) % 2 == 0 or len(set(line)) < len(line) or set(line) & set(state.stones):
        raise BadPuzzle("the solution must go on to black's last four, on empty points")
    return game, state, line


def _wins(state: GomokuState, line: Sequence[Point]) -> bool:
    """Whether the line wins against every reply, by a checker that knows nothing of the engine."""
    stones = dict(state.board())
    strategy: dict[frozenset[Point], Point] = {}
    seen = set(stones)
    for number, point in enumerate(line):
        if number % 2 == 0:
            strategy[frozenset(seen)] = point
        seen.add(point)
    checker = ProofChecker()
    plies = len(line) + 2
    escape = checker.escapes(
        cast(Stones, stones), BLACK, lambda now, _: strategy.get(frozenset(now)), plies
    )
    return escape is None


def _with_replies(stones: Stones, moves: Sequence[Point]) -> list[Point]:
    """Black's moves with white's forced answers between them."""
    checker, placed = ProofChecker(), dict(stones)
    line: list[Point] = []
    for move in moves:
        placed[move] = BLACK
        line.append(move)
        answers = checker.fives(placed, BLACK)
        if len(answers) == 1:
            placed[answers[0]] = -BLACK
            line.append(answers[0])
    return line


def _four_points(stones: Stones) -> set[Point]:
    """The first moves that threaten five: the choices that a solver has to tell apart."""
    checker, found = ProofChecker(), set()
    for point in checker.line_points(stones, BLACK, 3):
        stones[point] = BLACK
        if checker.fives(stones, BLACK):
            found.add(point)
        del stones[point]
    return found
