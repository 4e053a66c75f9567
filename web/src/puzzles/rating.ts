// A player's ratings in puzzles and the puzzles tried, by game, as this browser keeps them.
import { shared } from "../prefs";
import type { PuzzleEntry } from "../wire";

export interface PuzzleProgress {
  rating: number;
  /** Whether each puzzle tried was solved, by its id. */
  tried: Record<string, boolean>;
}

export const FIRST_RATING = 1200;
/** How far one puzzle moves an Elo rating, at most. */
const K_FACTOR = 32;

export const progress = shared<Record<string, PuzzleProgress>>("puzzles", {});

export function progressIn(all: Record<string, PuzzleProgress>, game: string): PuzzleProgress {
  const own = all[game];
  const sound = own && Number.isFinite(own.rating) && isRecord(own.tried);
  return sound ? own : { rating: FIRST_RATING, tried: {} };
}

/** The Elo rating after a puzzle. */
export function newRating(rating: number, puzzle: number, solved: boolean): number {
  const expected = 1 / (1 + 10 ** ((puzzle - rating) / 400));
  return rating + K_FACTOR * (Number(solved) - expected);
}

/** Keep a result; only the first one at a puzzle counts. */
export function keepAttempt(game: string, puzzle: { id: string; rating: number }, solved: boolean): void {
  progress.update((now) => {
    const own = progressIn(now, game);
    if (puzzle.id in own.tried) return now;
    const rating = newRating(own.rating, puzzle.rating, solved);
    return { ...now, [game]: { rating, tried: { ...own.tried, [puzzle.id]: solved } } };
  });
}

/** The puzzle nearest to the player's rating that was not tried yet; any, once all were. */
export function nextPuzzle(own: PuzzleProgress, puzzles: PuzzleEntry[]): PuzzleEntry | undefined {
  const left = puzzles.filter((p) => !(p.id in own.tried));
  const far = (p: PuzzleEntry) => Math.abs(p.rating - own.rating);
  return (left.length > 0 ? left : puzzles).reduce<PuzzleEntry | undefined>((best, p) => (best && far(best) <= far(p) ? best : p), undefined);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
