// Starting a puzzle: a room that holds its position, its opponent and its goal.
import { notify } from "../announce";
import { begin } from "../home/begin";
import { listPuzzles, Refused } from "../rest";
import { nextPuzzle, progress, progressIn } from "./rating";

export const startPuzzle = (game: string, puzzle: string) => begin({ game, puzzle, pace: 0.3 });

/** Start the puzzle that fits the player's rating. */
export async function startNextPuzzle(game: string): Promise<void> {
  try {
    const { puzzles } = await listPuzzles(game);
    const next = nextPuzzle(progressIn(progress.get(), game), puzzles);
    if (next) await startPuzzle(game, next.id);
  } catch (error) {
    notify(error instanceof Refused ? error.message : String(error), 8);
  }
}
