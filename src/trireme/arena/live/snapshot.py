"""What the live page shows, as plain JSON values: games in progress, lists of games, replays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import numpy as np

from trireme.arena.folder import Folder
from trireme.arena.outcome import Outcome
from trireme.arena.run import Progress
from trireme.arena.statistics.sprt import pair_counts
from trireme.core.errors import BadSpec, TriremeError
from trireme.core.record import Record, load_record, parse_record
from trireme.core.registry import draw_text

LISTED = 200
"""Games of one answer; the page asks for more."""
CURVE = 200
"""Points of the curve of a sequential test."""
RESULTS = ("any", "won", "drawn", "lost", "forfeit")


def running_games(records: Iterable[str]) -> list[dict[str, Any]]:
    """The positions of games in progress, from their records so far."""
    found = []
    for text in records:
        try:
            record = parse_record(text, partial=True)
            *_, state = record.states()
        except TriremeError:  # it has just begun, or is being written
            continue
        found.append(
            {
                "seats": record.header.seats,
                "moves": len(record.moves),
                "board": draw_text(record.game, state),
            }
        )
    return found


def sprt_curve(progress: Progress) -> dict[str, Any] | None:
    """The log-likelihood ratio after each pair, thinned out; None without a sequential test."""
    test = progress.test
    if test is None:
        return None
    scores = list(test.scores)
    at = sorted({int(n) for n in np.linspace(0, len(scores), CURVE)})
    llr = [test.rule.llr(pair_counts(scores[:n])) for n in at]
    return {"pairs": at, "llr": llr, "bounds": test.rule.bounds, "verdict": test.verdict}


def list_games(
    progress: Progress, agent: str = "", result: str = "any", offset: int = 0
) -> dict[str, Any]:
    """Finished games, newest first, of one agent or all, with this result for the agent."""
    if result not in RESULTS:
        raise BadSpec(f"expected a result out of {', '.join(RESULTS)}, not {result!r}")
    if agent and agent not in progress.match.names:
        raise BadSpec(f"no agent of this match is called {agent!r}")
    outcomes = dict(progress.outcomes)
    chosen = [
        outcome
        for number, outcome in sorted(outcomes.items(), reverse=True)
        if _matches(progress, outcome, agent, result)
    ]
    shown = chosen[max(0, offset) : max(0, offset) + LISTED]
    return {"total": len(chosen), "games": [_game(progress, outcome) for outcome in shown]}


def _matches(progress: Progress, outcome: Outcome, agent: str, result: str) -> bool:
    names = [progress.match.names[i] for i in progress.fixtures[outcome.number].seats]
    if agent and agent not in names:
        return False
    if result == "any":
        return True
    seats = [seat for seat, name in enumerate(names) if not agent or name == agent]
    if result == "forfeit":
        return any(forfeit.seat in seats for forfeit in outcome.forfeits)
    return any(_result(outcome, seat) == result for seat in seats)


def _result(outcome: Outcome, seat: int) -> str:
    if len(outcome.returns) == 1:
        return ""
    ours, theirs = outcome.returns[seat], outcome.returns[1 - seat]
    return "drawn" if ours == theirs else "won" if ours > theirs else "lost"


def _game(progress: Progress, outcome: Outcome) -> dict[str, Any]:
    fixture = progress.fixtures[outcome.number]
    return {
        "number": outcome.number,
        "round": fixture.round,
        "seats": [progress.match.names[i] for i in fixture.seats],
        "returns": outcome.returns,
        "moves": outcome.moves,
        "seconds": outcome.seconds,
        "forfeits": msgspec.to_builtins(outcome.forfeits),
    }


def replay(folder: Folder, number: int) -> dict[str, Any]:
    """Every position of a finished game, with the time, values and notes of its moves."""
    record = load_record(folder.record_path(number), partial=True)
    end = record.end
    return {
        "number": number,
        "game": record.header.game,
        "seats": record.header.seats,
        "frames": list(_frames(record)),
        "end": None
        if end is None
        else {
            "how": end.end,
            "returns": end.returns,
            "reason": end.reason,
            "forfeits": msgspec.to_builtins(end.forfeits),
        },
    }


def _frames(record: Record) -> Iterator[dict[str, Any]]:
    lines = record.text.splitlines()
    for number, state in enumerate(record.states()):
        frame: dict[str, Any] = {"board": draw_text(record.game, state)}
        if number:
            told = msgspec.json.decode(lines[record.move_lines[number - 1] - 1])
            frame["actions"] = told["actions"]
            for key in ("seconds", "values", "notes"):
                frame[key] = told.get(key, {})
        yield frame
