// Replay and analysis of any game: from a room, or from a record that was exported.
import { useEffect, useState } from "preact/hooks";
import { callPlayers } from "../games/opponents";
import { tokenOf } from "../prefs";
import { getRecord, getReplay, listRecent, readRecord, Refused } from "../rest";
import type { Route } from "../route";
import { capital } from "../room/words";
import { Upload } from "../ui/icons";
import { NotFound } from "../ui/not-found";
import type { RecentGame, GameReplay } from "../wire";
import { titleOf } from "../games";
import { type Exchange, isTranscript, readSaid } from "./said";
import { Viewer } from "./viewer";

type Here = Extract<Route, { page: "replay" }>;

export function ReplayPage({ here }: { here: Route }) {
  const { room, turn, phase } = here as Here;
  return room === null ? <Import /> : <RoomReplay key={room} room={room} turn={turn} phase={phase} />;
}

function RoomReplay({ room, turn, phase }: { room: string; turn: number | null; phase: number | null }) {
  const [replay, setReplay] = useState<GameReplay | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    getReplay(room, tokenOf(room)).then(setReplay, (error: Error) => setProblem(error.message));
  }, [room]);
  if (problem) return <NotFound title="Game not found" why={problem} />;
  if (!replay) return <p class="soft loading">Loading the replay…</p>;
  const record = () => getRecord(room, tokenOf(room));
  return <Viewer replay={replay} source={{ room, record: null }} record={record} turn={turn} phase={phase} said={[]} />;
}

/** Bring a record from a file, or choose a game that was played here. */
function Import() {
  const [loaded, setLoaded] = useState<{ replay: GameReplay; record: string; said: Exchange[] } | null>(null);
  const [problem, setProblem] = useState("");
  const [recent, setRecent] = useState<RecentGame[] | null>(null);
  useEffect(() => {
    listRecent().then(setRecent, () => undefined);
    const path = new URLSearchParams(location.search).get("record");
    // A game of the run that `trireme arena --open` shows; never an address elsewhere.
    if (path?.startsWith("/run/records/")) {
      fetch(path).then(async (answer) => {
        if (answer.ok) await open(await answer.text());
        else setProblem("The run has no such game.");
      }, () => setProblem("The run can't be reached."));
    }
  }, []);
  const open = async (record: string, said: Exchange[] = []) => {
    try {
      setLoaded({ replay: await readRecord(record), record, said });
      setProblem("");
    } catch (error) {
      setProblem(error instanceof Refused ? error.message : String(error));
    }
  };
  if (loaded) {
    const { replay, record, said } = loaded;
    return (
      <Viewer replay={replay} source={{ room: null, record }} record={async () => record} turn={0} phase={null} said={said} />
    );
  }
  return (
    <div class="import stack">
      <h1>Replay a game</h1>
      <div class="import-columns">
        <section class="panel stack">
          <h2>From a record</h2>
          <p class="soft">
            A record is a text file of one game, saved from this page or by the command line. Choose its transcript
            as well to read what a language model said.
          </p>
          <label class="button">
            <Upload /> Open a file
            <input
              type="file"
              class="visually-hidden"
              multiple
              accept=".jsonl,.txt,application/json,text/plain"
              onChange={async (e) => {
                const texts = await Promise.all([...(e.currentTarget.files ?? [])].map((file) => file.text()));
                const record = texts.find((text) => !isTranscript(text));
                const said = texts.filter(isTranscript).flatMap(readSaid);
                if (record !== undefined) await open(record, said);
                else if (texts.length) setProblem("This is a transcript: choose the record of its game as well.");
              }}
            />
          </label>
          <form
            class="stack"
            onSubmit={(e) => {
              e.preventDefault();
              void open(String(new FormData(e.currentTarget).get("record") ?? ""));
            }}
          >
            <label class="field">
              Or paste its text
              <textarea name="record" rows={6} spellcheck={false} />
            </label>
            <button class="button" type="submit">
              Open the replay
            </button>
          </form>
          <p class={`trouble small ${problem ? "note" : ""}`} role="status">
            {problem}
          </p>
        </section>
        <section class="panel stack">
          <h2>Games on this server</h2>
          {recent?.length === 0 && (
            <>
              <p class="soft small">No finished games yet.</p>
              <div class="row">
                <a class="button" href="/">
                  Play a game
                </a>
              </div>
            </>
          )}
          <ul class="plain-list">
            {recent?.slice(0, 20).map((game) => (
              <li key={game.room}>
                <span>
                  <strong>{titleOf(game.game)}</strong>{" "}
                  <span class="soft small">
                    {capital(callPlayers(game.game, game.seats, game.room).join(" – "))}, {count(game.moves)}
                  </span>
                </span>
                <a class="button small" href={`/replay/${game.room}`}>
                  Replay
                  <span class="visually-hidden">
                    {" "}
                    {titleOf(game.game)}, {count(game.moves)}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </div>
  );
}

function count(moves: number): string {
  return moves === 1 ? "1 move" : `${moves} moves`;
}
