"""The log of a phase: its events, which playback, hashes and tests read, and their text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from .geometry import Pose, tile_name
from .plans import Order


@dataclass(frozen=True)
class NavigationEvent:
    """Something that did, or could have done, harm."""

    kind: str
    """`shot`, `grapple` or `ram`."""
    seat: int
    """Who shot or grappled; for a ram, who was damaged by it."""
    side: str | None
    """`port` or `starboard`; None for a ram."""
    shots: int
    target: int | None
    """The seat whose ship was hit, or None."""
    damage: int
    x: int
    """Where the ball, or the hook, came to rest: on the target, or on the last tile it reached."""
    y: int


@dataclass(frozen=True)
class NavigationVerdict:
    """How a game ended: `grapple`, `sunk` or `turn limit`; a draw has no winner."""

    winner: int | None
    """The side that won: 0 the even seats, 1 the odd ones."""
    reason: str


@dataclass(frozen=True)
class PhaseEntry:
    """All that happened in one phase; tuples are by seat."""

    turn: int
    """Counted from 1, as is the phase."""
    phase: int
    orders: tuple[Order, ...]
    start: tuple[Pose, ...]
    moved: tuple[Pose, ...]
    """After movement."""
    blocked: tuple[str | None, ...]
    """What stopped a ship that could not make its whole move: `edge`, `rock` or `ship`."""
    hazards: tuple[str | None, ...]
    """The hazard that a ship stood on after movement: `wind` or `whirlpool`."""
    drifted: tuple[Pose, ...]
    """After hazards."""
    events: tuple[NavigationEvent, ...]
    hp: tuple[int, ...]
    verdict: NavigationVerdict | None


def digest(entry: PhaseEntry) -> str:
    """Sixteen hex digits that stand for everything in the entry."""
    plain = msgspec.json.encode(entry, order="deterministic")
    return hashlib.sha256(plain).hexdigest()[:16]


def describe(entry: PhaseEntry, names: Sequence[str]) -> tuple[str, ...]:
    """The phase as sentences, `names` being what to call the ships."""
    lines: list[str] = []
    for seat, name in enumerate(names):
        lines += _sailing(entry, seat, name)
    lines += [_harm(event, names) for event in entry.events]
    if len(names) > 2:
        hit = {event.target for event in entry.events if event.damage}
        lines += [f"{names[s]} sinks." for s, hp in enumerate(entry.hp) if hp == 0 and s in hit]
    if entry.verdict is not None:
        lines.append(_ending(entry.verdict, names))
    return tuple(lines)


_MOVE_WORDS = {
    "forward": "sails forward to",
    "turn_left": "turns to port into",
    "turn_right": "turns to starboard into",
}
_OBSTACLES = {"edge": "the edge of the map", "rock": "a rock"}


def _sailing(entry: PhaseEntry, seat: int, name: str) -> list[str]:
    lines = []
    obstacles = {**_OBSTACLES, "ship": "the other ship" if len(entry.hp) == 2 else "another ship"}
    move, moved, blocked = entry.orders[seat].move, entry.moved[seat], entry.blocked[seat]
    if blocked is not None:
        swings = f" and swings to face {moved.facing}" if move != "forward" else ""
        lines.append(f"{name} is stopped by {obstacles[blocked]}{swings}.")
    elif move != "none":
        lines.append(f"{name} {_MOVE_WORDS[move]} {tile_name(moved.tile)}.")
    drifted = entry.drifted[seat]
    if entry.hazards[seat] == "wind":
        went = f"blows {name} to {tile_name(drifted.tile)}"
        held = f"can't push {name} from {tile_name(moved.tile)}"
        lines.append(f"The wind {went if drifted.tile != moved.tile else held}.")
    elif entry.hazards[seat] == "whirlpool":
        lines.append(
            f"The whirlpool spins {name} to {tile_name(drifted.tile)}, facing {drifted.facing}."
        )
    return lines


def _harm(event: NavigationEvent, names: Sequence[str]) -> str:
    name = names[event.seat]
    if event.kind == "ram":
        return f"{name} is damaged in the collision: {event.damage} hp."
    if event.kind == "grapple":
        if event.target is None:
            return f"{name} throws its hooks to {event.side} and catches water."
        return f"{name} grapples {names[event.target]} to {event.side}!"
    shots = f"{event.shots} shot{'s' if event.shots != 1 else ''}"
    if event.target is None:
        return f"{name} fires {shots} to {event.side} and misses."
    return (
        f"{name} fires {shots} to {event.side} and hits {names[event.target]}: {event.damage} hp."
    )


def _ending(verdict: NavigationVerdict, names: Sequence[str]) -> str:
    if len(names) > 2:
        return _sides_ending(verdict)
    if verdict.winner is None:
        why = {
            "grapple": "both ships grapple",
            "sunk": "both ships sink",
            "turn limit": "the turn limit finds both ships equally damaged",
        }[verdict.reason]
        return f"The game is drawn: {why}."
    why = {
        "grapple": "by boarding",
        "sunk": f"by sinking {names[1 - verdict.winner]}",
        "turn limit": "on hit points at the turn limit",
    }[verdict.reason]
    return f"{names[verdict.winner]} wins {why}."


def _sides_ending(verdict: NavigationVerdict) -> str:
    why = {
        "grapple": "by boarding",
        "sunk": "with the last ships afloat",
        "turn limit": "on hit points at the turn limit",
    }[verdict.reason]
    if verdict.winner is None:
        return f"The game is drawn: neither side wins {why}."
    return f"The {('first', 'second')[verdict.winner]} side wins {why}."
