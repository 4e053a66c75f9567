"""Puzzles of Gomoku: forced wins by continuous fours or threes (VCF, VCT) with one first move."""

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
from .verified_wins import ForcedWin, WinVerifier

if TYPE_CHECKING:
    from .engine.engine import Engine
    from .engine.threat_prover import ThreatProver

PLAY_NODES = 250
"""Nodes of a move of self-play: so few that forced wins arise and are overlooked."""
JITTER = 90
"""Noise of self-play, in the engine's units of evaluation."""
WIN_NODES = 4000
"""Nodes of the search for a win, by fours and by threes."""
REFUTATION_NODES = 4000
"""Nodes within which the search for a win after a reply to another first move must end."""
MOST_REPLIES = 8
"""Replies to another first move that are tried."""
CHECKED_POSITIONS = 2000
"""Positions that the checker may look at to confirm a win."""
ROWS = 1 << 14
"""Rows of the search tables: small, since every position clears them."""
SHORTEST = {"vcf": 2, "vct": 3}
"""How many stones of the solver a win takes at least, the five included."""
LONGEST = 9
VARIATIONS = 24
"""Positions tried of one game: those with a forced win, with a few stones left out."""
REPAIRS = 8
"""How often a white stone is moved to another first move that wins."""
FEWEST_STONES = 8
MOST_OF_A_LENGTH = 0.13
"""The share of the puzzles that may have the same kind and length."""
MOST_OF_A_GAME = 5
"""Puzzles of one game, each with another first move."""
OPPONENT = "search"


