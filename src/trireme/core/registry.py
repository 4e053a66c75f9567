"""Which games there are and what each folder offers; nothing is imported before it is used."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from .errors import BadSpec, TriremeError, unknown
from .game import AnyAgent, AnyGame, Seat
from .options import build, convert
from .spec import parse_spec


@dataclass(frozen=True)
class Slice:
    """What a game's folder offers. Every place is `module:name`, loaded on first use."""

    summary: str
    """One line for lists of games."""
    game: str
    """The game class."""
    text: str
    """`text(game, view, colour=False) -> str`: a view drawn for a terminal."""
    agents: Mapping[str, str]
    """Agent classes by the name that specs use, weakest first."""
    opponent: str
    """The agent spec that a player meets unless another is asked for."""
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
    scene: str | None = None
    """`scene(game) -> dict`: what stands still all game long and a picture needs, such as the
    map, as plain JSON values; never anything that a seat may not know."""
    insight: str | None = None
    """`insight(game, view, seat, seconds, rng) -> dict`: what can be known from one seat's view,
    such as probabilities, values and mixtures, as plain JSON values (docs/web-protocol.md)."""
    preview: str | None = None
    """`preview(game, view, actions)`: what checked actions would do, as far as the view tells;
    for games that a player plans ahead in."""


GAMES: dict[str, str] = {
    "battleship": "trireme.battleship",
    "gomoku": "trireme.gomoku",
    "navigation": "trireme.navigation",
}
"""Game names and the packages whose `SLICE` describes them: the only place that names games."""

COMMON_AGENTS: Mapping[str, str] = {"process": "trireme.core.process_agent:ProcessAgent"}
"""Agents that play every game, beside those of the game's own folder."""


def find(name: str) -> Slice:
    """What the folder of game `name` offers."""
    if name not in GAMES:
        raise unknown("game", name, GAMES)
    found = importlib.import_module(GAMES[name]).SLICE
    if not isinstance(found, Slice):
        raise TypeError(f"{GAMES[name]}.SLICE is not a Slice")
    return found


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


def agents_of(game: str) -> Mapping[str, str]:
    """All agents that can play `game`: those of its folder, then those that play every game."""
    return {**find(game).agents, **COMMON_AGENTS}


def agent_class(game: str, name: str) -> type[Any]:
    """The class of an agent that ships with `game` or plays every game."""
    agents = agents_of(game)
    if name not in agents:
        raise unknown(f"agent of {game}", name, agents)
    cls: type[Any] = load(agents[name])
    return cls


def make_agent(game: AnyGame | str, spec: str) -> AnyAgent:
    """The agent that a spec names: `random`, `search:depth=8`, `module:Class`, `file.py:Class`."""
    name = game if isinstance(game, str) else game.name
    parsed = parse_spec(spec)
    if parsed.cls is not None and parsed.name in find(name).agents:
        raise BadSpec(f"expected option=value after {parsed.name!r}, not {parsed.cls!r}")
    if parsed.cls is not None:
        cls = _foreign_class(parsed.name, parsed.cls)
    else:
        cls = agent_class(name, parsed.name)
    agent: AnyAgent = build(cls, parsed.options, owner=spec.partition("=")[0], from_text=True)
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
