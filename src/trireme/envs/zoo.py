"""PettingZoo environments of every game: agent-environment cycle (AEC), and parallel."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from trireme.core.errors import BadSettings, IllegalAction, MissingExtra
from trireme.core.game import AnyGame, Seat
from trireme.core.record import Record
from trireme.core.registry import make_game
from trireme.core.session import Opening

from .checks import ResetNeeded, whole_number
from .zoo_episode import RENDER_MODES, ZooEpisode

try:
    from pettingzoo import AECEnv, ParallelEnv  # type: ignore[import-untyped]
except ModuleNotFoundError:
    raise MissingExtra("zoo", "an environment of PettingZoo", "pettingzoo") from None

Observation = NDArray[Any]
OPTIONS = ("render_mode", "max_cycles", "illegal", "opening")
"""Options of an environment; all others are settings of its game."""


class _EpisodeEnv:
    """What both environments share: spaces, record and drawing of an episode."""

    episode: ZooEpisode
    action_spaces: dict[str, spaces.Space[Any]]

    def _open(self, episode: ZooEpisode, **metadata: Any) -> None:
        self.episode = episode
        self.render_mode = episode.render_mode
        self.metadata = {
            "render_modes": RENDER_MODES,
            "name": f"{episode.game.name}_v0",
            **metadata,
        }
        self.possible_agents = list(episode.players)
        self.agents: list[str] = []
        self.observation_spaces = dict(episode.observation_spaces)

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    @property
    def record(self) -> Record:
        """The episode so far as a record, which replays."""
        return self.episode.record

    def render(self) -> str | None:
        """The game as a spectator may see it: printed, or returned, as the render mode asks."""
        if self.render_mode is None:
            gymnasium.logger.warn('render() does nothing without render_mode="ansi" or "human"')
            return None
        text = self.episode.draw()
        if self.render_mode == "human":
            print(text, end="\n\n")
            return None
        return text

    def close(self) -> None:
        """Nothing is held open."""

    def _draw(self) -> None:
        if self.render_mode == "human":
            self.render()


class AECGameEnv(_EpisodeEnv, AECEnv):  # type: ignore[misc]
    """A game as PettingZoo's agent-environment cycle.

    Agents are `player_0`, `player_1` …, the seats. The observation is the encoder's array, and
    `infos[agent]["action_mask"]` int8[actions] says which numbers may be chosen. An action that
    takes several numbers (a salvo, a plan) is chosen by as many steps of the same agent. Where
    seats move together, each chooses without seeing the others' choices.

    Rewards are the changes of the game's returns: 1 won, -1 lost, 0 otherwise where seats compete;
    alone in Battleship, -1 for every shot. An action that is not allowed forfeits the game, or
    raises with `illegal="raise"`. After `max_cycles` turns of every seat the episode is truncated.
    `opening` holds moves that are made before anybody is asked, as in `play`.
    """

    def __init__(
        self,
        game: AnyGame,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        illegal: str = "forfeit",
        opening: Opening = (),
    ) -> None:
        super().__init__()
        episode = ZooEpisode(game, render_mode, max_cycles, illegal, opening)
        self._open(episode, is_parallelizable=False)
        self.action_spaces = {
            agent: spaces.Discrete(episode.encoder.num_actions) for agent in self.possible_agents
        }

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; `options={"opening": [...]}` makes other moves first."""
        self.episode.begin(seed, options)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self.episode.session.over)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._select()
        self._draw()

    def step(self, action: Any) -> None:
        """One choice of `agent_selection`; None once it is done."""
        episode = self.episode
        if not self.agents:
            raise ResetNeeded("no episode is under way: call reset() before step()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self.possible_agents.index(agent)
        number = whole_number(action, f"an action of {agent}")
        episode.choose(seat, number)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if episode.faults or not episode.waiting():
            gains = episode.resolve()
            self.rewards = {a: gains[self.possible_agents.index(a)] for a in self.agents}
            over = episode.session.over
            truncated = not over and episode.out_of_cycles()
            self.terminations = dict.fromkeys(self.agents, over)
            self.truncations = dict.fromkeys(self.agents, truncated)
        self._accumulate_rewards()
        self._select()
        self._draw()

    def observe(self, agent: str) -> Observation:
        return self.episode.observe(self.possible_agents.index(agent))

    def _select(self) -> None:
        """Select the agent that chooses next, and set its info."""
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        waiting = [] if self.episode.session.over else self.episode.waiting()
        if waiting:
            self.agent_selection = self.possible_agents[waiting[0]]
            self.infos[self.agent_selection] = self.episode.info(waiting[0])
        else:
            self.agent_selection = self.agents[0]
        for fault in self.episode.session.forfeits:
            self.infos[self.possible_agents[fault.seat]]["forfeit"] = fault.detail


class ParallelGameEnv(_EpisodeEnv, ParallelEnv):  # type: ignore[misc]
    """A game whose seats move together, as PettingZoo's parallel environment.

    Observations, rewards, forfeits and truncation are those of `AECGameEnv`. A whole action is one
    step: a number, or where an action takes several (a plan, a salvo) `MultiDiscrete`, with
    `infos[agent]["action_mask"]` int8[choices, actions]; `tuple(mask)` is what its `sample` takes.
    With `stepwise` every step is one choice of every seat, `Discrete` with a mask int8[actions]:
    the plans of Battle Navigation phase by phase, secret until all phases are chosen.

    `infos[agent]["choices"]` says how many numbers the next action of the seat takes; where it is
    0, as for a seat that sits a turn out, its action is ignored.
    """

    def __init__(
        self,
        game: AnyGame,
        *,
        stepwise: bool = False,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        illegal: str = "forfeit",
        opening: Opening = (),
    ) -> None:
        episode = ZooEpisode(game, render_mode, max_cycles, illegal, opening)
        if not episode.simultaneous:
            raise BadSettings(
                f"the seats of this game of {game.name} move in turn: use trireme.envs.aec"
            )
        if not isinstance(stepwise, bool):
            raise BadSettings(f"stepwise must be True or False, not {stepwise!r}")
        self.stepwise = stepwise
        self._open(episode)
        self.action_spaces = {agent: self._space() for agent in self.possible_agents}

    @property
    def max_cycles(self) -> int | None:
        """Turns after which an episode is truncated."""
        return self.episode.max_cycles

    @max_cycles.setter
    def max_cycles(self, cycles: int | None) -> None:
        self.episode.max_cycles = cycles

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin an episode; `options={"opening": [...]}` makes other moves first."""
        self.episode.begin(seed, options)
        self.agents = [] if self.episode.session.over else list(self.possible_agents)
        self._draw()
        return self._observations(self.agents), self._infos(self.agents)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """The actions of all agents, or with `stepwise` one choice of each."""
        episode, agents = self.episode, list(self.agents)
        if not agents:
            raise ResetNeeded("no episode is under way: call reset() before step()")
        if not isinstance(actions, dict) or set(actions) != set(agents):
            raise IllegalAction(f"expected an action for each of {agents}, not {actions!r}")
        numbers = {
            seat: self._numbers(seat, actions[episode.players[seat]]) for seat in episode.waiting()
        }
        episode.choose_together(numbers)
        gains = (0.0,) * episode.game.seats
        if episode.faults or not episode.waiting():
            gains = episode.resolve()
        over = episode.session.over
        truncated = not over and episode.out_of_cycles()
        self.agents = [] if over or truncated else agents
        self._draw()
        return (
            self._observations(agents),
            {agent: gains[self.possible_agents.index(agent)] for agent in agents},
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, truncated),
            self._infos(agents),
        )

    def _space(self) -> spaces.Space[Any]:
        numbers, width = self.episode.encoder.num_actions, self.episode.width
        if self.stepwise or width == 1:
            return spaces.Discrete(numbers)
        return spaces.MultiDiscrete(np.full(width, numbers))

    def _numbers(self, seat: Seat, action: Any) -> list[int]:
        """The choices that an action of `seat` stands for."""
        agent = self.episode.players[seat]
        if self.stepwise or self.episode.width == 1:
            return [whole_number(action, f"an action of {agent}")]
        shape = np.shape(action)
        if shape != (self.episode.width,):
            raise IllegalAction(
                f"expected {self.episode.width} numbers as the action of {agent}, not {action!r}"
            )
        taken = list(action)[: self.episode.choices(seat)]
        return [whole_number(number, f"an action of {agent}") for number in taken]

    def _observations(self, agents: list[str]) -> dict[str, Observation]:
        return {a: self.episode.observe(self.possible_agents.index(a)) for a in agents}

    def _infos(self, agents: list[str]) -> dict[str, dict[str, Any]]:
        infos = {a: self.episode.info(self.possible_agents.index(a)) for a in agents}
        for info in infos.values():
            if isinstance(self.action_spaces[agents[0]], spaces.MultiDiscrete):
                info["action_mask"] = np.tile(info["action_mask"], (self.episode.width, 1))
        for fault in self.episode.session.forfeits:
            infos[self.possible_agents[fault.seat]]["forfeit"] = fault.detail
        return infos


def aec(game: AnyGame | str, variant: str | None = None, **options: Any) -> AECGameEnv:
    """A game for PettingZoo, seats choosing in turn: `aec("battleship", "duel", max_cycles=50)`.

    Options that `AECGameEnv` does not know are settings of the game.
    """
    made, rest = game_and_options(game, variant, options, OPTIONS)
    return AECGameEnv(made, **rest)


def parallel(game: AnyGame | str, variant: str | None = None, **options: Any) -> ParallelGameEnv:
    """A game whose seats move together, for PettingZoo: `parallel("navigation", stepwise=True)`.

    Options that `ParallelGameEnv` does not know are settings of the game.
    """
    made, rest = game_and_options(game, variant, options, ("stepwise", *OPTIONS))
    return ParallelGameEnv(made, **rest)


def game_and_options(
    game: AnyGame | str, variant: str | None, options: dict[str, Any], own: tuple[str, ...]
) -> tuple[AnyGame, dict[str, Any]]:
    """The game, made with all options that are not the environment's own."""
    settings = {key: value for key, value in options.items() if key not in own}
    rest = {key: value for key, value in options.items() if key in own}
    if isinstance(game, str):
        return make_game(game, variant, **settings), rest
    if settings or variant is not None:
        raise BadSettings(f"{game.name} has its settings already: drop {variant or settings!r}")
    return game, rest
