// A turn's log as motion: where ships, balls and hooks are at any moment. 2D and 3D both draw this.
import type { NavigationEvent, NavigationPhaseEntry, NavigationPose, NavigationShip } from "../../wire";

export interface ShipAt {
  /** Middle of the ship, in tiles. */
  x: number;
  y: number;
  /** Degrees clockwise from north. */
  heading: number;
  /** How far it leans into a turn, -1 to 1, positive to starboard. */
  bank: number;
  hp: number;
  /** 0 afloat to 1 gone. */
  sunk: number;
}

export interface Flight {
  kind: "ball" | "hook";
  seat: number;
  from: { x: number; y: number };
  to: { x: number; y: number };
  /** 0 leaves the ship, 1 has arrived; up to 2 while its splash or burst fades. */
  progress: number;
  hits: boolean;
}

export interface Moment {
  /** Index of the phase in the log; the last one at the end. */
  phase: number;
  step: "sail" | "drift" | "fire" | "still";
  /** By seat. */
  ships: ShipAt[];
  flights: Flight[];
}

/** Parts of a phase: sailing, hazards, fire, a breath. */
const SAILED = 0.42;
const DRIFTED = 0.56;
const FIRED = 0.94;

const HEADINGS: Record<string, number> = { N: 0, E: 90, S: 180, W: 270 };
const STEPS: Record<string, [number, number]> = { N: [0, -1], E: [1, 0], S: [0, 1], W: [-1, 0] };

export function headingOf(facing: string): number {
  return HEADINGS[facing] ?? 0;
}

export function stepOf(facing: string): [number, number] {
  return STEPS[facing] ?? [0, 0];
}

/** The ships that count: those afloat, or all once none is. */
export function inSight(ships: readonly ShipAt[]): readonly ShipAt[] {
  const afloat = ships.filter((ship) => ship.sunk < 1);
  return afloat.length > 0 ? afloat : ships;
}

/** Ships that lie still. */
export function stillMoment(ships: readonly NavigationShip[]): Moment {
  const at = (s: NavigationShip): ShipAt => ({
    x: s.x,
    y: s.y,
    heading: headingOf(s.facing),
    bank: 0,
    hp: s.hp,
    sunk: s.alive ? 0 : 1,
  });
  return { phase: 0, step: "still", ships: ships.map(at), flights: [] };
}

/** The moment `t` phases after the turn began; `hp` is what the ships had then. */
export function momentAt(log: readonly NavigationPhaseEntry[], t: number, hp: readonly number[]): Moment {
  const phase = Math.max(0, Math.min(log.length - 1, Math.floor(t)));
  const entry = log[phase]!;
  const u = Math.max(0, Math.min(1, t - phase));
  const before = phase > 0 ? log[phase - 1]!.hp : hp;
  const step = u < SAILED ? "sail" : u < DRIFTED ? "drift" : u < FIRED ? "fire" : "still";
  return {
    phase,
    step,
    ships: entry.start.map((_, seat) => shipAt(entry, seat, u, before[seat] ?? 0)),
    flights: entry.events.flatMap((event) => flightsOf(entry, event, u)),
  };
}

function shipAt(entry: NavigationPhaseEntry, seat: number, u: number, before: number): ShipAt {
  const fired = u >= impact(entry);
  const after = entry.hp[seat]!;
  const hp = fired ? after : before;
  const sinks = after <= 0 && before > 0;
  const sunk = before <= 0 ? 1 : sinks && fired ? Math.min(1, (u - impact(entry)) / (1 - impact(entry))) : 0;
  const place =
    u < SAILED ? sailing(entry, seat, smooth(u / SAILED)) : drifting(entry, seat, smooth((u - SAILED) / (DRIFTED - SAILED)));
  return { ...place, hp, sunk };
}

type Place = Pick<ShipAt, "x" | "y" | "heading" | "bank">;

/** Movement: straight ahead, along a curve, or a bump against what is in the way. */
function sailing(entry: NavigationPhaseEntry, seat: number, u: number): Place {
  const from = entry.start[seat]!;
  const to = entry.moved[seat]!;
  const turn = shortest(headingOf(from.facing), headingOf(to.facing));
  const lean = Math.sign(turn) * Math.sin(Math.PI * u);
  if (from.x !== to.x && from.y !== to.y) {
    const [dx, dy] = stepOf(from.facing);
    const corner = { x: from.x + dx, y: from.y + dy };
    const point = curve(from, corner, to, u);
    return { ...point, heading: headingOf(from.facing) + turn * u, bank: lean };
  }
  if (entry.blocked[seat] && from.x === to.x && from.y === to.y) {
    const [dx, dy] = stepOf(from.facing);
    const push = 0.28 * Math.sin(Math.PI * u);
    return { x: from.x + dx * push, y: from.y + dy * push, heading: headingOf(from.facing) + turn * u, bank: lean };
  }
  return { ...between(from, to, u), heading: headingOf(from.facing) + turn * u, bank: lean };
}

