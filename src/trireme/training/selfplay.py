"""Batched self-play of Gomoku: the network plays itself, past snapshots and the heuristic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.random import SeedSequence
from numpy.typing import NDArray
from torch import Tensor, nn

from trireme.gomoku.kernels import GOING_ON, WON

from . import selfplay_kernels as kernels
from .opponents import heuristic_moves
from .replay import Transitions
from .selfplay_kernels import EXPLORER, HEURISTIC, PARTNER, SNAPSHOT, FinishedGames, GameBatch


@dataclass(frozen=True)
class Rules:
    """What the kernels need to know of the game, and of how games begin."""

    size: int = 15
    exact: bool = True
    stones: int = 4
    """At most this many random stones are on the board when a game begins."""


def new_batch(rules: Rules, players: NDArray[np.int8], seed: int) -> GameBatch:
    """Games at their beginning, one for each row of `players: int8[B, 2]`."""
    games, area = len(players), rules.size**2
    batch = GameBatch(
        boards=np.zeros((games, rules.size, rules.size), np.int8),
        counts=np.zeros(games, np.int32),
        moves=np.zeros((games, area), np.int16),
        random=np.zeros((games, area), np.bool_),
        begins=np.zeros(games, np.int32),
        players=players.copy(),
        streams=np.asarray(SeedSequence(seed).generate_state(games, np.uint64)),
    )
    for b in range(games):
        kernels.restart(batch, b, rules.stones)
    return batch


def new_finished_games(games: int, area: int) -> FinishedGames:
    return FinishedGames(
        moves=np.zeros((games, area), np.int16),
        random=np.zeros((games, area), np.bool_),
        begins=np.zeros(games, np.int32),
        lengths=np.zeros(games, np.int32),
        results=np.zeros(games, np.int8),
        players=np.zeros((games, 2), np.int8),
        places=np.zeros(games, np.int32),
    )


def planes_of(batch: GameBatch, device: torch.device) -> Tensor:
    """The games as `float[B, 4, n, n]` on `device`, each as its side to move sees it."""
    last = batch.moves[np.arange(len(batch.counts)), np.maximum(batch.counts - 1, 0)]
    facts = np.stack([batch.counts, np.where(batch.counts > 0, last, -1)]).astype(np.int64)
    boards = _upload(batch.boards, device)
    counts, lasts = _upload(facts, device)
    return planes_from(boards, counts, lasts)


def planes_from(boards: Tensor, counts: Tensor, lasts: Tensor) -> Tensor:
    """`float[B, 4, n, n]` of `boards: int8[B, n, n]`, `counts: int64[B]` and `lasts: int64[B]`.

    The same planes as `gomoku.kernels.planes` gives, made where the network is.
    """
    size = boards.shape[1]
    black = (counts & 1 == 0).view(-1, 1, 1)
    own = boards == torch.where(black, 1, -1).to(torch.int8)
    points = torch.arange(size * size, device=boards.device).view(1, size, size)
    last = points == lasts.view(-1, 1, 1)
    planes = [own, (boards != 0) & ~own, black.expand_as(own), last]
    return torch.stack(planes, 1).float()


def _upload(array: NDArray[Any], device: torch.device) -> Tensor:
    made = torch.from_numpy(array)
    if device.type == "cuda":
        return made.pin_memory().to(device, non_blocking=True)
    return made.clone()


class PendingMoves:
    """Moves that a network chose: on a GPU they are copied to the host asynchronously."""

    def __init__(self, moves: Tensor) -> None:
        self.copied: torch.cuda.Event | None = None
        if moves.device.type == "cuda":
            self.moves = torch.empty_like(moves, device="cpu", pin_memory=True)
            self.moves.copy_(moves, non_blocking=True)
            self.copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
            self.copied.record()
        else:
            self.moves = moves

    def get(self) -> NDArray[np.int64]:
        """Wait for the moves, `int64[B]`."""
        if self.copied is not None:
            self.copied.synchronize()
        return self.moves.numpy()


@torch.no_grad()
def greedy(network: nn.Module, planes: Tensor) -> Tensor:
    """The legal moves of the highest Q, `int64[B]`."""
    with torch.autocast(planes.device.type, torch.bfloat16, enabled=planes.is_cuda):
        moves: Tensor = network(planes).argmax(1)
    return moves


class SelfPlay:
    """Games in play between the learner and its opponents.

    Fixed shares of the places are for demonstrations (the heuristic plays itself), games against
    the heuristic, and games against past snapshots of the network (a small league). In the rest the
    network plays itself, one side with the explorer's epsilon, the other with the partner's.
    Colours are swapped from game to game.
    """

    def __init__(
        self,
        rules: Rules,
        games: int,
        seed: int,
        device: torch.device,
        *,
        demonstration_share: float,
        heuristic_share: float,
        snapshot_share: float,
        threads: int = 1,
    ) -> None:
        self.rules, self.device, self.threads = rules, device, threads
        demonstrations = round(games * demonstration_share)
        self.heuristics = demonstrations + round(games * heuristic_share)
        """The places, from the first on, where the heuristic plays one side or both."""
        self.snapshots = round(games * snapshot_share)
        players = np.zeros((games, 2), np.int8)
        players[:, 0], players[:, 1] = EXPLORER, PARTNER
        players[: self.heuristics, 1] = HEURISTIC
        players[:demonstrations, 0] = HEURISTIC
        players[self.heuristics : self.heuristics + self.snapshots, 1] = SNAPSHOT
        players[1::2] = players[1::2, ::-1]
        self.batch = new_batch(rules, players, seed)
        self.finished = new_finished_games(games, rules.size**2)
        self.games_ended = 0
        self.plies = 0

    def request_moves(self, network: nn.Module, snapshot: nn.Module | None) -> PendingMoves:
        """Let the networks choose a move in every game."""
        planes = planes_of(self.batch, self.device)
        moves = greedy(network, planes)
        if snapshot is not None and self.snapshots:
            ours = slice(self.heuristics, self.heuristics + self.snapshots)
            theirs = torch.from_numpy(self._to_move(ours) == SNAPSHOT).to(self.device)
            moves[ours] = torch.where(theirs, greedy(snapshot, planes[ours]), moves[ours])
        return PendingMoves(moves)

    def apply_moves(self, pending: PendingMoves, epsilons: NDArray[np.float64]) -> int:
        """Make one ply in every game; returns how many games ended. `epsilons` by player kind."""
        places = np.flatnonzero(self._to_move(slice(0, self.heuristics)) == HEURISTIC)
        scripted = heuristic_moves(self.batch, places, self.rules.exact, self.threads)
        moves = pending.get().copy()
        moves[places] = scripted
        ended = kernels.advance(
            self.batch, moves, epsilons, self.rules.exact, self.rules.stones, self.finished
        )
        self.plies += len(moves)
        return int(ended)

    def keep_finished(self, rows: NDArray[np.intp]) -> int:
        """Drop the games that just ended but for these rows; returns how many are left."""
        for column in self.finished:
            column[: len(rows)] = column[rows]
        return len(rows)

    def collect(self, ended: int, n: int, gamma: float, penalty: float) -> Transitions:
        """The transitions of the games that just ended."""
        games = self.finished
        rows = int((games.lengths[:ended] - games.begins[:ended]).sum())
        new = Transitions(
            order=np.empty((rows, self.rules.size**2), np.int16),
            action=np.empty(rows, np.int16),
            reward=np.empty(rows, np.float32),
            discount=np.empty(rows, np.float32),
            move_no=np.empty(rows, np.int16),
            next_no=np.empty(rows, np.int16),
            game_id=np.empty(rows, np.int64),
            demonstrated=np.empty(rows, np.bool_),
        )
        columns = (getattr(new, name) for name in new.__annotations__)
        kernels.transitions(games, ended, n, gamma, penalty, *columns)
        new.game_id[:] += self.games_ended
        self.games_ended += ended
        return new

    def state(self) -> dict[str, Any]:
        """All that `restore` needs to continue the same games."""
        batch = {k: torch.from_numpy(v.copy()) for k, v in self.batch._asdict().items()}
        return {"batch": batch, "games_ended": self.games_ended, "plies": self.plies}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from what `state` gave."""
        for name, array in self.batch._asdict().items():
            array[...] = state["batch"][name].numpy()
        self.games_ended, self.plies = state["games_ended"], state["plies"]

    def _to_move(self, places: slice) -> NDArray[np.int8]:
        counts = self.batch.counts[places]
        players = self.batch.players[places]
        return np.asarray(players[np.arange(len(counts)), counts & 1], np.int8)


