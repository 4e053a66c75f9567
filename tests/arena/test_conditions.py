"""Conditions of a match: opening files, match clocks, adjudication, normalised Elo, pinning."""

import math
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from trireme import BadSpec, load_record, make_game
from trireme.arena import Match, Sprt, entrants, run_match, schedule, schedule_hash, start
from trireme.arena.adjudication import Adjudication
from trireme.arena.executors import ArenaError, make_executor
from trireme.arena.job import Job, NoMonitor
from trireme.arena.match import from_plain, to_plain
from trireme.arena.match_clock import SeatClock, TimeControl
from trireme.arena.opening_file import read_openings
from trireme.arena.player import FixturePlayer
from trireme.arena.statistics.normalized_elo import (
    SCORES,
    constrained_to_normalized,
    normalized_elo,
)
from trireme.cli.match_options import read_sprt, warn_of_repeated_openings
from trireme.core.move_report import MOST_NOTE, MoveReport, read_report, report_fields
from trireme.core.play import GRACE
from trireme.gomoku.adjudication import MOST_PLIES, ForcedWins
from trireme.gomoku.engine.threat_prover import WinningLine
from trireme.gomoku.rules import Gomoku, GomokuState, read_points

GAME = make_game("gomoku", size=9)


def match(*agents: Any, game: Any = GAME, **conditions: Any) -> Match:
    return Match(game, entrants(game, agents), isolate=False, **conditions)


def written(folder: Path, text: str) -> Path:
    file = folder / "openings.txt"
    file.write_text(text, encoding="utf-8")
    return file


def test_rounds_play_the_openings_of_a_file_in_order_and_begin_again(tmp_path: Path) -> None:
    file = written(tmp_path, "# two\ne5 f5\n\nsize=11 f6 # larger\n")
    openings = read_openings(file, GAME)
    assert openings == ("e5 f5", "size=11 f6")
    made = match("a=random", "b=random", games=6, openings=openings)
    fixtures = list(schedule(made))
    assert [f.opening for f in fixtures] == [("e5", "f5")] * 2 + [("f6",)] * 2 + [("e5", "f5")] * 2
    assert [f.game.size for f in fixtures] == [9, 9, 11, 11, 9, 9]  # type: ignore[attr-defined]
    done = run_match(start(made, tmp_path / "run"), executor="serial")
    record = load_record(tmp_path / "run" / "records" / "000002.jsonl")
    assert record.moves[0] == {0: "f6"}
    assert done.complete
    assert from_plain(to_plain(made)) == made


def test_fleets_and_joint_moves_are_written_as_json(tmp_path: Path) -> None:
    game = make_game("battleship")
    session = next(iter(schedule(Match(game, entrants(game, ["random"]), games=1))))
    done = run_match(
        start(Match(game, entrants(game, ["random"]), games=1), tmp_path / "one"), executor="serial"
    )
    assert done.outcomes[0].moves
    fleet = load_record(tmp_path / "one" / "records" / "000000.jsonl").moves[0][-1]
    line = f'{{"moves": ["{fleet}"]}}'
    (opening,) = read_openings(written(tmp_path, line), game)
    made = Match(game, entrants(game, ["random"]), games=1, seed=9, openings=(opening,))
    run_match(start(made, tmp_path / "two"), executor="serial")
    assert session.opening == ()
    assert load_record(tmp_path / "two" / "records" / "000000.jsonl").moves[0][-1] == fleet


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no opening"),
        ("# nothing\n\n", "has no opening"),
        ("e5\ne5 e5\n", "line 2: .*"),
        ("z99", "line 1: "),
        ("size=99", "line 1: .*size"),
        ("sise=9", "line 1: .*size"),
        ('{"moves": 3}', "line 1: expected an opening as JSON"),
        ('{"move": []}', "line 1: expected an opening as JSON"),
        ("{" * 5000, "line 1: expected an opening as JSON"),
        ("a1 b1 a2 b2 a3 b3 a4 b4 a5", "the game is over after these moves"),
    ],
)
def test_a_file_that_is_no_opening_file_is_refused_by_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(BadSpec, match=message):
        read_openings(written(tmp_path, text), GAME)


