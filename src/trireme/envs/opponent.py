"""Any game for Gymnasium, one seat against an opponent: `gymnasium.make(id, opponent="random")`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from trireme.battleship.rules import Battleship
from trireme.core.errors import BadSettings
from trireme.core.game import AnyAgent, AnyGame, Seat, close
from trireme.core.options import options_of
from trireme.core.record import Record
from trireme.core.registry import draw_text, find, load, make_agent, make_game
from trireme.core.session import Opening

from .battleship import BattleshipEnv
from .battleship_setup import NAME, is_duel, sides_of
from .checks import ResetNeeded, known_render_mode, unexpected, whole_number
from .pixels import battleship_image, planes_image
from .zoo_episode import ZooEpisode

METADATA = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 4}
OPTIONS = ("opponent", "seat", "render_mode", "max_steps", "illegal", "opening", "flat")
"""Options of an environment; all others are settings of its game."""


class OpponentEnv(gymnasium.Env[NDArray[Any], np.int64]):
    """A game between a learner and an opponent; the opponent's moves are part of `step`.

    The observation is the array of the game's encoder for the learner's seat, the action one of the
    encoder's numbers; an action that takes several (a plan, a salvo) is chosen by as many steps.
    `info["action_mask"]` int8[actions] says what may be chosen. The reward is the change of the
    seat's returns: 1 won, -1 lost, otherwise 0. What is not allowed forfeits the game, or raises
    with `illegal="raise"`. An opponent that fails raises its error: that is no win.

    Without an opponent it is self-play: each step is a choice of the seat to move, which the
    observation belongs to; the reward is that of the seat that has just moved.

    Args:
        game: the game, with two seats.
        opponent: an agent or its spec, such as `search:level=easy`; None: self-play.
        seat: the learner's, 0 or 1, or `random`: drawn anew in every episode.
        render_mode: `human` prints after every step; `ansi` returns the drawing as text,
            `rgb_array` as uint8[height, width, 3]; all as the learner may see it.
        max_steps: the learner's turns after which an episode is truncated; None: never.
        illegal: `forfeit` or `raise`.
        opening: moves made before anybody is asked, as in `play`.
        flat: give the observation as a vector.
    """

    metadata: dict[str, Any] = METADATA

    def __init__(
        self,
        game: AnyGame,
        *,
        opponent: AnyAgent | str | None = None,
        seat: Seat | str = 0,
        render_mode: str | None = None,
        max_steps: int | None = None,
        illegal: str = "forfeit",
        opening: Opening = (),
        flat: bool = False,
    ) -> None:
        if game.seats != 2:
            raise BadSettings(f"an opponent needs a game of two seats, not {game.seats}")
        if seat not in (0, 1, "random") or isinstance(seat, bool):
            raise BadSettings(f"seat must be 0, 1 or 'random', not {seat!r}")
        if not isinstance(flat, bool):
            raise BadSettings(f"flat must be True or False, not {flat!r}")
        self.episode = ZooEpisode(game, None, max_steps, illegal, opening)
        if opponent is None and self.episode.simultaneous:
            raise BadSettings(
                f"the seats of this game of {game.name} move together: give an opponent, or use "
                "make_vec or trireme.envs.parallel for both seats"
            )
        self.game, self.flat, self._wanted = game, flat, seat
        self.render_mode = known_render_mode(render_mode, self.metadata["render_modes"])
        self._made = isinstance(opponent, str)
        self.opponent = make_agent(game, opponent) if isinstance(opponent, str) else opponent
        prepare = getattr(self.opponent, "prepare", None)
        if callable(prepare):
            prepare(game)
        whole = self.episode.observation_spaces["player_0"]
        shape = (int(np.prod(whole.shape)),) if flat else whole.shape
        self.observation_space: spaces.Space[Any] = spaces.Box(0, 1, shape, whole.dtype.type)
        self.action_space = spaces.Discrete(self.episode.encoder.num_actions)
        self.seat: Seat = 0
        self._over = True

    @property
    def record(self) -> Record:
        """The episode so far as a record, which replays."""
        return self.episode.record

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin an episode; `options={"opening": [...]}` makes other moves first."""
        super().reset(seed=seed)
        self.seat = 0
        if self.opponent is not None:
            wanted = self._wanted
            self.seat = int(self.np_random.integers(2)) if wanted == "random" else int(wanted)
            self.episode.agents = {1 - self.seat: self.opponent}
        self.episode.begin(int(self.np_random.integers(2**32)), options)
        self._select()
        self._over = self.episode.session.over
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(
        self, action: int | np.integer[Any]
    ) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """One choice of the learner; once its move is complete, the opponent replies."""
        episode = self.episode
        if self._over:
            raise ResetNeeded("no episode is under way: call reset() before step()")
        episode.choose(self.seat, whole_number(action, "an action"))
        reward = 0.0
        if episode.faults or not episode.waiting():
            reward = float(episode.resolve()[self.seat])
        terminated = episode.session.over
        truncated = not terminated and episode.out_of_cycles()
        self._over = terminated or truncated
        self._select()
        if self.render_mode == "human":
            self.render()
        return self._observation(), reward, terminated, truncated, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions may be chosen now, bool[actions], for MaskablePPO."""
        return self.episode.allowed(self.seat).astype(np.bool_)

    def render(self) -> Any:
        """The game as the learner may see it: text, or uint8[height, width, 3]."""
        if self.render_mode is None:
            gymnasium.logger.warn('render() does nothing without render_mode="ansi"')
            return None
        state = self.episode.session.state
        if self.render_mode == "rgb_array":
            if isinstance(self.game, Battleship):
                return battleship_image(self.game, self.game.view(state, self.seat))
            return planes_image(self.episode.observe(self.seat))
        text = draw_text(self.game, state, self.seat)
        if self.render_mode == "human":
            print(text, end="\n\n")
            return None
        return text

    def close(self) -> None:
        """End an opponent that was made from its spec; an agent object stays open."""
        if self._made:
            close([self.opponent])

    def _select(self) -> None:
        """In self-play the seat to move is the learner's; after the end, the one that would."""
        if self.opponent is None:
            waiting = [] if self.episode.session.over else self.episode.waiting()
            self.seat = waiting[0] if waiting else 1 - self.seat

    def _observation(self) -> NDArray[Any]:
        seen = self.episode.observe(self.seat)
        return seen.reshape(-1) if self.flat else seen

    def _info(self) -> dict[str, Any]:
        info = {**self.episode.info(self.seat), "seat": self.seat}
        for fault in self.episode.session.forfeits:
            info["forfeit"] = fault.detail
        return info


