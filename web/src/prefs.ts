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

function load<T>(key: string, otherwise: T): T {
  try {
    return (JSON.parse(localStorage.getItem(`trireme.${key}`) ?? "null") as T) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function save(key: string, value: unknown): void {
  try {
    localStorage.setItem(`trireme.${key}`, JSON.stringify(value));
  } catch {
    // Private windows may refuse storage; the page works without a memory.
  }
}