def test_a_start_for_another_number_of_seats_is_refused(tmp_path: Path) -> None:
    line = written(tmp_path, '{"settings": {"duel": false}}')
    with pytest.raises(BadSpec, match="line 1: 1 seats, where the match has 2"):
        read_openings(line, make_game("battleship", duel=True))


def test_a_file_that_can_not_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSpec, match="can't read"):
        read_openings(tmp_path / "none.txt", GAME)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadSpec, match="not text in UTF-8"):
        read_openings(tmp_path / "binary", GAME)


def test_new_conditions_change_the_hash_and_old_matches_keep_theirs() -> None:
    base = match("a=random", "b=random", games=2)
    others = [
        replace(base, clock=TimeControl(9)),
        replace(base, adjudication=Adjudication(0.9)),
        replace(base, openings=("e5",)),
        replace(base, format="knockout"),
        replace(base, format="swiss"),
        replace(base, sprt=Sprt(0, 9)),
        replace(base, sprt=Sprt(0, 9, normalized=True)),
    ]
    assert len({schedule_hash(m) for m in (base, *others)}) == 8
    assert all(from_plain(to_plain(made)) == made for made in others)
    assert "clock" not in to_plain(base)
    assert "normalized" not in Sprt(0, 9).to_plain()


def test_clocks_are_read_and_refused() -> None:
    assert TimeControl.parse("30") == TimeControl(30.0, 0.0)
    for text in ("", "1+2+3", "x", "0+1", "-1", "5+-1", "nan", "inf", "1+nan"):
        with pytest.raises(BadSpec, match=r"clock|increment"):
            TimeControl.parse(text)
    with pytest.raises(BadSpec, match="leave one of them out"):
        match("a=random", "b=random", seconds=1.0, clock=TimeControl(5))


def test_a_flag_falls_after_the_grace() -> None:
    assert SeatClock(TimeControl(GRACE)).spend(2 * GRACE)
    assert not SeatClock(TimeControl(GRACE)).spend(2.01 * GRACE)


def test_a_clock_runs_down_and_gains_its_increment() -> None:
    clock = SeatClock(TimeControl(50, 2))
    assert clock.budget == 50 / 25 + 2
    assert clock.spend(10)
    assert clock.left == 42
    assert clock.spend(42.04), "a moment is forgiven"
    assert clock.left == 2
    assert clock.budget == 2, "never more than is left"
    assert not clock.spend(2.1)


@dataclass
class Clocked:
    """Notes what it is told of the time, and takes as much as it is asked to."""

    name: str = "clocked"
    seen: list[tuple[float | None, float | None]] = field(default_factory=list)
    value: float | None = None
    note: str = ""

    def __deepcopy__(self, _: Any) -> "Clocked":
        return self

    def act(self, turn: Any) -> Any:
        self.seen.append((turn.seconds, turn.clock))
        return turn.legal.sample(turn.rng)


