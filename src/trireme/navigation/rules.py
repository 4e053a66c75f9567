"""Battle Navigation: the whole rules.

Two ships fight on a sea of tiles. Each turn both captains write a plan of four phases in secret;
then the phases run one after another. There is no chance anywhere.

**A phase of a plan** orders one move (none, forward, turn left, turn right) and one action (none,
shoot or grapple, to port or to starboard). A shooting order may ask for fewer shots than the ship
has, never for more.

**Every phase** has four steps: movement, hazards, combat, win check. Each step reads both ships as
the step before left them and changes both together, so swapping the seats changes nothing.

1. **Movement.** Forward is a path of one tile. A turn is a curve: one tile ahead, then one to that
   side, ending with the bow the new way. A path that meets the edge or a rock fails whole. The
   ships take their paths in two sub-steps, and a ship fails when it enters the tile that the other
   ship enters, stands on or has stopped on, or when the two would swap tiles; entering a tile
   that the other leaves in the same sub-step is fine. A ship that fails stays where it began the
   phase, though a turn still swings its bow. This repeats until nothing changes, because a ship
   that fails may now stand in the other's way. With `turns="advance"` a ship keeps the part of
   its path that it could sail. With `ram_damage`, a ship that runs into a rock is damaged, and
   when a ship runs into the other, both are: at most once each in a phase.
2. **Hazards.** The tile on which a ship now stands works on it once, whether it moved or not. A
   wind pushes it one tile if that is on the map and clear. A whirlpool swings its bow a quarter
   turn and carries it to the opposite corner; ships in opposite corners exchange. Ships in each
   other's way fail as in movement, and a ship that fails here stays, though the whirlpool swings
   it.
3. **Combat.** Every ship that was afloat when the phase began acts. A shot flies straight out of
   the named side, as far as the ship's range, until a ship, a large rock or the edge stops it;
   a hit takes shots × damage hit points. A grapple catches a ship on the tile beside the named
   side.
4. **Win check.** Both grapple: a draw. One grapples: it wins, even if sunk in that phase.
   Otherwise a ship without hit points loses, and if both have none it is a draw. When the last
   phase of the last turn decides nothing, the larger share of hit points left wins, and equal
   shares draw.

Rocks block ships; large rocks also stop cannon fire. `ammo_per_turn` limits the shots of a plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from trireme.core.errors import BadSettings, IllegalAction
from trireme.core.game import AnyGame, Game, Seat
from trireme.core.options import option

from .geometry import Pose, Tile, offset_tile, rotated, side_facing
from .map_generator import find_map
from .maps import SeaMap
from .phase_log import NavigationEvent, NavigationVerdict, PhaseEntry
from .plans import LegalPlans, Order, Plan, check_plan, read_plan, shots_fired, write_plan
from .ships import ShipType, ship_type


@dataclass(frozen=True)
class Ship:
    """A ship in play."""

    id: int
    """Its seat."""
    type: str
    label: str
    x: int
    y: int
    facing: str
    hp: int
    max_hp: int
    alive: bool = True

    @property
    def pose(self) -> Pose:
        return Pose(self.x, self.y, self.facing)


@dataclass(frozen=True)
class NavigationState:
    """The position between two turns; nothing in it is secret, so it is also every seat's view."""

    turn: int
    """How many turns have been played."""
    ships: tuple[Ship, Ship]
    log: tuple[PhaseEntry, ...] = ()
    """The phases of the turn just played."""
    verdict: NavigationVerdict | None = None


class TileMap:
    """A map indexed by tile: rocks, winds and whirlpools."""

    def __init__(self, chart: SeaMap) -> None:
        self.width, self.height = chart.width, chart.height
        self.rocks = {(rock.x, rock.y): rock.size for rock in chart.rocks}
        self.winds: dict[Tile, str] = {}
        self.whirlpools: dict[Tile, tuple[Tile, str]] = {}
        for hazard in chart.hazards:
            for tile in hazard.tiles:
                if hazard.kind == "wind":
                    self.winds[tile] = hazard.way
                else:
                    corner = 2 * hazard.x + 1 - tile[0], 2 * hazard.y + 1 - tile[1]
                    self.whirlpools[tile] = corner, hazard.way

    def obstacle(self, tile: Tile) -> str | None:
        """What keeps ships off a tile: `edge`, `rock`, or nothing."""
        if not (0 <= tile[0] < self.width and 0 <= tile[1] < self.height):
            return "edge"
        return "rock" if tile in self.rocks else None

    def stops_fire(self, tile: Tile) -> bool:
        return self.rocks.get(tile) == "large" or self.obstacle(tile) == "edge"


