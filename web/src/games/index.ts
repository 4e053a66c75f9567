// The games that this client draws by itself: the one place that names them. All others are drawn
// by the generic module.
import type { GameInfo } from "../wire";
import { battleship } from "./battleship";
import { genericModule } from "./generic";
import { gomoku } from "./gomoku";
import type { GameModule } from "./module";
import { navigation } from "./navigation";

export const MODULES: Record<string, GameModule> = { battleship, gomoku, navigation };

/** The module that draws a game. */
export function moduleOf(name: string, info: GameInfo | undefined): GameModule {
  return MODULES[name] ?? genericModule(name, info);
}

/** What players call a game. */
export const titleOf = (name: string) => moduleOf(name, undefined).title;

/** The result of a game with one seat, in words. */
export function scoreOf(name: string, value: number): string {
  return MODULES[name]?.score?.(value) ?? `${value} points`;
}
