"""Self-play by Ray actors: one learner, exact resuming, lost actors; on two nodes and on a fake."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from trireme.core.errors import TriremeError
from trireme.training import zero_ray
from trireme.training.gomoku_zero import ZeroTraining
from trireme.training.settings import GomokuZero
from trireme.training.zero_games import EndedGames
from trireme.training.zero_ray import RaySelfPlay, joined, trimmed

from .tiny import tiny_zero


class Lost(Exception):
    """A Ray error of the fake: the actor is gone."""


class Failed(Exception):
    """A Ray error of the fake: the actor raised."""

    cause = "no memory"


class FakeRay:
    """Calls actors in this process at once; answers are functions that `get` calls."""

    exceptions = SimpleNamespace(RayError=(Lost, Failed), RayTaskError=Failed)

    def __init__(self) -> None:
        self.actors: list[Any] = []
        self.killed = 0
        self.fail: dict[int, Exception] = {}
        """By number of the actor: what its next answer raises."""

    def is_initialized(self) -> bool:
        return True

    def put(self, value: Any) -> Any:
        return {k: v.clone() for k, v in value.items()}

    def get(self, answers: Any) -> Any:
        return [a() for a in answers] if isinstance(answers, list) else answers()

    def kill(self, actor: Any) -> None:
        self.killed += 1

    def remote(self, **options: Any) -> Callable[[type], Any]:
        assert options["num_cpus"] == 1
        assert options["max_restarts"] == 0
        return lambda cls: SimpleNamespace(remote=lambda *args: self._start(cls(*args)))

    def _start(self, actor: Any) -> Any:
        number = len(self.actors)
        self.actors.append(actor)

        def method(name: str) -> Any:
            def call(*args: Any) -> Callable[[], Any]:
                if error := self.fail.pop(number, None):
                    return lambda: _raise(error)
                found = getattr(actor, name)(*args)
                return lambda: found

            return SimpleNamespace(remote=call)

        return SimpleNamespace(**{n: method(n) for n in ("advance", "state", "restore")})


def _raise(error: Exception) -> None:
    raise error


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    made = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", made)  # type: ignore[arg-type]
    monkeypatch.setattr(zero_ray, "require", lambda *_: None)
    return made


def config(**changes: Any) -> GomokuZero:
    """Schedules are constant, so that runs of other lengths begin alike."""
    constant: dict[str, Any] = {"simulations_end": 3, "learning_rate_end": 0.001}
    return tiny_zero(executor="ray", actors=2, games=12, **constant, **changes)


def weights(training: ZeroTraining) -> list[torch.Tensor]:
    return list(training.network.state_dict().values())


def same(one: ZeroTraining, other: ZeroTraining) -> bool:
    return all(torch.equal(a, b) for a, b in zip(weights(one), weights(other), strict=True))


@pytest.mark.slow
def test_actors_play_other_games_and_all_are_learnt_from(ray: FakeRay, tmp_path: Path) -> None:
    training = ZeroTraining(config(steps=15), tmp_path)
    training.run(live=False)
    first, second = ray.actors
    assert not torch.equal(first.play.order, second.play.order)
    assert training.play.games == 24
    assert training.games_ended > 0
    assert len(training.replay) > 30
    assert training.evaluations == 15 * 24 * 4
    assert ray.killed == 2
    row = json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])
    assert row["positions"] == row["step"] * 24


def test_actors_play_with_the_weights_from_before_the_updates(ray: FakeRay) -> None:
    training = ZeroTraining(config(minimum=1), Path("unused"))
    training.replay.add(one_game(), 0.0)
    before = {k: v.clone() for k, v in training.player.network.state_dict().items()}
    training.advance(0.0)
    sent = ray.actors[0].player.network.state_dict()
    assert all(torch.equal(sent[name], before[name]) for name in before)
    after = {k: v.clone() for k, v in training.player.network.state_dict().items()}
    assert any(not torch.equal(after[name], before[name]) for name in before)
    training.advance(0.0)
    assert all(torch.equal(sent[name], after[name]) for name in before)


@pytest.mark.slow
def test_a_resumed_run_equals_one_that_was_never_stopped(ray: FakeRay, tmp_path: Path) -> None:
    whole = ZeroTraining(config(steps=16, checkpoint_every=3), tmp_path / "whole")
    whole.run(live=False)
    begun = ZeroTraining(config(steps=7), tmp_path / "parts")
    begun.run(live=False)
    going_on = ZeroTraining(config(steps=16), tmp_path / "parts")
    going_on.resume(tmp_path / "parts" / "checkpoint.pt")
    going_on.run(live=False)
    assert going_on.games_ended == whole.games_ended > 0
    assert same(going_on, whole)


@pytest.mark.slow
def test_a_checkpoint_may_go_to_other_actors_or_none(ray: FakeRay, tmp_path: Path) -> None:
    begun = ZeroTraining(config(steps=6), tmp_path)
    begun.run(live=False)
    for changed in (tiny_zero(games=12, steps=8), config(steps=8)):
        going_on = ZeroTraining(changed, tmp_path)
        going_on.resume(tmp_path / "checkpoint.pt")
        assert going_on.step == 6
        assert same(going_on, begun)
    local = ZeroTraining(tiny_zero(games=12, steps=8), tmp_path)
    local.resume(tmp_path / "checkpoint.pt")
    local.run(live=False)
    back = ZeroTraining(config(steps=9), tmp_path)
    back.resume(tmp_path / "checkpoint.pt")
    back.run(live=False)
    assert back.step == 9


def test_a_lost_actor_is_replaced_and_the_run_goes_on(ray: FakeRay) -> None:
    training = ZeroTraining(config(), Path("unused"))
    for _ in range(3):
        training.advance(0.0)
    ray.fail[1] = Lost()
    training.advance(0.0)
    training.advance(0.0)
    assert isinstance(training.play, RaySelfPlay)
    assert training.play.lost == 1
    assert len(ray.actors) == 3
    seeds = {a.play.generator.initial_seed() for a in ray.actors}
    assert len(seeds) == 3
    ray.fail[2] = Lost()
    state = training.play.state()
    assert [kept is None for kept in state["actors"]] == [False, True]


def test_endless_losses_and_errors_end_the_run(
    ray: FakeRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zero_ray, "MAX_LOSSES", 1)
    training = ZeroTraining(config(), Path("unused"))
    training.advance(0.0)
    ray.fail[0] = ray.fail[1] = Lost()
    training.advance(0.0)
    with pytest.raises(TriremeError, match="2 self-play actors were lost"):
        training.advance(0.0)
    training = ZeroTraining(config(), Path("unused"))
    ray.fail[len(ray.actors) - 1] = Failed()
    with pytest.raises(TriremeError, match="no memory"):
        training.advance(0.0)


def one_game(length: int = 5, plies: int = 50) -> EndedGames:
    order = torch.full((1, 49), 1000, dtype=torch.int16)
    order[0, :length] = torch.arange(length).short()
    count = torch.tensor([length])
    policy = torch.rand((1, plies, 49), generator=torch.Generator().manual_seed(length)).half()
    full = torch.ones((1, plies), dtype=torch.bool)
    value = torch.linspace(-1, 1, plies).half().unsqueeze(0)
    return EndedGames(order, count * 0, count, count, torch.tensor([1.0]), policy, value, full)


def test_games_are_sent_without_unused_plies_and_joined_again() -> None:
    short, long = trimmed(one_game(5)), trimmed(one_game(9))
    assert short.policy.shape == (1, 5, 49)
    assert long.full.shape == (1, 9)
    both = joined([short, long])
    assert both.policy.shape == (2, 9, 49)
    assert torch.equal(both.policy[0, :5], one_game(5).policy[0, :5])
    assert torch.equal(both.policy[1], one_game(9).policy[0, :9])
    assert torch.equal(both.value[1], one_game(9).value[0, :9])
    assert both.length.tolist() == [5, 9]
    assert not both.full[0, 5:].any()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_two_nodes_trains_resumes_exactly_and_survives_a_lost_node(
    two_nodes: Any, tmp_path: Path
) -> None:
    """One test, because a cluster takes long to start."""
    whole = ZeroTraining(config(steps=14), tmp_path / "whole")
    whole.run(live=False)
    for steps in (6, 14):
        part = ZeroTraining(config(steps=steps), tmp_path / "parts")
        if steps == 14:
            part.resume(tmp_path / "parts" / "checkpoint.pt")
        part.run(live=False)
    assert part.games_ended == whole.games_ended > 0
    assert same(part, whole)
    (other,) = [n for n in two_nodes.list_all_nodes() if n is not two_nodes.head_node]
    going_on = ZeroTraining(config(steps=20), tmp_path / "parts")
    going_on.resume(tmp_path / "parts" / "checkpoint.pt")
    going_on.advance(0.0)
    two_nodes.remove_node(other, allow_graceful=False)
    going_on.run(live=False)
    assert isinstance(going_on.play, RaySelfPlay)
    assert going_on.step == 20
    assert going_on.play.lost >= 1