Path = tuple[Tile, ...]


def path_of(pose: Pose, move: str) -> Path:
    """The tiles that a move would enter."""
    if move == "none":
        return ()
    ahead = offset_tile(pose.tile, pose.facing)
    return (ahead,) if move == "forward" else (ahead, offset_tile(ahead, bow_after(pose, move)))


def bow_after(pose: Pose, move: str) -> str:
    """The facing after a move, which a ship reaches even where the move itself fails."""
    return rotated(pose.facing, {"turn_left": -1, "turn_right": 1}.get(move, 0))


def resolve_collisions(
    starts: Sequence[Tile], paths: Sequence[Path], *, keep: bool = False, exchange: bool = False
) -> tuple[list[Path], list[bool]]:
    """The paths that remain once no ship is in the other's way, and which ships failed.

    `keep`: a ship keeps the part of its path before the tile where it failed. `exchange`: the
    ships may swap tiles.
    """
    left = list(paths)
    failed = [False, False]
    while collision := _first_collision(starts, left, exchange):
        step, seats = collision
        for seat in seats:
            left[seat] = left[seat][:step] if keep else ()
            failed[seat] = True
    return left, failed


def _first_collision(
    starts: Sequence[Tile], paths: Sequence[Path], exchange: bool
) -> tuple[int, list[Seat]] | None:
    """The earliest sub-step in which a ship fails, and which ships fail in it."""
    before = list(starts)
    for step in (0, 1):
        enters = [len(path) > step for path in paths]
        after = [paths[s][step] if enters[s] else before[s] for s in (0, 1)]
        swap = all(enters) and after == before[::-1] and not exchange
        if swap or after[0] == after[1]:
            return step, [seat for seat in (0, 1) if enters[seat]]
        before = after
    return None


@dataclass(frozen=True)
class Movement:
    """What the first step of a phase did, by seat."""

    poses: tuple[Pose, Pose]
    blocked: tuple[str | None, str | None]
    rammed: tuple[bool, bool]


def move_ships(
    sea: TileMap, poses: tuple[Pose, Pose], orders: Sequence[Order], keep: bool
) -> Movement:
    """Step 1: both ships take their paths, or fail to."""
    paths: list[Path] = []
    blocked: list[str | None] = []
    for pose, order in zip(poses, orders, strict=True):
        path = path_of(pose, order.move)
        met = [sea.obstacle(tile) for tile in path]
        step = next((k for k, obstacle in enumerate(met) if obstacle), None)
        blocked.append(None if step is None else met[step])
        paths.append(path if step is None else path[:step] if keep else ())
    taken, failed = resolve_collisions([pose.tile for pose in poses], paths, keep=keep)
    collided = any(failed)
    ends = [path[-1] if path else pose.tile for path, pose in zip(taken, poses, strict=True)]
    bows = [bow_after(pose, order.move) for pose, order in zip(poses, orders, strict=True)]
    return Movement(
        (Pose(*ends[0], bows[0]), Pose(*ends[1], bows[1])),
        ("ship" if failed[0] else blocked[0], "ship" if failed[1] else blocked[1]),
        (collided or blocked[0] == "rock", collided or blocked[1] == "rock"),
    )


def drift(sea: TileMap, poses: tuple[Pose, Pose]) -> tuple[Pose, Pose]:
    """Step 2: the tile under each ship works on it, once."""
    starts = [pose.tile for pose in poses]
    paths: list[Path] = []
    bows: list[str] = []
    for pose in poses:
        path: Path = ()
        bow = pose.facing
        if pose.tile in sea.winds:
            target = offset_tile(pose.tile, sea.winds[pose.tile])
            path = () if sea.obstacle(target) else (target,)
        elif pose.tile in sea.whirlpools:
            corner, spin = sea.whirlpools[pose.tile]
            path, bow = (corner,), rotated(bow, 1 if spin == "clockwise" else -1)
        paths.append(path)
        bows.append(bow)
    swirling = all(tile in sea.whirlpools for tile in starts)
    taken, _ = resolve_collisions(starts, paths, exchange=swirling)
    ends = [path[-1] if path else start for path, start in zip(taken, starts, strict=True)]
    return Pose(*ends[0], bows[0]), Pose(*ends[1], bows[1])


