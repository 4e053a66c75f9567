// The puzzle that is solved in a room: what to do, the result, and what comes next.
import { useEffect, useState } from "preact/hooks";
import { notify, say } from "../announce";
import type { Room } from "../room/state";
import { useStore } from "../store";
import { Again, Check, Link, Next } from "../ui/icons";
import { marked } from "../ui/rules";
import { startNextPuzzle, startPuzzle } from "./begin";
import { keepAttempt, progress, progressIn } from "./rating";

export function PuzzlePanel({ room, hold }: { room: Room; hold: boolean }) {
  const game = room.info?.game ?? "";
  const puzzle = room.info?.puzzle;
  const attempt = hold ? null : room.position?.puzzle;
  const state = attempt?.state ?? "open";
  const own = progressIn(useStore(progress), game);
  useEffect(() => {
    if (!puzzle || state === "open" || room.seats.length === 0) return;
    keepAttempt(game, puzzle, state === "met");
    say(state === "met" ? "Solved." : MISSED);
  }, [state, puzzle?.id]);
  if (!puzzle) return null;
  return (
    <section class={`lesson puzzle panel stack ${state}`} aria-label="Puzzle">
      <p class="small soft">
        {puzzle.day ? `Daily puzzle of ${puzzle.day}` : `Puzzle ${puzzle.id}`}, rated {puzzle.rating}. Your rating: {Math.round(own.rating)}
      </p>
      <h2>{puzzle.title}</h2>
      <p>{marked(puzzle.text)}</p>
      <p class="lesson-state" role="status">
        {state === "met" && (
          <>
            <Check /> Solved. {attempt?.note}
          </>
        )}
        {state === "missed" && `${MISSED} ${attempt?.note ?? ""}`}
      </p>
      {state === "missed" && attempt && <Solution key={room.id} actions={attempt.solution} />}
      <div class="row">
        {state !== "open" && attempt && (
          <button type="button" class="button small" onClick={() => void copyText(attempt.share)}>
            <Link /> Share the result
          </button>
        )}
        {state !== "met" && (
          <button type="button" class="button small" onClick={() => void startPuzzle(game, puzzle.id)}>
            <Again /> Try again
          </button>
        )}
        <button type="button" class={`button small ${state === "open" ? "" : "primary"}`} onClick={() => void startNextPuzzle(game)}>
          <Next /> {state === "open" ? "Skip" : "Next puzzle"}
        </button>
        <a class="button small" href={`/puzzles/${game}`}>
          All puzzles
        </a>
      </div>
    </section>
  );
}

function Solution({ actions }: { actions: string[] }) {
  const [shown, setShown] = useState(false);
  return shown ? (
    <p>
      A solution: <code>{actions.join(" ")}</code>
    </p>
  ) : (
    <button type="button" class="button small" onClick={() => setShown(true)}>
      Show a solution
    </button>
  );
}

const MISSED = "Not solved.";

/** Put text on the clipboard; where that is forbidden, show it. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify("Result copied.");
  } catch {
    notify(text, 12);
  }
}
