"""Which games and agents there are, built in or installed; nothing is imported before its use."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, get_args, get_origin

from . import plugins
from .errors import BadSpec, TriremeError, unknown
from .game import AnyAgent, AnyGame, Game, Seat
from .options import build, convert
from .spec import parse_spec

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Slice:
    """What a game's folder offers. Every place is `module:name`, loaded on first use."""

    summary: str
    """One line for lists of games."""
    game: str
    """The game class."""
    text: str
    """`text(game, view, colour=False) -> str`: a view drawn for a terminal."""
    picture: str | None = None
    """`picture(game, view) -> str`: a view as HTML or SVG for notebooks; without it, the text."""
    agents: Mapping[str, str] = field(default_factory=dict)
    """Agent classes by the name that specs use, weakest first; `COMMON_AGENTS` come by
    themselves."""
    opponent: str = "montecarlo"
    """The agent spec that a player meets unless another is asked for."""
    references: tuple[str, ...] = ("random",)
    """The agents that `trireme evaluate` compares a bot with, weakest first; quick ones."""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Named choices of settings."""
    versus: str | None = None
    """The variant that seats two players, where the default seats one."""
    terminal: str = "trireme.core.terminal:Terminal"
    """What the game adds to play in a terminal: a subclass of `Terminal`."""
    encoder: str | None = None
    """`encoder(game)`: views and actions as arrays for learners (see `envs`)."""
    starts: str | None = None
    """`starts(game, rng) -> (game, opening)`: a fair start drawn for a pair of arena games, such
    as a balanced opening or another map. Settings that a user chose must stay as they are."""
    forced_win: str | None = None
    """`forced_win(game)` gives a function of a state, for the positions of one game in order: the
    seat whose win is proven beyond doubt, or None. Arena games may be adjudicated by it."""
    opening_move: str | None = None
    """`opening_move(turn) -> action | None`: a sound first move by plain Python, None when the
    opening is over. A room of the web app plays it while the kernels of its agent are compiled; it
    must not import numba."""
    scene: str | None = None
    """`scene(game) -> dict`: what stands still all game long and a picture needs, such as the
    map, as plain JSON values; never anything that a seat may not know."""
    insight: str | None = None
    """`insight(game, view, seat, seconds, rng) -> dict`: what can be known from one seat's view,
    such as probabilities, values and mixtures, as plain JSON values (docs/web-protocol.md)."""
    board: str | None = None
    """`board(game, view) -> CellBoard`: the view as a grid of cells (`core/board.py`), for the
    browser's generic page and for the generic encoder."""
    own_page: bool = False
    """Whether the web client draws this game itself (`web/src/games`). For all others the server
    sends pictures, which the generic page shows."""
    preview: str | None = None
    """`preview(game, view, actions)`: what checked actions would do, as far as the view tells;
    for games that a player plans ahead in."""
    prose: str | None = None
    """`prose(game, view) -> str`: a view in plain words with its history, for language models."""
    notation: str = ""
    """How actions are written as text, for language models; the rules may say it already."""
    rulebook: str | None = None
    """`rulebook(game) -> Rulebook`: the rules for players, with the game's settings in them."""
    lessons: str | None = None
    """`package:file.json`: the game's lessons (`core/lessons.py`)."""
    goals: str | None = None
    """`goals(game, moves, goal) -> bool`: whether moves meet a goal of the game's own kind."""
    puzzles: str | None = None
    """`package:file.jsonl.gz`: the game's puzzles (`core/puzzles.py`)."""
    puzzle_maker: str | None = None
    """The game's `PuzzleMaker`, which makes, checks and reviews puzzles: a class."""
    opponents: str | None = None
    """`package:file.json`: the game's named opponents by strength (`core/opponents.py`)."""
    positions: str | None = None
    """`positions(game, view) -> list[MarkedBoard]`: a spectator's view as marks on boards, for
    telling whether one analysis would serve two positions (`core/positions.py`). Without it, only
    equal views are alike."""
    review: str | None = None
    """`review(game, moves) -> Reviewer`: what judges the decisions of a record of so many moves
    (`core/review.py`)."""
    maps: str | None = None
    """A `MapLibrary`, for games played on maps that can be drawn: the class, without arguments."""


