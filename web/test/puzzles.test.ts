import { beforeEach, expect, it } from "vitest";
import { FIRST_RATING, keepAttempt, newRating, nextPuzzle, progress, progressIn } from "../src/puzzles/rating";
import { parseRoute } from "../src/route";

const entry = (id: string, rating: number) => ({ id, rating, kind: "vcf", title: id });

beforeEach(() => progress.set({}));

it("follows Elo as the terminal does", () => {
  expect(newRating(1200, 1200, true)).toBe(1216);
  expect(newRating(1200, 1200, false)).toBe(1184);
  expect(newRating(1200, 1600, true)).toBeGreaterThan(1228);
});

it("counts only the first attempt at a puzzle", () => {
  keepAttempt("gomoku", entry("a", 1200), false);
  keepAttempt("gomoku", entry("a", 1200), true);
  expect(progressIn(progress.get(), "gomoku")).toEqual({ rating: 1184, tried: { a: false } });
  expect(progressIn(progress.get(), "battleship").rating).toBe(FIRST_RATING);
});

it("takes the nearest puzzle that was not tried, and any once all were", () => {
  const puzzles = [entry("easy", 800), entry("near", 1250), entry("hard", 1900)];
  expect(nextPuzzle({ rating: 1200, tried: {} }, puzzles)?.id).toBe("near");
  expect(nextPuzzle({ rating: 1200, tried: { near: true } }, puzzles)?.id).toBe("easy");
  expect(nextPuzzle({ rating: 1200, tried: { near: true, easy: true, hard: false } }, puzzles)?.id).toBe("near");
  expect(nextPuzzle({ rating: 1200, tried: {} }, [])).toBeUndefined();
});

it("starts anew where the browser's memory is broken", () => {
  const broken = { gomoku: { rating: Number.NaN, tried: {} }, battleship: { rating: 1, tried: null } };
  expect(progressIn(broken as never, "gomoku").rating).toBe(FIRST_RATING);
  expect(progressIn(broken as never, "battleship").tried).toEqual({});
});

it("knows the pages of puzzles", () => {
  expect(parseRoute("/puzzles")).toEqual({ page: "puzzles", game: null });
  expect(parseRoute("/puzzles/gomoku")).toEqual({ page: "puzzles", game: "gomoku" });
});
