"""Battleship for Gymnasium: one agent fires at a hidden fleet until it is sunk."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from trireme.battleship.board import Board, Cell, cells_between, write_cell
from trireme.battleship.fleets import Fleet
from trireme.battleship.rules import Battleship, BattleshipState
from trireme.battleship.shots import Salvo
from trireme.battleship.show import draw, pictures
from trireme.core.errors import BadSettings, IllegalAction
from trireme.core.game import CHANCE
from trireme.core.options import build, option

from .checks import ResetNeeded, known_render_mode, known_settings, positive, whole_number

Observation = dict[str, NDArray[Any]]
Placement = Fleet | str | Sequence[Sequence[Cell]]
"""A fleet by hand: as a `Fleet`, as text such as `A1-A5 C3-F3`, or as a list of ships, each a list
of its cells (or of its two ends), cells being (row, col) from 0."""

NAME = "trireme/Battleship-v0"
SLOTS = 5
"""Entries of `remaining_ships`, at least: more where the fleet has more ships."""


@dataclass(frozen=True)
class Rewards:
    """The rewards; every step earns exactly one of them."""

    miss: float = option(-1.0, "a shot into water")
    hit: float = option(5.0, "a shot that hits a ship and leaves it afloat")
    sunk: float = option(10.0, "a shot that sinks a ship, not the last")
    won: float = option(100.0, "the shot that sinks the last ship")
    invalid: float = option(-50.0, "a cell out of bounds or already attacked; nothing is fired")

    def __post_init__(self) -> None:
        for field in fields(self):
            if not math.isfinite(getattr(self, field.name)):
                raise BadSettings(f"the reward {field.name} must be finite")

    @classmethod
    def of(cls, given: Rewards | Mapping[str, float] | None) -> Rewards:
        """The rewards as given: whole, some of them by name, or none."""
        if isinstance(given, Rewards):
            return given
        if given is not None and not isinstance(given, Mapping):
            raise BadSettings(f"rewards must be a mapping such as {{'hit': 5.0}}, not {given!r}")
        return build(cls, given or {}, owner="rewards")


@dataclass(frozen=True)
class BattleshipSetup:
    """The settings that single and vector environments share, checked."""

    game: Battleship
    fleet: Fleet | None
    rewards: Rewards
    max_steps: int
    flat: bool

    @cached_property
    def board(self) -> Board:
        return self.game.boards[0]

    @cached_property
    def cells(self) -> int:
        return self.board.rows * self.board.cols

    @cached_property
    def slots(self) -> int:
        return max(SLOTS, len(self.board.sizes))

    @cached_property
    def board_shape(self) -> tuple[int, ...]:
        return (self.cells,) if self.flat else (self.board.rows, self.board.cols)

    def observation_space(self) -> spaces.Dict[Any]:
        return spaces.Dict(
            {
                "attack_board": spaces.Box(0, 2, self.board_shape, np.int8),
                "remaining_ships": spaces.Box(0, max(self.board.sizes), (self.slots,), np.int8),
                "move_count": spaces.Box(0, self.cells, (1,), np.int32),
            }
        )


def setup(
    board_size: Sequence[int] = (10, 10),
    ship_placement: Placement | None = None,
    *,
    fleet: Sequence[int] | None = None,
    touching: bool = False,
    placement: str = "sequential",
    rewards: Rewards | Mapping[str, float] | None = None,
    max_steps: int | None = None,
    flat: bool = False,
) -> BattleshipSetup:
    """Check the settings of an environment and put them together."""
    try:
        rows, cols = board_size
    except (TypeError, ValueError):
        raise BadSettings(
            f"board_size must be (rows, cols) such as (10, 10), not {board_size!r}"
        ) from None
    if placement == "manual" and ship_placement is None:
        raise BadSettings("placement by hand needs the fleet: give ship_placement")
    how = placement if ship_placement is None else "manual"
    game = build(
        Battleship,
        {"rows": rows, "cols": cols, "fleet": fleet, "touching": touching, "placement": how},
        owner=NAME,
    )
    steps = 2 * game.rows * game.cols if max_steps is None else positive(max_steps, "max_steps")
    if not isinstance(flat, bool):
        raise BadSettings(f"flat must be True or False, not {flat!r}")
    by_hand = None if ship_placement is None else hand_placed(game, ship_placement)
    return BattleshipSetup(game, by_hand, Rewards.of(rewards), steps, flat)


def hand_placed(game: Battleship, given: Placement) -> Fleet:
    """The fleet that was given by hand, judged by the rules."""
    if isinstance(given, Fleet):
        fleet = given
    elif isinstance(given, str):
        read = game.read(given)
        if not isinstance(read, Fleet):
            raise BadSettings(f"expected a fleet such as 'A1-A5 C3-F3', not {given!r}")
        fleet = read
    else:
        fleet = Fleet(tuple(_ends(ship) for ship in _listed(given, given)))
    try:
        game.check(game.start(), CHANCE, fleet)
    except IllegalAction as error:
        raise BadSettings(f"ship_placement: {error}") from None
    return fleet


def _listed(given: Any, whole: object) -> list[Any]:
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise BadSettings(
            f"ship_placement must list ships, each as its (row, col) cells, not {whole!r}"
        )
    return list(given)


def _ends(ship: Any) -> tuple[Cell, Cell]:
    """The ends of a ship that is given by all of its cells, or by two."""
    cells: list[Cell] = []
    for cell in _listed(ship, ship):
        try:
            row, col = (whole_number(part, "a row or a column") for part in cell)
        except (TypeError, ValueError):
            raise BadSettings(f"ship_placement: expected a cell (row, col), not {cell!r}") from None
        cells.append((row, col))
    if not cells:
        raise BadSettings("ship_placement: a ship needs cells")
    first, last = min(cells), max(cells)
    straight = first[0] == last[0] or first[1] == last[1]
    if straight and len(cells) != 2 and sorted(cells) != list(cells_between((first, last))):
        raise BadSettings(f"ship_placement: the cells {cells} are no ship without gaps")
    if not straight and len(cells) != 2:
        raise BadSettings(f"ship_placement: the cells {cells} do not lie in one line")
    return first, last


class BattleshipEnv(gymnasium.Env[Observation, np.int64]):
    """Fire at a hidden board until the fleet is sunk; fewer shots are better.

    Observation: `attack_board` int8[rows, cols], 0 unknown, 1 miss, 2 hit; `remaining_ships`
    int8[5], the sizes of the ships afloat, largest first, then zeros; `move_count` int32[1], the
    shots fired. Action `row * cols + col`.

    Args:
        board_size: rows and columns, 5 to 12 each.
        render_mode: `human` prints after every step; `ansi` and `html` return the drawing.
        ship_placement: a fleet by hand for every episode; None: nature places.
        fleet: sizes of the ships; None: by the smaller side of the board.
        touching: whether ships may touch.
        placement: `sequential` or `uniform`, how nature places.
        rewards: other rewards, whole or some by name, such as `{"hit": 1.0}`.
        max_steps: steps, invalid ones included, after which the episode is truncated; None: twice
            the number of cells.
        flat: give `attack_board` as int8[rows * cols], as Stable-Baselines3 prefers it.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (as Gymnasium declares it)
        "render_modes": ["human", "html", "ansi"],
        "render_fps": 4,
    }

    def __init__(
        self,
        board_size: Sequence[int] = (10, 10),
        render_mode: str | None = None,
        ship_placement: Placement | None = None,
        **settings: Any,
    ) -> None:
        self.setup = setup(board_size, ship_placement, **known_settings(setup, settings, NAME))
        self.render_mode = known_render_mode(render_mode, self.metadata["render_modes"])
        self.observation_space: spaces.Space[Any] = self.setup.observation_space()
        self.action_space = spaces.Discrete(self.setup.cells)
        board = self.setup.board
        self._sizes = dict(zip(board.names, board.sizes, strict=True))
        self._cells = np.zeros(self.setup.cells, np.int8)
        self._state: BattleshipState | None = None
        self._steps = 0
        self._over = False

    @property
    def game(self) -> Battleship:
        """The rules that this environment keeps."""
        return self.setup.game

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; `options={"ship_placement": ...}` places its fleet by hand."""
        super().reset(seed=seed)
        game, fleet = self.game, self.setup.fleet
        if options is not None and options.get("ship_placement") is not None:
            fleet = hand_placed(game, options["ship_placement"])
        start = game.start()
        placed = game.draw(start, self.np_random) if fleet is None else fleet
        self._state = game.apply(start, {CHANCE: placed})
        self._cells.fill(0)
        self._steps = 0
        self._over = False
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info(None, None)

    def step(
        self, action: int | np.integer[Any]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Fire at cell `action`; an invalid one costs its reward, and the episode goes on."""
        if self._state is None:
            raise ResetNeeded("call reset() before the first step()")
        if self._over:
            raise ResetNeeded("the episode is over: call reset() before the next step()")
        index = whole_number(action, f"a cell from 0 to {self.setup.cells - 1}")
        self._steps += 1
        error = self._fault(index)
        result, sunk = ("invalid", None) if error else self._fire(index)
        terminated = result == "win"
        truncated = not terminated and self._steps >= self.setup.max_steps
        self._over = terminated or truncated
        info = self._info(result, sunk)
        if error:
            info["error"] = error
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._reward(result, sunk), terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which cells have not been attacked, bool[cells], for MaskablePPO."""
        return np.equal(self._cells, 0)

    def render(self) -> str | None:
        """The board as the agent may see it."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render mode: make the environment with "
                f'gymnasium.make("{NAME}", render_mode="ansi")'
            )
            return None
        if self._state is None:
            raise ResetNeeded("call reset() before render()")
        view = self.game.view(self._state, 0)
        if self.render_mode == "human":
            print(draw.text(self.game, view, colour=sys.stdout.isatty()), end="\n\n")
            return None
        if self.render_mode == "html":
            return pictures.show(self.game, view).html
        return draw.text(self.game, view)

    def _fault(self, index: int) -> str | None:
        """Why nothing can be fired at this cell."""
        if not 0 <= index < self.setup.cells:
            return f"out of bounds: expected a cell from 0 to {self.setup.cells - 1}, not {index}"
        if self._cells[index]:
            cell = write_cell(divmod(index, self.setup.board.cols))
            return f"already attacked: {cell} (cell {index})"
        return None

    def _fire(self, index: int) -> tuple[str, str | None]:
        """Fire; returns the result, and the name of a ship that sank."""
        assert self._state is not None
        cell = divmod(index, self.setup.board.cols)
        self._state = self.game.apply(self._state, {0: Salvo((cell,))})
        shot = self._state.seas[0].shots[-1]
        self._cells[index] = 1 if shot.result == "miss" else 2
        if shot.result == "miss":
            return "miss", None
        return ("hit" if self._state.seas[0].afloat else "win"), shot.ship or None

    def _reward(self, result: str, sunk: str | None) -> float:
        rewards = self.setup.rewards
        if result == "hit":
            return rewards.sunk if sunk else rewards.hit
        return {"win": rewards.won, "miss": rewards.miss, "invalid": rewards.invalid}[result]

    def _observation(self) -> Observation:
        assert self._state is not None
        sea = self._state.seas[0]
        remaining = np.zeros(self.setup.slots, np.int8)
        remaining[: len(sea.afloat)] = [self._sizes[name] for name in sea.afloat]
        return {
            "attack_board": self._cells.reshape(self.setup.board_shape).copy(),
            "remaining_ships": remaining,
            "move_count": np.array([len(sea.shots)], np.int32),
        }

    def _info(self, result: str | None, sunk: str | None) -> dict[str, Any]:
        assert self._state is not None
        sea = self._state.seas[0]
        return {
            "result": result,
            "ship_sunk": sunk,
            "ships_remaining": len(sea.afloat),
            "total_ships": len(self._sizes),
            "move_count": len(sea.shots),
            "action_mask": (self._cells == 0).astype(np.int8),
        }
