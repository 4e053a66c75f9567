// The 3D view of the arena, drawn by three.js.
import type { NavigationSeaMap } from "../../wire";
import type { ArenaProps } from "./arena";
import type { ShipRow } from "./plan";

export interface Stage {
  show(props: ArenaProps): void;
  close(): void;
}

export function openStage(_box: HTMLElement, _map: NavigationSeaMap, _ships: ShipRow[]): Stage {
  return { show() {}, close() {} };
}
