"""Hostile agents in a process of their own see nothing hidden and harm nobody."""

import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from trireme import AgentNotReady, make_agent, make_game, play
from trireme.core.forfeit import MOST_DETAIL, AgentFault, Forfeit
from trireme.core.isolation import IsolatedAgent
from trireme.core.session import Session

HOSTILE = Path(__file__).with_name("hostile_agents.py")
SPIES = ("SeedSpy", "FrameSpy", "GarbageSpy", "ModuleSpy", "ProcessSpy", "FileSpy")


@contextmanager
def isolated(name: str, **options: Any) -> Iterator[IsolatedAgent]:
    agent = IsolatedAgent(name, f"{HOSTILE}:{name}", **options)
    try:
        yield agent
    finally:
        agent.close()


def game_with(agent: Any, seed: int = 4) -> Any:
    return play("gomoku:size=9", [agent, "random"], seed=seed)


def test_an_isolated_agent_plays_the_same_game() -> None:
    with isolated("Plain") as agent:
        for seed in (3, 4):  # the second game in the same process
            apart = play("battleship:duel=true", [agent, "random"], seed=seed)
            within = play("battleship:duel=true", ["random", "random"], seed=seed)
            assert apart.record.fingerprint() == within.record.fingerprint()
            assert not apart.forfeits


@pytest.mark.parametrize(
    "spy", [*SPIES[:2], *(pytest.param(spy, marks=pytest.mark.slow) for spy in SPIES[2:])]
)
def test_a_spy_sinks_the_fleet_no_sooner_than_chance(
    spy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fleet takes 17 shots to who knows it; random shots take some 95."""
    monkeypatch.chdir(tmp_path)  # a spy reads every file in the working folder
    with isolated(spy) as agent:
        result = play("battleship", [agent], seed=31_415)
    assert not result.forfeits
    assert len(result.state.seas[0].shots) > 50


@pytest.mark.parametrize("spy", ["FrameSpy", "GarbageSpy"])
def test_the_spies_would_see_the_fleet_in_the_referee_s_process(spy: str) -> None:
    """Else the test above would show nothing."""
    agent = make_agent("battleship", f"{HOSTILE}:{spy}")
    gc.collect()
    gc.freeze()  # fleets of other tests are none that the collector tells of
    try:
        result = play("battleship", [agent], seed=31_415)
    finally:
        gc.unfreeze()
    assert len(result.state.seas[0].shots) < 60


def test_a_generator_tells_nothing_of_the_seed() -> None:
    """The seed spy has the same process, and still finds no fleet."""
    agent = make_agent("battleship", f"{HOSTILE}:SeedSpy")
    assert len(play("battleship", [agent], seed=31).state.seas[0].shots) > 50
    session = Session(make_game("gomoku"), ["a", "b"], seed=123456789)
    rng = session.turn(0).rng
    assert not hasattr(rng.bit_generator.seed_seq, "entropy")
    assert "123456789" not in str(vars(rng.bit_generator.seed_seq))


@pytest.mark.parametrize(
    ("name", "reason", "detail"),
    [
        ("Interrupts", "exception", "KeyboardInterrupt"),
        ("Unprintable", "exception", "_Unprintable: (an error whose text can't be had)"),
        pytest.param("Huge", "exception", "RuntimeError: xxx", marks=pytest.mark.slow),
        ("Surrogates", "exception", "RuntimeError: ??"),
        ("OddAction", "illegal", "; not the Odd (which can't be shown)"),
        ("Blames", "illegal", "it was the other one"),
        ("Hog", "exception", "MemoryError"),
        ("Kills", "process", "ended with status -9"),
    ],
)
def test_a_failing_agent_forfeits_and_nothing_else(name: str, reason: str, detail: str) -> None:
    with isolated(name, memory=1024) as agent:
        result = game_with(agent)
        (forfeit,) = result.forfeits
        assert (forfeit.seat, forfeit.reason) == (0, reason)
        assert detail in forfeit.detail
        assert len(forfeit.detail) <= MOST_DETAIL
        assert result.returns == (-1.0, 1.0)
        assert len(result.record.text) < 10_000


@pytest.mark.parametrize("name", ["Unprintable", "Huge", "Surrogates", "OddAction", "Blames"])
def test_in_the_same_process_too_it_is_a_forfeit(name: str) -> None:
    result = game_with(make_agent("gomoku", f"{HOSTILE}:{name}"))
    (forfeit,) = result.forfeits
    assert forfeit.seat == 0
    assert len(forfeit.detail) <= MOST_DETAIL


@pytest.mark.slow
def test_an_agent_that_ended_is_started_again_for_the_next_game() -> None:
    with isolated("Kills") as agent:
        assert [game_with(agent).forfeits[0].reason for _ in range(2)] == ["process"] * 2


@pytest.mark.slow
def test_what_an_agent_prints_does_not_come_between_its_answers() -> None:
    with isolated("Chatter") as agent, isolated("Plain") as plain:
        said, silent = game_with(agent).record, game_with(plain).record
    assert said.moves == silent.moves


def test_an_agent_can_only_forge_its_own_answers() -> None:
    with isolated("Forger") as agent:
        result = game_with(agent)
    assert all(f.seat == 0 for f in result.forfeits)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_children_end_with_their_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "child"
    monkeypatch.setenv("HOSTILE_CHILD", str(note))
    with isolated("Parent") as agent:
        game_with(agent)
    wait_for_end(int(note.read_text()))


def wait_for_end(process: int) -> None:
    """Wait until a process that was told to end has ended; one that lives on fails the test."""
    status, until = Path(f"/proc/{process}/stat"), time.monotonic() + 20
    while status.exists():
        with suppress(OSError):  # it may end between the two lines
            if status.read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return
        assert time.monotonic() < until, f"process {process} lives on"


def test_a_spec_that_can_t_be_made_is_an_error_and_no_forfeit() -> None:
    with isolated("Nobody") as agent, pytest.raises(AgentNotReady, match="unknown class"):
        game_with(agent)


class _NoText(str):
    """Text that fails in whatever is done with it."""

    def __str__(self) -> str:
        raise SystemExit

    def encode(self, *_: Any) -> bytes:
        raise SystemExit


class _NoReason(AgentFault):
    @property
    def reason(self) -> str:  # type: ignore[override]
        raise SystemExit


class _NoDetail(Forfeit):
    def __init__(self) -> None:
        super().__init__(1, "illegal", "x")
        self.detail = _NoText("x")


@pytest.mark.parametrize("error", [_NoDetail(), _NoReason("x"), RuntimeError(_NoText("x"))])
def test_an_error_can_t_fail_while_it_is_described(error: BaseException) -> None:
    class Raises:
        name = "raises"

        def act(self, turn: Any) -> Any:
            raise error

    (forfeit,) = game_with(Raises()).forfeits
    assert forfeit.seat == 0
    assert forfeit.detail
