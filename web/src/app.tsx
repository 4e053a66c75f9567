// The shell around every page: masthead, the page that the address names, live words.
import { useEffect, useState } from "preact/hooks";
import type { ComponentType } from "preact";
import { notice, notify, spoken } from "./announce";
import { HomePage } from "./home/page";
import { LobbyPage } from "./home/lobby";
import { prefs, setPrefs } from "./prefs";
import { RoomPage } from "./room/page";
import { type Route, route } from "./route";
import { useStore } from "./store";
import { HalfMoon, Moon, SoundOff, SoundOn, Sun, TriremeMark } from "./ui/icons";
import { NotFound } from "./ui/not-found";

const THEMES = ["auto", "light", "dark"] as const;
const THEME_ICONS = { auto: HalfMoon, light: Sun, dark: Moon };

export function App() {
  const here = useStore(route);
  const spokenText = useStore(spoken);
  const shown = useStore(notice);
  useEffect(() => {
    document.title = TITLES[here.page];
  }, [here.page]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Masthead here={here} />
      <main id="main" tabIndex={-1}>
        <Page here={here} />
      </main>
      <footer class="colophon">
        <span>Trireme, a laboratory for game-playing agents</span>
        <a href="/manual/" target="_blank" rel="noreferrer">Manual</a>
        <a href="/docs" target="_blank" rel="noreferrer">
          API
        </a>
      </footer>
      <div class="visually-hidden" aria-live="polite">
        {spokenText}
      </div>
      {shown && (
        <div class="toast" role="status" key={shown.id}>
          {shown.text}
        </div>
      )}
    </div>
  );
}

const TITLES: Record<Route["page"], string> = {
  home: "Trireme",
  new: "New game · Trireme",
  room: "Game · Trireme",
  replay: "Replay · Trireme",
  maps: "Maps · Trireme",
  learn: "Lessons · Trireme",
  puzzles: "Puzzles · Trireme",
  lost: "Not found · Trireme",
};

function Masthead({ here }: { here: Route }) {
  const { theme, sound } = useStore(prefs);
  const Icon = THEME_ICONS[theme];
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  return (
    <header class="masthead">
      <a class="wordmark" href="/" aria-label="Trireme, home">
        <TriremeMark />
        <span>Trireme</span>
      </a>
      <nav aria-label="Pages">
        <a href="/" aria-current={here.page === "home" ? "page" : undefined}>
          Play
        </a>
        <a href="/learn" aria-current={here.page === "learn" ? "page" : undefined}>
          Learn
        </a>
        <a href="/puzzles" aria-current={here.page === "puzzles" ? "page" : undefined}>
          Puzzles
        </a>
        <a href="/replay" aria-current={here.page === "replay" ? "page" : undefined}>
          Replay
        </a>
        <a href="/maps" aria-current={here.page === "maps" ? "page" : undefined}>
          Maps
        </a>
      </nav>
      <div class="tools">
        <button
          type="button"
          class="icon-button"
          aria-label={sound ? "Turn sound off" : "Turn sound on"}
          aria-pressed={!sound}
          onClick={() => setPrefs({ sound: !sound })}
        >
          {sound ? <SoundOn /> : <SoundOff />}
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label={`Theme: ${theme}. Change to ${next}`}
          onClick={() => setPrefs({ theme: next })}
        >
          <Icon />
        </button>
      </div>
    </header>
  );
}

function Page({ here }: { here: Route }) {
  switch (here.page) {
    case "home":
      return <HomePage />;
    case "new":
      return <LobbyPage key={here.game} name={here.game} />;
    case "room":
      return <RoomPage key={here.room} id={here.room} />;
    case "replay":
      return <Later key="replay" load={replayPage} here={here} />;
    case "maps":
      return <Later key="maps" load={mapsPage} here={here} />;
    case "learn":
      return <Later key="learn" load={learnPage} here={here} />;
    case "puzzles":
      return <Later key="puzzles" load={puzzlesPage} here={here} />;
    case "lost":
      return <NotFound title="Page not found" />;
  }
}

type Loader = () => Promise<ComponentType<{ here: Route }>>;
const replayPage: Loader = async () => (await import("./replay/page")).ReplayPage as ComponentType<{ here: Route }>;
const learnPage: Loader = async () => (await import("./learn/page")).LearnPage as ComponentType<{ here: Route }>;
const puzzlesPage: Loader = async () => (await import("./puzzles/page")).PuzzlesPage as ComponentType<{ here: Route }>;
const mapsPage: Loader = async () => (await import("./editor/page")).EditorPage as ComponentType<{ here: Route }>;

/** A page whose code is fetched when it is first visited. */
function Later({ load, here }: { load: Loader; here: Route }) {
  const [Loaded, setLoaded] = useState<ComponentType<{ here: Route }> | null>(null);
  useEffect(() => {
    let wanted = true;
    setLoaded(null);
    load().then(
      (page) => wanted && setLoaded(() => page),
      () => notify("The page could not be loaded. Reload it to try again.", 10),
    );
    return () => {
      wanted = false;
    };
  }, [load]);
  return Loaded ? <Loaded here={here} /> : <p class="soft loading">Loading…</p>;
}
