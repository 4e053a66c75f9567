// A phase in words, for the event text of playback and the live log.
import type { NavigationPhaseEntry } from "../../wire";

export function tileName(x: number, y: number): string {
  return `${String.fromCharCode(97 + x)}${y + 1}`;
}

const STOPS: Record<string, string> = { edge: "the edge of the map", rock: "a rock", ship: "the other ship" };

/** Sentences about one phase; `names` are what to call the ships. */
export function phaseWords(entry: NavigationPhaseEntry, names: readonly string[]): string[] {
  const lines: string[] = [];
  for (const seat of [0, 1] as const) {
    const name = names[seat]!;
    const [moved, drifted] = [entry.moved[seat], entry.drifted[seat]];
    const order = entry.orders[seat].move;
    if (entry.blocked[seat]) lines.push(`${name} is stopped by ${STOPS[entry.blocked[seat]!]}.`);
    else if (order === "forward") lines.push(`${name} sails to ${tileName(moved.x, moved.y)}.`);
    else if (order !== "none") lines.push(`${name} turns ${order === "turn_left" ? "left" : "right"} into ${tileName(moved.x, moved.y)}.`);
    if (entry.hazards[seat]) lines.push(`The ${entry.hazards[seat]} takes ${name} to ${tileName(drifted.x, drifted.y)}.`);
  }
  for (const event of entry.events) {
    const name = names[event.seat]!;
    const target = event.target === null ? null : names[event.target]!;
    if (event.kind === "ram") lines.push(`${name} is damaged in the collision: ${event.damage}.`);
    else if (event.kind === "grapple") lines.push(target ? `${name} grapples ${target}!` : `${name} throws its hooks and catches water.`);
    else if (target) lines.push(`${name} hits ${target} to ${event.side}: ${event.damage}.`);
    else lines.push(`${name} fires to ${event.side} and misses.`);
  }
  return lines.length > 0 ? lines : ["All is quiet."];
}

/** What to call two ships, even where they are of one type. */
export function shipNames(ships: readonly { label: string }[]): string[] {
  const same = ships[0]?.label === ships[1]?.label;
  return ships.map((ship, seat) => (same ? `${ship.label} ${seat + 1}` : ship.label));
}
