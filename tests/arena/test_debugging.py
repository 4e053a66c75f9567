"""Debugging: one game of a run is played again exactly, with one seat in the open."""

import pdb  # noqa: T100 - the command opens it
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trireme import BadSpec, Forfeit, RecordError, make_game
from trireme.arena import Folder, Match, entrants, run_match, start
from trireme.arena.debugging import DebuggedGame, DebuggedMove
from trireme.cli import app
from trireme.cli.failures import CommandFailed

GAME = make_game("gomoku", size=7)
BOTS = """
import random
class Lucky:
    name = "lucky"
    def act(self, turn):
        print("thinking aloud")
        self.thoughts = f"{len(turn.legal)} points are free"
        return random.choice(list(turn.legal))
class Noisy(Lucky):
    def act(self, turn):
        print("noise of the other seat")
        return random.choice(list(turn.legal))
class Crashes(Lucky):
    def act(self, turn):
        if len(turn.view.stones) > 6:
            raise IndexError("off the board")
        return super().act(turn)
"""

pytestmark = pytest.mark.usefixtures("no_preflight")


def run(tmp_path: Path, first: str, second: str = "Noisy") -> Folder:
    file = tmp_path / "bots.py"
    file.write_text(BOTS)
    agents = entrants(GAME, [f"{file}:{first}", f"b={file}:{second}"])
    folder = start(Match(GAME, agents, games=2, seed=5), tmp_path / "run")
    run_match(folder, executor="serial")
    return folder


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Folder]:
    """A run of the bot with this name, played once for all tests that only read it."""
    return cache(lambda first: run(tmp_path_factory.mktemp(first), first))


@pytest.mark.parametrize("number", [0, 1])
def test_the_same_game_is_played_again(finished: Callable[[str], Folder], number: int) -> None:
    folder = finished("Lucky")
    for seat in (0, 1):
        found = DebuggedGame.open(folder.path, number, seat)
        moves: list[DebuggedMove] = []
        result = found.play(moves.append)
        assert result.record.moves == found.record.moves
        own = {i for i, m in enumerate(found.record.moves, 1) if seat in m}
        assert {m.number for m in moves} <= own
        assert all(m.follows and m.recorded is not None for m in moves)
        assert len(moves) == result.decisions[seat]


def test_moves_are_numbered_as_in_the_record_where_nature_begins(tmp_path: Path) -> None:
    sea = make_game("battleship", rows=6, cols=6)
    folder = start(Match(sea, entrants(sea, ["hunt"]), games=1), tmp_path / "run")
    run_match(folder, executor="serial")
    moves: list[DebuggedMove] = []
    found = DebuggedGame.open(folder.path, 0, None)
    assert found.play(moves.append).record.moves == found.record.moves
    assert [m.number for m in moves] == list(range(2, len(found.record.moves) + 1))
    assert all(m.recorded == found.record.moves[m.number - 1][0] for m in moves)


@pytest.mark.slow
def test_the_seat_that_forfeited_is_debugged_and_fails_again(
    finished: Callable[[str], Folder],
) -> None:
    folder = finished("Crashes")
    for number in (0, 1):
        found = DebuggedGame.open(folder.path, number, None)
        assert found.seat == number  # seats are swapped in the second game
        with pytest.raises(Forfeit, match="off the board") as caught:
            found.play()
        assert isinstance(caught.value.__cause__, IndexError)


@pytest.mark.slow
def test_a_changed_agent_leaves_the_record_and_plays_on(tmp_path: Path) -> None:
    folder = run(tmp_path, "Crashes")
    (tmp_path / "bots.py").write_text(BOTS.replace("> 6", "> 600"))
    found = DebuggedGame.open(folder.path, 0, None)
    moves: list[DebuggedMove] = []
    result = found.play(moves.append)
    assert not result.forfeits
    assert len(result.record.moves) > len(found.record.moves)
    assert moves[-1].recorded is None


@pytest.mark.slow
def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    folder = run(tmp_path, "Lucky")
    with pytest.raises(BadSpec, match="games 0 to 1, not 2"):
        DebuggedGame.open(folder.path, 2, None)
    with pytest.raises(BadSpec, match="from 0 to 1, not 2"):
        DebuggedGame.open(folder.path, 0, 2)
    folder.record_path(1).unlink()
    with pytest.raises(RecordError, match="has not been played yet"):
        DebuggedGame.open(folder.path, 1, None)


def test_the_command_shows_prints_thoughts_and_moves_of_one_seat(
    finished: Callable[[str], Folder],
) -> None:
    folder = finished("Lucky")
    done = CliRunner().invoke(app, ["debug", str(folder.path), "0", "--seat", "0", "--step"])
    assert done.exit_code == 0, done.output
    for words in (
        "thinking aloud",
        "points are free",
        "Before move",
        "The same game as in the run",
    ):
        assert words in done.stdout
    assert "noise of the other seat" not in done.output


@pytest.mark.slow
def test_the_command_shows_the_traceback(
    finished: Callable[[str], Folder], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = finished("Crashes")
    opened: list[Any] = []
    monkeypatch.setattr(pdb, "post_mortem", opened.append)
    plain = CliRunner().invoke(app, ["debug", str(folder.path), "0"])
    assert isinstance(plain.exception, CommandFailed)
    assert 'raise IndexError("off the board")' in plain.stderr
    assert not opened
    CliRunner().invoke(app, ["debug", str(folder.path), "0", "--pdb"])
    assert len(opened) == 1
    while opened[0].tb_next is not None:
        opened[0] = opened[0].tb_next
    assert opened[0].tb_frame.f_code.co_name == "act"


@pytest.mark.slow
def test_the_debugger_opens_before_a_move(
    finished: Callable[[str], Folder], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = finished("Lucky")
    called: list[Any] = []

    def runcall(function: Any, turn: Any) -> Any:
        called.append(turn)
        return function(turn)

    monkeypatch.setattr(pdb, "runcall", runcall)
    number = next(
        i
        for i, m in enumerate(DebuggedGame.open(folder.path, 0, 0).record.moves, 1)
        if 0 in m and i > 4
    )
    done = CliRunner().invoke(
        app, ["debug", str(folder.path), "0", "--seat", "0", "--pdb", "--move", str(number)]
    )
    assert done.exit_code == 0, done.output
    (turn,) = called
    assert len(turn.view.stones) == number - 1
    wrong = CliRunner().invoke(app, ["debug", str(folder.path), "0", "--move", "3"])
    assert isinstance(wrong.exception, BadSpec)