class GomokuPuzzles:
    """Makes puzzles from self-play of a weak engine, and checks them.

    A checker in plain Python plays the win against every reply. After every other first move the
    opponent must have a reply after which a search for wins by threats ends without one.
    """

    def __init__(self) -> None:
        self.game = Gomoku()
        self._verifier = WinVerifier(self.game.size, self.game.rule, ROWS)

    def puzzles(self, rng: Generator) -> Iterator[Puzzle | None]:
        from .engine.engine import Engine

        engine, book = Engine(rows=1 << 14), balanced(self.game.size)
        made: Counter[tuple[str, int]] = Counter()
        while True:
            opening = book[int(rng.integers(len(book)))]
            stones = _self_play(self.game, engine, opening, rng)
            firsts: set[Point] = set()
            won = self._won_lengths(stones)
            for _ in range(VARIATIONS if won else 0):
                state = _variation(stones[: won[int(rng.integers(len(won)))]], rng)
                found = self._repaired(state, rng, firsts)
                puzzle = None if found is None else self._confirmed(*found)
                if puzzle is not None and not _enough(made, puzzle):
                    made[puzzle.kind, cast(int, puzzle.goal.within)] += 1
                    firsts.update(read_points(self.game, puzzle.solution[0]))
                    yield puzzle
                if len(firsts) == MOST_OF_A_GAME:
                    break
            yield None

    def check(self, puzzle: Puzzle) -> None:
        game, state, line = _claim(puzzle)
        if game != Gomoku(position=game.position):
            raise BadPuzzle("a puzzle is played on 15×15 by the standard rule")
        within = puzzle.goal.within or 0
        if not SHORTEST[puzzle.kind] <= within <= LONGEST:
            raise BadPuzzle(f"a win may not take {within} stones")
        stones = cast(Stones, state.board())
        if ProofChecker().fives(stones, -BLACK):
            raise BadPuzzle("white threatens five")
        fours = _shortest_fours(stones, within)
        if puzzle.kind == "vcf" and (fours is None or len(fours) + 1 != within):
            raise BadPuzzle(f"the shortest win by fours does not take {within} stones")
        if puzzle.kind == "vct" and fours is not None:
            raise BadPuzzle("fours alone win as well")
        if not self._wins(stones, line, within):
            raise BadPuzzle("the checker does not confirm that the solution wins in time")
        if puzzle.kind == "vct" and self._wins(stones, line, within - 1):
            raise BadPuzzle(f"the solution does not need {within} stones")
        if self._other_win(state, line[0]) is not None:
            raise BadPuzzle(f"another first move than {puzzle.solution[0]} may win as well")

    def review(self, game: AnyGame, moves: Sequence[LessonMove], puzzle: Puzzle) -> PuzzleReview:
        """Without a win, moves are held against the solution; once white has left it, they count
        as inexact."""
        own = [game.write(m.actions[LEARNER]) for m in moves if LEARNER in m.actions]
        if goal_state(game, moves, puzzle.goal) == "met":
            good: MoveMark = "good"
            return PuzzleReview((good,) * len(own), f"Won in {len(own)} moves.")
        marks: list[MoveMark] = []
        on_line = True
        for number, move in enumerate(moves):
            (seat, action), *_ = move.actions.items()
            follows = on_line and puzzle.solution[number : number + 1] == (game.write(action),)
            if seat == LEARNER:
                wrong = (on_line and not follows) or "bad" in marks
                marks.append("bad" if wrong else "good" if follows else "inexact")
            on_line = follows
        return PuzzleReview(tuple(marks), "The win was missed.")

    def _repaired(
        self, state: GomokuState, rng: Generator, firsts: set[Point]
    ) -> tuple[GomokuState, ForcedWin] | None:
        """The position and black's forced win, whose first move is the only one that wins.

        Where another first move wins too, a white stone is moved there, a few times at most. None:
        there is no win, or none with another first move than `firsts`.
        """
        for _ in range(REPAIRS):
            win = self._win(state)
            if win is None or win.line[0] in firsts:
                return None
            other = self._other_win(state, win.line[0])
            if other is None:
                return state, win
            repaired = _with_white_at(state, other, rng)
            if repaired is None:
                return None
            state = repaired
        return None

    def _confirmed(self, state: GomokuState, win: ForcedWin) -> Puzzle | None:
        """The puzzle, if the checker confirms the win."""
        stones = cast(Stones, state.board())
        within = (win.plies + 1) // 2
        moves = _shortest_fours(stones, within)
        if moves is None:
            kind, line = "vct", self._to_the_last_four(stones, win)
        else:
            kind, line, within = "vcf", _with_replies(stones, moves), len(moves) + 1
        fits = SHORTEST[kind] <= within <= LONGEST
        if line is None or not fits or line[0] != win.line[0]:
            return None
        if not self._wins(stones, line, within):
            return None
        while kind == "vct" and self._wins(stones, line, within - 1):
            within -= 1
        return self._puzzle(state, kind, line, within)

    def _won_lengths(self, stones: Sequence[Point]) -> list[int]:
        """The numbers of stones after which the side to move has a forced win."""
        lengths = range(FEWEST_STONES, len(stones) + 1)
        return [n for n in lengths if self._win(GomokuState(tuple(stones[:n]))) is not None]

    def _win(self, state: GomokuState) -> ForcedWin | None:
        """A forced win of the side to move; None: there is none of a fit length, or the other side
        threatens five."""
        win = self._verifier.find(state.board(), state.colour, WIN_NODES)
        if win is None or self._verifier.prover.fives_threatened()[0]:
            return None
        return win if SHORTEST["vcf"] <= (win.plies + 1) // 2 <= LONGEST else None

    def _wins(self, stones: Stones, line: Sequence[Point], within: int) -> bool:
        """Whether the checker confirms the win that begins with `line`."""
        plies = 2 * within - 1
        win = ForcedWin(plies, tuple(line), by_fours=False)
        return self._verifier.confirms(stones, BLACK, win, plies, CHECKED_POSITIONS) is True

    def _to_the_last_four(self, stones: Stones, win: ForcedWin) -> list[Point] | None:
        """The line of a win up to black's move after which two fives are open.

        Where the search has left off, because no reply helps, white takes the point that black
        needs next.
        """
        checker, size, placed = ProofChecker(), self.game.size, dict(stones)
        prover = self._verifier.prover
        line: list[Point] = []
        for number in range(win.plies):
            if number < len(win.line):
                point = win.line[number]
            else:
                prover.set_position(placed.items(), BLACK if number % 2 == 0 else -BLACK)
                search = prover.threat if number % 2 else prover.winning_line
                found = search(WIN_NODES)
                if found is None or not found.points:
                    return None
                point = divmod(found.points[0], size)
            placed[point] = BLACK if number % 2 == 0 else -BLACK
            line.append(point)
            if number % 2 == 0 and len(checker.fives(placed, BLACK)) > 1:
                return line
        return None

    def _other_win(self, state: GomokuState, best: Point) -> Point | None:
        """Another first move than `best` that may win: no reply was found after which the search
        for a win ends without one."""
        prover, size = self._verifier.prover, self.game.size
        prover.set_position(state.board().items(), BLACK)
        reply = best[0] * size + best[1]
        taken = set(state.stones) | {best}
        likely = set(ProofChecker().line_points(cast(Stones, state.board()), BLACK, 2))
        others = [p for p in self.game.points if p not in taken]
        for point in sorted(others, key=lambda p: p not in likely):  # most threats come first
            prover.push(point[0] * size + point[1])
            found = _refutation(prover, reply)
            prover.pop()
            if found is None:
                return point
            reply = found
        return None

    def _puzzle(self, state: GomokuState, kind: str, line: list[Point], within: int) -> Puzzle:
        game = self.game
        stones = cast(Stones, state.board())
        choices = len(_threats(stones, fours_only=kind == "vcf"))
        easiest, step = (640, 210) if kind == "vcf" else (900, 180)
        return Puzzle(
            kind=kind,
            rating=round(easiest + step * (within - SHORTEST[kind]) + 70 * log2(max(1, choices))),
            title=f"Win in {within}" + ("" if kind == "vcf" else " by threes"),
            text=f"Black to move wins with **{within} stones** at most, whatever white answers.",
            goal=LessonGoal("win", within=within),
            solution=tuple(game.write(point) for point in line),
            settings={"position": "".join(game.write(point) for point in state.stones)},
            opponent=OPPONENT,
        )


