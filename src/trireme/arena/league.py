"""Leagues: the bots of a folder meet round after round, for as long as the league runs.

Each round is a match in a run folder of its own, between all agents that are there when it begins:
bots that were added take part from the next round on. A bot's file is a version, named by the hash
of its content, so that a changed bot is rated anew. Ratings are those of all recent rounds together
and are anchored: one agent has the rating 0 for ever.

league.json     what is played
rounds/         a run folder for every round
standings.json  the ratings after the last round
"""

from __future__ import annotations

import ast
import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
from numpy.random import SeedSequence

from trireme.core.errors import BadSpec, TriremeError, why_unreadable
from trireme.core.game import AnyGame
from trireme.core.options import settings
from trireme.core.registry import make_game
from trireme.core.seeding import fresh_seed

from .folder import Folder, exclusive, replace_file
from .match import Entrant, Match, entrants
from .preflight import preflight
from .report.build import rows_of
from .run import Progress, progress_of, run_match
from .standing import ScoredGame, ScoreStanding, two_seat_standings

FORMAT = 1
RATED_ROUNDS = 1000
"""Rounds on which the ratings rest, the newest: this bounds memory and the time to rate."""
MOST_SOURCE = 4 << 20
"""Bytes of a bot's file."""


class LeagueSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a league plays: the content of league.json."""

    league: int
    game: str
    settings: dict[str, Any]
    bots: str
    """The folder of the bots."""
    agents: tuple[str, ...]
    """Agents that always take part, such as the anchor."""
    anchor: str
    games: int = 10
    """Games of a pairing in one round."""
    seconds: float | None = None
    limit: float = 60.0
    memory: int = 4096
    seed: int | None = None
    """None: every round draws its own, which bots can't know."""


@dataclass(frozen=True)
class BotVersion:
    """A class of a bot's file, as it is now."""

    name: str
    spec: str


@dataclass
class League:
    """A league in its folder."""

    path: Path
    rules: LeagueSettings
    refused: dict[str, str] = field(default_factory=dict)
    """Bots that can't take part, by name, and why."""
    _rows: deque[list[ScoredGame]] = field(default_factory=deque)
    _problems: dict[str, str] = field(default_factory=dict)
    _next: int = 0

    @classmethod
    def create(cls, path: Path, game: AnyGame, rules: LeagueSettings) -> League:
        """A new league; its anchor and agents are checked, its bots when a round begins."""
        if game.seats != 2:
            raise BadSpec(f"a league needs a game with two seats; {game.name} has {game.seats}")
        if (path / "league.json").exists():
            raise TriremeError(f"{str(path)!r} holds a league already: resume it")
        if not Path(rules.bots).is_dir():
            raise BadSpec(f"expected a folder of bots, not {rules.bots!r}")
        names = [entrant.name for entrant in entrants(game, rules.agents)]
        if rules.anchor not in names:
            raise BadSpec(
                f"the anchor is one of the agents of the league ({', '.join(names) or 'none'}),"
                f" not {rules.anchor!r}"
            )
        (path / "rounds").mkdir(parents=True, exist_ok=True)
        plain = msgspec.json.format(msgspec.json.encode(rules), indent=2)
        replace_file(path / "league.json", plain + b"\n")
        return cls(path, rules)

    @classmethod
    def open(cls, path: Path) -> League:
        """The league of a folder, with the results of its rounds so far."""
        try:
            rules = msgspec.json.decode((path / "league.json").read_bytes(), type=LeagueSettings)
        except OSError as error:
            raise TriremeError(f"{str(path)!r} is no league: {error.strerror}") from None
        except (msgspec.DecodeError, RecursionError) as error:
            why = why_unreadable(error)
            raise TriremeError(f"{str(path / 'league.json')!r} can't be read: {why}") from None
        if rules.league != FORMAT:
            raise TriremeError(f"{str(path)!r} was made by another version of the arena")
        league = cls(path, rules)
        numbers = sorted(int(p.name) for p in (path / "rounds").glob("[0-9]*") if p.is_dir())
        for number in numbers[-RATED_ROUNDS:]:
            league._add(league._stored(number))
        league._next = numbers[-1] + 1 if numbers else 0
        return league

    @property
    def game(self) -> AnyGame:
        return make_game(self.rules.game, **self.rules.settings)

    @property
    def rounds(self) -> int:
        """Rounds that have begun."""
        return self._next

    def run(
        self,
        *,
        rounds: int | None = None,
        on_round: Callable[[League], object] | None = None,
        **where: Any,
    ) -> None:
        """Play rounds, for ever or so many more; a round that was interrupted is finished first.

        `where` is handed on to `run_match`: executor, workers, on_game. An interruption at any
        point leaves a folder from which the league goes on.
        """
        with exclusive(self.path / "league.json", f"the league in {str(self.path)!r}"):
            self._run(rounds, on_round, where)

    def _run(
        self,
        rounds: int | None,
        on_round: Callable[[League], object] | None,
        where: dict[str, Any],
    ) -> None:
        played = 0
        unfinished = self._unfinished()
        while rounds is None or played < rounds or unfinished is not None:
            folder = unfinished if unfinished is not None else self._new_round()
            if unfinished is None:
                played += 1
            progress = run_match(folder, **where)
            if unfinished is not None:
                self._rows.pop()
            self._add(_rows(progress, int(folder.path.name)))
            unfinished = None
            if on_round is not None:
                on_round(self)

    def standings(self) -> dict[str, ScoreStanding]:
        """Ratings of all versions that have played, best first, with the anchor at 0."""
        rows = [row for of_round in self._rows for row in of_round]
        names = list(dict.fromkeys(name for row in rows for name in row.agents))
        anchor = self.rules.anchor if self.rules.anchor in names else None
        return two_seat_standings(names, rows, anchor).scores

    def write_standings(self) -> dict[str, ScoreStanding]:
        """Write standings.json, and give what is in it."""
        found = self.standings()
        plain = {
            "anchor": self.rules.anchor,
            "rounds": self._next,
            "agents": [{"name": name, **msgspec.to_builtins(s)} for name, s in found.items()],
            "refused": self.refused,
        }
        replace_file(self.path / "standings.json", msgspec.json.encode(plain) + b"\n")
        return found

    def _add(self, rows: list[ScoredGame]) -> None:
        self._rows.append(rows)
        if len(self._rows) > RATED_ROUNDS:
            self._rows.popleft()

    def _new_round(self) -> Folder:
        number = self._next
        seed = self.rules.seed
        drawn = fresh_seed() if seed is None else _round_seed(seed, number)
        match = self._match(self._able(), drawn)
        secret = seed is None and match.secretive
        folder = Folder.create(self._path(number), replace(match, secret_seed=secret))
        self._next += 1
        return folder

    def _able(self) -> tuple[Entrant, ...]:
        """Everybody who can play now; the others are named in `refused`."""
        self.refused.clear()
        able = list(entrants(self.game, self.rules.agents))
        for bot in find_bots(Path(self.rules.bots), self.refused):
            entrant = Entrant(bot.name, bot.spec)
            if bot.name not in self._problems:
                self._problems[bot.name] = self._problem(able[0], entrant)
            if problem := self._problems[bot.name]:
                self.refused[bot.name] = problem
            else:
                able.append(entrant)
        if len(able) < 2:
            why = "; ".join(f"{name}: {text}" for name, text in self.refused.items())
            raise TriremeError(f"the league has nobody to play against{f': {why}' if why else ''}")
        return tuple(able)

    def _problem(self, agent: Entrant, bot: Entrant) -> str:
        """Why a bot can't play; empty if it can. Asked once a version, as it starts a process."""
        try:
            entrants(self.game, [bot], memory=self.rules.memory)
            preflight(self._match((agent, bot), 0))
        except TriremeError as error:
            return str(error)
        return ""

    def _match(self, able: Sequence[Entrant], seed: int) -> Match:
        rules = self.rules
        return Match(
            self.game,
            tuple(able),
            rules.games,
            seed,
            rules.seconds,
            rules.limit,
            memory=rules.memory,
        )

    def _unfinished(self) -> Folder | None:
        """The last round, if it can go on: its seed is known and its bots have not changed."""
        if self._next == 0:
            return None
        try:
            folder = Folder.open(self._path(self._next - 1))
            if progress_of(folder).complete:
                return None
        except TriremeError:
            return None
        now = {bot.name for bot in find_bots(Path(self.rules.bots), {})} | {
            entrant.name for entrant in entrants(self.game, self.rules.agents)
        }
        return folder if set(folder.match.names) <= now else None

    def _stored(self, number: int) -> list[ScoredGame]:
        try:
            return _rows(progress_of(Folder.open(self._path(number), seed=0)), number)
        except TriremeError:  # killed before it had a seed or a whole result
            return []

    def _path(self, number: int) -> Path:
        return self.path / "rounds" / f"{number:06d}"


