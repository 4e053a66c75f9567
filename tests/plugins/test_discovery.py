"""Games and agents of installed packages: found, checked, and left out where they are broken."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from trireme import BadSpec, TriremeError, UnknownName, make_agent, make_game, play
from trireme.core import plugins, registry
from trireme.core.errors import BrokenPlugin
from trireme.core.registry import BUILT_IN, GAMES, agents_of, find, load, plugin_faults
from trireme.core.terminal import Terminal

from .packages import ROOT, write_heap, write_package


def forget() -> None:
    for cached in (plugins.installed, registry._plugin_games, registry._plugin_agents):
        cached.cache_clear()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose packages are installed for this test."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    forget()
    yield tmp_path
    forget()
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def test_an_installed_game_is_one_of_the_games(site: Path) -> None:
    write_heap(site)
    assert list(GAMES) == [*BUILT_IN, "heap"]
    assert len(GAMES) == len(BUILT_IN) + 1
    assert "heap" in GAMES
    assert GAMES["heap"].summary == "take the last one"
    assert make_game("heap:size=5").start() == (5, 0)
    assert plugin_faults() == []


def test_an_installed_game_has_opponents_at_once(site: Path) -> None:
    write_heap(site)
    names = ["random", "montecarlo", "llm", "careless", "process", "perfect"]
    assert list(agents_of("heap")) == names
    assert find("heap").opponent == "montecarlo"
    result = play("heap", ["perfect", "montecarlo:playouts=10"], seed=1)
    assert result.returns == (1.0, -1.0)


def test_an_installed_agent_plays_a_game_of_ours(site: Path) -> None:
    code = """
    class First:
        '''Takes the first legal point.'''
        name = "first"
        def __init__(self, skip: int = 0):
            self.skip = skip
        def act(self, turn):
            return list(turn.legal)[self.skip]
    """
    write_package(site, "my-bots", code, {"trireme.agents": {"gomoku.first": "my_bots:First"}})
    assert list(agents_of("gomoku"))[-1] == "first"
    assert "first" not in agents_of("navigation")
    assert make_agent("gomoku", "first:skip=2").skip == 2  # type: ignore[attr-defined]
    with pytest.raises(UnknownName, match="Did you mean 'first'"):
        make_agent("gomoku", "frist")
    with pytest.raises(BadSpec, match="expected option=value after 'first'"):
        make_agent("gomoku", "first:skip")


BROKEN = {
    "import": ("1 / 0", "broken", "SLICE", "ZeroDivisionError"),
    "missing": ("", "broken", "SLICE", "AttributeError"),
    "type": ("SLICE = 3", "broken", "SLICE", "expected a Slice at broken_game:SLICE, not 3"),
    "existing name": ("", "gomoku", "SLICE", "has a game of this name"),
    "bad name": ("", "Broken-Game", "SLICE", "lower-case letters"),
    "class": (
        "from trireme.core.registry import Slice\n"
        "SLICE = Slice(summary='x', game='broken_game:SLICE', text='x:y')",
        "broken",
        "SLICE",
        "expected a Game at broken_game:SLICE",
    ),
    "other name": (
        "from trireme.core.registry import Slice\n"
        "SLICE = Slice(summary='x', game='trireme.gomoku.rules:Gomoku', text='x:y')",
        "broken",
        "SLICE",
        "its class has another name, 'gomoku'",
    ),
}


@pytest.mark.parametrize(("code", "name", "at", "why"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_game_is_left_out_and_breaks_no_other(
    site: Path, code: str, name: str, at: str, why: str
) -> None:
    write_heap(site)
    entries = {"trireme.games": {name: f"broken_game:{at}"}}
    write_package(site, "broken-game", code, entries)
    assert list(GAMES) == [*BUILT_IN, "heap"]
    (line,) = plugin_faults()
    assert line.startswith(f"game {name!r} of package broken-game is left out: ")
    assert why in line
    assert "\n" not in line
    if name not in BUILT_IN:
        with pytest.raises(BrokenPlugin, match="package broken-game"):
            find(name)
    assert make_game("gomoku").name == "gomoku"


def test_of_two_games_with_one_name_the_first_package_counts(site: Path) -> None:
    write_heap(site)
    write_package(site, "other", "SLICE = 1", {"trireme.games": {"heap": "other:SLICE"}})
    assert find("heap").summary == "take the last one"
    assert "another installed package" in plugin_faults()[0]


@pytest.mark.parametrize(
    ("code", "name", "why"),
    [
        ("1 / 0", "gomoku.bad", "ZeroDivisionError"),
        ("Bot = 3", "gomoku.bad", "expected a class with a method act"),
        ("class Bot: pass", "gomoku.bad", "expected a class with a method act"),
        ("", "gomoku.search", "gomoku has an agent of this name"),
        ("", "gomoku.random", "gomoku has an agent of this name"),
        ("", "gomoku.Bad", "lower-case letters"),
        ("", "chess.bad", "with a game that is installed"),
        ("", "bad", "expected GAME.AGENT"),
    ],
)
def test_a_broken_agent_is_left_out(site: Path, code: str, name: str, why: str) -> None:
    known = list(agents_of("gomoku"))
    forget()
    write_package(site, "bad-bots", code, {"trireme.agents": {name: "bad_bots:Bot"}})
    assert list(agents_of("gomoku")) == known
    (line,) = plugin_faults()
    assert why in line
    assert "package bad-bots" in line
    if name == "gomoku.bad":
        with pytest.raises(TriremeError, match="agent 'bad' of package bad-bots is left out"):
            make_agent("gomoku", "bad")
    assert make_agent("gomoku", "random").name == "random"


def test_the_web_client_has_a_page_for_the_games_that_say_so(site: Path) -> None:
    write_heap(site)
    modules = (ROOT / "web" / "src" / "games" / "index.ts").read_text()
    (named,) = re.findall(r"MODULES: Record<string, GameModule> = \{(.*)\};", modules)
    assert set(named.replace(" ", "").split(",")) == {g for g in GAMES if find(g).own_page}
    assert "heap" in GAMES


def test_naming_a_built_in_game_and_agent_reads_no_entry_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(group: str) -> tuple[()]:
        raise AssertionError(f"{group} was read")

    monkeypatch.setattr(plugins, "installed", never)
    assert make_agent(make_game("gomoku"), "random").name == "random"


def test_a_game_with_one_seat_counts_points_unless_it_says_otherwise() -> None:
    assert Terminal().score(12.0) == "12 points"
    assert load(find("battleship").terminal)().score(-41.0) == "41 shots"


def test_the_server_sends_pictures_of_games_without_a_page(site: Path) -> None:
    views = pytest.importorskip("trireme.server.rooms.views", reason="needs the web packages")
    write_heap(site)
    heap, gomoku = make_game("heap:size=3"), make_game("gomoku")
    sent = views.picture(heap, heap.start(), 0)
    assert (sent.text, sent.board) == ("3 left: ***", None)
    assert views.picture(gomoku, gomoku.start(), 0) is None
