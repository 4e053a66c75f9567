// The games as the server offers them: loaded once, shared by all pages.
import { listGames } from "../rest";
import { store } from "../store";
import type { GameInfo } from "../wire";

export const gamesStore = store<GameInfo[]>([]);

let asked: Promise<void> | null = null;

/** What the server offers of a game, as soon as it is known; undefined: nothing. */
export async function gameInfo(name: string): Promise<GameInfo | undefined> {
  await loadGames();
  return gamesStore.get().find((game) => game.name === name);
}

/** Milliseconds until a server that did not answer, such as one that is just starting, is asked again. */
const ASK_AGAIN = 1000;

export function loadGames(): Promise<void> {
  asked ??= listGames().then(
    (games) => gamesStore.set(games),
    () => {
      asked = null;
      setTimeout(() => void loadGames(), ASK_AGAIN);
    },
  );
  return asked;
}
