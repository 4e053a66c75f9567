// Addresses: which page a path names, and moving between pages without loading anew.
import { store } from "./store";

export type Route =
  | { page: "home" }
  | { page: "new"; game: string }
  | { page: "room"; room: string }
  | { page: "replay"; room: string | null; turn: number | null; phase: number | null }
  | { page: "maps"; name: string | null }
  | { page: "learn"; game: string | null }
  | { page: "puzzles"; game: string | null }
  | { page: "lost" };

export function parseRoute(path: string, search = ""): Route {
  const parts = path.split("/").filter(Boolean).map(decoded);
  const query = new URLSearchParams(search);
  const [first, second] = parts;
  if (parts.includes(null)) return { page: "lost" };
  if (first === undefined) return { page: "home" };
  if (first === "new" && second) return { page: "new", game: second };
  if (first === "learn") return { page: "learn", game: second ?? null };
  if (first === "room" && second) return { page: "room", room: second };
  if (first === "replay") {
    const turn = count(query.get("turn"));
    return { page: "replay", room: second ?? null, turn, phase: count(query.get("phase")) };
  }
  if (first === "puzzles") return { page: "puzzles", game: second ?? null };
  if (first === "maps") return { page: "maps", name: second ?? null };
  return { page: "lost" };
}

/** A part of an address as text; null where it is no text, such as `%E0%A4%A`. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** A link to a position of a finished game. */
export function positionLink(room: string, turn: number, phase: number | null): string {
  const query = phase === null ? `turn=${turn}` : `turn=${turn}&phase=${phase}`;
  return `/replay/${encodeURIComponent(room)}?${query}`;
}

function count(text: string | null): number | null {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null;
}

const here = () => parseRoute(location.pathname, location.search);

export const route = store<Route>({ page: "home" });

export function go(path: string, options: { replace?: boolean } = {}): void {
  history[options.replace ? "replaceState" : "pushState"](null, "", path);
  route.set(here());
  if (!options.replace) scrollTo(0, 0);
}

/** Follow the address bar, and links within the page. */
export function startRouting(): void {
  route.set(here());
  addEventListener("popstate", () => route.set(here()));
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a[href]");
    if (!(link instanceof HTMLAnchorElement) || link.target || link.download) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    if (link.origin !== location.origin || /^\/(api|docs|metrics)\b/.test(link.pathname)) return;
    if (link.pathname === location.pathname && link.hash) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}
