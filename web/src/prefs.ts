// What this browser remembers: looks, sound, the player's name, keys to seats, saved maps.
import { type Store, store } from "./store";
import type { NavigationSeaMap } from "./wire";

export interface Prefs {
  theme: "auto" | "light" | "dark";
  sound: boolean;
  name: string;
  speed: number;
  view3d: boolean;
}

const FIRST: Prefs = { theme: "auto", sound: true, name: "", speed: 1, view3d: false };

/** A value of this browser that all its tabs share: none overwrites what another has kept. */
export interface Shared<T> extends Store<T> {
  update(with_: (now: T) => T): void;
}

/** A list or a record; what was kept in another shape is left alone until the next change. */
export function shared<T extends object>(key: string, otherwise: T): Shared<T> {
  const read = (now = otherwise): T => {
    const kept = load<unknown>(key, now); // `now` where nothing can be kept, as in private windows
    if (typeof kept !== "object" || Array.isArray(kept) !== Array.isArray(otherwise)) return now;
    return Array.isArray(kept) ? (kept as T) : { ...otherwise, ...(kept as Partial<T>) };
  };
  const made = store<T>(read());
  const update = (with_: (now: T) => T) => {
    made.set(with_(read(made.get())));
    save(key, made.get());
  };
  globalThis.addEventListener?.("storage", (event) => {
    if (event.key === `trireme.${key}`) made.set(read());
  });
  return { ...made, update };
}

export const prefs = shared<Prefs>("prefs", FIRST);
prefs.watch((now) => {
  document.documentElement.dataset.theme = now.theme;
});

export function setPrefs(part: Partial<Prefs>): void {
  prefs.update((now) => ({ ...now, ...part }));
}

export function reducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** The secret that holds this browser's seats in a room. */
export function tokenOf(room: string): string | null {
  return load<Record<string, string>>("tokens", {})[room] ?? null;
}

const MOST_TOKENS = 200;

export function keepToken(room: string, token: string): void {
  const { [room]: _, ...others } = load<Record<string, string>>("tokens", {});
  const kept = Object.entries(others).slice(-(MOST_TOKENS - 1));
  save("tokens", { ...Object.fromEntries(kept), [room]: token });
}

/** The key of a join whose answer has not come: sent again, it gives the same seat. */
export function joinKey(room: string): string {
  const key = pendingJoin(room) ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
  save("joining", { [room]: key });
  return key;
}

export function pendingJoin(room: string): string | null {
  return load<Record<string, string>>("joining", {})[room] ?? null;
}

export function forgetJoin(): void {
  save("joining", {});
}

/** A game that this browser plays: what the home page needs to offer it again. */
export interface OwnGame {
  room: string;
  game: string;
  /** Only the last lesson of a game is kept. */
  lesson?: boolean;
}

const MOST_OWN_GAMES = 40;

export const ownGames = shared<OwnGame[]>("games", []);

/** Remember an unfinished game, newest first. */
export function rememberGame(game: OwnGame): void {
  const replaced = (g: OwnGame) => g.room === game.room || (!!game.lesson && !!g.lesson && g.game === game.game);
  ownGames.update((now) => [game, ...now.filter((g) => !replaced(g))].slice(0, MOST_OWN_GAMES));
}

export function forgetGame(room: string): void {
  ownGames.update((now) => now.filter((g) => g.room !== room));
}

/** Lessons whose goal was met, by game. */
export const doneLessons = shared<Record<string, string[]>>("lessons", {});

export function keepLesson(game: string, lesson: string): void {
  doneLessons.update((now) => ({ ...now, [game]: [...new Set([...(now[game] ?? []), lesson])] }));
}

/** Results against a named opponent, from the player's side. */
export interface Score {
  won: number;
  drawn: number;
  lost: number;
}

/** Results by game and by the opponent's spec. */
export const scores = shared<Record<string, Record<string, Score>>>("scores", {});

/** Games whose result is among the scores: each counts once, in however many tabs it was open. */
const counted = shared<string[]>("counted", []);

export function keepResult(room: string, game: string, spec: string, result: keyof Score): void {
  let known = false;
  counted.update((now) => {
    known = now.includes(room);
    return known ? now : [room, ...now].slice(0, MOST_OWN_GAMES);
  });
  if (known) return;
  scores.update((all) => {
    const old = all[game]?.[spec] ?? { won: 0, drawn: 0, lost: 0 };
    return { ...all, [game]: { ...all[game], [spec]: { ...old, [result]: old[result] + 1 } } };
  });
}

/** The rung of a game's ladder that the player meets next; beginners start at the second. */
export function rungOf(game: string): number {
  return load<Record<string, number>>("rungs", {})[game] ?? 1;
}

export function setRung(game: string, rung: number): void {
  save("rungs", { ...load<Record<string, number>>("rungs", {}), [game]: Math.max(0, rung) });
}

export const mapDraft = {
  read: () => load<NavigationSeaMap | null>("map-draft", null),
  keep: (map: NavigationSeaMap | null) => save("map-draft", map),
};

/** The plan that is being drawn up, for a page that is loaded anew. */
export const unsentPlan = {
  read(room: string, decision: string): string | null {
    const kept = load<{ at?: string; text?: string }>("plan", {});
    return (kept.at === `${room} ${decision}` && kept.text) || null;
  },
  keep(room: string, decision: string, text: string | null): void {
    save("plan", text === null ? {} : { at: `${room} ${decision}`, text });
  },
};

export type SavedMaps = Record<string, NavigationSeaMap>;

export const maps = shared<SavedMaps>("maps", {});

export function saveMap(map: NavigationSeaMap): void {
  maps.update((now) => ({ ...now, [map.name]: map }));
}

export function forgetMap(name: string): void {
  maps.update(({ [name]: _, ...others }) => others);
}

export function load<T>(key: string, otherwise: T): T {
  try {
    return (JSON.parse(localStorage.getItem(`trireme.${key}`) ?? "null") as T) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function save(key: string, value: unknown): void {
  try {
    localStorage.setItem(`trireme.${key}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse storage; the page works without a memory.
  }
}
