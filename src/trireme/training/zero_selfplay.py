"""Self-play of gomoku-zero on one device: the games in play, and the network that plays them."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from .gomoku_threats import ThreatDetector
from .gumbel_search import GumbelSearch
from .replay import UNFILLED
from .settings import GomokuZero
from .zero_games import EndedGames, boards_at
from .zero_network import ZeroNetwork, planes_of

CENTRE_RADIUS = 4
"""Random opening stones lie within so many points of the centre, along both axes."""


class SelfPlayExecutor(Protocol):
    """Where the games of self-play run."""

    generator: torch.Generator
    """The random state of the learner, on its device."""
    games: int
    """Games in play, all together."""

    @property
    def overlapped(self) -> bool:
        """Whether games go on while the network learns."""

    def advance(self, simulations: int, *, full: bool) -> EndedGames | None:
        """Search every game and make a move in it; returns the games that ended.

        `full` is whether the policies that the search finds are fit to learn from.
        """

    def state(self) -> dict[str, Any]:
        """All that `restore` needs to continue the same games."""

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` gave, as far as it fits this executor."""

    def close(self) -> None:
        """End what was started for it."""


class ZeroPlayer:
    """The network in the form for playing, with its search: folded, on a GPU in half precision."""

    def __init__(self, config: GomokuZero, device: torch.device) -> None:
        self.size = config.size
        self.dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
        self.network = new_network(config, device, folded=True).eval().requires_grad_(False)
        self.network.to(self.dtype)
        self.evaluate = self._evaluate
        if config.compile != "none":  # not the updates: compiled in bfloat16, torch 2.11's gave NaN
            self.evaluate = torch.compile(self._evaluate, mode=config.compile, dynamic=False)
        self.search = GumbelSearch(
            self.evaluate,
            ThreatDetector(config.size, config.rule == "standard", device),
            config.games,
            simulations=config.most_simulations,
            considered=config.considered,
            max_depth=config.max_depth,
            c_visit=config.c_visit,
            c_scale=config.c_scale,
            cuda_graph=config.cuda_graph,
        )

    def _evaluate(self, board: Tensor, last: Tensor) -> tuple[Tensor, Tensor]:
        logits, value = self.network(planes_of(board, last, self.size).to(self.dtype))
        return logits, value


def new_network(config: GomokuZero, device: torch.device, *, folded: bool) -> ZeroNetwork:
    """A network of the run's shape with random weights."""
    made = ZeroNetwork(config.blocks, config.channels, folded=folded)
    return made.to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


class ZeroSelfPlay:
    """Games in play, each by the search against itself, on one device.

    No game stands at a proven position: it would have ended. Openings of five stones are too few
    for a proof.
    """

    overlapped: ClassVar[bool] = False

    def __init__(self, config: GomokuZero, search: GumbelSearch, seed: int) -> None:
        self.search, self.detector, self.device = search, search.detector, search.device
        self.opening_stones, self.games = config.opening_stones, config.games
        games = self.games
        area = config.size**2
        self.generator = torch.Generator(self.device).manual_seed(seed)
        self.order = torch.zeros((games, area), dtype=torch.int16, device=self.device)
        self.begin = torch.zeros(games, dtype=torch.int64, device=self.device)
        self.count = torch.zeros(games, dtype=torch.int64, device=self.device)
        """The stones on each board."""
        self.policy = torch.zeros((games, area + 1, area), dtype=torch.half, device=self.device)
        self.value = torch.zeros((games, area + 1), dtype=torch.half, device=self.device)
        self.full = torch.zeros((games, area + 1), dtype=torch.bool, device=self.device)
        line = (torch.arange(config.size, device=self.device) - config.size // 2).abs()
        near = line <= CENTRE_RADIUS
        self.centre = (near.unsqueeze(1) & near).flatten().float()
        self._restart(search.row)

    def advance(self, simulations: int, *, full: bool) -> EndedGames | None:
        """See `SelfPlayExecutor`."""
        noise = torch.empty_like(self.search.noisy).exponential_(generator=self.generator)
        board, last = boards_at(self.order, self.count)
        found = self.search.run(board, last, simulations, gumbel=-noise.log())
        self._record(found.policy, found.value, full=full)
        self.order.scatter_(1, found.action.unsqueeze(1), self.count.short().unsqueeze(1))
        self.count += 1
        board, last = boards_at(self.order, self.count)
        proof = self.detector.prove(board)
        winning = proof.moves / proof.moves.sum(1, keepdim=True).clamp(min=1)
        self._record(
            winning, proof.value, full=True
        )  # the next step replaces it, unless it is last
        over = proof.proven | (self.count == board.shape[1])
        index = over.nonzero().squeeze(1)
        if not len(index):
            return None
        count = self.count[index]
        ended = EndedGames(
            order=self.order[index],
            begin=self.begin[index],
            length=count,
            labelled=count + proof.proven[index],
            result=proof.value[index] * (1 - 2 * (count & 1)),
            policy=self.policy[index],
            value=self.value[index],
            full=self.full[index],
        )
        self._restart(index)
        return ended

    def _record(self, policy: Tensor, value: Tensor, *, full: bool) -> None:
        row = self.search.row
        self.policy[row, self.count] = policy.half()
        self.value[row, self.count] = value.half()
        self.full[row, self.count] = full

    def _restart(self, index: Tensor) -> None:
        """Begin games anew, with random stones near the centre, black and white in turn."""
        games, most = len(index), self.opening_stones
        number = torch.randint(most + 1, (games,), generator=self.generator, device=self.device)
        order = torch.full_like(self.order[:games], UNFILLED)
        if most:
            weights = self.centre.expand(games, -1)
            points = torch.multinomial(weights, most, generator=self.generator)
            ply = torch.arange(most, device=self.device).expand(games, -1)
            stones = torch.where(ply < number.unsqueeze(1), ply, UNFILLED).short()
            order.scatter_(1, points, stones)
        self.order[index], self.begin[index], self.count[index] = order, number, number

    def state(self) -> dict[str, Any]:
        """All that `restore` needs to continue the same games."""
        names = ("order", "begin", "count", "policy", "value", "full")
        return {"generator": self.generator.get_state()} | {
            name: getattr(self, name).cpu() for name in names
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` gave; after self-play in actors, games begin anew."""
        if state["generator"].shape == self.generator.get_state().shape:
            self.generator.set_state(state["generator"])
        if "actors" not in state:
            for name in state.keys() - {"generator"}:
                getattr(self, name).copy_(state[name])

    def close(self) -> None:
        """Nothing was started."""
