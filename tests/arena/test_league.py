"""Leagues: interrupted anywhere they go on, new bots join, ratings keep their anchor."""

import itertools
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trireme import BadSpec, TriremeError, make_game
from trireme.arena import league as league_module
from trireme.arena.league import League, find_bots, new_settings
from trireme.arena.match import Entrant
from trireme.arena.run import Progress
from trireme.arena.standing import ScoredGame

GAME = make_game("gomoku", size=5)
BOT = """
class {name}:
    name = "{name}"

    def act(self, turn):
        return list(turn.legal)[{index}]
"""


problem = League._problem
"""The check of a bot, which other tests go without."""


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play bots in this process: that they are isolated elsewhere is tested there."""
    monkeypatch.setattr(League, "_problem", lambda *_: "")
    plain = League._match
    monkeypatch.setattr(
        League, "_match", lambda self, able, seed: _in_process(plain(self, able, seed))
    )


def _in_process(match: Any) -> Any:
    object.__setattr__(match, "isolate", False)
    return match


def bots_in(folder: Path, **indices: int) -> Path:
    folder.mkdir(exist_ok=True)
    for name, index in indices.items():
        (folder / f"{name}.py").write_text(BOT.format(name=name, index=index))
    return folder


def new_league(tmp_path: Path, **rules: Any) -> League:
    bots = bots_in(tmp_path / "bots", first=0, last=-1)
    given = {"games": 2, "seed": 7, **rules}
    return League.create(
        tmp_path / "league", GAME, new_settings(GAME, bots, ["base=random"], **given)
    )


def versions(league: League) -> list[str]:
    return [name.partition("@")[0] for name in league.standings()]


class Stop(Exception):
    pass


def stop_after(games: int) -> Callable[[Progress], None]:
    def stop(progress: Progress) -> None:
        if len(progress.outcomes) >= games:
            raise Stop

    return stop


def test_ratings_are_anchored_and_written(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    league.run(rounds=3, executor="serial")
    table = league.write_standings()
    assert table["base"].elo == 0
    assert sorted(versions(league)) == ["base", "first", "last"]
    assert table["base"].games == 3 * 2 * 2
    low, high = table["base"].elo_ci95
    assert low <= 0 <= high
    stored = json.loads((tmp_path / "league" / "standings.json").read_text())
    assert stored["anchor"] == "base"
    assert stored["rounds"] == 3
    assert {a["name"] for a in stored["agents"]} == set(table)


def won_pair(winner: str, loser: str, cluster: int) -> list[ScoredGame]:
    return [
        ScoredGame((winner, loser), (1.0, -1.0), cluster),
        ScoredGame((loser, winner), (-1.0, 1.0), cluster),
    ]


def test_ratings_are_differences_from_the_anchor(tmp_path: Path) -> None:
    """The anchor has beaten everybody: others can only be said to be weaker."""
    league = new_league(tmp_path)
    order = ["base", "first", "last"]
    league._add(
        [
            game
            for cluster in range(30)
            for winner, loser in itertools.combinations(order, 2)
            for game in won_pair(winner, loser, cluster)
        ]
    )
    table = league.standings()
    assert list(table) == order
    assert (table["base"].elo, table["base"].elo_ci95) == (0.0, (0.0, 0.0))
    assert table["base"].elo_bound is None
    for name in ("first", "last"):
        assert table[name].elo_bound == "upper"
        assert table[name].elo < 0
        assert table[name].elo_ci95[0] == -math.inf
    league._add([g for cluster in range(30, 40) for g in won_pair("first", "base", cluster)])
    table = league.standings()
    assert table["first"].elo_bound is None
    low, high = table["first"].elo_ci95
    assert low < table["first"].elo < high
    assert table["first"].elo == pytest.approx(-400 * math.log10(3), abs=25)
    assert table["last"].elo_bound == "upper"


def test_only_one_program_runs_a_league(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    other = League.open(league.path)

    def intrude(_: League) -> None:
        with pytest.raises(TriremeError, match="another program is running the league in"):
            other.run(rounds=1, executor="serial")

    league.run(rounds=1, executor="serial", on_round=intrude)
    assert league.rounds == 1
    other = League.open(league.path)
    other.run(rounds=1, executor="serial")
    assert other.rounds == 2


def test_a_league_that_is_interrupted_anywhere_goes_on_to_the_same_standings(
    tmp_path: Path,
) -> None:
    whole = new_league(tmp_path)
    whole.run(rounds=2, executor="serial")
    wanted = whole.standings()
    for games in (1, 3, 5):
        path = tmp_path / f"stopped{games}"
        parts = League.create(path, GAME, whole.rules)
        with pytest.raises(Stop):
            parts.run(rounds=2, executor="serial", on_game=stop_after(games))
        parts = League.open(path)
        assert sum(s.games for s in parts.standings().values()) == 2 * games
        parts.run(rounds=1, executor="serial")
        assert parts.rounds == 2
        assert parts.standings() == wanted
        assert League.open(path).standings() == wanted


def test_bots_join_change_and_leave_between_rounds(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    league.run(rounds=1, executor="serial")
    bots_in(tmp_path / "bots", third=1)
    league.run(rounds=1, executor="serial")
    assert sorted(versions(league)) == ["base", "first", "last", "third"]
    bots_in(tmp_path / "bots", third=2)
    (tmp_path / "bots" / "first.py").unlink()
    league.run(rounds=1, executor="serial")
    assert sorted(versions(league)) == ["base", "first", "last", "third", "third"]
    games = {name: s.games for name, s in league.standings().items()}
    assert sum(n for name, n in games.items() if name.startswith("first")) == 2 * 2 + 3 * 2


def test_a_round_whose_bot_has_changed_is_left_and_its_games_count(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    with pytest.raises(Stop):
        league.run(rounds=1, executor="serial", on_game=stop_after(2))
    bots_in(tmp_path / "bots", first=3)
    again = League.open(league.path)
    again.run(rounds=1, executor="serial")
    assert again.rounds == 2
    assert sum(s.games for s in again.standings().values()) == 2 * (2 + 6)


def test_bots_that_can_not_be_read_are_refused_and_the_league_goes_on(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    (tmp_path / "bots" / "broken.py").write_text("class Bot:\n  def act(self, turn")
    (tmp_path / "bots" / "empty.py").write_text("x = 1\n")
    (tmp_path / "bots" / "nul.py").write_bytes(b"\0\xff")
    league.run(rounds=1, executor="serial")
    assert sorted(league.refused) == ["broken", "empty", "nul"]
    assert "has no class with a method act" in league.refused["empty"]
    for name in league.refused:
        (tmp_path / "bots" / f"{name}.py").unlink()
    league.run(rounds=1, executor="serial")
    assert league.refused == {}


def test_two_are_enough_for_a_league(tmp_path: Path) -> None:
    league = new_league(tmp_path)
    (tmp_path / "bots" / "last.py").unlink()
    league.run(rounds=1, executor="serial")
    assert sorted(versions(league)) == ["base", "first"]


@pytest.mark.parametrize("step", ["entrants", "preflight"])
def test_a_bot_that_can_not_play_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Each step starts a process, of which other tests see that it finds such bots."""
    league = new_league(tmp_path)

    def refuse(*_: object, **__: object) -> None:
        raise BadSpec("it has no engine")

    for name in ("entrants", "preflight"):
        monkeypatch.setattr(league_module, name, lambda *_, **__: None)
    base, bot = Entrant("base", "random"), Entrant("bot", "bot.py:Bot")
    assert problem(league, base, bot) == ""
    monkeypatch.setattr(league_module, step, refuse)
    assert problem(league, base, bot) == "it has no engine"


