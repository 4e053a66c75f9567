"""Battle Navigation for Gymnasium's `make_vec`: thousands of games, both seats in one action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from trireme.core.errors import BadSettings
from trireme.core.game import Seat
from trireme.core.options import build
from trireme.navigation import kernels
from trireme.navigation.batch import NavigationBatch
from trireme.navigation.encode import NavigationEncoder, batch_planes
from trireme.navigation.map_generator import find_map
from trireme.navigation.maps import SeaMap
from trireme.navigation.plans import order_at, order_count, shots_fired
from trireme.navigation.rules import Navigation

from .outcome_kernels import NOTHING
from .vector import Arrays, BoardsVectorEnv, Which, board_count

GOING_ON, FIRST, SECOND, DRAWN = (
    kernels.GOING_ON,
    kernels.FIRST,
    kernels.SECOND,
    kernels.DRAWN,
)
"""The codes of `infos["outcome"]`; `NOTHING` where a sea was only reset."""
NAME = "trireme/Navigation-v0"

__all__ = ["DRAWN", "FIRST", "GOING_ON", "NOTHING", "SECOND", "NavigationVectorEnv"]


class NavigationVectorEnv(BoardsVectorEnv):
    """Both seats of `num_envs` games: one step is one turn, two plans of four phases each.

    Action `int[2, phases]`, the order of each seat in each phase, numbered as `plans.order_at`
    does. Nothing is hidden between turns, so one observation serves both seats: `ships`
    int16[2, 4], for each seat x, y, facing (0 N, 1 E, 2 S, 3 W) and hit points, and `turn`
    int32[1], the turns played. `planes` gives what a network of one seat would like to see.

    The reward is seat 0's, 1 won, -1 lost, 0 drawn or going on; seat 1's is its negative. A seat
    whose plan is illegal forfeits, as in the arena.

    Infos are arrays over the games: `action_mask` int8[B, 2, phases, orders], which orders a plan
    may hold; `outcome` int8[B] (the codes of this module); `forfeit` int8[B, 2], whose plan was
    illegal. With `ammo_per_turn` the mask leaves open how orders add up.

    Args:
        maps: maps of one size over which the games are spread; none: the game's own.
        autoreset_mode, copy: as in every batch.
        settings: of the game: `ships`, `map`, `turn_limit`, `ammo_per_turn`, `ram_damage` …
    """

    def __init__(
        self,
        num_envs: int = 1,
        render_mode: str | None = None,
        *,
        maps: Sequence[str | SeaMap] = (),
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **settings: Any,
    ) -> None:
        self.game = build(Navigation, settings, owner=NAME)
        self.charts = known_maps(self.game, maps)
        games = board_count(num_envs)
        types, phases = self.game.types, self.game.phases
        super().__init__(
            games,
            observation_space(self.game, self.charts),
            spaces.MultiDiscrete(np.array([[order_count(ship)] * phases for ship in types])),
            autoreset_mode,
            copy,
            render_mode,
        )
        self._batch = NavigationBatch(self.game, games, self.charts)
        self._forfeit = np.zeros((games, 2), np.int8)
        encoder = NavigationEncoder(self.game)
        masks = np.stack([encoder.mask(seat) for seat in (0, 1)])
        self._allowed = np.repeat(masks[None], games, axis=0)
        self._outcome = np.full(games, NOTHING, np.int8)
        self._costs = np.full((2, masks.shape[-1]), np.iinfo(np.int32).max // 8, np.int32)
        for seat, ship in enumerate(types):
            orders = range(order_count(ship))
            self._costs[seat, : len(orders)] = [
                shots_fired(order_at(order, ship), ship) for order in orders
            ]
        most = max(ship.shots for ship in types) * phases
        self._ammo = most if self.game.ammo_per_turn is None else self.game.ammo_per_turn
        self._plans = np.zeros((games, 2, phases), np.uint8)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which orders plans may hold, bool[num_envs, 2, phases, orders]."""
        return self._allowed.astype(np.bool_)

    def planes(self, seat: Seat) -> NDArray[np.float32]:
        """Every game as planes for a network that plays `seat`, float32[B, 19, height, width]."""
        if seat not in (0, 1):
            raise BadSettings(f"seat must be 0 or 1, not {seat!r}")
        return batch_planes(self._batch, self.charts, seat)

    def _seed(self, states: NDArray[np.uint64], which: Which) -> None:
        """Nothing in Battle Navigation is left to chance."""

    def _start(self, which: Which) -> None:
        batch = self._batch
        batch.ships[which, :, :2] = batch.spawns[batch.charts[which]]
        batch.ships[which, :, 2] = batch.stats[:, 4]
        batch.turns[which] = 0
        batch.outcomes[which] = GOING_ON
        self._forfeit[which] = 0
        self._outcome[which] = NOTHING

    def _play(
        self, actions: NDArray[np.int64], resetting: Which
    ) -> tuple[NDArray[np.float64], Which, Which, bool]:
        batch = self._batch
        self._judge(actions)
        kernels.step(
            batch.seas,
            batch.stats,
            batch.rules,
            batch.charts,
            batch.ships,
            batch.turns,
            self._plans,
            batch.outcomes,
        )
        self._outcome[:] = batch.outcomes
        if resetting is not self._none:
            self._start(resetting)
        terminated: Which = np.not_equal(batch.outcomes, GOING_ON)
        rewards = _REWARDS[batch.outcomes]
        return rewards, terminated, self._none.copy(), bool(terminated.any())

    def _judge(self, actions: NDArray[np.int64]) -> None:
        """Take the plans over; games in which one is illegal end, and the kernel skips them."""
        orders = self._costs.shape[1]
        known = (actions >= 0) & (actions < orders)
        self._plans[:] = np.where(known, actions, 0)
        costs = self._costs[np.arange(2)[:, None], self._plans].sum(2)
        illegal = ~known.all(2) | (costs > self._ammo)
        self._forfeit[:] = illegal
        ended = illegal.any(1)
        if ended.any():
            both, first = illegal.all(1), illegal[:, 0]
            outcomes = np.where(both, DRAWN, np.where(first, SECOND, FIRST))
            self._batch.outcomes[ended] = outcomes[ended]

    def _view(self, rows: Any) -> Arrays:
        """The observations of these games, as arrays of their own."""
        tiles, facings, hp = np.moveaxis(self._batch.ships[rows], 2, 0)
        y, x = np.divmod(tiles, self.charts[0].width + 2)
        ships = np.stack([x - 1, y - 1, facings, hp], axis=2).astype(np.int16)
        return {"ships": ships, "turn": self._batch.turns[rows, None].astype(np.int32)}

    def _observe(self) -> tuple[Arrays, Arrays]:
        infos = {"outcome": self._outcome, "forfeit": self._forfeit}
        if self.copy:
            infos = {key: array.copy() for key, array in infos.items()}
        mask = self._allowed.copy() if self.copy else self._allowed
        return self._view(slice(None)), {**infos, "action_mask": mask}

    def _observe_rows(self, rows: NDArray[np.intp]) -> tuple[list[Arrays], Arrays]:
        seen = self._view(rows)
        infos = {
            "outcome": self._outcome[rows],
            "forfeit": self._forfeit[rows],
            "action_mask": self._allowed[rows],
        }
        return [{key: values[i] for key, values in seen.items()} for i in range(len(rows))], infos


