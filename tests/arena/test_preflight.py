"""The preflight: a wrong configuration stops a match before its first game, a failing agent does
not."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from trireme import AgentNotReady, BadSpec, make_game
from trireme.arena import Match, entrants, gate, resume, run_match, start
from trireme.arena.match import Entrant

GAME = make_game("gomoku", size=7)
FOREIGN = """
import os
from trireme import BadSpec
class Base:
    name = "foreign"
    def act(self, turn):
        return turn.legal.sample(turn.rng)
class NoWeights(Base):
    def prepare(self, game):
        raise BadSpec(f"no weights for {game.size}")
class Dies(Base):
    def prepare(self, game):
        os._exit(3)
"""


@dataclass
class Prepared:
    """A random player that calls `error` up in its n-th preparation, and counts its closings."""

    name: ClassVar[str] = "prepared"
    error: BaseException | None = None
    at: int = 1
    calls: list[str] = field(default_factory=list)

    def __deepcopy__(self, memo: Any) -> "Prepared":
        return self  # so that the arena's copies share the counter

    def prepare(self, game: Any) -> None:
        self.calls.append("prepare")
        if self.error is not None and self.calls.count("prepare") >= self.at:
            raise self.error

    def act(self, turn: Any) -> Any:
        return turn.legal.sample(turn.rng)

    def close(self) -> None:
        self.calls.append("close")


def match(*agents: Any, **conditions: Any) -> Match:
    return Match(GAME, entrants(GAME, agents), games=2, **conditions)


def test_every_agent_is_prepared_once_and_closed_before_the_first_game(tmp_path: Path) -> None:
    agents = Prepared(), Prepared()
    start(match(*agents), tmp_path / "run")
    assert [agent.calls for agent in agents] == [["prepare", "close"]] * 2


@pytest.mark.parametrize("seat", [0, 1])
def test_a_wrong_configuration_begins_no_match(seat: int, tmp_path: Path) -> None:
    agents: list[Any] = ["random", "random"]
    agents[seat] = "net=dqn:model=/no/such/network.onnx"
    with pytest.raises(AgentNotReady, match="net can't play gomoku here: there is no network"):
        start(match(*agents), tmp_path / "run")
    assert not list(tmp_path.iterdir())


def test_a_closed_agent_is_left_behind_by_no_refusal(tmp_path: Path) -> None:
    agent = Prepared(BadSpec("not on this board"))
    with pytest.raises(AgentNotReady, match="prepared can't play gomoku here: not on this board"):
        start(match(agent, "random"), tmp_path / "run")
    assert agent.calls == ["prepare", "close"]


@pytest.mark.parametrize(
    "error", [OSError("no weights"), SystemExit("had enough"), KeyboardInterrupt("mine")]
)
def test_an_agent_whose_own_code_fails_forfeits_its_games(
    error: BaseException, tmp_path: Path
) -> None:
    folder = start(match(Prepared(error), "random"), tmp_path / "run")
    outcomes = run_match(folder, executor="serial").outcomes
    assert [o.forfeits[0].reason for o in outcomes.values()] == ["exception"] * 2
    assert str(error) in outcomes[0].forfeits[0].detail


def test_what_fails_only_in_a_game_forfeits_it(tmp_path: Path) -> None:
    """Even a wrong configuration: the match has begun."""
    agent = Prepared(BadSpec("the file is gone"), at=3)  # the preflight and one game go well
    folder = start(match(agent, "random"), tmp_path / "run")
    outcomes = run_match(folder, executor="serial").outcomes
    assert not outcomes[0].forfeits
    (forfeit,) = outcomes[1].forfeits
    assert (forfeit.reason, forfeit.detail) == ("exception", "BadSpec: the file is gone")


@pytest.mark.slow
def test_a_foreign_agent_is_tried_in_a_process_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "bots.py"
    file.write_text(FOREIGN)
    with pytest.raises(AgentNotReady, match="bot can't play gomoku here: no weights for 7"):
        start(match(f"bot={file}:NoWeights", "random"), tmp_path / "one")
    start(match(f"{file}:Dies", "random"), tmp_path / "two")
    assert not (tmp_path / "one").exists()


def test_a_match_that_goes_on_is_checked_again_and_a_finished_one_is_not(tmp_path: Path) -> None:
    start(match(Prepared(), "random"), tmp_path / "run")
    broken = Prepared(BadSpec("gone"))
    with pytest.raises(AgentNotReady, match="gone"):
        resume(tmp_path / "run", [broken])
    run_match(resume(tmp_path / "run", [Prepared()]), executor="serial")
    resume(tmp_path / "run", [broken])


def test_a_gate_is_checked_too(tmp_path: Path) -> None:
    with pytest.raises(AgentNotReady, match="gone"):
        gate(GAME, Prepared(BadSpec("gone")), "random", games=2, out=tmp_path / "gate")


def test_only_users_classes_are_isolated() -> None:
    assert Entrant("a", "bots.py:Bot").place(GAME, isolate=True) == "isolated"
    assert Entrant("a", "module:Bot:level=2").place(GAME, isolate=False) == "in-process"
    assert Entrant("a", "search:depth=2").place(GAME, isolate=True) == "shipped"
    assert Entrant("a", Prepared()).place(GAME, isolate=True) == "in-process"