class MapLibrary(Protocol):
    """The maps of a game as plain JSON values, for map editors."""

    def load(self, name: str) -> dict[str, Any]:
        """The map that comes with the game under `name`; raises `TriremeError` if there is none."""
        ...

    def problems(self, map: dict[str, Any]) -> list[str]:
        """Everything that is wrong with a map, a sentence each; empty if it can be played on."""
        ...


BUILT_IN: Mapping[str, str] = {
    "battleship": "trireme.battleship",
    "gomoku": "trireme.gomoku",
    "navigation": "trireme.navigation",
}
"""Game names and the packages whose `SLICE` describes them: the only place that names games."""

COMMON_AGENTS: Mapping[str, str] = {
    "random": "trireme.core.agents:Random",
    "montecarlo": "trireme.core.monte_carlo:MonteCarlo",
    "llm": "trireme.llm.agent:LanguageModel",
    "careless": "trireme.core.careless:Careless",
    "process": "trireme.core.process_agent:ProcessAgent",
}
"""Agents that play every game; a game may name classes of its own for `random` and `montecarlo`."""


class GameRegistry(Mapping[str, Slice]):
    """Every game by its name: the built-in ones, then those of installed plugins that work."""

    def __getitem__(self, name: str) -> Slice:
        if name not in self:
            raise KeyError(name)
        return find(name)

    def __iter__(self) -> Iterator[str]:
        yield from BUILT_IN
        yield from _plugin_games().working

    def __len__(self) -> int:
        return len(BUILT_IN) + len(_plugin_games().working)

    def __contains__(self, name: object) -> bool:
        return name in BUILT_IN or name in _plugin_games().working


GAMES = GameRegistry()


def find(name: str) -> Slice:
    """What the package of game `name` offers."""
    if name not in BUILT_IN:
        return _find_plugin(name)
    found = importlib.import_module(BUILT_IN[name]).SLICE
    if not isinstance(found, Slice):
        raise TypeError(f"{BUILT_IN[name]}.SLICE is not a Slice")
    return found


def _find_plugin(name: str) -> Slice:
    games = _plugin_games()
    if name in games.working:
        return games.working[name]
    raise games.fault(name) or unknown("game", name, GAMES)


@cache
def _plugin_games() -> plugins.Found[Slice]:
    entries = [(entry.name, entry) for entry in plugins.installed(plugins.GAME_GROUP)]
    return plugins.collect(entries, "game", _accept_game)


def _accept_game(name: str, entry: EntryPoint) -> Slice:
    if not plugins.GAME_NAME.fullmatch(name):
        raise ValueError("its name must be lower-case letters, digits and _")
    if name in BUILT_IN:
        raise ValueError("Trireme has a game of this name")
    found = plugins.loaded(entry)
    if not isinstance(found, Slice):
        raise ValueError(f"expected a Slice at {entry.value}, not {found!r}")
    cls = load(found.game)
    if not (isinstance(cls, type) and issubclass(cls, Game)):
        raise ValueError(f"expected a Game at {found.game}, not {cls!r}")
    if cls.name != name:
        raise ValueError(f"its class has another name, {cls.name!r}")
    build(cls, {}, owner=name)
    return found


def plugin_faults() -> list[str]:
    """Why installed games and agents are left out, a line each; for lists that people read."""
    faults = [fault for _, fault in _plugin_games().faults]
    for game in GAMES:
        faults.extend(fault for _, fault in _plugin_agents(game).faults)
    for entry in plugins.installed(plugins.AGENT_GROUP):
        game, _, agent = entry.name.partition(".")
        if game not in GAMES or not agent:
            why = "expected GAME.AGENT as its name, with a game that is installed"
            faults.append(plugins.broken("agent", entry.name, entry, why))
    return [str(fault) for fault in faults]


