// Points of a Gomoku board: names, colours, and the line that won.
import type { GomokuState } from "../../wire";

export type Point = [number, number];

export function pointName([row, col]: Point): string {
  return `${String.fromCharCode(97 + col)}${row + 1}`;
}

/** The point that text such as `h8` names, or null where it is no point. */
export function readPoint(text: string): Point | null {
  const match = /^([a-z])(\d{1,2})$/.exec(text);
  return match ? [Number(match[2]) - 1, match[1]!.charCodeAt(0) - 97] : null;
}

export function colourOf(index: number): "black" | "white" {
  return index % 2 === 0 ? "black" : "white";
}

/** Both ends of the five that won, for the line drawn through it. */
export function winningEnds(view: GomokuState): [Point, Point] | null {
  const last = view.stones.at(-1) as Point | undefined;
  if (!view.winner || !last) return null;
  const first = view.stones.length % 2 === 1 ? 0 : 1;
  const own = new Set(view.stones.filter((_, i) => i % 2 === first).map((p) => p.join()));
  const lines = ([[0, 1], [1, 0], [1, 1], [1, -1]] as Point[]).map((step) => {
    const ends = [-1, 1].map((way) => {
      let [row, col] = last;
      while (own.has([row + way * step[0], col + way * step[1]].join())) {
        row += way * step[0];
        col += way * step[1];
      }
      return [row, col] as Point;
    }) as [Point, Point];
    const length = Math.max(Math.abs(ends[0][0] - ends[1][0]), Math.abs(ends[0][1] - ends[1][1])) + 1;
    return { ends, length };
  });
  // Six stones may cross the last one too, and did not win: a five goes before a longer line.
  const best = lines.filter((l) => l.length >= 5).sort((a, b) => a.length - b.length)[0];
  return best?.ends ?? null;
}

/** The nine, five or single dots that help the eye. */
export function starPoints(size: number): Point[] {
  if (size < 9) return [];
  const edge = size >= 13 ? 3 : 2;
  const middle = (size - 1) / 2;
  const far = size - 1 - edge;
  const corners: Point[] = [[edge, edge], [edge, far], [far, edge], [far, far]];
  return size % 2 === 1 ? [...corners, [middle, middle]] : corners;
}

export interface GomokuInsight {
  value?: number;
  depth?: number;
  line?: string[];
  moves?: { action: string; value: number }[];
}