Chooser = Callable[[GameBatch, NDArray[np.int64]], NDArray[np.int64]]
"""Moves `int64[K]` for the games at the given places `int64[K]` of a batch."""


@dataclass(frozen=True)
class MatchScore:
    """The result of an evaluation match, for its first player."""

    won: int
    drawn: int
    lost: int

    @property
    def rate(self) -> float:
        """Points a game: a win 1, a draw ½."""
        return (self.won + self.drawn / 2) / max(1, self.won + self.drawn + self.lost)


def match(first: Chooser, second: Chooser, games: int, rules: Rules, seed: int) -> MatchScore:
    """Play `games` at once, each opening twice with colours swapped, without random moves."""
    pairs = (games + 1) // 2
    players = np.array([[0, 1]] * pairs, np.int8)
    once = new_batch(rules, players, seed)
    swapped = once._replace(players=once.players[:, ::-1])
    batch = GameBatch(*(np.concatenate(both) for both in zip(once, swapped, strict=True)))
    tally = {1: 0, 0: 0, -1: 0}
    alive = np.arange(2 * pairs)
    while len(alive):
        batch = GameBatch(*(column[alive] for column in batch))
        mover = batch.players[np.arange(len(alive)), batch.counts & 1]
        moves = np.zeros(len(alive), np.int64)
        for player, choose in enumerate((first, second)):
            places = np.flatnonzero(mover == player)
            if len(places):
                moves[places] = choose(batch, places)
        results = np.zeros(len(alive), np.int8)
        kernels.play_ply(batch, moves, rules.exact, results)
        for place in np.flatnonzero(results):
            won = results[place] == WON
            tally[0 if not won else 1 if mover[place] == 0 else -1] += 1
        alive = np.flatnonzero(results == GOING_ON)
    return MatchScore(won=tally[1], drawn=tally[0], lost=tally[-1])


def chooser(network: nn.Module, device: torch.device) -> Chooser:
    """The moves of a network's highest Q."""

    def choose(batch: GameBatch, places: NDArray[np.int64]) -> NDArray[np.int64]:
        chosen = GameBatch(*(column[places] for column in batch))
        return greedy(network, planes_of(chosen, device)).cpu().numpy()

    return choose
