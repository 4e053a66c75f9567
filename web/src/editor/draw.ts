// Drawing a map: what every tool does to it. Whether the result may be played is the server's say.
import type { NavigationHazard, NavigationRock, NavigationSeaMap, NavigationSpawn } from "../wire";

export type Tool =
  | "wind N"
  | "wind E"
  | "wind S"
  | "wind W"
  | "whirlpool clockwise"
  | "whirlpool counterclockwise"
  | "rock small"
  | "rock large"
  | "erase"
  | "spawn 0"
  | "spawn 1";

const FACINGS = "NESW";

/** Tiles along a side of a map, as the game allows. */
export const SHORTEST = 3;
export const LONGEST = 26;

/** A side's length as typed: any number becomes one that can be drawn. */
export function sideOf(typed: string): number {
  return Math.max(SHORTEST, Math.min(LONGEST, Math.round(Number(typed)) || 24));
}

export function emptyMap(width = 24, height = 24): NavigationSeaMap {
  const middle = Math.floor(height / 2);
  return {
    id: "custom",
    name: "My map",
    width,
    height,
    spawns: [
      { x: Math.min(2, width - 1), y: Math.max(0, middle - 1), facing: "E" },
      { x: Math.max(0, width - 3), y: middle, facing: "W" },
    ],
    hazards: [],
    rocks: [],
    author: "",
    notes: "",
    created: new Date().toISOString().slice(0, 10),
  };
}

/** The map with other sides: ships move inside, and what lies outside goes. */
export function resized(map: NavigationSeaMap, width: number, height: number): NavigationSeaMap {
  const inside = (at: { x: number; y: number }, size = 1) => at.x + size <= width && at.y + size <= height;
  const spawns = map.spawns.map((s) => ({ ...s, x: Math.min(s.x, width - 1), y: Math.min(s.y, height - 1) }));
  const hazards = (map.hazards ?? []).filter((h) => inside(h, h.kind === "whirlpool" ? 2 : 1));
  return { ...map, width, height, spawns, hazards, rocks: (map.rocks ?? []).filter((r) => inside(r)) };
}

/** The map with the tool used at a tile. */
export function use(map: NavigationSeaMap, tool: Tool, x: number, y: number): NavigationSeaMap {
  const [kind, way = ""] = tool.split(" ");
  if (kind === "spawn") return spawn(map, Number(way), x, y);
  if (kind === "rock") {
    const rock: NavigationRock = { x, y, size: way };
    const cleared = clear(map, [[x, y]]);
    return { ...cleared, rocks: [...(cleared.rocks ?? []), rock] };
  }
  if (kind === "wind") return hazard(map, { kind, x, y, way });
  if (kind === "whirlpool") {
    const at = { x: Math.min(x, map.width - 2), y: Math.min(y, map.height - 2) };
    return hazard(map, { kind, ...at, way });
  }
  return clear(map, [[x, y]]);
}

/** The same tool at the tile that lies opposite, so that neither seat is favoured. */
export function useFairly(map: NavigationSeaMap, tool: Tool, x: number, y: number): NavigationSeaMap {
  const far = { x: map.width - 1 - x, y: map.height - 1 - y };
  const pool = tool.startsWith("whirlpool") ? 1 : 0;
  const made = use(map, tool, x, y);
  if (tool.startsWith("spawn")) {
    const facing = made.spawns[Number(tool.split(" ")[1])]?.facing ?? "N";
    const other: NavigationSpawn = { ...far, facing: turn(facing, 2) };
    return { ...made, spawns: made.spawns.map((s, i) => (i === Number(tool.split(" ")[1]) ? s : other)) };
  }
  const opposite = tool.startsWith("wind") ? (`wind ${turn(tool.split(" ")[1]!, 2)}` as Tool) : tool;
  return use(made, opposite, far.x - pool, far.y - pool);
}

function turn(facing: string, quarters: number): string {
  return FACINGS[(FACINGS.indexOf(facing) + quarters) % 4]!;
}

/** A spawn goes where it is put; put again on its tile, it turns. */
function spawn(map: NavigationSeaMap, seat: number, x: number, y: number): NavigationSeaMap {
  const old = map.spawns[seat];
  const same = old?.x === x && old.y === y;
  const facing = same ? turn(old.facing, 1) : (old?.facing ?? "N");
  const spawns = [0, 1].map((s) => (s === seat ? { x, y, facing } : (map.spawns[s] ?? { x: 0, y: 0, facing: "N" })));
  return { ...clear(map, [[x, y]]), spawns };
}

function hazard(map: NavigationSeaMap, made: NavigationHazard): NavigationSeaMap {
  const cleared = clear(map, tilesOf(made));
  return { ...cleared, hazards: [...(cleared.hazards ?? []), made] };
}

export function tilesOf({ kind, x, y }: NavigationHazard): [number, number][] {
  return kind === "wind" ? [[x, y]] : [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]];
}

/** The map with nothing left on these tiles but spawns. */
function clear(map: NavigationSeaMap, tiles: [number, number][]): NavigationSeaMap {
  const gone = new Set(tiles.map(String));
  return {
    ...map,
    rocks: (map.rocks ?? []).filter((r) => !gone.has(String([r.x, r.y]))),
    hazards: (map.hazards ?? []).filter((h) => !tilesOf(h).some((t) => gone.has(String(t)))),
  };
}

/** What lies on a tile, in words. */
export function whatIsAt(map: NavigationSeaMap, x: number, y: number): string {
  const seat = map.spawns.findIndex((s) => s.x === x && s.y === y);
  if (seat >= 0) return `spawn ${seat + 1} facing ${map.spawns[seat]!.facing}`;
  const rock = map.rocks?.find((r) => r.x === x && r.y === y);
  if (rock) return `${rock.size} rock`;
  const found = map.hazards?.find((h) => tilesOf(h).some(([a, b]) => a === x && b === y));
  return found ? `${found.kind} ${found.way}` : "water";
}

/** An id that the server accepts, made of the name. */
export function idOf(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "custom";
}
