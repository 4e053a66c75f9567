// Home: every game one click away; open rooms, recent games, ratings.
import { useEffect, useState } from "preact/hooks";
import { MODULES, moduleOf, scoreOf, titleOf } from "../games";
import { gameInfo, gamesStore } from "../games/catalogue";
import { callPlayer, callPlayers, nextOpponent } from "../games/opponents";
import { forgetGame, ownGames, tokenOf } from "../prefs";
import { capital } from "../room/words";
import { getRoom, listPreparation, listRatings, listRecent, listRooms, Refused } from "../rest";
import { useStore } from "../store";
import { Play } from "../ui/icons";
import type { GameInfo, Preparation, Rating, RecentGame, RoomInfo } from "../wire";
import { begin } from "./begin";

export function HomePage() {
  const games = useStore(gamesStore);
  const preparing = usePreparation();
  return (
    <div class="home">
      <header class="hero">
        <h1>Three games worth thinking about</h1>
        <p class="soft">
          Learn each one in a few minutes, then find an opponent of your strength: the computer, a
          friend online, or somebody at the same screen.
        </p>
      </header>
      <ul class="game-cards">
        {[...new Set([...Object.keys(MODULES), ...games.map((g) => g.name)])].map((name) => (
          <GameCard key={name} name={name} info={games.find((g) => g.name === name)} preparing={preparing.find((p) => p.game === name)} />
        ))}
      </ul>
      <OwnGames />
      <Activity />
    </div>
  );
}

/** Games whose opponents the server still compiles: looked up until all are ready. */
function usePreparation(): Preparation[] {
  const [list, setList] = useState<Preparation[]>([]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let looks = 0;
    const look = async () => {
      looks += 1;
      const found = await listPreparation().catch(() => []);
      setList(found);
      if (found.length > 0 || looks < FIRST_LOOKS) timer = setTimeout(look, LOOK_AGAIN);
    };
    void look();
    return () => clearTimeout(timer);
  }, []);
  return list;
}

const LOOK_AGAIN = 1000;
/** A server that has just been started needs a moment until it compiles. */
const FIRST_LOOKS = 4;

/** Unfinished games of this browser, as the server has them. */
function useOwnGames(): RoomInfo[] {
  const own = useStore(ownGames);
  const [rooms, setRooms] = useState<RoomInfo[]>([]);
  const ids = own.slice(0, MOST_SHOWN).map((g) => g.room);
  useEffect(() => {
    let wanted = true;
    const look = async (id: string) => {
      try {
        const found = await getRoom(id);
        if (found.status !== "over") return found;
        forgetGame(id);
      } catch (error) {
        if (error instanceof Refused && error.code === "no_such_room") forgetGame(id);
      }
      return null;
    };
    void Promise.all(ids.map(look)).then((found) => wanted && setRooms(found.filter((r) => r !== null)));
    return () => {
      wanted = false;
    };
  }, [ids.join(" ")]);
  return rooms;
}

const MOST_SHOWN = 6;