def _enough(made: Counter[tuple[str, int]], puzzle: Puzzle) -> bool:
    like = made[puzzle.kind, cast(int, puzzle.goal.within)]
    return like > MOST_OF_A_LENGTH * (made.total() + 10)


def _refutation(prover: ThreatProver, likely: int) -> int | None:
    """A reply that wins, or after which threats do not win for the attacker, who has just moved;
    `likely` is tried first."""
    fives, block = prover.fives_threatened()
    if block is not None:
        return block if fives == 1 and _stops(prover, block) else None
    if _stops(prover, likely):
        return likely
    proof = prover.prove(REFUTATION_NODES)
    if proof.value is not None:
        return proof.moves[0] if proof.moves else None
    replies = proof.moves
    if replies is None:
        threat = prover.threat(REFUTATION_NODES)
        replies = _any_reply(prover) if threat is None else threat.points
    return next((reply for reply in replies[:MOST_REPLIES] if _stops(prover, reply)), None)


def _any_reply(prover: ThreatProver) -> tuple[int, ...]:
    """Corners and edges first: any reply will do where nothing is threatened."""
    size = prover.size
    return tuple(sorted(range(size * size), key=lambda p: -abs(2 * (p // size) - size + 1)))


def _stops(prover: ThreatProver, reply: int) -> bool:
    if prover.taken(reply):
        return False
    prover.push(reply)
    stopped = prover.no_win(REFUTATION_NODES)
    prover.pop()
    return stopped


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
    if puzzle.kind not in SHORTEST or puzzle.goal.kind != "win" or puzzle.opening:
        raise BadPuzzle(
            f"expected a win by fours (vcf) or threes (vct) without an opening, not {puzzle.kind!r}"
        )
    state = game.start()
    if state.colour != BLACK:
        raise BadPuzzle("black must be to move")
    line = [point for text in puzzle.solution for point in read_points(game, text)]
    if len(line) % 2 == 0 or len(set(line)) < len(line) or set(line) & set(state.stones):
        raise BadPuzzle("the solution must go on to black's last four, on empty points")
    return game, state, line


def _shortest_fours(stones: Stones, within: int) -> list[Point] | None:
    """Black's moves of the shortest win by fours with at most `within` stones, without the five."""
    checker = ProofChecker()
    for moves in range(1, within):
        line = checker.vcf(stones, BLACK, 2 * moves + 1, [])
        if line is not None:
            return line
    return None


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


def _threats(stones: Stones, *, fours_only: bool) -> list[Point]:
    """The first moves that threaten five, or also an open four or two fours at once: the choices
    that a solver has to tell apart."""
    checker, found = ProofChecker(), []
    for point in checker.line_points(stones, BLACK, 3 if fours_only else 2):
        stones[point] = BLACK
        if checker.fives(stones, BLACK) or (
            not fours_only and checker.vcf(stones, BLACK, 3, []) is not None
        ):
            found.append(point)
        del stones[point]
    return found
