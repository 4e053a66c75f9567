"""Battle Navigation: the whole rules.

Two ships fight on a sea of tiles. Each turn both captains write a plan of four phases in secret;
then the phases run one after another. There is no chance anywhere. With four or six ships every
seat commands one, and the even seats fight the odd ones.

**A phase of a plan** orders one move (none, forward, turn left, turn right) and one action (none,
shoot or grapple, to port or to starboard). A shooting order may ask for fewer shots than the ship
has, never for more.

**Every phase** has four steps: movement, hazards, combat, win check. Each step reads all ships as
the step before left them and changes them together, so swapping the seats changes nothing.

1. **Movement.** Forward is a path of one tile. A turn is a curve: one tile ahead, then one to that
   side, ending with the bow the new way. A path that meets the edge or a rock fails whole. The
   ships take their paths in two sub-steps, and a ship fails when it enters the tile that another
   ship enters, stands on or has stopped on, or when two would swap tiles; entering a tile
   that another leaves in the same sub-step is fine. A ship that fails stays where it began the
   phase, though a turn still swings its bow. This repeats until nothing changes, because a ship
   that fails may now stand in another's way. With `turns="advance"` a ship keeps the part of
   its path that it could sail. With `ram_damage`, a ship that runs into a rock is damaged, and
   when a ship runs into another, both are: at most once each in a phase.
2. **Hazards.** The tile on which a ship now stands works on it once, whether it moved or not. A
   wind pushes it one tile if that is on the map and clear. A whirlpool swings its bow a quarter
   turn and carries it to the opposite corner; ships in opposite corners exchange. Ships in each
   other's way fail as in movement, and a ship that fails here stays, though the whirlpool swings
   it.
3. **Combat.** Every ship that was afloat when the phase began acts. A shot flies straight out of
   the named side, as far as the ship's range, until a ship, a large rock or the edge stops it;
   a hit takes shots × damage hit points. A grapple catches a ship on the tile beside the named
   side. Ships of the own side stop shots too, and neither shots nor grapples harm them.
4. **Win check.** Both grapple: a draw. One grapples: it wins, even if sunk in that phase.
   Otherwise a ship without hit points loses, and if both have none it is a draw. When the last
   phase of the last turn decides nothing, the larger share of hit points left wins, and equal
   shares draw. With several ships a side the same holds for sides: one whose last ship is grappled
   loses, even if the other's ships sink in that phase; otherwise ships that are grappled or have no
   hit points are out of the game, and the side whose ships are all out loses.

Rocks block ships; large rocks also stop cannon fire. `ammo_per_turn` limits the shots of a plan.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal

from trireme.core.errors import BadSettings, IllegalAction
from trireme.core.game import AnyGame, Game, Seat
from trireme.core.options import option

from .geometry import Pose, Tile, offset_tile, rotated, side_facing
from .map_generator import find_map
from .maps import SeaMap, Spawn
from .phase_log import NavigationEvent, NavigationVerdict, PhaseEntry
from .plans import LegalPlans, Order, Plan, check_plan, read_plan, shots_fired, write_plan
from .ships import ShipType, ship_type


def side_of(seat: Seat) -> int:
    """The side that a seat fights on: 0 for even seats, 1 for odd ones."""
    return seat % 2


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
    ships: tuple[Ship, ...]
    """By seat."""
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


@dataclass(frozen=True)
class Paths:
    """Paths on which no ship is in another's way, by ship."""

    taken: tuple[Path, ...]
    failed: frozenset[int]
    """Ships that could not take their path because of another."""
    met: frozenset[int]
    """These, and the ships that they ran into."""


def resolve_collisions(
    starts: Sequence[Tile],
    paths: Sequence[Path],
    *,
    keep: bool = False,
    exchange: Sequence[bool] | None = None,
) -> Paths:
    """The paths that remain once no ship is in another's way.

    `keep`: a ship keeps the part of its path before the tile where it failed. `exchange`: by ship,
    those of which two may swap tiles.
    """
    left = list(paths)
    swaps = exchange or [False] * len(starts)
    failed: set[int] = set()
    met: set[int] = set()
    while collision := _first_collision(starts, left, swaps):
        step, involved, entering = collision
        for ship in entering:
            left[ship] = left[ship][:step] if keep else ()
        failed |= entering
        met |= involved
    return Paths(tuple(left), frozenset(failed), frozenset(met))