function OwnGames() {
  const rooms = useOwnGames();
  if (rooms.length === 0) return null;
  return (
    <section class="panel own-games">
      <h2>Your games</h2>
      <ul class="plain-list">
        {rooms.map((room) => (
          <li key={room.room}>
            <span>
              <strong>{titleOf(room.game)}</strong>{" "}
              <span class="soft small">
                {rivals(room)}, {room.moves === 1 ? "1 move" : `${room.moves} moves`}
              </span>
            </span>
            <span class="row">
              <a class="button small primary" href={`/room/${room.room}`}>
                Go on
                <span class="visually-hidden"> with {titleOf(room.game)}</span>
              </a>
              <button type="button" class="button small" onClick={() => forgetGame(room.room)}>
                Remove
                <span class="visually-hidden"> {titleOf(room.game)} from this list</span>
              </button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whom a game is played against. */
function rivals(room: RoomInfo): string {
  const lesson = gamesStore.get().find((g) => g.name === room.game)?.lessons.find((l) => l.id === room.lesson);
  if (room.lesson !== null) return `lesson: ${lesson?.title ?? room.lesson}`;
  if (room.seats.length === 1) return "alone";
  const agents = room.seats.filter((s) => s.kind === "agent").map((s) => callPlayer(room.game, s.name));
  if (agents.length > 0) return `against ${agents.join(", ")}`;
  return room.status === "waiting" ? "waiting for a player" : room.seats.map((s) => s.name || "Guest").join(" – ");
}

interface CardProps {
  name: string;
  info: GameInfo | undefined;
  preparing: Preparation | undefined;
}

function GameCard({ name, info, preparing }: CardProps) {
  const [busy, setBusy] = useState(false);
  const module = moduleOf(name, info);
  const opponent = nextOpponent(info);
  const start = async () => {
    setBusy(true);
    const known = await gameInfo(name); // whoever clicks at once meets the same opponent
    const met = nextOpponent(known);
    const rival = met && { think: met.think, seats: [{ kind: "me" as const }, { kind: "agent" as const, agent: met.spec }] };
    await begin({ game: name, variant: known?.versus ?? null, ...module.quick, ...rival });
    setBusy(false);
  };
  return (
    <li class="game-card panel">
      <a class="picture" href={`/new/${name}`} tabIndex={-1} aria-hidden="true">
        <module.Mini />
      </a>
      <div class="text">
        <p class="eyebrow small">{module.hard}</p>
        <h2>{module.title}</h2>
        <p class="soft">{module.pitch}</p>
        <div class="row">
          <button type="button" class="button primary" disabled={busy} onClick={() => void start()}>
            <Play /> Play
            <span class="visually-hidden"> {module.title} against the computer</span>
          </button>
          <a class="button" href={`/new/${name}`}>
            More options
            <span class="visually-hidden"> for {module.title}</span>
          </a>
          {(!info || info.lessons.length > 0) && (
            <a class="button" href={`/learn/${name}`}>
              Learn
              <span class="visually-hidden"> {module.title}</span>
            </a>
          )}
        </div>
        <div class="row small soft opponent-line">
          <span>{info ? opponentLine(opponent?.name ?? info.opponent, opponent?.spec ?? info.opponent, preparing) : "\u00a0"}</span>
          {preparing && <progress aria-label={`Compiling ${module.title}`} max={preparing.expected} value={Math.min(preparing.compiled, preparing.expected)} />}
        </div>
      </div>
    </li>
  );
}

/** Whom Play leads to, and what the server still compiles, which it does once. */
function opponentLine(name: string, spec: string, preparing: Preparation | undefined): string {
  if (!preparing) return `Opponent: ${name}`;
  return preparing.agents.includes(spec) ? `${name} gets ready, once:` : `Opponent: ${name}. Stronger ones get ready, once:`;
}

const REFRESH = 10_000;

function useList<T>(ask: () => Promise<T[]>, every: number | null): T[] | null {
  const [list, setList] = useState<T[] | null>(null);
  useEffect(() => {
    let wanted = true;
    const look = () => ask().then((found) => wanted && setList(found), () => wanted && setList([]));
    void look();
    const timer = every === null ? undefined : setInterval(look, every);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, []);
  return list;
}

function Activity() {
  const rooms = useList(listRooms, REFRESH);
  const recent = useList(listRecent, null);
  const ratings = useList(listRatings, null);
  return (
    <div class="activity">
      <section class="panel">
        <h2>Open rooms</h2>
        <Rooms rooms={rooms} />
      </section>
      <section class="panel">
        <h2>Recent games</h2>
        <Recent recent={recent} />
      </section>
      <section class="panel">
        <h2>Ratings</h2>
        <Ratings ratings={ratings} />
      </section>
    </div>
  );
}

function Rooms({ rooms: all }: { rooms: RoomInfo[] | null }) {
  const own = new Set(useStore(ownGames).slice(0, MOST_SHOWN).map((g) => g.room)); // listed above
  const rooms = all?.filter((room) => !own.has(room.room));
  if (!rooms) return <p class="soft small">Loading…</p>;
  if (rooms.length === 0) {
    return (
      <div class="stack">
        <p class="soft small">No open rooms. Open one and send a friend the link.</p>
        <div class="row">
          {Object.keys(MODULES).map((name) => (
            <a class="button small" href={`/new/${name}?mode=friend`}>
              {titleOf(name)}
            </a>
          ))}
        </div>
      </div>
    );
  }
  return (
    <ul class="plain-list">
      {rooms.slice(0, 8).map((room) => {
        const open = room.seats.some((s) => s.kind === "open");
        const mine = tokenOf(room.room) !== null;
        return (
          <li key={room.room}>
            <span>
              <strong>{titleOf(room.game)}</strong>{" "}
              <span class="soft small">
                {room.seats.filter((s) => s.kind !== "open").map((s) => callPlayer(room.game, s.name) || "Guest").join(" – ")}
              </span>
            </span>
            <a class="button small" href={`/room/${room.room}`}>
              {mine ? "Continue" : open ? "Join" : "Watch"}
              <span class="visually-hidden"> {titleOf(room.game)}</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function Recent({ recent }: { recent: RecentGame[] | null }) {
  if (!recent) return <p class="soft small">Loading…</p>;
  if (recent.length === 0) return <p class="soft small">No finished games yet.</p>;
  return (
    <ul class="plain-list">
      {recent.slice(0, 8).map((game) => (
        <li key={game.room}>
          <span>
            <strong>{titleOf(game.game)}</strong> <span class="soft small">{score(game)}</span>
          </span>
          <a class="button small" href={`/replay/${game.room}`}>
            Replay
            <span class="visually-hidden"> {titleOf(game.game)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function score(game: RecentGame): string {
  const names = callPlayers(game.game, game.seats, game.room);
  if (names.length === 1) return `${capital(names[0]!)}: ${scoreOf(game.game, game.returns[0] ?? 0)}`;
  const best = Math.max(...game.returns);
  const won = game.returns.map((r) => r === best);
  if (won.every(Boolean)) return `${capital(names.join(" – "))}, drawn`;
  const winner = won.indexOf(true);
  return `${capital(names[winner]!)} beat ${names.filter((_, seat) => seat !== winner).join(", ")}`;
}

/** The 95 % interval; an open end where nothing bounds it. */
function interval({ elo, low, high }: Rating): string {
  const digits = elo === null ? 1 : 0;
  return [low, high].map((end) => end?.toFixed(digits) ?? "").join("…");
}

function Ratings({ ratings }: { ratings: Rating[] | null }) {
  if (!ratings) return <p class="soft small">Loading…</p>;
  if (ratings.length === 0) return <p class="soft small">No ratings yet: the command “trireme arena” rates agents.</p>;
  return (
    <table class="plain small">
      <thead>
        <tr>
          <th>agent</th>
          <th class="number">rating</th>
          <th class="number">95 %</th>
        </tr>
      </thead>
      <tbody>
        {ratings.slice(0, 12).map((r) => (
          <tr key={`${r.game} ${r.agent}`}>
            <td>
              {r.agent} <span class="soft">{titleOf(r.game)}</span>
            </td>
            <td class="number">{r.elo !== null ? `${Math.round(r.elo)} Elo` : `${r.shots?.toFixed(1)} shots`}</td>
            <td class="number soft">{interval(r)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