def test_bots_are_found_without_running_their_code(tmp_path: Path) -> None:
    act = "  def act(self, t): ...\n"
    source = f"raise SystemExit\nclass A:\n{act}class _B(A):\n{act}class C:\n{act}class D: ...\n"
    (tmp_path / "two.py").write_text(source)
    found = list(find_bots(tmp_path, {}))
    assert [bot.name.partition("@")[0] for bot in found] == ["two.A", "two.C"]
    assert found[0].spec == f"{tmp_path / 'two.py'}:A"


def test_only_recent_rounds_are_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(league_module, "RATED_ROUNDS", 2)
    league = new_league(tmp_path)
    league.run(rounds=3, executor="serial")
    assert sum(s.games for s in league.standings().values()) == 2 * 2 * 6
    assert League.open(league.path).standings() == league.standings()


def test_what_is_no_league_is_refused(tmp_path: Path) -> None:
    bots = bots_in(tmp_path / "bots", first=0)
    with pytest.raises(BadSpec, match="needs an agent beside its bots"):
        new_settings(GAME, bots, [])
    with pytest.raises(BadSpec, match="the anchor is one of the agents"):
        League.create(tmp_path / "x", GAME, new_settings(GAME, bots, ["random"], anchor="me"))
    with pytest.raises(BadSpec, match="expected a folder of bots"):
        League.create(tmp_path / "x", GAME, new_settings(GAME, tmp_path / "no", ["random"]))
    sea = make_game("battleship")
    with pytest.raises(BadSpec, match="two seats"):
        League.create(tmp_path / "x", sea, new_settings(sea, bots, ["random"]))
    with pytest.raises(TriremeError, match="is no league"):
        League.open(tmp_path)
    (tmp_path / "league.json").write_text('{"league": [')
    with pytest.raises(TriremeError, match="can't be read"):
        League.open(tmp_path)
    new_league(tmp_path)
    with pytest.raises(TriremeError, match="holds a league already"):
        new_league(tmp_path)
    (bots / "first.py").unlink()
    (bots / "last.py").unlink()
    with pytest.raises(TriremeError, match="nobody to play against"):
        League.open(tmp_path / "league").run(rounds=1, executor="serial")