def load(place: str) -> Any:
    """The object at `module:name`."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


def make_game(spec: str, variant: str | None = None, /, **settings: Any) -> AnyGame:
    """The game that a spec names: `make_game("gomoku", size=9)`, `make_game("gomoku:size=9")`.

    A variant is a named set of settings; settings given beside it win.
    """
    return _game(spec, variant, {}, settings)


def game_from_text(spec: str, variant: str | None, settings: Sequence[str]) -> AnyGame:
    """The game that a person describes on a command line: a spec, a variant, and texts such as
    `size=9`, each of which may hold anything after its `=`."""
    given: dict[str, str] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key.strip().isidentifier():
            raise BadSpec(f"expected a setting such as size=9, not {text[:80]!r}")
        if key.strip() in given:
            raise BadSpec(f"the setting {key.strip()} is given twice")
        given[key.strip()] = value.strip()
    return _game(spec, variant, given, {})


def _game(
    spec: str, variant: str | None, texts: Mapping[str, str], settings: Mapping[str, Any]
) -> AnyGame:
    """Later settings win: the variant's, those in the spec, those beside it."""
    parsed = parse_spec(spec)
    if parsed.cls is not None:
        raise BadSpec(f"expected a game such as 'gomoku:size=9', not {spec[:80]!r}")
    found = find(parsed.name)
    values: dict[str, Any] = {}
    if variant is not None:
        if variant not in found.variants:
            raise unknown(f"variant of {parsed.name}", variant, found.variants)
        values.update(found.variants[variant])
    cls: type[AnyGame] = load(found.game)
    typed = {**parsed.options, **texts}
    values.update(convert(cls, typed, owner=parsed.name, from_text=True))
    values.update(settings)
    return build(cls, values, owner=parsed.name)


def view_type(game: str) -> Any:
    """The type of a game's views, as its class states it: the last argument of `Game[S, A, V]`;
    anything where a plugin's class states none."""
    bases = getattr(load(find(game).game), "__orig_bases__", ())
    stated = [get_args(base)[-1] for base in bases if get_origin(base) is Game]
    return stated[0] if stated else Any


def agents_of(game: str) -> Mapping[str, str]:
    """All agents that can play `game`, by name, with their places: those that play every game,
    those of its package, weakest first, and those of plugins that work."""
    own = _own_agents(game)
    return {**own, **{name: _place(e) for name, e in _plugin_agents(game).working.items()}}


def _own_agents(game: str) -> Mapping[str, str]:
    """Without plugins. Random and Monte Carlo come first: games list stronger agents."""
    last = {name: COMMON_AGENTS[name] for name in ("llm", "careless", "process")}
    first = {name: place for name, place in COMMON_AGENTS.items() if name not in last}
    return {**first, **find(game).agents, **last}


def _agent_entries(game: str) -> list[tuple[str, EntryPoint]]:
    named = [(*e.name.partition(".")[::2], e) for e in plugins.installed(plugins.AGENT_GROUP)]
    return [(agent, entry) for owner, agent, entry in named if owner == game and agent]


@cache
def _plugin_agents(game: str) -> plugins.Found[EntryPoint]:
    own = _own_agents(game)

    def accept(name: str, entry: EntryPoint) -> EntryPoint:
        if not plugins.AGENT_NAME.fullmatch(name):
            raise ValueError("its name must be lower-case letters, digits, _, + and -")
        if name in own:
            raise ValueError(f"{game} has an agent of this name")
        cls = plugins.loaded(entry)
        if not (isinstance(cls, type) and callable(getattr(cls, "act", None))):
            raise ValueError(f"expected a class with a method act(turn) at {entry.value}")
        return entry

    return plugins.collect(_agent_entries(game), f"{game} agent", accept)


def _place(entry: EntryPoint) -> str:
    return f"{entry.module}:{entry.attr}"


def agent_class(game: str, name: str) -> type[Any]:
    """The class of an agent of `game`, of every game, or of a plugin."""
    own = _own_agents(game)
    if name in own:
        cls: type[Any] = load(own[name])
        return cls
    found = _plugin_agents(game)
    if name not in found.working:
        raise found.fault(name) or _of_another_game(game, name)
    plugin: type[Any] = load(_place(found.working[name]))
    return plugin


