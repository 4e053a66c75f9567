"""Battle Navigation in a terminal: phase codes, previews of the path, playback phase by phase."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from trireme.core.errors import BadText
from trireme.core.game import AnyGame, Seat, Turn
from trireme.core.registry import find, make_agent
from trireme.core.terminal import Command, Screen, Terminal
from trireme.navigation.duel import nearest_enemy
from trireme.navigation.geometry import Tile, tile_name
from trireme.navigation.phase_log import PhaseEntry, describe
from trireme.navigation.plans import Order, Plan, write_plan
from trireme.navigation.rules import Navigation, NavigationState, as_navigation

from .draw import board, poses_on_board, seat_paint, ship_names

CODES = """\
A plan has one code for each phase, two characters each, simply joined: FpL-Rs1-h
  move    F forward    L turn left (a curve: one ahead, one to the left)    R turn right    - none
  action  p cannons to port (left)      s cannons to starboard (right)      - none
          g grapple to port             h grapple to starboard
  A digit after p or s fires fewer shots: p1. Spaces between phases are welcome: Fp L- Rs1 -h"""

LEGEND = """\
  0► 1◄ the ships and their bows    ↑ → ↓ ← winds: push one tile    o small rock: blocks ships
  ↻ ↺ whirlpools: a quarter turn, and across to the opposite corner   █ large rock: stops shots too
Phase by phase: both ships move, then hazards work on them, then both act, then the win check."""


def _codes(screen: Screen, rest: str) -> None:
    screen.say(CODES)


def _legend(screen: Screen, rest: str) -> None:
    screen.say(LEGEND)


def _against(screen: Screen, rest: str) -> None:
    """Show how a plan would fare against a guess of the enemy's."""
    theirs, _, own = rest.strip().partition(" ")
    if not own:
        raise BadText("expected two plans, the enemy's and yours: against L-F-F-L- FpFpFpFp")
    game, state = as_navigation(screen.session.game), screen.session.state
    plans: dict[Seat, Plan] = dict.fromkeys(game.to_move(state), (Order(),) * game.phases)
    enemy = nearest_enemy(state, screen.seat)
    plans |= {screen.seat: game.read(own), enemy.id: game.read(theirs)}
    for seat, plan in plans.items():
        game.check(state, seat, plan)
    after = game.apply(state, plans)
    for entry in after.log:
        screen.say(phase_text(game, state, entry, screen.colour))


def _think(screen: Screen, rest: str) -> None:
    """Show an agent's analysis of the position: candidates, values, mixed strategy."""
    session, seat = screen.session, screen.seat
    game = session.game
    agent = make_agent(game, rest or find(game.name).opponent)
    if not hasattr(agent, "think"):
        raise BadText(f"{agent.name} does not say what it thinks; try nash or planner")
    turn: Turn[Plan, NavigationState] = session.turn(seat, 1.0)
    analysis = agent.think(turn)
    screen.say(f"  {agent.name} sees {analysis.value:+.2f} for you (-1 lost, 1 won)")
    for candidate in analysis.candidates[:8]:
        line = f"  {candidate.text:<12} {candidate.value:+.2f}  {candidate.weight:4.0%}"
        if candidate.foreseen is not None and candidate.answer is not None:
            line += f"  if foreseen {candidate.foreseen:+.2f}, by {write_plan(candidate.answer)}"
        screen.say(line)