def hazard_at(sea: TileMap, tile: Tile) -> str | None:
    """The hazard on a tile, if any."""
    return "wind" if tile in sea.winds else "whirlpool" if tile in sea.whirlpools else None


def act(
    sea: TileMap, poses: Sequence[Pose], seat: Seat, order: Order, ship: ShipType
) -> NavigationEvent | None:
    """Step 3 for one ship: what its shot or its grapple does."""
    if order.side is None:
        return None
    way = side_facing(poses[seat].facing, order.side)
    enemy = poses[1 - seat].tile
    tile = poses[seat].tile
    hit = False
    for distance in range(1, (ship.range if order.shoots else ship.grapple_range) + 1):
        ahead = offset_tile(poses[seat].tile, way, distance)
        if sea.stops_fire(ahead):
            break
        tile, hit = ahead, ahead == enemy
        if hit:
            break
    shots = shots_fired(order, ship)
    target = 1 - seat if hit else None
    kind = "shot" if order.shoots else "grapple"
    return NavigationEvent(
        kind, seat, order.side, shots, target, shots * ship.damage if hit else 0, *tile
    )


@dataclass(frozen=True)
class Navigation(Game[NavigationState, Plan, NavigationState]):
    """Two captains plan four phases in secret; then the sea resolves them together."""

    name: ClassVar[str] = "navigation"
    action_forms: ClassVar[str] = "a list of one order for each phase"
    rules_version: ClassVar[int] = 1

    ships: tuple[str, str] = option(("cutter", "war_brig"), "the ship of each seat")
    map: str | SeaMap = option("default", "default, procedural:SEED, or a map as JSON")
    turn_limit: int = option(50, "turns after which the larger share of hit points wins")
    turns: Literal["stay", "advance"] = option(
        "stay", "what a half-blocked turn does: stay where it began, or advance one tile"
    )
    ammo_per_turn: int | None = option(None, "shots that one plan may fire; none: no limit")
    ram_damage: int = option(0, "hit points lost by running into rocks and ships")
    phases: int = option(4, "phases in a plan; fewer make small games that can be solved")

    def __post_init__(self) -> None:
        if len(self.ships) != 2:
            raise BadSettings(f"ships must name one ship for each of 2 seats, not {self.ships!r}")
        for ship in self.ships:
            ship_type(ship)
        limits = (
            ("turn_limit", self.turn_limit, 1, 10_000),
            ("ram_damage", self.ram_damage, 0, 100),
            ("phases", self.phases, 1, 4),
            ("ammo_per_turn", self.ammo_per_turn or 0, 0, 100),
        )
        for name, value, low, high in limits:
            if not low <= value <= high:
                raise BadSettings(f"{name} must be {low} to {high}, not {value}")
        if self.turns not in ("stay", "advance"):
            raise BadSettings(f"turns must be stay or advance, not {self.turns!r}")
        if isinstance(self.map, str):
            find_map(self.map)

    @property
    def seats(self) -> int:
        return 2

    @cached_property
    def chart(self) -> SeaMap:
        """The map that the setting names or holds."""
        return find_map(self.map) if isinstance(self.map, str) else self.map

    @cached_property
    def sea(self) -> TileMap:
        """The map, by tile."""
        return TileMap(self.chart)

    @cached_property
    def types(self) -> tuple[ShipType, ShipType]:
        """What the ship of each seat can do."""
        return ship_type(self.ships[0]), ship_type(self.ships[1])

    @cached_property
    def plans(self) -> tuple[LegalPlans, LegalPlans]:
        """All plans of each seat: the same in every turn."""
        first, second = (LegalPlans(t, self.phases, self.ammo_per_turn) for t in self.types)
        return first, second

    def start(self) -> NavigationState:
        first, second = (
            Ship(seat, kind.name, kind.label, spawn.x, spawn.y, spawn.facing, kind.hp, kind.hp)
            for seat, (kind, spawn) in enumerate(zip(self.types, self.chart.spawns, strict=True))
        )
        return NavigationState(0, (first, second))

    def to_move(self, state: NavigationState) -> tuple[Seat, ...]:
        return () if state.verdict else (0, 1)

    def legal(self, state: NavigationState, seat: Seat) -> LegalPlans:
        return self.plans[seat]

    def check(self, state: NavigationState, seat: Seat, action: Plan) -> None:
        if seat not in self.to_move(state):
            raise IllegalAction(f"it is not the turn of seat {seat}")
        check_plan(action, self.types[seat], self.phases, self.ammo_per_turn)

    def apply(self, state: NavigationState, actions: Mapping[Seat, Plan]) -> NavigationState:
        ships, turn = state.ships, state.turn + 1
        log: list[PhaseEntry] = []
        for phase, orders in enumerate(zip(actions[0], actions[1], strict=True), 1):
            entry = self.phase(ships, orders, turn, phase)
            log.append(entry)
            ships = _after(ships[0], entry), _after(ships[1], entry)
            if entry.verdict:
                break
        return NavigationState(turn, ships, tuple(log), log[-1].verdict)

    def phase(
        self, ships: tuple[Ship, Ship], orders: tuple[Order, Order], turn: int, phase: int
    ) -> PhaseEntry:
        """One phase, from orders to win check."""
        start = ships[0].pose, ships[1].pose
        sailed = move_ships(self.sea, start, orders, self.turns == "advance")
        tiles = sailed.poses[0].tile, sailed.poses[1].tile
        drifted = drift(self.sea, sailed.poses)
        events = self._harm(sailed, drifted, orders)
        lost = [sum(e.damage for e in events if e.target == seat) for seat in (0, 1)]
        hp = max(0, ships[0].hp - lost[0]), max(0, ships[1].hp - lost[1])
        return PhaseEntry(
            turn,
            phase,
            orders,
            start,
            sailed.poses,
            sailed.blocked,
            (hazard_at(self.sea, tiles[0]), hazard_at(self.sea, tiles[1])),
            drifted,
            events,
            hp,
            self._verdict(events, hp, last=turn >= self.turn_limit and phase == self.phases),
        )

    def _harm(
        self, sailed: Movement, poses: tuple[Pose, Pose], orders: Sequence[Order]
    ) -> tuple[NavigationEvent, ...]:
        events: list[NavigationEvent] = []
        for seat in (0, 1):
            if self.ram_damage and sailed.rammed[seat]:
                at = sailed.poses[seat].tile
                events.append(NavigationEvent("ram", seat, None, 0, seat, self.ram_damage, *at))
        for seat in (0, 1):
            event = act(self.sea, poses, seat, orders[seat], self.types[seat])
            if event is not None:
                events.append(event)
        return tuple(events)

    def _verdict(
        self, events: Sequence[NavigationEvent], hp: tuple[int, int], *, last: bool
    ) -> NavigationVerdict | None:
        """Step 4."""
        boarding = {e.seat for e in events if e.kind == "grapple" and e.target is not None}
        if boarding:
            return NavigationVerdict(None if len(boarding) == 2 else boarding.pop(), "grapple")
        afloat = [seat for seat in (0, 1) if hp[seat] > 0]
        if len(afloat) < 2:
            return NavigationVerdict(afloat[0] if afloat else None, "sunk")
        if not last:
            return None
        ours, theirs = hp[0] * self.types[1].hp, hp[1] * self.types[0].hp
        return NavigationVerdict(None if ours == theirs else int(theirs > ours), "turn limit")

    def view(self, state: NavigationState, seat: Seat | None) -> NavigationState:
        return state

    def returns(self, state: NavigationState) -> tuple[float, ...]:
        if state.verdict is None or state.verdict.winner is None:
            return (0.0, 0.0)
        return (1.0, -1.0) if state.verdict.winner == 0 else (-1.0, 1.0)

    def write(self, action: Plan) -> str:
        return write_plan(action)

    def read(self, text: str) -> Plan:
        return read_plan(text, self.phases)

    def convert(self, value: Any, seat: Seat) -> Plan | None:
        """A plan as a list of orders."""
        return tuple(value) if isinstance(value, list) else None


def _after(ship: Ship, entry: PhaseEntry) -> Ship:
    pose, hp = entry.drifted[ship.id], entry.hp[ship.id]
    return replace(ship, x=pose.x, y=pose.y, facing=pose.facing, hp=hp, alive=hp > 0)


def as_navigation(game: AnyGame) -> Navigation:
    """The game, known to be Battle Navigation."""
    if not isinstance(game, Navigation):
        raise TypeError(f"expected a game of navigation, not {game!r}")
    return game
