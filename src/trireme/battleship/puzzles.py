"""Puzzles of Battleship: endgames to finish in the fewest expected shots, against the optimum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2

from numpy.random import Generator

from trireme.core.errors import BadPuzzle, TriremeError
from trireme.core.game import CHANCE, AnyGame
from trireme.core.lessons import LEARNER, LessonGoal, LessonMove
from trireme.core.puzzles import MoveMark, Puzzle, PuzzleReview, puzzle_start

from .board import Board, Cell, cells_between, write_cell
from .endgame import Endgame, TooManyFleets, endgame
from .fleets import Fleet, draw_fleet
from .rules import Battleship, BattleshipState
from .shots import Salvo, Shot

SIDES = (6, 8, 10)
FEWEST, MOST = 4, 24
"""How many fleets may agree with the answers."""
MOST_SETS = 250
"""Sets of fleets that the exact solution may take: so a server solves it between two moves."""
MOST_BEST = 2
"""How many first shots may be equally good, such as the two of a symmetric position."""
MIN_GAP = 0.02
"""Expected shots by which the best first shots must be better than every other."""
WIDE_GAP = 0.3
"""Expected shots from which a better shot counts as obvious."""
EXACT = 1e-6
"""A larger regret is a mistake and not rounding."""
INEXACT = 0.25
"""Expected shots from which a mistake is marked as bad."""


def regrets(game: AnyGame, moves: Sequence[LessonMove]) -> list[float]:
    """What each shot of the solver cost, in expected shots against the best one."""
    assert isinstance(game, Battleship)
    found = []
    for move in moves:
        if LEARNER in move.actions:
            solved = endgame(game.boards[0], move.before.seas[0].shots)
            (cell,) = move.actions[LEARNER].cells
            found.append(solved.regret(cell))
    return found


class BattleshipPuzzles:
    """Makes endgames: a few ships are sunk, a few fleets are still possible, all alike.

    The position is solved exactly. At most `MOST_BEST` first shots are best, by `MIN_GAP`.
    """

    def puzzles(self, rng: Generator) -> Iterator[Puzzle | None]:
        plain = hard = 0
        while True:
            puzzle = _attempt(rng)
            if puzzle is not None and puzzle.kind == "endgame" and plain > 2 * hard + 10:
                puzzle = None  # the likeliest cell is the best shot: two of three puzzles at most
            if puzzle is not None:
                plain += puzzle.kind == "endgame"
                hard += puzzle.kind != "endgame"
            yield puzzle

    def check(self, puzzle: Puzzle) -> None:
        game = Battleship(**puzzle.settings)
        if game != Battleship(rows=game.rows, cols=game.cols, placement="uniform"):
            raise BadPuzzle("an endgame is played alone, with the usual fleet placed uniformly")
        if puzzle.goal != LessonGoal("optimal") or not puzzle.opening:
            raise BadPuzzle("an endgame has the goal optimal, and shots fired before it")
        moves = puzzle_start(game, puzzle)
        state: BattleshipState = moves[-1].after
        found = _solved(game.boards[0], state.seas[0].shots)
        if found is None:
            raise BadPuzzle(f"{FEWEST} to {MOST} fleets must agree with the answers")
        if found[1] < MIN_GAP:
            raise BadPuzzle(
                f"one or {MOST_BEST} first shots must be better than all others by {MIN_GAP}"
            )
        played = _play(game, state, [game.read(text) for text in puzzle.solution])
        if game.to_move(played[-1].after if played else state):
            raise BadPuzzle("the solution does not sink the fleet")
        if max(regrets(game, played)) > EXACT:
            raise BadPuzzle("the solution is not optimal")

    def review(self, game: AnyGame, moves: Sequence[LessonMove], puzzle: Puzzle) -> PuzzleReview:
        costs = regrets(game, moves)
        if not costs:
            return PuzzleReview()
        assert isinstance(game, Battleship)
        best = endgame(game.boards[0], moves[0].before.seas[0].shots).best()
        marks: list[MoveMark] = [
            "good" if cost <= EXACT else "inexact" if cost < INEXACT else "bad" for cost in costs
        ]
        total = sum(costs)
        lost = "nothing was lost" if total <= EXACT else f"these shots lost {total:.2f} on average"
        return PuzzleReview(tuple(marks), f"The optimum is {best:.2f} expected shots; {lost}.")


def _attempt(rng: Generator) -> Puzzle | None:
    side = SIDES[int(rng.integers(len(SIDES)))]
    game = Battleship(rows=side, cols=side, placement="uniform")
    board = game.boards[0]
    shots = _draw_shots(board, rng)
    found = _solved(board, shots)
    if found is None or found[1] < MIN_GAP:
        return None
    solved, gap = found
    truth = _fleet(board, solved.fleets[int(rng.integers(len(solved.fleets)))])
    opening = (game.write(truth), *(write_cell(shot.cell) for shot in shots))
    state = game.apply(game.start(), {CHANCE: truth})
    for shot in shots:
        state = game.apply(state, {LEARNER: Salvo((shot.cell,))})
    afloat = len(state.seas[0].afloat)
    most = max(map(solved.hit_chance, solved.cells()))
    subtle = solved.hit_chance(solved.best_cells()[0]) < most - EXACT
    count = len(solved.fleets)
    rating = 620 + 180 * log2(count / 2) + 250 * subtle + 80 * (afloat > 1)
    return Puzzle(
        kind="subtle endgame" if subtle else "endgame",
        rating=round(rating - 300 * gap),
        title=f"{count} fleets left",
        text=(
            f"**{count} fleets** agree with the answers, all equally likely. Sink the rest in the "
            "fewest **expected** shots: every shot must be one of the best."
        ),
        goal=LessonGoal("optimal"),
        solution=tuple(_best_line(game, state)),
        settings={"rows": side, "cols": side, "placement": "uniform"},
        opening=opening,
    )


def _draw_shots(board: Board, rng: Generator) -> tuple[Shot, ...]:
    """Answered shots of a late game: some ships sunk, perhaps another hit, many misses."""
    fleet = draw_fleet(board, 0, rng, uniform=True)
    game = Battleship(rows=board.rows, cols=board.cols, placement="uniform")
    left = 1 + int(rng.integers(2))
    order = [int(ship) for ship in rng.permutation(len(fleet.ships))]
    ships = [list(cells_between(fleet.ships[ship])) for ship in order]
    fired: list[Cell] = [cell for ship in ships[left:] for cell in ship]
    if rng.random() < 0.5:
        fired.append(ships[0][int(rng.integers(len(ships[0])))])
    taken = {cell for ship in ships for cell in ship}
    density = rng.uniform(0.3, 0.75)
    fired += [c for c in board.cells() if c not in taken and rng.random() < density]
    state = game.apply(game.start(), {CHANCE: fleet})
    for index in rng.permutation(len(fired)):
        state = game.apply(state, {LEARNER: Salvo((fired[int(index)],))})
    return state.seas[0].shots


def _solved(board: Board, shots: tuple[Shot, ...]) -> tuple[Endgame, float] | None:
    """The exact solution and the gap of its best first shots; None where it is no puzzle, such as
    with too few or too many fleets."""
    try:
        solved = Endgame(board, shots, MOST_SETS)
        if not FEWEST <= len(solved.fleets) <= MOST:
            return None
        return solved, _gap(solved)
    except TooManyFleets:
        return None


def _gap(solved: Endgame) -> float:
    """By how many expected shots the best first shots are better than all others, `WIDE_GAP` at
    most; 0 where they are more than `MOST_BEST`, or sure hits."""
    costs = sorted((solved.regret(cell, WIDE_GAP), cell) for cell in solved.cells())
    equal = sum(cost <= EXACT for cost, _ in costs)
    if equal > MOST_BEST or equal == len(costs) or solved.hit_chance(costs[0][1]) == 1:
        return 0.0
    return min(WIDE_GAP, costs[equal][0])


def _fleet(board: Board, masks: tuple[int, ...]) -> Fleet:
    """The fleet whose ships have these masks."""
    pairs = zip(board.sizes, masks, strict=True)
    return Fleet(
        tuple(next(p.ends for p in board.placements(s) if p.mask == mask) for s, mask in pairs)
    )


def _best_line(game: Battleship, state: BattleshipState) -> Iterator[str]:
    """The best shots against the hidden fleet, to the end."""
    while game.to_move(state):
        cell = endgame(game.boards[0], state.seas[0].shots).best_cells()[0]
        yield write_cell(cell)
        state = game.apply(state, {LEARNER: Salvo((cell,))})


def _play(game: Battleship, state: BattleshipState, actions: Sequence[object]) -> list[LessonMove]:
    moves: list[LessonMove] = []
    for action in actions:
        if not isinstance(action, Salvo):
            raise BadPuzzle("a solution consists of shots")
        try:
            game.check(state, LEARNER, action)
        except TriremeError as error:
            raise BadPuzzle(f"the solution is not legal: {error}") from None
        after = game.apply(state, {LEARNER: action})
        moves.append(LessonMove({LEARNER: action}, state, after))
        state = after
    return moves