class NavigationTerminal(Terminal):
    """Plans are typed as codes and drafted with a preview; the clock plays the last draft."""

    typing: ClassVar[str] = (
        "Type a plan, a move and an action for each phase, such as FpL-Rs1-h; codes explains."
    )
    clock: ClassVar[float | None] = 30.0
    commands: ClassVar[Mapping[str, Command]] = {
        "codes": Command("how plans are typed", _codes),
        "legend": Command("what the marks on the map mean", _legend),
        "against": Command(
            "THEIRS MINE: how my plan fares if they play theirs", _against, asks=True
        ),
        "think": Command(
            "[AGENT]: plans, values and mixture that an agent sees", _think, asks=True
        ),
    }

    def playback(self, game: AnyGame) -> float:
        return 2.0 * as_navigation(game).phases

    def seat_name(self, game: AnyGame, state: Any, seat: Seat) -> str:
        return ship_names(state)[seat]

    def story(
        self,
        game: AnyGame,
        before: Any,
        actions: Mapping[Seat, Any],
        after: Any,
        viewer: Seat | None,
        colour: bool,
    ) -> Iterable[str]:
        for seat, plan in actions.items():
            name = seat_paint(ship_names(before)[seat], seat, colour)
            yield f"{name} plans {game.write(plan)}"
        for entry in after.log:
            yield phase_text(as_navigation(game), before, entry, colour)

    def sentences(
        self,
        game: AnyGame,
        before: Any,
        actions: Mapping[Seat, Any],
        after: Any,
        viewer: Seat | None,
    ) -> Iterable[str]:
        for entry in after.log:
            for line in describe(entry, ship_names(before)):
                yield f"Phase {entry.phase}: {line}"

    def preview(
        self, game: AnyGame, view: Any, seat: Seat, action: Any, colour: bool
    ) -> str | None:
        return path_text(as_navigation(game), view, seat, action, colour)

    def fallback(self, game: AnyGame, view: Any, seat: Seat) -> Plan:
        return (Order(),) * as_navigation(game).phases


def phase_text(game: Navigation, before: NavigationState, entry: PhaseEntry, colour: bool) -> str:
    """One phase: its orders, the sea after it, and what happened."""
    names = ship_names(before)
    codes = " · ".join(
        seat_paint(f"{name} {write_plan((order,))}", seat, colour)
        for seat, (name, order) in enumerate(zip(names, entry.orders, strict=True))
    )
    left = " : ".join(str(hp) for hp in entry.hp)
    lines = [f"Phase {entry.phase}   {codes}   {left} hp"]
    drawn = {s: pose for s, pose in enumerate(entry.drifted) if game.seats == 2 or entry.hp[s]}
    lines += board(game.chart, drawn, colour, _shots(entry))
    lines += [f"  {line}" for line in describe(entry, names)] or ["  All is quiet."]
    return "\n".join(lines) + "\n"


def _shots(entry: PhaseEntry) -> dict[Tile, str]:
    """Marks for where balls and hooks fell."""
    marks: dict[Tile, str] = {}
    for event in entry.events:
        if event.kind != "ram" and event.target is None:
            marks[event.x, event.y] = "*" if event.kind == "shot" else "~"
    return marks


def path_text(game: Navigation, view: NavigationState, seat: Seat, plan: Plan, colour: bool) -> str:
    """The path of a plan if the enemy stayed where it is: the tile of each phase, numbered."""
    idle = (Order(),) * game.phases
    plans = dict.fromkeys(game.to_move(view), idle) | {seat: tuple(Order(o.move) for o in plan)}
    after = harmless(game).apply(view, plans)
    marks: dict[Tile, str] = {}
    steps: list[str] = []
    for entry, order in zip(after.log, plan, strict=True):
        pose, blocked = entry.drifted[seat], entry.blocked[seat]
        marks[pose.tile] = str(entry.phase)
        stop = f", stopped by {blocked}" if blocked else ""
        drift = f", {entry.hazards[seat]}" if entry.hazards[seat] else ""
        where = f"{tile_name(pose.tile)} {pose.facing}"
        steps.append(f"{entry.phase} {write_plan((order,))}: {where}{drift}{stop}")
    lines = board(game.chart, poses_on_board(view), colour, marks)
    return "\n".join([*lines, f"  {write_plan(plan)}   {'   '.join(steps)}"]) + "\n"


def harmless(game: Navigation) -> Navigation:
    """The same game without damage and without end, for previewing paths."""
    return Navigation(
        ships=game.ships, map=game.map, turns=game.turns, phases=game.phases, turn_limit=10_000
    )
