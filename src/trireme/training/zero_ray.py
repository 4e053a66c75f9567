"""Self-play of gomoku-zero by Ray actors, on one machine or many, with one learner.

A step is one move in every game of every actor. The actors play the next step with the weights from
before this step's updates while the learner makes them, and what they found is taken in their
order: so a run depends on its settings alone, and not on which actor is faster. A lost actor is
replaced, and its games begin anew.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from trireme.arena.executors.ray import connect
from trireme.core.errors import TriremeError
from trireme.core.extras import require

from .settings import GomokuZero
from .zero_games import EndedGames
from .zero_selfplay import ZeroPlayer, ZeroSelfPlay

MAX_LOSSES = 20
"""Actors that may be lost before the run is given up."""
BY_PLY = frozenset({"policy", "value", "full"})
"""Fields of `EndedGames` with a row for every ply."""

Weights = dict[str, Tensor]


class SelfPlayActor:
    """The Ray actor: plays its own games with the weights that it is sent."""

    def __init__(self, config: GomokuZero, seed: int) -> None:
        torch.set_num_threads(config.threads)
        device = torch.device("cuda" if config.actor_gpus else "cpu")
        self.player = ZeroPlayer(config, device)
        self.play = ZeroSelfPlay(config, self.player.search, seed)

    def advance(self, weights: Weights, simulations: int, full: bool) -> EndedGames | None:
        """One move in every game; the games that ended, on the CPU, without unused plies."""
        self.player.network.load_state_dict(weights)
        ended = self.play.advance(simulations, full=full)
        return None if ended is None else trimmed(ended)

    def state(self) -> dict[str, Any]:
        return self.play.state()

    def restore(self, state: dict[str, Any]) -> None:
        self.play.restore(state)


class RaySelfPlay:
    """Self-play by actors on a Ray cluster; see `SelfPlayExecutor`."""

    overlapped: ClassVar[bool] = True

    def __init__(self, config: GomokuZero, network: nn.Module, device: torch.device) -> None:
        """`network` is the learner's, in the form for playing; actors get its weights."""
        require("ray", "the executor ray")
        self.config, self.network = config, network
        self.games = config.actors * config.games
        self.generator = torch.Generator(device).manual_seed(config.seed)
        self.started = connect(config.address or None)
        self.ray: Any = importlib.import_module("ray")
        self.made = 0
        self.actors = [self._new_actor() for _ in range(config.actors)]
        self.under_way: list[Any] = []
        """The step that the actors play now, an answer from each."""
        self.waiting: list[EndedGames | None] | None = None
        """The answers of a step that was awaited for a checkpoint."""

    @property
    def lost(self) -> int:
        """How many actors were lost and replaced."""
        return self.made - len(self.actors)

    def _new_actor(self) -> Any:
        """An actor with a seed that none had before, on the node with the fewest of them."""
        config, self.made = self.config, self.made + 1
        actor = self.ray.remote(
            num_cpus=config.threads,
            num_gpus=config.actor_gpus,
            max_restarts=0,
            scheduling_strategy="SPREAD",
        )(SelfPlayActor)
        return actor.remote(config, config.seed * 1_000_003 + self.made)

    def advance(self, simulations: int, *, full: bool) -> EndedGames | None:
        """The games that ended in a step; the next one begins with the weights as they are now."""
        if not self.under_way and self.waiting is None:
            self._begin(simulations, full)
        found = self._await()
        self.waiting = None
        self._begin(simulations, full)
        device = self.generator.device
        ended = [EndedGames(*(t.to(device) for t in games)) for games in found if games is not None]
        return joined(ended) if ended else None

    def _begin(self, simulations: int, full: bool) -> None:
        weights = self.ray.put({k: v.cpu() for k, v in self.network.state_dict().items()})
        self.under_way = [a.advance.remote(weights, simulations, full) for a in self.actors]

    def _await(self) -> list[EndedGames | None]:
        """The answers of the step under way, or of one that was awaited before."""
        if self.waiting is not None:
            return self.waiting
        found = self._collect(self.under_way)
        self.under_way = []
        return found

    def _collect(self, answers: list[Any]) -> list[Any]:
        """What each actor answered; None from one that was lost, which is replaced."""
        found = []
        for number, answer in enumerate(answers):
            try:
                found.append(self.ray.get(answer))
            except self.ray.exceptions.RayTaskError as error:
                raise TriremeError(f"a self-play actor failed: {error.cause}") from error
            except self.ray.exceptions.RayError as error:
                self.actors[number] = self._new_actor()
                if self.lost > MAX_LOSSES:
                    raise TriremeError(f"{self.lost} self-play actors were lost") from error
                found.append(None)
        return found

    def state(self) -> dict[str, Any]:
        """All that `restore` needs; the step under way is awaited and kept with it."""
        if self.under_way:
            self.waiting = self._await()
        waiting = None if self.waiting is None else [g and g._asdict() for g in self.waiting]
        return {
            "generator": self.generator.get_state(),
            "actors": self._collect([actor.state.remote() for actor in self.actors]),
            "waiting": waiting,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` gave; with another number of actors, games begin anew."""
        if state["generator"].shape == self.generator.get_state().shape:
            self.generator.set_state(state["generator"])
        if len(state.get("actors", ())) != len(self.actors):
            return
        pairs = zip(self.actors, state["actors"], strict=True)
        self.ray.get([actor.restore.remote(kept) for actor, kept in pairs if kept is not None])
        if (waiting := state["waiting"]) is not None:
            self.waiting = [games and EndedGames(**games) for games in waiting]

    def close(self) -> None:
        """End the actors, and the cluster if it was started for them."""
        for actor in self.actors:
            self.ray.kill(actor)
        self.under_way = []
        if self.started:
            self.ray.shutdown()


def trimmed(games: EndedGames) -> EndedGames:
    """The same games on the CPU, with no more plies than have a target."""
    plies = int(games.labelled.max())
    cut = {name: getattr(games, name)[:, :plies] for name in BY_PLY}
    return EndedGames(*(tensor.cpu() for tensor in games._replace(**cut)))


def joined(parts: list[EndedGames]) -> EndedGames:
    """All games of `parts`, filled up with empty plies."""
    plies = max(part.value.shape[1] for part in parts)

    def filled(part: EndedGames, name: str) -> Tensor:
        tensor: Tensor = getattr(part, name)
        if name not in BY_PLY:
            return tensor
        rest = plies - tensor.shape[1]
        return pad(tensor, [0, 0] * (tensor.ndim - 2) + [0, rest])

    return EndedGames(*(torch.cat([filled(p, n) for p in parts]) for n in EndedGames._fields))
