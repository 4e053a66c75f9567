"""Running a match: from the schedule through an executor into the run folder and the report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from trireme.arena.statistics.sprt import Sprt, SprtVerdict, pair_counts
from trireme.core.stop_signals import watched

from .executors import Executor, make_executor
from .folder import Folder
from .job import Job
from .match import Match
from .outcome import Outcome, Played
from .preflight import preflight
from .schedule import Fixture, next_fixtures


@dataclass
class Progress:
    """A match in progress."""

    match: Match
    fixtures: list[Fixture]
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    """Every finished game by number."""
    test: SequentialTest | None = None
    running: Callable[[], list[str]] = list
    """The records so far of games in progress."""

    @property
    def counted(self) -> dict[int, Outcome]:
        """The games that count: all, or those up to the end of a sequential test."""
        if self.test is None or self.test.verdict is None:
            return self.outcomes
        return {n: o for n, o in self.outcomes.items() if n < self.test.games}

    @property
    def complete(self) -> bool:
        decided = self.test is not None and self.test.verdict is not None
        return decided or len(self.outcomes) == len(self.fixtures)

    @property
    def scheduled(self) -> int:
        """Games of the whole match, as far as they are known."""
        return max(len(self.fixtures), self.match.expected_games or 0)

    def extend(self) -> list[Fixture]:
        """Add the fixtures of the next stage to the schedule, once all games before are played."""
        if len(self.outcomes) < len(self.fixtures):
            return []
        found = list(next_fixtures(self.match, self.fixtures, self.outcomes))
        self.fixtures += found
        return found


@dataclass
class SequentialTest:
    """The pentanomial GSPRT of a match, fed with game pairs in schedule order.

    In order of completion, quick games would count first and the verdict would depend on the
    machine. A pair that repeats an earlier one move by move is no new evidence, and left out.
    """

    rule: Sprt
    scores: list[float] = field(default_factory=list)
    """Of the pairs that count."""
    verdict: SprtVerdict | None = None
    pairs: int = 0
    """Pairs of the schedule that have been looked at."""
    _seen: set[tuple[str, str]] = field(default_factory=set)

    @property
    def games(self) -> int:
        """How many games of the schedule have been looked at."""
        return 2 * self.pairs

    @property
    def repeated(self) -> int:
        """Pairs that were left out, as they repeat earlier ones."""
        return self.pairs - len(self.scores)

    def advance(self, outcomes: Mapping[int, Outcome]) -> bool:
        """Count every pair that is next in the schedule; True when the test is decided."""
        while self.verdict is None:
            at = self.games
            if at not in outcomes or at + 1 not in outcomes:
                break
            self.pairs += 1
            played = outcomes[at].fingerprint, outcomes[at + 1].fingerprint
            if played in self._seen:
                continue
            if all(played):
                self._seen.add(played)
            points = outcomes[at].returns[0] + outcomes[at + 1].returns[1]
            self.scores.append(0.5 + points / 4)
            self.verdict = self.rule.verdict(pair_counts(self.scores))
        return self.verdict is not None


def progress_of(folder: Folder) -> Progress:
    """The progress of the match in a folder; later stages are added to the folder's fixtures."""
    sprt = folder.match.sprt
    test = None if sprt is None else SequentialTest(sprt)
    outcomes = folder.outcomes()
    progress = Progress(folder.match, folder.fixtures, {}, test)
    while True:  # each stage follows from the results of those before
        fixtures = progress.fixtures[len(progress.outcomes) :]
        progress.outcomes.update(
            (f.number, outcomes[f.number]) for f in fixtures if f.number in outcomes
        )
        if not progress.extend():
            break
    if test is not None:
        test.advance(progress.outcomes)
    return progress


