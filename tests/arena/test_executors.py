"""Executors: the same results everywhere, whatever agents do and whoever kills workers."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from trireme import make_game
from trireme.arena import Match, Outcome, entrants, results_hash, run_match, start
from trireme.arena.executors import ArenaError, make_executor, processes
from trireme.arena.job import Job
from trireme.arena.outcome import Played
from trireme.arena.schedule import schedule
from trireme.core.agents import Random
from trireme.core.record import parse_record
from trireme.core.seeding import global_seed

AGENTS = Path(__file__).with_name("broken_agents.py")
GAME = make_game("gomoku", size=7)

pytestmark = pytest.mark.usefixtures("no_preflight")


def broken(name: str) -> str:
    return f"{name.lower()}={AGENTS}:{name}"


def match(*agents: object, isolate: bool = True, **conditions: object) -> Match:
    made = entrants(GAME, agents, isolate=False)  # without a process to make each one
    return Match(GAME, made, isolate=isolate, **conditions)  # type: ignore[arg-type]


def run(made: Match, folder: Path, executor: str, workers: int = 2) -> dict[int, Outcome]:
    return run_match(start(made, folder), executor=executor, workers=workers).outcomes


@pytest.mark.parametrize(
    "ways",
    [
        pytest.param([(True, "processes", 2), (False, "serial", 1)], id="some"),
        pytest.param(
            [(True, "serial", 1), (False, "serial", 1), (False, "processes", 3)],
            id="others",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_all_executors_give_the_same_results_isolated_or_not(
    tmp_path: Path, ways: list[tuple[bool, str, int]]
) -> None:
    """Two agents draw from the global generators: neither may disturb what the other draws."""
    agents = (broken("Careful"), f"other={AGENTS}:Careful", Random())
    hashes = []
    for isolate, executor, workers in ways:
        made = match(*agents, games=2, isolate=isolate)
        outcomes = run(made, tmp_path / f"{executor}-{isolate}", executor, workers)
        hashes.append(results_hash(outcomes.values()))
    assert len(set(hashes)) == 1


def test_global_generators_tell_nothing_of_the_seed_and_differ_by_seat() -> None:
    fixture = next(schedule(match("random", "b=random", games=2)))
    seeds = {global_seed(fixture.seed, seat) for seat in (0, 1)}
    assert len(seeds) == 2
    assert fixture.seed not in seeds
    assert global_seed(fixture.seed, 0) != global_seed(fixture.seed + 1, 0)


@pytest.mark.slow
def test_what_agents_print_goes_to_the_log(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for executor in ("serial", "processes"):
        run(match("random", broken("Careful"), games=2), tmp_path / executor, executor)
        assert "thinking aloud" in (tmp_path / executor / "workers.log").read_text()
    assert capfd.readouterr().out == ""


EVERYWHERE = pytest.mark.parametrize(
    ("executor", "isolate"),
    [
        ("serial", False),
        pytest.param("processes", False, marks=pytest.mark.slow),
        ("processes", True),
    ],
)
BROKEN = {
    "Raises": ("exception", "RuntimeError: no idea what to play"),
    "Exits": ("exception", "SystemExit: had enough"),
    "Interrupts": ("exception", "KeyboardInterrupt: raised in broken_agents.py, line"),
    "Odd": ("illegal", "not the _Unequal (which can't be shown)"),
    "Unmakable": ("exception", "OSError: the weights are missing"),
    "Illegal": ("illegal", "(99, 99)"),
    "Nonsense": ("illegal", "; not the object <object"),
}


def check_forfeits(made: Match, outcomes: dict[int, Outcome], reasons: dict[str, Any]) -> None:
    """Every game was played, and lost by the broken agent in it for its own reason."""
    fixtures = {fixture.number: fixture for fixture in schedule(made)}
    assert outcomes.keys() == fixtures.keys()
    for number, outcome in outcomes.items():
        (forfeit,) = outcome.forfeits
        loser = fixtures[number].seats[forfeit.seat]
        reason, detail = reasons[made.names[loser]]
        assert forfeit.reason == reason
        assert detail in forfeit.detail
        assert outcome.returns[forfeit.seat] == -1


@EVERYWHERE
def test_broken_agents_forfeit_and_the_match_goes_on(
    tmp_path: Path, executor: str, isolate: bool
) -> None:
    agents = ["random", *(broken(name) for name in BROKEN)]
    made = match(*agents, games=2, gauntlet=True, isolate=isolate)
    outcomes = run(made, tmp_path / "run", executor, workers=1)
    check_forfeits(made, outcomes, {name.lower(): why for name, why in BROKEN.items()})


@EVERYWHERE
@pytest.mark.parametrize(
    ("agent", "budget", "detail"),
    [("Late", 0.6, " s"), ("Hangs", None, "gave no answer within 1 s")],
)
@pytest.mark.slow
def test_slow_agents_forfeit_and_the_match_goes_on(
    tmp_path: Path, executor: str, isolate: bool, agent: str, budget: float | None, detail: str
) -> None:
    made = match(broken(agent), "random", games=2, seconds=budget, limit=1.0, isolate=isolate)
    outcomes = run(made, tmp_path / "run", executor, workers=1)
    check_forfeits(made, outcomes, {agent.lower(): ("time", detail)})


@pytest.mark.parametrize(
    ("agent", "reason", "detail"),
    [
        ("Dies", "process", "its process ended with status 3"),
        pytest.param(
            "Crashes", "process", "its process ended by signal 11", marks=pytest.mark.slow
        ),
        pytest.param("Stuck", "time", "was ended with its process", marks=pytest.mark.slow),
    ],
)
def test_an_agent_that_takes_its_worker_with_it_forfeits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, reason: str, detail: str
) -> None:
    monkeypatch.setattr(processes, "WATCHDOG_GRACE", 0.5)
    made = match(broken(agent), "random", games=2, limit=1.0, isolate=False)
    outcomes = run(made, tmp_path / "run", "processes", workers=1)
    assert len(outcomes) == 2
    for number, outcome in outcomes.items():
        (forfeit,) = outcome.forfeits
        assert (forfeit.seat, forfeit.reason) == (number % 2, reason)
        assert detail in forfeit.detail
        record = parse_record((tmp_path / f"run/records/{number:06d}.jsonl").read_text())
        record.verify()
        # The moves that were made before it failed are kept.
        assert len(record.moves) == outcome.moves >= number % 2


@pytest.mark.slow
def test_a_worker_killed_from_outside_changes_nothing(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    made = match(f"{AGENTS}:KilledOnce:marker={marker}", "random", games=4, isolate=False)
    marker.touch()
    calm = run(made, tmp_path / "calm", "processes", workers=1)
    marker.unlink()
    killed = run(made, tmp_path / "killed", "processes", workers=1)
    assert marker.exists()
    assert results_hash(calm.values()) == results_hash(killed.values())
    assert not any(o.forfeits for o in killed.values())


@pytest.mark.slow
def test_killing_workers_again_and_again_costs_only_time() -> None:
    made = match("random", f"{AGENTS}:Careful:pause=0.002", games=24)
    fixtures = list(schedule(made))
    with make_executor("serial", Job.of(made)) as crew:
        calm = [p.outcome for p in crew.run(fixtures)]
    found: list[Played] = []
    deaths = 0
    with processes.Processes(Job.of(made), workers=2) as crew:
        for played in crew.run(fixtures):
            found.append(played)
            if len(found) % 4 == 0 and crew.pids():
                os.kill(crew.pids()[len(found) % len(crew.pids())], signal.SIGKILL)
                deaths += 1
    assert deaths >= 3
    assert sorted(p.outcome.number for p in found) == list(range(24))
    assert results_hash(p.outcome for p in found) == results_hash(calm)


def test_workers_that_can_not_start_are_an_error_that_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes.sys, "executable", "/bin/false")
    with pytest.raises(ArenaError, match="workers can't start"):
        run(match("random", "random", games=2), tmp_path / "run", "processes")


@pytest.mark.slow
def test_leaving_early_ends_all_workers() -> None:
    made = match("random", f"{AGENTS}:Careful:pause=0.01", games=40)
    with processes.Processes(Job.of(made), workers=2) as crew:
        next(iter(crew.run(list(schedule(made)))))
        pids = crew.pids()
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize(
    ("name", "workers", "message"),
    [("sereal", 1, "Did you mean 'serial'"), ("processes", 0, "at least one worker")],
)
def test_an_executor_that_does_not_exist_is_refused(name: str, workers: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_executor(name, Job.of(match("random", "random")), workers=workers)
