"""`trireme puzzle`: solve puzzles in the terminal, make more of them, and check a file of them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from typer.core import TyperGroup

from trireme.core import puzzles as core
from trireme.core.errors import BadPuzzle, BadSpec
from trireme.core.game import AnyAgent, Seat, close
from trireme.core.lessons import LEARNER, GoalState, LessonMove
from trireme.core.play import decide
from trireme.core.puzzles import Puzzle
from trireme.core.registry import make_agent
from trireme.core.session import HUMAN, Session

from .failures import FAILURE_STATUS
from .screen import GameScreen, QuitGame, prepare

THINK = 0.5
"""Seconds that the opponent of a puzzle has for a decision."""
KEEP_EVERY = 50
"""After so many new puzzles the file is written, should the machine stop."""
RATINGS = Path("runs/puzzles.json")
"""Where the terminal keeps the player's ratings."""


class _SolveByDefault(TyperGroup):
    """`trireme puzzle gomoku` means `trireme puzzle solve gomoku`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = args[0] in self.commands if args else False
        if not named and not {"-h", "--help"} & set(args[:1]):
            args = ["solve", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="puzzle",
    cls=_SolveByDefault,
    help="Puzzles: solve them (`trireme puzzle gomoku`), make more, check a file.",
)
GameName = Annotated[str, typer.Argument(help="The game; `trireme games` lists them.")]


class PuzzleRecord(msgspec.Struct):
    """A player's rating in the puzzles of one game, and the puzzles tried."""

    rating: float = core.FIRST_RATING
    done: list[str] = []


@app.command()
def solve(
    game: GameName = "gomoku",
    daily: Annotated[
        bool, typer.Option("--daily", help="The puzzle of today (UTC), the same for everybody.")
    ] = False,
    id: Annotated[str | None, typer.Option(help="The puzzle with this id.")] = None,
    rating: Annotated[
        int | None,
        typer.Option(help="A puzzle near this rating; higher is harder. Default: your own rating."),
    ] = None,
) -> None:
    """Solve a puzzle in the terminal; your rating follows the results.

    Examples: `trireme puzzle solve gomoku` · `trireme puzzle solve battleship --daily` ·
    `trireme puzzle solve navigation --rating 1500`. The word solve may be left out. At the prompt
    type `help`.
    """
    if daily + (id is not None) + (rating is not None) > 1:
        raise BadSpec("--daily, --id and --rating exclude each other: give one of them")
    kept = _read_ratings()
    own = kept.setdefault(game, PuzzleRecord())
    today = datetime.now(UTC).date()
    if id is not None:
        puzzle = core.puzzle_with_id(game, id)
    elif daily:
        puzzle = core.daily_puzzle(game, today)
    else:
        puzzle = core.next_puzzle(game, own.rating if rating is None else rating, own.done)
    solver = _Solver(game, puzzle)
    try:
        state = solver.run()
    except (QuitGame, KeyboardInterrupt):
        typer.echo("\nLeft: the puzzle does not count.")
        return
    finally:
        solver.close()
    review = solver.report(state)
    if puzzle.id not in own.done:
        before = own.rating
        own.rating = core.new_rating(before, puzzle.rating, state == "met")
        own.done.append(puzzle.id)
        _write_ratings(kept)
        typer.echo(f"Your rating in {game}: {before:.0f} → {own.rating:.0f}")
    else:
        typer.echo(f"Tried before: your rating stays at {own.rating:.0f}.")
    typer.echo("\n" + core.share_text(game, puzzle, state, review, today if daily else None))


@app.command()
def make(
    game: GameName,
    out: Annotated[Path, typer.Option(help="The file to write; packed if it ends in .gz.")],
    count: Annotated[int, typer.Option(min=1, help="How many puzzles; more take longer.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same puzzles.")] = 1,
    append: Annotated[
        bool, typer.Option("--append", help="Add to the file if it exists, without repetitions.")
    ] = False,
) -> None:
    """Make puzzles and write them to a file; Ctrl-C keeps those made so far.

    Example: `trireme puzzle make gomoku --count 20 --seed 7 --out more.jsonl`
    """
    if out.exists() and not append:
        raise BadSpec(f"{str(out)!r} exists already: choose another file, or --append")
    found = core.load_puzzles(out) if out.exists() else []
    known, wanted = {puzzle.id for puzzle in found}, len(found) + count
    first = len(found)

    def keep() -> None:
        _write_whole(out, core.encode_puzzles(found, packed=out.suffix == ".gz"))

    try:
        with _bar() as bar:
            task = bar.add_task(f"Making puzzles of {game}", total=count)
            for puzzle in core.make_puzzles(game, seed):
                if puzzle is not None and puzzle.id not in known:
                    found.append(puzzle)
                    if len(found) % KEEP_EVERY == 0:
                        keep()
                bar.update(task, completed=len(found) - first)
                if len(found) == wanted:
                    break
    except KeyboardInterrupt:
        typer.echo("Stopped.", err=True)
    keep()
    typer.echo(f"{len(found) - first} puzzles written to {out}")


