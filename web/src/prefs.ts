// What this browser remembers: looks, sound, the player's name, keys to seats, saved maps.
import { store } from "./store";
import type { NavigationSeaMap } from "./wire";

export interface Prefs {
  theme: "auto" | "light" | "dark";
  sound: boolean;
  name: string;
  speed: number;
  view3d: boolean;
}

const FIRST: Prefs = { theme: "auto", sound: true, name: "", speed: 1, view3d: false };

export const prefs = store<Prefs>({ ...FIRST, ...load<Partial<Prefs>>("prefs", {}) });

export function setPrefs(part: Partial<Prefs>): void {
  prefs.set({ ...prefs.get(), ...part });
  save("prefs", prefs.get());
  document.documentElement.dataset.theme = prefs.get().theme;
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

export const ownGames = store<OwnGame[]>(load<OwnGame[]>("games", []));

/** Remember an unfinished game, newest first. */
export function rememberGame(game: OwnGame): void {
  const replaced = (g: OwnGame) => g.room === game.room || (!!game.lesson && !!g.lesson && g.game === game.game);
  const others = ownGames.get().filter((g) => !replaced(g));
  ownGames.set([game, ...others].slice(0, MOST_OWN_GAMES));
  save("games", ownGames.get());
}

export function forgetGame(room: string): void {
  ownGames.set(ownGames.get().filter((g) => g.room !== room));
  save("games", ownGames.get());
}

/** Lessons whose goal was met, by game. */
export const doneLessons = store<Record<string, string[]>>(load("lessons", {}));

export function keepLesson(game: string, lesson: string): void {
  const done = doneLessons.get()[game] ?? [];
  if (done.includes(lesson)) return;
  doneLessons.set({ ...doneLessons.get(), [game]: [...done, lesson] });
  save("lessons", doneLessons.get());
}

/** Results against a named opponent, from the player's side. */
export interface Score {
  won: number;
  drawn: number;
  lost: number;
}

/** Results by game and by the opponent's spec. */
export const scores = store<Record<string, Record<string, Score>>>(load("scores", {}));

export function keepResult(game: string, spec: string, result: keyof Score): void {
  const all = scores.get();
  const old = all[game]?.[spec] ?? { won: 0, drawn: 0, lost: 0 };
  scores.set({ ...all, [game]: { ...all[game], [spec]: { ...old, [result]: old[result] + 1 } } });
  save("scores", scores.get());
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

export type SavedMaps = Record<string, NavigationSeaMap>;

export const maps = store<SavedMaps>(load<SavedMaps>("maps", {}));

export function saveMap(map: NavigationSeaMap): void {
  maps.set({ ...maps.get(), [map.name]: map });
  save("maps", maps.get());
}

export function forgetMap(name: string): void {
  const { [name]: _, ...others } = maps.get();
  maps.set(others);
  save("maps", others);
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
