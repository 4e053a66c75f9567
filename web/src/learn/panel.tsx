// The lesson that is taken in a room: what to do, and what comes next.
import { useEffect } from "preact/hooks";
import { say } from "../announce";
import { gamesStore } from "../games/catalogue";
import { keepLesson } from "../prefs";
import type { Room } from "../room/state";
import { useStore } from "../store";
import { Again, Check, Next } from "../ui/icons";
import { marked } from "../ui/rules";
import { startLesson } from "./begin";

export function LessonPanel({ room }: { room: Room }) {
  const info = useStore(gamesStore).find((g) => g.name === room.info?.game);
  const at = info?.lessons.findIndex((l) => l.id === room.info?.lesson) ?? -1;
  const lesson = info?.lessons[at];
  const state = room.position?.lesson ?? "open";
  useEffect(() => {
    if (!info || !lesson || state === "open") return;
    if (state === "met") keepLesson(info.name, lesson.id);
    say(state === "met" ? lesson.done : MISSED);
  }, [state, lesson?.id]);
  if (!info || !lesson) return null;
  const next = info.lessons[at + 1];
  return (
    <section class={`lesson panel stack ${state}`} aria-label="Lesson">
      <p class="small soft">
        Lesson {at + 1} of {info.lessons.length}
      </p>
      <h2>{lesson.title}</h2>
      <p>{marked(lesson.text)}</p>
      <p class="lesson-state" role="status">
        {state === "met" && (
          <>
            <Check /> {lesson.done}
          </>
        )}
        {state === "missed" && MISSED}
      </p>
      <div class="row">
        {state !== "met" && (
          <button type="button" class={`button small ${state === "missed" ? "primary" : ""}`} onClick={() => void startLesson(info.name, lesson.id)}>
            <Again /> Try again
          </button>
        )}
        {next ? (
          <button type="button" class={`button small ${state === "met" ? "primary" : ""}`} onClick={() => void startLesson(info.name, next.id)}>
            <Next /> {state === "met" ? `Next: ${next.title}` : "Skip"}
          </button>
        ) : (
          <a class={`button small ${state === "met" ? "primary" : ""}`} href={`/new/${info.name}`}>
            <Next /> Play a game
          </a>
        )}
        <a class="button small" href={`/learn/${info.name}`}>
          All lessons
        </a>
      </div>
    </section>
  );
}

const MISSED = "Not this time. Try again: nothing is lost.";
