// Named opponents: who stands behind an agent's spec, and whom to meet next.
import { rungOf, tokenOf } from "../prefs";
import type { GameInfo, OpponentInfo } from "../wire";
import { gamesStore } from "./catalogue";

/** The opponents of a game that can play here, weakest first. */
export function offeredBy(info: GameInfo | undefined): OpponentInfo[] {
  return info?.opponents.filter((o) => o.unavailable === null) ?? [];
}

/** The opponent whom this player meets next, where the game has named ones. */
export function nextOpponent(info: GameInfo | undefined): OpponentInfo | undefined {
  const offered = offeredBy(info);
  return info && offered[Math.min(rungOf(info.name), offered.length - 1)];
}

export function opponentOf(game: string, spec: string): OpponentInfo | undefined {
  return gamesStore
    .get()
    .find((g) => g.name === game)
    ?.opponents.find((o) => o.spec === spec);
}

/** What to call a player: the name of a named opponent, else the name or spec as it is. */
export function callPlayer(game: string, name: string): string {
  return opponentOf(game, name)?.name ?? name;
}

/** What records call somebody who gave no name. */
const NAMELESS = /^player \d+$/;

/** What to call the players of a game that was recorded: whoever gave no name and played here is "you". */
export function callPlayers(game: string, names: readonly string[], room: string | null): string[] {
  const here = room !== null && tokenOf(room) !== null && names.filter((name) => NAMELESS.test(name)).length === 1;
  return names.map((name) => {
    if (!NAMELESS.test(name)) return callPlayer(game, name) || "Guest";
    return here ? "you" : name.replace("player", "Player");
  });
}