@app.command()
def check(
    game: GameName,
    file: Annotated[
        Path | None, typer.Argument(help="The file; by default the puzzles that ship.")
    ] = None,
) -> None:
    """Check every puzzle of a file: its position, its solution, and that no other one is right.

    Example: `trireme puzzle check gomoku more.jsonl`
    """
    if file is not None and not file.is_file():
        raise BadSpec(f"there is no file {str(file)!r}")
    found = list(core.puzzles_of(game).values()) if file is None else core.load_puzzles(file)
    faults: list[str] = []
    with _bar() as bar:
        faults += [f for f in bar.track(core.faults_of(game, found), total=len(found)) if f]
    for fault in faults:
        typer.echo(fault)
    typer.echo(f"{len(found) - len(faults)} of {len(found)} puzzles are right")
    if faults:
        raise typer.Exit(FAILURE_STATUS)


class _Solver:
    """One attempt at a puzzle in the terminal."""

    def __init__(self, game: str, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        made = core.puzzle_game(game, puzzle)
        seats = [HUMAN] + ([] if puzzle.opponent is None else [puzzle.opponent])
        self.session = Session(made, seats, seed=0, opening=puzzle.opening)
        self.screen = GameScreen(self.session, frozenset({LEARNER}), pause=0.0, puzzle=True)
        self.agents: dict[Seat, AnyAgent] = {
            seat: make_agent(made, spec) for seat, spec in enumerate(seats) if spec != HUMAN
        }
        for seat, agent in self.agents.items():
            prepare(agent, made, seats[seat])

    def run(self) -> GoalState:
        """Ask for moves until the goal is met or missed."""
        session, puzzle = self.session, self.puzzle
        text = puzzle.text.replace("**", "")
        self.screen.say(f"{puzzle.title} (rated {puzzle.rating}, id {puzzle.id})\n{text}")
        self.screen.say(f"{self.screen.terminal.typing} Type help for more, quit to leave.")
        self.moves: list[LessonMove] = []
        while True:
            state = core.attempt_state(session.game, self.moves, puzzle)
            if session.forfeits or (state == "open" and session.over):
                state = "missed"
            if state != "open":
                return state
            before, actions = session.state, dict[Seat, Any]()
            for seat in session.to_move:
                agent = self.agents.get(seat)
                if agent is not None:
                    actions[seat], _ = decide(agent, session.turn(seat, None))
                else:
                    actions[seat] = self.screen.choose(seat)
            if None in actions.values():
                continue
            session.move(actions)
            self.moves.append(LessonMove(actions, before, session.state))
            self.screen.report_move(before, actions)

    def report(self, state: GoalState) -> core.PuzzleReview:
        review = core.review_attempt(self.session.game, self.moves, self.puzzle)
        self.screen.show(LEARNER)
        self.screen.say("Solved." if state == "met" else "Not solved.")
        if review.note:
            self.screen.say(review.note)
        if state != "met":
            self.screen.say(f"A solution: {' '.join(self.puzzle.solution)}")
        return review

    def close(self) -> None:
        close(self.agents.values())


def _bar() -> Bar:
    return Bar(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    )


def _read_ratings() -> dict[str, PuzzleRecord]:
    if not RATINGS.exists():
        return {}
    try:
        return msgspec.json.decode(RATINGS.read_bytes(), type=dict[str, PuzzleRecord])
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise BadPuzzle(f"{str(RATINGS)!r} can't be read ({error}): move it away") from None


def _write_ratings(kept: dict[str, PuzzleRecord]) -> None:
    _write_whole(RATINGS, msgspec.json.encode(kept))


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is never seen half-written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(data)
    os.replace(part, path)
