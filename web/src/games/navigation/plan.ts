// Plans: four orders that clicks cycle through, and their text.
import type { NavigationOrder } from "../../wire";

export type Move = "none" | "forward" | "turn_left" | "turn_right";
export type Side = "port" | "starboard";

/** One phase: a move, and perhaps something on one side. */
export interface Order {
  move: Move;
  side: Side | null;
  /** Shots fired; 0 with a side means that it grapples. */
  shots: number;
}

export interface ShipRow {
  name: string;
  label: string;
  hp: number;
  range: number;
  cannonball: string;
  shots: number;
  grapple_range: number;
}

/** The side that a seat fights on: even seats against odd ones. */
export const sideOfSeat = (seat: number): number => seat % 2;

export const REST: Order = { move: "none", side: null, shots: 0 };
export const emptyPlan = (phases: number): Order[] => Array.from({ length: phases }, () => REST);

const MOVES: Move[] = ["none", "forward", "turn_left", "turn_right"];
const LETTERS: Record<Move, string> = { none: "-", forward: "F", turn_left: "L", turn_right: "R" };

/** The next move in the circle: none, forward, left, right. */
export function cycleMove(order: Order, step = 1): Order {
  const next = (MOVES.indexOf(order.move) + step + MOVES.length) % MOVES.length;
  return { ...order, move: MOVES[next]! };
}

/** The next action of a side: one shot, as many as the ship has, grapple, none. The other side is
 * cleared, because a phase has one action. */
export function cycleSide(order: Order, side: Side, ship: ShipRow): Order {
  if (order.side !== side) return { ...order, side, shots: 1 };
  if (order.shots === 0) return { ...order, side: null, shots: 0 };
  if (order.shots < ship.shots) return { ...order, shots: order.shots + 1 };
  return { ...order, shots: 0 };
}

export function writePlan(plan: Order[], ship: ShipRow): string {
  return plan
    .map(({ move, side, shots }) => {
      if (side === null) return `${LETTERS[move]}-`;
      if (shots === 0) return LETTERS[move] + (side === "port" ? "g" : "h");
      return LETTERS[move] + (side === "port" ? "p" : "s") + (shots === ship.shots ? "" : shots);
    })
    .join("");
}

export function readPlan(text: string, ship: ShipRow): Order[] {
  const orders = text.match(/[-FLR][-psgh]\d?/gi) ?? [];
  return orders.map((code): Order => {
    const move = MOVES.find((m) => LETTERS[m] === code[0]!.toUpperCase()) ?? "none";
    const act = code[1]!.toLowerCase();
    if (act === "-") return { move, side: null, shots: 0 };
    const side: Side = act === "p" || act === "g" ? "port" : "starboard";
    const shots = act === "g" || act === "h" ? 0 : Number(code[2] ?? ship.shots);
    return { move, side, shots };
  });
}

/** An order as the log writes it. */
export function orderOf(entry: NavigationOrder, ship: ShipRow): Order {
  const side = entry.action === "none" ? null : (entry.action.split("_")[1] as Side);
  const shoots = entry.action.startsWith("shoot");
  return { move: entry.move as Move, side, shots: shoots ? (entry.shots ?? ship.shots) : 0 };
}

const MOVE_WORDS: Record<Move, string> = {
  none: "hold",
  forward: "forward",
  turn_left: "turn left",
  turn_right: "turn right",
};

export function sideWords(order: Order, side: Side): string {
  if (order.side !== side) return "nothing";
  return order.shots === 0 ? "grapple" : order.shots === 1 ? "1 shot" : `${order.shots} shots`;
}

/** A plan as people say it: `forward and fire to port, hold`. */
export function planWords(text: string): string {
  const orders = text.match(/[-FLR][-psgh]\d?/gi) ?? [];
  const acts: Record<string, string> = { p: "fire to port", s: "fire to starboard", g: "grapple to port", h: "grapple to starboard" };
  return orders
    .map((code) => {
      const move = MOVES.find((m) => LETTERS[m] === code[0]!.toUpperCase()) ?? "none";
      const act = acts[code[1]!.toLowerCase()];
      return act ? (move === "none" ? act : `${MOVE_WORDS[move]} and ${act}`) : MOVE_WORDS[move];
    })
    .join(", ");
}

export function moveWords(order: Order): string {
  return MOVE_WORDS[order.move];
}