def _of_another_game(game: str, name: str) -> TriremeError:
    others = [other for other in GAMES if other != game and name in agents_of(other)]
    if others:
        return BadSpec(f"agent {name!r} plays {' and '.join(others)}, not {game}")
    if name.endswith(".py"):
        return BadSpec(f"{name[:80]!r} is a file: name the class in it, such as {name[:80]}:Bot")
    return unknown(f"agent of {game}", name, agents_of(game))


def is_shipped(game: str, spec: str) -> bool:
    """Whether the spec names an agent of Trireme or of the game's own package, and not a class of
    a user's module or file, or of another package."""
    parsed = parse_spec(spec)
    return parsed.cls is None and parsed.name in _own_agents(game)


def games_of(cls: type[Any]) -> tuple[str, ...]:
    """The games that an agent's class declares as `game` or `games`, or whose package it is in;
    () where it may play any."""
    for declared in (getattr(cls, "games", None), getattr(cls, "game", None)):
        if isinstance(declared, str):
            return (declared,)
        if isinstance(declared, tuple | list | frozenset | set) and all(
            isinstance(name, str) for name in declared
        ):
            return tuple(declared)
    place = f"{cls.__module__}:{cls.__qualname__}"
    if place in COMMON_AGENTS.values():
        return ()
    return tuple(name for name in BUILT_IN if place in find(name).agents.values())


def check_plays(game: str, name: str, cls: type[Any]) -> None:
    """Raise `BadSpec` if the agent's class is known to play other games only."""
    games = games_of(cls)
    if games and game not in games:
        raise BadSpec(f"agent {name!r} plays {' and '.join(games)}, not {game}")


def make_agent(game: AnyGame | str, spec: str) -> AnyAgent:
    """The agent that a spec names: `random`, `search:depth=8`, `module:Class`, `file.py:Class`."""
    name = game if isinstance(game, str) else game.name
    parsed = parse_spec(spec)
    if parsed.cls is not None and parsed.name in {
        **_own_agents(name),
        **dict(_agent_entries(name)),
    }:
        raise BadSpec(f"expected option=value after {parsed.name!r}, not {parsed.cls!r}")
    if parsed.cls is not None:
        cls = _foreign_class(parsed.name, parsed.cls)
    else:
        cls = agent_class(name, parsed.name)
    check_plays(name, spec, cls)
    agent: AnyAgent = build(
        cls,
        parsed.options,
        owner=parsed.name if parsed.cls is None else f"{parsed.name}:{parsed.cls}",
        from_text=True,
    )
    if not callable(getattr(agent, "act", None)):
        raise BadSpec(f"{spec!r} is no agent: it has no method act(turn)")
    return agent


def draw_text(game: AnyGame, state: Any, seat: Seat | None = None, *, colour: bool = False) -> str:
    """The state as text, as `seat` (None: a spectator) may see it."""
    text: str = load(find(game.name).text)(game, game.view(state, seat), colour)
    return text


def _foreign_class(module: str, name: str) -> type[Any]:
    """A user's class, from an importable module or from a file."""
    try:
        found = _import_file(Path(module)) if module.endswith(".py") else _import_module(module)
    except TriremeError:
        raise
    except Exception as error:
        raise BadSpec(f"{module!r} can't be imported: {type(error).__name__}: {error}") from error
    cls = getattr(found, name, None)
    if not isinstance(cls, type):
        classes = [k for k, v in vars(found).items() if isinstance(v, type)]
        raise unknown(f"class in {module}", name, classes)
    return cls


def _import_module(module: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    return importlib.import_module(module)


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise BadSpec(f"there is no file {str(path)!r}")
    return _executed(path.resolve(), path.stat().st_mtime_ns)


@cache
def _executed(path: Path, version: int) -> ModuleType:
    """The module in a file, run once for each version of the file and not once a game."""
    name = f"trireme_agent_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadSpec(f"{str(path)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
