"""Playing: whose turn it is, whose fault it is, and what is written down."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest
from numpy.random import Generator

from trireme import (
    CHANCE,
    AgentNotReady,
    Forfeit,
    Game,
    IllegalAction,
    Listed,
    Seat,
    Session,
    TriremeError,
    play,
)
from trireme.core.fault_trace import MAX_TRACEBACK
from trireme.core.forfeit import MOST_DETAIL, AgentFault, bounded, describe_error, fault_of, shown
from trireme.core.game import close
from trireme.core.play import answer_limit, decide, prepare_agent
from trireme.core.seeding import stream
from trireme.core.transcript import Exchange
from trireme.gomoku.rules import Gomoku


@dataclass(frozen=True)
class Coins:
    """Nature hides a coin, then both seats guess together, twice."""

    coin: int | None = None
    guesses: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Guess(Game[Coins, int, Coins]):
    name = "gomoku"  # a name of the registry, so that records can be told apart from foreign ones
    rounds: int = 2

    @property
    def seats(self) -> int:
        return 2

    def start(self) -> Coins:
        return Coins()

    def to_move(self, state: Coins) -> tuple[Seat, ...]:
        if state.coin is None:
            return (CHANCE,)
        return (0, 1) if len(state.guesses) < self.rounds else ()

    def legal(self, state: Coins, seat: Seat) -> Listed[int]:
        return Listed((0, 1))

    def apply(self, state: Coins, actions: Mapping[Seat, int]) -> Coins:
        if CHANCE in actions:
            return replace(state, coin=actions[CHANCE])
        return replace(state, guesses=(*state.guesses, (actions[0], actions[1])))

    def view(self, state: Coins, seat: Seat | None) -> Coins:
        return replace(state, coin=None if self.to_move(state) else state.coin)

    def determinize(self, view: Coins, rng: Generator) -> Coins:
        return replace(view, coin=int(rng.integers(2)))

    def returns(self, state: Coins) -> tuple[float, ...]:
        right = [sum(g[s] == state.coin for g in state.guesses) for s in (0, 1)]
        lead = float((right[0] > right[1]) - (right[0] < right[1]))
        return (lead, -lead)

    def hides(self, actor: Seat, action: int, viewer: Seat | None) -> bool:
        return actor == CHANCE

    def write(self, action: int) -> str:
        return "ht"[action]

    def read(self, text: str) -> int:
        return "ht".index(text)


class Always:
    def __init__(self, action: Any) -> None:
        self.action, self.name = action, f"always {action}"

    def act(self, turn: Any) -> Any:
        return self.action


class Raises:
    name = "raises"

    def act(self, turn: Any) -> Any:
        raise RuntimeError("no idea")


def session(**options: Any) -> Session:
    return Session(Guess(), ["a", "b"], seed=1, **options)


def test_nature_moves_by_itself_and_is_recorded() -> None:
    lines: list[str] = []
    game = session(sink=lines.append)
    assert game.to_move == (0, 1)
    assert '"chance":' in lines[1]


def test_an_opening_moves_for_nature_and_for_seats() -> None:
    game = session(opening=["t", {0: "h", 1: "t"}])
    assert game.state == Coins(1, ((0, 1),))


def test_a_watcher_is_called_after_every_move() -> None:
    seen: list[int] = []
    play(Guess(), [Always(0), Always(1)], seed=1, on_move=lambda s: seen.append(s.moves))
    assert seen == [2, 3]  # the first move is nature's


def test_who_is_prepared_is_asked_whether_it_fits_first() -> None:
    asked: list[str] = []

    class Careful(Always):
        def fits(self, game: Any) -> None:
            asked.append("fits")

        def prepare(self, game: Any) -> None:
            asked.append("prepare")

    prepare_agent(Careful(0), Guess(), "careful")
    assert asked == ["fits", "prepare"]


def test_an_adjudicated_game_is_over_with_the_returns_that_it_was_given() -> None:
    lines: list[str] = []
    game = session(sink=lines.append)
    game.adjudicate((-1.0, 1.0), "it was decided")
    assert (game.over, game.returns) == (True, (-1.0, 1.0))
    assert '"end":"adjudicated"' in lines[-1]
    assert '"reason":"it was decided"' in lines[-1]
    with pytest.raises(IllegalAction, match="the game is over"):
        game.adjudicate((1.0, -1.0), "again")
    assert game.returns == (-1.0, 1.0)


@pytest.mark.parametrize("opening", [["t", {0: "h"}], ["t", {0: "h", 1: "t", 2: "t"}]])
def test_an_opening_must_move_for_everybody_who_moves(opening: Any) -> None:
    with pytest.raises(TriremeError):
        session(opening=opening)


def test_an_opening_may_not_go_beyond_the_end() -> None:
    both = {0: "h", 1: "t"}
    with pytest.raises(IllegalAction, match="over before the opening move"):
        session(opening=["t", both, both, both])


def test_nature_draws_the_same_whoever_plays() -> None:
    coins = {play(Guess(), [Always(a), Always(b)], seed=5).state.coin for a in "01" for b in "01"}
    assert len(coins) == 1
    assert stream(5, 0).integers(1 << 30) != stream(5, 1).integers(1 << 30)


def test_seats_that_move_together_must_all_move() -> None:
    game = session()
    with pytest.raises(IllegalAction, match=r"expected the moves of seats \[0, 1\], not of \[0\]"):
        game.move({0: 1})


def test_the_better_guesser_wins() -> None:
    result = play(Guess(), [Always(0), Always(1)], seed=2)
    winner = result.state.coin
    assert result.returns == ((1.0, -1.0) if winner == 0 else (-1.0, 1.0))
    assert result.decisions == (2, 2)


@pytest.mark.parametrize(
    ("agent", "reason", "detail"),
    [
        (Raises(), "exception", "RuntimeError: no idea"),
        (Always(7), "illegal", "no action"),
        (Always(None), "illegal", "expected int, such as 1, or text such as 't'; not the NoneType"),
        (
            Always("nonsense"),
            "illegal",
            "expected int, such as 1, or text such as 't'; not the str",
        ),
        (object(), "exception", "AttributeError"),
    ],
)
def test_a_failing_agent_forfeits_with_its_reason(agent: Any, reason: str, detail: str) -> None:
    if not hasattr(agent, "name"):
        agent = type("Nameless", (), {"name": "nameless"})()
    result = play(Guess(), [Always(0), agent], seed=1)
    assert result.returns == (1.0, -1.0)
    (fault,) = result.forfeits
    assert (fault.seat, fault.reason) == (1, reason)
    assert detail in fault.detail
    assert result.record.end is not None
    assert result.record.end.forfeits == result.forfeits


def test_a_traceback_begins_in_the_agents_own_code() -> None:
    trace = play(Guess(), [Raises(), Always(0)], seed=1).tracebacks[0]
    assert "RuntimeError: no idea" in trace
    assert "in act" in trace
    assert 'play.py", line' not in trace.replace("test_play.py", "")


def test_a_long_traceback_keeps_its_end() -> None:
    class Verbose(Always):
        def act(self, turn: Any) -> Any:
            raise RuntimeError("x" * MAX_TRACEBACK + "the end")

    trace = play(Guess(), [Verbose(0), Always(0)], seed=1).tracebacks[0]
    assert len(trace) == MAX_TRACEBACK
    assert trace.startswith("…")
    assert trace.endswith("the end\n")


def test_strict_raises_what_the_agent_raised() -> None:
    class Unprepared(Always):
        def prepare(self, game: Any) -> None:
            raise OSError("no weights")

    for agent, error in ((Raises(), RuntimeError), (Unprepared(0), OSError), (Always(7), None)):
        with pytest.raises(Forfeit) as caught:
            play(Guess(), [Always(0), agent], seed=1, strict=True)
        assert caught.value.seat == 1
        if error is not None:
            assert type(caught.value.__cause__) is error


def test_nobody_wins_when_all_forfeit() -> None:
    assert play(Guess(), [Raises(), Raises()], seed=1).returns == (0.0, 0.0)


def test_a_slow_agent_forfeits_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = count(step=3)  # every look at the clock is three seconds later
    monkeypatch.setattr("trireme.core.play.time.perf_counter", lambda: next(seconds))
    result = play(Guess(), [Always(0), Always(0)], seed=1, seconds=2.5)
    assert [(f.seat, f.reason) for f in result.forfeits] == [(0, "time"), (1, "time")]
    assert play(Guess(), [Always(0), Always(0)], seed=1, seconds=3.0).seconds == (6.0, 6.0)


def test_a_failing_preparation_forfeits() -> None:
    class Unprepared(Always):
        def prepare(self, game: Any) -> None:
            raise OSError("no weights")

    result = play(Guess(), [Always(0), Unprepared(0)], seed=1)
    assert result.forfeits[0].detail.startswith("OSError: no weights (test_play.py, line ")
    assert 'raise OSError("no weights")' in result.tracebacks[1]


def test_a_preparation_says_itself_what_is_missing() -> None:
    class Unready(Always):
        def prepare(self, game: Any) -> None:
            raise self.action

    for error in (AgentNotReady("no weights"), Forfeit(0, "process", "gone")):
        with pytest.raises(type(error)) as caught:
            prepare_agent(Unready(error), Guess(), "me")
        assert caught.value is error
    with pytest.raises(AgentNotReady, match="no weights"):
        play(Guess(), [Unready(AgentNotReady("no weights")), Always(0)], seed=1)
    with pytest.raises(AgentNotReady, match="me can't play gomoku here: no weights"):
        prepare_agent(Unready(TriremeError("no weights")), Guess(), "me")


class Interrupted(Always):
    """Ctrl-C arrives while it prepares, or while it decides."""

    def act(self, turn: Any) -> Any:
        raise KeyboardInterrupt

    def prepare(self, game: Any) -> None:
        if self.action == "prepare":
            raise KeyboardInterrupt


class Interrupts(Forfeit):
    """Ctrl-C arrives at the first look at it; pytest, which shows it, has the second."""

    looks = 0

    def __init__(self) -> None:
        pass

    def _look(self, *_: object) -> str:
        self.looks += 1
        if self.looks == 1:
            raise KeyboardInterrupt
        return "seen"

    __str__ = __repr__ = _look

    def __eq__(self, other: object) -> bool:
        return self._look() == other


def test_an_interrupt_is_not_the_agents_fault() -> None:
    compared = Always(0)
    compared.action = Interrupts()
    for agent in (Interrupted("prepare"), Interrupted("act"), compared):
        with pytest.raises(KeyboardInterrupt):
            play(Guess(), [agent, Always(0)], seed=1)
    for look in (describe_error, shown):
        with pytest.raises(KeyboardInterrupt):
            look(Interrupts())

    class Blames(Interrupts):
        __str__ = object.__repr__
        reason = property(Interrupts._look)

    with pytest.raises(KeyboardInterrupt):
        fault_of(0, Blames())


def test_a_forfeit_says_who_why_and_how() -> None:
    assert str(Forfeit(1, "time", "took 3 s")) == "seat 1 forfeits (time): took 3 s"


def test_an_error_without_a_text_says_where_it_was_raised() -> None:
    def inner() -> None:
        raise ValueError

    line = inspect.getsourcelines(inner)[1] + 1
    with pytest.raises(ValueError, match=r"^$") as caught:
        inner()
    assert describe_error(caught.value) == f"ValueError: raised in test_play.py, line {line}"
    assert describe_error(ValueError()) == "ValueError: "


def test_the_place_of_an_error_is_named_once() -> None:
    line = inspect.getsourcelines(Faults.act)[1] + 1
    with pytest.raises(Forfeit) as caught:
        decide(Faults(ValueError()), session().turn(0))
    assert caught.value.detail == f"ValueError: raised in test_play.py, line {line}"
    assert fault_of(0, ValueError("lost")).detail == "ValueError: lost", "never raised: no place"


def test_what_can_not_be_written_is_illegal_though_it_passes_the_check() -> None:
    # 1.0 equals the legal action 1, but is none: it has no text.
    (fault,) = play(Guess(), [Always(0), Always(1.0)], seed=1).forfeits
    assert (fault.seat, fault.reason) == (1, "illegal")
    assert "not the float 1.0" in fault.detail
    held = session()
    with pytest.raises(IllegalAction, match=r"not the float 1\.0"):
        held.move({0: 0, 1: 1.0})
    assert held.moves == 1, "only nature's move stands"


def test_exchanges_of_all_seats_and_moves_are_kept_in_order() -> None:
    class Talks(Always):
        def take_exchanges(self) -> list[Exchange]:
            return [Exchange("model", "ask", str(self.action))]

    result = play(Guess(), [Talks(0), Talks(1)], seed=1)
    stamps = [(e.seat, e.move, e.answer) for e in result.exchanges]
    assert stamps == [(0, 2, "0"), (1, 2, "1"), (0, 3, "0"), (1, 3, "1")], "1 is nature's move"


def test_deciding_passes_a_forfeit_on() -> None:
    class GivesUp(Always):
        def act(self, turn: Any) -> Any:
            raise Forfeit(turn.seat, "process", "the engine died")

    with pytest.raises(Forfeit, match="the engine died"):
        decide(GivesUp(0), session().turn(0))


class Faults(Always):
    """Raises what it is given."""

    def act(self, turn: Any) -> Any:
        raise self.action


class LostProcess(AgentFault):
    reason = "process"


class StrangeFault(AgentFault):
    reason = "bad luck"


@pytest.mark.parametrize(
    ("error", "reason", "detail"),
    [
        (Forfeit(0, "process", "the engine died"), "process", "the engine died"),
        (Forfeit(0, "bad luck", "rain"), "exception", "rain"),
        (LostProcess("gone"), "process", "gone"),
        (StrangeFault("rain"), "exception", "rain"),
        (AgentFault("plain"), "exception", "plain"),
        (OSError("disk"), "exception", "OSError: disk"),
        (SystemExit(3), "exception", "SystemExit: 3"),
    ],
)
def test_a_fault_keeps_its_reason_and_stays_with_its_seat(
    error: BaseException, reason: str, detail: str
) -> None:
    with pytest.raises(Forfeit) as caught:
        decide(Faults(error), session().turn(1))
    fault = caught.value
    assert (fault.seat, fault.reason) == (1, reason)
    own = not isinstance(error, AgentFault | Forfeit)
    line = inspect.getsourcelines(Faults.act)[1] + 1
    assert fault.detail == detail + (f" (test_play.py, line {line})" if own else "")
    assert ("raise self.action" in fault.traceback) == own


@pytest.mark.parametrize(("took", "forfeits"), [(0.5, False), (2.149, False), (2.151, True)])
def test_a_decision_has_grace_of_its_budget_and_of_the_clock(
    monkeypatch: pytest.MonkeyPatch, took: float, forfeits: bool
) -> None:
    # 2 s, 5 % of it, and 0.05 s on top.
    clock = iter([10.0, 10.0 + took])
    monkeypatch.setattr("trireme.core.play.time.perf_counter", lambda: next(clock))
    turn = session().turn(0, 2.0)
    if forfeits:
        with pytest.raises(Forfeit, match=r"took 2.151 s of 2 s"):
            decide(Always(1), turn)
    else:
        assert decide(Always(1), turn) == (1, pytest.approx(took))


def test_an_answer_is_awaited_to_the_end_of_its_clock_or_budget_and_a_moment_more() -> None:
    turn = session().turn(0, 2.0)
    assert answer_limit(turn, 60.0) == pytest.approx(2 * 1.05 + 0.05)
    assert answer_limit(replace(turn, clock=7.0), 60.0) == pytest.approx(7.05)
    assert answer_limit(session().turn(0), 60.0) == 60.0


def test_a_long_explanation_is_cut() -> None:
    assert bounded("x" * MOST_DETAIL) == "x" * MOST_DETAIL
    cut = bounded("x" * (MOST_DETAIL + 1))
    assert cut == "x" * (MOST_DETAIL - 1) + "…"
    assert bounded("a\ud800b") == "a?b"


def test_undo_is_refused_where_something_was_seen() -> None:
    with pytest.raises(IllegalAction, match="no undo"):
        session().undo()


def test_a_seat_for_everybody() -> None:
    with pytest.raises(TriremeError, match="has 2 seats, not 1"):
        Session(Guess(), ["a"])

    prepared: list[Any] = []

    class Noted(Always):
        def prepare(self, game: Any) -> None:
            prepared.append(game)

    with pytest.raises(TriremeError, match="has 2 seats, not 1"):
        play(Guess(), [Noted(0)])
    assert not prepared, "no agent is prepared for a game that is not played"


def test_closing_gives_processes_back() -> None:
    closed: list[int] = []

    class Holder(Always):
        def close(self) -> None:
            closed.append(1)

    close([Holder(0), Always(0)])
    assert closed == [1]


def test_only_agents_that_were_made_from_specs_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []

    class Holder(Always):
        def close(self) -> None:
            closed.append(self.label)

        label = "given"

    made = Holder(0)
    made.label = "made"
    monkeypatch.setattr("trireme.core.play.make_agent", lambda *_: made)
    play(Guess(), ["made", Holder(0)], seed=1)
    assert closed == ["made"]


def test_a_game_that_is_over_is_not_taken_back() -> None:
    held = Session(Gomoku(size=5), ["a", "b"])
    for cell in ("a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "e1"):
        held.move({seat: held.game.read(cell) for seat in held.game.to_move(held.state)})
    assert held.over
    with pytest.raises(IllegalAction, match="the game is over"):
        held.undo()
    with pytest.raises(IllegalAction, match="the game is over"):
        held.move({})