def _first_collision(
    starts: Sequence[Tile], paths: Sequence[Path], exchange: Sequence[bool]
) -> tuple[int, set[int], set[int]] | None:
    """The earliest sub-step in which a ship fails, which ships meet in it, and which of them fail:
    those that enter a tile."""
    before = list(starts)
    for step in (0, 1):
        enters = [len(path) > step for path in paths]
        after = [path[step] if enters[s] else before[s] for s, path in enumerate(paths)]
        met: set[int] = set()
        for a, b in combinations(range(len(starts)), 2):
            swap = (after[a], after[b]) == (before[b], before[a])
            if after[a] == after[b] or (swap and not (exchange[a] and exchange[b])):
                met |= {a, b}
        if met:
            return step, met, {ship for ship in met if enters[ship]}
        before = after
    return None


@dataclass(frozen=True)
class Movement:
    """What the first step of a phase did, by ship."""

    poses: tuple[Pose, ...]
    blocked: tuple[str | None, ...]
    rammed: tuple[bool, ...]


def move_ships(
    sea: TileMap, poses: Sequence[Pose], orders: Sequence[Order], keep: bool
) -> Movement:
    """Step 1: the ships take their paths, or fail to."""
    paths: list[Path] = []
    blocked: list[str | None] = []
    for pose, order in zip(poses, orders, strict=True):
        path = path_of(pose, order.move)
        met = [sea.obstacle(tile) for tile in path]
        step = next((k for k, obstacle in enumerate(met) if obstacle), None)
        blocked.append(None if step is None else met[step])
        paths.append(path if step is None else path[:step] if keep else ())
    sailed = resolve_collisions([pose.tile for pose in poses], paths, keep=keep)
    moved = []
    for path, pose, order in zip(sailed.taken, poses, orders, strict=True):
        moved.append(Pose(*(path[-1] if path else pose.tile), bow_after(pose, order.move)))
    return Movement(
        tuple(moved),
        tuple("ship" if s in sailed.failed else met for s, met in enumerate(blocked)),
        tuple(s in sailed.met or met == "rock" for s, met in enumerate(blocked)),
    )


def drift(sea: TileMap, poses: Sequence[Pose]) -> tuple[Pose, ...]:
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
    swirling = [tile in sea.whirlpools for tile in starts]
    taken = resolve_collisions(starts, paths, exchange=swirling).taken
    ends = [path[-1] if path else start for path, start in zip(taken, starts, strict=True)]
    return tuple(Pose(*end, bow) for end, bow in zip(ends, bows, strict=True))


def hazard_at(sea: TileMap, tile: Tile) -> str | None:
    """The hazard on a tile, if any."""
    return "wind" if tile in sea.winds else "whirlpool" if tile in sea.whirlpools else None


def act(
    sea: TileMap, poses: Sequence[Pose | None], seat: Seat, order: Order, ship: ShipType
) -> NavigationEvent | None:
    """Step 3 for one ship: what its shot or its grapple does; ships without a pose are gone."""
    own = poses[seat]
    if order.side is None or own is None:
        return None
    way = side_facing(own.facing, order.side)
    standing = {pose.tile: other for other, pose in enumerate(poses) if pose is not None}
    tile, met = own.tile, None
    for distance in range(1, (ship.range if order.shoots else ship.grapple_range) + 1):
        ahead = offset_tile(own.tile, way, distance)
        if sea.stops_fire(ahead):
            break
        tile, met = ahead, standing.get(ahead)
        if met is not None:
            break
    shots = shots_fired(order, ship)
    target = None if met is None or side_of(met) == side_of(seat) else met
    kind = "shot" if order.shoots else "grapple"
    damage = 0 if target is None else shots * ship.damage
    return NavigationEvent(kind, seat, order.side, shots, target, damage, *tile)


FORMATION: tuple[Tile, ...] = (
    (2, 0), (-2, 0), (2, -2), (-2, -2), (0, -2), (3, 0), (-3, 0), (1, -1), (-1, -1), (1, 0),
    (-1, 0), (0, -1), (0, -3), (2, 2), (-2, 2), (4, 0), (-4, 0), (0, 2), (1, 1), (-1, 1), (0, 1),
)  # fmt: skip
"""Where further ships of a side begin, tiles to starboard of the spawn and ahead of it, the first
that are free."""