_REWARDS = np.zeros(4)
_REWARDS[[FIRST, SECOND]] = 1, -1


def known_maps(game: Navigation, maps: Sequence[str | SeaMap]) -> tuple[SeaMap, ...]:
    """The maps to play on, all of one size."""
    if isinstance(maps, (str, SeaMap)) or not isinstance(maps, Sequence):
        raise BadSettings(f"maps must be a list such as ['procedural:1'], not {maps!r}")
    charts = tuple(find_map(m) if isinstance(m, str) else m for m in maps) or (game.chart,)
    sizes = {(chart.width, chart.height) for chart in charts}
    if len(sizes) > 1:
        raise BadSettings(f"maps must be of one size, not {sorted(sizes)}")
    if sizes != {(game.chart.width, game.chart.height)}:
        raise BadSettings("maps must have the size of the game's map: set map to one of them")
    return charts


def observation_space(game: Navigation, charts: Sequence[SeaMap]) -> spaces.Dict[Any]:
    """The bounds of what both captains see."""
    width, height = charts[0].width, charts[0].height
    high = [[width - 1, height - 1, 3, ship.hp] for ship in game.types]
    return spaces.Dict(
        {
            "ships": spaces.Box(
                np.zeros((2, 4), np.int16), np.array(high, np.int16), (2, 4), np.int16
            ),
            "turn": spaces.Box(0, game.turn_limit, (1,), np.int32),
        }
    )
