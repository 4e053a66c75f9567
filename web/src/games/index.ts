// The games that this client can draw: the one place that names them.
import { battleship } from "./battleship";
import { gomoku } from "./gomoku";
import type { GameModule } from "./module";
import { navigation } from "./navigation";

export const MODULES: Record<string, GameModule> = { battleship, gomoku, navigation };
