"""Battleship for Gymnasium: one agent fires at a hidden fleet until it is sunk."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from trireme.battleship.board import write_cell
from trireme.battleship.fleets import Fleet, ship_at
from trireme.battleship.rules import Battleship, BattleshipState
from trireme.battleship.shots import Salvo
from trireme.battleship.show import draw, pictures
from trireme.core.game import CHANCE

from .battleship_planes import planes_of_board, sunk_cells_at
from .battleship_setup import CHOSEN_CELL, NAME, setup
from .checks import ResetNeeded, known_render_mode, known_settings, whole_number
from .hand_placement import Placement, hand_placed
from .pixels import battleship_image

MINED = -2
"""What `_owner` holds where a mine lies; -1 is water, numbers from 0 on are ships."""


BEST_FIRST = ("win", "hit", "mine", "miss")
"""The answers to shots, in the order in which one of them stands for a salvo."""


class BattleshipEnv(gymnasium.Env[Any, np.int64]):
    """Fire at a hidden board until the fleet is sunk; fewer shots are better.

    Observation: `attack_board` int8[rows, cols], 0 unknown, 1 miss, 2 hit; `remaining_ships`
    int8[5], the sizes of the ships afloat, largest first, then zeros; `move_count` int32[1], the
    shots fired. Action `row * cols + col`.

    With `observation="planes"` it is int8[4 + ships, rows, cols] of 0 and 1 instead: misses, hits,
    cells of sunk ships, unknown cells; for each ship, largest first, all 1 while it is afloat; with
    salvos one more, the cells chosen.

    With mines, striking one is a miss that counts as two shots.

    With salvos a step chooses a cell, which `attack_board` shows as 3. Once as many are chosen as
    ships are afloat (or no cell is open), all of them are fired at: the reward is the sum over the
    shots, `result` the best answer, and `ship_sunk` the largest ship that sank.

    Args:
        board_size: rows and columns, 5 to 12 each.
        render_mode: `human` prints after every step; `ansi` and `html` return the drawing as text,
            `rgb_array` as uint8[height, width, 3].
        ship_placement: a fleet by hand for every episode; None: nature places.
        fleet: sizes of the ships; None: by the smaller side of the board.
        touching: whether ships may touch.
        placement: `sequential` or `uniform`, how nature places.
        mines: how many mines the water hides.
        salvo: fire as many shots at once as ships are afloat, chosen one a step.
        rewards: other rewards, whole or some by name, such as `{"hit": 1.0}`.
        max_steps: steps, invalid ones included, after which the episode is truncated; None: twice
            the number of cells.
        flat: give `attack_board`, or the planes, as a vector, as Stable-Baselines3 prefers it.
        observation: `board`, the dictionary, or `planes`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (as Gymnasium declares it)
        "render_modes": ["human", "html", "ansi", "rgb_array"],
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
        self._names, self._sizes = board.names, board.sizes
        self._expected = f"a cell from 0 to {self.setup.cells - 1}"
        self._fleet: Fleet | None = None
        self._owner: list[int] = []
        self._left = list(self._sizes)
        self._afloat = list(range(len(self._sizes)))
        self._fired: list[int] = []
        self._salvo = self.setup.game.salvo
        self._chosen: list[int] = []
        self._cells = bytearray(self.setup.cells)
        self._open = bytearray(b"\1" * self.setup.cells)
        self._sunk = np.zeros(self.setup.cells, np.int8)
        self._remaining = np.zeros(self.setup.slots, np.int8)
        self._share_memory()
        self._count = np.zeros(1, np.int32)
        self._moves = self._steps = 0
        self._rewards, self._max_steps = self.setup.rewards, self.setup.max_steps
        self._over = False

    def _share_memory(self) -> None:
        """Make arrays of the bytes: single bytes are written faster, arrays are copied faster."""
        self._board = np.frombuffer(self._cells, np.int8).reshape(self.setup.board_shape)
        self._mask = np.frombuffer(self._open, np.int8)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._share_memory()  # pickling and copying part the arrays from their bytes

    @property
    def game(self) -> Battleship:
        """The rules that this environment keeps."""
        return self.setup.game

    @property
    def state(self) -> BattleshipState:
        """The position by the rules, hidden fleet included: no agent may look."""
        if self._fleet is None:
            raise ResetNeeded("call reset() first")
        game, cols = self.game, self.setup.board.cols
        state = game.apply(game.start(), {CHANCE: self._fleet})
        for cell in self._fired:
            state = game.apply(state, {0: Salvo((divmod(cell, cols),))})
        return state

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; `options={"ship_placement": ...}` places its fleet by hand."""
        super().reset(seed=seed)
        game, fleet = self.game, self.setup.fleet
        if options is not None and options.get("ship_placement") is not None:
            fleet = hand_placed(game, options["ship_placement"])
        if fleet is None:
            drawn = game.draw(game.start(), self.np_random)
            assert isinstance(drawn, Fleet)
            fleet = drawn
        self._place(fleet)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info(None, None)

    def step(self, action: int | np.integer[Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Fire at cell `action`; an invalid one costs its reward, and the episode goes on."""
        if self._over or self._fleet is None:
            raise ResetNeeded(
                "call reset() before the first step()"
                if self._fleet is None
                else "the episode is over: call reset() before the next step()"
            )
        index = action if type(action) is int else whole_number(action, self._expected)
        self._steps += 1
        error = None
        if 0 <= index < len(self._open) and self._open[index]:
            result, sunk, reward = self._choose(index) if self._salvo else self._fire(index)
        else:
            result, sunk, reward = "invalid", None, self._rewards.invalid
            error = self._fault(index)
        terminated = result == "win"
        truncated = not terminated and self._steps >= self._max_steps
        self._over = terminated or truncated
        info = self._info(result, sunk)
        if error:
            info["error"] = error
        if self.render_mode == "human":
            self.render()
        return self._observation(), reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which cells have not been attacked, bool[cells], for MaskablePPO."""
        return self._mask.astype(np.bool_)

    def render(self) -> Any:
        """The board as the agent may see it: text, or uint8[height, width, 3]."""
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render mode: make the environment with "
                f'gymnasium.make("{NAME}", render_mode="ansi")'
            )
            return None
        if self._fleet is None:
            raise ResetNeeded("call reset() before render()")
        view = self.game.view(self.state, 0)
        if self.render_mode == "human":
            print(draw.text(self.game, view, colour=sys.stdout.isatty()), end="\n\n")
            return None
        if self.render_mode == "html":
            return pictures.show(self.game, view).html
        if self.render_mode == "rgb_array":
            return battleship_image(self.game, view)
        return draw.text(self.game, view)

    def _place(self, fleet: Fleet) -> None:
        """Set up the arrays of a new episode."""
        cols = self.setup.board.cols
        self._fleet = fleet
        self._owner = [-1] * self.setup.cells
        for (row, col), ship in ship_at(fleet).items():
            self._owner[row * cols + col] = ship
        for row, col in fleet.mines:
            self._owner[row * cols + col] = MINED
        self._left = list(self._sizes)
        self._afloat = list(range(len(self._sizes)))
        self._fired = []
        self._chosen = []
        self._board.fill(0)
        self._sunk.fill(0)
        self._mask.fill(1)
        self._remaining[: len(self._sizes)] = self._sizes
        self._moves = self._steps = 0
        self._over = False

    def _choose(self, index: int) -> tuple[str, str | None, float]:
        """Choose an open cell for the salvo, and fire it once it is complete."""
        self._cells[index] = CHOSEN_CELL
        self._open[index] = 0
        self._chosen.append(index)
        if len(self._chosen) < len(self._afloat) and 1 in self._open:
            return "chosen", None, 0.0
        answers = [self._fire(cell) for cell in sorted(self._chosen)]
        self._chosen = []
        names = [name for _, name, _ in answers if name is not None]
        return (
            min((result for result, _, _ in answers), key=BEST_FIRST.index),
            min(names, key=self._names.index, default=None),
            sum(reward for _, _, reward in answers),
        )

    def _fire(self, index: int) -> tuple[str, str | None, float]:
        """Fire at an open cell: the result, the name of a ship that sank, and the reward."""
        rewards, ship = self._rewards, self._owner[index]
        self._fired.append(index)
        self._open[index] = 0
        self._moves += 1
        if ship < 0:
            self._cells[index] = 1
            if ship != MINED:
                return "miss", None, rewards.miss
            self._moves += 1
            return "mine", None, rewards.mine
        self._cells[index] = 2
        self._left[ship] -= 1
        if self._left[ship]:
            return "hit", None, rewards.hit
        afloat = self._afloat
        afloat.remove(ship)
        self._remaining[: len(afloat)] = [self._sizes[other] for other in afloat]
        self._remaining[len(afloat)] = 0
        if self.setup.as_planes:
            hits, board = [value == 2 for value in self._cells], self.setup.board
            sure = sunk_cells_at(hits, index, self._sizes[ship], board.rows, board.cols)
            self._sunk[list(sure)] = 1
        if afloat:
            return "hit", self._names[ship], rewards.sunk
        return "win", self._names[ship], rewards.won

    def _fault(self, index: int) -> str:
        """Why nothing can be fired at this cell."""
        if not 0 <= index < self.setup.cells:
            return f"out of bounds: expected {self._expected}, not {index}"
        cell = write_cell(divmod(index, self.setup.board.cols))
        done = "chosen" if index in self._chosen else "attacked"
        return f"already {done}: {cell} (cell {index})"

    def _observation(self) -> Any:
        if self.setup.as_planes:
            board = np.frombuffer(self._cells, np.int8)
            return planes_of_board(self.setup, board, self._sunk, self._afloat)
        self._count[0] = self._moves
        return {
            "attack_board": self._board.copy(),
            "remaining_ships": self._remaining.copy(),
            "move_count": self._count.copy(),
        }

    def _info(self, result: str | None, sunk: str | None) -> dict[str, Any]:
        return {
            "result": result,
            "ship_sunk": sunk,
            "ships_remaining": len(self._afloat),
            "total_ships": len(self._sizes),
            "move_count": self._moves,
            "action_mask": self._mask.copy(),
        }
