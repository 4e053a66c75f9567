// Cells, ships and answers of a Battleship board, ready to be drawn.
import type { BattleshipSea } from "../../wire";

export type Cell = [number, number];
export type Ends = [Cell, Cell];

export interface Board {
  rows: number;
  cols: number;
  sizes: number[];
  names: string[];
}

export interface BattleshipInsight {
  heat?: number[][];
  entropy_bits?: number;
  best?: string;
}

export function cellName([row, col]: Cell): string {
  return `${String.fromCharCode(65 + row)}${col + 1}`;
}

export function readCell(text: string): Cell | null {
  const match = /^([A-La-l])(\d{1,2})$/.exec(text.trim());
  return match ? [match[1]!.toUpperCase().charCodeAt(0) - 65, Number(match[2]) - 1] : null;
}

export function cellsBetween([[row, col], [lastRow, lastCol]]: Ends): Cell[] {
  const length = Math.max(lastRow - row, lastCol - col) + 1;
  const down = lastRow > row;
  return Array.from({ length }, (_, i) => (down ? [row + i, col] : [row, col + i]));
}

export function writeFleet(ships: Ends[], mines: Cell[] = []): string {
  const words = ships.map(([a, b]) => `${cellName(a)}-${cellName(b)}`);
  return [...words, ...mines.map((m) => `*${cellName(m)}`)].join(" ");
}

/** The ships and mines of text such as `A1-A5 C3-F3 *J10`. */
export function readFleet(text: string): { ships: Ends[]; mines: Cell[] } {
  const ships: Ends[] = [];
  const mines: Cell[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [first, last] = word.replace("*", "").split("-").map(readCell);
    if (!first) continue;
    if (word.startsWith("*")) mines.push(first);
    else if (last) ships.push([first, last]);
  }
  return { ships, mines };
}

export type Mark = "miss" | "hit" | "sunk" | "mine";

/** What is known of every cell shot at, by cell name. */
export function marksOf(board: Board, sea: BattleshipSea): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const shot of sea.shots) {
    const mark = shot.result === "miss" || shot.result === "mine" ? shot.result : "hit";
    marks.set(cellName(shot.cell as Cell), mark);
  }
  for (const cell of sunkCells(board, sea)) marks.set(cellName(cell), "sunk");
  return marks;
}

/** The cells that surely belong to sunk ships: all ways that the ship can lie share them. */
export function sunkCells(board: Board, sea: BattleshipSea): Cell[] {
  if (sea.fleet) {
    const ships = sea.fleet.ships as Ends[];
    return ships.flatMap((ends, i) => (sea.afloat.includes(board.names[i]!) ? [] : cellsBetween(ends)));
  }
  const found: Cell[] = [];
  const hits = new Set<string>();
  for (const shot of sea.shots) {
    const cell = shot.cell as Cell;
    if (shot.result === "hit" || shot.result === "sunk") hits.add(cellName(cell));
    if (shot.result !== "sunk") continue;
    const size = board.sizes[board.names.indexOf(shot.ship)] ?? 1;
    const ways = waysThrough(cell, size).filter((way) => way.every((c) => hits.has(cellName(c))));
    const sure = ways[0]?.filter((c) => ways.every((way) => way.some((d) => d.join() === c.join())));
    found.push(...(sure ?? []));
  }
  return found;
}

function waysThrough([row, col]: Cell, size: number): Cell[][] {
  const across = Array.from({ length: size }, (_, back) =>
    Array.from({ length: size }, (_, i): Cell => [row, col - back + i]),
  );
  const down = Array.from({ length: size }, (_, back) =>
    Array.from({ length: size }, (_, i): Cell => [row - back + i, col]),
  );
  return size === 1 ? across : [...across, ...down];
}

/** A ship's outline, bow to the right or down, in units of cells. */
export function hull([[row, col], [lastRow, lastCol]]: Ends): string {
  const m = 0.17;
  const across = row === lastRow;
  const long = Math.max(lastRow - row, lastCol - col) + 1;
  const at = (along: number, side: number) =>
    across ? `${col + along} ${row + side}` : `${col + 1 - side} ${row + along}`;
  const bow = Math.min(0.75, long * 0.4);
  return [
    `M${at(m + 0.12, m)}`,
    `L${at(long - bow, m)}`,
    `Q${at(long - 0.3, m + 0.04)} ${at(long - m + 0.04, 0.5)}`,
    `Q${at(long - 0.3, 1 - m - 0.04)} ${at(long - bow, 1 - m)}`,
    `L${at(m + 0.12, 1 - m)}`,
    `Q${at(m, 1 - m)} ${at(m, 1 - m - 0.14)}`,
    `L${at(m, m + 0.14)}`,
    `Q${at(m, m)} ${at(m + 0.12, m)}Z`,
  ].join("");
}