/** Hazards: a push by the wind, or half a round in a whirlpool. */
function drifting(entry: NavigationPhaseEntry, seat: number, u: number): Place {
  const from = entry.moved[seat]!;
  const to = entry.drifted[seat]!;
  const turn = shortest(headingOf(from.facing), headingOf(to.facing));
  const heading = headingOf(from.facing) + turn * u;
  if (entry.hazards[seat] === "whirlpool" && (from.x !== to.x || from.y !== to.y)) {
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
    const angle = Math.atan2(from.y - middle.y, from.x - middle.x) + Math.sign(turn) * Math.PI * u;
    const reach = Math.hypot(from.x - middle.x, from.y - middle.y);
    return { x: middle.x + reach * Math.cos(angle), y: middle.y + reach * Math.sin(angle), heading, bank: 0 };
  }
  return { ...between(from, to, u), heading, bank: 0 };
}

/** When in the phase damage shows. */
function impact(entry: NavigationPhaseEntry): number {
  return entry.events.some((e) => e.kind !== "ram") ? DRIFTED + 0.6 * (FIRED - DRIFTED) : SAILED;
}

function flightsOf(entry: NavigationPhaseEntry, event: NavigationEvent, u: number): Flight[] {
  if (event.kind === "ram" || u < DRIFTED) return [];
  const pose = entry.drifted[event.seat]!;
  const span = FIRED - DRIFTED;
  const to = { x: event.x, y: event.y };
  const count = event.kind === "grapple" ? 1 : event.shots;
  const flights = Array.from({ length: count }, (_, i): Flight => {
    const leaves = DRIFTED + i * 0.12 * span;
    const lasts = 0.6 * span - i * 0.12 * span;
    return {
      kind: event.kind === "grapple" ? "hook" : "ball",
      seat: event.seat,
      from: { x: pose.x, y: pose.y },
      to,
      progress: Math.min(2, (u - leaves) / lasts),
      hits: event.target !== null,
    };
  });
  return flights.filter((f) => f.progress >= 0 && f.progress < 2);
}

function between(a: NavigationPose, b: NavigationPose, u: number) {
  return { x: a.x + (b.x - a.x) * u, y: a.y + (b.y - a.y) * u };
}

function curve(a: { x: number; y: number }, corner: { x: number; y: number }, b: { x: number; y: number }, u: number) {
  const [p, q, r] = [(1 - u) ** 2, 2 * u * (1 - u), u ** 2];
  return { x: p * a.x + q * corner.x + r * b.x, y: p * a.y + q * corner.y + r * b.y };
}

/** The turn from one heading to another, -180 to 180 degrees. */
export function shortest(from: number, to: number): number {
  return ((((to - from) % 360) + 540) % 360) - 180;
}

function smooth(u: number): number {
  const v = Math.max(0, Math.min(1, u));
  return v * v * (3 - 2 * v);
}

/** The path of one ship through a log, as SVG path data through the middles of tiles. */
export function trackOf(log: readonly NavigationPhaseEntry[], seat: number): string {
  const first = log[0]?.start[seat];
  if (!first) return "";
  let d = `M${first.x + 0.5} ${first.y + 0.5}`;
  for (const entry of log) {
    const { start, moved, drifted } = { start: entry.start[seat]!, moved: entry.moved[seat]!, drifted: entry.drifted[seat]! };
    if (start.x !== moved.x && start.y !== moved.y) {
      const [dx, dy] = stepOf(start.facing);
      d += `Q${start.x + dx + 0.5} ${start.y + dy + 0.5} ${moved.x + 0.5} ${moved.y + 0.5}`;
    } else d += `L${moved.x + 0.5} ${moved.y + 0.5}`;
    if (drifted.x !== moved.x || drifted.y !== moved.y) d += `L${drifted.x + 0.5} ${drifted.y + 0.5}`;
  }
  return d;
}
