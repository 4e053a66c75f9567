"""Duels of Battleship for Gymnasium's `make_vec`: thousands of games stepped by kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from trireme.battleship.batch import BattleshipBatch
from trireme.battleship.encode import BattleshipEncoder
from trireme.battleship.fleets import Fleet
from trireme.battleship.rules import Battleship
from trireme.core.errors import BadSettings
from trireme.core.options import build

from . import duel_kernels
from .battleship_setup import NAME, is_duel, sides_of
from .battleship_vector import BattleshipVectorEnv, fleet_in
from .checks import positive, unexpected
from .duel_kernels import DuelRules, Duels
from .outcome_kernels import NOTHING
from .vector import Arrays, BoardsVectorEnv, Which, board_count

GOING_ON, VICTORY, DRAW, DEFEAT, ILLEGAL = (
    duel_kernels.GOING_ON,
    duel_kernels.VICTORY,
    duel_kernels.DRAW,
    duel_kernels.DEFEAT,
    duel_kernels.ILLEGAL,
)
"""The codes of `infos["outcome"]`, for the seat that chose; `NOTHING` where a game was only
reset."""
SETTINGS = ("fleet", "touching", "placement", "simultaneous", "salvo", "mines")
OPTIONS = ("opponent", "seat", "max_steps", "flat", "autoreset_mode", "copy")
NEVER = 2**31 - 1
"""A limit of moves that no game reaches."""

__all__ = [
    "DEFEAT",
    "DRAW",
    "GOING_ON",
    "ILLEGAL",
    "NOTHING",
    "VICTORY",
    "BattleshipDuelVectorEnv",
    "make_battleship_vector",
]


class BattleshipDuelVectorEnv(BoardsVectorEnv):
    """Duels on `num_envs` pairs of boards, each as `OpponentEnv` plays one.

    Without an opponent it is self-play: a step is a choice of the seat to move, which the
    observation belongs to; the reward is that of the seat that has just chosen. Against `random`,
    steps choose for one seat, and the opponent's shots are part of them.

    Observation int8[P, rows, cols], the planes of the game's encoder for the seat that chooses
    next: misses, hits, cells of sunk ships, unknown cells; for each ship hunted, all 1 while it is
    afloat; the own ships; the shots received; with salvos the cells chosen so far. Action
    `row * cols + col`; a salvo is chosen by as many steps. The reward is 1 for a victory, -1 for a
    defeat or an illegal choice, which loses the game, else 0.

    Infos are arrays over the duels: `action_mask` int8[B, cells], `outcome` int8[B] (the codes of
    this module), `seat` int8[B], `choices` int16[B] (how many cells the turn takes), `chosen`
    int16[B] (how many of them are chosen).

    Args:
        num_envs: how many duels.
        board_size: rows and columns of both boards, 5 to 12 each.
        opponent: `random`, or None: self-play.
        seat: the learner's against an opponent: 0, 1, or `random`, drawn anew in every episode.
        max_steps: the learner's turns after which an episode is truncated, in self-play those of
            each seat; None: never.
        flat: give the observation as a vector.
        autoreset_mode, copy: as in every batch.
        settings: of the game: `fleet`, `touching`, `placement`, `simultaneous`, `salvo`, `mines`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        board_size: Sequence[int] = (10, 10),
        render_mode: str | None = None,
        *,
        opponent: str | None = None,
        seat: int | str = 0,
        max_steps: int | None = None,
        flat: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **settings: Any,
    ) -> None:
        self.game = duel_game(board_size, settings)
        self._rules = duel_rules(self.game, opponent)
        if seat not in (0, 1, "random") or isinstance(seat, bool):
            raise BadSettings(f"seat must be 0, 1 or 'random', not {seat!r}")
        if not isinstance(flat, bool):
            raise BadSettings(f"flat must be True or False, not {flat!r}")
        duels, cells = board_count(num_envs), self.game.rows * self.game.cols
        planes = BattleshipEncoder(self.game).shape[0] + self.game.salvo
        self._shape: tuple[int, ...] = (planes, self.game.rows, self.game.cols)
        if flat:
            self._shape = (planes * cells,)
        super().__init__(
            duels,
            spaces.Box(0, 1, self._shape, np.int8),
            spaces.Discrete(cells),
            autoreset_mode,
            copy,
            render_mode,
        )
        self._seat = 0  # seat 0 begins a game of self-play
        if opponent is not None:
            self._seat = -1 if seat == "random" else int(seat)
        turns = NEVER if max_steps is None else positive(max_steps, "max_steps")
        self._limit = min(NEVER, turns * (2 if self._rules.self_play else 1))
        self._batch = BattleshipBatch(self.game, 2 * duels, 0)
        self._duels = empty_duels(duels, cells, len(self.game.boards[0].sizes))
        self._all = np.arange(duels)
        self._buffers = self._empty(duels)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which cells every duel allows to choose now, bool[num_envs, cells]."""
        return self._show(self._all, self._empty(self.num_envs))[1]["action_mask"].astype(np.bool_)

    def fleets(self) -> list[tuple[Fleet, Fleet]]:
        """The fleets of both seats, for those who study them: no agent may look."""
        found = [fleet_in(row, self.game.cols) for row in self._batch.seas.owner]
        return list(zip(found[::2], found[1::2], strict=True))

    def shots(self) -> list[tuple[list[int], list[int]]]:
        """The cells that each seat has fired at, in the order of the shots."""
        fired, order = self._duels.fired, self._duels.order
        by_board = [order[row, : fired[row]].tolist() for row in range(2 * self.num_envs)]
        return list(zip(by_board[1::2], by_board[::2], strict=True))

    def _seed(self, states: NDArray[np.uint64], which: Which) -> None:
        duel_kernels.derive_streams(states, which, self._batch.states, self._duels.streams)

    def _start(self, which: Which) -> None:
        batch = self._batch
        batch.reset(np.repeat(which, 2))
        duel_kernels.begin_duels(
            which, NOTHING, self._seat, batch.seas, self._duels, self._rules, batch.ships
        )

    def _play(
        self, actions: NDArray[np.int64], resetting: Which
    ) -> tuple[NDArray[np.float64], Which, Which, bool]:
        rewards = np.empty(self.num_envs)
        terminated, truncated = np.empty((2, self.num_envs), np.bool_)
        any_ended = duel_kernels.step_duels(
            actions,
            resetting,
            self._limit,
            self._batch.seas,
            self._duels,
            self._rules,
            self._batch.ships,
            rewards,
            terminated,
            truncated,
        )
        if resetting is not self._none:
            self._start(resetting)
        return rewards, terminated, truncated, any_ended

    def _observe(self) -> tuple[NDArray[np.int8], Arrays]:
        return self._show(self._all, self._empty(self.num_envs) if self.copy else self._buffers)

    def _observe_rows(self, rows: NDArray[np.intp]) -> tuple[list[NDArray[np.int8]], Arrays]:
        seen, infos = self._show(rows, self._empty(len(rows)))
        return list(seen), infos

    def _empty(self, num: int) -> Arrays:
        """Room for what so many duels show."""
        cells = self.game.rows * self.game.cols
        return {
            "planes": np.empty((num, *self._shape), np.int8),
            "action_mask": np.empty((num, cells), np.int8),
            "choices": np.empty(num, np.int16),
            "chosen": np.empty(num, np.int16),
        }

    def _show(self, rows: NDArray[np.intp], out: Arrays) -> tuple[NDArray[np.int8], Arrays]:
        """The observations and infos of these duels, written into `out`."""
        mask = out["action_mask"]
        duel_kernels.show_duels(
            rows,
            self._batch.seas,
            self._duels,
            self._rules,
            out["planes"].reshape(len(rows), -1, mask.shape[1]),
            mask,
            out["choices"],
            out["chosen"],
        )
        infos = {key: array for key, array in out.items() if key != "planes"}
        infos["outcome"] = self._duels.outcome[rows]
        infos["seat"] = self._duels.learner[rows]
        return out["planes"], infos


def make_battleship_vector(
    num_envs: int = 1,
    board_size: Sequence[int] = (10, 10),
    *,
    opponent: str | None = None,
    duel: bool = False,
    **options: Any,
) -> BoardsVectorEnv:
    """`trireme/Battleship-v0` in batches: alone, or a duel against `opponent` or in self-play."""
    if opponent is None and not is_duel(duel):
        return BattleshipVectorEnv(num_envs, board_size, **options)
    return BattleshipDuelVectorEnv(num_envs, board_size, opponent=opponent, **options)


def duel_game(board_size: Sequence[int], settings: dict[str, Any]) -> Battleship:
    """The game that these settings describe, as far as the kernels play it."""
    for name in settings:
        if name not in SETTINGS:
            raise unexpected(f"{NAME} as a duel", name, [*OPTIONS, *SETTINGS])
    rows, cols = sides_of(board_size)
    game = build(Battleship, {"rows": rows, "cols": cols, "duel": True, **settings}, owner=NAME)
    if game.placement == "manual":
        raise BadSettings("the vector environment places the fleets of a duel: drop placement")
    return game


def duel_rules(game: Battleship, opponent: str | None) -> DuelRules:
    """The rules for the kernels, and who has the other seat."""
    if opponent not in (None, "random"):
        raise BadSettings(
            "the vector environment plays duels in self-play or against 'random', not against "
            f"{opponent!r}: use gymnasium.make, in gymnasium.vector.SyncVectorEnv for several games"
        )
    if opponent is None and game.simultaneous:
        raise BadSettings(
            "simultaneous duels need an opponent: give opponent='random', or use "
            "trireme.envs.parallel for both seats"
        )
    return DuelRules(game.salvo, game.simultaneous, opponent is None)


def empty_duels(num: int, cells: int, ships: int) -> Duels:
    """Arrays for so many duels."""
    return Duels(
        turn=np.zeros(num, np.int8),
        learner=np.zeros(num, np.int8),
        owed=np.zeros((num, 2), np.int16),
        chosen=np.zeros(num, np.int16),
        moves=np.zeros(num, np.int32),
        over=np.zeros(num, np.bool_),
        outcome=np.zeros(num, np.int8),
        streams=np.zeros(num, np.uint64),
        fired=np.zeros(2 * num, np.int16),
        order=np.zeros((2 * num, cells), np.uint8),
        hits=np.zeros((2 * num, 3), np.uint64),
        last=np.zeros((2 * num, ships), np.uint8),
        until=np.zeros((2 * num, ships, 3), np.uint64),
        sunk=np.zeros((2 * num, cells), np.int8),
    )