def against(name: str, id_: str, options: Mapping[str, Any], **defaults: Any) -> OpponentEnv:
    """The environment of the game `name`; options that it does not know are the game's settings."""
    given = {**defaults, **options}
    known = options_of(load(find(name).game))
    for key in given:
        if key not in OPTIONS and key not in known:
            raise unexpected(id_, key, [*OPTIONS, *known])
    settings = {key: value for key, value in given.items() if key not in OPTIONS}
    own = {key: value for key, value in given.items() if key in OPTIONS}
    return OpponentEnv(make_game(name, **settings), **own)


def make_gomoku(**options: Any) -> OpponentEnv:
    """`trireme/Gomoku-v0`: against `opponent`, or self-play."""
    return against("gomoku", "trireme/Gomoku-v0", options)


def make_navigation(**options: Any) -> OpponentEnv:
    """`trireme/Navigation-v0`: against `opponent`, a random one unless another is given."""
    return against("navigation", "trireme/Navigation-v0", options, opponent="random")


def make_battleship(
    board_size: Sequence[int] = (10, 10),
    opponent: AnyAgent | str | None = None,
    duel: bool = False,
    **options: Any,
) -> gymnasium.Env[Any, Any]:
    """`trireme/Battleship-v0`: alone, or a duel: with `opponent`, or with `duel` in self-play."""
    if opponent is None and not is_duel(duel):
        return BattleshipEnv(board_size, **options)
    rows, cols = sides_of(board_size)
    sides = {"rows": rows, "cols": cols, "duel": True, "opponent": opponent}
    return against("battleship", NAME, options, **sides)


make_gomoku.metadata = METADATA  # type: ignore[attr-defined] # gymnasium.make reads it here
make_navigation.metadata = METADATA  # type: ignore[attr-defined]
make_battleship.metadata = BattleshipEnv.metadata  # type: ignore[attr-defined]