def starting_spawns(chart: SeaMap, seats: int) -> tuple[Spawn, ...]:
    """Where the ship of each seat begins: the first two at the map's spawns, further ones near the
    spawn of their side, in clear water."""
    sea = TileMap(chart)
    spawns = list(chart.spawns[:2])
    while len(spawns) < seats:
        taken = {(spawn.x, spawn.y) for spawn in (*spawns, *chart.spawns)}
        lead = chart.spawns[side_of(len(spawns))]
        starboard = side_facing(lead.facing, "starboard")
        for right, ahead in FORMATION:
            tile = offset_tile((lead.x, lead.y), starboard, right)
            tile = offset_tile(tile, lead.facing, ahead)
            if tile not in taken and not sea.obstacle(tile) and not hazard_at(sea, tile):
                spawns.append(Spawn(*tile, lead.facing))
                break
        else:
            raise BadSettings(
                f"the map {chart.name!r} has no room for {seats // 2} ships a side at its spawns"
            )
    return tuple(spawns)


@dataclass(frozen=True)
class Navigation(Game[NavigationState, Plan, NavigationState]):
    """Captains plan four phases in secret; then the sea resolves them together."""

    name: ClassVar[str] = "navigation"
    action_forms: ClassVar[str] = "a list of one order for each phase"
    rules_version: ClassVar[int] = 1

    ships: tuple[str, ...] = option(
        ("cutter", "war_brig"), "the ship of each seat, 2, 4 or 6: even seats fight odd ones"
    )
    map: str | SeaMap = option("default", "default, procedural:SEED, or a map as JSON")
    turn_limit: int = option(50, "turns after which the larger share of hit points wins")
    turns: Literal["stay", "advance"] = option(
        "stay", "what a half-blocked turn does: stay where it began, or advance one tile"
    )
    ammo_per_turn: int | None = option(None, "shots that one plan may fire; none: no limit")
    ram_damage: int = option(0, "hit points lost by running into rocks and ships")
    phases: int = option(4, "phases in a plan; fewer make small games that can be solved")

    def __post_init__(self) -> None:
        if len(self.ships) not in (2, 4, 6):
            raise BadSettings(
                f"ships must name 2, 4 or 6 ships, one for each seat, not {self.ships!r}"
            )
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
        if self.seats > 2:
            starting_spawns(self.chart, self.seats)

    @property
    def seats(self) -> int:
        return len(self.ships)

    @cached_property
    def chart(self) -> SeaMap:
        """The map that the setting names or holds."""
        return find_map(self.map) if isinstance(self.map, str) else self.map

    @cached_property
    def sea(self) -> TileMap:
        """The map, by tile."""
        return TileMap(self.chart)

    @cached_property
    def types(self) -> tuple[ShipType, ...]:
        """What the ship of each seat can do."""
        return tuple(ship_type(ship) for ship in self.ships)

    @cached_property
    def plans(self) -> tuple[LegalPlans, ...]:
        """All plans of each seat: the same in every turn."""
        return tuple(LegalPlans(t, self.phases, self.ammo_per_turn) for t in self.types)

    def start(self) -> NavigationState:
        spawns = starting_spawns(self.chart, self.seats)
        return NavigationState(
            0,
            tuple(
                Ship(seat, kind.name, kind.label, spawn.x, spawn.y, spawn.facing, kind.hp, kind.hp)
                for seat, (kind, spawn) in enumerate(zip(self.types, spawns, strict=True))
            ),
        )

    def to_move(self, state: NavigationState) -> tuple[Seat, ...]:
        return () if state.verdict else tuple(ship.id for ship in state.ships if ship.alive)

    def legal(self, state: NavigationState, seat: Seat) -> LegalPlans:
        return self.plans[seat]

    def check(self, state: NavigationState, seat: Seat, action: Plan) -> None:
        if seat not in self.to_move(state):
            raise IllegalAction(f"it is not the turn of seat {seat}")
        check_plan(action, self.types[seat], self.phases, self.ammo_per_turn)

    def apply(self, state: NavigationState, actions: Mapping[Seat, Plan]) -> NavigationState:
        ships, turn = state.ships, state.turn + 1
        log: list[PhaseEntry] = []
        for phase in range(1, self.phases + 1):
            orders = tuple(actions[ship.id][phase - 1] if ship.alive else Order() for ship in ships)
            entry = self.phase(ships, orders, turn, phase)
            log.append(entry)
            ships = tuple(_after(ship, entry) for ship in ships)
            if entry.verdict:
                break
        return NavigationState(turn, ships, tuple(log), log[-1].verdict)

    def phase(
        self, ships: Sequence[Ship], orders: Sequence[Order], turn: int, phase: int
    ) -> PhaseEntry:
        """One phase, from orders to win check; ships that are out of the game stay as they are."""
        afloat = [ship.id for ship in ships if ship.alive]
        start = tuple(ship.pose for ship in ships)
        given = [orders[seat] for seat in afloat]
        sailed = move_ships(
            self.sea, [start[seat] for seat in afloat], given, self.turns == "advance"
        )
        moved = dict(zip(afloat, sailed.poses, strict=True))
        drifted = dict(zip(afloat, drift(self.sea, sailed.poses), strict=True))
        blocked = dict(zip(afloat, sailed.blocked, strict=True))
        rammed = [seat for seat, hit in zip(afloat, sailed.rammed, strict=True) if hit]
        seats = range(len(ships))
        poses = [drifted.get(seat) for seat in seats]
        events = self._harm(rammed, moved, poses, orders)
        hp, verdict = self._verdict(
            ships, events, last=turn >= self.turn_limit and phase == self.phases
        )
        return PhaseEntry(
            turn,
            phase,
            tuple(orders),
            start,
            tuple(moved.get(seat, start[seat]) for seat in seats),
            tuple(blocked.get(seat) for seat in seats),
            tuple(hazard_at(self.sea, moved[s].tile) if s in moved else None for s in seats),
            tuple(drifted.get(seat, start[seat]) for seat in seats),
            events,
            hp,
            verdict,
        )

    def _harm(
        self,
        rammed: Sequence[Seat],
        moved: Mapping[Seat, Pose],
        poses: Sequence[Pose | None],
        orders: Sequence[Order],
    ) -> tuple[NavigationEvent, ...]:
        """Step 3, after the damage of collisions."""
        events: list[NavigationEvent] = []
        for seat in rammed if self.ram_damage else ():
            at = moved[seat].tile
            events.append(NavigationEvent("ram", seat, None, 0, seat, self.ram_damage, *at))
        for seat in range(self.seats):
            event = act(self.sea, poses, seat, orders[seat], self.types[seat])
            if event is not None:
                events.append(event)
        return tuple(events)

    def _verdict(
        self, ships: Sequence[Ship], events: Sequence[NavigationEvent], *, last: bool
    ) -> tuple[tuple[int, ...], NavigationVerdict | None]:
        """Step 4: the hit points that are left, and how the game ended, if it did."""
        lost = [sum(e.damage for e in events if e.target == ship.id) for ship in ships]
        hp = [max(0, ship.hp - loss) for ship, loss in zip(ships, lost, strict=True)]
        grappled = {e.target for e in events if e.kind == "grapple" and e.target is not None}
        free = {side_of(ship.id) for ship in ships if ship.alive and ship.id not in grappled}
        if len(free) < 2:
            return tuple(hp), NavigationVerdict(free.pop() if free else None, "grapple")
        for seat in grappled:
            hp[seat] = 0
        afloat = {side_of(seat) for seat, left in enumerate(hp) if left > 0}
        if len(afloat) < 2:
            return tuple(hp), NavigationVerdict(afloat.pop() if afloat else None, "sunk")
        if not last:
            return tuple(hp), None
        ours, theirs = (
            sum(hp[side::2]) * sum(kind.hp for kind in self.types[1 - side :: 2]) for side in (0, 1)
        )
        winner = None if ours == theirs else int(theirs > ours)
        return tuple(hp), NavigationVerdict(winner, "turn limit")

    def view(self, state: NavigationState, seat: Seat | None) -> NavigationState:
        return state

    def returns(self, state: NavigationState) -> tuple[float, ...]:
        if state.verdict is None or state.verdict.winner is None:
            return (0.0,) * self.seats
        winner = state.verdict.winner
        return tuple(1.0 if side_of(seat) == winner else -1.0 for seat in range(self.seats))

    def forfeit(self, state: NavigationState, culprits: Collection[Seat]) -> tuple[float, ...]:
        """Whoever forfeits loses for the whole side."""
        lost = {side_of(seat) for seat in culprits}
        if len(lost) == 2:
            return (0.0,) * self.seats
        return tuple(-1.0 if side_of(seat) in lost else 1.0 for seat in range(self.seats))

    def write(self, action: Plan) -> str:
        return write_plan(action)

    def read(self, text: str) -> Plan:
        return read_plan(text, self.phases)

    def convert(self, value: Any, seat: Seat) -> Plan | None:
        """A plan as a list of orders."""
        return tuple(value) if isinstance(value, list) else None


def _after(ship: Ship, entry: PhaseEntry) -> Ship:
    if not ship.alive:
        return ship
    pose, hp = entry.drifted[ship.id], entry.hp[ship.id]
    return replace(ship, x=pose.x, y=pose.y, facing=pose.facing, hp=hp, alive=hp > 0)


def as_navigation(game: AnyGame) -> Navigation:
    """The game, known to be Battle Navigation."""
    if not isinstance(game, Navigation):
        raise TypeError(f"expected a game of navigation, not {game!r}")
    return game
