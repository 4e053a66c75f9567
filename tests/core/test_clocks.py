"""Clocks: agents that use none play the same under any, and budgets come with their grace."""

import inspect
import itertools
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from trireme import make_agent, make_game, play
from trireme.arena.deadline import INTERRUPT_AFTER
from trireme.arena.job import Job
from trireme.core.forfeit import Forfeit
from trireme.core.game import AnyGame, Turn
from trireme.core.isolation import IsolatedAgent
from trireme.core.line_process import MAX_LINE, LineProcess
from trireme.core.options import options_of
from trireme.core.play import GRACE, decide
from trireme.core.process_agent import ProcessAgent
from trireme.core.registry import GAMES, agent_class, agents_of
from trireme.core.session import Session
from trireme.gomoku.agents.gomocup import Gomocup
from trireme.gomoku.agents.search import Search
from trireme.gomoku.rules import Gomoku

TIMED = {
    ("gomoku", "search"),
    ("gomoku", "gomocup"),
    ("gomoku", "zero"),
    ("navigation", "nash"),
    ("navigation", "adaptive"),
    ("battleship", "mcts"),
    ("battleship", "rl+llm"),
    ("gomoku", "dqn+llm"),
    ("gomoku", "zero+llm"),
    *((game, "llm") for game in GAMES),
}
"""Shipped agents whose play depends on the machine or the endpoint unless an option says
otherwise: a clock of their own limits them, or a language model decides."""


@pytest.mark.parametrize(("game", "name"), [(g, a) for g in GAMES for a in agents_of(g)])
def test_every_shipped_agent_says_whether_it_uses_a_clock(game: str, name: str) -> None:
    required = {"cmd", "model"} & {
        option.name
        for option in options_of(agent_class(game, name)).values()
        if option.default is inspect.Parameter.empty
    }
    agent = make_agent(game, ":".join([name, *(f"{option}=x" for option in required)]))
    assert getattr(agent, "timed", False) is ((game, name) in TIMED)


@pytest.mark.parametrize(
    ("game", "spec", "timed"),
    [
        ("gomoku", "search:depth=4", False),
        ("gomoku", "search:nodes=100", False),
        ("gomoku", "search:level=easy", True),
        ("gomoku", "search:seconds=2", True),
        ("gomoku", "search:depth=4,seconds=2", True),
        ("gomoku", "search:nodes=100,seconds=2", True),
        ("gomoku", "zero:simulations=8", False),
        ("gomoku", "zero:simulations=8,seconds=2", True),
        ("navigation", "nash:rounds=3", False),
        ("navigation", "nash:seconds=1", True),
        ("navigation", "nash:rounds=3,seconds=1", True),
        ("navigation", "nash-quick:rounds=none", True),
        ("battleship", "mcts:simulations=100", False),
        ("battleship", "mcts:seconds=0.5", True),
        ("battleship", "mcts:simulations=100,seconds=0.5", True),
    ],
)
def test_a_limit_without_seconds_ends_the_clock(game: str, spec: str, timed: bool) -> None:
    assert make_agent(game, spec).timed is timed  # type: ignore[attr-defined]


class _Immediate(threading.Timer):
    """A timer that is over at once."""

    def start(self) -> None:
        self.function(*self.args, **self.kwargs)


