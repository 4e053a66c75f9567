// The lessons of a game: what there is to learn, what is done, and where to go on.
import { gamesStore } from "../games/catalogue";
import { MODULES, moduleOf, titleOf } from "../games";
import { doneLessons } from "../prefs";
import type { Route } from "../route";
import { useStore } from "../store";
import { Check, Play } from "../ui/icons";
import { NotFound } from "../ui/not-found";
import { marked } from "../ui/rules";
import { RulesButton } from "../ui/rules";
import { startLesson } from "./begin";

export function LearnPage({ here }: { here: Route }) {
  const name = here.page === "learn" ? here.game : "";
  const games = useStore(gamesStore);
  const info = games.find((g) => g.name === name);
  const done = useStore(doneLessons)[name] ?? [];
  if (!info && games.length > 0 && !MODULES[name]) return <NotFound title={`There is no game called ${name}`} />;
  if (!info) return <p class="soft loading">Loading…</p>;
  const module = moduleOf(name, info);
  const next = info.lessons.find((lesson) => !done.includes(lesson.id));
  return (
    <div class="learn stack">
      <header class="row spread">
        <h1>Learn {module.title}</h1>
        <RulesButton game={name} settings={{}} />
      </header>
      <p class="soft">
        {info.lessons.length} short lessons on the real board. You can stop at any time, and skip what you know.
      </p>
      <ol class="lesson-list">
        {info.lessons.map((lesson, i) => (
          <li key={lesson.id} class="panel row spread">
            <span class="lesson-name">
              <span class="lesson-number">{done.includes(lesson.id) ? <Check /> : i + 1}</span>
              <span>
                <strong>{lesson.title}</strong>
                <span class="small soft">{marked(firstSentence(lesson.text))}</span>
              </span>
            </span>
            <button type="button" class={`button ${lesson === next ? "primary" : ""}`} onClick={() => void startLesson(name, lesson.id)}>
              <Play /> {done.includes(lesson.id) ? "Again" : "Start"}
              <span class="visually-hidden"> {lesson.title}</span>
            </button>
          </li>
        ))}
      </ol>
      <p>
        <a class="button" href={`/new/${name}`}>
          Play {titleOf(name)}
        </a>
      </p>
    </div>
  );
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= )/.exec(text)?.[0].replace(/:$/, ".") ?? text;
}
