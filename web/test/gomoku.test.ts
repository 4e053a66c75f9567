// Points and the line that won.
import { describe, expect, it } from "vitest";
import { type Point, pointName, readPoint, starPoints, winningEnds } from "../src/games/gomoku/position";

describe("gomoku", () => {
  it("names points by column and row, a1 at the bottom left", () => {
    expect(pointName([7, 7])).toBe("h8");
    expect(readPoint("h8")).toEqual([7, 7]);
    expect(readPoint("black")).toBeNull();
  });

  it("finds the five, not the six that crosses it", () => {
    const row: Point[] = [0, 1, 2, 3, 4].map((c) => [0, c]);
    const column: Point[] = [1, 2, 3, 4, 5].map((r) => [r, 4]);
    const black = [...column, ...row.slice(0, 4), [0, 4] as Point];
    const white: Point[] = black.slice(1).map((_, i) => [10, i]);
    const stones = black.flatMap((p, i) => (white[i] ? [p, white[i]!] : [p]));
    expect(winningEnds({ stones, choices: [], winner: 1 })).toEqual([[0, 0], [0, 4]]);
    expect(winningEnds({ stones, choices: [], winner: 0 })).toBeNull();
  });

  it("finds the five in whichever direction the six lies", () => {
    const row: Point[] = [0, 1, 2, 3, 4, 5].map((c) => [0, c]);
    const column: Point[] = [1, 2, 3, 4].map((r) => [r, 4]);
    const black = [...column, ...row.filter((p) => p[1] !== 4), [0, 4] as Point];
    const stones = black.flatMap((p, i): Point[] => (i + 1 < black.length ? [p, [10, i]] : [p]));
    expect(winningEnds({ stones, choices: [], winner: 1 })).toEqual([[0, 4], [4, 4]]);
  });

  it("puts stars where players expect them", () => {
    expect(starPoints(15)).toContainEqual([7, 7]);
    expect(starPoints(6)).toEqual([]);
  });
});