class Ticks:
    """A clock that advances by a fixed step at every look."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def play_first(made: Match) -> Any:
    player = FixturePlayer(Job.of(made))
    return player.play(next(schedule(made)), NoMonitor())


def test_agents_see_their_clock_and_lose_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = Clocked("one"), Clocked("two")
    made = match(one, two, games=2, clock=TimeControl(10, 0.5), openings=("e5",))
    monkeypatch.setattr("trireme.arena.guarded_agents.time.perf_counter", Ticks(3.0))
    # Two looks of the agent's guard and two of `play` are 3 s each apart: a move takes 3 s of the
    # seat's clock, which gives it 10, 7.5, 5, 2.5.
    played = play_first(made)
    (forfeit,) = played.outcome.forfeits
    assert (forfeit.reason, forfeit.seat) == ("time", 1)
    assert "left on its clock" in forfeit.detail
    assert [clock for _, clock in two.seen] == [10, 7.5, 5, 2.5]
    assert [seconds for seconds, _ in two.seen] == pytest.approx([0.9, 0.8, 0.7, 0.6])


def test_without_a_clock_nothing_is_said_of_one(tmp_path: Path) -> None:
    one = Clocked("one")
    play_first(match(one, "b=random", games=2, openings=("e5",)))
    assert set(one.seen) == {(None, None)}


def test_a_game_ends_when_both_agents_agree(tmp_path: Path) -> None:
    sure, lost = Clocked("sure", value=0.95, note="winning"), Clocked("lost", value=-0.92)
    rule = Adjudication(0.9, 4)
    made = match(sure, lost, games=2, adjudication=rule, openings=("e5",))
    folder = start(made, tmp_path / "run")
    done = run_match(folder, executor="serial")
    assert [o.returns for o in done.outcomes.values()] == [(1.0, -1.0), (-1.0, 1.0)]
    assert [o.moves for o in done.outcomes.values()] == [1 + 4, 1 + 4]
    record = load_record(folder.record_path(0))
    record.verify()
    assert record.end is not None
    assert (record.end.end, record.end.reason) == ("adjudicated", "both agents agree for 4 moves")
    line = record.text.splitlines()[3]
    assert '"values":{"0":0.95}' in line
    assert '"notes":{"0":"winning"}' in line


@pytest.mark.parametrize("other", [0.5, 0.95, None, float("nan"), "sure"])
def test_a_game_goes_on_without_agreement(other: Any) -> None:
    made = match(
        Clocked("a", value=0.95),
        Clocked("b", value=other),
        games=2,
        adjudication=Adjudication(0.9, 2),
    )
    played = play_first(made)
    assert '"end":"over"' in played.record


def test_a_proven_win_ends_a_game_and_agrees_with_the_rules() -> None:
    """Black has an open four threatened by three in a row with free ends, and moves."""
    game = Gomoku(size=9)
    won = GomokuState(tuple(read_points(game, "d5a1e5a9f5i1")))
    assert ForcedWins(game)(won) is None, "so few stones are not looked at"
    won = GomokuState(tuple(read_points(game, "d5a1e5a9f5i1a5i9")))
    assert ForcedWins(game)(won) == 0
    swapped = Gomoku(size=9, opening="swap2")
    assert ForcedWins(swapped)(won) is None, "nobody has chosen black yet"
    assert ForcedWins(swapped)(replace(won, choices=("black",))) == 1
    quiet = GomokuState(tuple(read_points(game, "a1i9a9i1e5c3g7b8")))
    assert ForcedWins(game)(quiet) is None


@pytest.mark.parametrize("plies", [1, MOST_PLIES, MOST_PLIES + 1])
def test_only_wins_that_the_checker_can_follow_are_looked_at(
    plies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Gomoku(size=9)
    wins = ForcedWins(game)
    line = WinningLine(plies, (40,))
    monkeypatch.setattr(wins, "_prover", Mock(size=9, winning_line=lambda _: line))
    escapes = Mock(return_value=None)
    monkeypatch.setattr(wins, "_checker", Mock(escapes=escapes))
    state = GomokuState(tuple(read_points(game, "d5a1e5a9f5i1a5i9")))
    assert wins(state) == (0 if plies <= MOST_PLIES else None)
    assert escapes.called == (plies <= MOST_PLIES)
    escapes.return_value = (4, 4)
    assert wins(state) is None, "what the checker refutes is no win"


def test_a_match_is_adjudicated_by_proof(tmp_path: Path) -> None:
    made = match(
        "a=random",
        "b=random",
        games=2,
        adjudication=Adjudication(proof=True),
        openings=("d5 a1 e5 a9 f5 i1 a5",),
    )
    folder = start(made, tmp_path / "run")
    done = run_match(folder, executor="serial")
    assert [o.returns for o in done.outcomes.values()] == [(1.0, -1.0)] * 2
    record = load_record(folder.record_path(0))
    assert record.end is not None
    assert record.end.reason == "a forced win is proven and checked"


@pytest.mark.parametrize("text", ["", "x", "0.9,x", "0,4", "1.5", "nan", "0.9,1", "0.9,4,5"])
def test_senseless_adjudication_is_refused(text: str) -> None:
    with pytest.raises(BadSpec, match=r"expected a value|value of an agreement|2 moves or more"):
        Adjudication.parse(text)
    assert Adjudication.parse(None) is None
    assert Adjudication.parse(None, proof=True) == Adjudication(proof=True)
    assert Adjudication.parse("0.8", proof=True) == Adjudication(0.8, 6, proof=True)


def test_games_without_proofs_or_opponents_are_not_adjudicated() -> None:
    with pytest.raises(BadSpec, match="no proofs of forced wins"):
        match(
            "a=random",
            "b=random",
            game=make_game("navigation"),
            adjudication=Adjudication(proof=True),
        )
    with pytest.raises(BadSpec, match="two seats"):
        match("a=random", game=make_game("battleship"), adjudication=Adjudication(0.9))


def test_what_agents_report_is_bounded() -> None:
    class Odd:
        note = "x" * 9999 + "\ud800"

        @property
        def value(self) -> float:
            raise SystemExit

    assert read_report(Odd(), 1.0) == MoveReport(1.0)
    loud = Clocked(value=7.0, note="y" * 9999)
    assert read_report(loud, 1.0) == MoveReport(1.0, 1.0, "y" * (MOST_NOTE - 1) + "…")
    fields = report_fields({1: MoveReport(0.25), 0: MoveReport(0.5, -1.0, "hm")})
    assert fields == {"seconds": {"0": 0.5, "1": 0.25}, "values": {"0": -1.0}, "notes": {"0": "hm"}}


def test_normalised_elo_is_the_t_value_of_a_game() -> None:
    """Without draws and with independent games, a small difference is the same in both scales."""
    p = 0.5 + 0.01
    independent = [(1 - p) ** 2, 0.0, 2 * p * (1 - p), 0.0, p**2]
    logistic = -400 * math.log10(1 / p - 1)
    assert normalized_elo(independent) == pytest.approx(logistic, rel=1e-3)
    assert normalized_elo([0, 0.45, 0.0, 0.55, 0]) == pytest.approx(
        800 / math.log(10) * 0.025 / (math.sqrt(2) * math.sqrt(0.0625 - 0.025**2))
    )


@pytest.mark.parametrize("elo", [-40.0, 0.0, 5.0, 60.0])
def test_constrained_frequencies_have_the_elo_and_the_highest_likelihood(elo: float) -> None:
    shares = np.array([0.07, 0.21, 0.4, 0.22, 0.1])
    found = constrained_to_normalized(shares, elo)
    assert found.sum() == pytest.approx(1)
    assert normalized_elo(found) == pytest.approx(elo, abs=1e-4)
    best = float(shares @ np.log(found))
    rng = np.random.default_rng(0)
    for _ in range(300):
        near = np.abs(found + rng.normal(0, 0.02, len(SCORES)))
        near = constrained_to_normalized(near / near.sum(), elo)
        assert float(shares @ np.log(near)) <= best + 1e-9


def test_a_normalised_test_decides_like_the_ordinary_one_where_nothing_is_drawn() -> None:
    counts = [20, 0, 55, 0, 40]
    ordinary, normalised = Sprt(0, 10).llr(counts), Sprt(0, 10, normalized=True).llr(counts)
    assert normalised == pytest.approx(ordinary, rel=0.12)
    drawish = [1, 20, 500, 40, 2]
    assert Sprt(0, 10, normalized=True).llr(drawish) > 0 > Sprt(0, 20).llr(drawish)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no pinning")
def test_pinned_workers_have_a_core_each() -> None:
    made = match("a=random", "b=random", games=8)
    cores = sorted(os.sched_getaffinity(0))
    with make_executor("processes", Job.of(made), workers=len(cores), pin=True) as executor:
        seen = set()
        for _ in executor.run(list(schedule(made))):
            for pid in executor.pids():  # type: ignore[attr-defined]
                (core,) = os.sched_getaffinity(pid)
                seen.add(core)
    assert seen <= set(cores)
    assert seen


def test_pinning_needs_a_core_for_each_worker() -> None:
    job = Job.of(match("a=random", "b=random"))
    with pytest.raises(ArenaError, match="executor processes"):
        make_executor("serial", job, pin=True)
    with pytest.raises(ArenaError, match="can't have a core each"):
        make_executor("processes", job, workers=10_000, pin=True)


def test_options_that_need_another_are_refused_and_repeated_openings_announced(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(BadSpec, match="give both"):
        read_sprt(None, normalized=True)
    assert read_sprt("0,9", normalized=True) == Sprt(0, 9, normalized=True)
    assert read_sprt(None, normalized=False) is None
    warn_of_repeated_openings(match("a=random", "b=random", games=4, openings=("e5", "d4")))
    assert capsys.readouterr().err == ""
    warn_of_repeated_openings(match("a=random", "b=random", games=6, openings=("e5", "d4")))
    assert "Openings: 2 for 3 rounds" in capsys.readouterr().err