def find_bots(folder: Path, refused: dict[str, str]) -> Iterator[BotVersion]:
    """The classes with a method `act` in the Python files of a folder.

    Files are read and not run: a bot's code runs only in a process of its own.
    """
    for file in sorted(folder.glob("*.py")):
        try:
            if file.stat().st_size > MOST_SOURCE:
                raise ValueError(f"larger than {MOST_SOURCE >> 20} MiB")
            source = file.read_bytes()
            classes = list(_agent_classes(ast.parse(source)))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            refused[file.stem] = f"{file.name} can't be read: {error}"
            continue
        if not classes:
            refused[file.stem] = f"{file.name} has no class with a method act"
        version = hashlib.sha256(source).hexdigest()[:6]
        for cls in classes:
            name = file.stem if len(classes) == 1 else f"{file.stem}.{cls}"
            yield BotVersion(f"{name}@{version}", f"{file.absolute()}:{cls}")


def _agent_classes(tree: ast.Module) -> Iterable[str]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            methods = [n.name for n in node.body if isinstance(n, ast.FunctionDef)]
            if "act" in methods:
                yield node.name


def new_settings(game: AnyGame, bots: Path, agents: Sequence[str], **rules: Any) -> LeagueSettings:
    """The settings of a new league; the anchor is the first agent unless another is named."""
    if not agents:
        raise BadSpec("a league needs an agent beside its bots, as the anchor of the ratings")
    anchor = rules.pop("anchor", None) or next(iter(entrants(game, agents[:1]))).name
    folder = str(bots.absolute())
    return LeagueSettings(FORMAT, game.name, settings(game), folder, tuple(agents), anchor, **rules)


def _rows(progress: Progress, number: int) -> list[ScoredGame]:
    fixtures = {f.number: f for f in progress.fixtures}
    rows = rows_of(progress.match, fixtures, progress.counted)
    return [replace(row, cluster=(number, row.cluster)) for row in rows]


def _round_seed(seed: int, number: int) -> int:
    return int(SeedSequence(seed, spawn_key=(number,)).generate_state(1, "uint64")[0] >> 11)