@pytest.fixture
def run_out(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it, and every clock says that any time is over."""

    def run_out() -> None:
        for clock in ("perf_counter", "monotonic", "thread_time"):
            ticks = itertools.count(1e6, 1e6)
            monkeypatch.setattr(time, clock, lambda ticks=ticks: next(ticks))
        monkeypatch.setattr(threading, "Timer", _Immediate)

    return run_out


SMALL_SEA = "battleship:rows=6,cols=6,fleet=4+3+2"
SMALL_MAP = "navigation:turn_limit=3"


@pytest.mark.parametrize(
    ("game", "spec"),
    [
        ("gomoku:size=7", "search:depth=2"),
        ("gomoku:size=9", "search:nodes=2000"),
        ("gomoku:size=7", "dqn+mcts:simulations=24"),
        ("gomoku:size=9", "zero:simulations=8"),
        ("gomoku:size=6", "montecarlo:playouts=30"),
        pytest.param(SMALL_MAP, "nash:rounds=3", marks=pytest.mark.slow),
        (SMALL_MAP, "nash-quick"),
        (SMALL_MAP, "montecarlo:playouts=20"),
        (SMALL_SEA, "mcts:simulations=640,fleets=50,limit=5000"),
        (SMALL_SEA, "lookahead:fleets=50"),
        (SMALL_SEA, "hybrid:samples=5,network=false"),
    ],
)
def test_without_seconds_no_clock_changes_a_game(
    game: str, spec: str, run_out: Callable[[], None]
) -> None:
    if spec.startswith(("dqn", "zero")):
        pytest.importorskip("onnxruntime", reason="networks need onnxruntime")
    made = make_game(game)
    seats = [spec, *["random"] * (made.seats - 1)]
    before = play(made, seats, seed=5)
    assert not before.forfeits
    run_out()
    assert play(made, seats, seed=5).record.fingerprint() == before.record.fingerprint()


@pytest.mark.parametrize(
    ("game", "spec"),
    [
        ("gomoku:size=9", "search:nodes=2000,seconds=1"),
        pytest.param(SMALL_MAP, "nash:rounds=3,seconds=1", marks=pytest.mark.slow),
        (SMALL_SEA, "mcts:simulations=640,fleets=50,limit=5000,seconds=1"),
    ],
)
def test_with_seconds_the_clock_does(game: str, spec: str, run_out: Callable[[], None]) -> None:
    """Else the test above would show nothing."""
    made = make_game(game)
    seats = [spec, *["random"] * (made.seats - 1)]
    before = play(made, seats, seed=5)
    run_out()
    assert play(made, seats, seed=5).record.fingerprint() != before.record.fingerprint()


def test_the_games_budget_limits_a_search_by_depth_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trireme.gomoku.agents.search.expected_wait", lambda: 0.0)
    limits = Search(depth=4)._limits(2.0, strength=_full())
    assert limits.seconds == pytest.approx(2.0 * 0.97 - 0.003)
    assert Search(depth=4)._limits(None, strength=_full()).seconds is None
    assert Search(depth=4, seconds=0.5)._limits(2.0, strength=_full()).seconds < 0.5  # type: ignore[operator]
    assert Search()._limits(None, strength=_full()).seconds == pytest.approx(0.967)


def _full() -> Any:
    from trireme.gomoku.agents.search import LEVELS

    return LEVELS["full"]


ALLOWED = 1.0 * (1 + GRACE) + GRACE
"""Seconds that a decision with a budget of one second may take."""


@pytest.mark.parametrize(("took", "late"), [(1.09, False), (1.11, True)])
def test_a_decision_forfeits_after_its_grace(
    took: float, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = Session(Gomoku(), ["a", "b"], seed=1).turn(0, 1.0)
    ticks = iter([10.0, 10.0 + took])
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    if late:
        with pytest.raises(Forfeit, match=r"took 1\.110 s of 1 s"):
            decide(make_agent("gomoku", "random"), turn)
    else:
        assert decide(make_agent("gomoku", "random"), turn)[1] == pytest.approx(took)


class _Program:
    """A program that answers at once, and notes how long it was waited for."""

    def __init__(self, answer: bytes) -> None:
        self.answer, self.waited = answer, 0.0

    def send(self, line: bytes, seconds: float = 0.0) -> None: ...

    def receive(self, seconds: float) -> bytes:
        self.waited = seconds
        return self.answer


@pytest.mark.parametrize(
    ("agent", "answer", "without"),
    [
        (ProcessAgent("x"), b'{"action": "h8"}', 60.0),
        (IsolatedAgent("x", "x"), b'{"action": "h8"}', 60.0),
        (Gomocup("x"), b"7,7", 35.0),
    ],
    ids=["process", "isolated", "gomocup"],
)
def test_a_program_is_waited_for_with_the_same_grace(
    agent: Any, answer: bytes, without: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    game = Gomoku()
    program = agent._process = _Program(answer)
    agent._game = game
    assert agent.act(_turn(game, 1.0)) == (7, 7)
    assert program.waited == pytest.approx(ALLOWED)
    agent.act(_turn(game, None))
    assert program.waited == pytest.approx(without)


def _turn(game: AnyGame, seconds: float | None) -> Turn[Any, Any]:
    return Session(game, ["a", "b"], seed=1).turn(0, seconds)


def test_the_arena_interrupts_later_than_the_grace_ends() -> None:
    timed = Job((), (), seconds=1.0, limit=60.0, memory=1024)
    assert timed.timeout == pytest.approx(ALLOWED + INTERRUPT_AFTER)
    assert Job((), (), seconds=None, limit=60.0, memory=1024).timeout == 60.0


@pytest.mark.parametrize("length", [65, 70_000, MAX_LINE - 1])
def test_long_lines_come_and_go_whole(length: int) -> None:
    echo = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
    process = LineProcess([sys.executable, "-c", echo])
    try:
        line = b"x" * length
        process.send(line)
        assert process.receive(60) == line + b"\n"
    finally:
        process.end(b"")


def test_an_endless_line_is_cut() -> None:
    process = LineProcess([sys.executable, "-c", f"print('x' * {MAX_LINE + 5})"])
    try:
        assert process.receive(60) == b"x" * MAX_LINE
        assert process.receive(60) == b"xxxxx\n"
    finally:
        process.end(b"")
