// The games as the server offers them: loaded once, shared by all pages.
import { listGames } from "../rest";
import { store } from "../store";
import type { GameInfo } from "../wire";

export const gamesStore = store<GameInfo[]>([]);

let asked: Promise<void> | null = null;

export function loadGames(): Promise<void> {
  asked ??= listGames().then(
    (games) => gamesStore.set(games),
    () => {
      asked = null;
    },
  );
  return asked;
}