def run_match(
    folder: Folder,
    *,
    executor: str = "processes",
    workers: int | None = None,
    address: str | None = None,
    pin: bool = False,
    on_start: Callable[[Progress], object] | None = None,
    on_game: Callable[[Progress], object] | None = None,
) -> Progress:
    """Play what is left of the match in `folder`, and keep every game as it ends.

    An interruption at any point, even a kill, leaves a folder from which the same call goes on to
    the same results. In the main thread SIGTERM stops it as Ctrl-C does, with `StopRequested`, a
    `KeyboardInterrupt`.
    """
    with watched(), folder.locked():
        progress = progress_of(folder)
        if on_start is not None:
            on_start(progress)
        if not progress.complete:
            with folder.seed_hidden():
                log = folder.path.absolute() / "workers.log"
                where: dict[str, Any] = {"workers": workers, "address": address, "pin": pin}
                games = partial(make_executor, executor, Job.of(folder.match), log=log, **where)
                _play_on(folder, progress, games, on_game)
    return progress


def _play_on(
    folder: Folder,
    progress: Progress,
    executor: Callable[[], AbstractContextManager[Executor]],
    on_game: Callable[[Progress], object] | None,
) -> None:
    match, test = folder.match, progress.test
    with (
        HeldRounds(folder, progress) if match.secretive else nullcontext(folder) as keeper,
        executor() as games,
    ):
        progress.running = games.running
        left = [f for f in progress.fixtures if f.number not in progress.outcomes]
        while left:
            for played in games.run(left):
                progress.outcomes[played.outcome.number] = played.outcome
                keeper.add(played)
                decided = test is not None and test.advance(progress.outcomes)
                if on_game is not None:
                    on_game(progress)
                if decided:
                    return
            left = progress.extend()
            if isinstance(keeper, HeldRounds):
                keeper.expect(left)


class HeldRounds:
    """Holds games back from the run folder until their round is done, and all when the run stops.

    The games of a round share their start, such as the hidden fleet: an agent that reads the
    records of others must not find there what it is still to play. When a run goes on, what lies in
    the folder of unfinished rounds is taken out of it for the same reason.
    """

    def __init__(self, folder: Folder, progress: Progress) -> None:
        self._folder = folder
        self._rounds: dict[int, int] = {}
        self._left: Counter[int] = Counter()
        self.expect(progress.fixtures)
        self._held: dict[int, list[Played]] = defaultdict(list)
        self._left.subtract(self._rounds[number] for number in progress.outcomes)
        open_ = [n for n in progress.outcomes if self._left[self._rounds[n]]]
        for played in folder.withdraw(open_) if open_ else ():
            self._held[self._rounds[played.outcome.number]].append(played)
            open_.remove(played.outcome.number)
        for number in open_:  # its record is missing: it is played again
            del progress.outcomes[number]
            self._left[self._rounds[number]] += 1

    def __enter__(self) -> HeldRounds:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.outcomes()  # where a signal cut off a line, this removes it
        for round_ in list(self._held):
            self._release(round_)

    def expect(self, fixtures: Iterable[Fixture]) -> None:
        """Learn which games belong to which round."""
        for fixture in fixtures:
            self._rounds[fixture.number] = fixture.round
            self._left[fixture.round] += 1

    def add(self, played: Played) -> None:
        round_ = self._rounds[played.outcome.number]
        self._held[round_].append(played)
        self._left[round_] -= 1
        if not self._left[round_]:
            self._release(round_)

    def _release(self, round_: int) -> None:
        for played in self._held[round_]:
            self._folder.add(played)
        del self._held[round_]


def new_path(game: str) -> Path:
    """The default folder of a new run."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S-%f")[:-3]
    return Path("runs/arena") / f"{game}-{stamp}"


def start(match: Match, path: Path | None = None) -> Folder:
    """A new run folder for a match, after the preflight of its agents."""
    preflight(match)
    return Folder.create(path or new_path(match.game.name), match)


def resume(path: Path, agents: Iterable[Any] = (), seed: int | None = None) -> Folder:
    """The folder of a run that is to go on, after the preflight of its agents; `seed` for one that
    was killed with a secret seed."""
    folder = Folder.open(path, agents, seed)
    if not progress_of(folder).complete:
        preflight(folder.match)
    return folder
