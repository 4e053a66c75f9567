// Lessons: those of all games, and of one game what is done and where to go on.
import { gamesStore } from "../games/catalogue";
import { MODULES, moduleOf, titleOf } from "../games";
import { doneLessons } from "../prefs";
import type { Route } from "../route";
import { useStore } from "../store";
import { Check, Play } from "../ui/icons";
import { NotFound } from "../ui/not-found";
import { marked } from "../ui/rules";
import { RulesButton } from "../ui/rules";
import type { GameInfo } from "../wire";
import { startLesson } from "./begin";

export function LearnPage({ here }: { here: Route }) {
  const game = here.page === "learn" ? here.game : null;
  return game === null ? <Overview /> : <GameLessons key={game} name={game} />;
}

function Overview() {
  const games = useStore(gamesStore);
  const done = useStore(doneLessons);
  if (games.length === 0) return <p class="soft loading">Loading…</p>;
  return (
    <div class="puzzles stack">
      <h1>Learn</h1>
      <p class="soft">Short lessons on the real board, about two minutes each. You can stop at any time, and skip what you know.</p>
      <ul class="game-entries">
        {games.filter((g) => g.lessons.length > 0).map((info) => (
          <GameEntry key={info.name} info={info} done={done[info.name] ?? []} />
        ))}
      </ul>
    </div>
  );
}

function GameEntry({ info, done }: { info: GameInfo; done: string[] }) {
  const next = info.lessons.find((lesson) => !done.includes(lesson.id));
  const title = titleOf(info.name);
  return (
    <li class="panel stack">
      <h2>{title}</h2>
      <p class="small soft">
        {info.lessons.length} lessons, {info.lessons.filter((lesson) => done.includes(lesson.id)).length} done
      </p>
      <div class="row">
        {next && (
          <button type="button" class="button primary" onClick={() => void startLesson(info.name, next.id)}>
            <Play /> {next.title}
            <span class="visually-hidden"> in {title}</span>
          </button>
        )}
        <a class="button" href={`/learn/${info.name}`}>
          All lessons<span class="visually-hidden"> of {title}</span>
        </a>
      </div>
    </li>
  );
}

function GameLessons({ name }: { name: string }) {
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
                <span class="small soft">{marked(summaryOf(lesson.text))}</span>
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

/** A lesson in a line: its first sentences, as many as say something. */
export function summaryOf(text: string): string {
  const enough = new RegExp(`^.{${FEW_LETTERS},}?[.:](?= |$)`).exec(text);
  return enough?.[0].replace(/:$/, ".") ?? text;
}

const FEW_LETTERS = 24;
